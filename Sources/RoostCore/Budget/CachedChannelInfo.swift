// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// What a channel weighs in the cache; what a clear order may look at.
package struct CachedChannelInfo: Hashable, Sendable {
    package let url: ChannelURL
    package let cachedMessageCount: Int64
    /// What its messages take in a packed file, their share of every index included.
    package let byteCount: Int64
    /// When a collection of it was last opened, on any clock that only grows; nil for never.
    package let accessedAt: Int64?
    /// When its newest message was written; nil without one.
    package let lastMessageAt: Timestamp?
    /// Never evicted, however large.
    package let isPinned: Bool
    /// A collection of it is open at this moment, so its messages are on a screen.
    package let isOpen: Bool

    /// Counts below zero, which only a damaged row can hold, become zero.
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
