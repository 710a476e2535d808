// SPDX-License-Identifier: Apache-2.0

package import RoostModel

extension MessageDetails {
    static let wire = WireTable<MessageDetails>()
}

/// The rare fields of a message while it is decoded.
struct DetailFields {
    private var details = MessageDetails()
    private var isTold = false

    /// The details; nil without any.
    var value: MessageDetails? { isTold ? details : nil }

    /// Makes a change after which the details are not empty.
    mutating func change(_ body: (inout MessageDetails) -> Void) {
        body(&details)
        isTold = true
    }

    /// Consumes the value of a line in the table of details.
    ///
    /// A value of unknown shape is kept as text: a poll of a newer server must not make a page
    /// unreadable.
    mutating func read(
        line: Int, _ name: FieldText, _ reader: inout JSONReader,
        keepingIn unknown: inout UnknownFields
    ) throws(WireError) {
        // Null says nothing, and needs no copy of the reader.
        if try reader.readNull() { return }
        let start = reader
        do throws(WireError) {
            let isPresent = try MessageDetails.wire.read(
                line: line, into: &details, from: &reader
            ) { field, details, reader throws(WireError) in
                try details.read(field, &reader)
            }
            if isPresent { isTold = true }
        } catch {
            reader = start
            try unknown.keep(reader.name(name), from: &reader)
        }
    }
}

extension MessageDetails {
    fileprivate mutating func read(
        _ field: Special, _ reader: inout JSONReader
    ) throws(WireError) {
        switch field {
        case .reactionsSummary:
            let summary = try reader.readReactions()
            reactions = reactions ?? summary
        case .schedule:
            if let id = try reader.readMessageID()?.rawValue {
                changeSchedule { $0.id = ScheduledMessageID(id) }
            }
        case .scheduledAt:
            if let moment = try reader.readMoment() { changeSchedule { $0.sendsAt = moment } }
        case .scheduledStatus:
            let status = try reader.readStringIfPresent() ?? ""
            if !status.isEmpty { changeSchedule { $0.status = status } }
        case .notification:
            let id = try reader.readStringIfPresent() ?? ""
            if !id.isEmpty { changeNotification { $0.id = id } }
        case .notificationStatus:
            let status = try reader.readStringIfPresent() ?? ""
            if !status.isEmpty { changeNotification { $0.status = status } }
        case .notificationData:
            if let data = try reader.readRawIfAny() { changeNotification { $0.data = data } }
        case .mentionedUsers, .isRemoved: try reader.skipValue()
        }
    }

    private mutating func changeSchedule(_ body: (inout Schedule) -> Void) {
        var schedule = schedule ?? Schedule(id: 0)
        body(&schedule)
        self.schedule = schedule
    }

    private mutating func changeNotification(_ body: (inout NotificationInfo) -> Void) {
        var notification = notification ?? NotificationInfo(id: "")
        body(&notification)
        self.notification = notification
    }
}

extension JSONReader {
    /// Returns the JSON text of a value; nil for null, `{}` and `[]`.
    mutating func readRawIfAny() throws(WireError) -> String? {
        if try skipEmptyOrNull() { return nil }
        return try readRaw()
    }

    /// Reads reactions in full, or their summary; nil for null, which says nothing.
    mutating func readReactions() throws(WireError) -> [Reaction]? {
        if try readNull() { return nil }
        let reactions = try readList { reader throws(WireError) in
            var reaction = Reaction(key: "", userIDs: [], updatedAt: Timestamp(milliseconds: 0))
            try reader.readObject { name, reader throws(WireError) in
                switch name {
                case "key": reaction.key = try reader.readString()
                case "user_ids", "sampled_user_ids":
                    reaction.userIDs = try reader.readStrings().map { UserID($0) }
                case "updated_at", "last_ts":
                    reaction.updatedAt = try reader.readMoment() ?? Timestamp(milliseconds: 0)
                case "count": reaction.count = try reader.readCount() ?? 0
                default: try reaction.unknownFields.keep(name, from: &reader)
                }
            }
            if reaction.count <= reaction.userIDs.count { reaction.count = 0 }
            return reaction
        }
        return reactions.filter { !$0.userIDs.isEmpty || $0.count > 0 }
    }

    /// Reads thread info; nil for null and `{}`, by which some servers mean "no thread".
    package mutating func readThreadInfoIfPresent() throws(WireError) -> ThreadInfo? {
        if try skipEmptyOrNull() { return nil }
        var thread = ThreadInfo(replyCount: 0)
        try readObject { name, reader throws(WireError) in
            switch name {
            case "reply_count": thread.replyCount = try reader.readCount() ?? 0
            case "most_replies": thread.mostReplies = try reader.readUsers()
            case "last_replied_at": thread.lastRepliedAt = try reader.readMoment()
            case "updated_at": thread.updatedAt = try reader.readMoment()
            case "member_count": thread.memberCount = try reader.readCount()
            case "unread_message_count": thread.unreadMessageCount = try reader.readCount()
            case "is_push_notification_enabled":
                thread.isPushEnabled = try reader.readBoolIfPresent()
            default: try thread.unknownFields.keep(name, from: &reader)
            }
        }
        return thread
    }

