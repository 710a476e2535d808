// SPDX-License-Identifier: Apache-2.0

import RoostCore
public import RoostModel

/// How large a cache may become, and what goes when it is too large.
///
/// At the limit whole channels lose their cached messages, but for those they keep, until the cache is an eighth below it; they are
/// fetched again when somebody opens the channel. Channels themselves and unsent messages never go.
/// Checked after the first login and from then on as messages come.
public struct CacheLimit: Sendable {
    /// Decides which of two channels loses its messages first.
    ///
    /// Says true when the left one goes before the right one, as for `sort(by:)`; one that contradicts
    /// itself gives some order. Called on a thread of the cache's: be quick, and call nothing of Roost.
    public typealias Comparator =
        @Sendable (_ left: CachedChannel, _ right: CachedChannel) -> Bool

    public enum Order: Sendable {
        /// The channel whose timeline was opened longest ago goes first, never opened ones before all.
        case lastOpened
        /// The app's own order; without a comparator it is `lastOpened`.
        case custom(Comparator?)
    }

    /// In megabytes of 1,048,576 bytes.
    ///
    /// At least 64: less is taken for 64. `Int64.max` is no limit.
    public var maxSize: Int64
    public var order: Order
    /// How many of its newest messages each channel keeps, so that its first screen is there offline.
    ///
    /// 0, the default, is none: whole channels go (R120). With more, what the channels keep may hold the
    /// cache above its limit, and a cache that is much too large gets smaller in slices only, which takes
    /// longer. `clearCache` and `eraseCache` take them too.
    public var keptMessages: Int

    public init(maxSize: Int64 = 256, order: Order = .lastOpened, keptMessages: Int = 0) {
        self.maxSize = maxSize
        self.order = order
        self.keptMessages = keptMessages
    }
}

/// What a channel weighs in the cache.
public struct CachedChannel: Hashable, Sendable {
    public let url: ChannelURL
    public let cachedMessageCount: Int64
    /// About what its messages take on disk.
    public let byteCount: Int64
    /// When its timeline was last opened, on the device's clock; nil for never.
    public let openedAt: Timestamp?
    public let lastMessageAt: Timestamp?
    /// A pinned channel is never evicted.
    public let isPinned: Bool
    /// Whether a timeline of it is open now.
    public let isOpen: Bool
}

/// What making the cache smaller takes, or took.
public struct CacheTrim: Hashable, Sendable {
    /// The channels that lose their messages, in the order in which they go.
    public let channels: [CachedChannel]
    /// Bytes in use before.
    public let sizeBefore: Int64
    /// Bytes in use afterwards; of a plan, what is expected.
    public let sizeAfter: Int64
}

extension CacheLimit {
    var budget: CacheBudget { CacheBudget(megabytes: maxSize) }

    var clearOrder: ClearOrder {
        switch order {
        case .lastOpened, .custom(nil): .messageCollectionAccessedAt
        case .custom(let goesFirst?):
            .custom { left, right in
                let (left, right) = (CachedChannel(left), CachedChannel(right))
                if goesFirst(left, right) { return .leftFirst }
                return goesFirst(right, left) ? .rightFirst : .same
            }
        }
    }
}

extension CachedChannel {
    init(_ info: CachedChannelInfo) {
        self.init(
            url: info.url, cachedMessageCount: info.cachedMessageCount, byteCount: info.byteCount,
            openedAt: info.accessedAt.map { Timestamp(milliseconds: $0) },
            lastMessageAt: info.lastMessageAt, isPinned: info.isPinned, isOpen: info.isOpen)
    }
}
