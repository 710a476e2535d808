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
    package static let door = Door()

    // MARK: Starting

    /// Configures the library for an application without connecting.
    @discardableResult
    public class func initWithApplicationId(_ applicationId: String) -> Bool {
        door.configure { $0.applicationID = applicationId }
        return true
    }

    /// Sets the server's address, as `http://host:port` or `https://host`; Roost's own, because
    /// there is no default.
    ///
    /// Call it before the first connection, before or after `initWithApplicationId(_:)`.
    public class func setServer(_ server: String) { door.configure { $0.server = server } }

    /// Sets the folder of the cache; Roost's own.
    ///
    /// Call it before the first connection, before or after `initWithApplicationId(_:)`.
    public class func setCacheFolder(_ folder: String) {
        door.configure { $0.cache = .folder(folder) }
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

    /// Returns the user who is logged in; nil for none.
    public class func getCurrentUser() -> SBDUser? { door.user.map { SBDUser($0) } }

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

    private class func changes(
        _ start: ChangeLogStart, _ customTypes: [String]?, _ handler: ChannelChangeLogsHandler?
    ) {
        door.perform(
            then: .changes(
                handler, { SBDGroupChannel($0) }, { (url: ChannelURL) in url.rawValue },
                orElse: { SBDError($0) })
        ) { client throws(RoostError) in
            try await client.fetchChannelChanges(since: start, customTypes: customTypes)
        }
    }
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
