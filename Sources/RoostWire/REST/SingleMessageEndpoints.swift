// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// Sends a message over REST, with the same effects as over the socket (`docs/protocol` 3.7).
package struct SendMessage: Codable, Endpoint {
    package var message: MessageCommand
    /// The sender, for calls of the platform; a user's own call ignores it.
    package var userID: UserID?

    package init(message: MessageCommand, userID: UserID? = nil) {
        self.message = message
        self.userID = userID
    }

    package init(_ fields: RequestFields) throws(ServerError) {
        do throws(WireError) {
            var reading = MessageCommandFields(
                isFile: fields.string("message_type") == MessageKind.file)
            if !fields.body.isEmpty {
                var reader = try JSONReader(bytes: fields.body)
                try reader.readObject { name, reader throws(WireError) in
                    try reading.read(name, &reader)
                }
            }
            message = try reading.command(to: fields.channelURL, endingAt: fields.body.count)
        } catch {
            throw ServerError(error)
        }
        if fields.string("message_type") == MessageKind.admin {
            message.content = .admin(text: message.content.text)
        }
        userID = fields.string("user_id").map { UserID($0) }
    }

    package func encode() -> APIRequest {
        APIRequest(.post, ["group_channels", message.channelURL.rawValue, "messages"]) { writer in
            fields(&writer)
        }
    }

    /// Writes the message with the names of REST.
    func fields(_ writer: inout JSONWriter) {
        writer.field("message_type", message.content.kind)
        if let userID { writer.field("user_id", userID.rawValue) }
        message.common(&writer)
        writer.field("message", message.content.text)
        if case .file(let file) = message.content {
            writer.field("url", file.url)
            writer.field("file_name", file.name)
            writer.field("file_type", file.type)
            writer.field("file_size", file.size.bytes)
            writer.uploaded(file)
        }
        writer.unknown(message.unknownFields)
    }

    package static func write(_ output: Message, _ writer: inout JSONWriter) {
        writer.fields(of: output, .rest)
    }

    package static func read(_ reader: inout JSONReader) throws(WireError) -> Message {
        try reader.readMessage()
    }
}

package struct GetMessage: Endpoint {
    package var channelURL: ChannelURL
    package var messageID: MessageID
    package var extras: MessageExtras

    package init(
        channelURL: ChannelURL, messageID: MessageID, extras: MessageExtras = MessageExtras()
    ) {
        self.channelURL = channelURL
        self.messageID = messageID
        self.extras = extras
    }

    package init(_ fields: RequestFields) throws(ServerError) {
        channelURL = fields.channelURL
        messageID = try fields.pathMessageID()
        extras = try MessageExtras(fields)
    }

    package func encode() -> APIRequest {
        var query = QueryBuilder()
        extras.add(to: &query)
        return APIRequest(
            .get, ["group_channels", channelURL.rawValue, "messages", String(messageID.rawValue)],
            query: query.items)
    }

    package static func write(_ output: Message, _ writer: inout JSONWriter) {
        writer.fields(of: output, .rest)
    }

    package static func read(_ reader: inout JSONReader) throws(WireError) -> Message {
        try reader.readMessage()
    }
}

/// Changes a message; the command names the fields that change.
package struct EditMessage: Endpoint {
    package var edit: EditCommand

    package init(edit: EditCommand) { self.edit = edit }

    package init(_ fields: RequestFields) throws(ServerError) {
        edit = EditCommand(
            channelURL: fields.channelURL, messageID: try fields.pathMessageID(), requestID: nil,
            isFile: fields.string("message_type") == MessageKind.file)
        guard !fields.body.isEmpty else { return }
        do throws(WireError) {
            var edit = edit
            var reader = try JSONReader(bytes: fields.body)
            try reader.readObject { name, reader throws(WireError) in
                try edit.read(name, &reader)
            }
            self.edit = edit
        } catch {
            throw ServerError(error)
        }
    }

    package func encode() -> APIRequest {
        let path = [
            "group_channels", edit.channelURL.rawValue, "messages",
            String(edit.messageID.rawValue),
        ]
        return APIRequest(.put, path) { writer in
            writer.field("message_type", edit.isFile ? MessageKind.file : MessageKind.user)
            edit.fields(&writer)
        }
    }

    package static func write(_ output: Message, _ writer: inout JSONWriter) {
        writer.fields(of: output, .rest)
    }

    package static func read(_ reader: inout JSONReader) throws(WireError) -> Message {
        try reader.readMessage()
    }
}

