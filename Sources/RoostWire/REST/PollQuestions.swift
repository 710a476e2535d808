// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// A call whose answer is a poll (`docs/protocol` 3.7).
package enum PollRequest: Question {
    case create(PollCreateParams)
    case get(PollID)
    case update(PollID, PollUpdateParams)
    case close(PollID)
    case addOption(String, to: PollID)
    case updateOption(PollOptionID, text: String, of: PollID)

    package func encode() -> APIRequest {
        switch self {
        case .create(let params):
            APIRequest(.post, ["polls"]) { writer in
                writer.field("title", params.title)
                writer.field("options", params.options)
                writer.field("allow_user_suggestion", params.allowsSuggestions)
                writer.field("allow_multiple_votes", params.allowsMultipleVotes)
                if let moment = params.closesAt { writer.field("close_at", moment.seconds) }
                writer.pollData(
                    params.dataType.isEmpty ? nil : params.dataType,
                    params.dataText.isEmpty ? nil : params.dataText)
            }
        case .get(let poll): APIRequest(.get, path(poll))
        case .update(let poll, let params):
            APIRequest(.put, path(poll)) { writer in
                if let title = params.title { writer.field("title", title) }
                if let allows = params.allowsSuggestions {
                    writer.field("allow_user_suggestion", allows)
                }
                if let allows = params.allowsMultipleVotes {
                    writer.field("allow_multiple_votes", allows)
                }
                if let moment = params.closesAt {
                    writer.field("close_at", moment == .distantFuture ? -1 : moment.seconds)
                }
                writer.pollData(params.dataType, params.dataText)
            }
        case .close(let poll): APIRequest(.put, path(poll) + ["close"]) { _ in }
        case .addOption(let text, let poll):
            APIRequest(.post, path(poll) + ["options"]) { writer in writer.field("text", text) }
        case .updateOption(let option, let text, let poll):
            APIRequest(.put, path(poll) + ["options", option.description]) { writer in
                writer.field("text", text)
            }
        }
    }

    package static func read(_ reader: inout JSONReader) throws(WireError) -> Poll {
        guard let poll = try reader.readPollIfPresent() else {
            throw .missing("id", offset: reader.position)
        }
        return poll
    }
}

/// The deletion of a poll or of one of its options.
package enum PollRemoval: Question {
    package typealias Output = NoOutput

    case poll(PollID)
    case option(PollOptionID, of: PollID)

    package func encode() -> APIRequest {
        switch self {
        case .poll(let poll): APIRequest(.delete, path(poll))
        case .option(let option, let poll):
            APIRequest(.delete, path(poll) + ["options", option.description])
        }
    }
}

/// A page of polls: those of a channel, or the caller's own ones.
package struct ListPolls: Question {
    package struct Output: Equatable, Sendable {
        package var polls: [Poll] = []
        /// The token of the next page; "" at the end.
        package var next = ""
    }

    /// The channel; nil for the caller's own polls.
    package var channelURL: ChannelURL?
    package var token: String?
    /// The size of a page, 1...100.
    package var limit: Int

    package init(channelURL: ChannelURL?, token: String?, limit: Int) {
        self.channelURL = channelURL
        self.token = token
        self.limit = limit
    }

    package func encode() -> APIRequest {
        var query = QueryBuilder()
        query.add("channel_url", channelURL?.rawValue)
        query.add("token", token)
        query.add("limit", min(max(1, limit), 100))
        return APIRequest(.get, ["polls"], query: query.items)
    }

    package static func read(_ reader: inout JSONReader) throws(WireError) -> Output {
        var output = Output()
        try reader.readObject { name, reader throws(WireError) in
            switch name {
            case "polls": output.polls = try reader.readPolls()
            case "next": output.next = try reader.readStringIfPresent() ?? ""
            default: try reader.skipValue()
            }
        }
        return output
    }
}

/// A page of the users who voted for an option.
package struct ListVoters: Question {
    package var pollID: PollID
    package var optionID: PollOptionID
    package var token: String?
    /// The size of a page, 1...100.
    package var limit: Int

    package init(pollID: PollID, optionID: PollOptionID, token: String?, limit: Int) {
        self.pollID = pollID
        self.optionID = optionID
        self.token = token
        self.limit = limit
    }

    package func encode() -> APIRequest {
        var query = QueryBuilder()
        query.add("token", token)
        query.add("limit", min(max(1, limit), 100))
        return APIRequest(
            .get, path(pollID) + ["options", optionID.description, "voters"], query: query.items)
    }

    package static func read(_ reader: inout JSONReader) throws(WireError) -> ListUsers.Output {
        var output = ListUsers.Output(users: [])
        try reader.readObject { name, reader throws(WireError) in
            switch name {
            case "voters":
                output.users = try reader.readList { reader throws(WireError) in
                    try reader.readUser()
                }
            case "next": output.next = try reader.readStringIfPresent() ?? ""
            default: try reader.skipValue()
            }
        }
        return output
    }
}

/// The changes of a channel's polls since a cursor.
package struct PollChangeLog: Question {
    package struct Output: Equatable, Sendable {
        package var updated: [Poll] = []
        package var deleted: [PollID] = []
        package var hasMore = false
        /// The token for the next question.
        package var next = ""
    }

    package var channelURL: ChannelURL
    package var cursor: ChangeLogCursor

    package init(channelURL: ChannelURL, cursor: ChangeLogCursor) {
        self.channelURL = channelURL
        self.cursor = cursor
    }

    package func encode() -> APIRequest {
        var query = QueryBuilder()
        cursor.add(to: &query)
        return APIRequest(
            .get, ["group_channels", channelURL.rawValue, "polls", "changelogs"],
            query: query.items)
    }

    package static func read(_ reader: inout JSONReader) throws(WireError) -> Output {
        var output = Output()
        try reader.readObject { name, reader throws(WireError) in
            switch name {
            case "updated": output.updated = try reader.readPolls()
            case "deleted":
                output.deleted = try reader.readList { reader throws(WireError) in
                    PollID(try reader.readInt64())
                }
            case "has_more": output.hasMore = try reader.readBoolIfPresent() ?? false
            case "next": output.next = try reader.readStringIfPresent() ?? ""
            default: try reader.skipValue()
            }
        }
        return output
    }
}

private func path(_ poll: PollID) -> [String] { ["polls", poll.description] }

extension JSONReader {
    fileprivate mutating func readPolls() throws(WireError) -> [Poll] {
        try readList { reader throws(WireError) in try PollRequest.read(&reader) }
    }
}

extension JSONWriter {
    /// Writes the app's own data of a poll; nothing if both parts are nil.
    fileprivate mutating func pollData(_ type: String?, _ text: String?) {
        guard type != nil || text != nil else { return }
        object("data") { writer in
            if let type { writer.field("type", type) }
            if let text { writer.field("text", text) }
        }
    }
}
