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
    /// Tests of the events of a message collection while other events come between.
    struct Windows {
        private typealias View = ChatScreen

        @Test
        func `an own message written during the first fetch is inserted once (R173, R191, R192)`()
            throws
        {
            try SyncStory.play(seed: 51) { story in
                // Written before she connects, so nothing of them is on her disk.
                var urls: [ChannelURL] = []
                for _ in 0..<8 {
                    let url = try await story.channel("train")
                    for number in 1...3 { try await story.bob.send("\(number)", to: url) }
                    urls.append(url)
                }
                await story.bob.waitUntilIdle()
                await story.connect()
                for (delay, url) in urls.enumerated() {
                    let view = View(channel: try await story.get(url))
                    view.viewDidLoad()
                    await story.world.pass(.milliseconds(20 * delay))
                    view.send("mine")
                    await story.world.pass()
                    #expect(view.shown == ["1", "2", "3", "mine"], "after \(20 * delay) ms")
                    view.close()
                }
            }
        }

        @Test
        func
            `a new viewpoint ends the events of the old one (R185, scar 136)`()
            throws
        {
            try SyncStory.play(seed: 52) { story in
                var urls: [ChannelURL] = []
                for _ in 0..<8 {
                    let url = try await story.channel("train")
                    for number in 1...60 { try await story.bob.send("\(number)", to: url) }
                    urls.append(url)
                }
                await story.bob.waitUntilIdle()
                await story.connect()
                for (delay, url) in urls.enumerated() {
                    let view = View(channel: try await story.get(url))
                    view.viewDidLoad()
                    if delay == 7 {
                        await story.world.pass()
                        try await story.bob.send("live", to: url)
                    }
                    await story.world.pass(.milliseconds(15 * delay))
                    view.messageCollection.resetViewpointTimestamp(Int64.max)
                    await story.world.pass()
                    #expect(view.events.last == "clear", "after \(15 * delay) ms")
                    #expect(view.shown.isEmpty)
                    // Each fetch is answered all the same.
                    #expect(view.fetches.count == 2)
                    view.close()
                }
            }
        }

        @Test(arguments: [300, 301])
        func
            `300 missed messages are filled in, after 301 the collection begins anew (R113, R115)`(
                count: Int
            ) throws
        {
            try SyncStory.play(seed: UInt64(count)) { story in
                let url = try await story.channel("train")
                try await story.bob.send("0", to: url)
                await story.bob.waitUntilIdle()
                await story.connect()
                let view = View(channel: try await story.get(url))
                view.viewDidLoad()
                await story.world.pass()
                view.events = []
                await story.phone.network.cut()
                for number in 1...count { try await story.bob.send("\(number)", to: url) }
                await story.bob.waitUntilIdle()
                story.phone.network.restore()
                await story.world.pass(.seconds(60))
                try await story.bob.send("\(count + 1)", to: url)
                await story.world.pass()
                let isHuge = count > 300
                #expect(view.events.contains("clear") == isHuge)
                let first = isHuge ? count - 39 : 0
                #expect(view.shown == (first...count + 1).map(String.init))
                // Pages lead through the missed messages to the very first one.
                for _ in 0..<10 {
                    view.messageCollection.fetch(in: .previous)
                    await story.world.pass()
                }
                #expect(view.shown == (0...count + 1).map(String.init))
                view.close()
            }
        }

        @Test
        func `downloaded messages are shown without a request (R11, R182, R184)`() throws {
            try SyncStory.play(seed: 54) { story in
                let url = try await story.channel("train")
                for number in 1...250 { try await story.bob.send("\(number)", to: url) }
                await story.bob.waitUntilIdle()
                await story.connect()
                let view = View(channel: try await story.get(url))
                view.viewDidLoad()
                await story.world.pass(.seconds(60))
                let before = story.phone.network.requestCount
                for page in 1...8 {
                    view.messageCollection.fetch(in: .previous)
                    await story.world.pass()
                    #expect(view.shown.count == min(250, 40 * (page + 1)))
                }
                #expect(story.phone.network.requestCount == before)
                view.close()
            }
        }

        @Test
        func
            `a page that is not downloaded yet is fetched at once (R182, R183)`()
            throws
        {
            try SyncStory.play(seed: 55) { story in
                let url = try await story.channel("train")
                for number in 1...250 { try await story.bob.send("\(number)", to: url) }
                await story.bob.waitUntilIdle()
                await story.connect()
                // The download has not begun or is far away: no fetch waits for it.
                SBSMSyncManager.pauseSynchronize()
                let view = View(channel: try await story.get(url))
                view.viewDidLoad()
                await story.world.pass()
                #expect(view.shown == (211...250).map(String.init))
                let first: SBDError? = await story.wait { done in
                    view.messageCollection.fetch(in: .previous) { (error: SBDError?) in done(error)
                    }
                }
                #expect(first == nil)
                #expect(view.shown.first == "171")
                // Without a network no handler waits either; the page follows by itself.
                await story.phone.network.cut()
                let second: (Bool, SBDError?) = await story.wait { done in
                    view.messageCollection.fetch(in: .previous) { done(($0, $1)) }
                }
                #expect(second.0)
                #expect(second.1 != nil)
                #expect(view.shown.first == "171")
                story.phone.network.restore()
                await story.world.pass(.seconds(60))
                #expect(view.shown == (131...250).map(String.init))
                view.messageCollection.fetch(in: .previous)
                await story.world.pass()
                #expect(view.shown == (91...250).map(String.init))
                view.close()
            }
        }

        @Test
        func `a download ends with its collection, however soon (R154, R160, R161, R180, R186)`()
            throws
        {
            try SyncStory.play(seed: 53) { story in
                let url = try await story.channel("train")
                for number in 1...250 { try await story.bob.send("\(number)", to: url) }
                await story.bob.waitUntilIdle()
                await story.connect()
                let channel = try await story.get(url)
                await story.world.pass()
                let before = story.phone.network.requestCount
                View(channel: channel).close()
                let paused = View(channel: channel)
                for _ in 0..<3 {
                    SBSMSyncManager.resumeSynchronize()
                    SBSMSyncManager.pauseSynchronization()
                }
                await story.world.pass(.seconds(60))
                #expect(story.phone.network.requestCount - before <= 1)
                SBSMSyncManager.resumeSynchronize()
                SBSMSyncManager().pauseSynchronization()
                await story.world.pass(.seconds(60))
                // One request may have been on its way each time.
                #expect(story.phone.network.requestCount - before <= 2)
                // Resumed twice it is one download, down to the first message.
                SBSMSyncManager.resumeSynchronize()
                SBSMSyncManager.forceResumeSync()
                await story.world.pass(.seconds(60))
                #expect(story.phone.network.requestCount - before <= 6)
                paused.viewDidLoad()
                await story.phone.network.cut()
                for _ in 0..<8 {
                    await story.world.pass()
                    paused.messageCollection.fetch(in: .previous)
                }
                await story.world.pass()
                #expect(paused.shown.count == 250)
                paused.close()
            }
        }
    }
}
