// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Roost
import RoostDoors
import RoostExecutors
import RoostModel

/// The outcome of a registration for pushes.
public enum PushTokenRegistrationStatus: Int, Sendable {
    /// The server has the token.
    case success
    /// There is no connection; the token is kept for `SendbirdChat.getPendingPushToken()`.
    case pending
    /// The registration failed.
    case error
}

// The names are those of the old library.
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The push services.
public enum PushTokenType: Int, Sendable {
    /// Apple's service.
    case APNS
    /// Apple's service for calls; refused, as the server knows none.
    case APNSVoIP
    /// Google's service.
    case GCM
    /// No service.
    case none

    var kind: PushTokenKind? {
        switch self {
        case .APNS: .apns
        case .GCM: .gcm
        case .APNSVoIP, .none: nil
        }
    }
}

extension SendbirdChat {
    private static let pendingPushToken = PendingPushToken()

    /// Registers the device for pushes.
    ///
    /// Without a connection the status is `.pending`; the app registers
    /// `getPendingPushToken()` after the login.
    ///
    /// - Parameters:
    ///   - devToken: The token of Apple's service.
    ///   - unique: Whether the user's other tokens are removed.
    ///   - completionHandler: The handler of the outcome.
    public class func registerDevicePushToken(
        _ devToken: Data, unique: Bool,
        completionHandler: ((PushTokenRegistrationStatus, SBError?) -> Void)? = nil
    ) {
        let callback = pendingPushToken.callback(
            of: devToken,
            completionHandler.map { handler in
                { outcome in
                    switch outcome {
                    case .registered: handler(.success, nil)
                    case .waiting: handler(.pending, nil)
                    case .failed(let error): handler(.error, SBError(error))
                    }
                }
            })
        let token = devToken.hexadecimal
        door.perform(then: callback) { client throws(RoostError) in
            try await client.registerPushToken(token, of: .apns, replacingOthers: unique)
        }
    }

    /// Registers the device for pushes beside the user's other devices.
    public class func registerDevicePushTokenForMultiDevicePush(
        _ devToken: Data,
        completionHandler: ((PushTokenRegistrationStatus, SBError?) -> Void)? = nil
    ) {
        registerDevicePushToken(devToken, unique: false, completionHandler: completionHandler)
    }

    /// Returns the token that waits for a login; nil for none.
    public class func getPendingPushToken() -> Data? { pendingPushToken.value }

    /// Ends the pushes to a device.
    public class func unregisterPushToken(
        _ devToken: Data, completionHandler: SBErrorHandler? = nil
    ) {
        let token = devToken.hexadecimal
        door.perform(then: .done(completionHandler)) { client throws(RoostError) in
            try await client.unregisterPushToken(token, of: .apns)
        }
    }

    /// Ends the pushes to all devices of the current user.
    public class func unregisterAllPushToken(completionHandler: SBErrorHandler? = nil) {
        door.perform(then: .done(completionHandler)) { client throws(RoostError) in
            try await client.unregisterAllPushTokens()
        }
    }

    /// Returns a page of the current user's tokens: the tokens, their service, whether another page
    /// follows, and its token.
    public class func getMyPushTokens(
        token: String?, pushTokenType: PushTokenType,
        completionHandler: @escaping GetPushTokensHandler
    ) {
        let kind = pushTokenType.kind
        door.perform(
            then: .answer(
                { (page: Page<String>?, error) in
                    completionHandler(
                        page?.elements ?? [], pushTokenType, page?.next != nil, page?.next, error)
                }, { $0 })
        ) { client throws(RoostError) in
            guard let kind else { throw .notSupported("The server knows no such service.") }
            return try await client.pushTokens(of: kind, after: token)
        }
    }

    // MARK: Arrival of pushes

    /// Reports the arrival of a push; the channel's messages up to now count as delivered.
    ///
    /// The call needs a connection.
    public class func markAsDelivered(
        remoteNotificationPayload: [AnyHashable: Any], completionHandler: SBErrorHandler? = nil
    ) {
        let url = ChannelURL(ofPush: remoteNotificationPayload)
        door.perform(then: .done(completionHandler)) { client throws(RoostError) in
            guard let url else { throw .invalid("The push names no channel.") }
            try await client.markAsDelivered(url)
        }
    }

    /// Reports the arrival of a push; the same as `markAsDelivered`.
    public class func markPushNotificationAsDelivered(
        remoteNotificationPayload: [AnyHashable: Any], completionHandler: SBErrorHandler? = nil
    ) {
        markAsDelivered(
            remoteNotificationPayload: remoteNotificationPayload,
            completionHandler: completionHandler)
    }

    /// Reports the arrival of a push to the server at an address; another one than the client's
    /// server is refused.
    public class func markPushNotificationAsDelivered(
        apiHost: String?, remoteNotificationPayload: [AnyHashable: Any],
        completionHandler: SBErrorHandler? = nil
    ) {
        guard apiHost == nil || apiHost == door.settings.server else {
            return door.refuse(completionHandler, "The client knows one server only.")
        }
        markAsDelivered(
            remoteNotificationPayload: remoteNotificationPayload,
            completionHandler: completionHandler)
    }

    /// Fails, because the server counts no taps on pushes.
    public class func markPushNotificationAsClicked(
        apiHost: String?, remoteNotificationPayload: [AnyHashable: Any],
        completionHandler: SBErrorHandler? = nil
    ) {
        markPushNotificationAsClicked(
            remoteNotificationPayload: remoteNotificationPayload,
            completionHandler: completionHandler)
    }

    /// Fails, because the server counts no taps on pushes.
    public class func markPushNotificationAsClicked(
        remoteNotificationPayload: [AnyHashable: Any], completionHandler: SBErrorHandler? = nil
    ) {
        door.refuse(completionHandler, "The server counts no taps on pushes.")
    }

    // MARK: Extensions of the app

    /// Keeps the cache in the container of an app group, so that the app's extensions share it.
    ///
    /// Call it before the first connection. A later `initialize` keeps the container, unless it
    /// names a `cacheFolder` or puts the cache in memory. A cache at an earlier place stays there,
    /// with its unsent messages. The keys of an encrypted cache stay in the app's own
    /// folder, so only the app can open it. The call does nothing where the system has no app
    /// groups; `InitParams.cacheFolder` names any folder everywhere.
    public class func setAppGroup(_ appGroup: String) { door.moveCache(toAppGroup: appGroup) }

    /// Does nothing: uploads run in the process that began them and need no shared container.
    public class func setSharedContainerIdentifier(_ identifier: String) {}

    /// A closure of the app's own; never called, because no session runs in the background.
    public class var backgroundSessionCompletionHandler: (() -> Void)? {
        get { own.withLock { $0.backgroundSession }?.value }
        set {
            let session = newValue.map { Carried($0) }
            let before = own.withLock { own in
                defer { own.backgroundSession = session }
                return own.backgroundSession
            }
            // The end of an object that only the old closure kept may call the library.
            withExtendedLifetime(before) {}
        }
    }
}
