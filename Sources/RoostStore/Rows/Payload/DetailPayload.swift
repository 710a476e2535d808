// SPDX-License-Identifier: Apache-2.0

internal import RoostModel

/// The stored form of what few messages carry: a bit for each field, then the fields that are there.
///
/// Users stand in it as the numbers of their rows, so that a rename touches one row; those who reacted
/// or voted for an option's making are IDs, because nobody need have met them.
enum DetailPayload {
    private struct Flags: OptionSet {
        let rawValue: UInt64
        static let reactions = Flags(rawValue: 1 << 0)
        static let thread = Flags(rawValue: 1 << 1)
        static let parent = Flags(rawValue: 1 << 2)
        static let link = Flags(rawValue: 1 << 3)
        static let poll = Flags(rawValue: 1 << 4)
        static let translations = Flags(rawValue: 1 << 5)
        static let mentionedUsers = Flags(rawValue: 1 << 6)
        static let mentionTemplate = Flags(rawValue: 1 << 7)
        static let extendedMessage = Flags(rawValue: 1 << 8)
        static let extendedPayload = Flags(rawValue: 1 << 9)
        static let plugins = Flags(rawValue: 1 << 10)
        static let schedule = Flags(rawValue: 1 << 11)
        static let survival = Flags(rawValue: 1 << 12)
        static let retention = Flags(rawValue: 1 << 13)
        static let criticalAlert = Flags(rawValue: 1 << 14)
        static let effects = Flags(rawValue: 1 << 15)
        static let isRemoved = Flags(rawValue: 1 << 16)
        static let notification = Flags(rawValue: 1 << 17)
        static let parentEdit = Flags(rawValue: 1 << 18)
        static let all = Flags(rawValue: 1 << 19 - 1)
    }

    static func write(
        _ details: MessageDetails, to bytes: inout [UInt8], row: (UserID) -> Int64
    ) {
        bytes.append(number: flags(details).rawValue)
        if let reactions = details.reactions { bytes.append(reactions: reactions) }
        if let thread = details.threadInfo { bytes.append(thread: thread, row: row) }
        if let parent = details.parentPreview { bytes.append(parent: parent, row: row) }
        if let link = details.linkPreview { bytes.append(link: link) }
        if let poll = details.poll { bytes.append(poll: poll, row: row) }
        if !details.translations.isEmpty { bytes.append(texts: details.translations) }
        if !details.mentionedUsers.isEmpty {
            bytes.append(list: details.mentionedUsers) { $0.append(signed: row($1.id)) }
        }
        if !details.mentionTemplate.isEmpty { bytes.append(text: details.mentionTemplate) }
        for json in [
            details.extendedMessage, details.extendedMessagePayload, details.plugins,
        ] {
            if let json { bytes.append(text: json) }
        }
        if let schedule = details.schedule {
            bytes.append(signed: schedule.id)
            bytes.append(moment: schedule.sendsAt)
            bytes.append(text: schedule.status)
        }
        if let seconds = details.survivalSeconds { bytes.append(signed: Int64(seconds)) }
        if let hours = details.retentionHours { bytes.append(signed: Int64(hours)) }
        if let alert = details.criticalAlert {
            bytes.append(text: alert.sound)
            bytes.append(number: alert.volume.bitPattern)
        }
        if let effects = details.effects { bytes.append(effects: effects) }
        if let notification = details.notification {
            bytes.append(text: notification.id)
            bytes.append(text: notification.status)
            bytes.append(optional: notification.data) { $0.append(text: $1) }
        }
        if let moment = details.parentPreview?.updatedAt {
            bytes.append(signed: moment.milliseconds)
        }
    }

    private static func flags(_ details: MessageDetails) -> Flags {
        let pairs: [(Bool, Flags)] = [
            (details.reactions != nil, .reactions), (details.threadInfo != nil, .thread),
            (details.parentPreview != nil, .parent), (details.linkPreview != nil, .link),
            (details.poll != nil, .poll), (!details.translations.isEmpty, .translations),
            (!details.mentionedUsers.isEmpty, .mentionedUsers),
            (!details.mentionTemplate.isEmpty, .mentionTemplate),
            (details.extendedMessage != nil, .extendedMessage),
            (details.extendedMessagePayload != nil, .extendedPayload),
            (details.plugins != nil, .plugins), (details.schedule != nil, .schedule),
            (details.survivalSeconds != nil, .survival),
            (details.retentionHours != nil, .retention),
            (details.criticalAlert != nil, .criticalAlert), (details.effects != nil, .effects),
            (details.isRemoved, .isRemoved), (details.notification != nil, .notification),
            (details.parentPreview?.updatedAt != nil, .parentEdit),
        ]
        return pairs.reduce(into: []) { if $1.0 { $0.insert($1.1) } }
    }

