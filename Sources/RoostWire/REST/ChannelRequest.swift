// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// A user's action in a channel that the server only accepts or refuses (`docs/protocol` 3.3, 3.4,
/// 3.13).
package enum ChannelRequest: Codable, Question {
    package typealias Output = NoOutput

    case decline(ChannelURL)
    case delete(ChannelURL)
    case unhide(ChannelURL)
    case freeze(ChannelURL, Bool)
    case addOperators(ChannelURL, [UserID])
    case removeOperators(ChannelURL, [UserID])
    case removeAllOperators(ChannelURL)
    /// Mutes a user; nil seconds mean no end.
    case mute(ChannelURL, UserID, seconds: Int?, reason: String)
    case unmute(ChannelURL, UserID)
    case ban(ChannelURL, UserID, seconds: Int?, reason: String)
    case unban(ChannelURL, UserID)
    case setCountPreference(ChannelURL, CountPreference, by: UserID)
    case setPushTrigger(ChannelURL, PushTrigger, by: UserID)
    case deleteMetadata(ChannelURL, key: String?)
    case deleteCounters(ChannelURL, key: String?)
    /// Marks channels as read; nil for all.
    case markAllAsRead([ChannelURL]?, by: UserID)
    case block(UserID, by: UserID)
    case unblock(UserID, by: UserID)
    /// Pins or unpins a message for all members.
    case pin(MessageID, isPinned: Bool, ChannelURL)

    package func encode() -> APIRequest {
        switch self {
        case .decline(let url): Self.put(url, "decline") { _ in }
        case .delete(let url): APIRequest(.delete, ["group_channels", url.rawValue])
        case .unhide(let url): Self.delete(url, ["hide"])
        case .freeze(let url, let isFrozen):
            Self.put(url, "freeze") { $0.field("freeze", isFrozen) }
        case .addOperators(let url, let ids):
            APIRequest(.post, ["group_channels", url.rawValue, "operators"]) { writer in
                writer.field("operator_ids", ids.map(\.rawValue))
            }
        case .removeOperators(let url, let ids):
            Self.delete(url, ["operators"]) { $0.add("operator_ids", ids.map(\.rawValue)) }
        case .removeAllOperators(let url):
            Self.delete(url, ["operators"]) { $0.add("delete_all", true) }
        case .mute(let url, let id, let seconds, let reason):
            Self.restrict(url, "mute", id, seconds, reason)
        case .unmute(let url, let id): Self.delete(url, ["mute", id.rawValue])
        case .ban(let url, let id, let seconds, let reason):
            Self.restrict(url, "ban", id, seconds, reason)
        case .unban(let url, let id): Self.delete(url, ["ban", id.rawValue])
        case .deleteMetadata(let url, let key):
            Self.delete(url, ["metadata"] + (key.map { [$0] } ?? []))
        case .deleteCounters(let url, let key):
            Self.delete(url, ["metacounter"] + (key.map { [$0] } ?? []))
        case .pin(let id, let isPinned, let url):
            APIRequest(
                isPinned ? .post : .delete,
                ["group_channels", url.rawValue, "messages", String(id.rawValue), "pin"])
        case .setCountPreference, .setPushTrigger, .markAllAsRead, .block, .unblock:
            encodeOwn()
        }
    }

    /// Returns the request of an action that concerns the user alone.
    private func encodeOwn() -> APIRequest {
        switch self {
        case .setCountPreference(let url, let preference, let me):
            APIRequest(.put, ["users", me.rawValue, "count_preference", url.rawValue]) { writer in
                writer.field("count_preference", preference.rawValue)
            }
        case .setPushTrigger(let url, let trigger, let me):
            APIRequest(.put, ["users", me.rawValue, "push_preference", url.rawValue]) { writer in
                writer.field("push_trigger_option", trigger.rawValue)
                writer.field("enable", trigger != .off)
            }
        case .markAllAsRead(let urls, let me):
            APIRequest(.put, ["users", me.rawValue, "mark_as_read_all"]) { writer in
                if let urls { writer.field("channel_urls", urls.map(\.rawValue)) }
            }
        case .block(let id, let me):
            APIRequest(.post, ["users", me.rawValue, "block"]) { writer in
                writer.field("target_id", id.rawValue)
            }
        case .unblock(let id, let me):
            APIRequest(.delete, ["users", me.rawValue, "block", id.rawValue])
        default: preconditionFailure("This request is about a channel: \(self)")
        }
    }

    private static func put(
        _ url: ChannelURL, _ word: String, _ body: (inout JSONWriter) -> Void
    ) -> APIRequest {
        APIRequest(.put, ["group_channels", url.rawValue, word], body: body)
    }

    private static func delete(
        _ url: ChannelURL, _ path: [String], _ build: (inout QueryBuilder) -> Void = { _ in }
    ) -> APIRequest {
        var query = QueryBuilder()
        build(&query)
        return APIRequest(.delete, ["group_channels", url.rawValue] + path, query: query.items)
    }

    private static func restrict(
        _ url: ChannelURL, _ word: String, _ id: UserID, _ seconds: Int?, _ reason: String
    ) -> APIRequest {
        APIRequest(.post, ["group_channels", url.rawValue, word]) { writer in
            writer.field("user_id", id.rawValue)
            writer.field("seconds", seconds ?? -1)
            if !reason.isEmpty { writer.field("description", reason) }
        }
    }
}

/// An action that is answered with a moment: history is hidden up to it, or messages have arrived
/// up to it.
package enum MomentRequest: Codable, Question {
    case hide(ChannelURL, hidesPrevious: Bool, allowsAutoUnhide: Bool)
    case resetHistory(ChannelURL, ofEverybody: Bool)
    case markAsDelivered(ChannelURL)

    package func encode() -> APIRequest {
        switch self {
        case .hide(let url, let hidesPrevious, let allowsAutoUnhide):
            APIRequest(.put, ["group_channels", url.rawValue, "hide"]) { writer in
                writer.field("hide_previous_messages", hidesPrevious)
                writer.field("allow_auto_unhide", allowsAutoUnhide)
            }
        case .resetHistory(let url, let isForAll):
            APIRequest(.put, ["group_channels", url.rawValue, "reset_user_history"]) { writer in
                if isForAll { writer.field("reset_all", true) }
            }
        case .markAsDelivered(let url):
            APIRequest(
                .put, ["group_channels", url.rawValue, "messages", "mark_as_delivered"]
            ) { _ in }
        }
    }

    /// Reads the moment; nil if the server names none.
    package static func read(_ reader: inout JSONReader) throws(WireError) -> Timestamp? {
        var moment: Timestamp?
        try reader.readObject { name, reader throws(WireError) in
            switch name {
            case "ts_message_offset", "ts": moment = try reader.readMoment()
            default: try reader.skipValue()
            }
        }
        return moment
    }
}
