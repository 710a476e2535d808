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
