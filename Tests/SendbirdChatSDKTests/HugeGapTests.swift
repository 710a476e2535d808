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
    /// Tests of unsent messages in a collection that a huge gap replaces.
    struct HugeGaps {
        /// A delegate that begins anew at a huge gap, and draws the pending messages again.
        private final class Screen: MessageCollectionDelegate {
            var collection: MessageCollection?
            var gaps = 0
            /// The pending texts at the start of each collection, from their parameters.
            var drawn: [[String]] = []

            func begin(_ channel: SendbirdChatSDK.GroupChannel) {
                let collection = SendbirdChat.createMessageCollection(channel: channel)
                self.collection = collection
                collection.delegate = self
                collection.startCollection(
                    initPolicy: .cacheAndReplaceByApi,
                    cacheResultHandler: { _, _ in
                        self.drawn.append(
                            collection.pendingMessages.map { message in
                                let params = message.messageParams as? UserMessageCreateParams
                                return params?.message ?? "no parameters"
                            })
                    })
            }

            func didDetectHugeGap(_ collection: MessageCollection) {
                gaps += 1
                collection.dispose()
                begin(collection.channel)
            }
        }

        @Test
        func `pending messages are drawn again after a huge gap, and arrive once (R114, R116)`()
            throws
        {
            try DoorStory.play(seed: 302) { story in
                let url = try await story.channel("train")
                try await story.bob.send("first", to: url)
                await story.bob.waitUntilIdle()
                await story.connect()
                let channel = try await story.get(url)
                let screen = Screen()
                screen.begin(channel)
                await story.world.pass()
                let network = story.phone.network
                await network.cut()
                for number in 1...301 { try await story.bob.send("\(number)", to: url) }
                await story.bob.waitUntilIdle()
                channel.sendUserMessage("mine")
                await story.world.pass()
                #expect(screen.collection?.pendingMessages.count == 1)
                // Without its acknowledgement the message is pending until the page of the new
                // collection shows it.
                network.weather.lostAcknowledgement = 1000
                network.restore()
                await story.world.pass(.seconds(120))
                #expect(screen.gaps == 1)
                #expect(screen.drawn == [[], ["mine"]])
                let collection = try #require(screen.collection)
                #expect(collection.pendingMessages.isEmpty)
                let texts = collection.succeededMessages.map(\.message)
                #expect(texts.suffix(2) == ["301", "mine"])
                #expect(Set(texts).count == texts.count)
                let log = try await story.world.log(of: url)
                #expect(log.count == 303)
                #expect(log.last?.text == "mine")
                collection.dispose()
            }
        }
    }
}
