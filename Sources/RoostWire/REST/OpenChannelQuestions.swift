// SPDX-License-Identifier: Apache-2.0

package import RoostModel

// The calls about open channels (`docs/protocol` 3.5).

/// A call about a group channel, made about an open one: only the path differs.
package struct InOpenChannel<Call: Question>: Question {
    package var call: Call

    package init(_ call: Call) { self.call = call }

    package func encode() -> APIRequest {
        var request = call.encode()
        precondition(request.path.first == "group_channels", "The call concerns no channel.")
        request.path[0] = "open_channels"
        return request
    }

    package static func read(_ reader: inout JSONReader) throws(WireError) -> Call.Output {
        try Call.read(&reader)
    }
}

/// Looks up an open channel.
package struct GetOpenChannel: Codable, Question {
    package var channelURL: ChannelURL

    package init(channelURL: ChannelURL) { self.channelURL = channelURL }

    package func encode() -> APIRequest {
        APIRequest(.get, ["open_channels", channelURL.rawValue])
    }

    package static func read(_ reader: inout JSONReader) throws(WireError) -> OpenChannel {
        try reader.readOpenChannel()
    }
}

/// Creates or changes an open channel.
package enum WriteOpenChannel: Question {
    case create(OpenChannelCreateParams)
    case update(ChannelURL, OpenChannelUpdateParams)

    package func encode() -> APIRequest {
        switch self {
        case .create(let params):
            APIRequest(.post, ["open_channels"]) { writer in
                if let url = params.url { writer.field("channel_url", url.rawValue) }
                writer.field("name", params.name)
                writer.field("cover_url", params.coverURL)
                writer.field("data", params.data)
                writer.field("custom_type", params.customType)
                if params.isEphemeral { writer.field("is_ephemeral", true) }
                guard !params.operatorIDs.isEmpty else { return }
                writer.field("operator_ids", params.operatorIDs.map(\.rawValue))
            }
        case .update(let url, let params):
            APIRequest(.put, ["open_channels", url.rawValue]) { writer in
                if let name = params.name { writer.field("name", name) }
                if let address = params.coverURL { writer.field("cover_url", address) }
                if let data = params.data { writer.field("data", data) }
                if let type = params.customType { writer.field("custom_type", type) }
                guard let ids = params.operatorIDs else { return }
                writer.field("operator_ids", ids.map(\.rawValue))
            }
        }
    }

    package static func read(_ reader: inout JSONReader) throws(WireError) -> OpenChannel {
        try reader.readOpenChannel()
    }
}

/// One page of the application's open channels.
package struct ListOpenChannels: Question {
    package var query: OpenChannelQuery
    package var limit: Int
    package var token: String?

    package init(_ query: OpenChannelQuery, limit: Int, token: String?) {
        self.query = query
        self.limit = limit
        self.token = token
    }

    package func encode() -> APIRequest {
        var fields = QueryBuilder()
        fields.add("token", token)
        fields.add("limit", min(max(1, limit), 100))
        fields.add("name_contains", query.nameContains)
        fields.add("url_contains", query.urlContains)
        fields.add("custom_types", query.customTypes)
        fields.add("show_frozen", query.includesFrozen)
        fields.add("show_metadata", true)
        return APIRequest(.get, ["open_channels"], query: fields.items)
    }

    package static func read(_ reader: inout JSONReader) throws(WireError) -> Page<OpenChannel> {
        try reader.readPage(of: "channels") { reader throws(WireError) in
            try reader.readOpenChannel()
        }
    }
}

/// One page of the users inside an open channel.
package struct ListParticipants: Question {
    package var channelURL: ChannelURL
    package var limit: Int
    package var token: String?

    package init(channelURL: ChannelURL, limit: Int, token: String?) {
        self.channelURL = channelURL
        self.limit = limit
        self.token = token
    }

    package func encode() -> APIRequest {
        var fields = QueryBuilder()
        fields.add("token", token)
        fields.add("limit", min(max(1, limit), 100))
        return APIRequest(
            .get, ["open_channels", channelURL.rawValue, "participants"], query: fields.items)
    }

    package static func read(_ reader: inout JSONReader) throws(WireError) -> Page<User> {
        try reader.readPage(of: "participants") { reader throws(WireError) in
            try reader.readUser()
        }
    }
}

extension JSONReader {
    /// Reads an open channel (`docs/protocol` 4.3).
    package mutating func readOpenChannel() throws(WireError) -> OpenChannel {
        var channel = OpenChannel(url: "")
        try readObject { name, reader throws(WireError) in
            switch name {
            case "channel_url": channel.url = ChannelURL(try reader.readString())
            case "name": channel.name = try reader.readStringIfPresent() ?? ""
            case "cover_url": channel.coverURL = try reader.readStringIfPresent() ?? ""
            case "data": channel.data = try reader.readStringIfPresent() ?? ""
            case "custom_type": channel.customType = try reader.readStringIfPresent() ?? ""
            case "created_at": channel.createdAt = try reader.readSeconds() ?? channel.createdAt
            case "freeze": channel.isFrozen = try reader.readBoolIfPresent() ?? false
            case "is_ephemeral": channel.isEphemeral = try reader.readBoolIfPresent() ?? false
            case "participant_count": channel.participantCount = try reader.readCount() ?? 0
            case "message_survival_seconds":
                channel.messageSurvivalSeconds = try reader.readLimit()
            case "metadata": channel.metadata = try reader.readTexts()
            case "operators":
                channel.operators = try reader.readList { reader throws(WireError) in
                    try reader.readUser()
                }
            default: try channel.unknownFields.keep(name, from: &reader)
            }
        }
        guard !channel.url.rawValue.isEmpty else {
            throw .missing("channel_url", offset: position)
        }
        return channel
    }
}
