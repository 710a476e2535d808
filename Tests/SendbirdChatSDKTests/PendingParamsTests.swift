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
    /// Tests of the parameters of pending messages, which draw the messages and send them again.
    struct PendingParams {
        private static let bytes = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })

        /// Plays a story with a channel; the app starts anew with `launch`, after it was closed.
        private static func play(
            seed: UInt64, isSealed: Bool,
            _ story: @escaping @Sendable (DoorStory, ChannelURL) async throws -> Void
        ) throws {
            try DoorStory.play(seed: seed) { base in
                let url = try await base.channel("train")
                try await launch(base, isSealed)
                try await story(base, url)
            }
        }

        private static func launch(_ story: DoorStory, _ isSealed: Bool) async throws {
            await SendbirdChat.door.close()
            story.launch()
            let params = story.params()
            params.cacheFolder = story.base.folder.file("cache")
            params.localCacheConfig?.isEncryptionEnabled = isSealed
            SendbirdChat.initialize(params: params)
            await story.connect()
        }

        /// The pending messages of a new collection, as after a huge gap.
        private static func pending(
            in url: ChannelURL, _ story: DoorStory
        ) async throws -> [BaseMessage] {
            let collection = SendbirdChat.createMessageCollection(
                channel: try await story.get(url), startingPoint: .max, params: MessageListParams())
            let _: [BaseMessage]? = await story.wait { done in
                collection.startCollection(
                    initPolicy: .cacheAndReplaceByApi,
                    cacheResultHandler: { messages, _ in done(messages) }, apiResultHandler: nil)
            }
            let pending = collection.pendingMessages
            collection.dispose()
            return pending
        }

        @Test(arguments: [false, true], [false, true])
        func
            `a pending file gives its bytes back after a restart, for a new message too (R116, R152)`(
                isSealed: Bool, isAtPath: Bool
            ) throws
        {
            try Self.play(seed: 211, isSealed: isSealed) { story, url in
                let channel = try await story.get(url)
                let path = story.base.folder.file("original.png")
                try Self.bytes.write(to: URL(fileURLWithPath: path))
                let params =
                    isAtPath
                    ? FileMessageCreateParams(fileURL: path)
                    : FileMessageCreateParams(file: Self.bytes)
                (params.fileName, params.mimeType) = ("a.png", "image/png")
                params.message = "look"
                params.thumbnailSizes = [.make(maxWidth: 320, maxHeight: 240)]
                await story.phone.network.cut()
                let preview = channel.sendFileMessage(params: params)
                await story.world.pass()
                try FileManager.default.removeItem(atPath: path)
                try await Self.launch(story, isSealed)

                let pending = try await Self.pending(in: url, story)
                #expect(pending.map(\.requestId) == [preview?.requestId ?? ""])
                let shown = try #require(
                    pending.first?.messageParams as? FileMessageCreateParams)
                #expect(shown.file == Self.bytes)
                #expect((shown.fileName, shown.mimeType) == ("a.png", "image/png"))
                #expect(shown.fileSize == 200_000)
                #expect(shown.message == "look")
                #expect(shown.thumbnailSizes?.first?.maxSize.width == 320)
                // Whether the message was sealed or not, the parameters are as good as the first.
                let again = try #require(shown.copy() as? FileMessageCreateParams)
                again.message = "look again"
                let channelNow = try await story.get(url)
                #expect(channelNow.sendFileMessage(params: again) != nil)
                await story.world.pass()
                story.phone.network.restore()
                await story.world.pass(.seconds(120))
                let log = try await story.world.log(of: url)
                #expect(log.map(\.text) == ["look", "look again"])
                for message in log {
                    guard case .file(let file) = message.content else {
                        return #expect(Bool(false))
                    }
                    #expect(try await story.world.file(at: file.url) == Array(Self.bytes))
                }
                // After the delivery the file is at its address only.
                #expect(shown.file == nil)
            }
        }

        @Test(arguments: [false, true])
        func `a pending text has all its parameters after a restart (R116, R152)`(
            isSealed: Bool
        ) throws {
            try Self.play(seed: 212, isSealed: isSealed) { story, url in
                let channel = try await story.get(url)
                try await story.bob.send("first", to: url)
                await story.bob.waitUntilIdle()
                let first = try #require(try await story.world.log(of: url).first?.messageID)
                let params = UserMessageCreateParams(message: "hi Bob")
                (params.data, params.customType) = ("{\"a\":1}", "greeting")
                params.mentionedUserIds = ["bob"]
                params.mentionedMessageTemplate = "hi @{bob}"
                params.metaArrays = [MessageMetaArray(key: "seat", value: ["12", "13"])]
                params.parentMessageId = first.rawValue
                params.isReplyToChannel = true
                await story.phone.network.cut()
                let preview = channel.sendUserMessage(params: params)
                await story.world.pass()
                try await Self.launch(story, isSealed)

                let pending = try await Self.pending(in: url, story)
                #expect(pending.map(\.requestId) == [preview.requestId])
                let shown = try #require(
                    pending.first?.messageParams as? UserMessageCreateParams)
                #expect(shown.message == "hi Bob")
                #expect((shown.data, shown.customType) == ("{\"a\":1}", "greeting"))
                #expect(shown.mentionType == .users)
                #expect(shown.mentionedUserIds == ["bob"])
                #expect(shown.mentionedMessageTemplate == "hi @{bob}")
                #expect(shown.metaArrays?.map(\.key) == ["seat"])
                #expect(shown.metaArrays?.first?.value == ["12", "13"])
                #expect(shown.parentMessageId == first.rawValue)
                #expect(shown.isReplyToChannel)
            }
        }

        @Test func `parameters of a pending message can lose what they had`() throws {
            try Self.play(seed: 213, isSealed: false) { story, url in
                let channel = try await story.get(url)
                let params = UserMessageCreateParams(message: "hi Bob")
                params.mentionedMessageTemplate = "hi @{bob}"
                params.pollId = 7
                await story.phone.network.cut()
                let pending = channel.sendUserMessage(params: params)
                await story.world.pass()
                let again = try #require(pending.messageParams as? UserMessageCreateParams)
                #expect(again.mentionedMessageTemplate == "hi @{bob}")
                #expect(again.pollId == 7)
                again.mentionedMessageTemplate = nil
                again.pollId = 0
                let second = channel.sendUserMessage(params: again)
                await story.world.pass()
                let last = try #require(second.messageParams as? UserMessageCreateParams)
                #expect(last.mentionedMessageTemplate == nil)
                #expect(last.pollId == 0)
                #expect(second.mentionedMessageTemplate == nil)
            }
        }
    }
}
