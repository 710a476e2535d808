// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Roost
import RoostExecutors
import RoostModel

/// The order in which channels lose their messages at the limit of the cache.
public enum CachedDataClearOrder: Int, Sendable {
    /// The channel whose collection was made longest ago first.
    case messageCollectionAccessedAt
    /// The order of `LocalCacheConfig.customClearOrderComparator`.
    case custom
}

/// The size limit, the eviction order and the encryption of the cache.
public final class LocalCacheConfig: NSObject {
    /// The limit in megabytes of 1,048,576 bytes; values below 64 count as 64.
    public var maxSize: Int64 {
        get { size }
        set { size = max(newValue, Self.minimumSize) }
    }
    /// The order of eviction.
    public var clearOrder: CachedDataClearOrder
    /// The comparator of `.custom`; the channel that sorts first is evicted first.
    ///
    /// It is called on a thread of the cache.
    public var customClearOrderComparator:
        ((CachedBaseChannelInfo, CachedBaseChannelInfo) -> ComparisonResult)?
    /// Whether the cache is encrypted; on Apple platforms the stronger file protection is on as
    /// well.
    public var isEncryptionEnabled: Bool
    /// Whether messages that cannot be sent wait for a connection, also in a later run of the app;
    /// if not, they fail.
    public let enableAutoResend: Bool

    private static let minimumSize: Int64 = 64
    private var size: Int64

    /// Creates settings; by default 256 MB, not encrypted.
    ///
    /// - Parameters:
    ///   - isEncryptionEnabled: Whether the cache is encrypted.
    ///   - enableAutoResend: Whether messages that cannot be sent wait for a connection.
    ///   - maxSize: The limit in megabytes.
    ///   - clearOrder: The order of eviction.
    ///   - customClearOrderComparator: The comparator of `.custom`.
    public init(
        isEncryptionEnabled: Bool = false, enableAutoResend: Bool = true, maxSize: Int64 = 256,
        clearOrder: CachedDataClearOrder = .messageCollectionAccessedAt,
        customClearOrderComparator: (
            (CachedBaseChannelInfo, CachedBaseChannelInfo) -> ComparisonResult
        )? = nil
    ) {
        self.isEncryptionEnabled = isEncryptionEnabled
        self.enableAutoResend = enableAutoResend
        size = max(maxSize, Self.minimumSize)
        self.clearOrder = clearOrder
        self.customClearOrderComparator = customClearOrderComparator
    }
}

/// The size and state of a channel in the cache.
public final class CachedBaseChannelInfo: NSObject {
    /// The channel.
    public let channelURL: String
    /// The number of cached messages.
    public let cachedMessageCount: Int64
    /// The time its message collection was last made, in milliseconds; 0 for never.
    public let messageCollectionAccessedAt: Int64

    init(_ channel: CachedChannel) {
        channelURL = channel.url.rawValue
        cachedMessageCount = channel.cachedMessageCount
        messageCollectionAccessedAt = channel.openedAt?.milliseconds ?? 0
    }
}

extension LocalCacheConfig {
    var isCustom: Bool { clearOrder == .custom && customClearOrderComparator != nil }

    var limit: CacheLimit {
        guard clearOrder == .custom, let comparator = customClearOrderComparator else {
            return CacheLimit(maxSize: ByteCount(mebibytes: maxSize))
        }
        // The configuration lives as long as its comparator, so that its identity stays its own.
        let carried = Carried((compare: comparator, owner: self))
        return CacheLimit(
            maxSize: ByteCount(mebibytes: maxSize),
            order: .custom { left, right in
                carried.value.compare(CachedBaseChannelInfo(left), CachedBaseChannelInfo(right))
                    == .orderedAscending
            })
    }
}
