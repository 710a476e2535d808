// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Roost
package import RoostDoors
import RoostExecutors
import RoostModel

/// The library; a process has one.
///
/// Handlers and delegates are called on the main queue, unless the app names another one. Each
/// handler is called once. Every call may be made from any thread, and from inside handlers and
/// delegates.
public final class SendbirdChat: NSObject {
    package static let door = Door(notForOpenChannels: .notForOpenChannels) { receive($0) }
    private static let life = AppLife(
        moved: { appMoved(toForeground: $0) }, networkChanged: { networkChanged(isUp: $0) })

    /// The settings that the door does not need.
    struct Own {
        /// The server's address as of the initialisation.
        var server: String?
        var isNetworkAware = true
        var waiting: [Carried<() -> Void>] = []
        var backgroundSession: Carried<() -> Void>?
    }

    static let own = Guarded(Own())

    // MARK: Starting

    /// Configures the library without connecting.
    ///
    /// - Returns: Whether the settings can be obeyed.
    @discardableResult
    public class func initialize(
        params: InitParams, completionHandler: SBErrorHandler? = nil
    ) -> Bool {
        initialize(
            params: params, migrationStartHandler: nil, completionHandler: completionHandler)
    }

    /// Configures the library without connecting.
    ///
    /// The first connection opens the database. If rows must be rewritten, it calls
    /// `migrationStartHandler` first, and never inside this call. Settings that differ from
    /// those of an open client take effect with the next connection.
    ///
    /// - Returns: Whether the settings can be obeyed; if not, the handler gets the reason.
    @discardableResult
    public class func initialize(
        params: InitParams, migrationStartHandler: (() -> Void)?,
        completionHandler: SBErrorHandler? = nil
    ) -> Bool {
        if let refusal = params.refusal {
            door.notify(.error(completionHandler), refusal)
            return false
        }
        var settings = params.settings
        settings.migrationBegins = Callback(
            migrationStartHandler.map { handler in { _ in handler() } })
        session.provide(to: &settings)
        let chosen = settings
        let namesPlace = !params.isLocalCachingEnabled || params.cacheFolder != nil
        door.configure { settings in
            let before = settings
            settings = chosen
            settings.server = chosen.server ?? before.server
            settings.appVersion = chosen.appVersion ?? before.appVersion
            // `setAppGroup` may come before or between initialisations.
            if before.isShared, !namesPlace {
                (settings.cache, settings.isShared) = (before.cache, true)
            }
        }
        setLogLevel(params.logLevel)
        let waiting = own.withLock { own in
            defer { own.waiting = [] }
            own.server = params.apiHost
            return own.waiting
        }
        life.watch()
        for work in waiting { door.notify(Callback<Void> { work.value() }, ()) }
        door.notify(.error(completionHandler), nil)
        return true
    }

    /// Configures the library without connecting; the same as `initialize(params:)`, which never
    /// blocks.
    @discardableResult
    public class func initializeSynchronously(params: InitParams) -> Bool {
        initialize(params: params)
    }

    /// Calls a closure when the library is configured: at once on the app's queue, or then.
    public class func executeOrWaitForInitialization(executeHandler: @escaping () -> Void) {
        let work = Carried(executeHandler)
        // `initialize` configures the door before it takes the waiting closures.
        let isReady = own.withLock { own in
            let isReady = isInitialized
            if !isReady { own.waiting.append(work) }
            return isReady
        }
        guard isReady else { return }
        door.notify(Callback<Void> { work.value() }, ())
    }

    /// Whether the library is configured.
    public class var isInitialized: Bool { door.settings.applicationID != nil }

    /// Whether the cache is on disk; false before the initialisation.
    public class var isLocalCachingEnabled: Bool {
        guard isInitialized, case .folder? = door.settings.cache else { return false }
        return true
    }

    /// Returns the application ID; nil before the initialisation.
    public class func getApplicationId() -> String? { door.settings.applicationID }

    /// Returns the version of the old library whose names this one has.
    public class func getSDKVersion() -> String { "4.39.9" }

    /// Sets the version of the app; clients opened from now on name it at each login.
    public class func setAppVersion(version: String?) {
        door.configure { $0.appVersion = version }
    }

