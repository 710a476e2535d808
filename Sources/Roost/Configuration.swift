// SPDX-License-Identifier: Apache-2.0

public import RoostModel

/// The settings of a client, fixed at its opening.
public struct Configuration: Sendable {
    /// The place of the cache and the outbox.
    public enum Cache: Hashable, Sendable {
        /// A folder, created if missing; several users and applications may share one.
        ///
        /// A relative path belongs to the process's current directory, which an app on iOS cannot
        /// write. A path that begins with `~` is refused, because only a shell replaces it.
        case folder(String)
        /// Memory; nothing outlives the client, unsent messages included.
        case memory
    }

    /// The application's identifier at the server; not empty.
    public var applicationID: String
    /// The server's address, as `http://host:port` or `https://host`.
    ///
    /// Plain `http` is accepted for this machine only, unless `allowsPlainTransport` is set.
    public var server: String
    /// The user; not empty.
    public var userID: UserID
    /// The user's access token; nil if the server asks for none.
    public var token: String?
    /// The source of another token when the server refuses the current one, as after its end.
    ///
    /// The client asks and logs in with the answer. Nil says that the user has no token any more:
    /// it ends the attempts with `.refused`, as does a refusal of the new token, or no source.
    /// Throw an error if the token cannot be fetched now: the client backs off and asks again, as
    /// it does without an answer for 60 seconds. The closure must not block its thread, on which
    /// the client works.
    public var tokenProvider: (@Sendable () async throws -> String?)?
    /// The time limit for `tokenProvider`.
    package var tokenWait = Duration.seconds(60)
    /// The place of the cache and the outbox.
    public var cache: Cache
    /// The size limit of the cache; 256 MiB by default.
    public var cacheLimit: CacheLimit
    /// The greatest size of all downloaded files together, and so of one; 256 MiB by default.
    ///
    /// The least recently used files are evicted, down to seven eighths of the limit.
    public var downloadsLimit = ByteCount(mebibytes: 256)
    /// The encryption of cache, outbox and downloaded files; none by default.
    public var protection: Protection
    /// Whether the files can be opened only while the device is unlocked; on Apple platforms only.
    ///
    /// If false, the files can be opened from the first unlock after the device's start. If true,
    /// an app that is started in the background of a locked device waits for the unlock. Open
    /// files stay open in both cases.
    public var locksFilesWithDevice = false
    /// Whether the client shows changes of messages and read marks that wait in the outbox.
    ///
    /// The doors do not: the SDKs whose names they have show a change when the server has made it.
    package var showsWaitingChanges = true
    /// The version of the app, which the client names at each login; nil for none.
    package var appVersion: String?
    /// Whether messages and tokens may cross a network in plain text, for networks with a
    /// protection of their own.
    public var allowsPlainTransport: Bool
    /// The number of messages of a timeline's page, 1...200; a new timeline shows a page on either
    /// side of its start.
    ///
    /// The default is 40, as in the v4 SDK.
    public var pageSize: Int
    /// A handler of the progress when an opening has to rewrite the whole cache.
    ///
    /// That happens after some updates of the app and with its first key. The first call has `done`
    /// 0. The calls are made on the thread of the rewrite, which waits for each of them.
    public var migrating: @Sendable (CacheMigration) -> Void = { _ in }

    /// Creates a configuration; `ChatClient.open(_:)` validates it.
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

/// The progress of a rewrite of the whole cache at an opening.
///
/// 100,000 messages take a second or two. An interrupted rewrite resumes at the next opening; the
/// progress restarts at zero.
public struct CacheMigration: Hashable, Sendable {
    /// The number of messages rewritten so far.
    public let done: Int
    /// The number of messages to rewrite.
    public let total: Int
}

extension Configuration {
    /// Checks the settings; `ServerAddress` checks the server's address.
    func validate() throws(RoostError) {
        let problem: String? =
            if applicationID.isEmpty {
                "The application ID must not be empty."
            } else if userID.rawValue.isEmpty {
                "The user ID must not be empty."
            } else if !(1...200).contains(pageSize) {
                "The page size must be 1 to 200 messages."
            } else if cache == .folder("") {
                "The cache folder must not be empty."
            } else if protection.keyFolder == "" {
                "The folder of the key must not be empty."
            } else if case .folder(let folder) = cache, folder.hasPrefix("~") {
                Self.homeProblem(folder)
            } else if let folder = protection.keyFolder, folder.hasPrefix("~") {
                Self.homeProblem(folder)
            } else if case .folder(let folder) = cache, let keys = protection.keyFolder,
                FolderPath.leads(keys, into: folder)
            {
                "The folder of the key, \(keys), must not be in the cache folder: a copy of the cache "
                    + "would contain the key. Name a folder outside of it."
            } else {
                nil
            }
        guard let problem else { return }
        throw RoostError(.invalidParameter, remedy: .correctInput, message: problem)
    }

    private static func homeProblem(_ folder: String) -> String {
        "The folder \(folder) begins with ~, which only a shell replaces: name the whole path, such as "
            + "URL.applicationSupportDirectory; a folder of this name is ./\(folder)."
    }
}

/// A validated server address.
package struct ServerAddress: Equatable, Sendable {
    /// The address for HTTP requests, without a slash at the end.
    package let http: String
    /// The address for sockets, without a slash at the end.
    package let webSocket: String

    /// Validates an address and derives the socket's address from it.
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
                    + "network. Use https, or set Configuration.allowsPlainTransport.")
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
