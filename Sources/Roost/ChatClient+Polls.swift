// SPDX-License-Identifier: Apache-2.0

import RoostCore
public import RoostModel
import RoostWire

// Each call needs a connection, and throws `.connectionRequired` without one. Changes of a poll
// reach the cache and open timelines as events.

extension ChatClient {
    // MARK: Polls

    /// Creates a poll.
    ///
    /// The poll appears with the message that carries it: set `UserMessageParams.pollID` or
    /// `FileMessageParams.pollID`, and send the message.
    ///
    /// - Returns: The poll with its identifier.
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func createPoll(_ params: PollCreateParams) async throws(RoostError) -> Poll {
        try await ask(PollRequest.create(params))
    }

    /// Returns a poll from the server.
    ///
    /// - Returns: The poll with the user's own votes.
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func fetchPoll(_ poll: PollID) async throws(RoostError) -> Poll {
        try await ask(PollRequest.get(poll))
    }

    /// Changes an open poll of the user, or of a channel whose operator the user is.
    ///
    /// - Returns: The poll as changed.
    /// - Throws: `.connectionRequired`, or the server's refusal, such as `.invalidValue` for a
    ///   closed poll.
    @discardableResult
    public func updatePoll(
        _ poll: PollID, _ params: PollUpdateParams
    ) async throws(RoostError) -> Poll {
        try await ask(PollRequest.update(poll, params))
    }

    /// Ends the vote in a poll of the user, or of a channel whose operator the user is.
    ///
    /// - Returns: The closed poll.
    /// - Throws: `.connectionRequired`, or the server's refusal.
    @discardableResult
    public func closePoll(_ poll: PollID) async throws(RoostError) -> Poll {
        try await ask(PollRequest.close(poll))
    }

    /// Deletes an open poll of the user, or of a channel whose operator the user is; the message
    /// stays.
    ///
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func deletePoll(_ poll: PollID) async throws(RoostError) {
        _ = try await ask(PollRemoval.poll(poll))
    }

    /// Returns a page of polls from the server, in the order of their creation.
    ///
    /// - Parameters:
    ///   - channel: The channel whose messages carry the polls; nil for the user's own polls,
    ///     unsent ones included.
    ///   - pageSize: The greatest number of polls, 1...100.
    ///   - token: `Page.next` of the page before; nil for the first page.
    /// - Returns: The page.
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func polls(
        of channel: ChannelURL? = nil, pageSize: Int = 20, after token: String? = nil
    ) async throws(RoostError) -> Page<Poll> {
        let found = try await ask(ListPolls(channelURL: channel, token: token, limit: pageSize))
        return Page(found.polls, next: found.next.isEmpty ? nil : found.next)
    }

    /// Returns the changes of a channel's polls since a moment, one page.
    ///
    /// - Returns: The page; removed polls count as deleted.
    /// - Throws: `.connectionRequired`, a network error, or the server's refusal.
    public func fetchPollChanges(
        of channel: ChannelURL, since start: ChangeLogStart
    ) async throws(RoostError) -> ChangeLog<Poll, PollID> {
        ChangeLog(
            try await ask(PollChangeLog(channelURL: channel, cursor: ChangeLogCursor(start))))
    }

    /// Returns a page of the changes of an open channel's polls, as `fetchPollChanges(of:since:)`
    /// does for a group channel.
    ///
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func fetchPollChanges(
        ofOpenChannel channel: ChannelURL, since start: ChangeLogStart
    ) async throws(RoostError) -> ChangeLog<Poll, PollID> {
        ChangeLog(
            try await ask(
                InOpenChannel(
                    PollChangeLog(channelURL: channel, cursor: ChangeLogCursor(start)))))
    }

    // MARK: Options

    /// Adds an option to an open poll of the user, or to one that allows suggestions.
    ///
    /// - Returns: The poll with the new option.
    /// - Throws: `.connectionRequired`, or the server's refusal.
    @discardableResult
    public func addPollOption(
        _ text: String, to poll: PollID
    ) async throws(RoostError) -> Poll {
        try await ask(PollRequest.addOption(text, to: poll))
    }

    /// Changes the text of an option; its votes stay.
    ///
    /// - Returns: The poll with the changed option.
    /// - Throws: `.connectionRequired`, or the server's refusal.
    @discardableResult
    public func updatePollOption(
        _ option: PollOptionID, of poll: PollID, text: String
    ) async throws(RoostError) -> Poll {
        try await ask(PollRequest.updateOption(option, text: text, of: poll))
    }

    /// Deletes an option with its votes; the last option stays.
    ///
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func deletePollOption(
        _ option: PollOptionID, of poll: PollID
    ) async throws(RoostError) {
        _ = try await ask(PollRemoval.option(option, of: poll))
    }

    // MARK: Votes

    /// Votes in a poll of a message in the channel; no options withdraw the user's votes.
    ///
    /// On return the vote counts and a cached message shows it. It is durable too,
    /// unless the disk refused; then the change log brings it.
    ///
    /// - Returns: The state of the poll after the vote.
    /// - Throws: `.connectionRequired`. `.ackTimeout` after eight seconds without an answer; the
    ///   vote may count then. Otherwise the server's refusal, such as `.invalidValue` for a closed
    ///   poll.
    @discardableResult
    public func vote(
        for options: [PollOptionID], in poll: PollID, of channel: ChannelURL
    ) async throws(RoostError) -> PollVotes {
        try await castVote(for: options, in: poll, of: channel).0
    }

    /// Votes as `vote(for:in:of:)` does, and returns the message that carries the poll too.
    package func castVote(
        for options: [PollOptionID], in poll: PollID, of channel: ChannelURL
    ) async throws(RoostError) -> (PollVotes, MessageID?) {
        try await engine.run(.vote(Vote(for: options, in: poll, of: channel)), \.votes)
    }

    /// Returns a page of the users who voted for an option, by user ID.
    ///
    /// - Parameters:
    ///   - option: The option.
    ///   - poll: The poll.
    ///   - pageSize: The greatest number of users, 1...100.
    ///   - token: `Page.next` of the page before; nil for the first page.
    /// - Returns: The page.
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func voters(
        for option: PollOptionID, in poll: PollID, pageSize: Int = 20, after token: String? = nil
    ) async throws(RoostError) -> Page<User> {
        let found = try await ask(
            ListVoters(pollID: poll, optionID: option, token: token, limit: pageSize))
        return Page(found.users, next: found.next.isEmpty ? nil : found.next)
    }
}

extension ChangeLog<Poll, PollID> {
    fileprivate init(_ answer: PollChangeLog.Output) {
        self.init(
            updated: answer.updated, deleted: answer.deleted, hasMore: answer.hasMore,
            token: answer.next)
    }
}
