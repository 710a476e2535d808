// SPDX-License-Identifier: Apache-2.0

package import RoostModel

extension JSONWriter {
    /// Writes the rare fields of a message; absent values are left out (`docs/protocol` 4.0).
    mutating func details(_ details: MessageDetails) {
        MessageDetails.wire.write(details, to: &self) { field, writer in
            switch field {
            case .schedule:
                guard let schedule = details.schedule else { return }
                writer.field("scheduled_message_id", schedule.id.rawValue)
                writer.moment("scheduled_at", schedule.sendsAt)
                writer.text("scheduled_status", schedule.status)
            case .isRemoved: if details.isRemoved { writer.field("is_removed", true) }
            case .notification:
                guard let notification = details.notification else { return }
                writer.field("notification_message_id", notification.id)
                writer.text("message_status", notification.status)
                if let json = notification.data { writer.field("notification_data", raw: json) }
            case .reactionsSummary, .mentionedUsers, .scheduledAt, .scheduledStatus,
                .notificationStatus, .notificationData:
                break
            }
        }
    }

    mutating func reactions(_ reactions: [Reaction]) {
        array { writer in
            for reaction in reactions {
                writer.object { writer in
                    writer.field("key", reaction.key)
                    writer.field("user_ids", reaction.userIDs.map(\.rawValue))
                    writer.field("updated_at", reaction.updatedAt.milliseconds)
                    if reaction.count > 0 { writer.field("count", reaction.count) }
                    writer.unknown(reaction.unknownFields)
                }
            }
        }
    }

    package mutating func threadInfo(_ thread: ThreadInfo) {
        object { writer in
            writer.field("reply_count", thread.replyCount)
            writer.users("most_replies", thread.mostReplies)
            writer.moment("last_replied_at", thread.lastRepliedAt)
            writer.moment("updated_at", thread.updatedAt)
            if let count = thread.memberCount { writer.field("member_count", count) }
            if let count = thread.unreadMessageCount {
                writer.field("unread_message_count", count)
            }
            if let isEnabled = thread.isPushEnabled {
                writer.field("is_push_notification_enabled", isEnabled)
            }
            writer.unknown(thread.unknownFields)
        }
    }

    mutating func parentPreview(_ preview: ParentPreview) {
        object { writer in
            writer.field("type", preview.content.kind)
            switch preview.content {
            case .user(let text), .admin(let text): writer.field("message", text)
            case .unknown: break
            case .file(let file):
                writer.text("message", file.caption)
                writer.object("file") { writer in
                    writer.field("url", file.url)
                    writer.field("name", file.name)
                    writer.field("type", file.type)
                    writer.field("size", file.size.bytes)
                    writer.text("data", file.data)
                    writer.field("require_auth", file.requiresAuth)
                    writer.unknown(file.unknownFields)
                }
                writer.files(file.files)
            }
            if let sender = preview.sender {
                writer.name("user")
                writer.user(sender)
            }
            writer.moment("ts", preview.createdAt)
            writer.moment("updated_at", preview.updatedAt)
            writer.text("data", preview.data)
            writer.text("custom_type", preview.customType)
            if !preview.translations.isEmpty { writer.texts("translations", preview.translations) }
            writer.unknown(preview.unknownFields)
        }
    }

    mutating func linkPreview(_ preview: LinkPreview) {
        object { writer in
            writer.field("og:title", preview.title)
            writer.field("og:url", preview.url)
            writer.field("og:description", preview.summary)
            if let image = preview.image { writer.linkImage(image) }
            writer.unknown(preview.unknownFields)
        }
    }

    private mutating func linkImage(_ image: LinkPreview.Image) {
        object("og:image") { writer in
            writer.field("url", image.url)
            writer.text("secure_url", image.secureURL)
            writer.text("type", image.type)
            writer.text("alt", image.alternativeText)
            writer.field("width", image.width)
            writer.field("height", image.height)
            writer.unknown(image.unknownFields)
        }
    }

    mutating func criticalAlert(_ alert: CriticalAlert) {
        object { writer in
            writer.field("name", alert.sound)
            writer.field("volume", raw: alert.volume.isFinite ? "\(alert.volume)" : "1")
            writer.unknown(alert.unknownFields)
        }
    }

    mutating func effects(_ effects: MessageEffects) {
        object { writer in
            if effects.push == "true" || effects.push == "false" {
                writer.field("send_push_notification", effects.push == "true")
            } else {
                writer.field("send_push_notification", effects.push)
            }
            writer.field("update_unread_count", effects.updatesUnreadCount)
            writer.field("update_mention_count", effects.updatesMentionCount)
            writer.field("update_last_message", effects.updatesLastMessage)
            writer.unknown(effects.unknownFields)
        }
    }
}
