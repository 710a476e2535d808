// SPDX-License-Identifier: Apache-2.0

import RoostCore
public import RoostModel

/// The size limit of a cache, and the channels that are evicted when it is exceeded.
///
/// Eviction removes the messages of whole channels, apart from `keptMessages`, until the cache is
/// an eighth below the limit. They are fetched again when the channel is opened. Channels and
/// unsent messages are never evicted. The size is checked after the first login, and from then on
/// as messages arrive.
public struct CacheLimit: Sendable {
    /// Decides which of two channels is evicted first; true if the left one is.
    ///
    /// The comparator must be a strict order, as for `sort(by:)`; a contradictory one gives an
    /// unspecified order. It is called on a thread of the cache: it must be quick and must not call
    /// Roost.
    public typealias Comparator =
        @Sendable (_ left: CachedChannel, _ right: CachedChannel) -> Bool

    /// The order in which channels are evicted.
    public enum Order: Sendable {
        /// The channel whose timeline was opened longest ago first; channels that were never opened
        /// before all others.
        case lastOpened
        /// An order of the app's own; nil means `lastOpened`.
        case custom(Comparator?)
    }

    /// The size at which channels are evicted.
    ///
    /// The least limit is 64 MiB, and smaller values count as 64 MiB. `ByteCount(bytes: .max)`
    /// means no limit. Users and custom types count in the size, and only
    /// `clearCache(includingUnsent:)` removes them. A user takes about 250 bytes, so the limit of a
    /// bot that meets a million users needs 250 MB beside the messages.
    public var maxSize: ByteCount
    /// The order in which channels are evicted.
    public var order: Order
    /// The number of newest messages that eviction leaves in each channel, for its first screen
    /// offline.
    ///
    /// 0, the default, evicts whole channels. With more, the messages kept may hold the
    /// cache above its limit, and a far too large cache shrinks in slices, which takes longer.
    /// `clearCache` and `eraseCache` remove these messages too.
    public var keptMessages: Int

    /// Creates a limit; by default 256 MiB, the channel opened longest ago first, and no messages
    /// kept.
    public init(
        maxSize: ByteCount = ByteCount(mebibytes: 256), order: Order = .lastOpened,
        keptMessages: Int = 0
    ) {
        self.maxSize = maxSize
        self.order = order
        self.keptMessages = keptMessages
    }
}

/// The result of an eviction, or the plan of one.
public struct CacheTrim: Hashable, Sendable {
    /// The channels that lose their messages, in the order of eviction.
    public let channels: [CachedChannel]
    /// The size in use before the eviction; `ChatClient.cacheSize()` has that of the files.
    public let sizeBefore: ByteCount
    /// The size in use after it; an estimate in a plan.
    public let sizeAfter: ByteCount
}

extension CacheLimit {
    var budget: CacheBudget { CacheBudget(maxSize) }

    /// The limit in bytes; nil for none.
    var bytes: Int64? { budget.limit == .max ? nil : budget.limit }

    var clearOrder: ClearOrder {
        switch order {
        case .lastOpened, .custom(nil): .lastOpened
        case .custom(let goesFirst?): ClearOrder(goesFirst)
        }
    }
}
