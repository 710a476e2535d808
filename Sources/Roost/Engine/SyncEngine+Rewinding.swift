// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore
import RoostWire

// Reading a change log once more, from a place that is certainly not too late.

/// A place of a change log, and the moment through which everything before that place has been read.
///
/// Places are the server's own words: which of two is the earlier one nobody but the server can tell.
struct ReadMark {
    var cursor: Cursor
    let moment: Timestamp
}

/// How often a change log's cursor was set back.
struct Rewindings: Hashable {
    var underWay = 0
    var done = 0
}

extension SyncEngine {
    /// Remembers how far a log has been read; `isEnd` says that nothing was left of it.
    func noteRead(
        _ key: CursorKey, from cursor: Cursor, to next: Cursor, isEnd: Bool, _ session: Session
    ) {
        if isEnd, let loginAt = session.login.loginAt {
            readMarks[key] = ReadMark(cursor: next, moment: loginAt)
        } else if let moment = knownMoment(of: cursor, key) {
            readMarks[key] = ReadMark(cursor: next, moment: moment)
        }
    }

    /// Where the channels' log is to be read on, by the next connection, once it has been read to its end.
    ///
    /// What the log told may be undone by frames that were sent before it was asked, and put right only by
    /// an answer that the connection or the process may not live to see. All these frames are of this
    /// connection, so it is read again from the login on. Messages are spared this by `changesRead`, which
    /// keeps late frames from undoing anything but the removal of a reaction.
    ///
    /// - Parameters:
    ///   - start: Where this reading began.
    ///   - moment: When the server answered its first question, by the clock of whoever did.
    ///   - session: The present connection.
    /// - Returns: Nil where the server's own word for the log's end has to do.
    func placeToResume(
        from start: Cursor, answeredAt moment: Timestamp?, _ session: Session
    ) -> Cursor? {
        guard let loginAt = session.login.loginAt else { return nil }
        var begin = min(loginAt, moment ?? loginAt).milliseconds
        begin = max(begin, Self.loginSlack + 1) - Self.loginSlack
        // An earlier reading got no further than this, and frames of its connection may have been late, too.
        if case .token = start {
            begin = min(begin, (knownMoment(of: start, .channelChanges) ?? .beginning).milliseconds)
        }
        return .moment(Timestamp(milliseconds: begin))
    }

    /// By how much something that is told after a login may carry an earlier time: it was on its way, or
    /// the clock of the machine that dated it is slow.
    private static let loginSlack: Int64 = 5_000

    /// The answer to a repeated send tells of a message as it was at first: what became of it since may lie
    /// before the cursors, so the change logs are read again from its time on, or from before.
    func rewinds(
        before event: MessageEvent
    ) async throws(RoostError) -> [(key: CursorKey, start: Cursor)] {
        let message = event.message
        guard event.acknowledges != nil, message.createdAt < lastLoginAt ?? .distantPast
        else { return [] }
        var rewinds: [(key: CursorKey, start: Cursor)] = []
        for key in [CursorKey.channelChanges, .messageChanges(message.channelURL)] {
            guard let known = try await cursor(key) else { continue }
            let moment = try await momentBefore(known, of: key)
            // Forward would pass over what has not been read. Where the place stays, the answer to whoever
            // reads from there now may know already what became of the message.
            rewinds.append((key, .moment(min(moment, message.createdAt))))
        }
        return rewinds
    }

    /// Commits what a repeated send was answered, and has the logs that it rewinds read again.
    func commit(
        _ mutations: [Mutation], rewinding rewinds: [(key: CursorKey, start: Cursor)],
        in channel: ChannelURL, from origin: ChangeOrigin
    ) async throws(RoostError) {
        // Whoever is reading a log meanwhile must not put its cursor where it was.
        for rewind in rewinds { rewindings[rewind.key, default: Rewindings()].underWay += 1 }
        defer {
            for rewind in rewinds {
                rewindings[rewind.key]?.underWay -= 1
                rewindings[rewind.key]?.done += 1
            }
        }
        try await commit(
            mutations + rewinds.map { .cursor($0.key, $0.start) }, from: origin)
        guard !rewinds.isEmpty else { return }
        if !openTimelines(of: channel).isEmpty { catchUp(channel) }
        run { engine in await engine.catchUpChannels() }
    }

    /// Whether a log's cursor has not been set back, nor is being set back.
    func isUnmoved(_ key: CursorKey, since rewound: Rewindings) -> Bool {
        rewound.underWay == 0 && rewindings[key] ?? rewound == rewound
    }

    private func momentBefore(
        _ cursor: Cursor, of key: CursorKey
    ) async throws(RoostError) -> Timestamp {
        if let moment = knownMoment(of: cursor, key) { return moment }
        return try await beginning(of: key) ?? .distantFuture
    }

    private func knownMoment(of cursor: Cursor, _ key: CursorKey) -> Timestamp? {
        if case .moment(let moment) = cursor { return moment }
        guard let mark = readMarks[key], mark.cursor == cursor else { return nil }
        return mark.moment
    }

    /// Where a log can be read from without missing anything; nil when nothing of it matters.
    func beginning(of key: CursorKey) async throws(RoostError) -> Timestamp? {
        // From the beginning: channels are few.
        guard case .messageChanges(let channel) = key else { return .beginning }
        // Every change of what is cached happened after its oldest message was written.
        do throws(StoreError) {
            return try await reader.oldestMessage(in: channel).value
        } catch {
            throw RoostError(error)
        }
    }
}

extension Timestamp {
    /// The earliest moment a change log can be asked for.
    fileprivate static let beginning = Timestamp(milliseconds: 1)
}
