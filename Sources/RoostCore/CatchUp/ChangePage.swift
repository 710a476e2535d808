// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostWire

/// One entry of a change log, to tell pages with news from pages without.
enum ChangedItem: Hashable, Sendable {
    case message(MessageID, Timestamp?)
    case channel(ChannelURL)
}

/// One page of a change log, brought up to date with what has overtaken it.
struct ChangePage: Hashable, Sendable {
    let items: [ChangedItem]
    let mutations: [Mutation]
    let next: String
    let hasMore: Bool
    /// Whether the mutations say all of the page.
    ///
    /// Where news has overtaken a part, or a part is impossible, the cursor must stay before the page.
    let isWhole: Bool
    /// The time of the answer by the server's clock, where it is named.
    var answeredAt: Timestamp?
}

extension SyncState {
    /// Brings a page of a channel's change log up to date, and notes its changes for answers on their way.
    mutating func judge(
        _ changes: MessageChanges, in channel: ChannelURL, _ ledger: FetchLedger
    ) -> ChangePage {
        let deleted = changes.deleted.map(\.id)
        let possible = possible(changes.updated, in: channel)
        // Reactions carry no time of the message's own: news that overtook the answer counts.
        let updated = ledger.upToDate(possible)
        if !ledger.hasDeparture {
            for message in updated { ledgers[channel]?.note(editOf: message) }
            for id in deleted { ledgers[channel]?.note(deletionOf: id) }
            noteRead(updated, deleted, in: channel)
        }
        var mutations: [Mutation] = updated.map { .edited($0) }
        mutations += ledger.mutations(amending: updated, in: channel)
        if !deleted.isEmpty { mutations.append(.deleted(channel, deleted)) }
        return ChangePage(
            items: changes.updated.compactMap { message in
                message.messageID.map { .message($0, message.updatedAt) }
            } + deleted.map { .message($0, nil) },
            mutations: mutations, next: changes.next, hasMore: changes.hasMore,
            isWhole: possible.count == changes.updated.count)
    }

    private mutating func noteRead(
        _ edited: [Message], _ deleted: [MessageID], in channel: ChannelURL
    ) {
        if changesRead[channel] == nil { changesRead[channel, default: FetchLedger()].begin() }
        for message in edited { changesRead[channel]?.note(editOf: message) }
        for id in deleted { changesRead[channel]?.note(deletionOf: id) }
    }

    /// Brings a page of the change log of the user's channels up to date, and notes its changes for answers on
    /// their way.
    mutating func judge(_ changes: ChannelChanges, since asked: ChannelLedger.Mark) -> ChangePage {
        let (fresh, stale) = channelLedger.parted(changes.updated, since: asked)
        let unsure = changes.deleted.filter { channelLedger.isUnsure($0, since: asked) }
        let gone = changes.deleted.filter { !unsure.contains($0) }
        var mutations: [Mutation] = gone.map { .removeChannel($0) }
        if !fresh.isEmpty { mutations.append(.channels(fresh)) }
        // Other answers on their way may be older than this one.
        for url in fresh.map(\.url) + unsure { channelLedger.note(changeOf: url) }
        for url in gone { noteDeparture(from: url) }
        return ChangePage(
            items: changes.updated.map { .channel($0.url) }
                + changes.deleted.map { .channel($0) },
            mutations: mutations, next: changes.next, hasMore: changes.hasMore,
            isWhole: stale.isEmpty && unsure.isEmpty, answeredAt: changes.timestamp)
    }
}

extension SyncState {
    /// Spends one request of the client's own bound.
    ///
    /// - Returns: The wait before the request; nil for none.
    package mutating func takeTurn() -> Duration? {
        let wait = pacing.take(at: now)
        return wait > .zero ? wait : nil
    }

    /// Ends an operation whose connection was lost while it waited for its turn.
    mutating func giveTurnBack() -> Step {
        pacing.giveBack()
        return .fail(.notConnected)
    }
}

extension RoostError {
    static let overtaken = RoostError(
        .requestFailed, remedy: .retry,
        message: "More happened in the channels than their change log could follow; try again.")
}

extension ChangeLogCursor {
    init(_ cursor: Cursor) {
        switch cursor {
        case .moment(let moment): self = .since(moment)
        case .token(let token): self = .token(token)
        }
    }
}
