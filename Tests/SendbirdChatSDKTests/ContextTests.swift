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
    /// Tests of the contexts of collections' events, of failed messages and of errors.
    struct Contexts {
        private final class New: MessageCollectionDelegate {
            var heard: [String] = []

            func messageCollection(
                _ collection: MessageCollection, channelContext: ChannelContext,
                updatedChannel channel: SendbirdChatSDK.GroupChannel
            ) { heard.append("new \(channel.name) \(channelContext.source)") }
            func messageCollection(
                _ collection: MessageCollection, channelContext: ChannelContext,
                deletedChannel channelURL: String
            ) { heard.append("new gone \(channelContext.source)") }
            func messageCollection(
                _ collection: MessageCollection, context: MessageContext,
                updatedChannel channel: SendbirdChatSDK.GroupChannel
            ) { heard.append("old") }
        }

        private final class Old: MessageCollectionDelegate {
            var heard: [String] = []

            func messageCollection(
                _ collection: MessageCollection, context: MessageContext,
                updatedChannel channel: SendbirdChatSDK.GroupChannel
            ) { heard.append("old \(channel.name) \(context.source) \(context.sendingStatus)") }
            func messageCollection(
                _ collection: MessageCollection, context: MessageContext,
                deletedChannel channelURL: String
            ) { heard.append("old gone \(context.fromEvent)") }
        }

        @Test func `a chat view gets its channel in the new form, or in the old one without it`()
            throws
        {
            try DoorStory.play(seed: 71) { story in
                let url = try await story.channel("train")
                await story.connect()
                let channel = try await story.get(url)
                let (new, old) = (New(), Old())
                let chats = [
                    SendbirdChat.createMessageCollection(channel: channel),
                    SendbirdChat.createMessageCollection(channel: channel),
                ]
                (chats[0].delegate, chats[1].delegate) = (new, old)
                for chat in chats { chat.startCollection(initPolicy: .cacheAndReplaceByApi) }
                await story.world.pass()
                (new.heard, old.heard) = ([], [])
                try await story.bob.makeNow(.update(ChannelUpdateParams(name: "express")), in: url)
                await story.world.pass()
                #expect(new.heard == ["new express eventChannelChanged"])
                #expect(old.heard == ["old express eventChannelChanged none"])
                (new.heard, old.heard) = ([], [])
                try await story.bob.setFrozen(true, url)
                await story.world.pass()
                #expect(new.heard == ["new express eventChannelFrozen"])
                try await story.bob.deleteChannel(url)
                await story.world.pass()
                #expect(new.heard.last == "new gone eventChannelDeleted")
                #expect(old.heard.last == "old gone true")
                for chat in chats { chat.dispose() }
            }
        }

        @Test func `failed messages are removed, all or some, and no others`() throws {
            try DoorStory.play(seed: 72) { story in
                let url = try await story.channel("train")
                await story.connect()
                let channel = try await story.get(url)
                let chat = SendbirdChat.createMessageCollection(channel: channel)
                chat.startCollection(initPolicy: .cacheAndReplaceByApi)
                try await story.bob.setFrozen(true, url)
                await story.world.pass()
                for text in ["one", "two", "three"] { channel.sendUserMessage(text) }
                await story.world.pass()
                await story.phone.network.cut()
                let waiting = channel.sendUserMessage("waits")
                await story.world.pass()
                #expect(chat.failedMessages.map(\.message) == ["one", "two", "three"])
                #expect(chat.failedMessages.allSatisfy { $0.isResendable() })
                let first = try #require(chat.failedMessages.first)
                let (ids, error): ([String]?, SBError?) = await story.wait { done in
                    chat.removeFailed(messages: [first, waiting]) { done(($0, $1)) }
                }
                #expect(error == nil)
                #expect(ids == [first.requestId])
                await story.world.pass()
                #expect(chat.failedMessages.map(\.message) == ["two", "three"])
                let second: SBError? = await story.wait { done in
                    chat.removeAllFailed(completionHandler: done)
                }
                #expect(second == nil)
                await story.world.pass()
                #expect(chat.failedMessages.isEmpty)
                #expect(chat.pendingMessages.map(\.message) == ["waits"])
                chat.dispose()
            }
        }

        @Test func `the sources have the old SDK's numbers`() {
            #expect(CollectionEventSource.messageChangelog.rawValue == 0)
            #expect(CollectionEventSource.channelRefresh.rawValue == 7)
            #expect(CollectionEventSource.eventMessageSent.rawValue == 100)
            #expect(CollectionEventSource.eventChannelUnfrozen.rawValue == 110)
            let live = MessageContext(source: .eventMessageReceived, sendingStatus: .succeeded)
            #expect(live.fromEvent)
            #expect(!MessageContext(source: .messageFill, sendingStatus: .succeeded).fromEvent)
            #expect(MessageSendingStatus.scheduled.rawValue == 5)
        }

        private static func message(_ delivery: Message.Delivery) -> Message {
            Message(
                delivery: delivery, channelURL: "train",
                createdAt: Timestamp(milliseconds: 1), content: .user(text: "hello"))
        }

        @Test func `a message's source follows from its states`() {
            let sent = Self.message(.delivered(1, "a"))
            let pending = Self.message(.unsent("a", .pending))
            let failed = Self.message(.unsent("a", .failed(.ackTimeout)))
            let canceled = Self.message(.unsent("a", .canceled))
            typealias Source = CollectionEventSource
            func updated(_ before: Message, _ after: Message, by origin: ChangeOrigin) -> Source {
                Source(Update(before: before, after: after), [origin])
            }
            #expect(Source(added: pending, [.local]) == .localMessagePendingCreated)
            #expect(Source(added: sent, [.event]) == .eventMessageReceived)
            #expect(Source(added: sent, [.answer]) == .eventMessageSent)
            for origin in [.page, .catchUp, .disk, .upkeep, .otherProcess] as [ChangeOrigin] {
                #expect(Source(added: sent, [origin]) == .messageFill)
            }
            #expect(Source(added: sent, [.changeLog]) == .messageChangelog)
            #expect(updated(pending, sent, by: .answer) == .eventMessageSent)
            #expect(updated(pending, failed, by: .local) == .localMessageFailed)
            #expect(updated(pending, canceled, by: .local) == .localMessageCanceled)
            #expect(updated(failed, pending, by: .local) == .localMessageResendStarted)
            #expect(updated(failed, sent, by: .event) == .eventMessageSent)
            #expect(Source(removed: failed, [.local]) == .localMessageCanceled)
            #expect(Source(removed: sent, [.event]) == .eventMessageDeleted)
            #expect(Source(removed: sent, [.upkeep, .event]) == .eventMessageDeleted)
            var edited = sent
            edited.updatedAt = Timestamp(milliseconds: 2)
            #expect(updated(sent, edited, by: .event) == .eventMessageUpdated)
            #expect(updated(sent, edited, by: .changeLog) == .messageChangelog)
            var liked = sent
            liked.details.reactions = [
                RoostModel.Reaction(
                    key: "heart", userIDs: ["bob"], updatedAt: Timestamp(milliseconds: 2))
            ]
            #expect(updated(sent, liked, by: .event) == .eventReactionUpdated)
            var answered = sent
            answered.details.threadInfo = RoostModel.ThreadInfo(replyCount: 1)
            #expect(updated(sent, answered, by: .event) == .eventThreadInfoUpdated)
        }

        @Test func `a channel's source follows from what has changed`() {
            typealias Source = CollectionEventSource
            let channel = RoostModel.GroupChannel(
                url: "train", members: [RoostModel.Member(user: User(id: "alice"))])
            func source(
                _ change: (inout RoostModel.GroupChannel) -> Void,
                from start: (inout RoostModel.GroupChannel) -> Void = { _ in }
            ) -> Source {
                var before = channel
                start(&before)
                var after = before
                change(&after)
                return Source(Update(before: before, after: after), [.event], for: "alice")
            }
            let bob = RoostModel.Member(user: User(id: "bob"))
            #expect(source { $0.name = "boat" } == .eventChannelChanged)
            #expect(source { $0.isFrozen = true } == .eventChannelFrozen)
            #expect(source { $0.hiddenState = .untilNextMessage } == .eventChannelHidden)
            #expect(source { $0.members.append(bob) } == .eventUserJoined)
            #expect(
                source({ $0.members.removeLast() }, from: { $0.members.append(bob) })
                    == .eventUserLeft)
            #expect(source { $0.members[0].isMuted = true } == .eventUserMuted)
            #expect(source { $0.memberCount = 7 } == .eventChannelMemberCountChanged)
            #expect(source { $0.operators = [User(id: "bob")] } == .eventOperatorUpdated)
            #expect(source { $0.metadata = ["a": "b"] } == .eventMetaDataCreated)
            #expect(source { $0.pinnedMessageIDs = [7] } == .eventPinnedMessageUpdated)
            #expect(
                source { $0.readReceipts = ["bob": Timestamp(milliseconds: 1)] }
                    == .eventUserDidMarkAsRead)
            for (sender, expected) in [
                (nil, .eventMessageReceived), ("bob", .eventMessageReceived),
                ("alice", .eventMessageSent),
            ] as [(UserID?, Source)] {
                var message = Self.message(.delivered(1, nil))
                message.sender = sender.map { RoostModel.Sender(user: RoostModel.User(id: $0)) }
                #expect(source { $0.lastMessage = message } == expected)
            }
            func step(
                _ origin: ChangeOrigin, _ other: RoostModel.GroupChannel? = nil
            ) -> ListDiff<RoostModel.GroupChannel> {
                var step = ListDiff<RoostModel.GroupChannel>().withOrigins([origin])
                step.counterparts = other.map { [$0] } ?? []
                return step
            }
            func added(
                _ channel: RoostModel.GroupChannel, by step: ListDiff<RoostModel.GroupChannel>
            ) -> Source { Source(added: channel, in: step, for: "alice") }
            func removed(
                _ channel: RoostModel.GroupChannel, by step: ListDiff<RoostModel.GroupChannel>
            ) -> Source { Source(removed: channel, in: step, for: "alice") }
            #expect(removed(channel, by: step(.event)) == .eventChannelDeleted)
            #expect(removed(channel, by: step(.event, channel)) == .channelRefresh)
            #expect(added(channel, by: step(.changeLog)) == .channelChangelog)
            #expect(added(channel, by: step(.page)) == .channelRefresh)
            #expect(added(channel, by: step(.event)) == .eventUserJoined)
            #expect(added(channel, by: step(.event, channel)) == .channelRefresh)
            var invited = channel
            invited.myState = .invited
            #expect(added(invited, by: step(.event)) == .eventUserReceivedInvitation)
            var left = channel
            left.myState = .none
            #expect(removed(channel, by: step(.answer, left)) == .eventUserLeft)
            #expect(removed(invited, by: step(.answer, left)) == .eventUserDeclinedInvitation)
            #expect(removed(channel, by: step(.changeLog, left)) == .channelChangelog)
        }

        @Test func `errors are made from codes, and codes are read from errors`() {
            let error = ChatError.invalidParameter.asSBError(message: "no name")
            #expect(error.code == 800110)
            #expect(error.localizedDescription == "no name")
            #expect(error.errorCode == .invalidParameter)
            #expect(ChatError.nonAuthorized.asSBError.code == 400108)
            #expect(SBError(domain: "app", code: 7, userInfo: nil).errorCode == .unknownError)
            let copy = SBError.error(withNSError: NSError(domain: "app", code: 7))
            #expect(copy?.code == 7)
            #expect(SBError.error(withNSError: nil) == nil)
            #expect(
                SBError.error(withDictionary: ["code": 900020])?.errorCode == .socketUserNotMember)
        }
    }
}
