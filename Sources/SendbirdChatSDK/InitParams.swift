// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Roost
import RoostDoors
import RoostExecutors

/// The settings of the library, given before the first connection.
public final class InitParams: NSObject {
    /// The application's identifier at the server.
    public let applicationId: String
    /// Whether the cache is on disk; if not, it is in memory and nothing outlives the process.
    public var isLocalCachingEnabled: Bool
    /// Without effect: the library writes no log, and every failure is reported as an error.
    public var logLevel: LogLevel
    /// The version of the app, for the app's own use.
    public var appVersion: String?
    /// The size and encryption of the cache.
    public var localCacheConfig: LocalCacheConfig
    /// The server's address, as `http://host:port` or `https://host`; Roost's own, because there is
    /// no default.
    public var server: String?
    /// The folder of the cache; Roost's own, nil for the system's place.
    public var cacheFolder: String?

    /// Creates settings; only the application ID and the server are required.
    public init(
        applicationId: String, isLocalCachingEnabled: Bool = false, logLevel: LogLevel = .none,
        appVersion: String? = nil, localCacheConfig: LocalCacheConfig = LocalCacheConfig()
    ) {
        self.applicationId = applicationId
        self.isLocalCachingEnabled = isLocalCachingEnabled
        self.logLevel = logLevel
        self.appVersion = appVersion
        self.localCacheConfig = localCacheConfig
    }
}

/// The levels of a log; without effect.
public enum LogLevel: Int, Sendable {
    /// Everything.
    case verbose
    /// For debugging.
    case debug
    /// Information.
    case info
    /// Warnings.
    case warning
    /// Errors.
    case error
    /// Nothing.
    case none
}

/// The size limit, the eviction order and the encryption of the cache.
public final class LocalCacheConfig: NSObject {
    /// The order in which channels lose their messages at the limit.
    public enum ClearOrder: Int, Sendable {
        /// The channel whose collection was made longest ago first.
        case messageCollectionAccessedAt
        /// The order of `customClearOrderComparator`.
        case custom
    }

    /// The limit in megabytes of 1,048,576 bytes; values below 64 count as 64.
    public var maxSize: Int64 {
        get { size }
        set { size = max(newValue, Self.minimumSize) }
    }
    /// The order of eviction.
    public var clearOrder: ClearOrder
    /// The comparator of `.custom`; the channel that sorts first is evicted first.
    ///
    /// It is called on a thread of the cache.
    public var customClearOrderComparator:
        ((CachedBaseChannelInfo, CachedBaseChannelInfo) -> ComparisonResult)?
    /// Whether the cache is encrypted; on Apple platforms the stronger file protection is on as
    /// well.
    public var isEncryptionEnabled: Bool

    private static let minimumSize: Int64 = 64
    private var size: Int64

    /// Creates settings; by default 256 MB, not encrypted.
    public init(
        isEncryptionEnabled: Bool = false, maxSize: Int64 = 256,
        clearOrder: ClearOrder = .messageCollectionAccessedAt,
        customClearOrderComparator: (
            (CachedBaseChannelInfo, CachedBaseChannelInfo) -> ComparisonResult
        )? = nil
    ) {
        self.isEncryptionEnabled = isEncryptionEnabled
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
    var limit: CacheLimit {
        guard clearOrder == .custom, let comparator = customClearOrderComparator else {
            return CacheLimit(maxSize: maxSize)
        }
        let carried = Carried(comparator)
        return CacheLimit(
            maxSize: maxSize,
            order: .custom { left, right in
                carried.value(CachedBaseChannelInfo(left), CachedBaseChannelInfo(right))
                    == .orderedAscending
            })
    }
}

extension InitParams {
    var settings: Door.Settings {
        let folder = cacheFolder ?? Door.standardFolder
        var settings = Door.Settings(
            applicationID: applicationId,
            cache: isLocalCachingEnabled ? .folder(folder) : .memory)
        settings.server = server
        settings.limit = localCacheConfig.limit
        guard isLocalCachingEnabled else { return settings }
        // A cache that an earlier release sealed is opened with its key, whatever this
        // configuration says.
        let keys = folder + "-keys"
        if localCacheConfig.isEncryptionEnabled {
            settings.protection = .keyFile(in: keys)
            settings.locksFilesWithDevice = true
        } else if FileManager.default.fileExists(atPath: keys) {
            settings.protection = Protection.keyFile(in: keys).takenOff()
        }
        return settings
    }
}
