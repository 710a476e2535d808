// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// The ways of writing texts or numbers under keys.
package enum KeyedWrite: Equatable, Codable, Sendable {
    /// Creates keys; refused if one of them exists.
    case create
    /// Changes keys; unknown ones are created only with `isUpsert`.
    case update(isUpsert: Bool)

    var method: APIRequest.Method { self == .create ? .post : .put }
}

/// A query or change of a channel's metadata (`docs/protocol` 3.13); the answer has the affected
/// keys.
package enum MetadataQuestion: Codable, Question {
    /// Returns the values of keys; nil for all.
    case get(ChannelURL, keys: [String]?)
    case write(ChannelURL, [String: String], KeyedWrite)

    package func encode() -> APIRequest {
        switch self {
        case .get(let url, let keys):
            var query = QueryBuilder()
            query.add("keys", keys)
            query.add("include_ts", true)
            return APIRequest(
                .get, ["group_channels", url.rawValue, "metadata"], query: query.items)
        case .write(let url, let metadata, let write):
            return APIRequest(write.method, ["group_channels", url.rawValue, "metadata"]) {
                $0.texts("metadata", metadata)
                $0.field("include_ts", true)
                if case .update(let isUpsert) = write { $0.field("upsert", isUpsert) }
            }
        }
    }

    package static func read(_ reader: inout JSONReader) throws(WireError) -> [String: String] {
        var metadata: [String: String] = [:]
        try reader.readObject { name, reader throws(WireError) in
            if name == "metadata" {
                metadata = try reader.readTexts()
            } else {
                try reader.skipValue()
            }
        }
        return metadata
    }
}

/// A query or change of a channel's counters; the answer has their values.
package enum CounterQuestion: Question {
    package enum Mode: String, Hashable, Codable, Sendable {
        case set
        case increase
        case decrease
    }

    /// Returns the values of keys; nil for all.
    case get(ChannelURL, keys: [String]?)
    case write(ChannelURL, [String: Int64], KeyedWrite, Mode)

    package func encode() -> APIRequest {
        switch self {
        case .get(let url, let keys):
            var query = QueryBuilder()
            query.add("keys", keys)
            return APIRequest(
                .get, ["group_channels", url.rawValue, "metacounter"], query: query.items)
        case .write(let url, let counters, let write, let mode):
            return APIRequest(write.method, ["group_channels", url.rawValue, "metacounter"]) {
                $0.object("metacounter") { $0.flat(counters) }
                $0.field("mode", mode.rawValue)
                if case .update(let isUpsert) = write { $0.field("upsert", isUpsert) }
            }
        }
    }

    package static func read(_ reader: inout JSONReader) throws(WireError) -> [String: Int64] {
        try reader.readNumbers()
    }
}

/// A query for a user's mute in a channel and its remaining time (`docs/protocol` 3.4).
package struct AskMute: Codable, Question {
    package typealias Answer = MuteInfo

    package var channelURL: ChannelURL
    package var userID: UserID

    package init(channelURL: ChannelURL, userID: UserID) {
        self.channelURL = channelURL
        self.userID = userID
    }

    package func encode() -> APIRequest {
        APIRequest(.get, ["group_channels", channelURL.rawValue, "mute", userID.rawValue])
    }

    package static func read(_ reader: inout JSONReader) throws(WireError) -> Answer {
        var answer = Answer()
        try reader.readObject { name, reader throws(WireError) in
            switch name {
            case "is_muted": answer.isMuted = try reader.readBoolIfPresent() ?? false
            case "description": answer.reason = try reader.readStringIfPresent() ?? ""
            case "start_at": answer.start = try reader.readMoment()
            case "end_at": answer.end = try reader.readMoment()
            case "remaining_duration":
                // Negative numbers mean "no end".
                let remaining = try reader.readInt64IfPresent() ?? -1
                guard remaining >= 0 else { return }
                answer.remaining = Duration.milliseconds(remaining).clamped(to: Duration.wireRange)
            default: try reader.skipValue()
            }
        }
        return answer
    }
}

/// A query for the user's unread messages, as the server counts them (`docs/protocol` 3.11).
package struct CountUnread: Question {
    package var userID: UserID
    /// The custom types of the channels; empty for all.
    package var customTypes: [String]

    package init(userID: UserID, customTypes: [String]) {
        self.userID = userID
        self.customTypes = customTypes
    }

    package func encode() -> APIRequest {
        var query = QueryBuilder()
        query.add("custom_types", customTypes)
        query.add(
            "item_keys",
            [
                "group_channel_unread_message_count", "group_channel_unread_mention_count",
                "group_channel_invitation_count",
            ])
        return APIRequest(
            .get, ["users", userID.rawValue, "unread_item_count"], query: query.items)
    }

    package static func read(_ reader: inout JSONReader) throws(WireError) -> UnreadTotals {
        var totals = UnreadTotals()
        try reader.readObject { name, reader throws(WireError) in
            switch name {
            case "group_channel_unread_message_count":
                totals.messages = try reader.readCount() ?? 0
            case "group_channel_unread_mention_count":
                totals.mentions = try reader.readCount() ?? 0
            case "group_channel_invitation_count":
                totals.invitations = try reader.readCount() ?? 0
            default: try reader.skipValue()
            }
        }
        return totals
    }
}

/// A query for the number of channels with unread messages.
package struct CountUnreadChannels: Question {
    package var userID: UserID
    /// The custom types of the channels; empty for all.
    package var customTypes: [String]

    package init(userID: UserID, customTypes: [String]) {
        self.userID = userID
        self.customTypes = customTypes
    }

    package func encode() -> APIRequest {
        var query = QueryBuilder()
        query.add("custom_types", customTypes)
        return APIRequest(
            .get, ["users", userID.rawValue, "unread_channel_count"], query: query.items)
    }

    package static func read(_ reader: inout JSONReader) throws(WireError) -> Int {
        var count = 0
        try reader.readObject { name, reader throws(WireError) in
            if name == "unread_count" {
                count = try reader.readCount() ?? 0
            } else {
                try reader.skipValue()
            }
        }
        return count
    }
}
