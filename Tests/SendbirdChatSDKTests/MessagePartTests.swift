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
    /// Tests of threads, reactions, pins, meta arrays and queries of messages.
    struct MessageParts {
        typealias Channel = SendbirdChatSDK.GroupChannel

        /// Plays a story in which Alice has a channel with Bob and a delivered text in it.
        private static func play(
            seed: UInt64,
            _ story: @escaping @Sendable (DoorStory, Channel, UserMessage) async throws -> Void
        ) throws {
            try DoorStory.play(seed: seed) { world in
                let url = try await world.channel("train")
                await world.connect()
                let channel = try await world.get(url)
                let (sent, _): (UserMessage?, SBError?) = await world.wait { done in
                    channel.sendUserMessage("first") { done(($0, $1)) }
                }
                try await story(world, channel, try #require(sent))
            }
        }

        private static func get(
            _ message: BaseMessage, _ story: DoorStory
        ) async throws -> BaseMessage {
            let params = MessageRetrievalParams()
            params.channelURL = message.channelURL
            params.messageId = message.messageId
            (params.includeReactions, params.includeThreadInfo) = (true, true)
            let found: BaseMessage? = await story.wait { done in
                BaseMessage.getMessage(params: params) { message, _ in done(message) }
            }
            return try #require(found)
        }

        @Test func `a thread is fetched with its parent, and a reply shows its parent`() throws {
            try Self.play(seed: 91) { story, channel, first in
                let url = ChannelURL(channel.channelURL)
                for text in ["one", "two", "three"] {
                    var reply = UserMessageParams(text: text)
                    reply.parentID = MessageID(first.messageId)
                    try await story.bob.send(reply, to: url)
                }
                await story.bob.waitUntilIdle()
                await story.world.pass()
                let params = ThreadedMessageListParams()
                params.previousResultSize = 2
                params.reverse = true
                params.includeParentMessageInfo = true
                let (parent, replies, error): (BaseMessage?, [BaseMessage]?, SBError?) =
                    await story.wait { done in
                        first.getThreadedMessages(timestamp: .max, params: params) {
                            done(($0, $1, $2))
                        }
                    }
                #expect(error == nil)
                #expect(parent?.messageId == first.messageId)
                #expect(parent?.threadInfo.replyCount == 3)
                #expect(parent?.threadInfo.mostRepliedUsers.map(\.userId) == ["bob"])
                #expect(replies?.map(\.message) == ["three", "two"])
                #expect(replies?.first?.parentMessage?.message == "first")
                #expect(replies?.first?.parentMessageId == first.messageId)
                let reply = try #require(replies?.first)
                reply.parentMessage = nil
                #expect(reply.parentMessage?.message == "first")
                let found = try await Self.get(first, story)
                #expect(found.threadInfo.replyCount == 3)
                #expect(first.threadInfo.replyCount == 0)
                #expect(found.copy() as? BaseMessage == found)
                let feed = MessageRetrievalParams()
                feed.channelType = .feed
                let refusal: SBError? = await story.wait { done in
                    BaseMessage.getMessage(params: feed) { done($1) }
                }
                #expect(refusal?.errorCode == .notSupported)
            }
        }

        @Test func `an applied reaction changes its message object only`() throws {
            try Self.play(seed: 92) { story, channel, first in
                let event: SendbirdChatSDK.ReactionEvent? = await story.wait { done in
                    channel.addReaction(with: first, key: "heart") { event, _ in done(event) }
                }
                let added = try #require(event)
                #expect(added.operation == .add)
                #expect(added.userId == "alice")
                #expect(added.updatedAt > 0)
                let other = first.copy() as? UserMessage
                #expect(first.apply(added))
                #expect(!first.apply(added))
                #expect(first.reactions.map(\.key) == ["heart"])
                #expect(first.reactions.first?.count == 1)
                #expect(first.reactions.first?.hasCurrentUserReacted == true)
                #expect(other?.reactions.isEmpty == true)
                let found = try await Self.get(first, story)
                #expect(found.reactions.first?.userIds == ["alice"])
                let (second, _): (UserMessage?, SBError?) = await story.wait { done in
                    channel.sendUserMessage("second") { done(($0, $1)) }
                }
                #expect(second?.apply(added) == false)
                let removed: SendbirdChatSDK.ReactionEvent? = await story.wait { done in
                    channel.deleteReaction(with: first, key: "heart") { event, _ in done(event) }
                }
                #expect(first.apply(try #require(removed)))
                #expect(first.reactions.isEmpty)
            }
        }

        @Test(arguments: [true, false])
        func `a reaction to an unsent message names the delivered message`(
            isShown: Bool
        ) throws {
            try Self.play(seed: 100) { story, channel, _ in
                let collection = SendbirdChat.createMessageCollection(channel: channel)
                if isShown {
                    let _: SBError? = await story.wait { done in
                        collection.startCollection(
                            initPolicy: .cacheAndReplaceByApi, apiResultHandler: { done($1) })
                    }
                }
                await story.phone.network.cut()
                var event: SendbirdChatSDK.ReactionEvent?
                let preview = channel.sendUserMessage("later")
                await story.world.pass()
                channel.addReaction(with: preview, key: "heart") { made, _ in event = made }
                await story.world.pass()
                #expect(event == nil)
                story.phone.network.restore()
                await story.world.pass(.seconds(60))
                let log = try await story.world.log(of: ChannelURL(channel.channelURL))
                let message = try #require(log.last)
                #expect(message.text == "later")
                #expect(event?.messageId == message.messageID?.rawValue)
                let made = try #require(message.details.reactions?.first?.updatedAt)
                #expect(event?.updatedAt == made.milliseconds)
                collection.dispose()
            }
        }

        @Test func `a change right after the sending of its message is made after it`() throws {
            try Self.play(seed: 101) { story, channel, _ in
                await story.phone.network.cut()
                channel.addReaction(with: channel.sendUserMessage("kept"), key: "heart")
                channel.deleteMessage(channel.sendUserMessage("never"))
                await story.world.pass()
                story.phone.network.restore()
                await story.world.pass(.seconds(60))
                let log = try await story.world.log(of: ChannelURL(channel.channelURL))
                #expect(log.map(\.text) == ["first", "kept"])
                #expect(log.last?.details.reactions?.map(\.key) == ["heart"])
            }
        }

        @Test func `pins are made, listed newest first, and removed`() throws {
            try Self.play(seed: 93) { story, channel, first in
                let (second, _): (UserMessage?, SBError?) = await story.wait { done in
                    channel.sendUserMessage("second") { done(($0, $1)) }
                }
                for id in [first.messageId, try #require(second).messageId] {
                    let error: SBError? = await story.wait { done in
                        channel.pinMessage(messageId: id, completionHandler: done)
                    }
                    #expect(error == nil)
                }
                let query = try #require(channel.createPinnedMessageListQuery { $0.limit = 1 })
                var texts: [[String]] = []
                while query.hasNext {
                    let pins: [PinnedMessage]? = await story.wait { done in
                        query.loadNextPage { pins, _ in done(pins) }
                    }
                    texts.append((pins ?? []).map(\.message.message))
                }
                #expect(texts == [["second"], ["first"]])
                let error: SBError? = await story.wait { done in
                    channel.unpinMessage(messageId: first.messageId, completionHandler: done)
                }
                #expect(error == nil)
                let client = try await SendbirdChat.door.client()
                let cached = try await client.cachedChannel(ChannelURL(channel.channelURL))
                #expect(cached?.pinnedMessageIDs.count == 1)
            }
        }

        @Test func `meta arrays are added, extended and removed`() throws {
            try Self.play(seed: 94) { story, channel, first in
                #expect(first.metaArrays == nil)
                func change(
                    _ start: @escaping (@escaping BaseMessageHandler) -> Void
                ) async throws -> [String: [String]] {
                    let (message, error): (BaseMessage?, SBError?) = await story.wait { done in
                        start { done(($0, $1)) }
                    }
                    #expect(error == nil)
                    let arrays = try #require(message).metaArrays ?? []
                    return Dictionary(uniqueKeysWithValues: arrays.map { ($0.key, $0.value) })
                }
                var arrays = try await change {
                    channel.createMessageMetaArrayKeys(
                        message: first, keys: ["a", "b"], completionHandler: $0)
                }
                #expect(arrays == ["a": [], "b": []])
                arrays = try await change {
                    channel.addMessageMetaArrayValues(
                        message: first, keyValues: ["a": ["x", "y"], "c": ["z"]],
                        completionHandler: $0)
                }
                #expect(arrays == ["a": ["x", "y"], "b": [], "c": ["z"]])
                arrays = try await change {
                    channel.removeMessageMetaArrayValues(
                        message: first,
                        metaArrays: [MessageMetaArray(key: "a", value: ["x"])],
                        completionHandler: $0)
                }
                #expect(arrays == ["a": ["y"], "b": [], "c": ["z"]])
                arrays = try await change {
                    channel.deleteMessageMetaArrayKeys(
                        message: first, keys: ["b", "c"], completionHandler: $0)
                }
                #expect(arrays == ["a": ["y"]])
                await story.phone.network.cut()
                let unsent = channel.sendUserMessage("waits")
                let error: SBError? = await story.wait { done in
                    channel.createMessageMetaArrayKeys(message: unsent, keys: ["a"]) { done($1) }
                }
                #expect(error?.errorCode == .invalidParameter)
            }
        }

        @Test func `a meta array keeps each text once, and can be stored`() {
            let array = MessageMetaArray(key: "tags", value: ["b", "a", "b"])
            #expect(array.value == ["b", "a"])
            array.addValue(["d", "c", "a"])
            #expect(array.value == ["b", "a", "c", "d"])
            array.removeValue(with: ["a"])
            array.removeValue(["d"])
            let copy = MessageMetaArray.build(fromSerializedData: array.serialize())
            #expect(copy?.key == "tags")
            #expect(copy?.value == ["b", "c"])
            #expect(MessageMetaArray.build(fromSerializedData: nil) == nil)
            #expect(MessageMetaArray(key: "empty").value.isEmpty)
        }

        @Test func `messages are paged back from the newest and around one of them`() throws {
            try Self.play(seed: 95) { story, channel, first in
                let url = ChannelURL(channel.channelURL)
                for number in 2...5 { try await story.bob.send("m\(number)", to: url) }
                await story.bob.waitUntilIdle()
                let query = try #require(channel.createPreviousMessageListQuery { $0.limit = 2 })
                var pages: [[String]] = []
                while query.hasNext {
                    let page: [BaseMessage]? = await story.wait { done in
                        query.loadNextPage { page, _ in done(page) }
                        #expect(query.isLoading)
                    }
                    pages.append((page ?? []).map(\.message))
                }
                #expect(pages == [["m4", "m5"], ["m2", "m3"], ["first"]])
                let end: [BaseMessage]? = await story.wait { done in
                    query.loadNextPage { page, _ in done(page) }
                }
                #expect(end == [])
                let params = MessageListParams()
                params.nextResultSize = 2
                params.isInclusive = true
                params.previousResultSize = 0
                let around: [BaseMessage]? = await story.wait { done in
                    channel.getMessagesByMessageId(first.messageId, params: params) { page, _ in
                        done(page)
                    }
                }
                #expect(around?.map(\.message) == ["first", "m2", "m3"])
            }
        }

        @Test func `a change log selects replies as its parameters say`() throws {
            try Self.play(seed: 96) { story, channel, first in
                let reply = UserMessageCreateParams(message: "reply")
                reply.parentMessageId = first.messageId
                let (sent, _): (UserMessage?, SBError?) = await story.wait { done in
                    channel.sendUserMessage(params: reply) { done(($0, $1)) }
                }
                let id = try #require(sent).messageId
                let _: Bool = await story.wait { done in
                    let params = UserMessageUpdateParams(message: "edited")
                    channel.updateUserMessage(messageId: id, params: params) { _, _ in done(true) }
                }
                for (replies, expected) in [(ReplyType.none, false), (.all, true)] {
                    let params = MessageChangeLogsParams()
                    params.replyType = replies
                    let updated: [BaseMessage]? = await story.wait { done in
                        channel.getMessageChangeLogs(timestamp: 1, params: params) {
                            updated, _, _, _, error in done(updated)
                        }
                    }
                    #expect(updated?.contains { $0.message == "edited" } == expected)
                }
                let list = MessageListParams()
                list.replyType = .onlyReplyToChannel
                #expect(MessageChangeLogsParams.create(with: list).replyType == .onlyReplyToChannel)
                let none: MessageListParams? = nil
                #expect(MessageChangeLogsParams.create(with: none).replyType == .none)
            }
        }

        @Test func `list parameters have the defaults of the old SDK, copy and select`() throws {
            try Self.play(seed: 97) { story, channel, first in
                let params = MessageListParams()
                #expect(params.previousResultSize == 20)
                #expect(params.nextResultSize == 0)
                #expect(params.belongsTo(first))
                params.customTypes = []
                #expect(params.belongsTo(first))
                params.customType = "note"
                let copy = try #require(params.copy() as? MessageListParams)
                copy.customType = nil
                #expect(params.customType == "note")
                #expect(copy !== params)
                // An empty list of types selects the same as none.
                for types in [[], nil] as [[String]?] {
                    params.customTypes = types
                    #expect(!params.belongsTo(first))
                }
                params.customTypes = [""]
                #expect(params.belongsTo(first))
                params.senderUserIds = ["bob"]
                #expect(!params.belongsTo(first))
                #expect(copy.belongsTo(first))
                copy.messageTypeFilter = .file
                #expect(!copy.belongsTo(first))
            }
        }
    }
}
