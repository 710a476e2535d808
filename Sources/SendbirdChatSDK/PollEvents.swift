// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostModel

/// A vote in a poll.
public final class PollVoteEvent: NSObject {
    /// The poll.
    public var pollId: Int64 { votes.pollID.rawValue }
    /// The message with the poll; 0 if unknown.
    public let messageId: Int64

    let votes: PollVotes

    init(_ votes: PollVotes, of message: MessageID?) {
        self.votes = votes
        messageId = message?.rawValue ?? 0
    }
}

/// A change of a poll.
public final class PollUpdateEvent: NSObject {
    /// The poll.
    public let pollId: Int64
    /// The message with the poll.
    public let messageId: Int64

    init(_ poll: RoostModel.Poll, of message: MessageID) {
        pollId = poll.id.rawValue
        messageId = message.rawValue
    }
}
