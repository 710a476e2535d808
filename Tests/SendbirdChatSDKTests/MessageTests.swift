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
    /// Tests of calls about single messages.
    struct Messages {
        typealias Channel = SendbirdChatSDK.GroupChannel

        /// Plays a story in which Alice has a channel with Bob.
        private static func play(
            seed: UInt64,
            _ story: @escaping @Sendable (DoorStory, ChannelURL, Channel) async throws -> Void
        ) throws {
            try DoorStory.play(seed: seed) { world in
                let url = try await world.channel("train")
                await world.connect()
                try await story(world, url, try await world.get(url))
            }
        }

        private static func send(
            _ text: String, to channel: BaseChannel, _ story: DoorStory
        ) async throws -> UserMessage {
            let (sent, error): (UserMessage?, SBError?) = await story.wait { done in
                channel.sendUserMessage(text) { done(($0, $1)) }
            }
            #expect(error == nil)
            return try #require(sent)
        }

        @Test func `a copy is a new message of the user, and only sent messages are copied`()
            throws
        {
            try Self.play(seed: 81) { story, url, channel in
                let other = try await story.channel("boat")
                let target = try await story.get(other)
                let sent = try await Self.send("hello", to: channel, story)
                let (copy, error): (UserMessage?, SBError?) = await story.wait { done in
                    channel.copyUserMessage(sent, toTargetChannel: target) { done(($0, $1)) }
                }
                #expect(error == nil)
                #expect(copy?.channelURL == other.rawValue)
                #expect(copy?.requestId != sent.requestId)
                #expect(try await story.world.log(of: other).map(\.text) == ["hello"])
                await story.phone.network.cut()
                let unsent = channel.sendUserMessage("waits")
                let (refused, refusal): (UserMessage?, SBError?) = await story.wait { done in
                    channel.copyUserMessage(unsent, toTargetChannel: target) { done(($0, $1)) }
                }
                #expect(refusal?.errorCode == .invalidParameter)
                #expect(refused?.requestId == "")
                #expect(refused?.sendingStatus == .failed)
            }
        }

        @Test func `a copied file is not uploaded again`() throws {
            try Self.play(seed: 82) { story, url, channel in
                let uploads = Uploads()
                story.phone.network.observe { uploads.note($0) }
                let params = FileMessageCreateParams(file: Data("picture".utf8))
                let (sent, _): (FileMessage?, SBError?) = await story.wait { done in
                    channel.sendFileMessage(params: params) { done(($0, $1)) }
                }
                let file = try #require(sent)
                let (copy, error): (FileMessage?, SBError?) = await story.wait { done in
                    channel.copyFileMessage(file, toTargetChannel: channel) { done(($0, $1)) }
                }
                #expect(error == nil)
                #expect(copy?.url == file.url)
                #expect(copy?.messageId != file.messageId)
                #expect(uploads.count == 1)
            }
        }

        @Test func `a message with several files reports each uploaded file`() throws {
            try Self.play(seed: 83) { story, url, channel in
                let files = ["a", "bb", "ccc"].map { UploadableFileInfo(file: Data($0.utf8)) }
                for (number, file) in files.enumerated() { file.fileName = "\(number).txt" }
                let params = MultipleFilesMessageCreateParams(uploadableFileInfoList: files)
                let steps = Answers<String>()
                var pending: MultipleFilesMessage?
                let (sent, error): (MultipleFilesMessage?, SBError?) = await story.wait { done in
                    pending = channel.sendMultipleFilesMessage(
                        params: params,
                        fileUploadHandler: { id, index, file, error in
                            steps.values.append("\(index) \(file.fileName ?? "-")")
                            #expect(error == nil)
                            #expect(id == pending?.requestId)
                        }, completionHandler: { done(($0, $1)) })
                }
                #expect(error == nil)
                #expect(pending?.files.map(\.fileSize) == [1, 2, 3])
                #expect(steps.values == ["0 0.txt", "1 1.txt", "2 2.txt"])
                #expect(sent?.files.map(\.fileName) == ["0.txt", "1.txt", "2.txt"])
                #expect(sent?.files.allSatisfy { !$0.url.isEmpty } == true)
                let copied: MultipleFilesMessage? = await story.wait { done in
                    guard let sent else { return }
                    channel.copyMultipleFilesMessage(sent, toTargetChannel: channel) { copy, _ in
                        done(copy)
                    }
                }
                #expect(copied?.files.count == 3)
                let few = MultipleFilesMessageCreateParams(uploadableFileInfoList: [files[0]])
                let (none, refusal): (MultipleFilesMessage?, SBError?) = await story.wait { done in
                    let none = channel.sendMultipleFilesMessage(params: few, fileUploadHandler: nil)
                    {
                        done(($0, $1))
                    }
                    #expect(none == nil)
                }
                #expect(none != nil)
                #expect(refusal?.errorCode == .invalidParameter)
            }
        }

        @Test func `several file messages end with one outcome`() throws {
            try Self.play(seed: 84) { story, url, channel in
                let files = ["a", "b"].map { FileMessageCreateParams(file: Data($0.utf8)) }
                let sent = Answers<FileMessage?>()
                var pending: [FileMessage] = []
                let error: SBError? = await story.wait { done in
                    pending = channel.sendFileMessages(
                        params: files + [FileMessageCreateParams()],
                        sentMessageHandler: { message, _ in sent.values.append(message) },
                        completionHandler: done)
                }
                #expect(pending.count == 2)
                #expect(sent.values.count == 3)
                #expect(error?.errorCode == .invalidParameter)
                let log = try await story.world.log(of: url)
                #expect(log.count == 2)
            }
        }

        @Test func `an upload is canceled by its request ID, once`() throws {
            try Self.play(seed: 85) { story, url, channel in
                await story.phone.network.cut()
                let params = FileMessageCreateParams(file: Data("picture".utf8))
                let pending = channel.sendFileMessage(params: params)
                await story.world.pass()
                let id = try #require(pending?.requestId)
                for isThere in [true, false] {
                    let (done, error): (Bool, SBError?) = await story.wait { done in
                        Channel.cancelUploadingFileMessage(requestId: id) { done(($0, $1)) }
                    }
                    #expect(done == isThere)
                    #expect(error?.errorCode == (isThere ? nil : .fileUploadCancelFailed))
                }
                story.phone.network.restore()
                await story.world.pass(.seconds(60))
                #expect(try await story.world.log(of: url).isEmpty)
            }
        }

        @Test func `a message that is canceled directly after its sending is not sent`() throws {
            try Self.play(seed: 187) { story, url, channel in
                await story.phone.network.cut()
                let params = FileMessageCreateParams(file: Data("picture".utf8))
                let file = try #require(channel.sendFileMessage(params: params)?.requestId)
                let (isCanceled, error): (Bool, SBError?) = await story.wait { done in
                    Channel.cancelUploadingFileMessage(requestId: file) { done(($0, $1)) }
                }
                #expect(isCanceled)
                #expect(error == nil)
                let text = channel.sendUserMessage("oops").requestId
                let refusal: SBError? = await story.wait { done in
                    channel.cancelPendingMessage(requestId: text) { done($0) }
                }
                #expect(refusal == nil)
                story.phone.network.restore()
                await story.world.pass(.seconds(60))
                #expect(try await story.world.log(of: url).isEmpty)
            }
        }

        @Test func `a pending file shows its bytes and sizes, and a file needs bytes`() throws {
            try Self.play(seed: 86) { story, url, channel in
                let params = FileMessageCreateParams(file: Data("picture".utf8))
                params.fileName = "a.png"
                params.message = "look"
                params.thumbnailSizes = [.make(maxWidth: 320, maxHeight: 240)]
                let pending = try #require(channel.sendFileMessage(params: params))
                #expect(pending.size == 7)
                #expect(pending.message == "look")
                let shown = try #require(pending.messageParams as? FileMessageCreateParams)
                #expect(shown.file == Data("picture".utf8))
                #expect(shown.thumbnailSizes?.first?.maxSize.height == 240)
                let copy = try #require(shown.copy() as? FileMessageCreateParams)
                #expect(copy !== shown)
                #expect(copy.fileName == "a.png")
                copy.fileURL = "https://files.example/a"
                #expect(copy.file == nil)
                #expect(channel.sendFileMessage(params: FileMessageCreateParams()) == nil)
            }
        }

        @Test func `a property that nothing can honour gives an error and sends nothing`() throws {
            try Self.play(seed: 87) { story, url, channel in
                let foreign = UserMessageCreateParams(message: "foreign")
                foreign.translationTargetLanguages = ["de"]
                let (message, error): (UserMessage?, SBError?) = await story.wait { done in
                    channel.sendUserMessage(params: foreign) { done(($0, $1)) }
                }
                #expect(error?.errorCode == .notSupported)
                #expect(message?.sendingStatus == .failed)
                #expect(try await story.world.log(of: url).isEmpty)
                let sent = try await Self.send("hello", to: channel, story)
                let edit = UserMessageUpdateParams(message: "bye")
                edit.pollId = 7
                let (_, refusal): (UserMessage?, SBError?) = await story.wait { done in
                    channel.updateUserMessage(messageId: sent.messageId, params: edit) {
                        done(($0, $1))
                    }
                }
                #expect(refusal?.errorCode == .notSupported)
                let translation: SBError? = await story.wait { done in
                    channel.translateUserMessage(sent, targetLanguages: ["de"]) { done($1) }
                }
                #expect(translation?.errorCode == .notSupported)
                let deletion: SBError? = await story.wait { done in
                    channel.deleteMessage(
                        messageId: sent.messageId, hardDelete: false, completionHandler: done)
                }
                #expect(deletion?.errorCode == .notSupported)
            }
        }

        @Test func `a template for mentions and an alert outlive the app and reach the server`()
            throws
        {
            try Self.play(seed: 88) { story, url, channel in
                await story.phone.network.cut()
                let params = UserMessageCreateParams(message: "hi Bob")
                params.mentionedMessageTemplate = "hi @{bob}"
                params.mentionedUserIds = ["bob"]
                params.addMentionedUserIds(["carol", "bob"])
                params.appleCriticalAlertOptions = AppleCriticalAlertOptions(
                    name: "bell", volume: 0.5)
                let pending = channel.sendUserMessage(params: params)
                #expect(pending.requestedMentionUserIds == ["bob", "carol"])
                #expect(pending.mentionedMessageTemplate == "hi @{bob}")
                let again = pending.messageParams as? UserMessageCreateParams
                #expect(again?.mentionedMessageTemplate == "hi @{bob}")
                #expect(again?.mentionedUserIds == ["bob", "carol"])
                await story.world.pass()
                await SendbirdChat.door.close()
                story.launch()
                await story.connect()
                story.phone.network.restore()
                await story.world.pass(.seconds(60))
                let arrived = try #require(try await story.world.log(of: url).first)
                let id = try #require(arrived.messageID)
                let shown = try await story.bob.fetchMessage(id, in: url)
                #expect(shown.details.mentionTemplate == "hi @{bob}")
                #expect(shown.details.criticalAlert?.sound == "bell")
                #expect(shown.details.criticalAlert?.volume == 0.5)
            }
        }
    }
}
