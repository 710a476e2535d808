// SPDX-License-Identifier: Apache-2.0

// The periods that a search over the cache could not see.
//
// An empty answer over a cache with holes would be wrong without naming them. Periods are closed at
// both ends, in milliseconds of the server, and both ends may have seen messages: a hole between
// two messages of one millisecond is a period of that millisecond.

package import RoostModel

/// The coverage of one searched channel.
package struct SearchedChannel: Equatable, Sendable {
    package let url: ChannelURL
    package let coverage: Coverage
    /// The position behind which every message of the server comes live; nil without a connection,
    /// and before the channel is caught up on it.
    package var liveEnd: Position?
    /// The moment before which the server shows nothing to this member; nil if it shows everything.
    package let visibleFrom: Timestamp?
    /// The newest cached message that is not in the index yet; nil if there is none.
    package let newestUnindexed: Timestamp?

    package init(
        url: ChannelURL, coverage: Coverage, liveEnd: Position? = nil,
        visibleFrom: Timestamp? = nil, newestUnindexed: Timestamp? = nil
    ) {
        self.url = url
        self.coverage = coverage
        self.liveEnd = liveEnd
        self.visibleFrom = visibleFrom
        self.newestUnindexed = newestUnindexed
    }
}

/// A period of one channel that may have messages outside the search.
package struct UnseenPeriod: Equatable, Sendable {
    package enum Reason: Equatable, Sendable {
        /// The cache lacks the messages; paging there fetches them.
        case notCached
        /// The index is being built and has not reached the messages.
        case notIndexed
    }

    package let channel: ChannelURL
    /// `.distantPast` if it reaches to the unknown start of history.
    package let from: Timestamp
    /// `.distantFuture` if it reaches to the newest message.
    package let through: Timestamp
    package let reason: Reason

    package init(
        channel: ChannelURL, from: Timestamp, through: Timestamp, reason: Reason
    ) {
        self.channel = channel
        self.from = from
        self.through = through
        self.reason = reason
    }
}

extension SearchedChannel {
    /// The stretches that the cache lacks and the member may see, oldest first.
    package var holes: [Hole] {
        let holes = coverage.holes(liveEnd: liveEnd)
        guard let visibleFrom else { return holes }
        return holes.filter { $0.upper.createdAt >= visibleFrom }
    }

    /// Returns the unseen periods of this channel between two moments, both included, oldest first.
    ///
    /// - Returns: Empty if every message of that time was searched. Periods do not overlap and do
    ///   not touch unless their reasons differ.
    package func unseen(from: Timestamp, through: Timestamp) -> [UnseenPeriod] {
        let start = max(from, visibleFrom ?? .distantPast)
        guard start <= through else { return [] }
        let missing = UnseenPeriod.Reason.notCached
        var stretches = holes.map { hole in
            (place: hole.lower, through: hole.upper.createdAt, reason: missing)
        }
        if let newestUnindexed {
            for range in coverage.ranges where range.lower.createdAt <= newestUnindexed {
                stretches.append(
                    (range.lower, min(range.upper.createdAt, newestUnindexed), .notIndexed))
            }
            // The ranges lie between the holes.
            stretches.sort { $0.place < $1.place }
        }
        var periods: [UnseenPeriod] = []
        for stretch in stretches {
            let lower = max(stretch.place.createdAt, start)
            let upper = min(stretch.through, through)
            guard lower <= upper else { continue }
            if let last = periods.last, last.reason == stretch.reason, last.through >= lower {
                periods[periods.count - 1] = UnseenPeriod(
                    channel: url, from: last.from, through: max(last.through, upper),
                    reason: last.reason)
            } else {
                periods.append(
                    UnseenPeriod(channel: url, from: lower, through: upper, reason: stretch.reason))
            }
        }
        return periods
    }
}

/// The completeness of a search.
package enum SearchSight: Equatable, Sendable {
    /// Every message of the requested channels and time was searched: no hit means that there is
    /// none.
    case complete
    /// All but these periods: no hit means only that none is known.
    case partial([UnseenPeriod])

    /// Makes the completeness of a search in these channels between these moments, both included.
    package init(
        of channels: [SearchedChannel], from: Timestamp = .distantPast,
        through: Timestamp = .distantFuture
    ) {
        let periods = channels.flatMap { $0.unseen(from: from, through: through) }
        self = periods.isEmpty ? .complete : .partial(periods)
    }
}
