// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Roost
package import RoostDoors
import RoostModel

/// The handler of an outcome; nil for success.
public typealias SBDErrorHandler = (SBDError?) -> Void

/// The library; a process has one.
///
/// Handlers and delegates are called on the main queue, unless the app names another one. Each
/// handler is called once. Every call may be made from any thread, and from inside handlers and
/// delegates.
public final class SBDMain: NSObject {
    package static let door = Door(notForOpenChannels: .openChannel) { receive($0) }
    private static let life = AppLife(
        moved: { appMoved(toForeground: $0) }, networkChanged: { networkChanged(isUp: $0) })

    // MARK: Starting

    /// Configures the library for an application without connecting; channels and messages are kept
    /// on disk, as the sync manager needs it.
    ///
    /// Without the sync manager a message that cannot be sent fails.
    @discardableResult
    public class func initWithApplicationId(_ applicationId: String) -> Bool {
        configure(applicationId)
        door.configure { ($0.isInMemory, $0.resendsUnsent) = (false, false) }
        return true
    }

    /// Configures the library for an application without connecting.
    ///
    /// - Parameters:
    ///   - applicationId: The application.
    ///   - useCaching: Whether channels and messages are kept on disk, and messages that cannot be
    ///     sent wait there for a connection. If false, all of it is in memory only and is lost with
    ///     the process, and a message that cannot be sent fails, unless the sync manager says
    ///     otherwise.
    ///   - migrationStartHandler: The receiver of the start of a rewrite of the cache, at an
    ///     opening that needs one.
    ///   - completionHandler: The receiver of the outcome; the configuration cannot fail.
    public class func initWithApplicationId(
        _ applicationId: String, useCaching: Bool, migrationStartHandler: (() -> Void)?,
        completionHandler: SBDErrorHandler?
    ) {
        let begins = Callback<Void>(migrationStartHandler.map { handler in { _ in handler() } })
        configure(applicationId)
        door.configure { settings in
            (settings.isInMemory, settings.resendsUnsent) = (!useCaching, useCaching)
            settings.migrationBegins = begins
        }
        door.notify(.done(completionHandler), .success(()))
    }

    private class func configure(_ applicationId: String) {
        door.configure { settings in
            settings.applicationID = applicationId
            // The old sync manager keeps all messages to the first one (R178).
            settings.limit = CacheLimit(maxSize: ByteCount(bytes: .max))
            session.provide(to: &settings)
        }
        life.watch()
    }

    // MARK: The app's life

    /// Tells the client that the app has come to the foreground or gone to the background; Roost's
    /// own.
    ///
    /// In the background the client disconnects after a time that the server sets, 30 s by default;
    /// in the foreground it reconnects at once. On Apple platforms but macOS the library
    /// calls it by itself.
    public class func appMoved(toForeground isForeground: Bool) {
        door.appMoved(toForeground: isForeground)
    }

    /// Tells the client that a network has come or gone; Roost's own.
    ///
    /// A new one causes an immediate attempt. On Apple platforms the library calls it by itself.
    public class func networkChanged(isUp: Bool) { door.networkChanged(isUp: isUp) }

    /// Sets the server's address, as `http://host:port` or `https://host`; Roost's own, because
    /// there is no default.
    ///
    /// Call it before the first connection, before or after `initWithApplicationId(_:)`. Plain
    /// `http` is for a server on this machine: the first connection to any other one fails.
    public class func setServer(_ server: String) { door.configure { $0.server = server } }

    /// Sets the folder of the cache; Roost's own.
    ///
    /// Call it before the first connection, before or after `initWithApplicationId(_:)`.
    public class func setCacheFolder(_ folder: String) {
        door.configure { $0.cache = .folder(folder) }
    }

    /// Returns the application ID; nil before the initialisation.
    public class func getApplicationId() -> String? { door.settings.applicationID }

    /// Returns the version of the old library's interface that this one follows.
    public class func getSDKVersion() -> String { "3.1.58" }

    /// Sets the queue on which handlers and delegates are called; nil for the main queue.
    public class func setCompletionHandlerDelegateQueue(_ queue: DispatchQueue?) {
        door.call(on: queue.map { CallbackQueue($0) } ?? .main)
    }

    // MARK: Connecting

    /// Logs a user in.
    ///
    /// If the server cannot be reached, the handler gets the user of the last login and the error.
    /// The cache can be used then, and the client connects by itself.
    public class func connect(
        withUserId userId: String, accessToken: String? = nil,
        completionHandler: ((SBDUser?, SBDError?) -> Void)? = nil
    ) {
        door.connect(
            UserID(userId), token: accessToken,
            then: Callback(
                completionHandler.map { handler in
                    { outcome in
                        handler(outcome.0.map { SBDUser($0) }, outcome.1.map { SBDError($0) })
                    }
                }))
    }

    /// Logs out; the cache stays for the user's next login.
    public class func disconnect(completionHandler: (() -> Void)? = nil) {
        door.disconnect(then: Callback(completionHandler.map { handler in { _ in handler() } }))
    }

