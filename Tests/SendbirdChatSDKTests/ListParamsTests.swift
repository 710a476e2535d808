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

@testable import CallSitesV4

extension SendbirdChatTests {
    /// Tests of the settings of message lists, in collections and in queries of the server.
    struct ListParams {
        /// The parts of a message that the app sees, by the switch that asks for them.
        private static let switches:
            [(String, any ReferenceWritableKeyPath<MessageListParams, Bool> & Sendable)] = [
                ("meta arrays", \.includeMetaArray), ("reactions", \.includeReactions),
                ("thread", \.includeThreadInfo), ("parent", \.includeParentMessageInfo),
            ]

        private static func parts(_ messages: [BaseMessage]) -> Set<String> {
            var parts: Set<String> = []
            for message in messages {
                if message.metaArrays != nil { parts.insert("meta arrays") }
                if !message.metaArrays(keys: ["seat"]).isEmpty { parts.insert("meta arrays") }
                if !message.reactions.isEmpty { parts.insert("reactions") }
                if message.threadInfo.replyCount > 0 { parts.insert("thread") }
                if message.parentMessage != nil { parts.insert("parent") }
            }
            return parts
        }

        /// Bob sends three messages: one with everything, a reply to it, and a plain one.
        private static func fill(_ url: ChannelURL, _ story: DoorStory) async throws {
            var first = UserMessageParams(text: "one")
            first.metaArrays = [MetaArray(key: "seat", values: ["12"])]
            try await story.bob.send(first, to: url)
            await story.bob.waitUntilIdle()
            let id = try #require(try await story.world.log(of: url).first?.messageID)
            var reply = UserMessageParams(text: "two")
            reply.parentID = id
            try await story.bob.send(reply, to: url)
            try await story.bob.send("three", to: url)
            await story.bob.waitUntilIdle()
            try await story.bob.addReaction("heart", to: .delivered(id), in: url)
            await story.bob.waitUntilIdle()
        }

        private static func start(
            _ collection: MessageCollection, _ story: DoorStory
        ) async throws -> [BaseMessage] {
            let page: [BaseMessage]? = await story.wait { done in
                collection.startCollection(
                    initPolicy: .cacheAndReplaceByApi, cacheResultHandler: nil
                ) { messages, _ in done(messages) }
            }
            return try #require(page)
        }

        @Test func `a collection shows the parts that its parameters ask for (R96)`() throws {
            try DoorStory.play(seed: 201) { story in
                let url = try await story.channel("train")
                try await Self.fill(url, story)
                await story.connect()
                let channel = try await story.get(url)
                for round in 0...Self.switches.count {
                    let params = MessageListParams()
                    var asked: Set<String> = []
                    for (name, path) in Self.switches.prefix(round).suffix(1) {
                        params[keyPath: path] = true
                        asked = [name]
                    }
                    let collection = SendbirdChat.createMessageCollection(
                        channel: channel, startingPoint: .max,
                        params: params.copy() as? MessageListParams ?? params)
                    let page = try await Self.start(collection, story)
                    #expect(page.map(\.message) == ["one", "two", "three"])
                    #expect(Self.parts(page) == asked)
                    #expect(Self.parts(collection.succeededMessages) == asked)
                    let copies = page.compactMap { $0.copy() as? BaseMessage }
                    #expect(Self.parts(copies) == asked)
                    collection.dispose()
                }
            }
        }

        @Test func `an app gets the parts with changes too, and its unsent messages whole (R96)`()
            throws
        {
            try DoorStory.play(seed: 202) { story in
                let url = try await story.channel("train")
                try await Self.fill(url, story)
                await story.connect()
                let channel = try await story.get(url)
                let params = MessageListParams()
                params.includeMetaArray = true
                let view = try #require(ChatView.CustomViewController(coder: NSCoder()))
                let collection = SendbirdChat.createMessageCollection(
                    channel: channel, startingPoint: .max, params: params)
                collection.delegate = view
                _ = try await Self.start(collection, story)
                await story.phone.network.cut()
                let unsent = UserMessageCreateParams(message: "four")
                unsent.metaArrays = [MessageMetaArray(key: "seat", value: ["13"])]
                channel.sendUserMessage(params: unsent)
                await story.world.pass()
                #expect(Self.parts(collection.pendingMessages) == ["meta arrays"])
                story.phone.network.restore()
                await story.world.pass(.seconds(60))
                #expect(collection.succeededMessages.last?.message == "four")
                #expect(Self.parts(collection.succeededMessages) == ["meta arrays"])
                collection.dispose()

                let plain = SendbirdChat.createMessageCollection(
                    channel: channel, startingPoint: .max, params: MessageListParams())
                _ = try await Self.start(plain, story)
                await story.phone.network.cut()
                channel.sendUserMessage(params: unsent)
                await story.world.pass()
                #expect(Self.parts(plain.pendingMessages) == ["meta arrays"])
                #expect(Self.parts(plain.succeededMessages).isEmpty)
                story.phone.network.restore()
                await story.world.pass(.seconds(60))
                plain.dispose()
            }
        }

