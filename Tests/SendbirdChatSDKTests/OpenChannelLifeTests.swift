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
    /// The stay in an open channel through exits, logouts, refusals and a slow network.
    struct OpenChannelLife {
        private typealias Open = SendbirdChatSDK.OpenChannel
        private typealias Sent = (SendbirdChatSDK.UserMessage?, SBError?)

        /// A delegate that notes messages and news of polls.
        private final class Observer: OpenChannelDelegate {
            var lines: [String] = []

            func channel(_ channel: BaseChannel, didReceive message: BaseMessage) {
                lines.append(message.message)
            }
            func channel(_ channel: Open, didVotePoll event: PollVoteEvent) {
                lines.append("vote")
            }
            func channel(_ channel: Open, didUpdatePoll event: PollUpdateEvent) {
                lines.append("update")
            }
            func channel(_ channel: Open, pollWasDeleted pollId: Int64) {
                lines.append("deletion")
            }
        }

        private static func play(
            seed: UInt64, _ story: @escaping @Sendable (DoorStory, Open) async throws -> Void
        ) throws {
            try DoorStory.play(seed: seed) { base in
                await base.connect()
                let params = SendbirdChatSDK.OpenChannelCreateParams(
                    name: "plaza", channelURL: "plaza", customType: "")
                let made: (Open?, SBError?) = await base.wait { done in
                    Open.createChannel(params: params) { done(($0, $1)) }
                }
                try await story(base, try #require(made.0))
                SendbirdChat.removeAllChannelDelegates()
            }
        }

        /// Expects these users inside the channel, as Bob sees it.
        private static func expect(
            _ users: [UserID], in story: DoorStory, at place: SourceLocation = #_sourceLocation
        ) async throws {
            let inside = try await story.bob.participants(ofOpenChannel: "plaza").elements
            #expect(inside.map(\.id) == users, sourceLocation: place)
        }

        @Test func `a screen that opens and closes leaves the channel`() throws {
            try Self.play(seed: 221) { story, channel in
                let errors = Answers<SBError?>()
                channel.enter { errors.values.append($0) }
                channel.exit { errors.values.append($0) }
                await story.world.pass(.seconds(10))
                #expect(errors.values.count == 2)
                try await Self.expect([], in: story)
                await story.phone.network.cut()
                await story.world.pass(.seconds(60))
                story.phone.network.restore()
                await story.world.pass(.seconds(60))
                try await Self.expect([], in: story)
            }
        }

        @Test func `a logout leaves the channel, a closed socket returns to it`() throws {
            try Self.play(seed: 222) { story, channel in
                _ = await story.wait { done in channel.enter { done($0) } } as SBError?
                await story.wait { (done: @escaping (()) -> Void) in
                    SendbirdChat.disconnectWebSocket { done(()) }
                }
                try await Self.expect([], in: story)
                await story.connect()
                await story.world.pass()
                try await Self.expect(["alice"], in: story)
                await story.wait { (done: @escaping (()) -> Void) in
                    SendbirdChat.disconnect { done(()) }
                }
                await story.connect()
                await story.world.pass()
                try await Self.expect([], in: story)
            }
        }

        @Test func `a refused message is not sent by sending it again`() throws {
            try Self.play(seed: 223) { story, channel in
                let params = UserMessageCreateParams(message: "pinned")
                params.isPinnedMessage = true
                let refused: Sent = await story.wait { done in
                    channel.sendUserMessage(params: params) { done(($0, $1)) }
                }
                #expect(refused.1?.errorCode == .notSupported)
                let message = try #require(refused.0)
                #expect(message.channelType == .open)
                let again: Sent = await story.wait { done in
                    channel.resendUserMessage(message) { done(($0, $1)) }
                }
                #expect(again.1?.code == RoostError.Code.messageNotFound.rawValue)
                let history = try await story.bob.fetchMessages(
                    ofOpenChannel: "plaza", around: .distantFuture, older: 5)
                #expect(history.isEmpty)
            }
        }

        @Test func `a message for an open channel delays none for a group channel`() throws {
            try Self.play(seed: 224) { story, channel in
                let train = try await story.get(try await story.channel("train"))
                // The server's answer takes seconds.
                story.phone.network.setDelay(.seconds(3))
                let order = Answers<String>()
                channel.sendUserMessage("to the plaza") { _, _ in order.values.append("plaza") }
                let saved = train.sendUserMessage("to the train") { _, _ in
                    order.values.append("train")
                }
                await story.world.pass(.milliseconds(100))
                let pending = SendbirdChat.createMessageCollection(
                    channel: train, startingPoint: .max, params: MessageListParams())
                let _: [BaseMessage]? = await story.wait { done in
                    pending.startCollection(
                        initPolicy: .cacheAndReplaceByApi,
                        cacheResultHandler: { messages, _ in done(messages) },
                        apiResultHandler: nil)
                }
                #expect(order.values.isEmpty)
                #expect(pending.pendingMessages.map(\.requestId) == [saved.requestId])
                pending.dispose()
                await story.world.pass(.seconds(60))
                #expect(Set(order.values) == ["plaza", "train"])
            }
        }

        @Test func `polls of an open channel are followed, and their changes are listed`() throws {
            try Self.play(seed: 225) { story, channel in
                let observer = Observer()
                SendbirdChat.addChannelDelegate(observer, identifier: "o")
                _ = await story.wait { done in channel.enter { done($0) } } as SBError?
                let poll = try await story.bob.createPoll(
                    RoostModel.PollCreateParams(title: "Lunch?", options: ["soup", "bread"]))
                var message = UserMessageParams(text: "Lunch?")
                message.pollID = poll.id
                try await story.bob.enter("plaza")
                try await story.bob.sendNow(message, toOpenChannel: "plaza")
                await story.world.pass()
                #expect(observer.lines == ["Lunch?"])
                let option = try #require(poll.options.first?.id)
                try await story.bob.vote(for: [option], in: poll.id, of: "plaza")
                await story.world.pass()
                #expect(observer.lines == ["Lunch?", "vote"])
                try await story.bob.closePoll(poll.id)
                await story.world.pass()
                #expect(observer.lines == ["Lunch?", "vote", "update"])
                let log: ([SendbirdChatSDK.Poll]?, SBError?) = await story.wait { done in
                    channel.getPollChangeLogs(timestamp: 1) { polls, _, _, _, error in
                        done((polls, error))
                    }
                }
                #expect(log.1 == nil)
                #expect(log.0?.map(\.pollId) == [poll.id.rawValue])
            }
        }

        @Test func `an open channel of the app's own store is built again`() throws {
            try Self.play(seed: 226) { _, channel in
                let built = BaseChannel.build(fromSerializedData: channel.serialize())
                #expect(built?.isOpenChannel() == true)
                #expect(built?.channelURL == "plaza")
                #expect(
                    SendbirdChatSDK.GroupChannel.build(
                        fromSerializedData: channel.serialize()) == nil)
            }
        }
    }
}
