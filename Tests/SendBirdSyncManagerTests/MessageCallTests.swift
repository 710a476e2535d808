// SPDX-License-Identifier: Apache-2.0

import DoorTestSupport
import Foundation
import Roost
import RoostDoors
import RoostModel
import RoostTestKit
import RoostTestSupport
import SendBirdSDK
import SendBirdSyncManager
import Testing

extension SendBirdTests {
    /// Tests of the calls on messages, as the old library has them.
    struct MessageCalls {
        @Test func `a text is sent as it is, and its request ID is never nil`() throws {
            try SyncStory.play(seed: 101) { story in
                let url = try await story.channel("train")
                await story.connect()
                let channel = try await story.get(url)
                var pending: SBDUserMessage?
                let (sent, error): (SBDUserMessage?, SBDError?) = await story.wait { done in
                    pending = channel.sendUserMessage("hello") { done(($0, $1)) }
                }
                #expect(error == nil)
                #expect(pending?.sendingStatus == .pending)
                #expect(pending?.requestId.isEmpty == false)
                #expect(sent?.requestId == pending?.requestId)
                #expect(sent?.message == "hello")
                #expect(sent?.channelUrl == url.rawValue)
                #expect(sent?.channelType == "group")
                #expect(sent?.isKind(of: SBDUserMessage.self) == true)
                let (page, _): ([SBDBaseMessage]?, SBDError?) = await story.wait { done in
                    let params = SBDMessageListParams()
                    params.previousResultSize = 1
                    channel.getMessagesByTimestamp(Int64.max, params: params) { done(($0, $1)) }
                }
                #expect(page?.first?.message == "hello")
            }
        }

        @Test func `properties of a message arrive, and can be read back as parameters`() throws {
            try SyncStory.play(seed: 102) { story in
                let url = try await story.channel("train")
                await story.connect()
                let channel = try await story.get(url)
                let (first, _): (SBDUserMessage?, SBDError?) = await story.wait { done in
                    channel.sendUserMessage("first") { done(($0, $1)) }
                }
                let parent = try #require(first)
                let params = try #require(SBDUserMessageParams(message: "second"))
                params.mentionType = .channel
                params.metaArrays = [SBDMessageMetaArray(key: "k", value: ["v"])]
                params.parentMessageId = parent.messageId
                params.isReplyToChannel = true
                params.customType = "type"
                let (second, _): (SBDUserMessage?, SBDError?) = await story.wait { done in
                    channel.sendUserMessage(with: params) { done(($0, $1)) }
                }
                let message = try #require(second)
                #expect(message.mentionType == .channel)
                #expect(message.metaArrays?.map(\.key) == ["k"])
                #expect(message.metaArrays?.first?.value == ["v"])
                #expect(message.parentMessageId == parent.messageId)
                #expect(message.isReplyToChannel)
                let copy = try #require(message.messageParams as? SBDUserMessageParams)
                #expect(copy.message == "second")
                #expect(copy.mentionType == .channel)
                #expect(copy.customType == "type")
                #expect(copy.parentMessageId == parent.messageId)
            }
        }

        @Test func `a message without a push says so to the server, also after a launch`() throws {
            try SyncStory.play(seed: 103) { story in
                let url = try await story.channel("train")
                await story.connect()
                let channel = try await story.get(url)
                let params = try #require(SBDUserMessageParams(message: "hush"))
                params.pushNotificationDeliveryOption = .suppress
                await story.phone.network.cut()
                let pending = channel.sendUserMessage(with: params)
                #expect(pending.messageParams?.pushNotificationDeliveryOption == .suppress)
                await story.world.pass()
                await SBDMain.door.close()
                story.launch()
                await story.connect()
                story.phone.network.restore()
                await story.world.pass(.seconds(60))
                let sent = try #require(try await story.world.log(of: url).first)
                #expect(sent.unknownFields["push_option"] == "\"suppress\"")
            }
        }

        @Test func `an upload reports its bytes, and the file has its thumbnails' sizes`() throws {
            try SyncStory.play(seed: 104) { story in
                let url = try await story.channel("train")
                await story.connect()
                let channel = try await story.get(url)
                let file = try #require(SBDFileMessageParams(file: Data(count: 200_000)))
                file.fileName = "a.jpg"
                file.mimeType = "image/jpeg"
                let size = SBDThumbnailSize.make(withMaxWidth: 320, maxHeight: 240)
                file.thumbnailSizes = [size].compactMap { $0 }
                var steps: [(Int64, Int64, Int64)] = []
                let (sent, error): (SBDFileMessage?, SBDError?) = await story.wait { done in
                    channel.sendFileMessage(
                        with: file, progressHandler: { steps.append(($0, $1, $2)) },
                        completionHandler: { done(($0, $1)) })
                }
                #expect(error == nil)
                #expect(sent?.name == "a.jpg")
                #expect(sent?.url.isEmpty == false)
                #expect(sent?.thumbnails != nil)
                #expect(!steps.isEmpty)
                #expect(steps.map(\.0).reduce(0, +) == steps.last?.1)
                #expect(steps.allSatisfy { $0.1 <= $0.2 })
            }
        }

