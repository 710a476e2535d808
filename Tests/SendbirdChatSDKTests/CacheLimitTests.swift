// SPDX-License-Identifier: Apache-2.0

import DoorTestSupport
import Roost
import RoostDoors
import RoostModel
import RoostTestKit
import SendbirdChatSDK
import Testing

extension SendbirdChatTests {
    struct CacheLimits {
        /// Fills a cache with messages of a megabyte, each in a channel of its own.
        private static func fill(_ client: ChatClient, count: Int) async throws {
            let megabyte = String(repeating: "x", count: 1 << 20)
            let urls = (1...count).map { ChannelURL("old-\($0)") }
            try await client.adopt(urls.map { RoostModel.GroupChannel(url: $0, name: "old") })
            for (number, url) in zip(1..., urls) {
                let message = Message(
                    delivery: .delivered(MessageID(Int64(number)), nil), channelURL: url,
                    createdAt: Timestamp(milliseconds: Int64(number)),
                    content: .user(text: megabyte))
                try await client.adopt([message], in: url, areWhole: false)
            }
        }

        @Test
        func `without a connection a cache beyond its limit stays as it is (R126)`() throws {
            try DoorStory.play(seed: 28) { story in
                let params = story.params()
                params.localCacheConfig?.maxSize = 64
                SendbirdChat.initialize(params: params)
                SendbirdChat.door.open("alice")
                let client = try await SendbirdChat.door.client()
                try await Self.fill(client, count: 66)
                await story.world.pass(.seconds(60))
                await story.phone.network.cut()
                await story.connect()
                await story.world.pass(.seconds(60))
                #expect(try await client.cacheSize().bytes > 64 << 20)
                // Messages that were evicted now could not be fetched again.
                story.phone.network.restore()
                await story.connect()
                await story.world.pass(.seconds(60))
                #expect(try await client.cacheSize().bytes < 64 << 20)
            }
        }
    }
}
