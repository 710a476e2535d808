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

@testable import CallSitesV4

extension SendbirdChatTests {
    /// Tests of pages that the disk has in part, while the server cannot be reached.
    struct PartialPages {
        private typealias View = ChatView.CustomViewController

        private static func view(_ channel: SendbirdChatSDK.GroupChannel) async throws -> View {
            let view = try #require(View(coder: NSCoder()))
            view.channel = channel
            view.createMessageCollection()
            view.initialize()
            return view
        }

        @Test
        func `a page that the disk has in part is delivered without a network (R4, R101)`() throws {
            try DoorStory.play(seed: 81) { story in
                let url = try await story.channel("train")
                for number in 1...200 { try await story.bob.send("\(number)", to: url) }
                await story.bob.waitUntilIdle()
                await story.connect()
                let first = try await Self.view(try await story.get(url))
                await story.world.pass()
                for number in 201...210 { try await story.bob.send("\(number)", to: url) }
                await story.bob.waitUntilIdle()
                await story.world.pass()
                #expect(first.shown == (161...210).map(String.init))
                first.dispose()
                await SendbirdChat.door.close()

                // The cache has fifty messages: a whole page of forty, and ten of the next one.
                await story.phone.network.cut()
                story.launch()
                await story.connect()
                let view = try await Self.view(try await story.get(url))
                await story.world.pass()
                #expect(view.shown == (171...210).map(String.init))
                view.loadPrevious()
                await story.world.pass()
                #expect(view.shown == (161...210).map(String.init))
                #expect(view.collection?.hasPrevious == true)
                let error: SBError? = await story.wait { done in
                    view.collection?.loadPrevious { done($1) }
                }
                #expect(error != nil)
                #expect(view.shown == (161...210).map(String.init))
                story.phone.network.restore()
                await story.world.pass(.seconds(60))
                view.loadPrevious()
                await story.world.pass()
                #expect(view.shown == (121...210).map(String.init))
                view.dispose()
            }
        }

        @Test
        func `a page of newer messages that the disk has in part is delivered (R4, R100)`() throws {
            try DoorStory.play(seed: 82) { story in
                let url = try await story.channel("train")
                for number in 1...200 { try await story.bob.send("\(number)", to: url) }
                await story.bob.waitUntilIdle()
                let log = try await story.world.log(of: url)
                await story.connect()
                let channel = try await story.get(url)
                // The cache has the messages around number 60, and none of the newest.
                let first = try #require(View(coder: NSCoder()))
                (first.channel, first.startingPoint) = (channel, log[59].createdAt.milliseconds)
                first.createMessageCollection()
                first.initialize()
                await story.world.pass()
                let newest = try #require(Self.numbers(first).last)
                #expect(newest < 200)
                first.dispose()

                await story.phone.network.cut()
                let view = try #require(View(coder: NSCoder()))
                (view.channel, view.startingPoint) = (channel, log[49].createdAt.milliseconds)
                view.createMessageCollection()
                view.initialize()
                await story.world.pass()
                #expect(try #require(Self.numbers(view).last) < newest)
                view.loadNext()
                await story.world.pass()
                let part = try #require(Self.numbers(view).last)
                #expect(part >= newest)
                story.phone.network.restore()
                await story.world.pass(.seconds(60))
                view.loadNext()
                await story.world.pass()
                let shown = Self.numbers(view)
                let (low, high) = (try #require(shown.first), try #require(shown.last))
                #expect(high > part)
                // The message at the starting point is left out, as the parameters say.
                #expect(shown == (low...high).filter { $0 != 50 })
                view.dispose()
            }
        }

        /// The shown messages, each as often as it was delivered.
        private static func numbers(_ view: View) -> [Int] {
            view.shown.compactMap { Int($0) }.sorted()
        }

        /// Loses all requests of a device from the second page of its whole channel list on.
        private static func loseSecondPage(of network: SimulatedNetwork) {
            let pages = Guarded(0)
            network.observe { line in
                guard line.hasPrefix("-> GET"), line.contains("/my_group_channels?"),
                    line.contains("limit=100")
                else { return }
                let page = pages.withLock { pages in
                    pages += 1
                    return pages
                }
                if page == 2 { network.weather.lostRequest = 1000 }
            }
        }

        @Test
        func `a page of channels is that of the disk if the server does not answer (R4, R91)`()
            throws
        {
            try DoorStory.play(seed: 83) { story in
                let names = (1...130).reversed().map { "channel \($0)" }
                for name in names.reversed() {
                    _ = try await story.channel(name)
                    // The server counts the age of a channel in seconds.
                    await story.world.pass(.seconds(1))
                }
                Self.loseSecondPage(of: story.phone.network)
                await story.connect()
                await story.world.pass(.seconds(10))
                #expect(story.phone.network.weather.lostRequest == 1000)
                let query = SendbirdChatSDK.GroupChannel.createMyGroupChannelListQuery {
                    $0.order = .chronological
                    $0.includeEmptyChannel = true
                    $0.limit = 10
                }
                let list = try #require(SendbirdChat.createGroupChannelCollection(query: query))
                func more() async -> (names: [String], error: SBError?) {
                    await story.wait { done in
                        list.loadMore { done((($0 ?? []).map(\.name), $1)) }
                    }
                }
                var shown = await more().names
                #expect(shown == Array(names[..<10]))
                // The socket stays, and no request is answered.
                let second = await more()
                #expect(second.error == nil)
                #expect(second.names == Array(names[10..<20]))
                shown += second.names
                story.phone.network.weather = .calm
                await story.world.pass(.seconds(60))
                for _ in 0..<20 where list.hasNext { shown += await more().names }
                #expect(shown == names)
                #expect(list.channelList.map(\.name) == names)
                list.dispose()
            }
        }
    }
}
