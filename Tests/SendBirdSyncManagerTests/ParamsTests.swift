// SPDX-License-Identifier: Apache-2.0

import DoorTestSupport
import Foundation
import Roost
import RoostModel
import RoostTestKit
import RoostTestSupport
import SendBirdSDK
import Testing

extension SendBirdTests {
    /// Tests of the settings of message lists, and of the parameters of pending messages.
    struct Params {
        private static func parts(_ messages: [SBDBaseMessage]) -> Set<String> {
            var parts: Set<String> = []
            for message in messages {
                if message.metaArrays?.isEmpty == false { parts.insert("meta arrays") }
                if !message.reactions.isEmpty { parts.insert("reactions") }
                if message.threadInfo != nil { parts.insert("thread") }
                if message.parentMessage != nil { parts.insert("parent") }
            }
            return parts
        }

        @Test func `lists and collections show the parts that their parameters ask for (R96)`()
            throws
        {
            try SyncStory.play(seed: 141) { story in
                let url = try await story.channel("train")
                var first = UserMessageParams(text: "one")
                first.metaArrays = [MetaArray(key: "seat", values: ["12"])]
                try await story.bob.send(first, to: url)
                await story.bob.waitUntilIdle()
                let middle = try #require(try await story.world.log(of: url).first)
                let id = try #require(middle.messageID)
                await story.world.pass(.seconds(1))
                var reply = UserMessageParams(text: "two")
                reply.parentID = id
                try await story.bob.send(reply, to: url)
                try await story.bob.addReaction("heart", to: .delivered(id), in: url)
                await story.bob.waitUntilIdle()
                await story.connect()
                let channel = try await story.get(url)
                let params = SBDMessageListParams()
                (params.previousResultSize, params.replyType) = (10, .all)
                let switches: [(String, ReferenceWritableKeyPath<SBDMessageListParams, Bool>)] = [
                    ("", \.reverse), ("meta arrays", \.includeMetaArray),
                    ("reactions", \.includeReactions), ("thread", \.includeThreadInfo),
                    ("parent", \.includeParentMessageInfo),
                ]
                var asked: Set<String> = []
                for (name, path) in switches {
                    params[keyPath: path] = true
                    if !name.isEmpty { asked.insert(name) }
                    let page: [SBDBaseMessage]? = await story.wait { done in
                        channel.getMessagesByTimestamp(.max, params: params) { page, _ in
                            done(page)
                        }
                    }
                    #expect(page?.map(\.message) == ["two", "one"])
                    #expect(Self.parts(page ?? []) == asked)
                    let collection = SBDMessageCollection(
                        channel: channel, startingPoint: LONG_LONG_MAX, params: params)
                    let _: [SBDBaseMessage]? = await story.wait { done in
                        collection.start(
                            with: .cacheAndReplaceByApi, cacheResultHandler: nil
                        ) { page, _ in done(page) }
                    }
                    #expect(Self.parts(collection.succeededMessages) == asked)
                    collection.dispose()
                }
                for isInclusive in [true, false] {
                    params.isInclusive = isInclusive
                    let collection = SBDMessageCollection(
                        channel: channel, startingPoint: middle.createdAt.milliseconds,
                        params: params)
                    let page: [SBDBaseMessage]? = await story.wait { done in
                        collection.start(
                            with: .cacheAndReplaceByApi, cacheResultHandler: nil
                        ) { page, _ in done(page) }
                    }
                    #expect(page?.map(\.message) == (isInclusive ? ["two", "one"] : ["two"]))
                    collection.dispose()
                }
            }
        }

        @Test func `a pending file gives its bytes back until it is sent (R116, R152)`() throws {
            try SyncStory.play(seed: 142) { story in
                let url = try await story.channel("train")
                await story.connect()
                let channel = try await story.get(url)
                let bytes = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
                let params = try #require(SBDFileMessageParams(file: bytes))
                (params.fileName, params.mimeType) = ("a.png", "image/png")
                await story.phone.network.cut()
                let pending = channel.sendFileMessage(
                    with: params, progressHandler: nil, completionHandler: nil)
                await story.world.pass()
                let unsent = try #require(try await story.unsent(in: url).first)
                #expect(unsent.requestId == pending?.requestId)
                let shown = try #require(unsent.messageParams as? SBDFileMessageParams)
                #expect(shown.file == bytes)
                #expect(shown.fileName == "a.png")
                story.phone.network.restore()
                await story.world.pass(.seconds(60))
                #expect(try await story.world.log(of: url).count == 1)
                #expect(shown.file == nil)
            }
        }
    }
}

extension SyncStory {
    /// The unsent messages of a channel, as a new collection shows them.
    fileprivate func unsent(in url: ChannelURL) async throws -> [SBDBaseMessage] {
        let collection = SBDMessageCollection(
            channel: try await get(url), startingPoint: LONG_LONG_MAX,
            params: SBDMessageListParams())
        let _: [SBDBaseMessage]? = await wait { done in
            collection.start(
                with: .cacheAndReplaceByApi, cacheResultHandler: { page, _ in done(page) },
                apiResultHandler: nil)
        }
        let unsent = collection.pendingMessages
        collection.dispose()
        return unsent
    }
}
