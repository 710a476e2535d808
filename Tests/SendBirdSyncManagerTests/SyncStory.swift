// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostDoors
import RoostModel
import RoostTestKit
import RoostTestSupport
import SendBirdSDK
import SendBirdSyncManager
import Testing

/// All tests of the door: the library is one for the process, so they take turns.
@Suite(.serialized)
struct SendBirdTests {}

/// Alice's phone runs an app on the v3 door, Bob's runs on the engine; one world, virtual time.
struct SyncStory: Sendable {
    let world: SimulatedWorld
    let phone: SimulatedWorld.Device
    let bob: ChatClient
    let folder: TemporaryFolder

    static func play(
        seed: UInt64, _ story: @escaping @Sendable (SyncStory) async throws -> Void
    ) throws {
        let folder = try TemporaryFolder()
        try SimulatedWorld.play(seed: seed) { world in
            let bob = try await world.launch(world.device(of: "bob"))
            try await bob.connect()
            let play = SyncStory(
                world: world, phone: world.device(of: "alice"), bob: bob, folder: folder)
            play.launch()
            try await story(play)
            SBSMSyncManager.pauseSynchronize()
            await SBDMain.door.close()
            await bob.close()
        }
    }

    /// Starts the app, or starts it again.
    func launch() {
        SBDMain.door.enter(world.surroundings(of: phone))
        SBDMain.door.call(on: CallbackQueue { [world] work in world.later(work) })
        SBDMain.initWithApplicationId("simulation")
        SBDMain.setServer("http://127.0.0.1:1")
        SBDMain.setCacheFolder(folder.path)
        SBSMSyncManager.setup(withUserId: "alice")
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

    /// Connects as the guide says.
    @discardableResult
    func connect() async -> SBDError? {
        await wait { done in
            SBDMain.connect(withUserId: "alice") { (user, error) in
                if let theError: SBDError = error { return done(theError) }
                let manager: SBSMSyncManager = SBSMSyncManager()
                manager.resumeSynchronize()
                done(nil)
            }
        }
    }

    func channel(_ name: String) async throws -> ChannelURL {
        var params = ChannelCreateParams(memberIDs: ["alice"], name: name)
        params.operatorIDs = ["bob"]
        return try await bob.createChannel(params).url
    }

    func get(_ url: ChannelURL) async throws -> SBDGroupChannel {
        let answer: (SBDGroupChannel?, SBDError?) = await wait { done in
            SBDGroupChannel.getWithUrl(url.rawValue) { done(($0, $1)) }
        }
        return try #require(answer.0)
    }
}

final class Answers<Value> {
    var values: [Value] = []
}
