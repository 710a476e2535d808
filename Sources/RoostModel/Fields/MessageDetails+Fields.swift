// SPDX-License-Identifier: Apache-2.0

extension MessageDetails: FieldOwner {
    package enum Special: UInt8, Sendable {
        /// The short form, for an answer without the reactions themselves.
        case reactionsSummary
        /// Written by the message, beside the IDs of the mentioned users.
        case mentionedUsers
        /// The fields of a schedule; the first one writes all of them.
        case schedule, scheduledAt, scheduledStatus
        /// Read by the message: in a live frame the field has another meaning.
        case isRemoved
        /// The fields of a notification; the first one writes all of them.
        case notification, notificationStatus, notificationData
    }

    package static var usual: MessageDetails { MessageDetails() }

    package static var fields: [Field<Self>] {
        [
            .reactions("reactions", \.reactions, .part(0, at: 0)),
            .derived("reactions_summary", .reactionsSummary),
            .thread("thread_info", \.threadInfo, .part(1, at: 1)),
            .parent("parent_message_info", \.storedPreview, .part(2, at: 2)),
            .parentEdit(\.storedPreview, .part(18, at: 17)),
            .link("og_tag", \.linkPreview, .part(3, at: 3)),
            .poll("poll", \.storedPoll, .part(4, at: 4)),
            .texts("translations", \.translations, .part(5, at: 5)),
            .special(
                .mentionedUsers, .users("mentioned_users", \.mentionedUsers, .part(6, at: 6))),
            .text("mentioned_message_template", \.mentionTemplate, .part(7, at: 7), .unusual),
            .json("extended_message", \.extendedMessage, .part(8, at: 8)),
            .json("extended_message_payload", \.extendedMessagePayload, .part(9, at: 9)),
            .json("plugins", \.plugins, .part(10, at: 10)),
            .special(
                .schedule, .schedule("scheduled_message_id", \.schedule, .part(11, at: 11))),
            .derived("scheduled_at", .scheduledAt),
            .derived("scheduled_status", .scheduledStatus),
            .limit("message_survival_seconds", \.survivalSeconds, .part(12, at: 12)),
            .limit("message_retention_hour", \.retentionHours, .part(13, at: 13)),
            .alert("apple_critical_alert_options", \.criticalAlert, .part(14, at: 14)),
            .effects("message_events", \.effects, .part(15, at: 15)),
            .special(.isRemoved, .flag("is_removed", \.isRemoved, .bit(16))),
            .special(
                .notification,
                .notification("notification_message_id", \.notification, .part(17, at: 16))),
            .derived("message_status", .notificationStatus),
            .derived("notification_data", .notificationData),
            .unlisted("params", \.storedParams),
            .unlisted("pending changes", \.storedChanges),
        ]
    }
}
