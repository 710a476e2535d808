// SPDX-License-Identifier: Apache-2.0

// Stand-ins for native calls that the client gets at the merge; this file is deleted then.

package import Roost
package import RoostModel

package struct ProfileUpdateParams: Sendable {
    package var nickname: String?
    package var pictureURL: String?
    package var picture: [UInt8]?
    package var preferredLanguages: [String]?
    package init() {}
}

package struct UserQuery: Sendable {
    package var ids: [UserID]?
    package var nicknamePrefix: String?
    package var metadataKey: String?
    package var metadataValues: [String]?
    package init() {}
}

package enum PushTokenKind: Sendable { case apns, gcm, huawei }

package struct DoNotDisturb: Sendable {
    package var isOn: Bool
    package var startHour: Int
    package var startMinute: Int
    package var endHour: Int
    package var endMinute: Int
    package var timeZone: String
    package init(
        isOn: Bool, startHour: Int, startMinute: Int, endHour: Int, endMinute: Int,
        timeZone: String
    ) {
        (self.isOn, self.startHour, self.startMinute) = (isOn, startHour, startMinute)
        (self.endHour, self.endMinute, self.timeZone) = (endHour, endMinute, timeZone)
    }
}

package struct Snooze: Sendable {
    package var isOn: Bool
    package var start: Timestamp
    package var end: Timestamp
    package init(isOn: Bool, start: Timestamp, end: Timestamp) {
        (self.isOn, self.start, self.end) = (isOn, start, end)
    }
}

package struct PushPreferences: Sendable {
    package var trigger: PushTrigger
    package var doNotDisturb: DoNotDisturb?
    package var snooze: Snooze?
    package var sound: String
}

package struct PushPreferencesChange: Sendable {
    package var trigger: PushTrigger?
    package var doNotDisturb: DoNotDisturb?
    package var snooze: Snooze?
    package var sound: String?
    package init() {}
}

package enum ReportSubject: Sendable {
    case channel(ChannelURL)
    case user(UserID, in: ChannelURL?)
    case message(MessageID, in: ChannelURL)
}

package enum NativeReportCategory: String, Sendable {
    case suspicious, harassing, inappropriate, spam
}

package struct MuteInfo: Sendable {
    package var isMuted: Bool
    package var reason: String
    package var start: Timestamp?
    package var end: Timestamp?
    package var remaining: Duration?
}

extension Configuration {
    package var tokenProvider: (@Sendable () async -> String?)? {
        get { nil }
        set {}
    }
}

private let missing = RoostError(
    .featureUnavailable, remedy: .none, message: "Not before the merge.")

extension ChatClient {
    package func updateProfile(_ params: ProfileUpdateParams) async throws(RoostError) -> User {
        throw missing
    }
    package func users(
        _ query: UserQuery = UserQuery(), pageSize: Int = 20, after token: String? = nil
    ) async throws(RoostError) -> Page<User> { throw missing }
    package func createUserMetadata(
        _ metadata: [String: String]
    ) async throws(RoostError) -> [String: String] { throw missing }
    package func updateUserMetadata(
        _ metadata: [String: String], addsMissing: Bool
    ) async throws(RoostError) -> [String: String] { throw missing }
    package func deleteUserMetadata(_ key: String?) async throws(RoostError) { throw missing }
    package func registerPushToken(
        _ token: String, of kind: PushTokenKind, replacingOthers: Bool = false
    ) async throws(RoostError) { throw missing }
    package func unregisterPushToken(
        _ token: String, of kind: PushTokenKind
    ) async throws(RoostError) { throw missing }
    package func unregisterAllPushTokens() async throws(RoostError) { throw missing }
    package func pushTokens(
        of kind: PushTokenKind, after token: String? = nil
    ) async throws(RoostError) -> Page<String> { throw missing }
    package func pushPreferences() async throws(RoostError) -> PushPreferences { throw missing }
    @discardableResult
    package func update(
        _ change: PushPreferencesChange
    ) async throws(RoostError) -> PushPreferences { throw missing }
    package func pushTemplate() async throws(RoostError) -> String { throw missing }
    package func setPushTemplate(_ name: String) async throws(RoostError) { throw missing }
    package func uploadPicture(
        _ bytes: [UInt8], type: String = "image/jpeg"
    ) async throws(RoostError) -> String { throw missing }
    package func acceptsInvitations() async throws(RoostError) -> Bool { throw missing }
    package func setAcceptsInvitations(_ accepts: Bool) async throws(RoostError) { throw missing }
    package func report(
        _ subject: ReportSubject, category: NativeReportCategory, description: String = ""
    ) async throws(RoostError) { throw missing }
    package func muteInfo(in channel: ChannelURL) async throws(RoostError) -> MuteInfo {
        throw missing
    }
    package func channelCount(
        _ state: MembershipState? = nil
    ) async throws(RoostError) -> Int { throw missing }
}
