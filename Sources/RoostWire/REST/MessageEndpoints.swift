// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// One page of a channel's messages around an anchor (`docs/protocol` 3.6).
package struct ListMessages: Codable, Endpoint {
    package enum Anchor: Equatable, Codable, Sendable {
        /// A moment; `.distantFuture` means the newest messages.
        case time(Timestamp)
        case message(MessageID)
    }

    package var channelURL: ChannelURL
    package var anchor: Anchor
    /// The number of messages before the anchor, 0...200.
    package var previousLimit: Int
    /// The number of messages after the anchor, 0...200.
    package var nextLimit: Int
    /// Whether messages exactly at the anchor are included; they count against no limit.
    package var includesAnchor: Bool
    /// Whether the newest message comes first.
    package var isReversed: Bool
    package var filter: MessageFilter
    package var extras: MessageExtras
    package var checksHasNext: Bool
    package var checksContinuity: Bool

    package init(
        channelURL: ChannelURL, anchor: Anchor, previousLimit: Int, nextLimit: Int,
        includesAnchor: Bool = false, isReversed: Bool = false,
        filter: MessageFilter = MessageFilter(), extras: MessageExtras = MessageExtras(),
        checksHasNext: Bool = true, checksContinuity: Bool = true
    ) {
        self.channelURL = channelURL
        self.anchor = anchor
        self.previousLimit = previousLimit
        self.nextLimit = nextLimit
        self.includesAnchor = includesAnchor
        self.isReversed = isReversed
        self.filter = filter
        self.extras = extras
        self.checksHasNext = checksHasNext
        self.checksContinuity = checksContinuity
    }

    package init(_ fields: RequestFields) throws(ServerError) {
        channelURL = fields.channelURL
        if let id = try fields.messageID("message_id") {
            anchor = .message(id)
        } else if let moment = try fields.moment("message_ts") {
            anchor = .time(moment)
        } else {
            throw ServerError(.parameterMissing, "Either message_ts or message_id is needed.")
        }
        previousLimit = try fields.int("prev_limit", in: 0...200) ?? 15
        nextLimit = try fields.int("next_limit", in: 0...200) ?? 15
        includesAnchor = try fields.bool("include") ?? false
        isReversed = try fields.bool("reverse") ?? false
        filter = try MessageFilter(fields)
        extras = try MessageExtras(fields)
        checksHasNext = try fields.bool("checking_has_next") ?? false
        checksContinuity = try fields.bool("checking_continuous_messages") ?? false
    }

    package func encode() -> APIRequest {
        var query = QueryBuilder()
        query.add("is_sdk", true)
        switch anchor {
        case .time(let moment): query.add("message_ts", moment)
        case .message(let id): query.add("message_id", String(id.rawValue))
        }
        query.add("prev_limit", previousLimit)
        query.add("next_limit", nextLimit)
        query.add("include", includesAnchor)
        query.add("reverse", isReversed)
        filter.add(to: &query)
        extras.add(to: &query)
        query.add("checking_has_next", checksHasNext)
        query.add("checking_continuous_messages", checksContinuity)
        return APIRequest(
            .get, ["group_channels", channelURL.rawValue, "messages"], query: query.items)
    }

    package static func write(_ output: MessagePage, _ writer: inout JSONWriter) {
        writer.messages("messages", output.messages)
        if let hasNext = output.hasNext { writer.field("has_next", hasNext) }
        if let isContinuous = output.isContinuous {
            writer.field("is_continuous_messages", isContinuous)
        }
    }

    package static func read(_ reader: inout JSONReader) throws(WireError) -> MessagePage {
        var page = MessagePage(messages: [])
        try reader.readObject { name, reader throws(WireError) in
            switch name {
            case "messages": page.messages = try reader.readMessages()
            case "has_next": page.hasNext = try reader.readBoolIfPresent()
            case "is_continuous_messages": page.isContinuous = try reader.readBoolIfPresent()
            default: try reader.skipValue()
            }
        }
        return page
    }
}

