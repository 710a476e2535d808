// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostDoors
import RoostModel

// Calls about polls; each needs a connection. Changes of a poll reach collections with the message
// that carries it.

extension BaseChannel {
    // MARK: Polls

    /// Changes the properties of an open poll that the parameters name.
    public func updatePoll(
        pollId: Int64, params: PollUpdateParams, completionHandler: PollHandler? = nil
    ) {
        let params = params.value
        ask(.poll(completionHandler)) { client, _ throws(RoostError) in
            try await client.updatePoll(PollID(pollId), params)
        }
    }

    /// Ends the vote in a poll.
    public func closePoll(pollId: Int64, completionHandler: PollHandler? = nil) {
        ask(.poll(completionHandler)) { client, _ throws(RoostError) in
            try await client.closePoll(PollID(pollId))
        }
    }

    /// Deletes an open poll; the message stays.
    public func deletePoll(pollId: Int64, completionHandler: SBErrorHandler? = nil) {
        act(completionHandler) { client, _ throws(RoostError) in
            try await client.deletePoll(PollID(pollId))
        }
    }

    // MARK: Options

    /// Adds an option to an open poll.
    public func addPollOption(
        pollId: Int64, optionText: String, completionHandler: PollHandler? = nil
    ) {
        ask(.poll(completionHandler)) { client, _ throws(RoostError) in
            try await client.addPollOption(optionText, to: PollID(pollId))
        }
    }

    /// Changes the text of an option; its votes stay.
    public func updatePollOption(
        pollId: Int64, pollOptionId: Int64, optionText: String,
        completionHandler: PollHandler? = nil
    ) {
        ask(.poll(completionHandler)) { client, _ throws(RoostError) in
            try await client.updatePollOption(
                PollOptionID(pollOptionId), of: PollID(pollId), text: optionText)
        }
    }

    /// Deletes an option with its votes; the last option stays.
    public func deletePollOption(
        pollId: Int64, pollOptionId: Int64, completionHandler: SBErrorHandler? = nil
    ) {
        act(completionHandler) { client, _ throws(RoostError) in
            try await client.deletePollOption(PollOptionID(pollOptionId), of: PollID(pollId))
        }
    }

    // MARK: Votes

    /// Votes in a poll of a message in the channel; no options withdraw the user's votes.
    public func votePoll(
        pollId: Int64, pollOptionIds: [Int64], completionHandler: PollVoteEventHandler? = nil
    ) {
        let callback = Callback.answer(completionHandler) { (votes: PollVotes, id: MessageID?) in
            PollVoteEvent(votes, of: id)
        }
        ask(callback) { client, url throws(RoostError) in
            try await client.castVote(
                for: pollOptionIds.map { PollOptionID($0) }, in: PollID(pollId), of: url)
        }
    }

    // MARK: Lists

    /// Returns the changes of the channel's polls since the token of an earlier page; nil starts at
    /// the very beginning.
    public func getPollChangeLogs(
        token: String?, completionHandler: PollChangeLogsHandler?
    ) { changes(ChangeLogStart(token: token), completionHandler) }

    /// Returns the changes of the channel's polls since a time in milliseconds.
    public func getPollChangeLogs(
        timestamp: Int64, completionHandler: PollChangeLogsHandler?
    ) { changes(.moment(Timestamp(milliseconds: timestamp)), completionHandler) }

    private func changes(_ start: ChangeLogStart, _ handler: PollChangeLogsHandler?) {
        let callback = Callback.changes(
            handler, { (poll: RoostModel.Poll) in Poll(poll) }, { (id: PollID) in id.rawValue },
            orElse: { SBError($0) })
        askEither(callback) { client, channel throws(RoostError) in
            try await client.fetchPollChanges(of: channel, since: start)
        }
    }

    /// Returns a query of the channel's polls.
    public func createPollListQuery(limit: UInt = 20) -> PollListQuery? {
        PollListQuery(
            PollListQueryParams {
                $0.channelURL = value.url.rawValue
                $0.limit = limit
            })
    }

    /// Returns a query of the voters of an option.
    public func createPollVoterListQuery(
        pollId: Int64, pollOptionId: Int64, limit: UInt = 20
    ) -> PollVoterListQuery? {
        PollVoterListQuery(
            PollVoterListQueryParams {
                $0.channelURL = value.url.rawValue
                $0.pollId = pollId
                $0.pollOptionId = pollOptionId
                $0.limit = limit
            })
    }
}
