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
    /// Remembers through which moment everything before a token has been read.
    func noteRead(_ key: CursorKey, from cursor: Cursor, to next: Cursor) {
        guard let moment = knownMoment(of: cursor, key) else { return }
        readMarks[key] = ReadMark(cursor: next, moment: moment)
    }

    /// Where a log is to be read on once it has been read to its end.
    ///
    /// What a log told may be undone by frames that were sent before it was asked, and put right only by
    /// frames and answers that the connection or the process may not live to see. They come in their order,
    /// so what they tell happened after the last one that has come.
    ///
    /// - Parameters:
    ///   - key: Which log.
    ///   - start: Where the reading began, and through which moment all before it had been read.
    ///   - moment: When the last frame that had come before the first question was sent, by the server's
    ///     clock; nil when nobody knows.
    /// - Returns: Nil where the server's own word for the log's end has to do.
    func placeToResume(
        _ key: CursorKey, from start: (cursor: Cursor, moment: Timestamp?), heard moment: Timestamp?
    ) -> Cursor? {
        guard let moment else { return nil }
        var place = Timestamp(
            milliseconds: max(moment.milliseconds, Self.frameSlack + 1) - Self.frameSlack)
        // An earlier reading got no further than this, and frames behind it may have been lost, too.
        if case .token = start.cursor {
            // Channels are few; all that was written in one is not.
            place = min(place, start.moment ?? (key == .channelChanges ? .beginning : place))
        }
        return .moment(place)
    }

    /// By how much a frame may tell of something earlier than the one before it: it was overtaken, or the
    /// clock of the machine that dated it is slow.
    private static let frameSlack: Int64 = 2_000

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

    func knownMoment(of cursor: Cursor, _ key: CursorKey) -> Timestamp? {
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
