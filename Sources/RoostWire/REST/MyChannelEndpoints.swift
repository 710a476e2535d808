// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// One page of a user's channels (`docs/protocol` 3.2).
package struct ListMyChannels: Codable, Endpoint {
    package var userID: UserID
    /// The end of the last page; "" for the first page.
    package var token: String
    /// The size of a page, 1...100.
    package var limit: Int
    package var order: ChannelOrder
    package var showsEmpty: Bool
    package var showsFrozen: Bool
    package var extras: ChannelExtras
    /// All other filters, as they stand in the query.
    package var filters: [QueryItem]

    package init(
        userID: UserID, token: String = "", limit: Int = 20,
        order: ChannelOrder = .latestLastMessage,
        showsEmpty: Bool = true, showsFrozen: Bool = true,
        extras: ChannelExtras = ChannelExtras(), filters: [QueryItem] = []
    ) {
        self.userID = userID
        self.token = token
        self.limit = limit
        self.order = order
        self.showsEmpty = showsEmpty
        self.showsFrozen = showsFrozen
        self.extras = extras
        self.filters = filters
    }

    package init(_ fields: RequestFields) throws(ServerError) {
        userID = UserID(fields.pathParts[0])
        token = fields.string("token") ?? ""
        limit = try fields.int("limit", in: 1...100) ?? 20
        order = try ChannelOrder(fields)
        showsEmpty = try fields.bool("show_empty") ?? false
        showsFrozen = try fields.bool("show_frozen") ?? true
        extras = try ChannelExtras(fields)
        filters = fields.query.filter { !Self.ownNames.contains($0.name) }
    }

    private static let ownNames = [
        "token", "limit", "order", "metadata_order_key", "show_empty", "show_frozen", "show_member",
        "show_read_receipt", "show_delivery_receipt", "show_metadata",
    ]

    package func encode() -> APIRequest {
        var query = QueryBuilder()
        query.add("token", token.isEmpty ? nil : token)
        query.add("limit", limit)
        order.add(to: &query)
        query.add("show_empty", showsEmpty)
        query.add("show_frozen", showsFrozen)
        extras.add(to: &query)
        query.add(filters)
        return APIRequest(
            .get, ["users", userID.rawValue, "my_group_channels"], query: query.items)
    }

    package static func write(_ output: ChannelPage, _ writer: inout JSONWriter) {
        writer.channels("channels", output.channels)
        writer.field("next", output.next)
        if let moment = output.timestamp { writer.field("ts", moment.milliseconds) }
    }

    package static func read(_ reader: inout JSONReader) throws(WireError) -> ChannelPage {
        var page = ChannelPage(channels: [])
        try reader.readObject { name, reader throws(WireError) in
            switch name {
            case "channels": page.channels = try reader.readChannels()
            case "next": page.next = try reader.readStringIfPresent() ?? ""
            case "ts": page.timestamp = try reader.readMoment()
            default: try reader.skipValue()
            }
        }
        return page
    }
}

extension ChannelOrder {
    fileprivate init(_ fields: RequestFields) throws(ServerError) {
        switch fields.string("order") ?? "" {
        case "", "chronological": self = .chronological
        case "latest_last_message": self = .latestLastMessage
        case "channel_name_alphabetical": self = .name
        case "metadata_value_alphabetical":
            self = .metadataValue(key: fields.string("metadata_order_key") ?? "")
        case let word:
            throw ServerError(.invalidValue, "The order \(word) is none of those in 3.2.")
        }
    }

    fileprivate func add(to query: inout QueryBuilder) {
        switch self {
        case .chronological: query.add("order", "chronological")
        case .latestLastMessage: query.add("order", "latest_last_message")
        case .name: query.add("order", "channel_name_alphabetical")
        case .metadataValue(let key):
            query.add("order", "metadata_value_alphabetical")
            query.add("metadata_order_key", key)
        }
    }
}