package struct DeleteMessage: Codable, Endpoint {
    package typealias Output = NoOutput

    package var channelURL: ChannelURL
    package var messageID: MessageID

    package init(channelURL: ChannelURL, messageID: MessageID) {
        self.channelURL = channelURL
        self.messageID = messageID
    }

    package init(_ fields: RequestFields) throws(ServerError) {
        channelURL = fields.channelURL
        messageID = try fields.pathMessageID()
    }

    package func encode() -> APIRequest {
        APIRequest(
            .delete,
            ["group_channels", channelURL.rawValue, "messages", String(messageID.rawValue)])
    }
}

/// Marks a whole channel as read over REST (`docs/protocol` 3.11).
package struct MarkAsRead: Codable, Endpoint {
    package struct Output: Equatable, Codable, Sendable {
        package var channelURL: ChannelURL
        package var timestamp: Timestamp
        package var unreadMessageCount: Int
        package var totalUnreadCount: Int
        /// Whether the mark has moved back.
        package var isExcluded = false
        package var uniqueID: String?

        package init(
            channelURL: ChannelURL, timestamp: Timestamp, unreadMessageCount: Int = 0,
            totalUnreadCount: Int = 0
        ) {
            self.channelURL = channelURL
            self.timestamp = timestamp
            self.unreadMessageCount = unreadMessageCount
            self.totalUnreadCount = totalUnreadCount
        }
    }

    package var channelURL: ChannelURL
    package var userID: UserID?
    /// The message before which the mark moves back, so that it and all later ones are unread
    /// again.
    package var unreadFrom: MessageID?
    /// The name of the call, by which the client recognises its own event.
    package var uniqueID: String?

    package init(
        channelURL: ChannelURL, userID: UserID? = nil, unreadFrom: MessageID? = nil,
        uniqueID: String? = nil
    ) {
        self.channelURL = channelURL
        self.userID = userID
        self.unreadFrom = unreadFrom
        self.uniqueID = uniqueID
    }

    package init(_ fields: RequestFields) throws(ServerError) {
        channelURL = fields.channelURL
        userID = fields.string("user_id").map { UserID($0) }
        uniqueID = fields.string("unique_id")
        guard try fields.bool("is_excluded") == true else { return }
        guard let id = try fields.messageID("message_id") else {
            throw ServerError(.parameterMissing, "The parameter message_id is missing.")
        }
        unreadFrom = id
    }

    package func encode() -> APIRequest {
        APIRequest(.put, ["group_channels", channelURL.rawValue, "messages", "mark_as_read"]) {
            writer in
            if let userID { writer.field("user_id", userID.rawValue) }
            if let uniqueID { writer.field("unique_id", uniqueID) }
            guard let unreadFrom else { return }
            writer.field("message_id", unreadFrom.rawValue)
            writer.field("is_excluded", true)
        }
    }

    package static func write(_ output: Output, _ writer: inout JSONWriter) {
        writer.field("channel_url", output.channelURL.rawValue)
        writer.field("ts", output.timestamp.milliseconds)
        writer.field("unread_message_count", output.unreadMessageCount)
        writer.field("total_unread_count", output.totalUnreadCount)
        if output.isExcluded { writer.field("is_excluded", true) }
        if let uniqueID = output.uniqueID { writer.field("unique_id", uniqueID) }
    }

    package static func read(_ reader: inout JSONReader) throws(WireError) -> Output {
        var url: ChannelURL?
        var output = Output(channelURL: "", timestamp: Timestamp(milliseconds: 0))
        try reader.readObject { name, reader throws(WireError) in
            switch name {
            case "channel_url": url = try reader.readChannelURL()
            case "ts": output.timestamp = try reader.readMoment() ?? output.timestamp
            case "unread_message_count":
                output.unreadMessageCount = try reader.readCount() ?? 0
            case "total_unread_count":
                output.totalUnreadCount = try reader.readCount() ?? 0
            case "is_excluded": output.isExcluded = try reader.readBool()
            case "unique_id": output.uniqueID = try reader.readStringIfPresent()
            default: try reader.skipValue()
            }
        }
        guard let url else { throw .missing("channel_url", offset: reader.position) }
        output.channelURL = url
        return output
    }
}
