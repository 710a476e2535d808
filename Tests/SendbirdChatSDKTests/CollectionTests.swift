// SPDX-License-Identifier: Apache-2.0

import DoorTestSupport
import Foundation
import Roost
import RoostDoors
import RoostModel
import RoostTestKit
import RoostTestSupport
import SendbirdChatSDK
import Testing

@testable import CallSitesV4

extension SendbirdChatTests {
    /// Tests of the page's samples and their described behaviour.
    struct Collections {
        @Test(arguments: [true, false])
        func `a channel list is shown from the cache and follows the server (R80 to R92, R203)`(
            isCached: Bool
        ) throws {
            try DoorStory.play(seed: 1) { story in
                SendbirdChat.initialize(params: story.params(isLocalCachingEnabled: isCached))
                for name in ["one", "two"] { _ = try await story.channel(name) }
                let (user, error) = await story.connect()
                #expect(user?.userId == "alice")
                #expect(error == nil)
                let view = try #require(CustomViewController(coder: NSCoder()))
                view.createGroupChannelCollection()
                view.loadMore()
                await story.world.pass()
                #expect(view.pages.flatMap { $0 }.sorted() == ["one", "two"])
                #expect(view.added.isEmpty)
                #expect(view.collection?.hasNext == false)

                let third = try await story.channel("three")
                await story.world.pass()
                #expect(view.added == ["three"])
                #expect(view.contexts.first?.source == .eventUserJoined)
                try await story.bob.send("hello", to: third)
                await story.world.pass()
                #expect(view.updated.contains("three"))
                #expect(view.collection?.channelList.map(\.name).first == "three")
                try await story.bob.deleteChannel(third)
                await story.world.pass()
                #expect(view.deleted == [third.rawValue])
                #expect(view.collection?.channelList.map(\.name).sorted() == ["one", "two"])
                view.dispose()
                _ = try await story.channel("four")
                await story.world.pass()
                #expect(view.added == ["three"])
            }
        }

        @Test
        func `a channel list is shown without a network, as of the last time (R1, R2, R4)`()
            throws
        {
            try DoorStory.play(seed: 2) { story in
                _ = try await story.channel("one")
                await story.connect()
                let first = try #require(CustomViewController(coder: NSCoder()))
                first.createGroupChannelCollection()
                first.loadMore()
                await story.world.pass()
                await SendbirdChat.door.close()

                await story.phone.network.cut()
                story.launch()
                let (user, error) = await story.connect()
                #expect(user?.userId == "alice")
                #expect(error != nil)
                let view = try #require(CustomViewController(coder: NSCoder()))
                view.createGroupChannelCollection()
                view.loadMore()
                await story.world.pass()
                #expect(view.pages == [["one"]])
            }
        }