package struct ChannelPage: Equatable, Codable, Sendable {
    package var channels: [GroupChannel]
    /// The token of the next page; "" at the end.
    package var next: String
    package var timestamp: Timestamp?

    package init(channels: [GroupChannel], next: String = "", timestamp: Timestamp? = nil) {
        self.channels = channels
        self.next = next
        self.timestamp = timestamp
    }
}

/// The changes of a user's channels since a cursor (`docs/protocol` 3.10).
package struct ChannelChangeLog: Codable, Endpoint {
    package var userID: UserID
    package var cursor: ChangeLogCursor
    package var showsEmpty: Bool
    package var showsFrozen: Bool
    package var extras: ChannelExtras
    /// The custom types, any of which fits; nil for all.
    package var customTypes: [String]?

    package init(
        userID: UserID, cursor: ChangeLogCursor, showsEmpty: Bool = true, showsFrozen: Bool = true,
        extras: ChannelExtras = ChannelExtras(), customTypes: [String]? = nil
    ) {
        self.userID = userID
        self.cursor = cursor
        self.showsEmpty = showsEmpty
        self.showsFrozen = showsFrozen
        self.extras = extras
        self.customTypes = customTypes
    }

    package init(_ fields: RequestFields) throws(ServerError) {
        userID = UserID(fields.pathParts[0])
        cursor = try ChangeLogCursor(fields)
        showsEmpty = try fields.bool("show_empty") ?? true
        showsFrozen = try fields.bool("show_frozen") ?? true
        extras = try ChannelExtras(fields)
        customTypes = try fields.list("custom_types", "custom_type")
        if customTypes?.contains("*") == true { customTypes = nil }
    }

    package func encode() -> APIRequest {
        var query = QueryBuilder()
        cursor.add(to: &query)
        query.add("show_empty", showsEmpty)
        query.add("show_frozen", showsFrozen)
        extras.add(to: &query)
        query.add("custom_types", customTypes)
        return APIRequest(
            .get, ["users", userID.rawValue, "my_group_channels", "changelogs"],
            query: query.items)
    }

    package static func write(_ output: ChannelChanges, _ writer: inout JSONWriter) {
        writer.channels("updated", output.updated)
        writer.field("deleted", output.deleted.map(\.rawValue))
        writer.field("has_more", output.hasMore)
        writer.field("next", output.next)
        if let moment = output.timestamp { writer.field("ts", moment.milliseconds) }
    }

    package static func read(_ reader: inout JSONReader) throws(WireError) -> ChannelChanges {
        var changes = ChannelChanges(updated: [], deleted: [], hasMore: false, next: "")
        try reader.readObject { name, reader throws(WireError) in
            switch name {
            case "updated": changes.updated = try reader.readChannels()
            case "deleted": changes.deleted = try reader.readStrings().map { ChannelURL($0) }
            case "has_more": changes.hasMore = try reader.readBoolIfPresent() ?? false
            case "next": changes.next = try reader.readStringIfPresent() ?? ""
            case "ts": changes.timestamp = try reader.readMoment()
            default: try reader.skipValue()
            }
        }
        return changes
    }
}

package struct ChannelChanges: Equatable, Codable, Sendable {
    package var updated: [GroupChannel]
    /// Channels that were deleted, or that the user has left or lost.
    package var deleted: [ChannelURL]
    package var hasMore: Bool
    package var next: String
    package var timestamp: Timestamp?

    package init(
        updated: [GroupChannel], deleted: [ChannelURL], hasMore: Bool, next: String,
        timestamp: Timestamp? = nil
    ) {
        self.updated = updated
        self.deleted = deleted
        self.hasMore = hasMore
        self.next = next
        self.timestamp = timestamp
    }
}

extension JSONReader {
    fileprivate mutating func readChannels() throws(WireError) -> [GroupChannel] {
        try readList { reader throws(WireError) in try reader.readGroupChannel() }
    }
}

extension JSONWriter {
    fileprivate mutating func channels(_ name: String, _ channels: [GroupChannel]) {
        array(name) { writer in
            for channel in channels { writer.groupChannel(channel) }
        }
    }
}
