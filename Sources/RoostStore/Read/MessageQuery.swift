// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// A query of the cached messages of a channel, as of a database (R8).
///
/// The result contains cached messages only and ignores holes. For the holes, ask for the coverage
/// too, or for a window.
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