    /// Sets the level of the log, from the next line on.
    ///
    /// The log goes to the standard error of the process: requests at `.verbose`, messages at
    /// `.debug`, the connection at `.info`, losses at `.warning`, failures at `.error`. No line has
    /// the text of a message or a token.
    public class func setLogLevel(_ logLevel: LogLevel) {
        door.log.level = DoorLog.Level(rawValue: logLevel.rawValue) ?? .none
    }

    /// Returns the level of the initialisation or of the last `setLogLevel(_:)`.
    public class func getLogLevel() -> LogLevel {
        LogLevel(rawValue: door.log.level.rawValue) ?? .none
    }

    /// Does nothing; the server is not informed of extensions of the library.
    public class func addExtension(_ key: String, version: String) {}

    /// Sets the queue on which handlers and delegates are called; nil for the main queue.
    public class func setCompletionHandlerDelegateQueue(_ queue: DispatchQueue?) {
        door.call(on: queue.map { CallbackQueue($0) } ?? .main)
    }

    // MARK: Collections

    /// Returns a collection of the user's channels selected by a query; cache and server are asked
    /// at once.
    ///
    /// - Returns: The collection; nil if the client cannot obey the query, as
    ///   `GroupChannelListQuery.loadNextPage(completionHandler:)` says.
    public class func createGroupChannelCollection(
        query: GroupChannelListQuery
    ) -> GroupChannelCollection? { query.refusal == nil ? GroupChannelCollection(query) : nil }

    /// Returns a collection of a channel's messages around a time in milliseconds; `Int64.max` for
    /// the newest.
    public class func createMessageCollection(
        channel: GroupChannel, startingPoint: Int64 = Int64.max,
        params: MessageListParams = MessageListParams()
    ) -> MessageCollection { MessageCollection(channel, startingPoint, params) }

    // MARK: The cache

    /// Returns the bytes of the user's cache on disk; before the first connection, those of the
    /// caches of all users.
    public class func getCachedDataSize() -> Int { Int(clamping: door.cacheSize) }

    /// Removes everything of the user, unsent messages too;
    /// `ChatClient.clearCache(includingUnsent:)` can keep those.
    ///
    /// Before the first connection no user is known, and the handler gets an error.
    public class func clearCachedData(completionHandler: SBErrorHandler?) {
        door.performInOrder(then: .done(completionHandler)) { client throws(RoostError) in
            try await client.clearCache(includingUnsent: true)
        }
    }

    /// Removes the user's cached messages of one channel; before the first connection the handler
    /// gets an error.
    public class func clearCachedMessages(
        channelURL: String, completionHandler: SBErrorHandler?
    ) {
        door.performInOrder(then: .done(completionHandler)) { client throws(RoostError) in
            try await client.clearCache(of: ChannelURL(channelURL))
        }
    }
}

extension Callback where Value == RoostError? {
    static func error(_ handler: SBErrorHandler?) -> Self {
        Callback(handler.map { handler in { error in handler(error.map { SBError($0) }) } })
    }
}

extension Callback {
    static func answer<Answer, Object>(
        _ handler: ((Object?, SBError?) -> Void)?, _ make: @escaping (Answer) -> Object
    ) -> Self where Value == Result<Answer, RoostError> {
        answer(handler, make, orElse: { SBError($0) })
    }

    static func done(_ handler: SBErrorHandler?) -> Self
    where Value == Result<Void, RoostError> { done(handler, orElse: { SBError($0) }) }

    static func sent<Object>(
        _ handler: ((Object?, SBError?) -> Void)?, _ make: @escaping (Message) -> Object
    ) -> Self where Value == (message: Message, error: RoostError?) {
        sent(handler, make, orElse: { SBError($0) })
    }
}

extension Callback where Value == Result<Int, RoostError> {
    /// Returns a handler that gets a count, which is 0 beside an error.
    static func count(_ handler: ((UInt, SBError?) -> Void)?) -> Self {
        Callback(
            handler.map { handler in
                { result in
                    switch result {
                    case .success(let count): handler(UInt(clamping: count), nil)
                    case .failure(let error): handler(0, SBError(error))
                    }
                }
            })
    }
}
