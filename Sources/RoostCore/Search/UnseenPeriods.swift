// SPDX-License-Identifier: Apache-2.0

// What a search over the cache could not see.
//
// An empty answer over a cache with holes is a lie unless it names them. Periods are closed at both
// ends, in milliseconds of the server, and both ends may hold messages that were seen: a hole between
// two messages of one millisecond is a period of that millisecond.

package import RoostModel

/// What is known of one channel that was searched.
package struct SearchedChannel: Hashable, Sendable {
    package let url: ChannelURL
    package let coverage: Coverage
    /// The link is up and the channel has caught up: after the newest range there is nothing.
    package var isLive: Bool
    /// Before this moment the server shows nothing to this member; nil when it shows everything.
    package let visibleFrom: Timestamp?
    /// The newest message that the cache holds and the index does not yet; nil when it has all.
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

/// A period of one channel in which there may be messages that a search has not seen.
package struct UnseenPeriod: Hashable, Sendable {
    package enum Reason: Hashable, Sendable {
        /// The cache has not got these messages; paging there fetches them.
        case notCached
        /// The index is being built and has not come this far.
        case notIndexed
    }

    package let channel: ChannelURL
    /// `.distantPast` when it reaches to the unknown start of history.
    package let from: Timestamp
    /// `.distantFuture` when it reaches to whatever was written last.
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
    /// What could not be seen of this channel between two moments, both included, oldest first.
    ///
    /// - Returns: Empty when every message of that time was looked at. Periods do not overlap and do
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

/// How much of what was asked for a search has seen.
package enum SearchSight: Hashable, Sendable {
    /// Every message of the channels and the time asked for: no hit means that there is none.
    case complete
    /// All but these: no hit means only that none is known.
    case partial([UnseenPeriod])

    /// What a search in these channels and between these moments, both included, could see.
    package init(
        of channels: [SearchedChannel], from: Timestamp = .distantPast,
        through: Timestamp = .distantFuture
    ) {
        let periods = channels.flatMap { $0.unseen(from: from, through: through) }
        self = periods.isEmpty ? .complete : .partial(periods)
    }
}
