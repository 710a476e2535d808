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
    /// Tests of properties that the server honours with the delivery of a message or its edit.
    struct MessageWishes {
        @Test(arguments: [true, false])
        func `a message is pinned with its delivery, and says that it causes no push`(
            isLaunched: Bool
        ) throws {
            try DoorStory.play(seed: isLaunched ? 91 : 92) { story in
                let url = try await story.channel("train")
                await story.connect()
                let channel = try await story.get(url)
                if isLaunched { await story.phone.network.cut() }
                let params = UserMessageCreateParams(message: "read me")
                params.isPinnedMessage = true
                params.pushNotificationDeliveryOption = .suppress
                let pending = channel.sendUserMessage(params: params)
                let shown = try #require(pending.messageParams as? UserMessageCreateParams)
                #expect(shown.isPinnedMessage)
                #expect(shown.pushNotificationDeliveryOption == .suppress)
                await story.world.pass()
                if isLaunched {
                    await SendbirdChat.door.close()
                    story.launch()
                    await story.connect()
                    story.phone.network.restore()
                }
                await story.world.pass(.seconds(60))
                let sent = try #require(try await story.world.log(of: url).first)
                #expect(sent.unknownFields["push_option"] == "\"suppress\"")
                #expect(sent.unknownFields["pin_message"] == nil)
                let seen = try await story.get(url)
                #expect(seen.pinnedMessageIds == [try #require(sent.messageID).rawValue])
                #expect(seen.lastPinnedMessage?.message == "read me")
            }
        }

        @Test func `a file is pinned with its delivery`() throws {
            try DoorStory.play(seed: 93) { story in
                let url = try await story.channel("train")
                await story.connect()
                let channel = try await story.get(url)
                let params = FileMessageCreateParams(file: Data("picture".utf8))
                params.isPinnedMessage = true
                let (sent, error): (FileMessage?, SBError?) = await story.wait { done in
                    channel.sendFileMessage(params: params) { done(($0, $1)) }
                }
                #expect(error == nil)
                await story.world.pass()
                #expect(
                    try await story.get(url).pinnedMessageIds == [try #require(sent).messageId])
            }
        }

        @Test(arguments: [true, false])
        func `an edit changes the template for mentions, also after a launch`(
            isLaunched: Bool
        ) throws {
            try DoorStory.play(seed: isLaunched ? 94 : 95) { story in
                let url = try await story.channel("train")
                await story.connect()
                let channel = try await story.get(url)
                let params = UserMessageCreateParams(message: "hi Bob")
                params.mentionedMessageTemplate = "hi @{bob}"
                let (sent, _): (UserMessage?, SBError?) = await story.wait { done in
                    channel.sendUserMessage(params: params) { done(($0, $1)) }
                }
                let id = try #require(sent).messageId
                let edit = UserMessageUpdateParams(message: "bye Bob")
                edit.mentionedMessageTemplate = "bye @{bob}"
                if isLaunched {
                    await story.phone.network.cut()
                    channel.updateUserMessage(messageId: id, params: edit)
                    await story.world.pass()
                    await SendbirdChat.door.close()
                    story.launch()
                    await story.connect()
                    story.phone.network.restore()
                    await story.world.pass(.seconds(60))
                } else {
                    let (edited, error): (UserMessage?, SBError?) = await story.wait { done in
                        channel.updateUserMessage(messageId: id, params: edit) { done(($0, $1)) }
                    }
                    #expect(error == nil)
                    #expect(edited?.mentionedMessageTemplate == "bye @{bob}")
                }
                let seen = try await story.bob.fetchMessage(MessageID(id), in: url)
                #expect(seen.text == "bye Bob")
                #expect(seen.details.mentionTemplate == "bye @{bob}")
                // An edit without a template leaves it as it is.
                let again = try await story.get(url)
                let (kept, _): (UserMessage?, SBError?) = await story.wait { done in
                    again.updateUserMessage(
                        messageId: id, params: UserMessageUpdateParams(message: "bye")
                    ) { done(($0, $1)) }
                }
                #expect(kept?.mentionedMessageTemplate == "bye @{bob}")
            }
        }
    }
}
