// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// Which stretch of a channel a timeline wants to see, to be answered from the cache in one read.
///
/// A timeline that opens asks around a point; one that pages asks for what it shows and some more.
/// The answer always holds the whole window as of one commit, so that nothing has to be merged.
package struct WindowQuery: Hashable, Sendable {
    package let channel: ChannelURL
    /// Which messages the timeline shows.
    package let filter: MessageFilter
    /// The stretch that must be in the answer; a point when the timeline opens.
    package let lower: Position
    package let upper: Position
    /// How many messages to add on either side, as far as the covered range goes.
    package let olderCount: Int
    package let newerCount: Int

    package init(
        channel: ChannelURL, filter: MessageFilter = .everything, lower: Position, upper: Position,
        olderCount: Int, newerCount: Int
    ) {
        self.channel = channel
        self.filter = filter.normalized
        self.lower = lower
        self.upper = upper
        self.olderCount = olderCount
        self.newerCount = newerCount
    }

    /// The window around a moment; `.distantFuture` means the newest messages.
    package static func around(
        _ moment: Timestamp, in channel: ChannelURL, filter: MessageFilter = .everything,
        olderCount: Int, newerCount: Int
    ) -> WindowQuery {
        let point =
            moment == .distantFuture
            ? Position.distantFuture
            : Position(createdAt: moment, messageID: MessageID(.min))
        return WindowQuery(
            channel: channel, filter: filter, lower: point, upper: point, olderCount: olderCount,
            newerCount: newerCount)
    }

    /// Whether the asked stretch is a point at which no message can stand.
    package var isBetweenMessages: Bool {
        lower == upper && (lower.messageID == MessageID(.min) || lower.messageID == MessageID(.max))
    }

    /// The covered range to answer from; nil when nothing is known of the channel.
    ///
    /// It is the one that holds the point, else the next newer one, else the newest.
    package func range(in coverage: Coverage) -> CoveredRange? {
        coverage.range(containing: upper)
            ?? coverage.range(containing: lower)
            ?? coverage.ranges.first { $0.lower > upper }
            ?? coverage.newest
    }
}

/// What the cache holds of a window, as of one commit.
package struct CacheWindow: Hashable, Sendable {
    /// The stretch the messages fill without a hole; nil when nothing is known.
    package struct Extent: Hashable, Sendable {
        /// `.distantPast` when the first message of the channel is among them.
        package let lower: Position
        package let upper: Position

        package init(lower: Position, upper: Position) {
            self.lower = lower
            self.upper = upper
        }
    }

    package let extent: Extent?
    /// Oldest first; all of them inside `extent`.
    package let messages: [Message]
    /// What is known under the filter asked for.
    package let coverage: Coverage
    /// The last commit this read has seen.
    package let sequence: Int64

    package init(
        extent: Extent?, messages: [Message], coverage: Coverage, sequence: Int64
    ) {
        self.extent = extent
        self.messages = messages
        self.coverage = coverage
        self.sequence = sequence
    }

    /// Works out how far a read reaches from what it found.
    ///
    /// `older` holds the messages before the asked stretch, newest first, and whether the range has
    /// more of them; `inside` holds all messages of the stretch, oldest first, and `newer` those after
    /// it like `older`, but oldest first.
    package init(
        range: CoveredRange, older: (messages: [Message], hasMore: Bool), inside: [Message],
        newer: (messages: [Message], hasMore: Bool), coverage: Coverage, sequence: Int64
    ) {
        var messages = older.messages
        messages.reverse()
        messages += inside
        messages += newer.messages
        let oldest = messages.first?.position ?? range.upper
        let newest = messages.last?.position ?? range.lower
        let lower = older.hasMore ? oldest : range.lower
        let upper = newer.hasMore ? newest : range.upper
        self.init(
            extent: Extent(lower: min(lower, upper), upper: upper), messages: messages,
            coverage: coverage, sequence: sequence)
    }
}
