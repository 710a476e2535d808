// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostWire

/// One entry of a change log, by which pages with changes differ from pages without.
enum ChangedItem: Hashable, Codable, Sendable {
    case message(MessageID, Timestamp?)
    case channel(ChannelURL)
}

/// One page of a change log, updated by the events that have overtaken it.
struct ChangePage: Equatable, Sendable {
    let items: [ChangedItem]
    let mutations: [Mutation]
    let next: String
    let hasMore: Bool
    /// Whether the mutations contain the whole page.
    ///
    /// If events have overtaken a part, or a part is impossible, the cursor must stay before the
    /// page.
    let isWhole: Bool
    /// The time of the answer by the server's clock, if it is named.
    var answeredAt: Timestamp?
}

extension SyncState {
    /// Updates a page of a channel's change log by newer events, and notes its changes for answers
    /// in flight.
    mutating func accept(
        _ changes: MessageChanges, in channel: ChannelURL, _ ledger: FetchLedger
    ) -> ChangePage {
        let deleted = changes.deleted.map(\.id)
        let possible = changes.updated.filter(\.hasPossibleTimes)
        // Reactions do not change a message's time, so events that overtook the answer count.
        let updated = ledger.upToDate(possible)
        if !ledger.hasDeparture {
            ledgers[channel]?.note(answer: updated, overtakenBy: ledger)
            for id in deleted { ledgers[channel]?.note(deletionOf: id) }
            recentChanges.note(edited: updated, deleted: deleted, in: channel)
        }
        var mutations: [Mutation] = updated.map { .edited($0) }
        mutations += ledger.mutations(amending: updated, in: channel)
        if !deleted.isEmpty {
            session?.holeSizes.drop(channel)
            mutations.append(.deleted(channel, deleted))
        }
        return ChangePage(
            items: changes.updated.compactMap { message in
                message.messageID.map { .message($0, message.updatedAt) }
            } + deleted.map { .message($0, nil) },
            mutations: mutations, next: changes.next, hasMore: changes.hasMore,
            isWhole: possible.count == changes.updated.count)
    }

    /// Updates a page of the change log of the user's channels by newer events, and notes its
    /// changes for answers in flight.
    mutating func accept(_ changes: ChannelChanges, since asked: ChannelLedger.Mark) -> ChangePage {
        let (fresh, stale) = channelLedger.parted(changes.updated, since: asked)
        let unsure = changes.deleted.filter { channelLedger.isUnsure($0, since: asked) }
        let gone = changes.deleted.filter { !unsure.contains($0) }
        var mutations: [Mutation] = gone.map { .removeChannel($0) }
        if !fresh.isEmpty { mutations.append(.channels(fresh)) }
        // Other answers in flight may be older than this one.
        for url in fresh.map(\.url) + unsure { channelLedger.note(changeOf: url) }
        for url in gone { noteDeparture(from: url, isLeaving: false) }
        followReturns(to: fresh)
        return ChangePage(
            items: changes.updated.map { .channel($0.url) }
                + changes.deleted.map { .channel($0) },
            mutations: mutations, next: changes.next, hasMore: changes.hasMore,
            isWhole: stale.isEmpty && unsure.isEmpty, answeredAt: changes.timestamp)
    }
}

extension SyncState {
    /// Spends one request of the client's own limit.
    ///
    /// - Returns: The pause before the request; nil for none.
    package mutating func spendRequest() -> Step? {
        let wait = pacing.take(at: now)
        return wait > .zero ? .need(.pause(wait, .pacing)) : nil
    }

    /// Ends an operation whose connection was lost while it waited to send.
    mutating func returnRequest() -> Step {
        pacing.giveBack()
        return .fail(.notConnected)
    }
}

extension RoostError {
    static let overtaken = RoostError(
        .requestFailed, remedy: .retry,
        message: "Events kept overtaking the change log of the channels; try again.")
}

extension ChangeLogCursor {
    init(_ cursor: Cursor) {
        switch cursor {
        case .moment(let moment): self = .since(moment)
        case .token(let token): self = .token(token)
        }
    }
}
