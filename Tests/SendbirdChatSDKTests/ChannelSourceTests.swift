// SPDX-License-Identifier: Apache-2.0

import DoorTestSupport
import Foundation
import Roost
import RoostModel
import RoostTestKit
import RoostTestSupport
import SendbirdChatSDK
import Testing

extension SendbirdChatTests {
    /// Tests of the sources of channels that enter a list or leave it.
    struct ChannelSources {
        private final class Screen: GroupChannelCollectionDelegate, MessageCollectionDelegate {
            var events: [String] = []

            /// Returns and removes the recorded events.
            func take() -> [String] {
                defer { events = [] }
                return events
            }

            func channelCollection(
                _ collection: GroupChannelCollection, context: ChannelContext,
                addedChannels channels: [SendbirdChatSDK.GroupChannel]
            ) { events += channels.map { "+ \($0.name) by \(context.source)" } }
            func channelCollection(
                _ collection: GroupChannelCollection, context: ChannelContext,
                deletedChannelURLs: [String]
            ) { events += deletedChannelURLs.map { _ in "- by \(context.source)" } }
            func messageCollection(
                _ collection: MessageCollection, channelContext: ChannelContext,
                deletedChannel channelURL: String
            ) { events.append("end by \(channelContext.source)") }
        }

        private typealias Params = GroupChannelListQueryParams

        /// Opens a list of channels with its first page.
        private static func list(
            _ story: DoorStory, _ screen: Screen, _ set: @escaping (Params) -> Void
        ) async throws -> GroupChannelCollection {
            let query = SendbirdChatSDK.GroupChannel.createMyGroupChannelListQuery { set($0) }
            let list = try #require(SendbirdChat.createGroupChannelCollection(query: query))
            list.delegate = screen
            let error: SBError? = await story.wait { done in list.loadMore { done($1) } }
            #expect(error == nil)
            await story.world.pass()
            screen.events = []
            return list
        }

        @Test
        func `a message brings a channel into a list as a message, and a refill is no event (R89)`()
            throws
        {
            try DoorStory.play(seed: 221) { story in
                var urls: [ChannelURL] = []
                for number in 1...25 {
                    let url = try await story.channel("c\(number)")
                    try await story.bob.send("hello", to: url)
                    await story.bob.waitUntilIdle()
                    await story.world.pass(.seconds(1))
                    urls.append(url)
                }
                await story.connect()
                await story.world.pass(.seconds(10))
                let screen = Screen()
                let list = try await Self.list(story, screen) {
                    ($0.order, $0.limit) = (.latestLastMessage, 20)
                }
                #expect(list.channelList.count == 20)
                try await story.bob.deleteChannel(urls[24])
                await story.world.pass()
                #expect(
                    screen.take() == ["- by eventChannelDeleted", "+ c5 by channelRefresh"])
                try await story.bob.send("news", to: urls[0])
                await story.world.pass()
                #expect(screen.take() == ["+ c1 by eventMessageReceived"])
                list.dispose()
            }
        }

        @Test
        func `hiding, freezing and the first message move a channel as what they are (R89)`()
            throws
        {
            try DoorStory.play(seed: 222) { story in
                let url = try await story.channel("train")
                try await story.bob.send("hello", to: url)
                await story.bob.waitUntilIdle()
                await story.connect()
                let screen = Screen()
                let list = try await Self.list(story, screen) {
                    ($0.includeEmptyChannel, $0.includeFrozenChannel) = (false, false)
                }
                let channel = try await story.get(url)
                let hidden: SBError? = await story.wait { done in
                    channel.hide(allowAutoUnhide: false) { done($0) }
                }
                #expect(hidden == nil)
                await story.world.pass()
                #expect(screen.take() == ["- by eventChannelHidden"])
                let shown: SBError? = await story.wait { done in channel.unhide { done($0) } }
                #expect(shown == nil)
                await story.world.pass()
                #expect(screen.take() == ["+ train by eventChannelChanged"])
                let again: SBError? = await story.wait { done in channel.hide { done($0) } }
                #expect(again == nil)
                try await story.bob.send("shows it", to: url)
                await story.world.pass()
                #expect(
                    screen.take() == [
                        "- by eventChannelHidden", "+ train by eventMessageReceived",
                    ])
                try await story.bob.setFrozen(true, url)
                await story.world.pass()
                #expect(screen.take() == ["- by eventChannelFrozen"])
                try await story.bob.setFrozen(false, url)
                await story.world.pass()
                #expect(screen.take() == ["+ train by eventChannelUnfrozen"])
                let empty = try await story.channel("empty")
                await story.world.pass()
                #expect(screen.take() == [])
                try await story.bob.send("first", to: empty)
                await story.world.pass()
                #expect(screen.take() == ["+ empty by eventMessageReceived"])
                list.dispose()
            }
        }

        enum End: String, CaseIterable {
            case leave, ban, deletion, ownDeletion
        }

        @Test(arguments: End.allCases)
        func `a list and an open chat tell a departure from a deletion (R89)`(end: End) throws {
            try DoorStory.play(seed: 223) { story in
                var params = ChannelCreateParams(memberIDs: ["alice"], name: "train")
                params.operatorIDs = ["bob", "alice"]
                let url = try await story.bob.createChannel(params).url
                await story.connect()
                let screen = Screen()
                let list = try await Self.list(story, screen) { _ in }
                let channel = try await story.get(url)
                let chat = SendbirdChat.createMessageCollection(channel: channel)
                chat.delegate = screen
                chat.startCollection(initPolicy: .cacheAndReplaceByApi)
                await story.world.pass()
                screen.events = []
                switch end {
                case .leave: channel.leave()
                case .ban: try await story.bob.ban("alice", from: url)
                case .deletion: try await story.bob.deleteChannel(url)
                case .ownDeletion: channel.delete()
                }
                await story.world.pass()
                let source = [.leave, .ban].contains(end) ? "eventUserLeft" : "eventChannelDeleted"
                #expect(screen.events.sorted() == ["- by \(source)", "end by \(source)"])
                list.dispose()
                chat.dispose()
            }
        }
    }
}
