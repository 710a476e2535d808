// SPDX-License-Identifier: Apache-2.0

import DoorTestSupport
import Foundation
import Roost
import RoostModel
import RoostTestKit
import RoostTestSupport
import SendbirdChatSDK
import Testing

@testable import CallSitesV4

extension SendbirdChatTests {
    /// Tests of collections under filters that leave messages out.
    struct Filters {
        private static func start(
            _ collection: MessageCollection, _ story: DoorStory
        ) async throws -> [String] {
            let page: [BaseMessage]? = await story.wait { done in
                collection.startCollection(
                    initPolicy: .cacheAndReplaceByApi, cacheResultHandler: nil
                ) { messages, _ in done(messages) }
            }
            return names(try #require(page))
        }

        private static func names(_ messages: [BaseMessage]) -> [String] {
            messages.map { $0 is FileMessage ? "file" : $0.message }
        }

        @Test(arguments: MessageSelection.allCases)
        func `a collection shows the messages of its filter only, new and own ones too (R94, R96)`(
            selection: MessageSelection
        ) throws {
            try DoorStory.play(seed: 211) { story in
                let url = try await story.channel("train")
                try await story.base.sendMessages(to: url)
                await story.connect()
                let params = MessageListParams()
                params.previousResultSize = 5
                switch selection {
                case .files: params.messageTypeFilter = .file
                case .notes: params.customType = "note"
                case .carols: params.senderUserIds = ["carol"]
                case .all: (params.customTypes, params.senderUserIds) = ([], [])
                }
                let channel = try await story.get(url)
                let collection = SendbirdChat.createMessageCollection(
                    channel: channel, startingPoint: .max, params: params)
                #expect(try await Self.start(collection, story) == selection.names)
                try await story.base.sendMessages(to: url)
                await story.world.pass()
                #expect(Self.names(collection.succeededMessages) == selection.names(times: 2))
                await story.phone.network.cut()
                channel.sendUserMessage("mine")
                await story.world.pass()
                #expect(Self.names(collection.pendingMessages) == selection.mine)
                story.phone.network.restore()
                await story.world.pass(.seconds(60))
                let all = selection.names(times: 2) + selection.mine
                #expect(Self.names(collection.succeededMessages) == all)
                collection.dispose()
            }
        }

        @Test func `the parameters of a collection name the size of its pages (R96)`() throws {
            try DoorStory.play(seed: 212) { story in
                let url = try await story.channel("train")
                for number in 1...12 { try await story.bob.send("\(number)", to: url) }
                await story.bob.waitUntilIdle()
                await story.connect()
                let params = MessageListParams()
                params.previousResultSize = 5
                let collection = SendbirdChat.createMessageCollection(
                    channel: try await story.get(url), startingPoint: .max, params: params)
                #expect(try await Self.start(collection, story) == (8...12).map { "\($0)" })
                let older: [BaseMessage]? = await story.wait { done in
                    collection.loadPrevious { messages, _ in done(messages) }
                }
                #expect(older?.map(\.message) == (3...7).map { "\($0)" })
                collection.dispose()
            }
        }

        @Test func `a new collection of channels reads the server before the first page (R90)`()
            throws
        {
            try DoorStory.play(seed: 213) { story in
                for name in ["boat", "train"] { _ = try await story.channel(name) }
                await story.connect()
                await story.world.pass()
                let before = story.phone.network.requestCount
                let query = SendbirdChatSDK.GroupChannel.createMyGroupChannelListQuery {
                    $0.limit = 1
                }
                let list = try #require(SendbirdChat.createGroupChannelCollection(query: query))
                await story.world.pass()
                #expect(story.phone.network.requestCount > before)
                list.dispose()
            }
        }

        @Test func `a list of channels needs no local caching (R77, R78)`() throws {
            try DoorStory.play(seed: 214) { story in
                _ = try await story.channel("train")
                SendbirdChat.initialize(params: story.params(isLocalCachingEnabled: false))
                await story.connect()
                let screen = try #require(ChannelListViewController(coder: NSCoder()))
                screen.createGroupChannelCollection()
                screen.loadMore()
                await story.world.pass()
                #expect(screen.pages == [["train"]])
                let url = try await story.channel("boat")
                await story.world.pass()
                #expect(screen.added == ["boat"])
                try await story.bob.deleteChannel(url)
                await story.world.pass()
                #expect(screen.deleted == [url.rawValue])
                #expect(try story.folder.contents().isEmpty)
                screen.dispose()
            }
        }
    }
}