    /// Connects the user again who was connected last, without waiting for the next attempt.
    ///
    /// The outcome goes to the connection delegates.
    ///
    /// - Returns: Whether there is such a user.
    @discardableResult
    public class func reconnect() -> Bool { door.reconnect() }

    /// Returns the user who is logged in; nil for none.
    public class func getCurrentUser() -> SBDUser? { door.user.map { SBDUser($0) } }

    /// Returns the state of the connection.
    public class func getConnectState() -> SBDWebSocketConnectionState {
        switch door.report.connection {
        case .connected: .open
        case .connecting, .reconnecting: .connecting
        case .disconnected, .refused: .closed
        }
    }

    // MARK: Change log of channels

    /// The handler of one page of the channel change log.
    ///
    /// `token` is the start of the next page, if `hasMore` is true, and of the next query
    /// otherwise.
    public typealias ChannelChangeLogsHandler = (
        _ updatedChannels: [SBDGroupChannel]?, _ deletedChannelUrls: [String]?,
        _ hasMore: Bool, _ token: String?, _ error: SBDError?
    ) -> Void

    /// Fetches the changes of the user's channels since the token of an earlier page.
    public class func getMyGroupChannelChangeLogs(
        byToken token: String?, customTypes: [String]?,
        completionHandler: ChannelChangeLogsHandler?
    ) {
        changes(ChangeLogStart(token: token), customTypes, completionHandler)
    }

    /// Fetches the changes of the user's channels since a time of the server's clock, in
    /// milliseconds.
    public class func getMyGroupChannelChangeLogs(
        byTimestamp timestamp: Int64, customTypes: [String]?,
        completionHandler: ChannelChangeLogsHandler?
    ) {
        changes(.moment(Timestamp(milliseconds: timestamp)), customTypes, completionHandler)
    }

    /// Fetches the changes of the user's channels since the token of an earlier page.
    public class func getMyGroupChannelChangeLogs(
        byToken token: String?, params: SBDGroupChannelChangeLogsParams,
        completionHandler: ChannelChangeLogsHandler?
    ) {
        changes(ChangeLogStart(token: token), params.customTypes, completionHandler)
    }

    /// Fetches the changes of the user's channels since a time of the server's clock, in
    /// milliseconds.
    public class func getMyGroupChannelChangeLogs(
        byTimestamp timestamp: Int64, params: SBDGroupChannelChangeLogsParams,
        completionHandler: ChannelChangeLogsHandler?
    ) {
        changes(.moment(Timestamp(milliseconds: timestamp)), params.customTypes, completionHandler)
    }

    private class func changes(
        _ start: ChangeLogStart, _ customTypes: [String]?, _ handler: ChannelChangeLogsHandler?
    ) {
        let question = ChannelQuestion(door)
        door.perform(
            then: .changes(
                handler, { SBDGroupChannel($0, answering: question) },
                { (url: ChannelURL) in url.rawValue },
                orElse: { SBDError($0) })
        ) { client throws(RoostError) in
            try await client.fetchChannelChanges(since: start, customTypes: customTypes)
        }
    }
}

/// The states of the connection.
public enum SBDWebSocketConnectionState: Int, Sendable {
    /// A connection is being made, or another attempt waits.
    case connecting
    /// There is a connection.
    case open
    /// There is no connection, and none is being made.
    case closed
}

/// The levels of the log.
public enum SBDLogLevel: Int, Sendable {
    /// Nothing.
    case none
    /// Errors.
    case error
    /// Warnings and errors.
    case warning
    /// The course of events.
    case info
    /// Details for a search for mistakes.
    case debug
}

extension SBDLogLevel {
    fileprivate var doorLevel: DoorLog.Level {
        switch self {
        case .none: .none
        case .error: .error
        case .warning: .warning
        case .info: .info
        case .debug: .debug
        }
    }
}

extension SBDMain {
    /// Sets the level of the log, which goes to the standard error of the process; `.none` by
    /// default.
    ///
    /// No line has the text of a message or a token.
    public class func setLogLevel(_ level: SBDLogLevel) { door.log.level = level.doorLevel }
}

extension Callback {
    static func answer<Answer, Object>(
        _ handler: ((Object?, SBDError?) -> Void)?, _ make: @escaping (Answer) -> Object
    ) -> Self where Value == Result<Answer, RoostError> {
        answer(handler, make, orElse: { SBDError($0) })
    }

    static func done(_ handler: SBDErrorHandler?) -> Self
    where Value == Result<Void, RoostError> { done(handler, orElse: { SBDError($0) }) }

    static func sent<Object>(
        _ handler: ((Object?, SBDError?) -> Void)?, _ make: @escaping (Message) -> Object
    ) -> Self where Value == (message: Message, error: RoostError?) {
        sent(handler, make, orElse: { SBDError($0) })
    }
}
