// SPDX-License-Identifier: Apache-2.0

/// The names of a message's fields, in both dialects (`docs/protocol` 4.4).
enum MessageField: String, FieldName {
    case msgID = "msg_id"
    case messageID = "message_id"
    case ts
    case createdAt = "created_at"
    case updatedAt = "updated_at"
    case lastUpdatedAt = "last_updated_at"
    case reqID = "req_id"
    case requestID = "request_id"
    case channelURL = "channel_url"
    case channelType = "channel_type"
    case type, user
    case isOperatorMessage = "is_op_msg"
    case message, data, custom
    case customType = "custom_type"
    case silent
    case isSilent = "is_silent"
    case file, url, name, size, thumbnails, files
    case requiresAuth = "require_auth"
    case mentionType = "mention_type"
    case mentionedUserIDs = "mentioned_user_ids"
    case mentionedUsers = "mentioned_users"
    case mentionTemplate = "mentioned_message_template"
    case metaarray
    case sortedMetaarray = "sorted_metaarray"
    case metaarrayOrder = "metaarray_key_order"
    case parentMessageID = "parent_message_id"
    case rootMessageID = "root_message_id"
    case isReplyToChannel = "is_reply_to_channel"
    case replyToChannel = "reply_to_channel"
    case parentInfo = "parent_message_info"
    case threadInfo = "thread_info"
    case reactions
    case reactionsSummary = "reactions_summary"
    case ogTag = "og_tag"
    case poll, translations
    case extendedMessage = "extended_message"
    case extendedPayload = "extended_message_payload"
    case plugins
    case scheduledID = "scheduled_message_id"
    case scheduledAt = "scheduled_at"
    case scheduledStatus = "scheduled_status"
    case survivalSeconds = "message_survival_seconds"
    case retentionHours = "message_retention_hour"
    case criticalAlert = "apple_critical_alert_options"
    case events = "message_events"
    case isRemoved = "is_removed"
    case notificationID = "notification_message_id"
    case messageStatus = "message_status"
    case notificationData = "notification_data"
    // The fields below describe the frame only.
    case previousMessageID = "previous_message_id"
    case forcesLastMessage = "force_update_last_message"
    case unreadCount = "unread_cnt"
    case isSuper = "is_super"
    case isGuestMessage = "is_guest_msg"
    case channelID = "channel_id"
    case sts
    case scrapID = "scrap_id"
    case oldValues = "old_values"
    case messageToken = "mesg_token"

    static let table = FieldTable<MessageField>()
}
