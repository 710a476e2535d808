// SPDX-License-Identifier: Apache-2.0

public import RoostModel

/// What a client needs to know before it starts.
public struct Configuration: Sendable {
    /// Where the cache and the unsent messages live.
    public enum Cache: Hashable, Sendable {
        /// In a folder; it is made when missing. Several users and applications may share one.
        case folder(String)
        /// In memory: nothing outlives the client, unsent messages included.
        case memory
    }

    public var applicationID: String
    /// The server, as `http://host:port` or `https://host`.
    ///
    /// Plain `http` is accepted for this machine only (scar 39), unless `allowsPlainTransport` is set.
    public var server: String
    public var userID: UserID
    /// The user's access token; nil where the server asks for none.
    public var token: String?
    public var cache: Cache
    /// How large the cache may become; 256 MB unless said otherwise.
    public var cacheLimit: CacheLimit
    /// Whether cache and unsent messages are sealed, and with which key; they are not unless said so.
    public var protection: Protection
    /// On Apple platforms, whether the files can be opened only while the device is unlocked, and not from
    /// its first unlocking on.
    ///
    /// What is open stays so; an app that is started in the background waits for the device.
    public var locksFilesWithDevice = false
    /// Lets messages and tokens cross a network unprotected; for networks that protect themselves.
    public var allowsPlainTransport: Bool
    /// How many messages a timeline shows at first on either side, and loads with each page.
    ///
    /// 1...200; 40 is what the v4 SDK takes.
    public var pageSize: Int
    /// Told how far the opening has come where it has to move the whole cache.
    ///
    /// That is after an update of the app, or with its first key; nearly always there is nothing to move, and
    /// nothing is told. Called on a thread that the work waits for, with `done` 0 first.
    public var migrating: @Sendable (CacheMigration) -> Void = { _ in }

    public init(
        applicationID: String, server: String, userID: UserID, token: String? = nil, cache: Cache,
        cacheLimit: CacheLimit = CacheLimit(), protection: Protection = .none,
        allowsPlainTransport: Bool = false,
        pageSize: Int = 40
    ) {
        self.applicationID = applicationID
        self.server = server
        self.userID = userID
        self.token = token
        self.cache = cache
        self.cacheLimit = cacheLimit
        self.protection = protection
        self.allowsPlainTransport = allowsPlainTransport
        self.pageSize = pageSize
    }
}

/// How far the rows of a cache have been moved to where this release wants them.
///
/// Some 100,000 messages take a second or two. What is cut goes on with the next opening; it counts anew.
public struct CacheMigration: Hashable, Sendable {
    /// Messages moved so far, of those there are.
    public let done: Int
    public let total: Int
}

extension Configuration {
    func validate() throws(RoostError) {
        let problem: String? =
            if applicationID.isEmpty {
                "The application ID must not be empty."
            } else if userID.rawValue.isEmpty {
                "The user ID must not be empty."
            } else if !(1...200).contains(pageSize) {
                "The page size must be 1 to 200 messages."
            } else if cache == .folder("") {
                "The cache folder must be named."
            } else if protection.keyFolder == "" {
                "The folder of the key must be named."
            } else if case .folder(let folder) = cache, folder == protection.keyFolder {
                "The key must not lie with what it seals: name another folder for it."
            } else {
                nil
            }
        guard let problem else { return }
        throw RoostError(.invalidParameter, remedy: .correctInput, message: problem)
    }
}

/// A server's address, checked once.
package struct ServerAddress: Hashable, Sendable {
    /// Without a slash at the end.
    package let http: String
    package let webSocket: String

    /// Checks an address and derives the socket's from it.
    package init(_ text: String, allowsPlainTransport: Bool) throws(RoostError) {
        let schemes = [("https://", "wss://"), ("http://", "ws://")]
        guard let (scheme, socketScheme) = schemes.first(where: { text.hasPrefix($0.0) }) else {
            throw RoostError(
                .invalidParameter, remedy: .correctInput,
                message: "The server address must begin with http:// or https://.")
        }
        var authority = text.dropFirst(scheme.count)
        while authority.hasSuffix("/") { authority.removeLast() }
        guard !authority.isEmpty, !authority.contains(where: { "/?#@ ".contains($0) }) else {
            throw RoostError(
                .invalidParameter, remedy: .correctInput,
                message: "The server address must be a host and perhaps a port, "
                    + "such as http://127.0.0.1:8080.")
        }
        if scheme == "http://", !allowsPlainTransport, !Self.isLoopback(authority) {
            throw RoostError(
                .invalidParameter, remedy: .correctInput,
                message: "Plain http to another machine would show messages and tokens to the "
                    + "network. Use https, or allow plain transport explicitly.")
        }
        http = scheme + authority
        webSocket = socketScheme + authority
    }

    private static func isLoopback(_ authority: Substring) -> Bool {
        if authority.hasPrefix("[::1]") { return true }
        let host = authority.prefix { $0 != ":" }
        let isAddress = host.allSatisfy { $0 == "." || ("0"..."9").contains($0) }
        return host == "localhost" || (isAddress && host.hasPrefix("127."))
    }
}
