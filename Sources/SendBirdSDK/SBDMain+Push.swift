// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Roost
import RoostDoors
import RoostModel

/// The outcome of the registration of a push token.
public enum SBDPushTokenRegistrationStatus: UInt, Sendable {
    /// The server has the token.
    case success
    /// There is no connection; register the token again after the next login.
    case pending
    /// The registration failed.
    case error
}

extension SBDMain {
    private static let pendingToken = PendingPushToken()

    /// Registers the device for pushes of the current user's messages.
    ///
    /// Without a connection the token is kept for `getPendingPushToken()`, and the handler gets
    /// `.pending`.
    ///
    /// - Parameters:
    ///   - deviceToken: The token that the system gave the app.
    ///   - unique: Whether the user's other tokens are removed.
    ///   - completionHandler: The receiver of the outcome.
    public class func registerDevicePushToken(
        _ deviceToken: Data, unique: Bool,
        completionHandler: ((SBDPushTokenRegistrationStatus, SBDError?) -> Void)? = nil
    ) {
        let callback = pendingToken.callback(
            of: deviceToken,
            completionHandler.map { handler in
                { outcome in
                    switch outcome {
                    case .registered: handler(.success, nil)
                    case .waiting: handler(.pending, nil)
                    case .failed(let error): handler(.error, SBDError(error))
                    }
                }
            })
        guard door.user != nil else {
            return door.notify(callback, .failure(.noConnection))
        }
        let token = deviceToken.hexadecimal
        door.perform(then: callback) { client throws(RoostError) in
            try await client.registerPushToken(token, of: .apns, replacingOthers: unique)
        }
    }

    /// Returns the token that waits for a connection; nil for none.
    public class func getPendingPushToken() -> Data? { pendingToken.value }

    /// The handler of the end of a registration; the dictionary is empty.
    public typealias PushTokenHandler = (
        _ response: [AnyHashable: Any]?, _ error: SBDError?
    ) -> Void

    /// Ends the pushes to one device.
    public class func unregisterPushToken(
        _ deviceToken: Data, completionHandler: PushTokenHandler? = nil
    ) {
        let token = deviceToken.hexadecimal
        door.perform(then: ended(completionHandler)) { client throws(RoostError) in
            try await client.unregisterPushToken(token, of: .apns)
        }
    }

    /// Ends the pushes to all of the current user's devices.
    public class func unregisterAllPushToken(completionHandler: PushTokenHandler? = nil) {
        door.perform(then: ended(completionHandler)) { client throws(RoostError) in
            try await client.unregisterAllPushTokens()
        }
    }

    private class func ended(_ handler: PushTokenHandler?) -> Callback<Result<Void, RoostError>> {
        .answer(handler) { (_: Void) in [:] }
    }

    // MARK: Do not disturb

    /// Sets the hours in which the current user gets no pushes, every day.
    ///
    /// - Parameters:
    ///   - enable: Whether the hours count.
    ///   - startHour: The hour of the start, 0...23.
    ///   - startMin: The minute of the start, 0...59.
    ///   - endHour: The hour of the end, 0...23.
    ///   - endMin: The minute of the end, 0...59.
    ///   - timezone: The time zone of the hours, such as `Asia/Seoul`.
    ///   - completionHandler: The receiver of the outcome.
    public class func setDoNotDisturbWithEnable(
        _ enable: Bool, startHour: Int32, startMin: Int32, endHour: Int32, endMin: Int32,
        timezone: String, completionHandler: SBDErrorHandler? = nil
    ) {
        var change = PushPreferencesChange()
        change.doNotDisturb = .init(
            isOn: enable, startHour: Int(startHour), startMinute: Int(startMin),
            endHour: Int(endHour), endMinute: Int(endMin), timeZone: timezone)
        door.perform(then: .done(completionHandler)) { [change] client throws(RoostError) in
            _ = try await client.update(change)
        }
    }

    /// The handler of the hours without pushes.
    public typealias DoNotDisturbHandler = (
        _ isDoNotDisturbOn: Bool, _ startHour: Int32, _ startMin: Int32, _ endHour: Int32,
        _ endMin: Int32, _ timezone: String, _ error: SBDError?
    ) -> Void

    /// Fetches the hours in which the current user gets no pushes.
    public class func getDoNotDisturb(completionHandler: DoNotDisturbHandler?) {
        let callback = Callback<Result<PushPreferences, RoostError>>(
            completionHandler.map { handler in
                { result in
                    switch result {
                    case .success(let preferences):
                        guard let hours = preferences.doNotDisturb else {
                            return handler(false, 0, 0, 0, 0, "", nil)
                        }
                        handler(
                            hours.isOn, Int32(clamping: hours.startHour),
                            Int32(clamping: hours.startMinute), Int32(clamping: hours.endHour),
                            Int32(clamping: hours.endMinute), hours.timeZone, nil)
                    case .failure(let error): handler(false, 0, 0, 0, 0, "", SBDError(error))
                    }
                }
            })
        door.perform(then: callback) { client throws(RoostError) in
            try await client.pushPreferences()
        }
    }

    // MARK: Pushes that have arrived

    /// Reports that all messages of a push's channel have arrived on this device.
    ///
    /// - Parameters:
    ///   - payload: The push, with the channel under `sendbird`.
    ///   - completionHandler: The receiver of the outcome.
    public class func markAsDelivered(
        withRemoteNotificationPayload payload: [AnyHashable: Any],
        completionHandler: SBDErrorHandler? = nil
    ) {
        guard let url = ChannelURL(ofPush: payload) else {
            let error = RoostError(
                .invalidParameter, remedy: .correctInput, message: "The push names no channel.")
            return door.notify(.done(completionHandler), .failure(error))
        }
        door.perform(then: .done(completionHandler)) { client throws(RoostError) in
            try await client.markAsDelivered(url)
        }
    }

    /// Keeps the cache in the container of an app group, so that the app's extensions share it.
    ///
    /// Call it before the first connection. A cache at an earlier place stays there, with its
    /// unsent messages; the keys of an encrypted cache stay in the app's own folder. The call does
    /// nothing where the system has no app groups; `setCacheFolder(_:)` names any folder
    /// everywhere.
    public class func setAppGroup(_ appGroup: String) { door.moveCache(toAppGroup: appGroup) }
}
