// SPDX-License-Identifier: Apache-2.0

public import RoostModel
import RoostWire

// Each call needs a connection, and throws `.connectionRequired` without one. A Roost server stores
// tokens and preferences, and sends no notifications itself (`docs/protocol` 3.4).

extension ChatClient {
    // MARK: Push notifications

    /// Registers a device for push notifications.
    ///
    /// - Parameters:
    ///   - token: The device's token, in the form that its service uses.
    ///   - kind: The service.
    ///   - replacingOthers: Whether the user's other tokens of the service are removed.
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func registerPushToken(
        _ token: String, of kind: PushTokenKind, replacingOthers: Bool = false
    ) async throws(RoostError) {
        _ = try await ask(
            OwnRequest.registerToken(
                token, kind, isOnly: replacingOthers, of: configuration.userID))
    }

    /// Removes a device from the push notifications of the user.
    ///
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func unregisterPushToken(
        _ token: String, of kind: PushTokenKind
    ) async throws(RoostError) {
        _ = try await ask(OwnRequest.unregisterToken(token, kind, of: configuration.userID))
    }

    /// Removes all devices of the user from push notifications.
    ///
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func unregisterAllPushTokens() async throws(RoostError) {
        _ = try await ask(OwnRequest.unregisterAllTokens(of: configuration.userID))
    }

    /// Returns a page of the tokens of the user's devices.
    ///
    /// - Parameters:
    ///   - kind: The service.
    ///   - token: `Page.next` of the page before; nil for the first page.
    /// - Returns: The page.
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func pushTokens(
        of kind: PushTokenKind, after token: String? = nil
    ) async throws(RoostError) -> Page<String> {
        try await ask(ListPushTokens(userID: configuration.userID, kind: kind, token: token))
    }

    /// Returns the user's preferences for push notifications.
    ///
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func pushPreferences() async throws(RoostError) -> PushPreferences {
        try await ask(PushPreferencesQuestion(userID: configuration.userID))
    }

    /// Changes the user's preferences for push notifications.
    ///
    /// `setPushTrigger(_:of:)` sets the preference of one channel.
    ///
    /// - Returns: All preferences as changed.
    /// - Throws: `.invalidParameter` for a part of a day with an hour beyond 23 or a minute beyond
    ///   59; `.connectionRequired`, or the server's refusal.
    @discardableResult
    public func update(
        _ change: PushPreferencesChange
    ) async throws(RoostError) -> PushPreferences {
        let windows = change.weeklyDoNotDisturb.map { Array($0.windows.values.joined()) } ?? []
        guard windows.allSatisfy(\.isOnTheClock) else {
            throw RoostError(
                .invalidParameter, remedy: .correctInput,
                message: "In a `WeeklyDoNotDisturb.Window` hours must be 0 to 23 and minutes "
                    + "0 to 59.")
        }
        return try await ask(PushPreferencesQuestion(userID: configuration.userID, change: change))
    }

    /// Returns the name of the template of the user's notifications: `default` or `alternative`.
    ///
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func pushTemplate() async throws(RoostError) -> String {
        try await ask(GetPushTemplate(userID: configuration.userID))
    }

    /// Sets the template of the user's notifications: `default` or `alternative`.
    ///
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func setPushTemplate(_ name: String) async throws(RoostError) {
        _ = try await ask(OwnRequest.setPushTemplate(name, of: configuration.userID))
    }
}
