// SPDX-License-Identifier: Apache-2.0

// The stretches of a channel's history that the cache lacks.
//
// One function decides on them, for searches and for the list of holes, so that both agree. The
// part behind the newest range is known only during a connection: the server has named the end of
// the channel, and later messages come live.

package import RoostModel

/// A stretch of a channel's history that is missing in the cache; both ends belong to it.
package struct Hole: Hashable, Codable, Sendable {
    package enum Place: Hashable, Codable, Sendable {
        /// The channel has no coverage.
        case everything
        /// Before the oldest covered message.
        case beginning
        /// Between two covered ranges.
        case between
        /// After the newest covered message.
        case end
    }

    package let place: Place
    /// `.distantPast` if the hole reaches to the start of history.
    package let lower: Position
    /// `.distantFuture` if the hole reaches to the end of history.
    package let upper: Position

    package init(_ place: Place, from lower: Position, through upper: Position) {
        self.place = place
        self.lower = lower
        self.upper = upper
    }
}

extension Coverage {
    /// The stretches between the ranges, and the one before the oldest unless history starts there.
    ///
    /// The stretch after the newest range is not listed: only a live connection can know its end.
    package var holes: [Hole] {
        var holes: [Hole] = []
        var from = Position.distantPast
        for range in ranges {
            if range.lower > from {
                let place: Hole.Place = from == .distantPast ? .beginning : .between
                holes.append(Hole(place, from: from, through: range.lower.previous))
            }
            from = range.upper.next
        }
        return holes
    }

    /// Returns the stretches that the cache lacks, oldest first.
    ///
    /// `liveEnd` is the position behind which every message of the server comes live; nil without a
    /// connection, and before the channel is caught up on it. The end of history is known only if
    /// the newest range reaches this position, because its messages may have been evicted.
    package func holes(liveEnd: Position?) -> [Hole] {
        guard let newest else {
            return [Hole(.everything, from: .distantPast, through: .distantFuture)]
        }
        let end = newest.upper.next
        let isEndKnown = end == .distantFuture || liveEnd.map { newest.upper >= $0 } == true
        if isEndKnown { return holes }
        return holes + [Hole(.end, from: end, through: .distantFuture)]
    }
}

/// The number of messages in a hole, as far as the server has counted them.
package enum HoleSize: Hashable, Codable, Sendable {
    case exactly(Int)
    case atLeast(Int)
    case atMost(Int)
    case unknown
}
