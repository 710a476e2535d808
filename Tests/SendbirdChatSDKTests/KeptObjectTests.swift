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
    /// Tests of objects that an app keeps for long, and of their encoded forms.
    struct KeptObjects {
        private typealias Channel = SendbirdChatSDK.GroupChannel

        @Test func `a kept channel follows the events, with and without a delegate`() throws {
            try DoorStory.play(seed: 231) { story in
                let url = try await story.channel("train")
                await story.connect()
                let kept = try await story.get(url)
                let other = try await story.get(url)
                #expect(kept !== other)
                try await story.bob.send("hello", to: url)
                await story.bob.waitUntilIdle()
                await story.world.pass()
                #expect(kept.lastMessage?.message == "hello")
                #expect(kept.unreadMessageCount == 1)
                #expect(other.unreadMessageCount == 1)
                try await story.bob.makeNow(.update(ChannelUpdateParams(name: "tram")), in: url)
                await story.world.pass()
                #expect(kept.name == "tram")
                // A channel that is gone shows what was known last.
                try await story.bob.deleteChannel(url)
                await story.world.pass()
                #expect(kept.name == "tram")
            }
        }

        @Test func `a kept channel follows the collection after an absence`() throws {
            try DoorStory.play(seed: 232) { story in
                let url = try await story.channel("train")
                await story.connect()
                let kept = try await story.get(url)
                let view = try #require(CustomViewController(coder: NSCoder()))
                view.createGroupChannelCollection()
                view.loadMore()
                await story.world.pass()
                await story.phone.network.cut()
                try await story.bob.makeNow(.update(ChannelUpdateParams(name: "tram")), in: url)
                story.phone.network.restore()
                await story.world.pass(.seconds(60))
                #expect(kept.name == "tram")
                view.dispose()
            }
        }

        @Test(arguments: [false, true])
        func `a kept channel follows a collection without a delegate`(ofMessages: Bool) throws {
            try DoorStory.play(seed: 236) { story in
                let url = try await story.channel("train")
                await story.connect()
                let kept = try await story.get(url)
                var list: GroupChannelCollection?
                var timeline: MessageCollection?
                if ofMessages {
                    let collection = SendbirdChat.createMessageCollection(channel: kept)
                    let _: [BaseMessage]? = await story.wait { done in
                        collection.startCollection(
                            initPolicy: .cacheAndReplaceByApi, cacheResultHandler: nil
                        ) { messages, _ in done(messages) }
                    }
                    timeline = collection
                } else {
                    list = SendbirdChat.createGroupChannelCollection(
                        query: Channel.createMyGroupChannelListQuery())
                    list?.loadMore()
                }
                await story.world.pass()
                await story.phone.network.cut()
                try await story.bob.makeNow(.update(ChannelUpdateParams(name: "tram")), in: url)
                story.phone.network.restore()
                await story.world.pass(.seconds(60))
                #expect(kept.name == "tram")
                let shown = list?.channelList.first ?? timeline?.channel
                #expect(shown?.name == "tram")
                list?.dispose()
                timeline?.dispose()
            }
        }

        /// Lets Bob rename a channel while the app has no connection; its cache has the name then.
        private static func renameInAbsence(_ story: DoorStory, _ url: ChannelURL) async throws {
            await story.phone.network.cut()
            try await story.bob.makeNow(.update(ChannelUpdateParams(name: "tram")), in: url)
            story.phone.network.restore()
            await story.world.pass(.seconds(60))
        }

        @Test(arguments: [false, true])
        func `a message collection shows the channel of the cache, and not an older object`(
            isOfBytes: Bool
        ) throws {
            try DoorStory.play(seed: 240) { story in
                let url = try await story.channel("train")
                await story.connect()
                var kept: Channel? = try await story.get(url)
                let bytes = kept?.serialize()
                if isOfBytes { kept = nil }
                try await Self.renameInAbsence(story, url)
                let old = try #require(kept ?? Channel.build(fromSerializedData: bytes))
                let collection = SendbirdChat.createMessageCollection(channel: old)
                collection.startCollection(initPolicy: .cacheAndReplaceByApi)
                await story.world.pass()
                #expect(collection.channel.name == "tram")
                #expect(old.name == (isOfBytes ? "train" : "tram"))
                collection.dispose()
            }
        }

        @Test func `a page without a handler shows in kept channels`() throws {
            try DoorStory.play(seed: 241) { story in
                let url = try await story.channel("train")
                await story.connect()
                let kept = try await story.get(url)
                try await Self.renameInAbsence(story, url)
                let list = try #require(
                    SendbirdChat.createGroupChannelCollection(
                        query: Channel.createMyGroupChannelListQuery()))
                list.loadMore()
                await story.world.pass()
                #expect(list.channelList.map(\.name) == ["tram"])
                #expect(kept.name == "tram")
                list.dispose()
            }
        }

        @Test func `collections make their objects once after a change, and not for each cell`()
            throws
        {
            try DoorStory.play(seed: 242) { story in
                let url = try await story.channel("train")
                for number in 1...3 { try await story.bob.send("\(number)", to: url) }
                await story.bob.waitUntilIdle()
                await story.connect()
                let list = try #require(
                    SendbirdChat.createGroupChannelCollection(
                        query: Channel.createMyGroupChannelListQuery()))
                list.loadMore()
                let chat = SendbirdChat.createMessageCollection(channel: try await story.get(url))
                chat.startCollection(initPolicy: .cacheAndReplaceByApi)
                await story.world.pass()
                let (channel, message) = (list.channelList.first, chat.succeededMessages.first)
                #expect(channel?.lastMessage?.message == "3" && message?.message == "1")
                #expect(list.channelList.first === channel)
                #expect(chat.succeededMessages.first === message)
                try await story.bob.send("4", to: url)
                await story.bob.waitUntilIdle()
                await story.world.pass()
                #expect(chat.succeededMessages.map(\.message) == ["1", "2", "3", "4"])
                #expect(list.channelList.map { $0.lastMessage?.message } == ["4"])
                #expect(channel?.lastMessage?.message == "4")
                list.dispose()
                chat.dispose()
            }
        }

        @Test func `a kept channel shows an own act and message in their handlers`() throws {
            try DoorStory.play(seed: 237) { story in
                let url = try await story.channel("train")
                await story.connect()
                let (channel, other) = (try await story.get(url), try await story.get(url))
                let last: String? = await story.wait { done in
                    channel.sendUserMessage("hello") { _, _ in done(other.lastMessage?.message) }
                }
                #expect(last == "hello")
                let option: GroupChannelPushTriggerOption = await story.wait { done in
                    channel.setMyPushTriggerOption(.off) { _ in done(other.myPushTriggerOption) }
                }
                #expect(option == .off)
                let isHidden: Bool = await story.wait { done in
                    channel.hide { _ in done(other.isHidden) }
                }
                #expect(isHidden)
            }
        }

        @Test func `an unread count that the app sets is shown until the next news`() throws {
            try DoorStory.play(seed: 238) { story in
                let url = try await story.channel("train")
                await story.connect()
                let (channel, other) = (try await story.get(url), try await story.get(url))
                try await story.bob.send("one", to: url)
                await story.bob.waitUntilIdle()
                await story.world.pass()
                #expect(channel.unreadMessageCount == 1)
                channel.unreadMessageCount = 0
                #expect(other.unreadMessageCount == 0)
                try await story.bob.send("two", to: url)
                await story.bob.waitUntilIdle()
                await story.world.pass()
                #expect(channel.unreadMessageCount == 2)
            }
        }

        @Test func `metadata of the user show in the current user at once`() throws {
            try DoorStory.play(seed: 239) { story in
                await story.connect()
                let me = try #require(SendbirdChat.getCurrentUser())
                func seen(
                    _ call: (@escaping (SBError?) -> Void) -> Void
                ) async -> [String: String]? {
                    let error: SBError? = await story.wait { call($0) }
                    #expect(error == nil)
                    return SendbirdChat.getCurrentUser()?.metaData
                }
                let created = await seen { done in
                    me.createMetaData(["seat": "12", "car": "3"]) { done($1) }
                }
                #expect(created == ["seat": "12", "car": "3"])
                let updated = await seen { done in
                    me.updateMetaData(["seat": "13"]) { done($1) }
                }
                #expect(updated == ["seat": "13", "car": "3"])
                let deleted = await seen { me.deleteMetaData(key: "car", completionHandler: $0) }
                #expect(deleted == ["seat": "13"])
            }
        }

        @Test func `another user's login leaves a kept channel as it was`() throws {
            try DoorStory.play(seed: 233) { story in
                let url = try await story.channel("train")
                await story.connect()
                let kept = try await story.get(url)
                let _: SBError? = await story.wait { done in
                    SendbirdChat.connect(userId: "bob") { done($1) }
                }
                try await story.bob.makeNow(.update(ChannelUpdateParams(name: "tram")), in: url)
                await story.world.pass()
                let now = try await story.get(url)
                #expect(now.name == "tram")
                #expect(kept.name == "train")
            }
        }

        @Test func `an answer that news have overtaken leaves a kept channel as it is`() throws {
            try DoorStory.play(seed: 341) { story in
                let url = try await story.channel("train")
                await story.connect()
                let kept = try await story.get(url)
                let client = try await SendbirdChat.door.client()
                var value = try #require(try await client.cachedChannel(url))
                value.unreadMessageCount = 7
                let news = value
                let found: [UInt] = await story.wait { done in
                    SendbirdChat.getMyGroupChannelChangeLogs(timestamp: 1) { channels, _, _, _, _ in
                        done((channels ?? []).map(\.unreadMessageCount))
                    }
                    // A live message is faster than the answer.
                    SendbirdChat.door.kept.show(news, isOpen: false, askedAt: .next())
                }
                #expect(found == [7])
                #expect(kept.unreadMessageCount == 7)
            }
        }

        @Test func `of two answers that to the later question is shown, whichever comes first`()
            throws
        {
            try DoorStory.play(seed: 345) { _ in
                let door = SendbirdChat.door
                func answer(_ question: ChannelQuestion, _ name: String) -> KeptChannels.State {
                    question.state(
                        of: RoostModel.GroupChannel(url: "room", name: name), isOpen: false)
                }
                let early = ChannelQuestion(door)
                let late = ChannelQuestion(door)
                let state = answer(late, "new")
                let same = answer(early, "old")
                #expect(same === state)
                #expect(state.value.name == "new")
                let again = answer(ChannelQuestion(door), "newest")
                #expect(again === state)
                #expect(state.value.name == "newest")
            }
        }

        @Test func `an answer for an earlier user changes no channel of the next one`() throws {
            try DoorStory.play(seed: 342) { story in
                let url = try await story.channel("train")
                await story.connect()
                // The app's queue stands still while the answer arrives.
                let waiting = Guarded<[@Sendable () -> Void]>([])
                SendbirdChat.door.call(
                    on: CallbackQueue { work in waiting.withLock { $0 += [work] } })
                let answers = Answers<Channel>()
                Channel.getChannel(url: url.rawValue) { channel, _ in
                    if let channel { answers.values.append(channel) }
                }
                await story.world.pass()
                SendbirdChat.connect(userId: "bob")
                SendbirdChat.door.call(
                    on: CallbackQueue { [world = story.world] in world.later($0) })
                for work in waiting.withLock({ $0 }) { story.world.later(work) }
                await story.world.pass()
                let early = try #require(answers.values.first)
                let kept = try await story.get(url)
                try await story.bob.makeNow(.update(ChannelUpdateParams(name: "tram")), in: url)
                await story.world.pass()
                #expect(kept.name == "tram")
                #expect(early.name == "train")
            }
        }

        @Test func `a kept channel follows the same user's login at another address`() throws {
            try DoorStory.play(seed: 343) { story in
                let url = try await story.channel("train")
                await story.connect()
                let kept = try await story.get(url)
                let first = try await SendbirdChat.door.client()
                let error: SBError? = await story.wait { done in
                    SendbirdChat.connect(userId: "alice", apiHost: "http://127.0.0.2:1") {
                        done($1)
                    }
                }
                #expect(error == nil)
                #expect(try await SendbirdChat.door.client() !== first)
                await story.world.pass()
                try await story.bob.makeNow(.update(ChannelUpdateParams(name: "tram")), in: url)
                await story.world.pass()
                #expect(kept.name == "tram")
            }
        }

        @Test func `a kept channel is read again when events were lost`() throws {
            try DoorStory.play(seed: 344) { story in
                let url = try await story.channel("train")
                await story.connect()
                let kept = try await story.get(url)
                await story.bob.startTyping(in: url)
                await story.world.pass(.seconds(1))
                #expect(kept.isTyping())
                SendbirdChat.door.kept.show(
                    RoostModel.GroupChannel(url: url, name: "old"), isOpen: false,
                    askedAt: .next())
                SendbirdChat.door.receive(.event(.missed(300), nil))
                #expect(!kept.isTyping())
                await story.world.pass(.seconds(1))
                #expect(kept.name == "train")
            }
        }

        @Test func `a channel of the app's own bytes is as it was, and stays so`() throws {
            try DoorStory.play(seed: 234) { story in
                let url = try await story.channel("train")
                await story.connect()
                let kept = try await story.get(url)
                let bytes = kept.serialize()
                try await story.bob.makeNow(.update(ChannelUpdateParams(name: "tram")), in: url)
                await story.world.pass()
                #expect(Channel.build(fromSerializedData: bytes)?.name == "train")
                #expect(kept.name == "tram")
            }
        }

        @Test func `channels, messages and users are encoded and decoded`() throws {
            try DoorStory.play(seed: 235) { story in
                let url = try await story.channel("train")
                await story.connect()
                let channel = try await story.get(url)
                let params = UserMessageCreateParams(message: "hello")
                (params.data, params.customType) = ("data", "type")
                params.metaArrays = [MessageMetaArray(key: "k", value: ["v"])]
                let (sent, _): (UserMessage?, SBError?) = await story.wait { done in
                    channel.sendUserMessage(params: params) { done(($0, $1)) }
                }
                let message = try #require(sent)
                let again = try Self.coded(message)
                #expect(again == message)
                #expect(again.message == "hello" && again.metaArrays?.first?.key == "k")
                #expect(try Self.coded([channel]).first?.name == "train")
                let user = try #require(SendbirdChat.getCurrentUser())
                #expect(try Self.coded(user).userId == "alice")
                let member = try #require(channel.getMember("bob"))
                for copy in [
                    try Self.coded(member),
                    try #require(type(of: member).build(fromSerializedData: member.serialize())),
                ] {
                    #expect(copy.userId == "bob" && copy.state == .joined)
                    #expect(copy.role == member.role && copy.joinedAt == member.joinedAt)
                }
                #expect(member.role == .operator)
                let plain = type(of: user).build(fromSerializedData: member.serialize())
                #expect(plain?.userId == "bob")
                let sender = try #require(message.sender)
                #expect(try Self.coded(sender).userId == "alice")
                #expect(try Self.coded(sender).role == sender.role)
                #expect(throws: DecodingError.self) {
                    try JSONDecoder().decode(
                        FileMessage.self, from: try JSONEncoder().encode(message))
                }
                #expect(throws: DecodingError.self) {
                    try JSONDecoder().decode(Channel.self, from: Data(#""AAAA""#.utf8))
                }
                #expect(
                    try Self.coded(CollectionEventSource.eventMessageReceived)
                        == .eventMessageReceived)
            }
        }

        private static func coded<Value: Codable>(_ value: Value) throws -> Value {
            try JSONDecoder().decode(Value.self, from: try JSONEncoder().encode(value))
        }
    }
}
