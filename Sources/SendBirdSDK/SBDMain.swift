// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Roost
package import RoostDoors
import RoostModel

public typealias SBDErrorHandler = (SBDError?) -> Void

/// The library, of which a process has one.
///
/// Handlers and delegates are called on the main queue, unless the app names another one; each handler
/// once. Everything may be called from inside any of them, and from any thread.
public final class SBDMain: NSObject {
    package static let door = Door()

    // MARK: Starting

    /// Says for which application everything after it is; connects to nothing.
    @discardableResult
    public class func initWithApplicationId(_ applicationId: String) -> Bool {
        door.configure { $0.applicationID = applicationId }
        return true
    }

    /// Names the server, as `http://host:port` or `https://host`; Roost's own, for there is no default.
    ///
    /// Before or after `initWithApplicationId(_:)`, but before anybody connects.
    public class func setServer(_ server: String) { door.configure { $0.server = server } }

    /// Names the folder of the cache; Roost's own.
    ///
    /// Before or after `initWithApplicationId(_:)`, but before anybody connects.
    public class func setCacheFolder(_ folder: String) {
        door.configure { $0.cache = .folder(folder) }
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

    /// Logs out; what is cached stays: clear it, or only stop synchronising.
    public class func disconnect(completionHandler: (() -> Void)? = nil) {
        door.disconnect(then: Callback(completionHandler.map { handler in { _ in handler() } }))
    }

    /// Who is logged in.
    public class func getCurrentUser() -> SBDUser? { door.user.map { SBDUser($0) } }

    // MARK: What became of channels

    public typealias ChannelChangeLogsHandler = (
        _ updatedChannels: [SBDGroupChannel]?, _ deletedChannelUrls: [String]?,
        _ hasMore: Bool, _ token: String?, _ error: SBDError?
    ) -> Void

    /// What became of the user's channels since a token that an earlier answer gave.
    public class func getMyGroupChannelChangeLogs(
        byToken token: String?, customTypes: [String]?,
        completionHandler: ChannelChangeLogsHandler?
    ) {
        changes(ChangeLogStart(token: token), customTypes, completionHandler)
    }

    /// What became of the user's channels since a time of the server's.
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
