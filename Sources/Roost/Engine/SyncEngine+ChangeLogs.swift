// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostStore
import RoostWire

// The change logs: what became of channels and messages that the cache holds.

extension SyncEngine {
    /// The place from which a channel's changes have to be read later, when it has none yet: the
    /// server's time of this login, which is before anything this connection has brought (scar 2).
    func firstCursor(of channel: ChannelURL, _ session: Session) -> [Mutation] {
        firstCursor(of: channel, before: nil, since: session.loginAt)
    }

    /// The same where a message is not of this connection, as the answer to a repeated send: what became
    /// of it happened after it was written.
    func firstCursor(
        of channel: ChannelURL, before message: Message?, since loginAt: Timestamp?
    ) -> [Mutation] {
        guard let loginAt else { return [] }
        let moment = max(min(loginAt, message?.createdAt ?? loginAt), .beginning)
        return [.firstCursor(.messageChanges(channel), .moment(moment))]
    }

    /// The place from which the list's changes have to be read later, when it has none yet: before
    /// anything this process has brought, by whatever connection and however late.
    var firstListCursor: [Mutation] {
        guard let firstLoginAt else { return [] }
        return [.firstCursor(.channelChanges, .moment(firstLoginAt))]
    }

    func cursor(_ key: CursorKey) async throws(RoostError) -> Cursor? {
        do { return try await reader.cursor(key).value } catch { throw RoostError(error) }
    }

