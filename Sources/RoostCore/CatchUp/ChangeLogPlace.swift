// SPDX-License-Identifier: Apache-2.0

package import RoostModel

// The places of the change logs.
//
// Places are the server's own tokens: only the server can compare them. A log that was read to its
// end is read again from a moment that is certainly early enough (ADR 0012).

/// A place of a change log, with its known times.
package struct ChangeLogPlace: Equatable, Codable, Sendable {
    package var cursor: Cursor
    /// The moment before which everything has been read; nil if it is unknown.
    package var moment: Timestamp?
    /// The time of the last frame before the reading that led to this place.
    package var framesUntil: Timestamp?
}

/// The number of times that a change log's cursor was rewound.
package struct Rewindings: Equatable, Codable, Sendable {
    package var underWay = 0
    package var done = 0

    package init() {}
}

extension SyncState {
    /// Returns the known times of a place from which a log is to be read.
    package func logPlace(at cursor: Cursor, of key: CursorKey) -> ChangeLogPlace {
        var place = ChangeLogPlace(cursor: cursor)
        if case .moment(let moment) = cursor {
            place.moment = moment
        } else if let known = logPlaces[key], known.cursor == cursor {
            place = known
        }
        // Frames of the connection in which an earlier reading was cut off may have been lost, too.
        place.framesUntil = [place.framesUntil, session?.frameClock?.until].compactMap { $0 }.min()
        return place
    }

    /// Returns the place from which a log is read on after its end; nil for the server's token of
    /// the end.
    ///
    /// A log may contain changes that late frames undo and that only later frames and answers
    /// correct, after the end of this connection or process. Frames come in order, so the late ones
    /// report events after the last received frame (ADR 0012).
    package func placeToResume(behind place: ChangeLogPlace) -> Cursor? {
        guard let last = place.framesUntil, last > Self.earliestFrame else { return nil }
        return .moment(last.advanced(by: -Self.frameSlack))
    }

    /// The most by which a frame may be older than the frame before it: it was overtaken, or the
    /// clock of the machine that dated it is slow.
    private static let frameSlack: Int64 = 2_000
    /// The earliest moment after which a log can be requested with slack.
    private static let earliestFrame = Timestamp(milliseconds: frameSlack)

    /// Notes the time of a frame that is on disk, if the frame names it.
    package mutating func noteFrame(at moment: Timestamp?) {
        if let moment { session?.frameClock?.note(moment, now: now) }
    }

    /// Returns whether a log's cursor has not been rewound, nor is being rewound.
    package func isUnmoved(_ key: CursorKey, since rewound: Rewindings) -> Bool {
        rewound.underWay == 0 && rewindings[key] ?? rewound == rewound
    }

    /// Returns the mutation that gives a channel's change log its first place, if it has none: the
    /// server's time of this login, which is before all data of this connection (scar 2).
    package func firstCursor(of channel: ChannelURL) -> [Mutation] {
        firstCursor(of: channel, before: nil, since: session?.loginAt)
    }

    /// Returns the same for a message of an earlier time, as in the answer to a repeated send: its
    /// changes are later than the message.
    package func firstCursor(
        of channel: ChannelURL, before message: Message?, since loginAt: Timestamp?
    ) -> [Mutation] {
        guard let loginAt else { return [] }
        let moment = max(min(loginAt, message?.createdAt ?? loginAt), .beginning)
        return [.firstCursor(.messageChanges(channel), .moment(moment))]
    }

    /// The mutation that gives the change log of the user's channels its first place, if it has
    /// none: before all data of this process, of any connection.
    package var firstListCursor: [Mutation] {
        guard let firstLoginAt else { return [] }
        return [.firstCursor(.channelChanges, .moment(firstLoginAt))]
    }
}

extension Timestamp {
    /// The earliest moment for a request of a change log.
    package static let beginning = Timestamp(milliseconds: 1)
}
