// SPDX-License-Identifier: Apache-2.0

import RoostServer
import RoostWire

/// A caller of the table, by the state in the scene's group channel and in its open channel.
enum Who: String, CaseIterable {
    case nobody
    case platform
    /// A user outside both channels.
    case stranger
    /// A user with an invitation to the group channel, outside the open one.
    case invited
    /// A member of the group channel inside the open one, as all further callers.
    case member
    case chief
    case muted
    /// A user who was in both channels before the ban.
    case banned
    /// A member whose history begins after the message, its poll and its thread.
    case late
    /// A member of both channels, which are frozen.
    case frozenMember
    case frozenChief
    case deactivated
    case expired
}

/// A call with the callers whom the protocol admits.
///
/// In a path and a body, "CHANNEL" and "ROOM" are the group channel and the open one, "SELF" is the
/// caller and "OTHER" another member. "MESSAGE", "POLL" and "SCHEDULED" are the caller's own if the
/// caller is a member, and the other member's otherwise. "FOREIGN" is a message of the other
/// member, and "LATER" is a future time.
struct AccessRow {
    let name: String
    let path: String
    let body: String
    let admitted: Set<Who>
    /// The code of an admitted call that fails for another reason.
    let code: Int64?
    /// A call of the platform before this one.
    let before: (method: String, path: String, body: String)?

    init(
        _ name: String, _ path: String, _ body: String, _ admitted: Set<Who>,
        code: Int64? = nil, before: (method: String, path: String, body: String)? = nil
    ) {
        self.name = name
        self.path = path
        self.body = body
        self.admitted = admitted
        self.code = code
        self.before = before
    }

    init(
        _ name: String, _ path: String, _ admitted: Set<Who>,
        before: (method: String, path: String, body: String)? = nil
    ) {
        self.init(name, path, "", admitted, before: before)
    }
}

extension Set<Who> {
    fileprivate static let platform: Self = [.platform]
    fileprivate static let live: Self = Set(Who.allCases)
        .subtracting([.nobody, .deactivated, .expired])
    /// The joined members, who read.
    fileprivate static let readers = live.subtracting([.stranger, .invited, .banned])
    /// The readers of messages before `late`'s history.
    fileprivate static let witnesses = readers.subtracting([.late])
    /// The readers who may write.
    fileprivate static let speakers = readers.subtracting([.muted, .frozenMember])
    fileprivate static let speakingWitnesses = speakers.subtracting([.late])
    fileprivate static let chiefs: Self = [.platform, .chief, .frozenChief]
    fileprivate static let notBanned = live.subtracting([.banned])
    /// The users inside the open channel and its operators, who may write there.
    fileprivate static let voices = speakers
}

/// The callers of each call, written from the protocol and not from the server's declarations.
enum AccessTable {
    static let rows: [AccessRow] = [
        users, settings, channels, data("CHANNEL", "group_channels"), moderation("CHANNEL"),
        messages, ownArrays, rooms, roomArrays, data("ROOM", "open_channels"), moderation("ROOM"),
        documents, typed,
    ].flatMap(\.self)

