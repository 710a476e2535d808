// SPDX-License-Identifier: Apache-2.0

/// The names of a group channel's fields (`docs/protocol` 4.2).
enum GroupChannelField: String, FieldName {
    case url = "channel_url"
    case name
    case coverURL = "cover_url"
    case data
    case customType = "custom_type"
    case createdAt = "created_at"
    case createdBy = "created_by"
    case members, operators, inviter, metadata, freeze
    case lastMessage = "last_message"
    case latestMessage = "latest_message"
    case latestPinnedMessage = "latest_pinned_message"
    case pinnedMessageIDs = "pinned_message_ids"
    case isCreated = "is_created"
    case ts
    case isDistinct = "is_distinct"
    case isSuper = "is_super"
    case isBroadcast = "is_broadcast"
    case isExclusive = "is_exclusive"
    case isPublic = "is_public"
    case isDiscoverable = "is_discoverable"
    case isEphemeral = "is_ephemeral"
    case needsAccessCode = "is_access_code_required"
    case isChatNotification = "is_chat_notification"
    case isPushEnabled = "is_push_enabled"
    case isMuted = "is_muted"
    case isHidden = "is_hidden"
    case hasBot = "has_bot"
    case hasAIBot = "has_ai_bot"
    case ignoresProfanityFilter = "ignore_profanity_filter"
    case memberCount = "member_count"
    case joinedMemberCount = "joined_member_count"
    case unreadMessageCount = "unread_message_count"
    case unreadMentionCount = "unread_mention_count"
    case memberState = "member_state"
    case myRole = "my_role"
    case myLastRead = "user_last_read"
    case readReceipt = "read_receipt"
    case deliveryReceipt = "delivery_receipt"
    case invitedAt = "invited_at"
    case joinedAt = "joined_ts"
    case hiddenState = "hidden_state"
    case messageOffset = "ts_message_offset"
    case purgeOffset = "message_purge_offset"
    case survivalSeconds = "message_survival_seconds"
    case disappearing = "disappearing_message"
    case countPreference = "count_preference"
    case pushTrigger = "push_trigger_option"
    case maxMessageLength = "max_length_message"

    static let table = FieldTable<GroupChannelField>()
}
