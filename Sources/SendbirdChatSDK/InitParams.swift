// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Roost
import RoostDoors
import RoostExecutors

/// What the library has to know before anybody connects.
public final class InitParams: NSObject {
    public let applicationId: String
    /// Off, collections work all the same and nothing outlives the process.
    public var isLocalCachingEnabled: Bool
    /// Kept for the app; nothing is logged, every failure comes as an error.
    public var logLevel: LogLevel
    public var appVersion: String?
    public var localCacheConfig: LocalCacheConfig
    /// The server, as `http://host:port` or `https://host`; Roost's own, for there is no default one.
    public var server: String?
    /// Where the cache lies; Roost's own, nil for the system's place.
    public var cacheFolder: String?

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

public enum LogLevel: Int, Sendable {
    case verbose
    case debug
    case info
    case warning
    case error
    case none
}

/// How much of the disk the cache may take, what goes first, and whether it is encrypted.
public final class LocalCacheConfig: NSObject {
    /// Which channel's messages go first; `.messageCollectionAccessedAt` unless the app decides.
    public enum ClearOrder: Int, Sendable {
        case messageCollectionAccessedAt
        case custom
    }

    /// In megabytes; at least 64, less is taken for 64.
    public var maxSize: Int64 {
        get { size }
        set { size = max(newValue, Self.minimumSize) }
    }
    public var clearOrder: ClearOrder
    /// With `.custom` the smaller one goes first.
    ///
    /// Called on a thread of the cache's.
    public var customClearOrderComparator:
        ((CachedBaseChannelInfo, CachedBaseChannelInfo) -> ComparisonResult)?
    /// On Apple platforms the stronger file protection; everywhere the content is sealed besides.
    public var isEncryptionEnabled: Bool

    private static let minimumSize: Int64 = 64
    private var size: Int64

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

/// What a channel weighs in the cache.
public final class CachedBaseChannelInfo: NSObject {
    public let channelURL: String
    public let cachedMessageCount: Int64
    /// When its message collection was last made, in milliseconds; 0 for never.
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
        // What a release before sealed is opened again, whatever this one wants.
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
