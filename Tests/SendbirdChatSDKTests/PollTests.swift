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
    /// Tests of polls and scheduled messages.
    struct Polls {
        private typealias Channel = SendbirdChatSDK.GroupChannel
        private typealias Poll = SendbirdChatSDK.Poll

        /// A delegate that writes down what it hears of polls.
        private final class Observer: GroupChannelDelegate {
            var lines: [String] = []
            var votes: [PollVoteEvent] = []

            func channel(_ channel: Channel, didVotePoll event: PollVoteEvent) {
                lines.append("vote")
                votes.append(event)
            }
            func channel(_ channel: Channel, didUpdatePoll event: PollUpdateEvent) {
                lines.append("update")
            }
            func channel(_ channel: Channel, pollWasDeleted pollId: Int64) {
                lines.append("deletion")
            }
        }

        private static func send(
            _ story: DoorStory, _ channel: Channel
        ) async throws -> (Poll, UserMessage) {
            let created: (Poll?, SBError?) = await story.wait { done in
                let params = SendbirdChatSDK.PollCreateParams {
                    $0.title = "Lunch?"
                    $0.optionTexts = ["soup", "bread"]
                    $0.allowUserSuggestion = true
                }
                Poll.create(params: params) { done(($0, $1)) }
            }
            let poll = try #require(created.0)
            #expect(poll.title == "Lunch?" && poll.closeAt == -1 && poll.status == .open)
            #expect(poll.allowUserSuggestion && !poll.allowMultipleVotes)
            #expect(poll.messageId == 0 && poll.createdBy == "alice")
            let params = UserMessageCreateParams(message: "Lunch?")
            params.pollId = poll.pollId
            let sent: (UserMessage?, SBError?) = await story.wait { done in
                channel.sendUserMessage(params: params) { done(($0, $1)) }
            }
            return (poll, try #require(sent.0))
        }

        @Test func `a poll is sent, voted for and changed, and delegates hear of it`() throws {
            try DoorStory.play(seed: 140) { story in
                let url = try await story.channel("train")
                await story.connect()
                let channel = try await story.get(url)
                let observer = Observer()
                SendbirdChat.addChannelDelegate(observer, identifier: "polls")
                let (poll, message) = try await Self.send(story, channel)
                let shown = try #require(message.poll)
                #expect(shown == poll)
                #expect(shown.options.map(\.text) == ["soup", "bread"])
                let (soup, bread) = (
                    shown.options[0].pollOptionId, shown.options[1].pollOptionId
                )
                let voted: (PollVoteEvent?, SBError?) = await story.wait { done in
                    channel.votePoll(pollId: poll.pollId, pollOptionIds: [soup]) {
                        done(($0, $1))
                    }
                }
                let vote = try #require(voted.0)
                #expect(vote.pollId == poll.pollId && vote.messageId == message.messageId)
                #expect(message.apply(pollVoteEvent: vote))
                #expect(message.poll?.options.map(\.voteCount) == [1, 0])
                #expect(message.poll?.votedPollOptionIds == [soup])
                #expect(!message.apply(pollVoteEvent: vote))
                #expect(observer.lines == [])
                try await story.bob.vote(
                    for: [PollOptionID(bread)], in: PollID(poll.pollId), of: url)
                await story.world.pass()
                #expect(observer.lines == ["vote"])
                #expect(message.apply(pollVoteEvent: try #require(observer.votes.first)))
                #expect(message.poll?.options.map(\.voteCount) == [1, 1])
                #expect(message.poll?.votedPollOptionIds == [soup])
                try await story.bob.addPollOption("rice", to: PollID(poll.pollId))
                await story.world.pass()
                #expect(observer.lines == ["vote", "update"])
                let updated: (Poll?, SBError?) = await story.wait { done in
                    let params = SendbirdChatSDK.PollUpdateParams { $0.title = "Dinner?" }
                    channel.updatePoll(pollId: poll.pollId, params: params) { done(($0, $1)) }
                }
                let dinner = try #require(updated.0)
                #expect(dinner.title == "Dinner?" && dinner.allowUserSuggestion)
                #expect(dinner.options.map(\.text) == ["soup", "bread", "rice"])
                #expect(message.apply(poll: dinner))
                #expect(message.poll?.title == "Dinner?")
                let deletion: SBError? = await story.wait { done in
                    channel.deletePoll(pollId: poll.pollId) { done($0) }
                }
                #expect(deletion == nil)
                await story.world.pass()
                #expect(observer.lines == ["vote", "update", "update", "deletion"])
                SendbirdChat.removeChannelDelegate(forIdentifier: "polls")
            }
        }

        @Test func `messages show their polls if the parameters or the app's options ask`() throws {
            try DoorStory.play(seed: 142) { story in
                defer { SendbirdChatOptions.setIncludePollDetails(false) }
                let url = try await story.channel("train")
                await story.connect()
                let channel = try await story.get(url)
                _ = try await Self.send(story, channel)
                func polls(_ params: MessageListParams) async -> [String] {
                    await story.wait { done in
                        channel.getMessagesByTimestamp(Int64.max, params: params) { messages, _ in
                            done((messages ?? []).map { $0.poll?.title ?? "-" })
                        }
                    }
                }
                #expect(!SendbirdChatOptions.includePollDetails())
                #expect(await polls(MessageListParams()) == ["-"])
                let asking = MessageListParams(previousResultSize: 20, includePollDetails: true)
                #expect(await polls(asking) == ["Lunch?"])
                SendbirdChatOptions.setIncludePollDetails(true)
                #expect(SendbirdChatOptions.includePollDetails())
                #expect(await polls(MessageListParams()) == ["Lunch?"])
            }
        }

        @Test func `options change, votes end, and queries list polls and voters`() throws {
            try DoorStory.play(seed: 141) { story in
                let url = try await story.channel("train")
                await story.connect()
                let channel = try await story.get(url)
                let (poll, message) = try await Self.send(story, channel)
                let id = poll.pollId
                let added: (Poll?, SBError?) = await story.wait { done in
                    channel.addPollOption(pollId: id, optionText: "rice") { done(($0, $1)) }
                }
                let rice = try #require(added.0?.options.last)
                #expect(rice.text == "rice" && rice.pollId == id && rice.createdBy == "alice")
                let edited: (Poll?, SBError?) = await story.wait { done in
                    channel.updatePollOption(
                        pollId: id, pollOptionId: rice.pollOptionId, optionText: "noodles"
                    ) { done(($0, $1)) }
                }
                #expect(edited.0?.options.last?.text == "noodles")
                let first = try #require(poll.options.first).pollOptionId
                let removed: SBError? = await story.wait { done in
                    channel.deletePollOption(pollId: id, pollOptionId: first) { done($0) }
                }
                #expect(removed == nil)
                try await story.bob.vote(
                    for: [PollOptionID(rice.pollOptionId)], in: PollID(id), of: url)
                let voters = try #require(
                    channel.createPollVoterListQuery(
                        pollId: id, pollOptionId: rice.pollOptionId))
                let users: ([SendbirdChatSDK.User]?, SBError?) = await story.wait { done in
                    voters.loadNextPage { done(($0, $1)) }
                }
                #expect(users.0?.map(\.userId) == ["bob"])
                #expect(!voters.hasNext)
                let query = try #require(channel.createPollListQuery(limit: 5))
                let polls: ([Poll]?, SBError?) = await story.wait { done in
                    query.loadNextPage { done(($0, $1)) }
                }
                #expect(polls.0?.map(\.title) == ["Lunch?"])
                #expect(polls.0?.first?.messageId == message.messageId)
                let closed: (Poll?, SBError?) = await story.wait { done in
                    channel.closePoll(pollId: id) { done(($0, $1)) }
                }
                #expect(closed.0?.status == .closed)
                let late: (PollVoteEvent?, SBError?) = await story.wait { done in
                    channel.votePoll(pollId: id, pollOptionIds: [rice.pollOptionId]) {
                        done(($0, $1))
                    }
                }
                #expect(late.0 == nil && late.1 != nil)
                let got: (Poll?, SBError?) = await story.wait { done in
                    Poll.get(params: PollRetrievalParams { $0.pollId = id }) { done(($0, $1)) }
                }
                let kept = try #require(got.0)
                #expect(kept.voterCount == 1 && kept.status == .closed)
                let copy = try #require(Poll.build(fromSerializedData: kept.serialize()))
                #expect(copy.options.map(\.text) == ["bread", "noodles"])
                #expect(copy.createdAt == kept.createdAt && copy.updatedAt > 0)
                #expect(Poll.build(fromSerializedData: Data("x".utf8)) == nil)
                let log: ([Poll]?, [Int64]?) = await story.wait { done in
                    channel.getPollChangeLogs(token: nil) { updated, deleted, _, _, _ in
                        done((updated, deleted))
                    }
                }
                #expect(log.0?.map(\.pollId) == [id] && log.1 == [])
            }
        }

        @Test func `a message is scheduled, changed, listed, counted, canceled and sent`() throws {
            try DoorStory.play(seed: 142) { story in
                let url = try await story.channel("train")
                await story.connect()
                let channel = try await story.get(url)
                let sent: (UserMessage?, SBError?) = await story.wait { done in
                    channel.sendUserMessage("hello") { done(($0, $1)) }
                }
                let later = try #require(sent.0).createdAt + 3_600_000
                let params = ScheduledUserMessageCreateParams(scheduledAt: later, message: "lunch")
                params.customType = "food"
                let made: (UserMessage?, SBError?) = await story.wait { done in
                    channel.createScheduledUserMessage(params: params) { done(($0, $1)) }
                }
                let lunch = try #require(made.0)
                let info = try #require(lunch.scheduledInfo)
                #expect(info.scheduledAt == later && info.scheduledStatus == .pending)
                #expect(lunch.sendingStatus == .scheduled && lunch.messageId == 0)
                let file = ScheduledFileMessageCreateParams(
                    scheduledAt: later, file: Data("bytes".utf8))
                file.fileName = "a.txt"
                let second: (FileMessage?, SBError?) = await story.wait { done in
                    channel.createScheduledFileMessage(params: file) { done(($0, $1)) }
                }
                let other = try #require(second.0)
                #expect(other.name == "a.txt" && other.size == 5)
                #expect(!lunch.isEqual(other))
                let change = ScheduledUserMessageUpdateParams()
                change.message = "dinner"
                let changed: (UserMessage?, SBError?) = await story.wait { done in
                    channel.updateScheduledUserMessage(
                        scheduledMessageId: info.scheduledMessageId, params: change
                    ) { done(($0, $1)) }
                }
                #expect(changed.0?.message == "dinner" && changed.0?.customType == "food")
                #expect(changed.0 == lunch)
                let misnamed: (FileMessage?, SBError?) = await story.wait { done in
                    channel.updateScheduledFileMessage(
                        scheduledMessageId: info.scheduledMessageId,
                        params: ScheduledFileMessageUpdateParams()
                    ) { done(($0, $1)) }
                }
                #expect(misnamed.1?.errorCode == .invalidParameter)
                let query = SendbirdChat.createScheduledMessageListQuery(
                    channelURL: url.rawValue
                ) {
                    $0.scheduledStatusOptions = [.pending]
                    $0.messageTypeFilter = .file
                }
                let listed: ([BaseMessage]?, SBError?) = await story.wait { done in
                    query.loadNextPage { done(($0, $1)) }
                }
                #expect(listed.0 == [other])
                let canceled: SBError? = await story.wait { done in
                    channel.cancelScheduledMessage(
                        scheduledMessageId: other.scheduledInfo?.scheduledMessageId ?? 0
                    ) { done($0) }
                }
                #expect(canceled == nil)
                let count: (UInt, SBError?) = await story.wait { done in
                    let params = TotalScheduledMessageCountParams()
                    params.scheduledStatusOptions = [.pending]
                    SendbirdChat.getTotalScheduledMessageCount(params: params) { done(($0, $1)) }
                }
                #expect(count.0 == 1)
                let now: SBError? = await story.wait { done in
                    channel.sendScheduledMessageNow(
                        scheduledMessageId: info.scheduledMessageId
                    ) { done($0) }
                }
                #expect(now == nil)
                let kept: (BaseMessage?, SBError?) = await story.wait { done in
                    let params = ScheduledMessageRetrievalParams(
                        channelURL: url.rawValue, scheduledMessageId: info.scheduledMessageId)
                    BaseMessage.getScheduledMessage(params: params) { done(($0, $1)) }
                }
                #expect(kept.0?.scheduledInfo?.scheduledStatus == .sent)
                let texts = try await story.bob.fetchMessages(
                    of: url, around: .distantFuture, older: 5)
                #expect(texts.map(\.content) == [.user(text: "hello"), .user(text: "dinner")])
            }
        }

        @Test func `scheduled messages are listed by creation or by their time, of one kind`()
            throws
        {
            try DoorStory.play(seed: 144) { story in
                let url = try await story.channel("train")
                await story.connect()
                let channel = try await story.get(url)
                let now = SendbirdChat.door.world.wallTime().milliseconds
                for (text, hours) in [("late", 3), ("early", 2)] as [(String, Int64)] {
                    let params = ScheduledUserMessageCreateParams(
                        scheduledAt: now + hours * 3_600_000, message: text)
                    let made: (UserMessage?, SBError?) = await story.wait { done in
                        channel.createScheduledUserMessage(params: params) { done(($0, $1)) }
                    }
                    #expect(made.1 == nil)
                }
                func list(
                    _ build: (ScheduledMessageListQueryParams) -> Void
                ) async -> [String]? {
                    let query = SendbirdChat.createScheduledMessageListQuery(paramsBuilder: build)
                    let page: [BaseMessage]? = await story.wait { done in
                        query.loadNextPage { messages, _ in done(messages) }
                    }
                    return page?.map(\.message)
                }
                #expect(await list { _ in } == ["late", "early"])
                #expect(await list { $0.order = .scheduledAt } == ["early", "late"])
                #expect(await list { $0.reverse = true } == ["early", "late"])
                let reversed = await list { params in
                    params.order = .scheduledAt
                    params.reverse = true
                }
                #expect(reversed == ["late", "early"])
                #expect(await list { $0.messageTypeFilter = .user } == ["late", "early"])
                #expect(await list { $0.messageTypeFilter = .file } == [])
            }
        }

        @Test func `a translation of a scheduled message is refused`() throws {
            try DoorStory.play(seed: 143) { story in
                let url = try await story.channel("train")
                await story.connect()
                let channel = try await story.get(url)
                let params = ScheduledUserMessageCreateParams(scheduledAt: .max, message: "a")
                params.translationTargetLanguages = ["de"]
                let made: (UserMessage?, SBError?) = await story.wait { done in
                    channel.createScheduledUserMessage(params: params) { done(($0, $1)) }
                }
                #expect(made.1?.errorCode == .notSupported)
            }
        }
    }
}
