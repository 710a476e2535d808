// SPDX-License-Identifier: Apache-2.0

package import RoostModel

extension JSONReader {
    /// Reads a poll; nil for null and `{}`.
    package mutating func readPollIfPresent() throws(WireError) -> Poll? {
        if try skipEmptyOrNull() { return nil }
        var id: PollID?
        var poll = Poll(id: 0)
        try readObject { name, reader throws(WireError) in
            switch name {
            case "id": id = PollID(try reader.readInt64())
            case "title": poll.title = try reader.readStringIfPresent() ?? ""
            case "status":
                poll.status = Poll.Status(rawValue: try reader.readString()) ?? .open
            case "created_at": poll.createdAt = try reader.readSeconds()
            case "updated_at": poll.updatedAt = try reader.readSeconds()
            case "close_at": poll.closesAt = try reader.readSeconds()
            case "message_id": poll.messageID = try reader.readMessageID()
            case "data": try reader.readData(of: &poll)
            case "voter_count": poll.voterCount = try reader.readCount() ?? 0
            case "options":
                poll.options = try reader.readList { reader throws(WireError) in
                    try reader.readPollOption()
                }
            case "created_by": poll.createdBy = try reader.readUserIDIfPresent()
            case "allow_user_suggestion":
                poll.allowsSuggestions = try reader.readBoolIfPresent() ?? false
            case "allow_multiple_votes":
                poll.allowsMultipleVotes = try reader.readBoolIfPresent() ?? false
            case "voted_option_ids":
                poll.votedOptionIDs = try reader.readOptionIDs()
            default: try poll.unknownFields.keep(name, from: &reader)
            }
        }
        guard let id else { throw .missing("id", offset: position) }
        poll.id = id
        return poll
    }

    /// Reads the viewer's votes; nil for null, which says nothing.
    mutating func readOptionIDs() throws(WireError) -> [PollOptionID]? {
        if try readNull() { return nil }
        return try readList { reader throws(WireError) in PollOptionID(try reader.readInt64()) }
    }

    private mutating func readData(of poll: inout Poll) throws(WireError) {
        if try skipEmptyOrNull() { return }
        var unknown = UnknownFields()
        try readObject { name, reader throws(WireError) in
            switch name {
            case "type": poll.dataType = try reader.readStringIfPresent() ?? ""
            case "text": poll.dataText = try reader.readStringIfPresent() ?? ""
            default: try unknown.keep(name, from: &reader)
            }
        }
        poll.unknownFields.keep("data", inside: unknown)
    }

    private mutating func readPollOption() throws(WireError) -> Poll.Option {
        var id: PollOptionID?
        var option = Poll.Option(id: 0)
        try readObject { name, reader throws(WireError) in
            switch name {
            case "id": id = PollOptionID(try reader.readInt64())
            case "text": option.text = try reader.readStringIfPresent() ?? ""
            case "created_by": option.createdBy = try reader.readUserIDIfPresent()
            case "created_at": option.createdAt = try reader.readSeconds()
            case "updated_at": option.updatedAt = try reader.readSeconds()
            case "vote_count": option.voteCount = try reader.readCount() ?? 0
            case "partial_voter_list": option.voters = try reader.readUsers()
            // The poll around the option has the ID already.
            case "poll_id": try reader.skipValue()
            default: try option.unknownFields.keep(name, from: &reader)
            }
        }
        guard let id else { throw .missing("id", offset: position) }
        option.id = id
        return option
    }

    private mutating func readUserIDIfPresent() throws(WireError) -> UserID? {
        guard let text = try readStringIfPresent(), !text.isEmpty else { return nil }
        return UserID(text)
    }
}

extension JSONWriter {
    /// Writes a poll's fields into the current object.
    package mutating func fields(of poll: Poll) {
        field("id", poll.id.rawValue)
        field("title", poll.title)
        field("status", poll.status.rawValue)
        seconds("created_at", poll.createdAt)
        seconds("updated_at", poll.updatedAt)
        field("close_at", poll.closesAt?.seconds ?? -1)
        if let id = poll.messageID { field("message_id", id.rawValue) }
        var rest = poll.unknownFields
        if !poll.dataType.isEmpty || !poll.dataText.isEmpty {
            object("data") { writer in
                writer.field("type", poll.dataType)
                writer.field("text", poll.dataText)
                writer.unknown(poll.unknownFields, inside: "data")
            }
            rest = rest.removing("data")
        }
        field("voter_count", poll.voterCount)
        array("options") { writer in
            for option in poll.options {
                writer.object { writer in writer.fields(of: option, in: poll.id) }
            }
        }
        if let id = poll.createdBy { field("created_by", id.rawValue) }
        field("allow_user_suggestion", poll.allowsSuggestions)
        field("allow_multiple_votes", poll.allowsMultipleVotes)
        optionIDs(poll.votedOptionIDs)
        unknown(rest)
    }

    /// Writes the viewer's votes; nothing in a frame for all users.
    mutating func optionIDs(_ ids: [PollOptionID]?) {
        guard let ids else { return }
        array("voted_option_ids") { writer in
            for id in ids { writer.int(id.rawValue) }
        }
    }

    /// Writes the fields of one option into the current object.
    package mutating func fields(of option: Poll.Option, in poll: PollID) {
        field("poll_id", poll.rawValue)
        field("id", option.id.rawValue)
        field("text", option.text)
        if let id = option.createdBy { field("created_by", id.rawValue) }
        seconds("created_at", option.createdAt)
        seconds("updated_at", option.updatedAt)
        field("vote_count", option.voteCount)
        if !option.voters.isEmpty { users("partial_voter_list", option.voters) }
        unknown(option.unknownFields)
    }

    private mutating func seconds(_ name: String, _ moment: Timestamp?) {
        if let moment { field(name, moment.seconds) }
    }
}
