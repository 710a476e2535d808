// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// The stretch of a channel that a timeline wants to show, answered from the cache in one read.
///
/// An opening timeline asks around a point. A paging one asks for its window and some messages
/// more. The answer is the whole window as of one commit, so no merge is needed.
package struct WindowQuery: Equatable, Sendable {
    package let channel: ChannelURL
    /// The filter of the timeline.
    package let filter: MessageFilter
    /// The required stretch; a point when the timeline opens.
    package let lower: Position
    package let upper: Position
    /// The numbers of messages to add on either side, as far as the covered range reaches.
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

    /// Returns the window around a moment; `.distantFuture` means the newest messages.
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

    /// The number of messages in which the one before a channel's last message is looked for.
    private static let lookBack = 30

    /// Creates the query for the messages before a channel's last message, which is deleted.
    package init(before last: Message) {
        let place = last.position ?? .distantFuture
        self.init(
            channel: last.channelURL, lower: place, upper: place, olderCount: Self.lookBack,
            newerCount: 0)
    }

    /// Whether the requested stretch is a point between messages.
    package var isBetweenMessages: Bool {
        lower == upper && (lower.messageID == MessageID(.min) || lower.messageID == MessageID(.max))
    }

    /// Returns the covered range for the answer; nil if the channel has no coverage.
    ///
    /// It is the range with the point, else the next newer one, else the newest.
    package func range(in coverage: Coverage) -> CoveredRange? {
        coverage.range(containing: upper)
            ?? coverage.range(containing: lower)
            ?? coverage.ranges.first { $0.lower > upper }
            ?? coverage.newest
    }
}

/// The cached part of a window, as of one commit.
package struct CacheWindow: Equatable, Codable, Sendable {
    /// The stretch that the messages fill without a hole; nil without coverage.
    package struct Extent: Hashable, Codable, Sendable {
        /// `.distantPast` if the first message of the channel is included.
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
    /// The coverage under the requested filter.
    package let coverage: Coverage
    /// The last commit that this read contains.
    package let sequence: Int64

    package init(
        extent: Extent?, messages: [Message], coverage: Coverage, sequence: Int64
    ) {
        self.extent = extent
        self.messages = messages
        self.coverage = coverage
        self.sequence = sequence
    }

    /// Computes the extent of a read from its result.
    ///
    /// `older` has the messages before the requested stretch, newest first, and whether the range
    /// has more of them. `inside` has all messages of the stretch, oldest first. `newer` has those
    /// after it like `older`, but oldest first.
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