package struct MessagePage: Equatable, Codable, Sendable {
    package var messages: [Message]
    /// Whether the same filter has messages newer than the newest one here; nil if not asked for.
    package var hasNext: Bool?
    /// Whether the filter left out no message of the page's period; nil if not asked for.
    package var isContinuous: Bool?

    package init(messages: [Message], hasNext: Bool? = nil, isContinuous: Bool? = nil) {
        self.messages = messages
        self.hasNext = hasNext
        self.isContinuous = isContinuous
    }
}

extension JSONReader {
    mutating func readMessages() throws(WireError) -> [Message] {
        try readList { reader throws(WireError) in try reader.readMessage() }
    }
}

/// The changes of a channel's messages since a cursor (`docs/protocol` 3.8).
package struct MessageChangeLog: Codable, Endpoint {
    package var channelURL: ChannelURL
    package var cursor: ChangeLogCursor
    package var filter: MessageFilter
    package var extras: MessageExtras

    package init(
        channelURL: ChannelURL, cursor: ChangeLogCursor,
        filter: MessageFilter = MessageFilter(replyType: .all),
        extras: MessageExtras = MessageExtras()
    ) {
        self.channelURL = channelURL
        self.cursor = cursor
        self.filter = filter
        self.extras = extras
    }

    package init(_ fields: RequestFields) throws(ServerError) {
        channelURL = fields.channelURL
        cursor = try ChangeLogCursor(fields)
        filter = try MessageFilter(fields)
        extras = try MessageExtras(fields)
    }

    package func encode() -> APIRequest {
        var query = QueryBuilder()
        cursor.add(to: &query)
        filter.add(to: &query)
        extras.add(to: &query)
        return APIRequest(
            .get, ["group_channels", channelURL.rawValue, "messages", "changelogs"],
            query: query.items)
    }

    package static func write(_ output: MessageChanges, _ writer: inout JSONWriter) {
        writer.messages("updated", output.updated)
        writer.array("deleted") { writer in
            for deletion in output.deleted {
                writer.object { writer in
                    writer.field("message_id", deletion.id.rawValue)
                    if let moment = deletion.at { writer.field("deleted_at", moment.milliseconds) }
                }
            }
        }
        writer.field("has_more", output.hasMore)
        writer.field("next", output.next)
    }

    package static func read(_ reader: inout JSONReader) throws(WireError) -> MessageChanges {
        var changes = MessageChanges(updated: [], deleted: [], hasMore: false, next: "")
        try reader.readObject { name, reader throws(WireError) in
            switch name {
            case "updated": changes.updated = try reader.readMessages()
            case "deleted":
                changes.deleted = try reader.readList { reader throws(WireError) in
                    try reader.readDeletedMessage()
                }
            case "has_more": changes.hasMore = try reader.readBoolIfPresent() ?? false
            case "next": changes.next = try reader.readStringIfPresent() ?? ""
            default: try reader.skipValue()
            }
        }
        return changes
    }
}

package struct MessageChanges: Equatable, Codable, Sendable {
    package struct Deletion: Equatable, Codable, Sendable {
        package var id: MessageID
        package var at: Timestamp?

        package init(id: MessageID, at: Timestamp? = nil) {
            self.id = id
            self.at = at
        }
    }

    /// The changed messages as they are now, oldest change first.
    package var updated: [Message]
    package var deleted: [Deletion]
    package var hasMore: Bool
    /// The token for the next question; it never expires and may be used repeatedly.
    package var next: String

    package init(updated: [Message], deleted: [Deletion], hasMore: Bool, next: String) {
        self.updated = updated
        self.deleted = deleted
        self.hasMore = hasMore
        self.next = next
    }
}

extension JSONReader {
    fileprivate mutating func readDeletedMessage() throws(WireError) -> MessageChanges.Deletion {
        if try peek() == .number { return MessageChanges.Deletion(id: MessageID(try readInt64())) }
        var id: MessageID?
        var moment: Timestamp?
        try readObject { name, reader throws(WireError) in
            switch name {
            case "message_id", "msg_id": id = try reader.readMessageID()
            case "deleted_at": moment = try reader.readMoment()
            default: try reader.skipValue()
            }
        }
        guard let id else { throw .missing("message_id", offset: position) }
        return MessageChanges.Deletion(id: id, at: moment)
    }
}
