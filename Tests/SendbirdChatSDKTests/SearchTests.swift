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
    /// Tests of the search for messages.
    struct Searches {
        @Test func `a search finds messages in the cache, page by page`() throws {
            try DoorStory.play(seed: 107) { story in
                let url = try await story.channel("train")
                let query = SendbirdChat.createMessageSearchQuery {
                    $0.keyword = "apple"
                    $0.order = .timeStamp
                    $0.limit = 1
                }
                let early: SBError? = await story.wait { done in
                    query.loadNextPage { done($1) }
                }
                #expect(early != nil)
                #expect(!query.isLoading, "A failed page ends.")
                await story.connect()
                let channel = try await story.get(url)
                let view = SendbirdChat.createMessageCollection(channel: channel)
                view.startCollection(initPolicy: .cacheAndReplaceByApi)
                await story.world.pass()
                for text in ["green apple", "red apple", "pear"] {
                    let _: SBError? = await story.wait { done in
                        channel.sendUserMessage(text) { done($1) }
                    }
                }
                var found: [String] = []
                while query.hasNext {
                    let page: [BaseMessage]? = await story.wait { done in
                        query.loadNextPage { messages, _ in done(messages) }
                        #expect(query.isLoading)
                    }
                    let messages = try #require(page)
                    found += messages.map(\.message)
                }
                #expect(found == ["red apple", "green apple"])
                view.dispose()
            }
        }

        @Test func `a search that the client cannot make is refused`() throws {
            try DoorStory.play(seed: 108) { story in
                await story.connect()
                let changes: [(MessageSearchQueryParams) -> Void] = [
                    { $0.exactMatch = true }, { $0.advancedQuery = true },
                    { $0.channelCustomType = "room" }, { $0.targetFields = ["message"] },
                ]
                for change in changes {
                    let query = SendbirdChat.createMessageSearchQuery(builder: change)
                    let error: SBError? = await story.wait { done in
                        query.loadNextPage { done($1) }
                    }
                    #expect(error?.code == ChatError.notSupported.rawValue)
                }
            }
        }

        @Test func `a sender set by the app is shown by this object and its copies only`() throws {
            try DoorStory.play(seed: 109) { story in
                let url = try await story.channel("train")
                await story.connect()
                let channel = try await story.get(url)
                let sent: UserMessage? = await story.wait { done in
                    channel.sendUserMessage("hello") { message, _ in done(message) }
                }
                let message = try #require(sent)
                let other = try #require(BaseMessage.build(fromSerializedData: message.serialize()))
                #expect(message.sender?.userId == "alice")
                message.sender = nil
                #expect(message.sender == nil)
                #expect((message.copy() as? BaseMessage)?.sender == nil)
                #expect(other.sender?.userId == "alice")
            }
        }
    }
}
