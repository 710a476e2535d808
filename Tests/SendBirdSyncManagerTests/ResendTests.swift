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
    /// Tests of the manager's options for messages that could not be sent.
    struct Resends {
        private typealias View = ChatScreen

        /// Plays a story in which Alice watches a channel, with options of her own.
        private static func play(
            seed: UInt64, _ set: @escaping @Sendable (SBSMSyncManagerOptions) -> Void,
            _ story: @escaping @Sendable (SyncStory, ChannelURL, View) async throws -> Void
        ) throws {
            try SyncStory.play(seed: seed) { play in
                await SBDMain.door.close()
                let options = SBSMSyncManagerOptions()
                set(options)
                SBSMSyncManager.setup(withUserId: "alice", options: options)
                let url = try await play.channel("train")
                await play.connect()
                let view = View(channel: try await play.get(url))
                view.viewDidLoad()
                await play.world.pass()
                view.events = []
                try await story(play, url, view)
                view.close()
            }
        }

        /// Sends without the guide's handling of an error.
        private static func send(_ text: String, _ view: View) {
            guard let params = SBDUserMessageParams(message: text) else { return }
            view.channel.sendUserMessage(with: params)
        }

        @Test(arguments: [SBSMMessageResendPolicy.none, .manual, .automatic])
        func `the policy decides on messages written without a connection (R138, R149)`(
            policy: SBSMMessageResendPolicy
        ) throws {
            try Self.play(seed: 91) {
                $0.messageResendPolicy = policy
            } _: { story, url, view in
                await story.phone.network.cut()
                Self.send("later", view)
                await story.world.pass()
                #expect(view.shown == (policy == .none ? [] : ["later"]))
                // With the manual policy a message may fail before it is shown first.
                let last: Set<String?> =
                    policy == .none
                    ? ["remove 1"]
                    : policy == .manual ? ["update failed", "insert 1"] : ["insert 1"]
                #expect(last.contains(view.events.last))
                let failures = await (try SBDMain.door.client()).failedMessages(in: url)
                #expect(failures.count == (policy == .manual ? 1 : 0))
                story.phone.network.restore()
                await story.world.pass(.seconds(60))
                let log = try await story.world.log(of: url).map(\.text)
                #expect(log == (policy == .automatic ? ["later"] : []))
                guard policy == .manual else { return }
                let client = try await SBDMain.door.client()
                let failed = try #require(await client.failedMessages(in: url).first)
                let (sent, error): (SBDUserMessage?, SBDError?) = await story.wait { done in
                    guard let message = SBDBaseMessage.make(failed) as? SBDUserMessage else {
                        return
                    }
                    view.channel.resendUserMessage(with: message) { done(($0, $1)) }
                }
                #expect(error == nil)
                #expect(sent?.requestId == failed.requestID?.rawValue)
                #expect(try await story.world.log(of: url).map(\.text) == ["later"])
            }
        }

        @Test(arguments: [0, 1] as [UInt])
        func `a message is retried as often as the options say (R143, R153)`(
            retries: UInt
        ) throws {
            try Self.play(seed: 92) {
                $0.automaticMessageResendRetryCount = retries
            } _: { story, url, view in
                Self.send("lost", view)
                await story.world.pass(.milliseconds(1))
                await story.phone.network.cut()  // The message is being sent and does not arrive.
                await story.world.pass()
                let client = try await SBDMain.door.client()
                #expect(try await client.allUnsent().map(\.attemptCount) == [1])
                // An attempt that never left does not count.
                Self.send("fresh", view)
                await story.world.pass()
                story.phone.network.restore()
                await story.world.pass(.seconds(60))
                let log = try await story.world.log(of: url).map(\.text)
                #expect(log == (retries == 0 ? ["fresh"] : ["lost", "fresh"]))
                let failed = await client.failedMessages(in: url).map(\.text)
                #expect(failed == (retries == 0 ? ["lost"] : []))
            }
        }

        @Test func `a message that the app sends again has all its retries again (R143)`() throws {
            try Self.play(seed: 94) {
                $0.automaticMessageResendRetryCount = 1
            } _: { story, url, view in
                let client = try await SBDMain.door.client()
                /// Cuts the link while an attempt is on its way.
                func lose(attempt: Int) async throws {
                    story.phone.network.restore()
                    for _ in 0..<60_000
                    where try await client.allUnsent().first?.attemptCount != attempt {
                        await story.world.pass(.milliseconds(1))
                    }
                    await story.phone.network.cut()
                    await story.world.pass()
                    #expect(try await client.allUnsent().map(\.attemptCount) == [attempt])
                }
                Self.send("lost", view)
                try await lose(attempt: 1)
                #expect(await client.failedMessages(in: url).isEmpty)
                try await lose(attempt: 2)
                let failed = try #require(await client.failedMessages(in: url).first)
                let message = try #require(SBDBaseMessage.make(failed) as? SBDUserMessage)
                view.channel.resendUserMessage(with: message, completionHandler: nil)
                await story.world.pass()
                try await lose(attempt: 3)
                #expect(await client.failedMessages(in: url).isEmpty)
                story.phone.network.restore()
                await story.world.pass(.seconds(60))
                #expect(try await story.world.log(of: url).map(\.text) == ["lost"])
            }
        }

        @Test
        func `the newest failed messages are kept, for some days (R149, R151)`() throws {
            try Self.play(seed: 93) {
                $0.maxFailedMessageCountPerChannel = 2
                $0.failedMessageRetentionDays = 1
            } _: { story, url, view in
                try await story.bob.setFrozen(true, url)
                await story.world.pass()
                for number in 1...4 {
                    Self.send("\(number)", view)
                    await story.world.pass()
                }
                #expect(view.shown == ["3", "4"])
                let client = try await SBDMain.door.client()
                #expect(await client.failedMessages(in: url).map(\.text) == ["3", "4"])
                let day: Int64 = 86_400_000
                for (days, kept) in [(3, 2), (5, 0)] {
                    story.phone.clockError.milliseconds = Int64(days) * day
                    await story.phone.network.cut()
                    story.phone.network.restore()
                    await story.world.pass(.seconds(60))
                    #expect(await client.failedMessages(in: url).count == kept)
                }
                #expect(view.shown.isEmpty)
            }
        }
    }
}
