// SPDX-License-Identifier: Apache-2.0

import DoorTestSupport
import Foundation
import Roost
import RoostDoors
import RoostModel
import RoostTestKit
import RoostTestSupport
import SendBirdSDK
import Testing

extension SendBirdTests {
    /// Open channels on the v3 door.
    struct OpenChannels {
        private typealias Answer = (channel: SBDOpenChannel?, error: SBDError?)

        /// A delegate that notes the calls about open channels.
        private final class Observer: SBDChannelDelegate {
            var lines: [String] = []

            func channel(_ sender: SBDBaseChannel, didReceive message: SBDBaseMessage) {
                lines.append("\(sender.name): \(message.message), \(message.channelType)")
            }
            func channel(_ sender: SBDBaseChannel, messageWasDeleted messageId: Int64) {
                lines.append("deleted")
            }
            func channel(_ sender: SBDOpenChannel, userDidEnter user: SBDUser) {
                lines.append("\(user.userId) enters")
            }
            func channel(_ sender: SBDOpenChannel, userDidExit user: SBDUser) {
                lines.append("\(user.userId) exits")
            }
            func channelDidChangeParticipantCount(_ channels: [SBDOpenChannel]) {
                lines.append("\(channels.map(\.participantCount))")
            }
            func channelWasFrozen(_ sender: SBDBaseChannel) {
                lines.append("frozen \(sender.isOpenChannel()) \(sender.isFrozen)")
            }
            func channelWasDeleted(_ channelUrl: String, channelType: SBDChannelType) {
                lines.append("\(channelUrl) gone, \(channelType)")
            }
        }

        private static func get(_ story: SyncStory, _ url: String) async throws -> SBDOpenChannel {
            let answer: Answer = await story.wait { done in
                SBDOpenChannel.getWithUrl(url) { done(($0, $1)) }
            }
            return try #require(answer.channel)
        }

        @Test func `a channel is created, found by a part of its name, and changed`() throws {
            try SyncStory.play(seed: 101) { story in
                await story.connect()
                let made: Answer = await story.wait { done in
                    SBDOpenChannel.createChannel(
                        withName: "Plaza", channelUrl: "plaza", coverImage: Data(),
                        coverImageName: "", data: "d", operatorUserIds: nil, customType: "square",
                        progressHandler: nil
                    ) { done(($0, $1)) }
                }
                #expect(made.channel?.isOperator(withUserId: "alice") == true)
                await story.world.makeOpenChannel("park", name: "Park")
                let query = try #require(SBDOpenChannel.createOpenChannelListQuery())
                query.channelNameFilter = "pla"
                let page: ([SBDOpenChannel]?, SBDError?) = await story.wait { done in
                    query.loadNextPage { done(($0, $1)) }
                }
                #expect(page.0?.map(\.channelUrl) == ["plaza"] && !query.hasNext)
                let channel = try await Self.get(story, "plaza")
                let changed: Answer = await story.wait { done in
                    channel.update(
                        withName: "Great Plaza", coverImage: nil, coverImageName: nil, data: nil,
                        operatorUserIds: nil, customType: nil, progressHandler: nil
                    ) { done(($0, $1)) }
                }
                #expect(changed.channel?.name == "Great Plaza" && changed.channel?.data == "d")
                let error: SBDError? = await story.wait { done in channel.refresh { done($0) } }
                #expect(error == nil && channel.name == "Great Plaza")
            }
        }

        @Test func `an answer about an open channel is shown after an event`() throws {
            try SyncStory.play(seed: 175) { story in
                await story.connect()
                await story.world.makeOpenChannel("park", name: "Park")
                let channel = try await Self.get(story, "park")
                let name: String = await story.wait { done in
                    channel.refresh { _ in done(channel.name) }
                    SBDMain.door.receive(
                        .event(
                            .openChannel(.channelChanged("park")), GroupChannel(url: "park")))
                }
                #expect(name == "Park")
            }
        }

        @Test func `a cover picture is uploaded, and its progress is reported at its end`() throws {
            try SyncStory.play(seed: 174) { story in
                await story.connect()
                let steps = Answers<[Int64]>()
                let made: Answer = await story.wait { done in
                    SBDOpenChannel.createChannel(
                        withName: "Plaza", channelUrl: "plaza", coverImage: Data([1, 2, 3]),
                        coverImageName: "plaza", data: nil, operatorUserIds: nil, customType: nil,
                        progressHandler: { steps.values.append([$0, $1, $2]) }
                    ) { done(($0, $1)) }
                }
                let channel = try #require(made.channel)
                #expect(channel.coverUrl?.isEmpty == false)
                #expect(steps.values == [[3, 3, 3]])
                let changed: Answer = await story.wait { done in
                    channel.update(
                        withName: nil, coverImage: Data([4, 5]), coverImageName: nil, data: nil,
                        operatorUserIds: nil, customType: nil,
                        progressHandler: { steps.values.append([$0, $1, $2]) }
                    ) { done(($0, $1)) }
                }
                #expect(changed.error == nil)
                #expect(steps.values == [[3, 3, 3], [2, 2, 2]])
            }
        }

        @Test func `a user enters, writes, reads the history and exits`() throws {
            try SyncStory.play(seed: 102) { story in
                await story.connect()
                let observer = Observer()
                SBDMain.add(observer as any SBDChannelDelegate, identifier: "o")
                let bob = story.bob
                _ = try await bob.createOpenChannel(
                    OpenChannelCreateParams(name: "plaza", url: "plaza"))
                let channel = try await Self.get(story, "plaza")
                let entry: SBDError? = await story.wait { done in channel.enter { done($0) } }
                #expect(entry == nil && channel.participantCount == 1)
                try await bob.enter("plaza")
                try await bob.sendNow(UserMessageParams(text: "hi"), toOpenChannel: "plaza")
                try await bob.setFrozen(true, openChannel: "plaza")
                try await bob.setFrozen(false, openChannel: "plaza")
                await story.world.pass()
                #expect(observer.lines.prefix(3) == ["bob enters", "[2]", "plaza: hi, open"])
                #expect(observer.lines.contains { $0.hasPrefix("frozen true") })
                let sent: (SBDUserMessage?, SBDError?) = await story.wait { done in
                    channel.sendUserMessage("hello") { done(($0, $1)) }
                }
                #expect(sent.1 == nil && sent.0?.sendingStatus == .succeeded)
                let params = SBDMessageListParams()
                params.previousResultSize = 5
                let history: ([SBDBaseMessage]?, SBDError?) = await story.wait { done in
                    channel.getMessagesByTimestamp(.max, params: params) { done(($0, $1)) }
                }
                #expect(history.0?.map(\.message) == ["hi", "hello"])
                let people = try #require(channel.createParticipantListQuery())
                let inside: ([SBDUser]?, SBDError?) = await story.wait { done in
                    people.loadNextPage { done(($0, $1)) }
                }
                #expect(inside.0?.map(\.userId) == ["alice", "bob"])
                let exit: SBDError? = await story.wait { done in channel.exitChannel { done($0) } }
                #expect(exit == nil)
                observer.lines = []
                try await bob.sendNow(UserMessageParams(text: "late"), toOpenChannel: "plaza")
                await story.world.pass()
                #expect(observer.lines.isEmpty)
                SBDMain.removeAllChannelDelegates()
            }
        }
    }
}
