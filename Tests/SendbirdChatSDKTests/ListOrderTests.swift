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

extension SendbirdChatTests {
    /// Tests of the selection and the order of a channel list.
    struct ListOrders {
        private typealias Params = SendbirdChatSDK.GroupChannelListQueryParams

        private static func query(_ set: @escaping (Params) -> Void) -> GroupChannelListQuery {
            SendbirdChatSDK.GroupChannel.createMyGroupChannelListQuery { params in
                params.includeEmptyChannel = true
                params.includeFrozenChannel = true
                set(params)
            }
        }

        /// The channels of a list, page by page, in the order of the pages.
        private static func pages(
            _ story: DoorStory, _ set: @escaping (Params) -> Void
        ) async throws -> [SendbirdChatSDK.GroupChannel] {
            let list = try #require(
                SendbirdChat.createGroupChannelCollection(query: query(set)))
            let channels: [SendbirdChatSDK.GroupChannel]? = await story.wait { done in
                list.loadMore { channels, _ in done(channels) }
            }
            let page = try #require(channels)
            #expect(list.channelList.map(\.name) == page.map(\.name))
            list.dispose()
            return page
        }

        @Test
        func `the values of a query select and sort its channels (R82, R90)`() throws {
            try DoorStory.play(seed: 101) { story in
                // "b" is older than "a", and has the newer last message.
                let old = try await story.channel("b")
                await story.world.pass(.seconds(2))
                let new = try await story.channel("a")
                await story.world.pass(.seconds(2))
                for url in [new, old] {
                    try await story.bob.send("hello", to: url)
                    await story.bob.waitUntilIdle()
                    await story.world.pass(.seconds(2))
                }
                _ = try await story.channel("empty")
                await story.world.pass(.seconds(2))
                let frozen = try await story.channel("frozen")
                try await story.bob.send("last", to: frozen)
                await story.bob.waitUntilIdle()
                try await story.bob.setFrozen(true, frozen)
                try await story.bob.createMetadata(["floor": "1"], of: old)
                await story.world.pass()
                await story.connect()
                await story.world.pass(.seconds(30))

                func check() async throws {
                    func names(_ set: @escaping (Params) -> Void) async throws -> [String] {
                        try await Self.pages(story, set).map(\.name)
                    }
                    #expect(
                        try await names { $0.order = .chronological }
                            == ["frozen", "empty", "a", "b"])
                    #expect(
                        try await names { $0.order = .channelNameAlphabetical }
                            == ["a", "b", "empty", "frozen"])
                    let byMessage = try await names { $0.order = .latestLastMessage }
                    #expect(byMessage.filter { $0 != "empty" } == ["frozen", "b", "a"])
                    #expect(byMessage.count == 4)
                    let withoutEmpty = try await names {
                        ($0.order, $0.includeEmptyChannel) = (.chronological, false)
                    }
                    #expect(withoutEmpty == ["frozen", "a", "b"])
                    let withoutFrozen = try await names {
                        ($0.order, $0.includeFrozenChannel) = (.chronological, false)
                    }
                    #expect(withoutFrozen == ["empty", "a", "b"])
                    // Members and metadata come with every channel.
                    let bare = try await Self.pages(story) {
                        ($0.includeMemberList, $0.includeMetaData) = (false, false)
                    }
                    #expect(bare.allSatisfy { $0.members.count == 2 })
                    let tagged = bare.first { $0.name == "b" }
                    #expect(tagged?.cachedMetaData == ["floor": "1"])
                }
                try await check()
                // The cache selects and sorts as the server does.
                await SendbirdChat.door.close()
                await story.phone.network.cut()
                story.launch()
                await story.connect()
                try await check()
            }
        }
    }
}
