// SPDX-License-Identifier: Apache-2.0

import RoostModel

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
    case metaarray
    case sortedMetaarray = "sorted_metaarray"
    case metaarrayOrder = "metaarray_key_order"
    case parentMessageID = "parent_message_id"
    case rootMessageID = "root_message_id"
    case isReplyToChannel = "is_reply_to_channel"
    case replyToChannel = "reply_to_channel"
    case isRemoved = "is_removed"
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

    /// The rare fields have lines in the table of `MessageDetails`.
    static let table = FieldTable<MessageField>(before: MessageDetails.wire.names)
}
