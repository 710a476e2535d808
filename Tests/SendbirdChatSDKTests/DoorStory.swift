// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostDoors
import RoostExecutors
import RoostModel
import RoostTestKit
import RoostTestSupport
import SendbirdChatSDK
import Testing

/// All tests of the door: the library is one for the process, so they take turns.
@Suite(.serialized)
struct SendbirdChatTests {}

/// Alice's phone runs an app on the door, Bob's runs on the engine; one world, virtual time.
struct DoorStory: Sendable {
    let world: SimulatedWorld
    let phone: SimulatedWorld.Device
    let bob: ChatClient
    let folder: TemporaryFolder

    static func play(
        seed: UInt64, _ story: @escaping @Sendable (DoorStory) async throws -> Void
    ) throws {
        let folder = try TemporaryFolder()
        try SimulatedWorld.play(seed: seed) { world in
            let bob = try await world.launch(world.device(of: "bob"))
            try await bob.connect()
            let play = DoorStory(
                world: world, phone: world.device(of: "alice"), bob: bob, folder: folder)
            play.launch()
            try await story(play)
            await SendbirdChat.door.close()
            await bob.close()
        }
    }

    /// Starts the app, or starts it again.
    func launch() {
        SendbirdChat.door.enter(world.surroundings(of: phone))
        SendbirdChat.door.call(on: CallbackQueue { [world] work in world.later(work) })
        SendbirdChat.initialize(params: params())
    }

    func params(isLocalCachingEnabled: Bool = true) -> InitParams {
        let params = InitParams(
            applicationId: "simulation", isLocalCachingEnabled: isLocalCachingEnabled,
            logLevel: .verbose, appVersion: "1.2.3")
        params.server = "http://127.0.0.1:1"
        params.cacheFolder = folder.path
        return params
    }

    /// Calls something with a handler and returns what the handler was given, once.
    func wait<Value>(
        _ start: (@escaping (Value) -> Void) -> Void
    ) async -> Value {
        let answers = Answers<Value>()
        start { answers.values.append($0) }
        for _ in 0..<1_000 where answers.values.isEmpty { await world.pass(.milliseconds(50)) }
        await world.pass(.milliseconds(50))
        #expect(answers.values.count == 1)
        return answers.values[0]
    }

    @discardableResult
    func connect() async -> (user: SendbirdChatSDK.User?, error: SBError?) {
        await wait { done in
            SendbirdChat.connect(userId: "alice") { done(($0, $1)) }
        }
    }

    func channel(_ name: String) async throws -> ChannelURL {
        var params = ChannelCreateParams(memberIDs: ["alice"], name: name)
        params.operatorIDs = ["bob"]
        return try await bob.createChannel(
            params
        ).url
    }

    func get(_ url: ChannelURL) async throws -> SendbirdChatSDK.GroupChannel {
        let answer: (SendbirdChatSDK.GroupChannel?, SBError?) = await wait { done in
            SendbirdChatSDK.GroupChannel.getChannel(url: url.rawValue) { done(($0, $1)) }
        }
        return try #require(answer.0)
    }
}

final class Answers<Value> {
    var values: [Value] = []
}

/// What is uploaded, as the network sees it.
final class Uploads: Sendable {
    private let lines = Guarded<[String]>([])

    func note(_ line: String) { lines.withLock { $0.append(line) } }

    private static func isUpload(_ line: String) -> Bool {
        line.hasPrefix("-> POST") && line.contains("/storage/")
    }

    var count: Int { lines.withLock { $0.filter(Self.isUpload).count } }

    var isRequested: Bool { count > 0 }

    /// Messages that went by HTTP.
    var sentByHTTP: Int {
        lines.withLock { $0.filter { $0.hasPrefix("-> POST") && $0.hasSuffix("/messages") }.count }
    }

    /// Whether an answer has come since the last one.
    var isAnswered: Bool {
        lines.withLock { lines in
            guard let last = lines.lastIndex(where: Self.isUpload) else { return false }
            return lines[last...].contains { $0.hasPrefix("<- 200") }
        }
    }
}
