// SPDX-License-Identifier: Apache-2.0

/// What became of a poll, told without the message that carries it (`docs/protocol` 2.7).
package enum PollChange: Hashable, Sendable {
    /// The poll as it stands; what the viewer voted for it may not tell.
    case edited(Poll)
    case voted(PollVotes)
}

/// How a poll stands after somebody has voted.
package struct PollVotes: Hashable, Sendable {
    package struct Count: Hashable, Sendable {
        package let optionID: Int64
        package let voteCount: Int

        package init(optionID: Int64, voteCount: Int) {
            self.optionID = optionID
            self.voteCount = voteCount
        }
    }

    package var pollID: Int64
    package var counts: [Count] = []
    /// What the viewer votes for now; nil where the server tells everybody.
    package var votedOptionIDs: [Int64]?
    package var voterCount = 0
    package var at: Timestamp

    package init(pollID: Int64, at: Timestamp) {
        self.pollID = pollID
        self.at = at
    }

    /// How a poll stands, for the viewer whose votes it tells or for everybody.
    package init(_ poll: Poll, at: Timestamp) {
        self.init(pollID: poll.id, at: at)
        counts = poll.options.map { Count(optionID: $0.id, voteCount: $0.voteCount) }
        votedOptionIDs = poll.votedOptionIDs
        voterCount = poll.voterCount
    }
}

extension Poll {
    /// The poll after a change; what is about another one, or older than what is known, changes nothing.
    package func applying(_ change: PollChange) -> Poll {
        switch change {
        case .edited(let poll): poll.id == id ? poll.merged(over: self) : self
        case .voted(let votes): applying(votes)
        }
    }

    private func applying(_ votes: PollVotes) -> Poll {
        // Polls tell their time in seconds.
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

    /// The newer of two copies, of two of one time this one.
    ///
    /// One that was told to everybody says nothing of the viewer's votes: they stay, but for options that
    /// are gone. One that was told to the viewer replaces them, and none is told as an empty list.
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
