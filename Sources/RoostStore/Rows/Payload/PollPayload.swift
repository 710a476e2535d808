// SPDX-License-Identifier: Apache-2.0

internal import RoostModel

/// The stored numbers of a poll's status.
private enum PollStatusTag: UInt8 {
    case open = 0
    case closed = 1
    case removed = 2

    init(_ status: Poll.Status) {
        switch status {
        case .open: self = .open
        case .closed: self = .closed
        case .removed: self = .removed
        }
    }

    var status: Poll.Status {
        switch self {
        case .open: .open
        case .closed: .closed
        case .removed: .removed
        }
    }
}

extension [UInt8] {
    mutating func append(poll: Poll, row: (UserID) -> Int64) {
        append(signed: poll.id.rawValue)
        append(PollStatusTag(poll.status).rawValue)
        for text in [poll.title, poll.dataType, poll.dataText] { append(text: text) }
        for moment in [poll.createdAt, poll.updatedAt, poll.closesAt] { append(moment: moment) }
        append(optional: poll.messageID) { $0.append(signed: $1.rawValue) }
        append(signed: Int64(poll.voterCount))
        append(optional: poll.createdBy) { $0.append(text: $1.rawValue) }
        append(
            (poll.allowsSuggestions ? 1 : 0) | (poll.allowsMultipleVotes ? 2 : 0)
                | (poll.votedOptionIDs != nil ? 4 : 0))
        append(list: poll.votedOptionIDs ?? []) { $0.append(signed: $1.rawValue) }
        append(list: poll.options) { bytes, option in
            bytes.append(signed: option.id.rawValue)
            bytes.append(text: option.text)
            bytes.append(optional: option.createdBy) { $0.append(text: $1.rawValue) }
            bytes.append(moment: option.createdAt)
            bytes.append(moment: option.updatedAt)
            bytes.append(signed: Int64(option.voteCount))
            bytes.append(list: option.voters) { $0.append(signed: row($1.id)) }
        }
    }
}

extension PayloadReader {
    mutating func poll(
        _ bytes: Span<UInt8>, _ user: (Int64) -> User
    ) throws(PayloadError) -> Poll {
        var poll = Poll(id: PollID(try signed(bytes)))
        guard let tag = PollStatusTag(rawValue: try byte(bytes)) else { throw .invalid }
        poll.status = tag.status
        poll.title = try text(bytes)
        poll.dataType = try text(bytes)
        poll.dataText = try text(bytes)
        poll.createdAt = try moment(bytes)
        poll.updatedAt = try moment(bytes)
        poll.closesAt = try moment(bytes)
        poll.messageID = try optional(bytes) { reader, bytes throws(PayloadError) in
            MessageID(try reader.signed(bytes))
        }
        poll.voterCount = try int(bytes)
        poll.createdBy = try optionalText(bytes).map { UserID($0) }
        let bits = try byte(bytes)
        guard bits < 8 else { throw .invalid }
        poll.allowsSuggestions = bits & 1 != 0
        poll.allowsMultipleVotes = bits & 2 != 0
        let voted = try list(bytes) { reader, bytes throws(PayloadError) in
            PollOptionID(try reader.signed(bytes))
        }
        if bits & 4 != 0 { poll.votedOptionIDs = voted }
        poll.options = try list(bytes) { reader, bytes throws(PayloadError) in
            var option = Poll.Option(id: PollOptionID(try reader.signed(bytes)))
            option.text = try reader.text(bytes)
            option.createdBy = try reader.optionalText(bytes).map { UserID($0) }
            option.createdAt = try reader.moment(bytes)
            option.updatedAt = try reader.moment(bytes)
            option.voteCount = try reader.int(bytes)
            option.voters = try reader.users(bytes, user)
            return option
        }
        return poll
    }
}
