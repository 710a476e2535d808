// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// The figures of a cached channel, by which a clear order decides.
package struct CachedChannelInfo: Hashable, Codable, Sendable {
    package let url: ChannelURL
    package let cachedMessageCount: Int64
    /// The size of its messages in a packed file, with their share of every index.
    package let byteCount: Int64
    /// The time at which a collection of the channel was last opened, on any clock that only grows;
    /// nil for never.
    package let accessedAt: Int64?
    /// The time of its newest message; nil without one.
    package let lastMessageAt: Timestamp?
    /// Whether the channel is never evicted.
    package let isPinned: Bool
    /// Whether a collection of the channel is open, so that its messages are on a screen.
    package let isOpen: Bool

    /// Makes the figures; negative counts, which only a damaged row can have, become zero.
    package init(
        url: ChannelURL, cachedMessageCount: Int64, byteCount: Int64, accessedAt: Int64? = nil,
        lastMessageAt: Timestamp? = nil, isPinned: Bool = false, isOpen: Bool = false
    ) {
        self.url = url
        self.cachedMessageCount = max(cachedMessageCount, 0)
        self.byteCount = max(byteCount, 0)
        self.accessedAt = accessedAt
        self.lastMessageAt = lastMessageAt
        self.isPinned = isPinned
        self.isOpen = isOpen
    }
}
