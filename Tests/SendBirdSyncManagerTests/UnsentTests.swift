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

extension SendBirdTests {
    /// Tests of messages that could not be sent, with and without the sync manager.
    struct UnsentMessages {
        /// The ways in which an app starts, and gives unsent messages a rule.
        enum Start: CaseIterable {
            case withoutManager, caching, setUpFirst, setUpLater, adopted

            /// Whether messages wait for a connection.
            var resends: Bool { self != .withoutManager }
        }

        /// Starts the app in a new process, and connects.
        private static func launch(_ story: SyncStory, _ start: Start) async {
            await SBDMain.door.close()
            SBSMSyncManager.startOver()
            SBDMain.door.enter(story.world.surroundings(of: story.phone))
            SBDMain.door.log.send { _ in }
            SBDMain.door.call(on: CallbackQueue { [world = story.world] in world.later($0) })
            if start == .caching {
                SBDMain.initWithApplicationId(
                    "simulation", useCaching: true, migrationStartHandler: nil,
                    completionHandler: nil)
            } else {
                SBDMain.initWithApplicationId("simulation")
            }
            SBDMain.setServer("http://127.0.0.1:1")
            SBDMain.setCacheFolder(story.folder.path)
            if start == .setUpFirst { SBSMSyncManager.setup(withUserId: "alice") }
            let _: SBDError? = await story.wait { done in
                SBDMain.connect(withUserId: "alice") { done($1) }
            }
            switch start {
            case .withoutManager, .caching, .setUpFirst: break
            case .setUpLater: SBSMSyncManager.setup(withUserId: "alice")
            case .adopted: SBSMSyncManager().resumeSynchronize()
            }
            await story.world.pass()
        }

        @Test func `a message that is deleted directly after its sending is not sent`() throws {
            try SyncStory.play(seed: 325) { story in
                let url = try await story.channel("train")
                await Self.launch(story, .setUpFirst)
                let channel = try await story.get(url)
                let collection = SBSMMessageCollection(
                    channel: channel, filter: nil, viewpointTimestamp: Int64.max)
                await story.phone.network.cut()
                let preview = channel.sendUserMessage("oops") { _, _ in }
                collection.deleteMessage(preview)
                await story.world.pass()
                story.phone.network.restore()
                await story.world.pass(.seconds(60))
                #expect(try await story.world.log(of: url).isEmpty)
            }
        }

        @Test(arguments: Start.allCases)
        func `a text waits for a connection with the manager or with local caching only (R138)`(
            start: Start
        ) throws {
            try SyncStory.play(seed: 321) { story in
                let url = try await story.channel("train")
                await Self.launch(story, start)
                let channel = try await story.get(url)
                await story.phone.network.cut()
                let answers = Answers<(SBDUserMessage?, SBDError?)>()
                channel.sendUserMessage("later") { answers.values.append(($0, $1)) }
                await story.world.pass()
                #expect(answers.values.count == 1)
                let (message, error) = answers.values.first ?? (nil, nil)
                #expect(error?.code == SBDErrorCode.connectionRequired.rawValue)
                let status: SBDMessageSendingStatus = start.resends ? .pending : .failed
                #expect(message?.sendingStatus == status)
                let client = try await SBDMain.door.client()
                let failed = await client.failedMessages(in: url).map(\.text)
                #expect(failed == (start.resends ? [] : ["later"]))
                story.phone.network.restore()
                await story.world.pass(.seconds(60))
                let log = try await story.world.log(of: url).map(\.text)
                #expect(log == (start.resends ? ["later"] : []))
                if !start.resends {
                    let unsent = try #require(message)
                    let second: SBDError? = await story.wait { done in
                        channel.resendUserMessage(with: unsent) { done($1) }
                    }
                    #expect(second == nil)
                    #expect(try await story.world.log(of: url).map(\.text) == ["later"])
                }
                #expect(answers.values.count == 1)
            }
        }

        @Test(arguments: [Start.setUpFirst, .setUpLater, .adopted])
        func `a waiting text outlives the app, whenever the manager is set up (R138, R157)`(
            start: Start
        ) throws {
            try SyncStory.play(seed: 322) { story in
                let url = try await story.channel("train")
                await Self.launch(story, start)
                let channel = try await story.get(url)
                await story.phone.network.cut()
                channel.sendUserMessage("later")
                await story.world.pass()
                await Self.launch(story, start)
                let client = try await SBDMain.door.client()
                let unsent = await client.unsentMessages(in: url)
                #expect(unsent.map(\.text) == ["later"])
                #expect(unsent.map(\.status) == [.pending])
                story.phone.network.restore()
                await story.world.pass(.seconds(60))
                #expect(try await story.world.log(of: url).map(\.text) == ["later"])
            }
        }

        @Test
        func `a waiting text fails when the app is launched without the manager (R138)`() throws {
            try SyncStory.play(seed: 323) { story in
                let url = try await story.channel("train")
                await Self.launch(story, .setUpFirst)
                let channel = try await story.get(url)
                await story.phone.network.cut()
                channel.sendUserMessage("later")
                await story.world.pass()
                await Self.launch(story, .withoutManager)
                story.phone.network.restore()
                await story.world.pass(.seconds(60))
                let client = try await SBDMain.door.client()
                #expect(await client.failedMessages(in: url).map(\.text) == ["later"])
                #expect(try await story.world.log(of: url).isEmpty)
            }
        }

        @Test(arguments: [SBSMMessageResendPolicy.none, .manual, .automatic])
        func `the handler of an unsent text learns whether it waits (R138, R149)`(
            policy: SBSMMessageResendPolicy
        ) throws {
            try SyncStory.play(seed: 324) { story in
                let url = try await story.channel("train")
                await Self.launch(story, .setUpFirst)
                let options = SBSMSyncManagerOptions()
                options.messageResendPolicy = policy
                SBSMSyncManager.setup(withUserId: "alice", options: options)
                await story.world.pass()
                let channel = try await story.get(url)
                await story.phone.network.cut()
                let answers = Answers<(SBDUserMessage?, SBDError?)>()
                channel.sendUserMessage("later") { answers.values.append(($0, $1)) }
                await story.world.pass()
                #expect(answers.values.count == 1)
                let (message, error) = answers.values.first ?? (nil, nil)
                #expect(error?.code == SBDErrorCode.connectionRequired.rawValue)
                let status: SBDMessageSendingStatus = policy == .automatic ? .pending : .failed
                #expect(message?.sendingStatus == status)
            }
        }
    }
}
