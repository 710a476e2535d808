// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// A call whose answer is a scheduled message (`docs/protocol` 3.7).
package enum ScheduledRequest: Question {
    case create(MessageCommand, at: Timestamp)
    case get(ScheduledMessageID, in: ChannelURL)
    case update(ScheduledMessageID, in: ChannelURL, ScheduledMessageUpdateParams)
    /// Sends the message before its time.
    case send(ScheduledMessageID, in: ChannelURL)

    package func encode() -> APIRequest {
        switch self {
        case .create(let message, let moment):
            APIRequest(.post, path(message.channelURL)) { writer in
                SendMessage(message: message).fields(&writer)
                writer.field("scheduled_at", moment.milliseconds)
            }
        case .get(let id, let channel): APIRequest(.get, path(channel, id))
        case .update(let id, let channel, let params):
            APIRequest(.put, path(channel, id)) { writer in writer.fields(of: params) }
        case .send(let id, let channel):
            APIRequest(.post, path(channel, id) + ["send_now"]) { _ in }
        }
    }

    package static func read(_ reader: inout JSONReader) throws(WireError) -> ScheduledMessage {
        // Only a sent message has an ID.
        guard let scheduled = ScheduledMessage(try reader.readMessage(withoutID: MessageID(0)))
        else {
            throw .missing("scheduled_message_id", offset: reader.position)
        }
        return scheduled
    }
}

/// The cancellation of a scheduled message.
package struct CancelScheduled: Question {
    package typealias Output = NoOutput

    package var id: ScheduledMessageID
    package var channelURL: ChannelURL

    package init(_ id: ScheduledMessageID, in channelURL: ChannelURL) {
        self.id = id
        self.channelURL = channelURL
    }

    package func encode() -> APIRequest { APIRequest(.delete, path(channelURL, id)) }
}

/// A page of the caller's scheduled messages.
package struct ListScheduled: Question {
    package struct Output: Equatable, Sendable {
        package var messages: [ScheduledMessage] = []
        /// The token of the next page; "" at the end.
        package var next = ""
    }

    package var query: ScheduledMessageQuery
    package var token: String?
    /// The size of a page, 1...100.
    package var limit: Int

    package init(query: ScheduledMessageQuery, token: String?, limit: Int) {
        self.query = query
        self.token = token
        self.limit = limit
    }

    package func encode() -> APIRequest {
        var fields = QueryBuilder()
        query.add(to: &fields)
        fields.add("token", token)
        fields.add("limit", min(max(1, limit), 100))
        return APIRequest(.get, ["scheduled_messages"], query: fields.items)
    }

    package static func read(_ reader: inout JSONReader) throws(WireError) -> Output {
        var output = Output()
        try reader.readObject { name, reader throws(WireError) in
            switch name {
            case "scheduled_messages":
                output.messages = try reader.readList { reader throws(WireError) in
                    try ScheduledRequest.read(&reader)
                }
            case "next": output.next = try reader.readStringIfPresent() ?? ""
            default: try reader.skipValue()
            }
        }
        return output
    }
}

/// The number of the caller's scheduled messages.
package struct CountScheduled: Question {
    package var query: ScheduledMessageQuery

    package init(query: ScheduledMessageQuery) { self.query = query }

    package func encode() -> APIRequest {
        var fields = QueryBuilder()
        query.add(to: &fields)
        return APIRequest(.get, ["scheduled_messages", "count"], query: fields.items)
    }

    package static func read(_ reader: inout JSONReader) throws(WireError) -> Int {
        var count: Int?
        try reader.readObject { name, reader throws(WireError) in
            if name == "count" { count = try reader.readCount() } else { try reader.skipValue() }
        }
        guard let count else { throw .missing("count", offset: reader.position) }
        return count
    }
}

private func path(_ channel: ChannelURL) -> [String] {
    ["group_channels", channel.rawValue, "scheduled_messages"]
}

private func path(_ channel: ChannelURL, _ id: ScheduledMessageID) -> [String] {
    path(channel) + [id.description]
}

extension ScheduledMessageQuery {
    fileprivate func add(to fields: inout QueryBuilder) {
        fields.add("channel_url", channel?.rawValue)
        fields.add("scheduled_status", statuses.map(\.rawValue).sorted())
        if kind != .all { fields.add("message_type", kind.rawValue) }
        if order == .sending { fields.add("order", "scheduled_at") }
        if isReversed { fields.add("reverse", true) }
    }
}

extension JSONWriter {
    fileprivate mutating func fields(of params: ScheduledMessageUpdateParams) {
        if let moment = params.sendsAt { field("scheduled_at", moment.milliseconds) }
        if let text = params.text { field("message", text) }
        if let data = params.data { field("data", data) }
        if let customType = params.customType { field("custom_type", customType) }
        if let mention = params.mention {
            field("mention_type", mention.kind.rawValue)
            field("mentioned_user_ids", mention.userIDs.map(\.rawValue))
        }
        if let arrays = params.metaArrays { sortedMetaArrays("metaarray", arrays) }
        unknown(params.extraFields)
    }
}
