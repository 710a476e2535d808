// SPDX-License-Identifier: Apache-2.0

package import RoostModel

// The places of the change logs.
//
// Places are the server's own words: only the server can tell which of two is the earlier one. A log that was read
// to its end is read again from a moment that is certainly not too late (ADR 0012).

/// A place of a change log, with the moments that are known of it.
package struct ReadMark: Hashable, Sendable {
    package var cursor: Cursor
    /// The moment before which everything has been read; nil when it is unknown.
    package var moment: Timestamp?
    /// The time of the last frame that had come before the reading began that led here.
    package var heard: Timestamp?
}

/// The number of times that a change log's cursor was set back.
package struct Rewindings: Hashable, Sendable {
    package var underWay = 0
    package var done = 0

    package init() {}
}

extension SyncState {
    /// Returns what is known of a place that a log is to be read from.
    package func readMark(at cursor: Cursor, of key: CursorKey) -> ReadMark {
        var mark = ReadMark(cursor: cursor)
        if case .moment(let moment) = cursor {
            mark.moment = moment
        } else if let known = readMarks[key], known.cursor == cursor {
            mark = known
        }
        // Frames of the connection in which an earlier reading was cut short may have been lost, too.
        mark.heard = [mark.heard, session?.hearing?.until].compactMap { $0 }.min()
        return mark
    }

    /// Returns where a log is to be read on once it has been read to its end; nil for the server's word for the
    /// end.
    ///
    /// A log may tell what frames that were sent before its question undo, and what only later frames and answers
    /// put right; the connection or the process may not live to see those. Frames come in their order, so these
    /// tell of events after the last one that had come (ADR 0012).
    package func placeToResume(behind mark: ReadMark) -> Cursor? {
        guard let heard = mark.heard, heard > Self.earliestHeard else { return nil }
        return .moment(heard.advanced(by: -Self.frameSlack))
    }

    /// By how much a frame may tell of something earlier than the one before it: it was overtaken, or the clock of
    /// the machine that dated it is slow.
    private static let frameSlack: Int64 = 2_000
    /// A log can be asked from the first millisecond on.
    private static let earliestHeard = Timestamp(milliseconds: frameSlack)

    /// Notes the time of a frame that is on disk, where the frame names it.
    package mutating func hear(_ moment: Timestamp?) {
        if let moment { session?.hearing?.note(moment, now: now) }
    }

    /// Returns whether a log's cursor has not been set back, nor is being set back.
    package func isUnmoved(_ key: CursorKey, since rewound: Rewindings) -> Bool {
        rewound.underWay == 0 && rewindings[key] ?? rewound == rewound
    }

    /// The mutation that gives a channel's change log its first place, if it has none: the server's time of this
    /// login, which is before anything this connection has brought (scar 2).
    package func firstCursor(of channel: ChannelURL) -> [Mutation] {
        firstCursor(of: channel, before: nil, since: session?.loginAt)
    }

    /// The same for a message that is not of this connection, as the answer to a repeated send: its changes
    /// happened after it was written.
    package func firstCursor(
        of channel: ChannelURL, before message: Message?, since loginAt: Timestamp?
    ) -> [Mutation] {
        guard let loginAt else { return [] }
        let moment = max(min(loginAt, message?.createdAt ?? loginAt), .beginning)
        return [.firstCursor(.messageChanges(channel), .moment(moment))]
    }

    /// The mutation that gives the change log of the user's channels its first place, if it has none: before
    /// anything this process has brought, by any connection and however late.
    package var firstListCursor: [Mutation] {
        guard let firstLoginAt else { return [] }
        return [.firstCursor(.channelChanges, .moment(firstLoginAt))]
    }
}

extension Timestamp {
    /// The earliest moment a change log can be asked for.
    package static let beginning = Timestamp(milliseconds: 1)
}
