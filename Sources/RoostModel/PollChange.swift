// SPDX-License-Identifier: Apache-2.0

/// A change of a poll that arrives without its message (`docs/protocol` 2.7).
package enum PollChange: Hashable, Codable, Sendable {
    /// The poll as it is now; the viewer's votes may be missing.
    case edited(Poll)
    case voted(PollVotes)
}

/// The state of a poll after a vote.
public struct PollVotes: Hashable, Codable, Sendable {
    /// The number of votes for an option.
    public struct Count: Hashable, Codable, Sendable {
        /// The option.
        public let optionID: PollOptionID
        /// The number of votes, as the server counts them.
        public let voteCount: Int

        package init(optionID: PollOptionID, voteCount: Int) {
            self.optionID = optionID
            self.voteCount = voteCount
        }
    }

    /// The poll.
    public package(set) var pollID: PollID
    /// The number of votes for each option.
    public package(set) var counts: [Count] = []
    /// The viewer's votes; nil if the server sends the same to all.
    public package(set) var votedOptionIDs: [PollOptionID]?
    /// The number of users who voted, as the server counts them.
    public package(set) var voterCount = 0
    /// The time of the vote by the server's clock.
    public package(set) var at: Timestamp

    package init(pollID: PollID, at: Timestamp) {
        self.pollID = pollID
        self.at = at
    }

    /// Creates the state of a poll, for the viewer whose votes it contains or for everybody.
    package init(_ poll: Poll, at: Timestamp) {
        self.init(pollID: poll.id, at: at)
        counts = poll.options.map { Count(optionID: $0.id, voteCount: $0.voteCount) }
        votedOptionIDs = poll.votedOptionIDs
        voterCount = poll.voterCount
    }
}

extension Poll {
    /// Returns the poll after a change; a change of another poll or an older one has no effect.
    package func applying(_ change: PollChange) -> Poll {
        switch change {
        case .edited(let poll): poll.id == id ? poll.merged(over: self) : self
        case .voted(let votes): applying(votes)
        }
    }

    private func applying(_ votes: PollVotes) -> Poll {
        // Polls count time in seconds.
        let moment = Timestamp(seconds: votes.at.seconds)
        guard votes.pollID == id, moment >= updatedAt ?? .distantPast else { return self }
        var poll = self
        for count in votes.counts {
            guard let index = poll.options.firstIndex(where: { $0.id == count.optionID }) else {
                continue
            }
            poll.options[index].voteCount = count.voteCount
        }
        poll.voterCount = votes.voterCount
        poll.votedOptionIDs = votes.votedOptionIDs ?? votedOptionIDs
        poll.updatedAt = moment
        return poll
    }

    /// Returns the newer of two copies; of two copies of the same time, this one.
    ///
    /// A copy for everybody has no votes of the viewer: earlier ones stay, except for options that
    /// are gone. A copy for the viewer replaces them; an empty list means none.
    func merged(over earlier: Poll) -> Poll {
        guard earlier.id == id else { return self }
        guard updatedAt ?? .distantPast >= earlier.updatedAt ?? .distantPast else { return earlier }
        guard votedOptionIDs == nil else { return self }
        var poll = self
        let known = Set(options.map(\.id))
        poll.votedOptionIDs = earlier.votedOptionIDs?.filter(known.contains)
        return poll
    }
}