    func applyMessageChanges(of channel: ChannelURL) async throws(RoostError) {
        try await readChanges(.messageChanges(channel)) {
            (engine, cursor, sessionKey) throws(RoostError) in
            let beginning = engine.ledgers[channel, default: FetchLedger()].begin()
            defer { engine.endFetch(of: channel) }
            let changes = try await engine.api.call(
                MessageChangeLog(
                    channelURL: channel, cursor: ChangeLogCursor(cursor),
                    filter: .everything), sessionKey: sessionKey)
            let deleted = changes.deleted.map(\.id)
            // Reactions carry no time of the message's own: news that overtook the answer counts.
            let ledger = engine.news(of: channel, since: beginning)
            guard !ledger.hasDeparture else { throw .departed }
            let possible = engine.possible(changes.updated, in: channel)
            let updated = ledger.upToDate(possible)
            for message in updated { engine.ledgers[channel]?.note(editOf: message) }
            for id in deleted { engine.ledgers[channel]?.note(deletionOf: id) }
            engine.noteRead(updated, deleted, in: channel)
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
    }

    private func noteRead(_ edited: [Message], _ deleted: [MessageID], in channel: ChannelURL) {
        if changesRead[channel] == nil { changesRead[channel, default: FetchLedger()].begin() }
        for message in edited { changesRead[channel]?.note(editOf: message) }
        for id in deleted { changesRead[channel]?.note(deletionOf: id) }
    }

    func applyChannelChanges() async throws(RoostError) {
        try await readChanges(.channelChanges) {
            (engine, cursor, sessionKey) throws(RoostError) in
            let mark = engine.channelLedger.begin()
            defer { engine.channelLedger.end() }
            let changes = try await engine.api.call(
                ChannelChangeLog(
                    userID: engine.me, cursor: ChangeLogCursor(cursor), showsEmpty: true),
                sessionKey: sessionKey)
            let (fresh, stale) = engine.channelLedger.parted(
                changes.updated, since: mark)
            let unsure = changes.deleted.filter {
                engine.channelLedger.isUnsure($0, since: mark)
            }
            var mutations: [Mutation] = changes.deleted.filter { !unsure.contains($0) }
                .map { .removeChannel($0) }
            if !fresh.isEmpty { mutations.append(.channels(fresh)) }
            // Other answers on their way may be older than this one.
            for url in fresh.map(\.url) + unsure { engine.channelLedger.note(changeOf: url) }
            for url in changes.deleted where !unsure.contains(url) {
                engine.noteDeparture(from: url)
            }
            return ChangePage(
                items: changes.updated.map { .channel($0.url) }
                    + changes.deleted.map { .channel($0) },
                mutations: mutations, next: changes.next, hasMore: changes.hasMore,
                isWhole: stale.isEmpty && unsure.isEmpty, answeredAt: changes.timestamp)
        }
    }

    /// Tells the changes of a log apart.
    private enum ChangedItem: Hashable, Sendable {
        case message(MessageID, Timestamp?)
        case channel(ChannelURL)
    }

    private struct ChangePage {
        let items: [ChangedItem]
        let mutations: [Mutation]
        let next: String
        let hasMore: Bool
        /// Whether all of it is stored.
        ///
        /// Where news has overtaken some, or some is impossible, the cursor must
        /// stay before it.
        var isWhole = true
        /// By the clock of whoever answered.
        var answeredAt: Timestamp?
    }

    /// Reads a change log to its end; each page and its cursor are one transaction (scars 6, 7).
    private func readChanges(
        _ key: CursorKey,
        _ fetch: (isolated SyncEngine, Cursor, String) async throws(RoostError) -> ChangePage
    ) async throws(RoostError) {
        guard let session else { throw .notConnected }
        // What is set back from here on is read from there, whatever has been read meanwhile.
        let rewound = rewindings[key] ?? Rewindings()
        guard var cursor = try await cursor(key) else {
            // A channel's log begins with its first message on disk.
            guard key == .channelChanges, !firstListCursor.isEmpty else { return }
            try await commit(firstListCursor, from: .changeLog)
            return
        }
        // A place in the future of the server's own clock would pass everything over until then.
        if case .moment(let moment) = cursor, let hearing,
            hearing.isAhead(moment, now: world.wallTime()), let start = try await beginning(of: key)
        {
            cursor = .moment(start)
            try await commit([.cursor(key, cursor)], from: .changeLog)
        }
        var mark = readMark(at: cursor, of: key)
        var overtaken = 0
        var walk = PageWalk<Cursor, ChangedItem>(from: cursor)
        while true {
            try await takeTurn()
            let page: ChangePage
            do throws(RoostError) {
                page = try await fetch(self, cursor, session.login.sessionKey)
            } catch {
                // The server knows this token no longer: begin again where nothing can be missed.
                guard case .token = cursor, error.code == .invalidValue, isPresent(session) else {
                    throw error
                }
                guard walk.mayBeginAgain() else { throw .stalled }
                guard let moment = try await beginning(of: key) else { throw error }
                guard isUnmoved(key, since: rewound) else {
                    return try await readChanges(key, fetch)
                }
                cursor = .moment(moment)
                mark.moment = moment
                try await commit([.cursor(key, cursor)], from: .changeLog)
                continue
            }
            guard isPresent(session) else { throw .notConnected }
            guard page.isWhole else {
                if !page.mutations.isEmpty {
                    try await commit(page.mutations, from: .changeLog)
                }
                overtaken += 1
                guard overtaken <= Self.roundLimit else { throw .overtaken }
                continue
            }
            guard isUnmoved(key, since: rewound) else {
                if !page.mutations.isEmpty { try await commit(page.mutations, from: .changeLog) }
                return try await readChanges(key, fetch)
            }
            if let moment = page.answeredAt { mark.heard = mark.heard.map { min($0, moment) } }
            let next = page.next.isEmpty ? cursor : .token(page.next)
            mark.cursor = page.hasMore ? next : placeToResume(behind: mark) ?? next
            if !page.mutations.isEmpty || mark.cursor != cursor {
                try await commit(page.mutations + [.cursor(key, mark.cursor)], from: .changeLog)
            }
            readMarks[key] = mark
            guard page.hasMore else { return }
            // Or the server would be asked for ever (scar 141).
            guard walk.goesOn(to: next, after: page.items) else { throw .stalled }
            cursor = next
        }
    }
}

extension RoostError {
    fileprivate static let overtaken = RoostError(
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
