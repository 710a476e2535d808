// SPDX-License-Identifier: Apache-2.0

import DoorTestSupport
import Foundation
import SendbirdChatSDK

extension SendbirdChatTests.Reentry {
    static func add(pollsTo table: CallTable, _ channel: Channel) {
        let polls: [(String, (@escaping PollHandler) -> Void)] = [
            (
                "create a poll",
                {
                    let params = PollCreateParams {
                        $0.title = "Lunch?"
                        $0.optionTexts = ["soup"]
                    }
                    Poll.create(params: params, completionHandler: $0)
                }
            ),
            (
                "get a poll",
                { Poll.get(params: PollRetrievalParams { $0.pollId = 1 }, completionHandler: $0) }
            ),
            (
                "updatePoll",
                {
                    channel.updatePoll(
                        pollId: 1, params: PollUpdateParams { $0.title = "t" },
                        completionHandler: $0)
                }
            ), ("closePoll", { channel.closePoll(pollId: 1, completionHandler: $0) }),
            (
                "addPollOption",
                { channel.addPollOption(pollId: 1, optionText: "a", completionHandler: $0) }
            ),
            (
                "updatePollOption",
                {
                    channel.updatePollOption(
                        pollId: 1, pollOptionId: 1, optionText: "a", completionHandler: $0)
                }
            ),
        ]
        for (name, call) in polls { table.add(name) { called in call { _, _ in called() } } }
        table.add("deletePoll") { called in channel.deletePoll(pollId: 1) { _ in called() } }
        table.add("deletePollOption") { called in
            channel.deletePollOption(pollId: 1, pollOptionId: 1) { _ in called() }
        }
        table.add("votePoll") { called in
            channel.votePoll(pollId: 1, pollOptionIds: [1]) { _, _ in called() }
        }
        table.add("getPollChangeLogs by token") { called in
            channel.getPollChangeLogs(token: nil) { _, _, _, _, _ in called() }
        }
        table.add("getPollChangeLogs by time") { called in
            channel.getPollChangeLogs(timestamp: 1) { _, _, _, _, _ in called() }
        }
        table.add("loadNextPage of polls") { called in
            channel.createPollListQuery()?.loadNextPage { _, _ in called() }
        }
        table.add("loadNextPage of voters") { called in
            channel.createPollVoterListQuery(pollId: 1, pollOptionId: 1)?.loadNextPage {
                _, _ in called()
            }
        }
    }

    static func add(scheduledTo table: CallTable, _ channel: Channel) {
        table.add("createScheduledUserMessage") { called in
            let params = ScheduledUserMessageCreateParams(scheduledAt: .max, message: "a")
            channel.createScheduledUserMessage(params: params) { _, _ in called() }
        }
        table.add("createScheduledFileMessage") { called in
            let params = ScheduledFileMessageCreateParams(scheduledAt: .max, file: Data("x".utf8))
            channel.createScheduledFileMessage(params: params) { _, _ in called() }
        }
        table.add("updateScheduledUserMessage") { called in
            channel.updateScheduledUserMessage(
                scheduledMessageId: 1, params: ScheduledUserMessageUpdateParams()
            ) { _, _ in called() }
        }
        table.add("updateScheduledFileMessage") { called in
            channel.updateScheduledFileMessage(
                scheduledMessageId: 1, params: ScheduledFileMessageUpdateParams()
            ) { _, _ in called() }
        }
        table.add("cancelScheduledMessage") { called in
            channel.cancelScheduledMessage(scheduledMessageId: 1) { _ in called() }
        }
        table.add("sendScheduledMessageNow") { called in
            channel.sendScheduledMessageNow(scheduledMessageId: 1) { _ in called() }
        }
        table.add("getScheduledMessage") { called in
            let params = ScheduledMessageRetrievalParams(
                channelURL: channel.channelURL, scheduledMessageId: 1)
            BaseMessage.getScheduledMessage(params: params) { _, _ in called() }
        }
        table.add("getTotalScheduledMessageCount") { called in
            SendbirdChat.getTotalScheduledMessageCount(
                params: TotalScheduledMessageCountParams()
            ) { _, _ in called() }
        }
        table.add("loadNextPage of scheduled messages") { called in
            SendbirdChat.createScheduledMessageListQuery().loadNextPage { _, _ in called() }
        }
    }
}