        @Test(arguments: [true, false])
        func
            `a chat view shows the cache, then the server, then live events (R45, R94 to R105, R109)`(
                isCached: Bool
            ) throws
        {
            try DoorStory.play(seed: 3) { story in
                SendbirdChat.initialize(params: story.params(isLocalCachingEnabled: isCached))
                let url = try await story.channel("train")
                for number in 1...100 { try await story.bob.send("m\(number)", to: url) }
                await story.bob.waitUntilIdle()
                await story.connect()
                let view = try #require(ChatView.CustomViewController(coder: NSCoder()))
                view.channel = try await story.get(url)
                view.createMessageCollection()
                view.initialize()
                await story.world.pass()
                #expect(view.calls.filter { !$0.hasPrefix("channel") } == ["cache 0", "api 40"])
                #expect(view.shown == (61...100).map { "m\($0)" })
                #expect(view.collection?.hasNext == false)
                #expect(view.collection?.hasPrevious == true)
                view.loadPrevious()
                await story.world.pass()
                #expect(view.shown == (21...100).map { "m\($0)" })
                view.loadPrevious()
                await story.world.pass()
                #expect(view.shown.count == 100)
                #expect(view.collection?.hasPrevious == false)

                view.calls = []
                try await story.bob.send("live", to: url)
                await story.world.pass()
                #expect(view.calls.contains("added succeeded"))
                #expect(view.calls.contains("channel train"))
                let log = try await story.world.log(of: url)
                try await story.bob.edit(try #require(log[99].messageID), in: url, text: "m100!")
                await story.world.pass()
                #expect(view.calls.contains("updated succeeded"))
                #expect(view.collection?.succeededMessages.count == 101)
                try await story.bob.delete(try #require(log[98].messageID), in: url)
                await story.world.pass()
                #expect(view.calls.contains("deleted succeeded"))
                #expect(!view.shown.contains("m99"))
                // An unsent message is canceled (R105). Without local caching none waits.
                if isCached {
                    await story.phone.network.cut()
                    let unsent = try #require(view.channel).sendUserMessage("never")
                    await story.world.pass()
                    view.calls = []
                    view.channel?.deleteMessage(unsent)
                    await story.world.pass()
                    #expect(view.calls == ["updated canceled", "deleted otherwise"])
                    story.phone.network.restore()
                    await story.world.pass(.seconds(60))
                }
                // A disposed collection calls nothing any more (R102).
                view.dispose()
                view.calls = []
                try await story.bob.send("unseen", to: url)
                await story.world.pass()
                #expect(view.calls.isEmpty)

                // The second time the cache has them at once.
                view.calls = []
                view.createMessageCollection()
                view.initialize()
                await story.world.pass()
                #expect(view.calls.prefix(2) == ["cache 40", "api 40"])
            }
        }

        @Test(arguments: [true, false])
        func `old messages are not announced as updated, with and without caching (scar 135)`(
            isCached: Bool
        ) throws {
            try DoorStory.play(seed: 9) { story in
                SendbirdChat.initialize(params: story.params(isLocalCachingEnabled: isCached))
                let url = try await story.channel("train")
                for number in 1...60 { try await story.bob.send("\(number)", to: url) }
                await story.bob.waitUntilIdle()
                await story.connect()
                let view = try #require(ChatView.CustomViewController(coder: NSCoder()))
                view.channel = try await story.get(url)
                func calls() -> [String] { view.calls.filter { !$0.hasPrefix("channel") } }
                view.createMessageCollection()
                view.initialize()
                await story.world.pass()
                view.loadPrevious()
                await story.world.pass()
                #expect(view.shown == (1...60).map(String.init))
                #expect(calls() == ["cache 0", "api 40"])
                // A reconnection and a new message announce no old one.
                view.calls = []
                await story.phone.network.cut()
                story.phone.network.restore()
                await story.world.pass(.seconds(60))
                #expect(calls() == [])
                try await story.bob.send("61", to: url)
                await story.world.pass()
                #expect(calls() == ["added succeeded"])
                #expect(view.shown == (1...61).map(String.init))
                // Neither does another collection of the same messages.
                view.dispose()
                view.calls = []
                view.createMessageCollection()
                view.initialize()
                await story.world.pass()
                #expect(calls() == ["cache 40", "api 40"])
                view.dispose()
            }
        }

        @Test(arguments: [true, false])
        func `a chat view gets events of its channel only, up to its end (R93, R106, R107)`(
            isCached: Bool
        ) throws {
            try DoorStory.play(seed: 6) { story in
                SendbirdChat.initialize(params: story.params(isLocalCachingEnabled: isCached))
                let url = try await story.channel("train")
                let other = try await story.channel("boat")
                await story.connect()
                let view = try #require(ChatView.CustomViewController(coder: NSCoder()))
                view.channel = try await story.get(url)
                view.createMessageCollection()
                view.initialize()
                await story.world.pass()
                view.calls = []
                try await story.bob.makeNow(.update(ChannelUpdateParams(name: "ship")), in: other)
                try await story.bob.send("elsewhere", to: other)
                await story.world.pass()
                #expect(view.calls.isEmpty)
                try await story.bob.makeNow(.update(ChannelUpdateParams(name: "express")), in: url)
                await story.world.pass()
                #expect(view.calls == ["channel express"])
                #expect(view.collection?.channel.name == "express")
                try await story.bob.deleteChannel(url)
                await story.world.pass()
                #expect(view.calls.last == "channel gone")
            }
        }

        @Test
        func `opening a known channel makes few requests (R3)`() throws {
            try DoorStory.play(seed: 7) { story in
                let url = try await story.channel("train")
                for number in 1...200 { try await story.bob.send("m\(number)", to: url) }
                await story.bob.waitUntilIdle()
                await story.connect()
                let view = try #require(ChatView.CustomViewController(coder: NSCoder()))
                view.channel = try await story.get(url)
                func open() async -> Int {
                    let before = story.phone.network.requestCount
                    view.createMessageCollection()
                    view.initialize()
                    await story.world.pass()
                    for _ in 0..<4 {
                        view.loadPrevious()
                        await story.world.pass()
                    }
                    #expect(view.shown.count == 200)
                    view.dispose()
                    return story.phone.network.requestCount - before
                }
                let first = await open()
                let second = await open()
                // Changes are requested, known messages are not.
                #expect(second < first)
                #expect(second <= 3)
            }
        }

        @Test(arguments: [300, 301], [true, false])
        func `300 missing messages are filled in, 301 are a huge gap (R108, R111 to R115)`(
            count: Int, isCached: Bool
        ) throws {
            try DoorStory.play(seed: UInt64(count)) { story in
                SendbirdChat.initialize(params: story.params(isLocalCachingEnabled: isCached))
                let url = try await story.channel("train")
                try await story.bob.send("first", to: url)
                await story.bob.waitUntilIdle()
                await story.connect()
                let view = try #require(ChatView.CustomViewController(coder: NSCoder()))
                view.channel = try await story.get(url)
                view.createMessageCollection()
                view.initialize()
                await story.world.pass()
                await story.phone.network.cut()
                for number in 1...count { try await story.bob.send("\(number)", to: url) }
                await story.bob.waitUntilIdle()
                story.phone.network.restore()
                await story.world.pass(.seconds(60))
                #expect(view.gaps == (count > 300 ? 1 : 0))
                #expect(view.shown.last == "\(count)")
                #expect(view.shown.count == (count > 300 ? 40 : count + 1))
                #expect(view.collection?.hasNext == false)
            }
        }

        /// A delegate of an app that followed the page's text.
        private final class ProseView: MessageCollectionDelegate {
            var gaps = 0
            func didHugeGapDetected(_ collection: MessageCollection) { gaps += 1 }
        }

        @Test
        func `a huge gap is also reported under the name in the page's text (R108)`() throws {
            try DoorStory.play(seed: 8) { story in
                let url = try await story.channel("train")
                try await story.bob.send("first", to: url)
                await story.bob.waitUntilIdle()
                await story.connect()
                let view = ProseView()
                let collection = SendbirdChat.createMessageCollection(
                    channel: try await story.get(url))
                collection.delegate = view
                collection.startCollection(initPolicy: .cacheAndReplaceByApi)
                await story.world.pass()
                await story.phone.network.cut()
                for number in 1...301 { try await story.bob.send("\(number)", to: url) }
                await story.bob.waitUntilIdle()
                story.phone.network.restore()
                await story.world.pass(.seconds(60))
                #expect(view.gaps == 1)
                collection.dispose()
            }
        }

        @Test func `messages are sorted once after a change, and not for each cell`() throws {
            try DoorStory.play(seed: 6) { story in
                let url = try await story.channel("train")
                for number in 1...9 { try await story.bob.send("\(number)", to: url) }
                await story.bob.waitUntilIdle()
                await story.connect()
                let driver = TimelineDriver(
                    SendbirdChat.door, channel: url, startingAt: .distantFuture,
                    filter: .everything
                ) { _ in }
                await driver.load(.opening) { _ in }
                await driver.load(.server) { _ in }
                /// Two lists at one address are one list: both are alive here.
                func isOneList(_ first: [Message], _ second: [Message]) -> Bool {
                    unsafe first.withUnsafeBufferPointer { first in
                        unsafe second.withUnsafeBufferPointer { second in
                            unsafe first.baseAddress == second.baseAddress
                        }
                    }
                }
                let first = driver.messages
                #expect(first.count == 9 && isOneList(first, driver.messages))
                try await story.bob.send("10", to: url)
                await story.bob.waitUntilIdle()
                await story.world.pass()
                let second = driver.messages
                #expect(second.map(\.text) == (1...10).map { "\($0)" })
                #expect(isOneList(second, driver.messages))
                await driver.close()
            }
        }

        @Test
        func `without local caching everything works and nothing stays on disk (R77, R78)`() throws
        {
            try DoorStory.play(seed: 5) { story in
                let url = try await story.channel("train")
                try await story.bob.send("hello", to: url)
                await story.bob.waitUntilIdle()
                SendbirdChat.initialize(params: story.params(isLocalCachingEnabled: false))
                await story.connect()
                let view = try #require(ChatView.CustomViewController(coder: NSCoder()))
                view.channel = try await story.get(url)
                view.createMessageCollection()
                view.initialize()
                await story.world.pass()
                #expect(view.shown == ["hello"])
                #expect(SendbirdChat.getCachedDataSize() == 0)
                #expect(try story.folder.contents().isEmpty)
            }
        }
    }
}
