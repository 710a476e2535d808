// SPDX-License-Identifier: Apache-2.0

extension GroupChannel: FieldOwner {
    package enum Special: UInt8, Sendable {
        /// Required on the wire, a column in the store.
        case url
        /// Written beside `hidden_state`, from which it is derived.
        case isHidden
        /// The value of `is_public` if that field is absent.
        case isDiscoverable
        /// An object of two fields, whose unknown fields the channel keeps.
        case latestMessage
        /// An object that repeats `message_survival_seconds`.
        case disappearing
        /// Known names that describe an answer and are not kept.
        case isCreated, ts
    }

    package static var usual: GroupChannel { GroupChannel(url: "") }

    package static var fields: [Field<Self>] {
        [
            .own("channel_url", .url, \.url),
            .text("name", \.name, .at(0)),
            .text("cover_url", \.coverURL, .at(1)),
            .text("data", \.data, .at(2)),
            .text("custom_type", \.customType, .at(3)),
            .seconds("created_at", \.createdAt, .elsewhere),
            .user("created_by", \.createdBy, .at(5), .orNull),
            .flag("is_distinct", \.isDistinct, .bit(0)),
            .flag("is_super", \.isSuper, .bit(1)),
            .flag("is_broadcast", \.isBroadcast, .bit(2)),
            .flag("is_public", \.isPublic, .bit(3)),
            .flag("freeze", \.isFrozen, .bit(4)),
            .members("members", \.members, .at(6)),
            .count("member_count", \.memberCount, .at(7)),
            .count("joined_member_count", \.joinedMemberCount, .at(8)),
            .count("unread_message_count", \.unreadMessageCount, .at(9)),
            .count("unread_mention_count", \.unreadMentionCount, .at(10)),
            .message("last_message", \.lastMessage, .at(11), .orNull),
            .word("member_state", \.myState, unknown: .none, .at(4)),
            .word("my_role", \.myRole, unknown: .none, .bit(5)),
            .moment("user_last_read", \.myLastRead, .at(12)),
            .moment("ts_message_offset", \.messageOffset, .at(13)),
            .derived("is_hidden", .isHidden),
            .word(
                "hidden_state", \.hiddenState, unknown: .unhidden, .at(18),
                synonyms: [
                    ("allow_auto_unhide", .untilNextMessage), ("prevent_auto_unhide", .untilShown),
                ]),
            .special(.isDiscoverable, .flag("is_discoverable", \.isDiscoverable, .bit(7))),
            .flag("is_exclusive", \.isExclusive, .bit(6), .unusual),
            .flag("is_ephemeral", \.isEphemeral, .bit(8), .unusual),
            .flag("is_access_code_required", \.needsAccessCode, .bit(9), .unusual),
            .flag("is_chat_notification", \.isChatNotification, .bit(10), .unusual),
            .flag("is_muted", \.isMuted, .bit(15), .unusual),
            .flag("has_bot", \.hasBot, .bit(12), .unusual),
            .flag("has_ai_bot", \.hasAIBot, .bit(13), .unusual),
            .flag("ignore_profanity_filter", \.ignoresProfanityFilter, .bit(14), .unusual),
            .flag("is_push_enabled", \.isPushEnabled, .bit(11), .unusual),
            .word(
                "count_preference", \.countPreference, unknown: .all, .at(19), .unusual,
                synonyms: [("unread_mentioned_count_only", .mentions), ("false", .off)]),
            .word("push_trigger_option", \.pushTrigger, unknown: .standard, .at(20), .unusual),
            .users("operators", \.operators, .at(14)),
            .user("inviter", \.inviter, .at(15)),
            .moment("invited_at", \.invitedAt, .at(16)),
            .seconds("joined_ts", \.joinedAt, .at(17)),
            .special(.latestMessage, .position("latest_message", \.latestMessage, .at(21))),
            .receipts("read_receipt", \.readReceipts, .at(22)),
            .receipts("delivery_receipt", \.deliveryReceipts, .at(23)),
            .moment("message_purge_offset", \.purgeOffset, .at(24)),
            .limit("message_survival_seconds", \.messageSurvivalSeconds, .at(25)),
            .special(
                .disappearing,
                .flag("disappearing_message", \.isSurvivalTriggeredByRead, .bit(16))),
            .count("max_length_message", \.maxMessageLength, .at(26)),
            .messageIDs("pinned_message_ids", \.pinnedMessageIDs, .at(27)),
            .message("latest_pinned_message", \.pinned, .at(28)),
            .texts("metadata", \.metadata, .at(29)),
            .unknown(\.unknownFields, .at(30)),
            .derived("is_created", .isCreated),
            .derived("ts", .ts),
        ]
    }
}
