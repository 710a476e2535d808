// SPDX-License-Identifier: Apache-2.0

package import Roost
import RoostModel

extension Door {
    /// The app's settings before a login.
    package struct Settings: Sendable {
        /// The application ID; nil until the library is initialised.
        ///
        /// All other settings may come before it.
        package var applicationID: String?
        /// The server's address; nil until the app names one.
        package var server: String?
        /// The place of the cache; nil for the system's place.
        package var cache: Configuration.Cache?
        /// Whether nothing is on disk, whatever `cache` names.
        package var isInMemory = false
        /// Whether the cache is in a container that extensions of the app use too.
        package var isShared = false
        /// Whether messages that cannot be sent wait for a connection; if not, they fail.
        package var resendsUnsent = false
        package var limit = CacheLimit()
        package var protection = Protection.none
        package var locksFilesWithDevice = false
        /// The handler of a rewrite of the cache; called on the app's queue, once for each opening
        /// that needs one.
        package var migrationBegins = Callback<Void>.none
        /// The source of a new token, asked when the server says that the token has expired; nil
        /// ends the session, and after an error it is asked again.
        package var tokenProvider: (@Sendable () async throws -> String?)?
        /// The time limit for `tokenProvider`.
        package var tokenWait = Duration.seconds(60)
        /// The app's version, which later clients name at each login; nil for none.
        package var appVersion: String?
        /// The identity of the comparator of `limit.order`; nil without one.
        package var comparator: ObjectIdentifier?

        package init(applicationID: String? = nil, cache: Configuration.Cache? = nil) {
            self.applicationID = applicationID
            self.cache = cache
        }
    }
}

extension Door.Settings {
    /// The settings that need another client when they change.
    struct Signature: Equatable {
        let applicationID: String?
        let server: String?
        let cache: Configuration.Cache
        let maxSize: ByteCount
        let comparator: ObjectIdentifier?
        let locksFilesWithDevice: Bool
        let resendsUnsent: Bool
    }

    var signature: Signature {
        Signature(
            applicationID: applicationID, server: address, cache: place, maxSize: limit.maxSize,
            comparator: comparator, locksFilesWithDevice: locksFilesWithDevice,
            resendsUnsent: resendsUnsent)
    }

    /// The server's address, of which each spelling is the same; one that no client takes is as the
    /// app named it.
    private var address: String? {
        guard let server else { return nil }
        do throws(RoostError) {
            return try ServerAddress(server, allowsPlainTransport: true).http
        } catch {
            return server
        }
    }

    /// Whether a client can be opened with these settings.
    var suffice: Bool { applicationID != nil && server != nil }

    /// The folder of the library's files; in memory only the app's own files are there.
    package var folder: String {
        if case .folder(let folder)? = cache { folder } else { Door.standardFolder }
    }

    /// Returns a folder's path without slashes at its end, so that another folder can lie beside it.
    package static func folder(_ path: String) -> String {
        var path = path
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        return path
    }

    /// The place of the cache.
    var place: Configuration.Cache {
        isInMemory ? .memory : cache ?? .folder(Door.standardFolder)
    }

    func configuration(of account: UserID) -> Configuration {
        var configuration = Configuration(
            applicationID: applicationID ?? "", server: server ?? "", userID: account,
            cache: place, cacheLimit: limit, protection: protection)
        // No call of the old libraries reads a downloaded file, so copies of sent files would only
        // take room that the limit of the cache does not count.
        configuration.downloadsLimit = ByteCount(bytes: 0)
        configuration.locksFilesWithDevice = locksFilesWithDevice
        configuration.tokenProvider = tokenProvider
        configuration.tokenWait = tokenWait
        configuration.showsWaitingChanges = false
        configuration.appVersion = appVersion
        return configuration
    }
}

extension RoostError {
    static let noUser = RoostError(
        .connectionRequired, remedy: .signIn, message: "Connect a user first.")

    static let notInitialized = RoostError(
        .invalidInitialization, remedy: .correctInput,
        message: "Initialize the library before anything else.")
}
