// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A vote in a poll; never made, as the message with the poll is updated.
public final class PollVoteEvent: NSObject {
    /// The poll.
    public let pollId: Int64
    /// The message with the poll.
    public let messageId: Int64

    init(pollId: Int64, messageId: Int64) {
        self.pollId = pollId
        self.messageId = messageId
    }
}

/// A change of a poll; never made, as the message with the poll is updated.
public final class PollUpdateEvent: NSObject {
    /// The poll.
    public let pollId: Int64
    /// The message with the poll.
    public let messageId: Int64

    init(pollId: Int64, messageId: Int64) {
        self.pollId = pollId
        self.messageId = messageId
    }
}
