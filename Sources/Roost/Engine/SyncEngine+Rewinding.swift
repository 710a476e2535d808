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
        } else if readMarks[key]?.cursor == cursor {
            readMarks[key]?.cursor = next
        }
    }

    /// The answer to a repeated send tells of a message as it was at first: what became of it since may lie
    /// before the cursors, so the change logs are read again from its time on, or from before.
    func rewinds(
        before message: Message, acknowledged event: MessageEvent
    ) async throws(RoostError) -> [(key: CursorKey, start: Cursor)] {
        guard event.acknowledges != nil, message.createdAt < lastLoginAt ?? .distantPast
        else { return [] }
        var rewinds: [(key: CursorKey, start: Cursor)] = []
        for key in [CursorKey.channelChanges, .messageChanges(message.channelURL)] {
            guard let known = try await cursor(key) else { continue }
            let moment: Timestamp
            switch known {
            case .moment(let begin): moment = begin
            case .token: moment = try await momentBefore(known, of: key)
            }
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
        if let mark = readMarks[key], mark.cursor == cursor { return mark.moment }
        return try await beginning(of: key) ?? .distantFuture
    }

    /// Where a log can be read from without missing anything; nil when nothing of it matters.
    func beginning(of key: CursorKey) async throws(RoostError) -> Timestamp? {
        // From the beginning: channels are few.
        guard case .messageChanges(let channel) = key else { return Timestamp(milliseconds: 1) }
        // Every change of what is cached happened after its oldest message was written.
        do throws(StoreError) {
            return try await reader.oldestMessage(in: channel).value
        } catch {
            throw RoostError(error)
        }
    }
}
