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
    /// Tests of pages that the disk has in part, while the server cannot be reached.
    struct PartialPages {
        /// Plays a story in which Alice's cache has the newest fifty of 210 messages, and her phone
        /// has no network.
        private static func play(
            seed: UInt64,
            _ story: @escaping @Sendable (SyncStory, SBDGroupChannel) async throws -> Void
        ) throws {
            try SyncStory.play(seed: seed) { play in
                let url = try await play.channel("train")
                for number in 1...200 { try await play.bob.send("\(number)", to: url) }
                await play.bob.waitUntilIdle()
                await play.connect()
                SBSMSyncManager.pauseSynchronize()
                let view = ChatScreen(channel: try await play.get(url))
                view.viewDidLoad()
                await play.world.pass()
                for number in 201...210 { try await play.bob.send("\(number)", to: url) }
                await play.bob.waitUntilIdle()
                await play.world.pass()
                #expect(view.shown == (161...210).map(String.init))
                view.close()
                await SBDMain.door.close()
                await play.phone.network.cut()
                play.launch()
                await play.connect()
                SBSMSyncManager.pauseSynchronize()
                try await story(play, try await play.get(url))
            }
        }

        private static func fetch(_ story: SyncStory, _ view: ChatScreen) async -> SBDError? {
            await story.wait { done in
                view.messageCollection.fetch(in: .previous) { (error: SBDError?) in done(error) }
            }
        }

        @Test
        func `a fetch delivers the part of a page that the cache has (R182, R183)`() throws {
            try Self.play(seed: 57) { story, channel in
                let view = ChatScreen(channel: channel)
                view.viewDidLoad()
                await story.world.pass()
                #expect(view.shown == (171...210).map(String.init))
                #expect(await Self.fetch(story, view) == nil)
                #expect(view.shown == (161...210).map(String.init))
                #expect(await Self.fetch(story, view) != nil)
                story.phone.network.restore()
                await story.world.pass(.seconds(60))
                SBSMSyncManager.pauseSynchronize()
                // The missed page has followed.
                #expect(view.shown == (121...210).map(String.init))
                #expect(await Self.fetch(story, view) == nil)
                #expect(view.shown == (81...210).map(String.init))
                view.close()
            }
        }

        @Test
        func `a page of a message collection is delivered in part (R4, R182)`() throws {
            try Self.play(seed: 58) { story, channel in
                let collection = SBDMessageCollection(
                    channel: channel, startingPoint: LONG_LONG_MAX, params: SBDMessageListParams())
                let shown = Answers<[String]>()
                let _: Bool = await story.wait { done in
                    collection.start(
                        with: .cacheAndReplaceByApi,
                        cacheResultHandler: { messages, _ in
                            shown.values.append((messages ?? []).map(\.message))
                        }, apiResultHandler: { _, _ in done(true) })
                }
                func previous() async -> SBDError? {
                    await story.wait { done in
                        collection.loadPrevious { messages, error in
                            shown.values.append((messages ?? []).map(\.message))
                            done(error)
                        }
                    }
                }
                #expect(await previous() == nil)
                #expect(await previous() != nil)
                story.phone.network.restore()
                await story.world.pass(.seconds(60))
                #expect(await previous() == nil)
                let texts = shown.values.reversed().flatMap { $0 }
                #expect(texts == (121...210).map(String.init))
                collection.dispose()
            }
        }
    }
}
