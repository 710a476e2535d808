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
    /// The methods of delegates that each native event calls.
    struct Events {
        private typealias Channel = SendbirdChatSDK.GroupChannel
        private typealias Person = SendbirdChatSDK.User

        /// A delegate that records the methods that the other tests do not cause.
        private final class Observer: GroupChannelDelegate, OpenChannelDelegate, UserEventDelegate {
            var heard: [String] = []
            var values: [String] = []

            private func note(_ method: String, _ value: Any? = nil) {
                heard.append(method)
                if let value { values.append("\(value)") }
            }

            func channel(_ channel: BaseChannel, didReceiveMention message: BaseMessage) {
                note(#function, message.message)
            }
            func channel(
                _ channel: BaseChannel,
                didUpdateThreadInfo threadInfoUpdateEvent: ThreadInfoUpdateEvent
            ) {
                let event = threadInfoUpdateEvent
                note(#function, "\(event.targetMessageId) \(event.channelType)")
            }
            func channelWasChanged(_ channel: BaseChannel) { note(#function) }
            func channelDidUpdateOperators(_ channel: BaseChannel) { note(#function) }
            func channel(_ channel: BaseChannel, userWasMuted user: SendbirdChatSDK.RestrictedUser)
            {
                note(#function, user.restrictionInfo?.desc)
                #expect(user.restrictionInfo?.restrictionType == .muted)
            }
            func channel(_ channel: BaseChannel, userWasUnmuted user: SendbirdChatSDK.User) {
                note(#function, user.userId)
            }
            func channel(_ channel: BaseChannel, userWasBanned user: SendbirdChatSDK.RestrictedUser)
            {
                note(#function, user.restrictionInfo?.endAt)
                #expect(user.restrictionInfo?.restrictionType == .banned)
            }
            func channel(_ channel: BaseChannel, userWasUnbanned user: SendbirdChatSDK.User) {
                note(#function, user.userId)
            }
            func channel(_ channel: BaseChannel, createdMetaData: [String: String]?) {
                note(#function, createdMetaData?["a"])
            }
            func channel(_ channel: BaseChannel, updatedMetaData: [String: String]?) {
                note(#function, updatedMetaData?["b"])
            }
            func channel(_ channel: BaseChannel, deletedMetaDataKeys: [String]?) {
                note(#function, deletedMetaDataKeys?.first)
            }
            func channel(_ channel: BaseChannel, createdMetaCounters: [String: Int]?) {
                note(#function, createdMetaCounters?["a"])
            }
            func channel(_ channel: BaseChannel, updatedMetaCounters: [String: Int]?) {
                note(#function, updatedMetaCounters?["b"])
            }
            func channel(_ channel: BaseChannel, deletedMetaCountersKeys: [String]?) {
                note(#function, deletedMetaCountersKeys?.first)
            }
            func channel(
                _ channel: SendbirdChatSDK.GroupChannel,
                didDeclineInvitation invitee: SendbirdChatSDK.User,
                inviter: SendbirdChatSDK.User?
            ) { note(#function, inviter?.userId) }
            func channelDidChangeMemberCount(_ channels: [SendbirdChatSDK.GroupChannel]) {
                note(#function, channels.count)
            }
            func channelDidUpdateReadStatus(
                _ channel: SendbirdChatSDK.GroupChannel, userIds: [String]
            ) { note(#function, userIds) }
            func channelDidMarkAsRead(
                _ channel: SendbirdChatSDK.GroupChannel, userIds: [String]
            ) { note(#function, userIds) }
            func channelDidUpdatePinnedMessages(_ channel: SendbirdChatSDK.GroupChannel) {
                note(#function)
            }
            func channelWasHidden(_ channel: SendbirdChatSDK.GroupChannel) { note(#function) }
            func channel(
                _ channel: SendbirdChatSDK.GroupChannel, didVotePoll event: PollVoteEvent
            ) { note(#function, event.pollId) }
            func channel(
                _ channel: SendbirdChatSDK.GroupChannel, didUpdatePoll event: PollUpdateEvent
            ) { note(#function, event.messageId) }
            func channel(_ channel: SendbirdChatSDK.GroupChannel, pollWasDeleted pollId: Int64) {
                note(#function, pollId)
            }
            func channel(
                _ channel: SendbirdChatSDK.OpenChannel, userDidEnter user: SendbirdChatSDK.User
            ) { note(#function, user.userId) }
            func channel(
                _ channel: SendbirdChatSDK.OpenChannel, userDidExit user: SendbirdChatSDK.User
            ) { note(#function, user.userId) }
            func channelDidChangeParticipantCount(_ channels: [SendbirdChatSDK.OpenChannel]) {
                note(#function, channels.count)
            }
            func didUpdateTotalUnreadMessageCount(
                _ totalCount: Int32, totalCountByCustomType: [String: Int]?
            ) { note(#function, totalCount) }
            func didUpdateTotalUnreadMessageCount(unreadMessageCount: UnreadMessageCount) {
                note(#function, unreadMessageCount.groupChannelCount)
            }
        }

        /// The events with the methods that each calls, and the values told.
        private static let calls: [(event: ChatEvent, methods: [String], values: [String])] = {
            let url: ChannelURL = "train"
            let bob = RoostModel.User(id: "bob")
            var removed = RoostModel.Poll(id: 3)
            removed.status = .removed
            let message = Message(
                delivery: .delivered(7, nil), channelURL: url,
                createdAt: Timestamp(milliseconds: 1), content: .user(text: "@alice"))
            return [
                (.mentioned(message), ["channel(_:didReceiveMention:)"], ["@alice"]),
                (
                    .threadChanged(RoostModel.ThreadInfo(replyCount: 1), 7, url),
                    ["channel(_:didUpdateThreadInfo:)"], ["7 group"]
                ),
                (
                    .openChannel(.threadChanged(RoostModel.ThreadInfo(replyCount: 1), 8, url)),
                    ["channel(_:didUpdateThreadInfo:)"], ["8 open"]
                ),
                (.operatorsChanged([bob], url), ["channelDidUpdateOperators(_:)"], []),
                (
                    .muted(RoostModel.RestrictedUser(user: bob, reason: "spam"), url),
                    ["channel(_:userWasMuted:)"], ["spam"]
                ),
                (.unmuted(bob, url), ["channel(_:userWasUnmuted:)"], ["bob"]),
                (
                    .banned(RoostModel.RestrictedUser(user: bob), url),
                    ["channel(_:userWasBanned:)"], ["-1"]
                ),
                (.unbanned(bob, url), ["channel(_:userWasUnbanned:)"], ["bob"]),
                (
                    .metadataChanged(created: ["a": "1"], updated: ["b": "2"], deleted: ["c"], url),
                    [
                        "channel(_:createdMetaData:)", "channel(_:updatedMetaData:)",
                        "channel(_:deletedMetaDataKeys:)",
                    ], ["1", "2", "c"]
                ),
                (
                    .countersChanged(created: ["a": 1], updated: ["b": 2], deleted: ["c"], url),
                    [
                        "channel(_:createdMetaCounters:)", "channel(_:updatedMetaCounters:)",
                        "channel(_:deletedMetaCountersKeys:)",
                    ], ["1", "2", "c"]
                ),
                (
                    .declined(bob, inviter: bob, url),
                    ["channel(_:didDeclineInvitation:inviter:)"], ["bob"]
                ),
                (.memberCountsChanged(url), ["channelDidChangeMemberCount(_:)"], ["1"]),
                (
                    .read(bob, through: Timestamp(milliseconds: 1), url),
                    [
                        "channelDidUpdateReadStatus(_:userIds:)",
                        "channelDidMarkAsRead(_:userIds:)",
                    ], ["[\"bob\"]", "[\"bob\"]"]
                ),
                (
                    .pinsChanged(url),
                    ["channelWasChanged(_:)", "channelDidUpdatePinnedMessages(_:)"], []
                ),
                (.hidden(url), ["channelWasHidden(_:)"], []),
                (
                    .pollVoted(PollVotes(pollID: 3, at: Timestamp(milliseconds: 1)), 7, url),
                    ["channel(_:didVotePoll:)"], ["3"]
                ),
                (
                    .pollChanged(RoostModel.Poll(id: 3), 7, url),
                    ["channel(_:didUpdatePoll:)"], ["7"]
                ), (.pollChanged(removed, 7, url), ["channel(_:pollWasDeleted:)"], ["3"]),
                (.unhidden(url), ["channelWasChanged(_:)"], []),
                (
                    .unreadTotalChanged(3),
                    [
                        "didUpdateTotalUnreadMessageCount(_:totalCountByCustomType:)",
                        "didUpdateTotalUnreadMessageCount(unreadMessageCount:)",
                    ], ["3", "3"]
                ),
                (
                    .openChannel(.entered(bob, participants: 2, url)),
                    ["channel(_:userDidEnter:)", "channelDidChangeParticipantCount(_:)"],
                    ["bob", "1"]
                ),
                (
                    .openChannel(.exited(bob, participants: 1, url)),
                    ["channel(_:userDidExit:)", "channelDidChangeParticipantCount(_:)"],
                    ["bob", "1"]
                ),
                (.blocked(bob, by: bob), [], []),
                (.storageRepaired("page 1"), [], []),
            ]
        }()

        /// The methods that the events call.
        static var methods: Set<String> { Set(calls.flatMap(\.methods)) }

        /// The methods without a native event, by their documentation.
        static let uncalled: Set = [
            "didDelayConnection(retryAfter:)", "didDiscoverFriends(_:)",
            "channelDidMarkAsUnread(_:userIds:)",
        ]

        @Test func `each event calls the methods of its own, with its values (R93, R155)`() throws {
            try DoorStory.play(seed: 65) { story in
                let observer = Observer()
                SendbirdChat.addChannelDelegate(observer, identifier: "events")
                SendbirdChat.addUserEventDelegate(observer, identifier: "events")
                #expect(SendbirdChat.channelDelegate(forIdentifier: "events") === observer)
                #expect(SendbirdChat.userEventDelegate(forIdentifier: "events") === observer)
                #expect(SendbirdChat.connectionDelegate(forIdentifier: "events") == nil)
                for (event, methods, values) in Self.calls {
                    (observer.heard, observer.values) = ([], [])
                    SendbirdChat.door.receive(
                        .event(event, event.channel.map { RoostModel.GroupChannel(url: $0) }))
                    await story.world.pass()
                    #expect(observer.heard == methods, "\(event)")
                    #expect(observer.values == values, "\(event)")
                }
                SendbirdChat.removeChannelDelegate(forIdentifier: "events")
                SendbirdChat.removeUserEventDelegate(forIdentifier: "events")
                #expect(SendbirdChat.channelDelegate(forIdentifier: "events") == nil)
                observer.heard = []
                SendbirdChat.door.receive(.event(.unreadTotalChanged(4), nil))
                await story.world.pass()
                #expect(observer.heard == [])
            }
        }
    }
}