        @Test func `an applied event shows its part of a message (R96)`() throws {
            try DoorStory.play(seed: 203) { story in
                let url = try await story.channel("train")
                try await Self.fill(url, story)
                await story.connect()
                let channel = try await story.get(url)
                let collection = SendbirdChat.createMessageCollection(
                    channel: channel, startingPoint: .max, params: MessageListParams())
                let page = try await Self.start(collection, story)
                let first = try #require(page.first)
                let event: SendbirdChatSDK.ReactionEvent? = await story.wait { done in
                    channel.addReaction(with: first, key: "bell") { event, _ in done(event) }
                }
                #expect(first.reactions.isEmpty)
                #expect(first.apply(try #require(event)))
                #expect(first.reactions.map(\.key) == ["heart", "bell"])
                collection.dispose()
            }
        }

        @Test func `a query of the server shows the parts that are asked for`() throws {
            try DoorStory.play(seed: 204) { story in
                let url = try await story.channel("train")
                try await Self.fill(url, story)
                await story.connect()
                let channel = try await story.get(url)
                func list(_ params: MessageListParams) async throws -> [BaseMessage] {
                    let page: [BaseMessage]? = await story.wait { done in
                        channel.getMessagesByTimestamp(.max, params: params) { page, _ in
                            done(page)
                        }
                    }
                    return try #require(page)
                }
                let params = MessageListParams()
                #expect(Self.parts(try await list(params)).isEmpty)
                for (_, path) in Self.switches { params[keyPath: path] = true }
                #expect(Self.parts(try await list(params)) == Set(Self.switches.map(\.0)))
                params.reverse = true
                #expect(try await list(params).map(\.message) == ["three", "two", "one"])
            }
        }

        @Test func `a reversed collection stays so, whatever becomes of its parameters (R96)`()
            throws
        {
            try DoorStory.play(seed: 205) { story in
                let url = try await story.channel("train")
                for number in 1...100 { try await story.bob.send("\(number)", to: url) }
                await story.bob.waitUntilIdle()
                await story.connect()
                let params = MessageListParams()
                params.reverse = true
                let collection = SendbirdChat.createMessageCollection(
                    channel: try await story.get(url), startingPoint: .max, params: params)
                let page: [BaseMessage]? = await story.wait { done in
                    collection.startCollection(
                        initPolicy: .cacheAndReplaceByApi, cacheResultHandler: nil
                    ) { messages, _ in done(messages) }
                }
                #expect(page?.map(\.message) == (61...100).reversed().map { "\($0)" })
                // The app uses its object again: the collection has the settings of its creation.
                params.reverse = false
                let older: [BaseMessage]? = await story.wait { done in
                    collection.loadPrevious { messages, _ in done(messages) }
                }
                #expect(older?.map(\.message) == (21...60).reversed().map { "\($0)" })
                #expect(
                    collection.succeededMessages.map(\.message)
                        == (21...100).reversed().map { "\($0)" })
                collection.dispose()
            }
        }

        @Test(arguments: [true, false])
        func `the message at the starting point belongs to an inclusive collection only (R96)`(
            isInclusive: Bool
        ) throws {
            try DoorStory.play(seed: 206) { story in
                let url = try await story.channel("train")
                for number in 1...5 {
                    try await story.bob.send("\(number)", to: url)
                    await story.bob.waitUntilIdle()
                    await story.world.pass(.seconds(1))
                }
                await story.connect()
                let middle = try await story.world.log(of: url)[2]
                let params = MessageListParams()
                params.isInclusive = isInclusive
                let view = try #require(ChatView.CustomViewController(coder: NSCoder()))
                let collection = SendbirdChat.createMessageCollection(
                    channel: try await story.get(url),
                    startingPoint: middle.createdAt.milliseconds, params: params)
                collection.delegate = view
                _ = try await Self.start(collection, story)
                await story.world.pass()
                let expected = isInclusive ? ["1", "2", "3", "4", "5"] : ["1", "2", "4", "5"]
                #expect(collection.succeededMessages.map(\.message) == expected)
                // A change of the message brings it no more than the pages do.
                view.calls = []
                try await story.bob.edit(
                    try #require(middle.messageID), in: url, text: "3, edited")
                await story.world.pass()
                #expect(view.calls.contains("updated succeeded") == isInclusive)
                #expect(collection.succeededMessages.count == expected.count)
                collection.dispose()
            }
        }
    }
}
