// SPDX-License-Identifier: Apache-2.0

/// The size and state of a channel in the cache.
public struct CachedChannel: Hashable, Codable, Sendable {
    /// The channel.
    public let url: ChannelURL
    /// The number of cached messages.
    public let cachedMessageCount: Int64
    /// The approximate size of the messages on disk.
    ///
    /// It is the size in a packed file, with the messages' share of every index.
    public let size: ByteCount
    /// The time its timeline was last opened, by the device's clock; nil if never.
    public let openedAt: Timestamp?
    /// The time of the last message by the server's clock; nil without one.
    public let lastMessageAt: Timestamp?
    /// Whether the channel is pinned, so that it is never evicted.
    public let isPinned: Bool
    /// Whether a timeline of the channel is open now.
    public let isOpen: Bool

    /// Makes the figures; negative counts, which only a damaged row can have, become zero.
    package init(
        url: ChannelURL, cachedMessageCount: Int64, size: ByteCount, openedAt: Timestamp? = nil,
        lastMessageAt: Timestamp? = nil, isPinned: Bool = false, isOpen: Bool = false
    ) {
        self.url = url
        self.cachedMessageCount = max(cachedMessageCount, 0)
        self.size = max(size, ByteCount(bytes: 0))
        self.openedAt = openedAt
        self.lastMessageAt = lastMessageAt
        self.isPinned = isPinned
        self.isOpen = isOpen
    }
}