    static func read(
        _ bytes: Span<UInt8>, with reader: inout PayloadReader, user: (Int64) -> User
    ) throws(PayloadError) -> MessageDetails {
        let flags = Flags(rawValue: try reader.number(bytes))
        guard flags.isSubset(of: .all) else { throw .invalid }
        var details = MessageDetails()
        if flags.contains(.reactions) { details.reactions = try reader.reactions(bytes) }
        if flags.contains(.thread) { details.threadInfo = try reader.thread(bytes, user) }
        if flags.contains(.parent) { details.parentPreview = try reader.parent(bytes, user) }
        if flags.contains(.link) { details.linkPreview = try reader.link(bytes) }
        if flags.contains(.poll) { details.poll = try reader.poll(bytes, user) }
        if flags.contains(.translations) { details.translations = try reader.texts(bytes) }
        if flags.contains(.mentionedUsers) {
            details.mentionedUsers = try reader.users(bytes, user)
        }
        if flags.contains(.mentionTemplate) { details.mentionTemplate = try reader.text(bytes) }
        if flags.contains(.extendedMessage) { details.extendedMessage = try reader.text(bytes) }
        if flags.contains(.extendedPayload) {
            details.extendedMessagePayload = try reader.text(bytes)
        }
        if flags.contains(.plugins) { details.plugins = try reader.text(bytes) }
        if flags.contains(.schedule) {
            var schedule = Schedule(id: try reader.signed(bytes))
            schedule.sendsAt = try reader.moment(bytes)
            schedule.status = try reader.text(bytes)
            details.schedule = schedule
        }
        if flags.contains(.survival) { details.survivalSeconds = try reader.int(bytes) }
        if flags.contains(.retention) { details.retentionHours = try reader.int(bytes) }
        if flags.contains(.criticalAlert) {
            var alert = CriticalAlert()
            alert.sound = try reader.text(bytes)
            alert.volume = Double(bitPattern: try reader.number(bytes))
            details.criticalAlert = alert
        }
        if flags.contains(.effects) { details.effects = try reader.effects(bytes) }
        details.isRemoved = flags.contains(.isRemoved)
        if flags.contains(.notification) {
            var notification = NotificationInfo(id: try reader.text(bytes))
            notification.status = try reader.text(bytes)
            notification.data = try reader.optionalText(bytes)
            details.notification = notification
        }
        if flags.contains(.parentEdit) {
            details.parentPreview?.updatedAt = Timestamp(milliseconds: try reader.signed(bytes))
        }
        return details
    }
}

extension [UInt8] {
    fileprivate mutating func append(reactions: [Reaction]) {
        append(list: reactions) { bytes, reaction in
            bytes.append(text: reaction.key)
            bytes.append(list: reaction.userIDs) { $0.append(text: $1.rawValue) }
            bytes.append(signed: reaction.updatedAt.milliseconds)
            bytes.append(signed: Int64(reaction.count))
        }
    }

    fileprivate mutating func append(thread: ThreadInfo, row: (UserID) -> Int64) {
        append(signed: Int64(thread.replyCount))
        append(list: thread.mostReplies) { $0.append(signed: row($1.id)) }
        append(moment: thread.lastRepliedAt)
        append(moment: thread.updatedAt)
        append(optional: thread.memberCount) { $0.append(signed: Int64($1)) }
        append(optional: thread.unreadMessageCount) { $0.append(signed: Int64($1)) }
        append(optional: thread.isPushEnabled) { $0.append($1 ? 1 : 0) }
    }

    fileprivate mutating func append(parent: ParentPreview, row: (UserID) -> Int64) {
        append(fullContent: parent.content)
        append(optional: parent.sender) { $0.append(signed: row($1.id)) }
        append(moment: parent.createdAt)
        append(text: parent.data)
        append(text: parent.customType)
        append(texts: parent.translations)
    }

    fileprivate mutating func append(link: LinkPreview) {
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

    fileprivate mutating func append(effects: MessageEffects) {
        append(text: effects.push)
        append(
            (effects.updatesUnreadCount ? 1 : 0) | (effects.updatesMentionCount ? 2 : 0)
                | (effects.updatesLastMessage ? 4 : 0))
    }
}

extension PayloadReader {
    fileprivate mutating func reactions(_ bytes: Span<UInt8>) throws(PayloadError) -> [Reaction] {
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

    fileprivate mutating func thread(
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

    fileprivate mutating func parent(
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

    fileprivate mutating func link(_ bytes: Span<UInt8>) throws(PayloadError) -> LinkPreview {
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

    fileprivate mutating func effects(
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
