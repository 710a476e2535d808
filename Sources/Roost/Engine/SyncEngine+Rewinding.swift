// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostStore
import RoostWire

// Reading a change log once more, from a place that is certainly not too late.

/// A place of a change log, what was read before it, and what had been heard then.
///
/// Places are the server's own words: which of two is the earlier one nobody but the server can tell.
struct ReadMark {
    var cursor: Cursor
    /// Everything before this has been read; nil when nobody knows.
    var moment: Timestamp?
    /// When the last frame was sent that had come before the reading began that led here.
    var heard: Timestamp?
}

/// Up to when this connection has told everything that it tells at all.
struct Hearing {
    private let loginAt: Timestamp
    /// The same by the device's clock.
    private let beganAt: Timestamp
    private(set) var until: Timestamp

    init(since loginAt: Timestamp, now: Timestamp) {
        (self.loginAt, beganAt, until) = (loginAt, now, loginAt)
    }

    /// Takes note of a frame, by the server's clock; never more than the time that has gone by since the
    /// login, or one message dated in the future would have all until then passed over.
    mutating func note(_ moment: Timestamp, now: Timestamp) {
        until = max(until, min(moment, present(now: now)))
    }

    /// Returns whether a moment lies in the future of the server's clock, by more than clocks differ.
    func isAhead(_ moment: Timestamp, now: Timestamp) -> Bool {
        moment > present(now: now).advanced(by: Self.clockSlackMS)
    }

    /// An hour: how far the clocks of one service may differ.
    private static let clockSlackMS: Int64 = 3_600_000

    /// The server's clock now, as far as the device's clock has run since the login.
    private func present(now: Timestamp) -> Timestamp {
        loginAt.advanced(by: max(now.milliseconds(since: beganAt), 0))
    }
}

/// How often a change log's cursor was set back.
struct Rewindings: Hashable {
    var underWay = 0
    var done = 0
}

extension SyncEngine {
    /// What is known of a place that a log is to be read from.
    func readMark(at cursor: Cursor, of key: CursorKey) -> ReadMark {
        var mark = ReadMark(cursor: cursor)
        if case .moment(let moment) = cursor {
            mark.moment = moment
        } else if let known = readMarks[key], known.cursor == cursor {
            mark = known
        }
        // Frames of the connection in which an earlier reading was cut short may have been lost, too.
        mark.heard = [mark.heard, hearing?.until].compactMap { $0 }.min()
        return mark
    }

    /// Where a log is to be read on once it has been read to its end; nil for the server's word for the end.
    ///
    /// What a log told may be undone by frames that were sent before it was asked, and put right only by
    /// frames and answers that the connection or the process may not live to see. Frames come in their
    /// order, so these tell of what happened after the last one that had come (ADR 0012).
    func placeToResume(behind mark: ReadMark) -> Cursor? {
        guard let heard = mark.heard, heard > Self.earliestHeard else { return nil }
        return .moment(heard.advanced(by: -Self.frameSlack))
    }

    /// By how much a frame may tell of something earlier than the one before it: it was overtaken, or the
    /// clock of the machine that dated it is slow.
    private static let frameSlack: Int64 = 2_000
    /// A log can be asked from the first millisecond on.
    private static let earliestHeard = Timestamp(milliseconds: frameSlack)

    /// Takes note of when a frame that is on disk was sent, where it says so.
    func hear(_ moment: Timestamp?) {
        if let moment { hearing?.note(moment, now: world.wallTime()) }
    }

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
            rewinds.append((key, .moment(max(min(moment, message.createdAt), .beginning))))
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
        if let moment = readMark(at: cursor, of: key).moment { return moment }
        return try await beginning(of: key) ?? .distantFuture
    }

    /// Where a log can be read from without missing anything; nil when nothing of it matters.
    func beginning(of key: CursorKey) async throws(RoostError) -> Timestamp? {
        // From the beginning: channels are few.
        guard case .messageChanges(let channel) = key else { return .beginning }
        // Every change of what is cached happened after its oldest message was written.
        do throws(StoreError) {
            return try await reader.oldestMessage(in: channel).value.map { max($0, .beginning) }
        } catch {
            throw RoostError(error)
        }
    }
}

extension Timestamp {
    /// The earliest moment a change log can be asked for.
    static let beginning = Timestamp(milliseconds: 1)
}
