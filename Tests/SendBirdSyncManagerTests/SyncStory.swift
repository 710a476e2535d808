// SPDX-License-Identifier: Apache-2.0

import DoorTestSupport
import Foundation
import Roost
import RoostDoors
import RoostModel
import RoostTestKit
import RoostTestSupport
import SendBirdSDK
import SendBirdSyncManager
import Testing

/// The root of all tests of the door: a process has one library, so they run one after another.
@Suite(.serialized)
struct SendBirdTests {}

/// The story of Alice with an app on the v3 door.
@dynamicMemberLookup
struct SyncStory: Sendable {
    let base: AppStory

    static func play(
        seed: UInt64, _ story: @escaping @Sendable (SyncStory) async throws -> Void
    ) throws {
        try AppStory.play(
            seed: seed, launch: { SyncStory(base: $0).launch() },
            { try await story(SyncStory(base: $0)) },
            end: {
                SBSMSyncManager.pauseSynchronize()
                await SBDMain.door.close()
            })
    }

    subscript<Value>(dynamicMember member: KeyPath<AppStory, Value>) -> Value {
        base[keyPath: member]
    }

    /// Starts the app, or starts it again.
    func launch() {
        SBDMain.door.enter(base.world.surroundings(of: base.phone))
        SBDMain.door.log.send { _ in }
        SBDMain.door.call(on: CallbackQueue { [world = base.world] in world.later($0) })
        SBDMain.initWithApplicationId("simulation")
        SBDMain.setServer("http://127.0.0.1:1")
        SBDMain.setCacheFolder(base.folder.path)
        SBSMSyncManager.setup(withUserId: "alice")
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

    /// Connects as in the guide.
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

    func get(_ url: ChannelURL) async throws -> SBDGroupChannel {
        let answer: (SBDGroupChannel?, SBDError?) = await wait { done in
            SBDGroupChannel.getWithUrl(url.rawValue) { done(($0, $1)) }
        }
        return try #require(answer.0)
    }
}
