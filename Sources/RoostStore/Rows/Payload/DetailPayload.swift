// SPDX-License-Identifier: Apache-2.0

internal import RoostModel

// The stored form of the rare fields of messages.
//
// The table below writes a bit for each field, then the present fields; this file has the form of
// the values with several parts. A function that writes and the one that reads have the same parts
// in the same order. The order is the file format: databases on devices have it.
//
// Users are stored as the numbers of their rows, so a rename touches one row. Users in reactions
// and votes are stored by ID, because they may have no row.

extension MessageDetails {
    static let payload = PayloadTable<MessageDetails>()
}

extension [UInt8] {
    mutating func append(reactions: [Reaction]) {
        append(list: reactions) { bytes, reaction in
            bytes.append(text: reaction.key)
            bytes.append(list: reaction.userIDs) { $0.append(text: $1.rawValue) }
            bytes.append(signed: reaction.updatedAt.milliseconds)
            bytes.append(signed: Int64(reaction.count))
        }
    }

    mutating func append(thread: ThreadInfo, row: (UserID) -> Int64) {
        append(signed: Int64(thread.replyCount))
        append(list: thread.mostReplies) { $0.append(signed: row($1.id)) }
        append(moment: thread.lastRepliedAt)
        append(moment: thread.updatedAt)
        append(optional: thread.memberCount) { $0.append(signed: Int64($1)) }
        append(optional: thread.unreadMessageCount) { $0.append(signed: Int64($1)) }
        append(optional: thread.isPushEnabled) { $0.append($1 ? 1 : 0) }
    }

    mutating func append(parent: ParentPreview, row: (UserID) -> Int64) {
        append(fullContent: parent.content)
        append(optional: parent.sender) { $0.append(signed: row($1.id)) }
        append(moment: parent.createdAt)
        append(text: parent.data)
        append(text: parent.customType)
        append(texts: parent.translations)
    }

    mutating func append(link: LinkPreview) {
        append(text: link.title)
        append(text: link.url)
        append(text: link.summary)
        append(optional: link.image) { bytes, image in
            bytes.append(text: image.url)
            bytes.append(text: image.secureURL)
            bytes.append(text: image.type)
            bytes.append(text: image.alternativeText)
            bytes.append(signed: Int64(image.width))
            bytes.append(signed: Int64(image.height))
        }
    }

    mutating func append(schedule: Schedule) {
        append(signed: schedule.id.rawValue)
        append(moment: schedule.sendsAt)
        append(text: schedule.status)
    }

    mutating func append(alert: CriticalAlert) {
        append(text: alert.sound)
        append(number: alert.volume.bitPattern)
    }

    mutating func append(notification: NotificationInfo) {
        append(text: notification.id)
        append(text: notification.status)
        append(optional: notification.data) { $0.append(text: $1) }
    }

    mutating func append(effects: MessageEffects) {
        append(text: effects.push)
        append(
            (effects.updatesUnreadCount ? 1 : 0) | (effects.updatesMentionCount ? 2 : 0)
                | (effects.updatesLastMessage ? 4 : 0))
    }
}

extension PayloadReader {
    mutating func reactions(_ bytes: Span<UInt8>) throws(PayloadError) -> [Reaction] {
        try list(bytes) { reader, bytes throws(PayloadError) in
            let key = try reader.text(bytes)
            let ids = try reader.list(bytes) { reader, bytes throws(PayloadError) in
                UserID(try reader.text(bytes))
            }
            var reaction = Reaction(
                key: key, userIDs: ids, updatedAt: Timestamp(milliseconds: try reader.signed(bytes))
            )
            reaction.count = try reader.int(bytes)
            return reaction
        }
    }

    mutating func thread(
        _ bytes: Span<UInt8>, _ user: (Int64) -> User
    ) throws(PayloadError) -> ThreadInfo {
        var thread = ThreadInfo(replyCount: try int(bytes))
        thread.mostReplies = try users(bytes, user)
        thread.lastRepliedAt = try moment(bytes)
        thread.updatedAt = try moment(bytes)
        thread.memberCount = try optionalInt(bytes)
        thread.unreadMessageCount = try optionalInt(bytes)
        thread.isPushEnabled = try optional(bytes) { reader, bytes throws(PayloadError) in
            try reader.byte(bytes) != 0
        }
        return thread
    }

    mutating func parent(
        _ bytes: Span<UInt8>, _ user: (Int64) -> User
    ) throws(PayloadError) -> ParentPreview {
        var parent = ParentPreview(content: try fullContent(bytes))
        parent.sender = try optionalUser(bytes, user)
        parent.createdAt = try moment(bytes)
        parent.data = try text(bytes)
        parent.customType = try text(bytes)
        parent.translations = try texts(bytes)
        return parent
    }

    mutating func link(_ bytes: Span<UInt8>) throws(PayloadError) -> LinkPreview {
        var link = LinkPreview()
        link.title = try text(bytes)
        link.url = try text(bytes)
        link.summary = try text(bytes)
        link.image = try optional(bytes) { reader, bytes throws(PayloadError) in
            var image = LinkPreview.Image()
            image.url = try reader.text(bytes)
            image.secureURL = try reader.text(bytes)
            image.type = try reader.text(bytes)
            image.alternativeText = try reader.text(bytes)
            image.width = try reader.int(bytes)
            image.height = try reader.int(bytes)
            return image
        }
        return link
    }

    mutating func schedule(_ bytes: Span<UInt8>) throws(PayloadError) -> Schedule {
        var schedule = Schedule(id: ScheduledMessageID(try signed(bytes)))
        schedule.sendsAt = try moment(bytes)
        schedule.status = try text(bytes)
        return schedule
    }

    mutating func alert(_ bytes: Span<UInt8>) throws(PayloadError) -> CriticalAlert {
        var alert = CriticalAlert()
        alert.sound = try text(bytes)
        let volume = Double(bitPattern: try number(bytes))
        alert.volume = volume.isFinite ? volume : 1
        return alert
    }

    mutating func notification(_ bytes: Span<UInt8>) throws(PayloadError) -> NotificationInfo {
        var notification = NotificationInfo(id: try text(bytes))
        notification.status = try text(bytes)
        notification.data = try optionalText(bytes)
        return notification
    }

    mutating func effects(
        _ bytes: Span<UInt8>
    ) throws(PayloadError) -> MessageEffects {
        var effects = MessageEffects()
        effects.push = try text(bytes)
        let bits = try byte(bytes)
        guard bits < 8 else { throw .invalid }
        effects.updatesUnreadCount = bits & 1 != 0
        effects.updatesMentionCount = bits & 2 != 0
        effects.updatesLastMessage = bits & 4 != 0
        return effects
    }
}
