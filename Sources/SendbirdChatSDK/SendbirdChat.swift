// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Roost
package import RoostDoors
import RoostModel

/// The library; a process has one.
///
/// Handlers and delegates are called on the main queue, unless the app names another one. Each
/// handler is called once. Every call may be made from any thread, and from inside handlers and
/// delegates.
public final class SendbirdChat: NSObject {
    package static let door = Door()

    // MARK: Starting

    /// Configures the library without connecting.
    public class func initialize(params: InitParams, completionHandler: SBErrorHandler? = nil) {
        initialize(
            params: params, migrationStartHandler: nil, completionHandler: completionHandler)
    }

    /// Configures the library without connecting.
    ///
    /// The first connection opens the database. If rows must be rewritten, it calls
    /// `migrationStartHandler` first, and never before this call returns.
    public class func initialize(
        params: InitParams, migrationStartHandler: (() -> Void)?,
        completionHandler: SBErrorHandler?
    ) {
        var settings = params.settings
        settings.migrationBegins = Callback(
            migrationStartHandler.map { handler in { _ in handler() } })
        let chosen = settings
        door.configure { $0 = chosen }
        door.notify(.error(completionHandler), nil)
    }

    /// Returns the application ID; nil before the initialisation.
    public class func getApplicationId() -> String? { door.settings.applicationID }

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
        userId: String, authToken: String? = nil, apiHost: String? = nil, wsHost: String? = nil,
        completionHandler: ((User?, SBError?) -> Void)? = nil
    ) {
        if let apiHost { door.configure { $0.server = apiHost } }
        door.connect(
            UserID(userId), token: authToken,
            then: Callback(
                completionHandler.map { handler in
                    { outcome in
                        handler(outcome.0.map { User($0) }, outcome.1.map { SBError($0) })
                    }
                }))
    }

    /// Logs out; the cache stays for the user's next login.
    public class func disconnect(completionHandler: (() -> Void)? = nil) {
        door.disconnect(then: Callback(completionHandler.map { handler in { _ in handler() } }))
    }

    /// Returns the user who is logged in; nil for none.
    public class func getCurrentUser() -> User? { door.user.map { User($0) } }

    /// The user who is logged in; nil for none.
    public class var currentUser: User? { getCurrentUser() }

    // MARK: Collections

    /// Returns a collection of the user's channels selected by a query; cache and server are asked
    /// at once.
    public class func createGroupChannelCollection(
        query: GroupChannelListQuery
    ) -> GroupChannelCollection? { GroupChannelCollection(query) }

    /// Returns a collection of a channel's messages around a time in milliseconds; `Int64.max` for
    /// the newest.
    public class func createMessageCollection(
        channel: GroupChannel, startingPoint: Int64 = Int64.max,
        params: MessageListParams = MessageListParams()
    ) -> MessageCollection { MessageCollection(channel, startingPoint, params) }

    // MARK: The cache

    /// Returns the bytes of the cache on disk.
    public class func getCachedDataSize() -> Int { Int(clamping: door.cacheSize) }

    /// Removes everything that the server can restore; unsent messages stay.
    public class func clearCachedData(completionHandler: SBErrorHandler?) {
        door.perform(then: .done(completionHandler)) { client throws(RoostError) in
            try await client.clearCache(includingUnsent: false)
        }
    }

    /// Removes the cached messages of one channel.
    public class func clearCachedMessages(
        channelURL: String, completionHandler: SBErrorHandler?
    ) {
        door.perform(then: .done(completionHandler)) { client throws(RoostError) in
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
