// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostDoors
import RoostExecutors
import RoostModel

// Stand-ins for calls that the native client gets meanwhile; the merge deletes this file.

struct ProfileUpdateParams: Sendable {
    var nickname: String?
    var pictureURL: String?
    var picture: [UInt8]?
    var preferredLanguages: [String]?
}

struct UserQuery: Sendable {
    var ids: [UserID]?
    var nicknamePrefix: String?
    var metadataKey: String?
    var metadataValues: [String]?
}

enum PushTokenKind: Sendable { case apns, apnsVoIP, gcm }

struct DoNotDisturb: Sendable {
    var isOn: Bool
    var startHour: Int
    var startMinute: Int
    var endHour: Int
    var endMinute: Int
    var timeZone: String
}

struct PushPreferences: Sendable {
    var doNotDisturb: DoNotDisturb?
}

struct PushPreferencesChange: Sendable {
    var doNotDisturb: DoNotDisturb?
}

struct MuteInfo: Sendable {
    var isMuted = false
    var reason = ""
    var start: Timestamp?
    var end: Timestamp?
    var remaining: Duration?
}

extension ChatClient {
    private func missing<Value>() async throws(RoostError) -> Value {
        throw RoostError(
            .featureUnavailable, remedy: .none, message: "The native client lacks this call.")
    }

    @discardableResult
    func updateProfile(_ params: ProfileUpdateParams) async throws(RoostError) -> User {
        try await missing()
    }

    func uploadPicture(
        _ bytes: [UInt8], type: String = "image/jpeg"
    ) async throws(RoostError) -> String { try await missing() }

    func users(
        _ query: UserQuery = UserQuery(), pageSize: Int = 20, after token: String? = nil
    ) async throws(RoostError) -> Page<User> { try await missing() }

    func registerPushToken(
        _ token: String, of kind: PushTokenKind, replacingOthers: Bool = false
    ) async throws(RoostError) { let _: Bool = try await missing() }

    func unregisterPushToken(
        _ token: String, of kind: PushTokenKind
    ) async throws(RoostError) { let _: Bool = try await missing() }

    func unregisterAllPushTokens() async throws(RoostError) { let _: Bool = try await missing() }

    func pushPreferences() async throws(RoostError) -> PushPreferences { try await missing() }

    @discardableResult
    func update(_ change: PushPreferencesChange) async throws(RoostError) -> PushPreferences {
        try await missing()
    }

    func muteInfo(in channel: ChannelURL) async throws(RoostError) -> MuteInfo {
        try await missing()
    }
}

// MARK: - Stand-ins for the doors' common part

enum UploadStep: Sendable {
    case sent(RequestID, UploadProgress)
    case uploaded(RequestID, file: Int)
}

struct DoorReport: Sendable {
    var connection = ConnectionState.disconnected
    var typing: [ChannelURL: [User]] = [:]
    var unreadTotal = 0
}

extension Door {
    var report: DoorReport { DoorReport() }

    func update(_ user: User) {}

    func reconnect() -> Bool {
        guard user != nil else { return false }
        perform(then: .none) { client throws(RoostError) in try await client.connect() }
        return true
    }

    func send(
        _ params: MessageParams, to channel: ChannelURL, progress: Callback<UploadStep>,
        then callback: Callback<(message: Message, error: RoostError?)>
    ) -> Message {
        send(
            params, to: channel,
            progress: Callback<UploadProgress> { self.notify(progress, .sent("", $0)) },
            then: callback)
    }

    func resend(
        _ message: Message, progress: Callback<UploadStep>,
        then callback: Callback<(message: Message, error: RoostError?)>
    ) -> Message { resend(message, then: callback) }

    func refuse(
        _ params: MessageParams, to channel: ChannelURL, _ error: RoostError,
        then callback: Callback<(message: Message, error: RoostError?)>
    ) -> Message {
        var message = Message(
            delivery: .unsent("", .failed(error.code)), channelURL: channel,
            createdAt: world.wallTime(), content: .user(text: ""))
        if case .user(let params) = params { message.content = .user(text: params.text) }
        if case .file = params {
            message.content = .file(
                FileContent(url: "", name: "", type: "", size: ByteCount(bytes: 0)))
        }
        notify(callback, (message, error))
        return message
    }

    func react(
        _ key: String, to target: MessageTarget, in channel: ChannelURL, isAdded: Bool,
        then callback: Callback<Result<ReactionChange, RoostError>>
    ) {
        let now = world.wallTime()
        perform(then: callback) { client throws(RoostError) in
            let request =
                isAdded
                ? try await client.addReaction(key, to: target, in: channel)
                : try await client.removeReaction(key, from: target, in: channel)
            try await client.outcome(of: request)
            return ReactionChange(
                key: key, userID: client.configuration.userID, isAdded: isAdded, updatedAt: now)
        }
    }
}

extension Door.Settings {
    var tokenProvider: (@Sendable () async -> String?)? {
        get { nil }
        set {}
    }
}

final class PageReader<Element: Hashable & Sendable>: Sendable {
    private struct State {
        var token: String?
        var hasNext = true
        var isLoading = false
    }

    private let door: Door
    private let state = Guarded(State())

    init(_ door: Door) { self.door = door }

    var hasNext: Bool { state.withLock { $0.hasNext } }
    var isLoading: Bool { state.withLock { $0.isLoading } }

    func load(
        then callback: Callback<Result<[Element], RoostError>>,
        _ fetch: @escaping @Sendable (ChatClient, String?) async throws(RoostError) -> Page<Element>
    ) {
        let before = state.withLock { state in
            defer { state.isLoading = true }
            return state
        }
        guard !before.isLoading else { return door.notify(callback, .failure(.underWay)) }
        let client = door.capturedClient
        door.start { [self] in
            var result = Result<[Element], RoostError>.success([])
            var next = before
            do throws(RoostError) {
                if before.hasNext {
                    let page = try await fetch(try await client(), before.token)
                    (next.token, next.hasNext) = (page.next, page.next != nil)
                    result = .success(page.elements)
                }
            } catch {
                result = .failure(error)
            }
            state.withLock { [next] in $0 = next }
            door.notify(callback, result)
        }
    }
}