    /// Reads the preview of a parent; nil for a deleted parent and one without a kind
    /// (`docs/protocol` 4.7).
    mutating func readParentPreview() throws(WireError) -> ParentPreview? {
        if try skipEmptyOrNull() { return nil }
        var preview = ParentPreview(content: .user(text: ""))
        var (kind, text, file) = ("", "", FileFields())
        try readObject { name, reader throws(WireError) in
            switch name {
            case "type": kind = try reader.readStringIfPresent() ?? ""
            case "message": text = try reader.readStringIfPresent() ?? ""
            case "user": preview.sender = try reader.readUserIfPresent()
            case "ts": preview.createdAt = try reader.readMoment()
            case "updated_at": preview.updatedAt = try reader.readMoment()
            case "data": preview.data = try reader.readStringIfPresent() ?? ""
            case "custom_type": preview.customType = try reader.readStringIfPresent() ?? ""
            case "translations": preview.translations = try reader.readTexts()
            case "file": try file.readObject(&reader)
            case "files": file.files = try reader.readFiles()
            default: try preview.unknownFields.keep(name, from: &reader)
            }
        }
        switch kind {
        case "", "DELE": return nil
        case MessageKind.user: preview.content = .user(text: text)
        case MessageKind.admin, MessageKind.broadcastAdmin: preview.content = .admin(text: text)
        case MessageKind.file:
            var content =
                file.content
                ?? FileContent(url: "", name: "", type: "", size: ByteCount(bytes: 0))
            content.caption = text
            preview.content = .file(content)
        default: preview.content = .unknown(kind: kind)
        }
        return preview
    }

    mutating func readLinkPreview() throws(WireError) -> LinkPreview? {
        if try skipEmptyOrNull() { return nil }
        var preview = LinkPreview()
        try readObject { name, reader throws(WireError) in
            switch name {
            case "og:title": preview.title = try reader.readStringIfPresent() ?? ""
            case "og:url": preview.url = try reader.readStringIfPresent() ?? ""
            case "og:description": preview.summary = try reader.readStringIfPresent() ?? ""
            case "og:image": preview.image = try reader.readLinkImage()
            default: try preview.unknownFields.keep(name, from: &reader)
            }
        }
        return preview
    }

    private mutating func readLinkImage() throws(WireError) -> LinkPreview.Image? {
        if try skipEmptyOrNull() { return nil }
        var image = LinkPreview.Image()
        try readObject { name, reader throws(WireError) in
            switch name {
            case "url": image.url = try reader.readStringIfPresent() ?? ""
            case "secure_url": image.secureURL = try reader.readStringIfPresent() ?? ""
            case "type": image.type = try reader.readStringIfPresent() ?? ""
            case "alt": image.alternativeText = try reader.readStringIfPresent() ?? ""
            case "width": image.width = try reader.readCount() ?? 0
            case "height": image.height = try reader.readCount() ?? 0
            default: try image.unknownFields.keep(name, from: &reader)
            }
        }
        return image
    }

    /// Reads the effects; nil for the usual ones.
    mutating func readEffects() throws(WireError) -> MessageEffects? {
        if try skipEmptyOrNull() { return nil }
        let start = position
        var effects = MessageEffects()
        if let (known, next) = repeated.effects(at: start, in: bytes, before: end) {
            position = next
            return known == MessageEffects() ? nil : known
        }
        try readObject { name, reader throws(WireError) in
            switch name {
            case "send_push_notification":
                effects.push = try reader.readStringIfPresent() ?? effects.push
            case "update_unread_count":
                effects.updatesUnreadCount = try reader.readBoolIfPresent() ?? true
            case "update_mention_count":
                effects.updatesMentionCount = try reader.readBoolIfPresent() ?? true
            case "update_last_message":
                effects.updatesLastMessage = try reader.readBoolIfPresent() ?? true
            default: try effects.unknownFields.keep(name, from: &reader)
            }
        }
        repeated.keep(effects, from: start..<position)
        return effects == MessageEffects() ? nil : effects
    }

    mutating func readCriticalAlert() throws(WireError) -> CriticalAlert? {
        if try skipEmptyOrNull() { return nil }
        var alert = CriticalAlert()
        try readObject { name, reader throws(WireError) in
            switch name {
            case "name": alert.sound = try reader.readStringIfPresent() ?? ""
            case "volume":
                // A volume that cannot be read counts as the full one, like a missing volume.
                let volume = Double(try reader.readStringIfPresent() ?? "") ?? 1
                alert.volume = volume.isFinite ? volume : 1
            default: try alert.unknownFields.keep(name, from: &reader)
            }
        }
        return alert
    }
}
