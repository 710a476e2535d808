// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// An event of a poll: an edit (PEDI), or its state after a vote (VOTE).
package struct PollEvent: Equatable, Codable, Sendable {
    package var channelURL: ChannelURL
    /// The message that carries the poll; nil if the server does not send it.
    package var messageID: MessageID?
    package var change: PollChange
    /// The request ID that a vote's answer acknowledges; nil for edits and for other users' votes.
    package var acknowledges: RequestID?

    package init(
        channelURL: ChannelURL, messageID: MessageID?, change: PollChange,
        acknowledges: RequestID? = nil
    ) {
        self.channelURL = channelURL
        self.messageID = messageID
        self.change = change
        self.acknowledges = acknowledges
    }
}

extension Frame {
    func readVoteEvent() throws(WireError) -> PollEvent {
        var channelURL: ChannelURL?
        var (messageID, requestID): (MessageID?, RequestID?)
        var pollID: PollID?
        var votes = PollVotes(pollID: 0, at: .distantPast)
        try readFields { name, reader throws(WireError) in
            switch name {
            case "channel_url": channelURL = try reader.readChannelURL()
            case "message_id": messageID = try reader.readMessageID()
            case "req_id": requestID = try reader.readRequestID()
            case "poll_id": pollID = PollID(try reader.readInt64())
            case "voter_count": votes.voterCount = try reader.readCount() ?? 0
            case "ts": votes.at = try reader.readMoment() ?? votes.at
            case "voted_option_ids":
                votes.votedOptionIDs = try reader.readOptionIDs()
            case "updated_vote_counts":
                votes.counts = try reader.readList { reader throws(WireError) in
                    try reader.readVoteCount()
                }
            default: try reader.skipValue()
            }
        }
        guard let channelURL else { throw missing("channel_url") }
        guard let pollID else { throw missing("poll_id") }
        votes.pollID = pollID
        return PollEvent(
            channelURL: channelURL, messageID: messageID, change: .voted(votes),
            acknowledges: requestID)
    }

    func readPollEdit() throws(WireError) -> PollEvent {
        var channelURL: ChannelURL?
        var poll: Poll?
        try readFields { name, reader throws(WireError) in
            switch name {
            case "channel_url": channelURL = try reader.readChannelURL()
            case "poll": poll = try reader.readPollIfPresent()
            default: try reader.skipValue()
            }
        }
        guard let channelURL else { throw missing("channel_url") }
        guard var poll else { throw missing("poll") }
        // The frame is the same for all users; an earlier server sends an empty list whatever the
        // reader voted.
        poll.votedOptionIDs = nil
        return PollEvent(channelURL: channelURL, messageID: poll.messageID, change: .edited(poll))
    }
}

extension JSONReader {
    fileprivate mutating func readVoteCount() throws(WireError) -> PollVotes.Count {
        var (option, count): (PollOptionID?, Int) = (nil, 0)
        try readObject { name, reader throws(WireError) in
            switch name {
            case "option_id": option = PollOptionID(try reader.readInt64())
            case "vote_count": count = try reader.readCount() ?? 0
            default: try reader.skipValue()
            }
        }
        guard let option else { throw .missing("option_id", offset: position) }
        return PollVotes.Count(optionID: option, voteCount: count)
    }
}

extension PollEvent {
    func encoded(isOpen: Bool) -> String {
        switch change {
        case .edited(let poll):
            Frame.text(.pollEdit, isOpen: isOpen) { writer in
                writer.channel(channelURL)
                writer.object("poll") { $0.fields(of: poll) }
                if let moment = poll.updatedAt { writer.field("ts", moment.milliseconds) }
            }
        case .voted(let votes):
            Frame.text(.vote, isOpen: isOpen) { writer in
                if let acknowledges { writer.field("req_id", acknowledges.rawValue) }
                writer.channel(channelURL)
                writer.fields(of: votes, in: messageID)
            }
        }
    }
}

extension JSONWriter {
    /// Writes the state of a poll after a vote into the current object.
    package mutating func fields(of votes: PollVotes, in messageID: MessageID?) {
        field("poll_id", votes.pollID.rawValue)
        if let messageID { field("message_id", messageID.rawValue) }
        array("updated_vote_counts") { writer in
            for count in votes.counts {
                writer.object { writer in
                    writer.field("option_id", count.optionID.rawValue)
                    writer.field("vote_count", count.voteCount)
                }
            }
        }
        optionIDs(votes.votedOptionIDs)
        field("voter_count", votes.voterCount)
        field("ts", votes.at.milliseconds)
    }
}
