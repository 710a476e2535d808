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
    /// Open channels on the v4 door.
    struct OpenChannels {
        private typealias Open = SendbirdChatSDK.OpenChannel
        private typealias Answer = (channel: Open?, error: SBError?)

        /// A delegate that notes the calls about open channels.
        private final class Observer: OpenChannelDelegate {
            var lines: [String] = []

            func channel(_ channel: BaseChannel, didReceive message: BaseMessage) {
                lines.append("\(channel.name): \(message.message), \(message.channelType)")
            }
            func channel(_ channel: BaseChannel, didUpdate message: BaseMessage) {
                lines.append("\(message.message)")
            }
            func channel(_ channel: BaseChannel, messageWasDeleted messageId: Int64) {
                lines.append("deleted")
            }
            func channel(_ channel: Open, userDidEnter user: SendbirdChatSDK.User) {
                lines.append("\(user.userId) enters")
            }
            func channel(_ channel: Open, userDidExit user: SendbirdChatSDK.User) {
                lines.append("\(user.userId) exits")
            }
            func channelDidChangeParticipantCount(_ channels: [Open]) {
                lines.append("\(channels.map(\.participantCount))")
            }
            func channelWasFrozen(_ channel: BaseChannel) {
                lines.append("frozen \(channel.isOpenChannel()) \(channel.isFrozen)")
            }
            func channelWasDeleted(_ channelURL: String, channelType: ChannelType) {
                lines.append("\(channelURL) gone, \(channelType)")
            }
        }

        /// Makes an open channel as Alice.
        private static func create(_ story: DoorStory, _ url: String) async throws -> Open {
            let params = SendbirdChatSDK.OpenChannelCreateParams(
                name: url, channelURL: url, customType: "square")
            let made: Answer = await story.wait { done in
                Open.createChannel(params: params) { done(($0, $1)) }
            }
            return try #require(made.channel)
        }

        @Test func `a channel is created, found, changed and deleted`() throws {
            try DoorStory.play(seed: 95) { story in
                await story.connect()
                let made = try await Self.create(story, "plaza")
                #expect(made.isOpenChannel() && made.isOperator(userId: "alice"))
                #expect(made.customType == "square" && made.participantCount == 0)
                let params = SendbirdChatSDK.OpenChannelUpdateParams()
                params.name = "Plaza"
                let changed: Answer = await story.wait { done in
                    made.update(params: params) { done(($0, $1)) }
                }
                #expect(changed.channel?.name == "Plaza" && made.name == "Plaza")
                let error: SBError? = await story.wait { done in made.refresh { done($0) } }
                #expect(error == nil && made.name == "Plaza")
                let found: Answer = await story.wait { done in
                    Open.getChannel(url: "plaza") { done(($0, $1)) }
                }
                #expect(found.channel == made && found.channel?.name == "Plaza")
                let query = Open.createOpenChannelListQuery { $0.channelNameFilter = "PLA" }
                _ = try await Self.create(story, "park")
                let page: ([Open]?, SBError?) = await story.wait { done in
                    query.loadNextPage { done(($0, $1)) }
                }
                #expect(page.0?.map(\.channelURL) == ["plaza"] && !query.hasNext)
                let bytes = made.serialize()
                #expect(Open.build(fromSerializedData: bytes)?.name == "Plaza")
                let end: SBError? = await story.wait { done in made.delete { done($0) } }
                #expect(end == nil)
                let gone: Answer = await story.wait { done in
                    Open.getChannel(url: "plaza") { done(($0, $1)) }
                }
                #expect(gone.channel == nil && gone.error != nil)
            }
        }

        @Test func `delegates hear the live events of an entered channel only`() throws {
            try DoorStory.play(seed: 96) { story in
                await story.connect()
                let observer = Observer()
                SendbirdChat.addChannelDelegate(observer, identifier: "o")
                let channel = try await Self.create(story, "plaza")
                let bob = story.bob
                try await bob.enter("plaza")
                try await bob.sendNow(UserMessageParams(text: "early"), toOpenChannel: "plaza")
                await story.world.pass()
                #expect(observer.lines.isEmpty)
                let entry: SBError? = await story.wait { done in channel.enter { done($0) } }
                #expect(entry == nil && channel.participantCount == 2)
                let sent = try await bob.sendNow(
                    UserMessageParams(text: "hi"), toOpenChannel: "plaza")
                let id = try #require(sent.messageID)
                try await bob.editNow(id, inOpenChannel: "plaza", MessageEdit(text: "hi all"))
                try await bob.deleteNow(id, inOpenChannel: "plaza")
                try await bob.exit("plaza")
                await story.world.pass()
                #expect(
                    observer.lines == ["plaza: hi, open", "hi all", "deleted", "bob exits", "[1]"])
                observer.lines = []
                try await bob.enter("plaza")
                await story.world.pass()
                #expect(observer.lines == ["bob enters", "[2]"])
                let exit: SBError? = await story.wait { done in channel.exit { done($0) } }
                #expect(exit == nil)
                observer.lines = []
                try await bob.sendNow(UserMessageParams(text: "late"), toOpenChannel: "plaza")
                await story.world.pass()
                #expect(observer.lines.isEmpty)
                SendbirdChat.removeAllChannelDelegates()
            }
        }

        @Test
        func `a list of group channels leaves open channels out, an entered one too (R5)`() throws {
            try DoorStory.play(seed: 227) { story in
                _ = try await story.channel("train")
                await story.connect()
                let plaza = try await Self.create(story, "plaza")
                let view = try #require(CustomViewController(coder: NSCoder()))
                view.createGroupChannelCollection()
                view.loadMore()
                await story.world.pass()
                #expect(view.pages == [["train"]])
                #expect(view.collection?.hasNext == false)
                let entry: SBError? = await story.wait { done in plaza.enter { done($0) } }
                #expect(entry == nil)
                let bob = story.bob
                try await bob.enter("plaza")
                try await bob.sendNow(UserMessageParams(text: "hi"), toOpenChannel: "plaza")
                await story.world.pass()
                #expect(view.added.isEmpty)
                #expect(!view.updated.contains("plaza"))
                #expect(view.collection?.channelList.map(\.name) == ["train"])
                view.dispose()
            }
        }

        @Test func `the inherited calls send, edit, delete and fetch messages`() throws {
            try DoorStory.play(seed: 97) { story in
                await story.connect()
                let channel = try await Self.create(story, "plaza")
                _ = await story.wait { done in channel.enter { done($0) } } as SBError?
                var pending: SendbirdChatSDK.UserMessage?
                let sent: (SendbirdChatSDK.UserMessage?, SBError?) = await story.wait { done in
                    pending = channel.sendUserMessage("one") { done(($0, $1)) }
                }
                #expect(pending?.sendingStatus == .pending && pending?.channelType == .open)
                #expect(sent.1 == nil && sent.0?.sendingStatus == .succeeded)
                #expect(sent.0?.requestId == pending?.requestId)
                let id = try #require(sent.0).messageId
                let params = UserMessageUpdateParams(message: "two")
                let edited: (SendbirdChatSDK.UserMessage?, SBError?) = await story.wait { done in
                    channel.updateUserMessage(messageId: id, params: params) { done(($0, $1)) }
                }
                #expect(edited.0?.message == "two")
                let list = MessageListParams()
                list.previousResultSize = 5
                let history: ([BaseMessage]?, SBError?) = await story.wait { done in
                    channel.getMessagesByTimestamp(.max, params: list) { done(($0, $1)) }
                }
                #expect(history.0?.map(\.message) == ["two"])
                let query = try #require(channel.createPreviousMessageListQuery())
                let page: ([BaseMessage]?, SBError?) = await story.wait { done in
                    query.loadNextPage { done(($0, $1)) }
                }
                #expect(page.0?.map(\.messageId) == [id])
                let people = try #require(channel.createParticipantListQuery())
                let inside: ([SendbirdChatSDK.User]?, SBError?) = await story.wait { done in
                    people.loadNextPage { done(($0, $1)) }
                }
                #expect(inside.0?.map(\.userId) == ["alice"])
                #expect((inside.0?.first as? Participant)?.isMuted == false)
                let mute: SBError? = await story.wait { done in
                    channel.muteUser(userId: "alice", seconds: -1, description: nil) { done($0) }
                }
                #expect(mute == nil)
                let silent = try #require(channel.createParticipantListQuery())
                let muted: ([SendbirdChatSDK.User]?, SBError?) = await story.wait { done in
                    silent.loadNextPage { done(($0, $1)) }
                }
                #expect((muted.0?.first as? Participant)?.isMuted == true)
                let gone: SBError? = await story.wait { done in
                    channel.deleteMessage(messageId: id) { done($0) }
                }
                #expect(gone == nil)
                let rest: ([BaseMessage]?, SBError?) = await story.wait { done in
                    channel.getMessagesByTimestamp(.max, params: list) { done(($0, $1)) }
                }
                #expect(rest.0?.isEmpty == true)
            }
        }

        @Test func `a message for an open channel fails without a connection, and is sent again`()
            throws
        {
            try DoorStory.play(seed: 98) { story in
                await story.connect()
                let channel = try await Self.create(story, "plaza")
                _ = await story.wait { done in channel.enter { done($0) } } as SBError?
                await story.phone.network.cut()
                await story.world.pass()
                let failed: (SendbirdChatSDK.UserMessage?, SBError?) = await story.wait { done in
                    channel.sendUserMessage("again") { done(($0, $1)) }
                }
                let message = try #require(failed.0)
                #expect(message.sendingStatus == .failed && failed.1 != nil)
                story.phone.network.restore()
                await story.world.pass(.seconds(60))
                let sent: (SendbirdChatSDK.UserMessage?, SBError?) = await story.wait { done in
                    channel.resendUserMessage(message) { done(($0, $1)) }
                }
                #expect(sent.0?.sendingStatus == .succeeded)
                #expect(sent.0?.requestId == message.requestId)
            }
        }

        @Test func `moderation and metadata of an open channel use the inherited calls`() throws {
            try DoorStory.play(seed: 99) { story in
                await story.connect()
                let channel = try await Self.create(story, "plaza")
                let muted: SBError? = await story.wait { done in
                    channel.muteUser(userId: "bob", seconds: 60, description: "loud") { done($0) }
                }
                #expect(muted == nil)
                let query = try #require(channel.createMutedUserListQuery())
                let page: ([SendbirdChatSDK.RestrictedUser]?, SBError?) = await story.wait { done in
                    query.loadNextPage { done(($0, $1)) }
                }
                #expect(page.0?.map(\.userId) == ["bob"])
                let data: ([String: String]?, SBError?) = await story.wait { done in
                    channel.createMetaData(["k": "v"]) { done(($0, $1)) }
                }
                #expect(data.0 == ["k": "v"])
                let counts: ([String: Int]?, SBError?) = await story.wait { done in
                    channel.increaseMetaCounters(["n": 2]) { done(($0, $1)) }
                }
                #expect(counts.0 == ["n": 2])
            }
        }

        @Test func `calls for group channels only are refused as not supported`() throws {
            try DoorStory.play(seed: 100) { story in
                await story.connect()
                let channel = try await Self.create(story, "plaza")
                let pin: SBError? = await story.wait { done in
                    channel.pinMessage(messageId: 1) { done($0) }
                }
                let log: SBError? = await story.wait { done in
                    channel.getMessageChangeLogs(timestamp: 1) { done($4) }
                }
                let file: SBError? = await story.wait { done in
                    channel.sendFileMessage(
                        params: FileMessageCreateParams(fileURL: "https://files.example/1")
                    ) { done($1) }
                }
                let report: SBError? = await story.wait { done in
                    channel.report(category: .spam, reportDescription: nil) { done($0) }
                }
                for error in [pin, log, file, report] {
                    #expect(error?.code == ChatError.notSupported.rawValue)
                }
            }
        }
    }
}