    private static let users: [AccessRow] = [
        AccessRow("GET users/*", "users/OTHER", .live),
        AccessRow("PUT users/*", "users/SELF", #"{"nickname":"n"}"#, .live),
        AccessRow("PUT users/*", "users/OTHER", #"{"nickname":"n"}"#, .platform),
        AccessRow("DELETE users/*", "users/SELF", .platform),
        // A login needs the right token and no session, and this user needs no token.
        AccessRow("POST users/*/login", "users/OTHER/login", "{}", Set(Who.allCases)),
        AccessRow(
            "POST users/*/authentication", "users/OTHER/authentication", "{}",
            Set(Who.allCases)),
        AccessRow("POST users/*/token", "users/SELF/token", "{}", .platform),
        AccessRow("DELETE users/*/token", "users/SELF/token", .platform),
        AccessRow(
            "POST users/*/metadata", "users/SELF/metadata", #"{"metadata":{"a":"b"}}"#, .live),
        AccessRow(
            "POST users/*/metadata", "users/OTHER/metadata", #"{"metadata":{"a":"b"}}"#, .platform),
        AccessRow(
            "PUT users/*/metadata", "users/SELF/metadata", #"{"metadata":{"a":"b"}}"#, .live),
        AccessRow(
            "PUT users/*/metadata", "users/OTHER/metadata", #"{"metadata":{"a":"b"}}"#, .platform),
        AccessRow("PUT users/*/metadata/*", "users/SELF/metadata/a", #"{"value":"b"}"#, .live),
        AccessRow(
            "PUT users/*/metadata/*", "users/OTHER/metadata/a", #"{"value":"b"}"#, .platform),
        AccessRow("GET users/*/metadata", "users/OTHER/metadata", .live),
        AccessRow("GET users/*/metadata/*", "users/OTHER/metadata/known", .live),
        AccessRow("DELETE users/*/metadata", "users/SELF/metadata", .live),
        AccessRow("DELETE users/*/metadata", "users/OTHER/metadata", .platform),
        AccessRow("DELETE users/*/metadata/*", "users/SELF/metadata/a", .live),
        AccessRow("DELETE users/*/metadata/*", "users/OTHER/metadata/a", .platform),
        AccessRow("GET users/*/block", "users/SELF/block", .live),
        AccessRow("GET users/*/block", "users/OTHER/block", .platform),
        AccessRow("POST users/*/block", "users/SELF/block", #"{"target_id":"OTHER"}"#, .live),
        AccessRow("POST users/*/block", "users/OTHER/block", #"{"target_id":"SELF"}"#, .platform),
        AccessRow("DELETE users/*/block/*", "users/SELF/block/OTHER", .live),
        AccessRow("DELETE users/*/block/*", "users/OTHER/block/SELF", .platform),
    ]

    /// A user's own setting, and the same setting of another user, which only the platform changes.
    private static func pair(
        _ method: String, _ pattern: String, _ path: String, _ body: String,
        _ admitted: Set<Who> = .live
    ) -> [AccessRow] {
        let name = "\(method) users/*/\(pattern)"
        return [
            AccessRow(name, "users/SELF/\(path)", body, admitted),
            AccessRow(name, "users/OTHER/\(path)", body, .platform),
        ]
    }

    private static let settings: [AccessRow] = [
        pair("GET", "unread_message_count", "unread_message_count", ""),
        pair("GET", "unread_channel_count", "unread_channel_count", ""),
        pair("GET", "unread_item_count", "unread_item_count", ""),
        pair("GET", "group_channel_count", "group_channel_count", ""),
        pair("PUT", "mark_as_read_all", "mark_as_read_all", "{}"),
        pair("PUT", "my_group_channels/leave", "my_group_channels/leave", "{}"),
        pair("GET", "channel_invitation_preference", "channel_invitation_preference", ""),
        pair(
            "PUT", "channel_invitation_preference", "channel_invitation_preference",
            #"{"auto_accept":true}"#),
        pair("GET", "push_preference", "push_preference", ""),
        pair("PUT", "push_preference", "push_preference", "{}"),
        pair("DELETE", "push_preference", "push_preference", ""),
        pair("DELETE", "push", "push", ""),
        pair("GET", "push/template", "push/template", ""),
        pair("PUT", "push/template", "push/template", #"{"name":"alternative"}"#),
        pair("GET", "push/*/device_tokens", "push/gcm/device_tokens", ""),
        pair("POST", "push/*", "push/gcm", #"{"gcm_reg_token":"t"}"#),
        pair("GET", "push/*", "push/gcm", ""),
        pair("DELETE", "push/*", "push/gcm", ""),
        pair("DELETE", "push/*/*", "push/gcm/t", ""),
        pair("GET", "count_preference/*", "count_preference/CHANNEL", "", .readers),
        pair(
            "PUT", "count_preference/*", "count_preference/CHANNEL",
            #"{"count_preference":"all"}"#, .readers),
        pair("GET", "push_preference/*", "push_preference/CHANNEL", "", .readers),
        pair(
            "PUT", "push_preference/*", "push_preference/CHANNEL",
            #"{"push_trigger_option":"all"}"#, .readers),
    ].flatMap(\.self)

    private static let channels: [AccessRow] = [
        AccessRow("GET group_channels", "group_channels", .live),
        AccessRow("DELETE group_channels/*", "group_channels/CHANNEL", .chiefs),
        // Only one of the callers has an invitation to decline.
        AccessRow(
            "PUT group_channels/*/decline", "group_channels/CHANNEL/decline",
            #"{"user_id":"SELF"}"#, [.invited]),
        AccessRow(
            "PUT group_channels/*/hide", "group_channels/CHANNEL/hide", #"{"user_id":"SELF"}"#,
            .readers),
        AccessRow(
            "DELETE group_channels/*/hide", "group_channels/CHANNEL/hide", #"{"user_id":"SELF"}"#,
            .readers),
        AccessRow(
            "PUT group_channels/*/freeze", "group_channels/CHANNEL/freeze", #"{"freeze":true}"#,
            .chiefs),
        AccessRow(
            "PUT group_channels/*/reset_user_history", "group_channels/CHANNEL/reset_user_history",
            #"{"user_id":"SELF"}"#, .readers),
        AccessRow(
            "PUT group_channels/*/reset_user_history", "group_channels/CHANNEL/reset_user_history",
            #"{"reset_all":true}"#, .chiefs),
        AccessRow("GET group_channels/*/members", "group_channels/CHANNEL/members", .readers),
        AccessRow(
            "GET group_channels/*/members/*", "group_channels/CHANNEL/members/OTHER", .readers),
        AccessRow(
            "POST group_channels/*/typing", "group_channels/CHANNEL/typing",
            #"{"user_ids":["OTHER"]}"#, .platform),
        AccessRow(
            "DELETE group_channels/*/typing", "group_channels/CHANNEL/typing",
            #"{"user_ids":["OTHER"]}"#, .platform),
        AccessRow(
            "GET group_channels/*/message_purge_offset",
            "group_channels/CHANNEL/message_purge_offset", .readers),
        AccessRow(
            "POST group_channels/*/screenshot", "group_channels/CHANNEL/screenshot",
            #"{"user_id":"SELF"}"#, .readers),
    ]

    /// Metadata and counters.
    ///
    /// A stranger may read those of an open channel, a user inside adds to them, and an operator
    /// deletes them.
    private static func data(_ channel: String, _ kind: String) -> [AccessRow] {
        let isOpen = kind == "open_channels"
        let deleters = isOpen ? Set.chiefs : .speakers
        return [
            ("metadata", #"{"metadata":{"a":"b"}}"#), ("metacounter", #"{"metacounter":{"a":1}}"#),
        ]
        .flatMap { word, body in
            let (name, path) = ("\(kind)/*/\(word)", "\(kind)/\(channel)/\(word)")
            return [
                AccessRow("POST \(name)", path, body, .speakers),
                AccessRow("PUT \(name)", path, body, .speakers),
                AccessRow("GET \(name)", path, isOpen ? .notBanned : .readers),
                AccessRow("DELETE \(name)", path, deleters),
                AccessRow("DELETE \(name)/*", path + "/a", deleters),
            ]
        }
    }

    private static func moderation(_ channel: String) -> [AccessRow] {
        let kind = channel == "ROOM" ? "open_channels" : "group_channels"
        let readers = channel == "ROOM" ? Set.notBanned : .readers
        let path = "\(kind)/\(channel)"
        let other = #"{"user_id":"OTHER"}"#
        let operators = #"{"operator_ids":["OTHER"]}"#
        return [
            AccessRow("GET \(kind)/*/operators", "\(path)/operators", readers),
            AccessRow("POST \(kind)/*/operators", "\(path)/operators", operators, .chiefs),
            AccessRow("DELETE \(kind)/*/operators", "\(path)/operators", operators, .chiefs),
            AccessRow("GET \(kind)/*/ban", "\(path)/ban", .chiefs),
            AccessRow("POST \(kind)/*/ban", "\(path)/ban", other, .chiefs),
            AccessRow(
                "DELETE \(kind)/*/ban/*", "\(path)/ban/OTHER", .chiefs,
                before: ("POST", "\(path)/ban", other)),
            AccessRow("GET \(kind)/*/mute", "\(path)/mute", .chiefs),
            AccessRow("POST \(kind)/*/mute", "\(path)/mute", other, .chiefs),
            AccessRow("GET \(kind)/*/mute/*", "\(path)/mute/OTHER", readers),
            AccessRow(
                "DELETE \(kind)/*/mute/*", "\(path)/mute/OTHER", .chiefs,
                before: ("POST", "\(path)/mute", other)),
        ]
    }

    private static let metaArrays: [(method: String, body: String)] = [
        ("POST", #"{"sorted_metaarray":[{"key":"k","value":["v"]}]}"#),
        ("PUT", #"{"sorted_metaarray":[{"key":"k","value":["v"]}]}"#),
        ("DELETE", #"{"keys":["k"]}"#),
    ]

    private static let messages: [AccessRow] = [
        AccessRow(
            "GET group_channels/*/messages/total_count",
            "group_channels/CHANNEL/messages/total_count", .readers),
        AccessRow(
            "GET group_channels/*/messages/fingerprints",
            "group_channels/CHANNEL/messages/fingerprints?stretches=1.1_2.2", .readers),
        AccessRow(
            "GET group_channels/*/messages/unread_count",
            "group_channels/CHANNEL/messages/unread_count?user_ids=a", .platform),
        AccessRow(
            "PUT group_channels/*/messages/mark_as_delivered",
            "group_channels/CHANNEL/messages/mark_as_delivered", #"{"user_id":"SELF"}"#,
            .readers),
        AccessRow(
            "GET group_channels/*/messages/*/reactions",
            "group_channels/CHANNEL/messages/FOREIGN/reactions", .witnesses),
        AccessRow(
            "POST group_channels/*/messages/*/reactions",
            "group_channels/CHANNEL/messages/FOREIGN/reactions",
            #"{"reaction":"x","user_id":"SELF"}"#, .speakingWitnesses),
        AccessRow(
            "DELETE group_channels/*/messages/*/reactions",
            "group_channels/CHANNEL/messages/FOREIGN/reactions",
            #"{"reaction":"x","user_id":"SELF"}"#, .speakingWitnesses),
        AccessRow(
            "POST group_channels/*/messages/*/pin",
            "group_channels/CHANNEL/messages/FOREIGN/pin", .speakingWitnesses),
        AccessRow(
            "DELETE group_channels/*/messages/*/pin",
            "group_channels/CHANNEL/messages/FOREIGN/pin", .speakingWitnesses),
        AccessRow(
            "GET search/messages", "search/messages?query=x&channel_url=CHANNEL", .readers),
        AccessRow(
            "GET search/messages", "search/messages?query=x&channel_url=ROOM", .notBanned),
        AccessRow(
            "PUT group_channels/*/messages/*/thread_push",
            "group_channels/CHANNEL/messages/FOREIGN/thread_push", #"{"push_enabled":true}"#,
            .witnesses),
        // The channels have newer messages, so an admitted import fails for that reason.
        AccessRow(
            "POST migration/*", "migration/CHANNEL",
            #"{"messages":[{"message_type":"ADMM","message":"x","timestamp":1}]}"#, .platform,
            code: 400_111),
        AccessRow("GET emoji_categories", "emoji_categories", .live),
        AccessRow("GET emoji_categories/*", "emoji_categories/1", .live),
        AccessRow("GET emojis/*", "emojis/heart", .live),
        // The table sends no file, so an admitted call fails for that reason.
        AccessRow("POST storage/file", "storage/file", "{}", .live, code: 400_105),
        AccessRow(
            "POST storage/file", "storage/file", #"{"channel_url":"CHANNEL"}"#, .readers,
            code: 400_105),
    ]

    private static let ownArrays: [AccessRow] = metaArrays.flatMap { method, body in
        [
            AccessRow(
                "\(method) group_channels/*/messages/*/sorted_metaarray",
                "group_channels/CHANNEL/messages/MESSAGE/sorted_metaarray", body,
                .speakingWitnesses),
            AccessRow(
                "\(method) group_channels/*/messages/*/sorted_metaarray",
                "group_channels/CHANNEL/messages/FOREIGN/sorted_metaarray", body, .platform),
        ]
    }

    private static let rooms: [AccessRow] = [
        AccessRow("GET open_channels", "open_channels", .live),
        AccessRow("POST open_channels", "open_channels", "{}", .live),
        AccessRow("GET open_channels/*", "open_channels/ROOM", .notBanned),
        AccessRow("GET open_channels/*", "open_channels/CHANNEL", []),
        AccessRow("GET sdk/open_channels/*", "sdk/open_channels/ROOM", .notBanned),
        AccessRow("PUT open_channels/*", "open_channels/ROOM", #"{"name":"n"}"#, .chiefs),
        AccessRow("DELETE open_channels/*", "open_channels/ROOM", .chiefs),
        AccessRow(
            "GET open_channels/*/participants", "open_channels/ROOM/participants", .notBanned),
        AccessRow(
            "PUT open_channels/*/freeze", "open_channels/ROOM/freeze", #"{"freeze":true}"#,
            .chiefs),
        AccessRow(
            "GET open_channels/*/messages/total_count",
            "open_channels/ROOM/messages/total_count", .notBanned),
        AccessRow(
            "GET open_channels/*/messages/*/reactions",
            "open_channels/ROOM/messages/WORD/reactions", .notBanned),
        AccessRow(
            "POST open_channels/*/messages/*/reactions",
            "open_channels/ROOM/messages/WORD/reactions",
            #"{"reaction":"x","user_id":"SELF"}"#, .voices),
        AccessRow(
            "DELETE open_channels/*/messages/*/reactions",
            "open_channels/ROOM/messages/WORD/reactions",
            #"{"reaction":"x","user_id":"SELF"}"#, .voices),
        AccessRow(
            "PUT open_channels/*/messages/*/thread_push",
            "open_channels/ROOM/messages/WORD/thread_push", #"{"push_enabled":true}"#, .notBanned),
    ]

    private static let roomArrays: [AccessRow] = metaArrays.map { method, body in
        AccessRow(
            "\(method) open_channels/*/messages/*/sorted_metaarray",
            "open_channels/ROOM/messages/WORD/sorted_metaarray", body, .platform)
    }

    private static let report = #"{"report_category":"spam","reporting_user_id":"SELF"}"#

    private static let documents: [AccessRow] = [
        AccessRow(
            "POST report/group_channels/*", "report/group_channels/CHANNEL", report, .readers),
        AccessRow(
            "POST report/group_channels/*/messages/*",
            "report/group_channels/CHANNEL/messages/FOREIGN", report, .witnesses),
        AccessRow("POST report/open_channels/*", "report/open_channels/ROOM", report, .notBanned),
        AccessRow(
            "POST report/open_channels/*/messages/*", "report/open_channels/ROOM/messages/WORD",
            report, .notBanned),
        AccessRow("POST report/users/*", "report/users/OTHER", report, .live),
        AccessRow("GET report", "report", .platform),
        AccessRow(
            "GET push/device_tokens/*/*", "push/device_tokens/gcm/t", .platform,
            before: ("POST", "users/OTHER/push/gcm", #"{"gcm_reg_token":"t"}"#)),
        AccessRow(
            "DELETE push/device_tokens/*/*", "push/device_tokens/gcm/t", .platform,
            before: ("POST", "users/OTHER/push/gcm", #"{"gcm_reg_token":"t"}"#)),
        AccessRow("GET applications/dau", "applications/dau", .platform),
        AccessRow("GET applications/mau", "applications/mau", .platform),
        AccessRow(
            "POST polls", "polls", #"{"title":"t","options":["a"],"user_id":"SELF"}"#, .live),
        AccessRow("GET polls", "polls", .live),
        AccessRow("GET polls", "polls?channel_url=CHANNEL", .readers),
        AccessRow("GET polls", "polls?channel_url=ROOM", .notBanned),
        AccessRow("GET polls/*", "polls/POLL", .witnesses),
        AccessRow("PUT polls/*", "polls/POLL", #"{"title":"u"}"#, .speakingWitnesses),
        AccessRow("PUT polls/*", "polls/THEIRS", #"{"title":"u"}"#, .chiefs),
        AccessRow("DELETE polls/*", "polls/POLL", .speakingWitnesses),
        AccessRow("DELETE polls/*", "polls/THEIRS", .chiefs),
        AccessRow("PUT polls/*/close", "polls/POLL/close", "{}", .speakingWitnesses),
        AccessRow("PUT polls/*/close", "polls/THEIRS/close", "{}", .chiefs),
        AccessRow(
            "PUT polls/*/vote", "polls/THEIRS/vote", #"{"option_ids":[1],"user_id":"SELF"}"#,
            .speakingWitnesses),
        AccessRow(
            "POST polls/*/options", "polls/THEIRS/options", #"{"text":"c","user_id":"SELF"}"#,
            .speakingWitnesses),
        AccessRow("GET polls/*/options/*", "polls/THEIRS/options/1", .witnesses),
        AccessRow(
            "PUT polls/*/options/*", "polls/POLL/options/1", #"{"text":"c"}"#, .speakingWitnesses),
        AccessRow("PUT polls/*/options/*", "polls/THEIRS/options/1", #"{"text":"c"}"#, .chiefs),
        AccessRow("DELETE polls/*/options/*", "polls/POLL/options/1", .speakingWitnesses),
        AccessRow("DELETE polls/*/options/*", "polls/THEIRS/options/1", .chiefs),
        AccessRow("GET polls/*/options/*/voters", "polls/THEIRS/options/1/voters", .witnesses),
        AccessRow(
            "GET group_channels/*/polls/changelogs", "group_channels/CHANNEL/polls/changelogs",
            .readers),
        AccessRow(
            "GET open_channels/*/polls/changelogs", "open_channels/ROOM/polls/changelogs",
            .notBanned),
        // The message is judged again when it is due.
        AccessRow(
            "POST group_channels/*/scheduled_messages", "group_channels/CHANNEL/scheduled_messages",
            #"{"message_type":"MESG","message":"x","scheduled_at":LATER,"user_id":"SELF"}"#,
            .readers),
        AccessRow(
            "GET group_channels/*/scheduled_messages/*",
            "group_channels/CHANNEL/scheduled_messages/SCHEDULED", .readers),
        AccessRow(
            "GET group_channels/*/scheduled_messages/*",
            "group_channels/CHANNEL/scheduled_messages/WAITING", .platform),
        AccessRow(
            "PUT group_channels/*/scheduled_messages/*",
            "group_channels/CHANNEL/scheduled_messages/SCHEDULED", #"{"message":"y"}"#, .readers),
        AccessRow(
            "PUT group_channels/*/scheduled_messages/*",
            "group_channels/CHANNEL/scheduled_messages/WAITING", #"{"message":"y"}"#, .platform),
        AccessRow(
            "DELETE group_channels/*/scheduled_messages/*",
            "group_channels/CHANNEL/scheduled_messages/SCHEDULED", .readers),
        AccessRow(
            "DELETE group_channels/*/scheduled_messages/*",
            "group_channels/CHANNEL/scheduled_messages/WAITING", .platform),
        AccessRow(
            "POST group_channels/*/scheduled_messages/*/send_now",
            "group_channels/CHANNEL/scheduled_messages/SCHEDULED/send_now", "{}", .readers),
        AccessRow(
            "POST group_channels/*/scheduled_messages/*/send_now",
            "group_channels/CHANNEL/scheduled_messages/WAITING/send_now", "{}", .platform),
        AccessRow("GET scheduled_messages/count", "scheduled_messages/count", .live),
        AccessRow("GET scheduled_messages", "scheduled_messages", .live),
    ]

    private static let message = #"{"message_type":"MESG","message":"x","user_id":"SELF"}"#

    /// The calls that have a type of their own.
    private static let typed: [AccessRow] = [
        AccessRow("POST group_channels", "group_channels", #"{"user_ids":["SELF"]}"#, .live),
        AccessRow(
            "GET group_channels/*", "group_channels/CHANNEL", Set.readers.union([.invited])),
        AccessRow("GET group_channels/*", "group_channels/ROOM", []),
        AccessRow(
            "GET sdk/group_channels/*", "sdk/group_channels/CHANNEL",
            Set.readers.union([.invited])),
        AccessRow(
            "PUT group_channels/*", "group_channels/CHANNEL", #"{"name":"n"}"#, .speakers),
        AccessRow(
            "PUT group_channels/*", "group_channels/CHANNEL", #"{"is_public":true}"#, .chiefs),
        AccessRow(
            "PUT group_channels/*", "group_channels/CHANNEL", #"{"operator_ids":["SELF"]}"#,
            .chiefs),
        AccessRow(
            "POST group_channels/*/invite", "group_channels/CHANNEL/invite",
            #"{"user_ids":["OTHER"]}"#, .readers),
        AccessRow(
            "PUT group_channels/*/join", "group_channels/CHANNEL/join", #"{"user_id":"SELF"}"#,
            Set.readers.union([.invited])),
        AccessRow(
            "PUT group_channels/*/accept", "group_channels/CHANNEL/accept",
            #"{"user_id":"SELF"}"#, Set.readers.union([.invited])),
        AccessRow(
            "PUT group_channels/*/leave", "group_channels/CHANNEL/leave",
            #"{"user_ids":["SELF"]}"#, Set.readers.union([.invited])),
        AccessRow(
            "GET users/*/my_group_channels", "users/SELF/my_group_channels", .live),
        AccessRow(
            "GET users/*/my_group_channels", "users/OTHER/my_group_channels", .platform),
        AccessRow(
            "GET users/*/my_group_channels/changelogs",
            "users/SELF/my_group_channels/changelogs?change_ts=0", .live),
        AccessRow(
            "GET users/*/my_group_channels/changelogs",
            "users/OTHER/my_group_channels/changelogs?change_ts=0", .platform),
        AccessRow(
            "GET group_channels/*/messages", "group_channels/CHANNEL/messages?message_ts=0",
            .readers),
        AccessRow(
            "GET group_channels/*/messages", "group_channels/CHANNEL/messages?message_id=FOREIGN",
            .witnesses),
        AccessRow(
            "GET group_channels/*/messages/changelogs",
            "group_channels/CHANNEL/messages/changelogs?change_ts=0", .readers),
        AccessRow(
            "GET group_channels/*/messages_gap", "group_channels/CHANNEL/messages_gap", .readers),
        AccessRow(
            "POST group_channels/*/messages", "group_channels/CHANNEL/messages", message, .speakers),
        AccessRow(
            "POST group_channels/*/messages", "group_channels/CHANNEL/messages",
            #"{"message_type":"ADMM","message":"x"}"#, .platform),
        AccessRow(
            "POST group_channels/*/messages", "group_channels/CHANNEL/messages",
            #"{"message_type":"MESG","message":"x","user_id":"SELF","parent_message_id":FOREIGN}"#,
            .speakingWitnesses),
        AccessRow(
            "GET group_channels/*/messages/*", "group_channels/CHANNEL/messages/FOREIGN",
            .witnesses),
        AccessRow(
            "PUT group_channels/*/messages/*", "group_channels/CHANNEL/messages/MESSAGE",
            #"{"message":"y"}"#, .speakingWitnesses),
        AccessRow(
            "PUT group_channels/*/messages/*", "group_channels/CHANNEL/messages/FOREIGN",
            #"{"message":"y"}"#, .platform),
        // The removal of a reaction is no speech.
        AccessRow(
            "DELETE group_channels/*/messages/*", "group_channels/CHANNEL/messages/MESSAGE",
            .witnesses),
        AccessRow(
            "DELETE group_channels/*/messages/*", "group_channels/CHANNEL/messages/FOREIGN",
            .chiefs),
        AccessRow(
            "PUT group_channels/*/messages/mark_as_read",
            "group_channels/CHANNEL/messages/mark_as_read", #"{"user_id":"SELF"}"#, .readers),
        AccessRow(
            "PUT group_channels/*/messages/mark_as_read",
            "group_channels/CHANNEL/messages/mark_as_read",
            #"{"user_id":"SELF","message_id":FOREIGN,"is_excluded":true}"#, .witnesses),
        AccessRow(
            "GET open_channels/*/messages", "open_channels/ROOM/messages?message_ts=0", .notBanned),
        AccessRow(
            "GET open_channels/*/messages/changelogs",
            "open_channels/ROOM/messages/changelogs?change_ts=0", .notBanned),
        AccessRow(
            "POST open_channels/*/messages", "open_channels/ROOM/messages", message, .voices),
        AccessRow("GET open_channels/*/messages/*", "open_channels/ROOM/messages/WORD", .notBanned),
        AccessRow(
            "PUT open_channels/*/messages/*", "open_channels/ROOM/messages/WORD",
            #"{"message":"y"}"#, .platform),
        AccessRow(
            "DELETE open_channels/*/messages/*", "open_channels/ROOM/messages/WORD", .chiefs),
        AccessRow("POST users", "users", #"{"user_id":"new-SELF"}"#, .platform),
        AccessRow("GET users", "users", .live),
        // The key needs the right token, which these users may lack.
        AccessRow(
            "POST users/*/session_key", "users/OTHER/session_key", "{}", Set(Who.allCases)),
        AccessRow("GET sdk/settings", "sdk/settings", Set(Who.allCases)),
    ]
}