        @Test func `a reaction to an unsent message is answered with the later message ID`()
            throws
        {
            try SyncStory.play(seed: 107) { story in
                let url = try await story.channel("train")
                await story.connect()
                let channel = try await story.get(url)
                await story.phone.network.cut()
                var event: SBDReactionEvent?
                let preview = channel.sendUserMessage("later")
                await story.world.pass()
                channel.addReaction(with: preview, key: "smile") { made, _ in event = made }
                await story.world.pass()
                #expect(event == nil)
                story.phone.network.restore()
                await story.world.pass(.seconds(60))
                let message = try #require(try await story.world.log(of: url).last)
                #expect(message.text == "later")
                #expect(event?.messageId == message.messageID?.rawValue)
            }
        }

        @Test func `a reaction is answered with its event and shown at the message`() throws {
            try SyncStory.play(seed: 105) { story in
                let url = try await story.channel("train")
                await story.connect()
                let channel = try await story.get(url)
                let (sent, _): (SBDUserMessage?, SBDError?) = await story.wait { done in
                    channel.sendUserMessage("hello") { done(($0, $1)) }
                }
                let message = try #require(sent)
                let (event, error): (SBDReactionEvent?, SBDError?) = await story.wait { done in
                    channel.addReaction(with: message, key: "smile") { done(($0, $1)) }
                }
                #expect(error == nil)
                #expect(event?.messageId == message.messageId)
                #expect(event?.userId == "alice")
                #expect(event?.operation == .add)
                let (removed, _): (SBDReactionEvent?, SBDError?) = await story.wait { done in
                    channel.deleteReaction(with: message, key: "smile") { done(($0, $1)) }
                }
                #expect(removed?.operation == .delete)
            }
        }

        @Test func `an unsent message is built in another state, a delivered one in its own`()
            throws
        {
            var message = Message(
                delivery: .unsent("r-1", .pending), channelURL: "url",
                createdAt: Timestamp(milliseconds: 5), content: .user(text: "hello"))
            func build(_ state: SBDMessageSendingStatus) throws -> SBDUserMessage? {
                let bytes = try #require(SBDBaseMessage.make(message).serialize())
                return SBDUserMessage.build(fromSerializedData: bytes, desiredState: state)
            }
            #expect(try build(.failed)?.sendingStatus == .failed)
            #expect(try build(.canceled)?.sendingStatus == .canceled)
            #expect(try build(.succeeded)?.sendingStatus == .pending)
            message.delivery = .delivered(7, "r-1")
            #expect(try build(.failed)?.sendingStatus == .succeeded)
            #expect(SBDBaseMessage.build(fromSerializedData: Data(), desiredState: .failed) == nil)
        }

        @Test func `an error of a dictionary or another library keeps its code`() {
            let error = SBDError.error(withDictionary: ["code": 800120, "message": "No network."])
            #expect(error.code == SBDErrorCode.networkError.rawValue)
            #expect(error.localizedDescription == "No network.")
            #expect(SBDError.error(withNSError: error) === error)
            let other = NSError(domain: "other", code: 7)
            #expect(SBDError.error(withNSError: other).code == 7)
        }

        @Test func `a search finds messages in the cache, page by page`() throws {
            try SyncStory.play(seed: 106) { story in
                let url = try await story.channel("train")
                await story.connect()
                let channel = try await story.get(url)
                let view = ChatScreen(channel: channel)
                view.viewDidLoad()
                await story.world.pass()
                for text in ["green apple", "red apple", "pear"] {
                    let _: SBDError? = await story.wait { done in
                        channel.sendUserMessage(text) { done($1) }
                    }
                }
                let query = SBDMain.createMessageSearchQuery { builder in
                    builder.keyword = "apple"
                    builder.order = .timeStamp
                    builder.limit = 1
                }
                var found: [String] = []
                while query?.hasNext == true {
                    let page: [SBDBaseMessage]? = await story.wait { done in
                        query?.loadNextPage { messages, _ in done(messages) }
                    }
                    found += page?.map(\.message) ?? []
                }
                #expect(found == ["red apple", "green apple"])
                view.close()
                let exact = SBDMain.createMessageSearchQuery { $0.exactMatch = true }
                let error: SBDError? = await story.wait { done in
                    exact?.loadNextPage { _, error in done(error) }
                }
                #expect(error?.code == RoostError.Code.featureUnavailable.rawValue)
            }
        }
    }
}
