// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Roost
import RoostDoors
import RoostModel

/// The settings of the library, given before the first connection.
public final class InitParams: NSObject, NSCopying {
    /// The application's identifier at the server.
    public var applicationId: String
    /// Whether the cache is on disk; if not, it is in memory and nothing outlives the process.
    ///
    /// Messages wait for a connection only with a cache on disk, and with
    /// `LocalCacheConfig.enableAutoResend`; otherwise a message that cannot be sent fails.
    public var isLocalCachingEnabled: Bool
    /// The size and encryption of the cache; nil for the defaults.
    public var localCacheConfig: LocalCacheConfig?
    /// The level of the log, as `SendbirdChat.setLogLevel(_:)` sets it; `.none` by default.
    public var logLevel: LogLevel
    /// The version of the app, which the client names at each login.
    public var appVersion: String?
    /// Without effect: `initialize` never blocks, because the first login opens the cache.
    public var needsSynchronous: Bool
    /// The server's address, as `http://host:port` or `https://host`; there is no default.
    ///
    /// Plain `http` is for a server on this machine: the first connection to any other one fails.
    public var apiHost: String?
    /// The address for sockets, which must be on the host of `apiHost`; nil takes that host.
    public var wsHost: String?
    /// The folder of the cache; Roost's own, nil for the system's place.
    public var cacheFolder: String?

    /// The server's address; another name of `apiHost`, Roost's own.
    public var server: String? {
        get { apiHost }
        set { apiHost = newValue }
    }

    /// Creates settings; only the application ID and the server are required.
    public init(
        applicationId: String, isLocalCachingEnabled: Bool = false,
        localCacheConfig: LocalCacheConfig? = nil, logLevel: LogLevel = .none,
        appVersion: String? = nil, needsSynchronous: Bool = false, apiHost: String? = nil,
        wsHost: String? = nil
    ) {
        self.applicationId = applicationId
        self.isLocalCachingEnabled = isLocalCachingEnabled
        self.localCacheConfig = localCacheConfig
        self.logLevel = logLevel
        self.appVersion = appVersion
        self.needsSynchronous = needsSynchronous
        self.apiHost = apiHost
        self.wsHost = wsHost
    }

    /// Returns parameters with the same properties.
    public func copy(with zone: NSZone? = nil) -> Any {
        InitParams(applicationId: applicationId).taking(
            \.isLocalCachingEnabled, \.localCacheConfig, \.logLevel, \.appVersion,
            \.needsSynchronous, \.apiHost, \.wsHost, \.cacheFolder, from: self)
    }
}

/// The levels of the log; it has the lines of a level and of those behind it.
public enum LogLevel: Int, Comparable, Sendable {
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

    /// Returns whether the left level writes more than the right one.
    public static func < (left: LogLevel, right: LogLevel) -> Bool {
        left.rawValue < right.rawValue
    }
}

extension InitParams {
    var settings: Door.Settings {
        // The folder of the keys is beside that of the cache.
        let folder = Door.Settings.folder(cacheFolder ?? Door.standardFolder)
        var settings = Door.Settings(
            applicationID: applicationId,
            cache: isLocalCachingEnabled ? .folder(folder) : .memory)
        settings.server = apiHost
        settings.appVersion = appVersion
        let cache = localCacheConfig ?? LocalCacheConfig()
        settings.limit = cache.limit
        settings.comparator = cache.isCustom ? ObjectIdentifier(cache) : nil
        settings.resendsUnsent = isLocalCachingEnabled && cache.enableAutoResend
        guard isLocalCachingEnabled else { return settings }
        // A cache that an earlier release sealed is opened with its key, whatever this
        // configuration says.
        let keys = folder + "-keys"
        if cache.isEncryptionEnabled {
            settings.protection = .keyFile(in: keys)
            settings.locksFilesWithDevice = true
        } else if FileManager.default.fileExists(atPath: keys) {
            settings.protection = Protection.keyFile(in: keys).takenOff()
        }
        return settings
    }

    /// The reason why the settings cannot be obeyed; nil if they can.
    var refusal: RoostError? {
        if applicationId.isEmpty { return .invalid("The application ID must not be empty.") }
        return Self.refusal(ofSocket: wsHost, beside: apiHost)
    }

    /// Returns the reason why the client cannot use an address for sockets; nil if it can.
    ///
    /// The client derives the socket's address from the server's, so both must be on one host.
    static func refusal(ofSocket wsHost: String?, beside server: String?) -> RoostError? {
        func host(_ address: String) -> Substring {
            let start = address.range(of: "://")?.upperBound ?? address.startIndex
            return address[start...].prefix { $0 != "/" }
        }
        guard let wsHost, server.map(host) != host(wsHost) else { return nil }
        return .invalid(
            "The address for sockets is that of the server: set apiHost to the same host "
                + "or leave wsHost out.")
    }
}
