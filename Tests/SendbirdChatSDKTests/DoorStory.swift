// SPDX-License-Identifier: Apache-2.0

import DoorTestSupport
import Foundation
import Roost
import RoostDoors
import RoostExecutors
import RoostModel
import RoostTestKit
import RoostTestSupport
import SendbirdChatSDK
import Testing

/// The root of all tests of the door: a process has one library, so they run one after another.
@Suite(.serialized)
struct SendbirdChatTests {}

/// The story of Alice with an app on the v4 door.
@dynamicMemberLookup
struct DoorStory: Sendable {
    let base: AppStory

    static func play(
        seed: UInt64, _ story: @escaping @Sendable (DoorStory) async throws -> Void
    ) throws {
        try AppStory.play(
            seed: seed, launch: { DoorStory(base: $0).launch() },
            { try await story(DoorStory(base: $0)) }, end: { await SendbirdChat.door.close() })
    }

    subscript<Value>(dynamicMember member: KeyPath<AppStory, Value>) -> Value {
        base[keyPath: member]
    }

    /// Starts the app, or starts it again.
    func launch() {
        enter(base.world.surroundings(of: base.phone))
        SendbirdChat.initialize(params: params())
    }

    /// Starts the library over; its handlers are called in virtual time.
    func enter(_ world: World) {
        SendbirdChat.door.enter(world)
        SendbirdChat.door.log.send { _ in }
        SendbirdChat.door.call(on: CallbackQueue { [world = base.world] in world.later($0) })
    }

    func params(isLocalCachingEnabled: Bool = true) -> InitParams {
        let params = InitParams(
            applicationId: "simulation", isLocalCachingEnabled: isLocalCachingEnabled,
            localCacheConfig: LocalCacheConfig(), logLevel: .verbose, appVersion: "1.2.3")
        params.server = "http://127.0.0.1:1"
        params.cacheFolder = base.folder.path
        return params
    }

    func wait<Value>(_ start: (@escaping (Value) -> Void) -> Void) async -> Value {
        await base.wait(start)
    }

    func channel(_ name: String) async throws -> ChannelURL { try await base.channel(name) }

    func checkPages(
        in url: ChannelURL, _ ask: (PageCase, Message) async -> [Int64]?
    ) async throws { try await base.checkPages(in: url, ask) }

    func checkChanges(
        in url: ChannelURL, since: (Int64) async throws -> ChangePage,
        after: (String) async throws -> ChangePage
    ) async throws { try await base.checkChanges(in: url, since: since, after: after) }

    @discardableResult
    func connect() async -> (user: SendbirdChatSDK.User?, error: SBError?) {
        await wait { done in
            SendbirdChat.connect(userId: "alice") { done(($0, $1)) }
        }
    }

    func get(_ url: ChannelURL) async throws -> SendbirdChatSDK.GroupChannel {
        let answer: (SendbirdChatSDK.GroupChannel?, SBError?) = await wait { done in
            SendbirdChatSDK.GroupChannel.getChannel(url: url.rawValue) { done(($0, $1)) }
        }
        return try #require(answer.0)
    }
}

/// The uploads in the simulated network.
final class Uploads: Sendable {
    private let lines = Guarded<[String]>([])

    func note(_ line: String) { lines.withLock { $0.append(line) } }

    private static func isUpload(_ line: String) -> Bool {
        line.hasPrefix("-> POST") && line.contains("/storage/")
    }

    var count: Int { lines.withLock { $0.filter(Self.isUpload).count } }

    var isRequested: Bool { count > 0 }

    /// The number of messages sent by HTTP.
    var sentByHTTP: Int {
        lines.withLock { $0.filter { $0.hasPrefix("-> POST") && $0.hasSuffix("/messages") }.count }
    }

    /// Whether an answer has arrived since the last call.
    var isAnswered: Bool {
        lines.withLock { lines in
            guard let last = lines.lastIndex(where: Self.isUpload) else { return false }
            return lines[last...].contains { $0.hasPrefix("<- 200") }
        }
    }
}
