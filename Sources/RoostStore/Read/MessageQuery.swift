// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// A query of a channel's cached messages by range, filter and order (R8).
///
/// The result has at most `limit` cached messages and says nothing about holes between them. The
/// coverage and the windows of timelines know the holes.
package struct MessageQuery: Equatable, Sendable {
    package var channel: ChannelURL
    package var filter: MessageFilter
    /// The range of positions to read, both ends included.
    package var lower: Position
    package var upper: Position
    package var newestFirst: Bool
    package var limit: Int

    package init(
        in channel: ChannelURL, filter: MessageFilter = .everything,
        from lower: Position = .distantPast, through upper: Position = .distantFuture,
        newestFirst: Bool = true, limit: Int
    ) {
        self.channel = channel
        self.filter = filter.normalized
        self.lower = lower
        self.upper = upper
        self.newestFirst = newestFirst
        self.limit = limit
    }
}
