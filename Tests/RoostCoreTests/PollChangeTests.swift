// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import Testing

/// The effects of events on a poll.
struct PollChangeTests {
    private static func moment(_ seconds: Int64) -> Timestamp { Timestamp(seconds: seconds) }

    private static func poll(
        at seconds: Int64, votes: [PollOptionID]? = nil, title: String = ""
    ) -> Poll {
        var poll = Poll(id: 1)
        poll.title = title
        poll.updatedAt = moment(seconds)
        poll.options = [1, 2].map { Poll.Option(id: $0) }
        poll.votedOptionIDs = votes
        return poll
    }

    private static func votes(
        at seconds: Int64, _ count: Int, own: [PollOptionID]? = nil, poll: PollID = 1
    ) -> PollChange {
        var votes = PollVotes(pollID: poll, at: Timestamp(milliseconds: seconds * 1_000 + 999))
        votes.counts = [.init(optionID: 2, voteCount: count), .init(optionID: 9, voteCount: 9)]
        votes.voterCount = count
        votes.votedOptionIDs = own
        return .voted(votes)
    }

    @Test func `votes change the counts they name, and only newer ones (scar 117)`() {
        let poll = Self.poll(at: 5).applying(Self.votes(at: 5, 3))
        #expect(poll.options.map(\.voteCount) == [0, 3])
        #expect(poll.voterCount == 3)
        #expect(poll.updatedAt == Self.moment(5))
        #expect(poll.applying(Self.votes(at: 4, 1)) == poll)
        #expect(poll.applying(Self.votes(at: 6, 1, poll: 2)) == poll)
        #expect(poll.applying(.edited(Self.poll(at: 4, title: "old"))) == poll)
        #expect(poll.applying(.edited(Self.poll(at: 5, title: "new"))).title == "new")
    }

    @Test func `an event for all users removes no vote of the viewer (scar 117)`() {
        let voted = Self.poll(at: 5).applying(Self.votes(at: 5, 1, own: [2]))
        #expect(voted.votedOptionIDs == [2])
        #expect(voted.applying(Self.votes(at: 6, 2)).votedOptionIDs == [2])
        #expect(voted.applying(.edited(Self.poll(at: 6))).votedOptionIDs == [2])
        #expect(voted.applying(Self.votes(at: 6, 0, own: [])).votedOptionIDs == [])
        var (copy, known) = (MessageDetails(), MessageDetails())
        known.poll = voted
        copy.complete(from: known)
        #expect(copy.poll == voted)
        copy.poll = Self.poll(at: 6, title: "newer")
        copy.complete(from: known)
        #expect(copy.poll?.title == "newer" && copy.poll?.votedOptionIDs == [2])
        copy.poll = Self.poll(at: 4, title: "older")
        copy.complete(from: known)
        #expect(copy.poll == voted)
        // An event for the viewer does, even without any vote.
        #expect(voted.applying(.edited(Self.poll(at: 6, votes: []))).votedOptionIDs == [])
        #expect(voted.applying(.edited(Self.poll(at: 4, votes: []))).votedOptionIDs == [2])
        #expect(Self.poll(at: 5).applying(.edited(Self.poll(at: 6))).votedOptionIDs == nil)
        // An old copy neither restores a vote nor keeps one for a removed option.
        let without = voted.applying(Self.votes(at: 6, 0, own: []))
        #expect(without.applying(.edited(Self.poll(at: 5, votes: [2]))).votedOptionIDs == [])
        var shorter = Self.poll(at: 7)
        shorter.options.removeLast()
        #expect(voted.applying(.edited(shorter)).votedOptionIDs == [])
    }

    @Test func `a vote that overtook a page is repeated after it (scar 117)`() {
        let change = Self.votes(at: 5, 1)
        var ledger = FetchLedger()
        ledger.begin()
        ledger.note(.poll(change), to: 1)
        let message = Message(
            delivery: .delivered(1, nil), channelURL: "c", createdAt: Self.moment(1),
            content: .user(text: ""))
        #expect(ledger.amendments(to: [message]).map(\.1) == [.poll(change)])
    }
}
