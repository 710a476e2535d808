// SPDX-License-Identifier: Apache-2.0

// The stretches of a channel's history that the cache lacks.
//
// One function decides on them, for searches and for the list of holes, so that both agree. The
// part behind the newest range is known only during a connection: the server has named the end of
// the channel, and later messages come live.

package import RoostModel

/// A stretch of a channel's history that is missing in the cache; both ends belong to it.
package struct HistoryGap: Hashable, Codable, Sendable {
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
    /// `.distantPast` if the gap reaches to the start of history.
    package let lower: Position
    /// `.distantFuture` if the gap reaches to the end of history.
    package let upper: Position

    package init(_ place: Place, from lower: Position, through upper: Position) {
        self.place = place
        self.lower = lower
        self.upper = upper
    }
}

extension Coverage {
    /// Returns the stretches that the cache lacks, oldest first.
    ///
    /// `liveEnd` is the position behind which every message of the server comes live; nil without a
    /// connection, and before the channel is caught up on it. The end of history is known only if
    /// the newest range reaches this position, because its messages may have been evicted.
    package func gaps(liveEnd: Position?) -> [HistoryGap] {
        guard let newest else {
            return [HistoryGap(.everything, from: .distantPast, through: .distantFuture)]
        }
        var gaps = holes.map { hole in
            HistoryGap(
                hole.lower == .distantPast ? .beginning : .between, from: hole.lower,
                through: hole.upper)
        }
        let end = newest.upper.next
        let isEndKnown = end == .distantFuture || liveEnd.map { newest.upper >= $0 } == true
        if !isEndKnown { gaps.append(HistoryGap(.end, from: end, through: .distantFuture)) }
        return gaps
    }
}

/// The number of messages in a gap, as far as the server has counted them.
package enum GapSize: Hashable, Codable, Sendable {
    case exactly(Int)
    case atLeast(Int)
    case atMost(Int)
    case unknown
}
