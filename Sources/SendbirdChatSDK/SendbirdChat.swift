// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Roost
package import RoostDoors
import RoostModel

/// The library, of which a process has one.
///
/// Handlers and delegates are called on the main queue, unless the app names another one; each handler
/// once. Everything may be called from inside any of them, and from any thread.
public final class SendbirdChat: NSObject {
    package static let door = Door()

    // MARK: Starting

    /// Says what everything after it needs; connects to nothing.
    public class func initialize(params: InitParams, completionHandler: SBErrorHandler? = nil) {
        initialize(
            params: params, migrationStartHandler: nil, completionHandler: completionHandler)
    }

    /// Says what everything after it needs.
    ///
    /// The database is brought up to date when somebody connects: then `migrationStartHandler` is called,
    /// if there is much to move, and not before this returns to `completionHandler`.
    public class func initialize(
        params: InitParams, migrationStartHandler: (() -> Void)?,
        completionHandler: SBErrorHandler?
    ) {
        var settings = params.settings
        settings.migrationBegins = Callback(
            migrationStartHandler.map { handler in { _ in handler() } })
        let chosen = settings
        door.configure { $0 = chosen }
        door.tell(.error(completionHandler), nil)
    }

    public class func getApplicationId() -> String? { door.settings.applicationID }

    /// Where handlers and delegates are called from now on.
    public class func setCompletionHandlerDelegateQueue(_ queue: DispatchQueue?) {
        door.call(on: queue.map { CallbackQueue($0) } ?? .main)
    }

    // MARK: Connecting

    /// Logs a user in.
    ///
    /// Without a server in reach, the handler gets the user of the last login and the error: what is
    /// cached can be used, and the connection comes by itself.
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

    /// Logs out; what is cached stays, for the next time this user comes.
    public class func disconnect(completionHandler: (() -> Void)? = nil) {
        door.disconnect(then: Callback(completionHandler.map { handler in { _ in handler() } }))
    }

    /// Who is logged in.
    public class func getCurrentUser() -> User? { door.user.map { User($0) } }

    public class var currentUser: User? { getCurrentUser() }

    // MARK: Collections

    /// The user's channels as a query wants them; both cache and server are asked at once.
    public class func createGroupChannelCollection(
        query: GroupChannelListQuery
    ) -> GroupChannelCollection? { GroupChannelCollection(query) }

    /// A channel's messages around a time, `Int64.max` for the newest.
    public class func createMessageCollection(
        channel: GroupChannel, startingPoint: Int64 = Int64.max,
        params: MessageListParams = MessageListParams()
    ) -> MessageCollection { MessageCollection(channel, startingPoint, params) }

    // MARK: The cache

    /// Bytes that the cache takes on disk.
    public class func getCachedDataSize() -> Int { Int(clamping: door.cacheSize) }

    /// Forgets everything that can be fetched again; what waits to be sent stays.
    public class func clearCachedData(completionHandler: SBErrorHandler?) {
        door.perform(then: .done(completionHandler)) { client throws(RoostError) in
            try await client.clearCache(includingUnsent: false)
        }
    }

    /// Forgets the cached messages of one channel.
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
