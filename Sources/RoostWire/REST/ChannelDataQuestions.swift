// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// How texts or numbers are written under keys.
package enum KeyedWrite: Hashable, Sendable {
    /// Refused when one of the keys exists.
    case create
    /// Of keys that do not exist nothing comes, unless they are to be made.
    case update(isUpsert: Bool)

    fileprivate var method: APIRequest.Method { self == .create ? .post : .put }
}

/// Asks for a channel's metadata or changes them (`docs/protocol` 3.13); answered with what was asked for,
/// or with what changed.
package enum MetadataQuestion: Question {
    /// Nil for all.
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

/// Asks for a channel's counters or changes them; answered with what they are.
package enum CounterQuestion: Question {
    package enum Mode: String, Hashable, Sendable {
        case set
        case increase
        case decrease
    }

    /// Nil for all.
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

/// Whether somebody is muted in a channel, and how long still (`docs/protocol` 3.4).
package struct AskMute: Question {
    package struct Answer: Hashable, Sendable {
        package var isMuted = false
        /// Nil for ever.
        package var remaining: Duration?
    }

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
            case "remaining_duration":
                // Less than 0 means "without end".
                let remaining = try reader.readInt64IfPresent() ?? -1
                guard remaining >= 0 else { return }
                answer.remaining = Duration.milliseconds(remaining).clamped(to: Duration.told)
            default: try reader.skipValue()
            }
        }
        return answer
    }
}

/// What the user has not read, as the server counts it (`docs/protocol` 3.11).
package struct CountUnread: Question {
    package var userID: UserID
    /// Empty for all.
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

/// In how many channels the user has not read something.
package struct CountUnreadChannels: Question {
    package var userID: UserID
    /// Empty for all.
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
