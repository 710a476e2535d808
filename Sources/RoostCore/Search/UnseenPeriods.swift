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
    /// Whether the link is up and the channel has caught up, so that no message is after the newest
    /// range.
    package var isLive: Bool
    /// The moment before which the server shows nothing to this member; nil if it shows everything.
    package let visibleFrom: Timestamp?
    /// The newest cached message that is not in the index yet; nil if there is none.
    package let newestUnindexed: Timestamp?

    package init(
        url: ChannelURL, coverage: Coverage, isLive: Bool, visibleFrom: Timestamp? = nil,
        newestUnindexed: Timestamp? = nil
    ) {
        self.url = url
        self.coverage = coverage
        self.isLive = isLive
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
    /// Returns the unseen periods of this channel between two moments, both included, oldest first.
    ///
    /// - Returns: Empty if every message of that time was searched. Periods do not overlap and do
    ///   not touch unless their reasons differ.
    package func unseen(from: Timestamp, through: Timestamp) -> [UnseenPeriod] {
        let start = max(from, visibleFrom ?? .distantPast)
        guard start <= through else { return [] }
        var periods: [UnseenPeriod] = []
        func note(_ lower: Timestamp, _ upper: Timestamp, _ reason: UnseenPeriod.Reason) {
            let (lower, upper) = (max(lower, start), min(upper, through))
            guard lower <= upper else { return }
            if let last = periods.last, last.reason == reason, last.through >= lower {
                periods[periods.count - 1] = UnseenPeriod(
                    channel: url, from: last.from, through: max(last.through, upper),
                    reason: reason)
            } else {
                periods.append(
                    UnseenPeriod(channel: url, from: lower, through: upper, reason: reason))
            }
        }
        var next = Position.distantPast
        for range in coverage.ranges {
            if range.lower > next {
                note(next.createdAt, range.lower.previous.createdAt, .notCached)
            }
            if let newestUnindexed, range.lower.createdAt <= newestUnindexed {
                note(
                    range.lower.createdAt, min(range.upper.createdAt, newestUnindexed), .notIndexed)
            }
            next = range.upper.next
        }
        let isEndKnown = isLive && !coverage.isEmpty || next == .distantFuture
        if !isEndKnown { note(next.createdAt, .distantFuture, .notCached) }
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
