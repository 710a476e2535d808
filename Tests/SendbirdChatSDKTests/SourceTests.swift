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
    /// Tests of the sources of collections' events.
    struct Sources {
        private final class Observer: MessageCollectionDelegate, GroupChannelCollectionDelegate {
            var heard: [String] = []

            /// Returns and removes the recorded events.
            func take() -> [String] {
                defer { heard = [] }
                return heard
            }

            private func record(_ word: String, _ context: MessageContext, _ count: Int) {
                heard.append("\(word) \(count) \(context.sendingStatus) by \(context.source)")
            }

            func messageCollection(
                _ collection: MessageCollection, context: MessageContext,
                channel: SendbirdChatSDK.GroupChannel, addedMessages messages: [BaseMessage]
            ) { record("add", context, messages.count) }
            func messageCollection(
                _ collection: MessageCollection, context: MessageContext,
                channel: SendbirdChatSDK.GroupChannel, updatedMessages messages: [BaseMessage]
            ) { record("update", context, messages.count) }
            func messageCollection(
                _ collection: MessageCollection, context: MessageContext,
                channel: SendbirdChatSDK.GroupChannel, deletedMessages messages: [BaseMessage]
            ) { record("delete", context, messages.count) }
            func channelCollection(
                _ collection: GroupChannelCollection, context: ChannelContext,
                addedChannels channels: [SendbirdChatSDK.GroupChannel]
            ) { heard.append("list + by \(context.source)") }
            func channelCollection(
                _ collection: GroupChannelCollection, context: ChannelContext,
                deletedChannelURLs: [String]
            ) { heard.append("list - by \(context.source)") }
        }

        @Test func `each event has the source of its change (R86 to R88, R103 to R107)`() throws {
            try DoorStory.play(seed: 63) { story in
                let url = try await story.channel("train")
                let old = try #require(try await story.bob.send("old", to: url).requestID)
                try await story.bob.outcome(of: old)
                let oldID = try #require(try await story.world.log(of: url).first?.messageID)
                await story.connect()
                let channel = try await story.get(url)
                let observer = Observer()
                let chat = SendbirdChat.createMessageCollection(channel: channel)
                chat.delegate = observer
                chat.startCollection(initPolicy: .cacheAndReplaceByApi)
                await story.world.pass()
                _ = observer.take()

                channel.sendUserMessage("mine")
                await story.world.pass()
                #expect(
                    observer.take() == [
                        "add 1 pending by localMessagePendingCreated",
                        "update 1 succeeded by eventMessageSent",
                    ])
                try await story.bob.send("live", to: url)
                await story.world.pass()
                #expect(observer.take() == ["add 1 succeeded by eventMessageReceived"])

                await story.phone.network.cut()
                channel.sendUserMessage("waits")
                await story.world.pass()
                #expect(observer.take() == ["add 1 pending by localMessagePendingCreated"])
                try await story.bob.send("missed", to: url)
                try await story.bob.edit(oldID, in: url, text: "older")
                await story.bob.waitUntilIdle()
                story.phone.network.restore()
                await story.world.pass(.seconds(60))
                let heard = observer.take()
                #expect(heard.contains("add 1 succeeded by messageFill"), "\(heard)")
                #expect(heard.contains("update 1 succeeded by messageChangelog"), "\(heard)")

                let _: Bool = await story.wait { done in
                    SendbirdChat.clearCachedMessages(channelURL: url.rawValue) { _ in done(true) }
                }
                await story.world.pass()
                let cleared = observer.take()
                #expect(cleared.contains { $0.hasPrefix("delete") }, "\(cleared)")
                #expect(
                    cleared.filter { $0.hasPrefix("delete") }
                        .allSatisfy { $0.hasSuffix("by messageFill") }, "\(cleared)")
                chat.dispose()

                let query = SendbirdChatSDK.GroupChannel.createMyGroupChannelListQuery {
                    $0.includeEmptyChannel = true
                }
                let list = try #require(SendbirdChat.createGroupChannelCollection(query: query))
                list.delegate = observer
                list.loadMore()
                await story.world.pass()
                let boat = try await story.channel("boat")
                await story.world.pass()
                try await story.bob.deleteChannel(boat)
                await story.world.pass()
                #expect(
                    observer.take() == [
                        "list + by eventUserJoined", "list - by eventChannelDeleted",
                    ])
                await story.phone.network.cut()
                _ = try await story.channel("ship")
                story.phone.network.restore()
                await story.world.pass(.seconds(60))
                let missed = observer.take()
                #expect(missed.first?.hasPrefix("list + by") == true, "\(missed)")
                #expect(missed.first != "list + by eventUserJoined")
                list.dispose()
            }
        }
    }
}
