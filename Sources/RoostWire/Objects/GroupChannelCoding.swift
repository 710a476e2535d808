// SPDX-License-Identifier: Apache-2.0

package import RoostModel

extension JSONReader {
    /// Reads a group channel as one user sees it (`docs/protocol` 4.2).
    ///
    /// `ts` and `is_created` describe the answer and are not kept with the channel.
    package mutating func readGroupChannel() throws(WireError) -> GroupChannel {
        var fields = GroupChannelFields()
        try readFields(GroupChannelField.self) { field, name, reader throws(WireError) in
            try fields.read(field, name, &reader)
        }
        return try fields.channel(endingAt: position)
    }
}

/// The fields of a channel while an object that has them is decoded.
struct GroupChannelFields {
    private var channel = GroupChannel(url: "")
    private var isDiscoverable: Bool?
    private var isHidden = false
    private var hiddenState: HiddenState?
    /// Whether a "create" call made the channel; false if a distinct channel existed.
    ///
    /// Nil elsewhere.
    private(set) var isCreated: Bool?

    mutating func read(
        _ field: GroupChannelField?, _ name: FieldText, _ reader: inout JSONReader
    ) throws(WireError) {
        switch field {
        case .url?: channel.url = ChannelURL(try reader.readString())
        case .name?: channel.name = try reader.readStringIfPresent() ?? ""
        case .coverURL?: channel.coverURL = try reader.readStringIfPresent() ?? ""
        case .data?: channel.data = try reader.readStringIfPresent() ?? ""
        case .customType?: channel.customType = try reader.readStringIfPresent() ?? ""
        case .createdAt?:
            channel.createdAt = try reader.readSeconds() ?? Timestamp(milliseconds: 0)
        case .createdBy?: channel.createdBy = try reader.readUserIfPresent()
        case .members?:
            channel.members = try reader.readList { reader throws(WireError) in
                try reader.readMember()
            }
        case .operators?: channel.operators = try reader.readUsers()
        case .inviter?: channel.inviter = try reader.readUserIfPresent()
        case .lastMessage?:
            channel.lastMessage = try reader.readNull() ? nil : try reader.readMessage()
        case .latestPinnedMessage?:
            let isAbsent = try reader.skipEmptyOrNull()
            channel.latestPinnedMessage = isAbsent ? nil : try reader.readMessage()
        case .latestMessage?:
            channel.latestMessage = try reader.readPlace(keepingIn: &channel.unknownFields)
        case .pinnedMessageIDs?:
            channel.pinnedMessageIDs = try reader.readList { reader throws(WireError) in
                try reader.readMessageID()
            }.compactMap(\.self)
        case .readReceipt?: channel.readReceipts = try reader.readReceipts()
        case .deliveryReceipt?: channel.deliveryReceipts = try reader.readReceipts()
        case .metadata?: channel.metadata = try reader.readNull() ? nil : try reader.readTexts()
        case .isCreated?: isCreated = try reader.readBoolIfPresent()
        case .ts?: try reader.skipValue()
        default: try readFlag(field, name, &reader)
        }
    }

    private mutating func readFlag(
        _ field: GroupChannelField?, _ name: FieldText, _ reader: inout JSONReader
    ) throws(WireError) {
        switch field {
        case .isDistinct?: channel.isDistinct = try reader.readBoolIfPresent() ?? false
        case .isSuper?: channel.isSuper = try reader.readBoolIfPresent() ?? false
        case .isBroadcast?: channel.isBroadcast = try reader.readBoolIfPresent() ?? false
        case .isExclusive?: channel.isExclusive = try reader.readBoolIfPresent() ?? false
        case .isPublic?: channel.isPublic = try reader.readBoolIfPresent() ?? false
        case .isDiscoverable?: isDiscoverable = try reader.readBoolIfPresent()
        case .isEphemeral?: channel.isEphemeral = try reader.readBoolIfPresent() ?? false
        case .needsAccessCode?: channel.needsAccessCode = try reader.readBoolIfPresent() ?? false
        case .isChatNotification?:
            channel.isChatNotification = try reader.readBoolIfPresent() ?? false
        case .isPushEnabled?: channel.isPushEnabled = try reader.readBoolIfPresent() ?? true
        case .isMuted?: channel.isMuted = try reader.readBoolIfPresent() ?? false
        case .isHidden?: isHidden = try reader.readBoolIfPresent() ?? false
        case .freeze?: channel.isFrozen = try reader.readBoolIfPresent() ?? false
        case .hasBot?: channel.hasBot = try reader.readBoolIfPresent() ?? false
        case .hasAIBot?: channel.hasAIBot = try reader.readBoolIfPresent() ?? false
        case .ignoresProfanityFilter?:
            channel.ignoresProfanityFilter = try reader.readBoolIfPresent() ?? false
        default: try readNumberOrWord(field, name, &reader)
        }
    }

    private mutating func readNumberOrWord(
        _ field: GroupChannelField?, _ name: FieldText, _ reader: inout JSONReader
    ) throws(WireError) {
        switch field {
        case .memberCount?: channel.memberCount = try reader.readCount() ?? 0
        case .joinedMemberCount?: channel.joinedMemberCount = try reader.readCount() ?? 0
        case .unreadMessageCount?: channel.unreadMessageCount = try reader.readCount() ?? 0
        case .unreadMentionCount?: channel.unreadMentionCount = try reader.readCount() ?? 0
        case .memberState?: channel.myState = try reader.readMembershipState()
        case .myRole?: channel.myRole = try reader.readRole()
        case .myLastRead?: channel.myLastRead = try reader.readMoment()
        case .invitedAt?: channel.invitedAt = try reader.readMoment()
        case .joinedAt?: channel.joinedAt = try reader.readSeconds()
        case .hiddenState?: hiddenState = HiddenState(word: try reader.readStringIfPresent() ?? "")
        case .messageOffset?: channel.messageOffset = try reader.readMoment()
        case .purgeOffset?: channel.purgeOffset = try reader.readMoment()
        case .survivalSeconds?: channel.messageSurvivalSeconds = try reader.readLimit()
        case .disappearing?: try readDisappearing(&reader)
        case .countPreference?:
            channel.countPreference =
                CountPreference(word: try reader.readStringIfPresent() ?? "") ?? .all
        case .pushTrigger?:
            channel.pushTrigger =
                PushTrigger(rawValue: try reader.readStringIfPresent() ?? "") ?? .standard
        case .maxMessageLength?: channel.maxMessageLength = try reader.readCount()
        default: try channel.unknownFields.keep(reader.name(name), from: &reader)
        }
    }

    private mutating func readDisappearing(_ reader: inout JSONReader) throws(WireError) {
        if try reader.readNull() { return }
        var unknown = UnknownFields()
        try reader.readObject { name, reader throws(WireError) in
            switch name {
            case "message_survival_seconds":
                self.channel.messageSurvivalSeconds =
                    try reader.readLimit() ?? self.channel.messageSurvivalSeconds
            case "is_triggered_by_message_read":
                self.channel.isSurvivalTriggeredByRead = try reader.readBoolIfPresent() ?? false
            default: try unknown.keep(name, from: &reader)
            }
        }
        channel.unknownFields.keep(GroupChannelField.disappearing.rawValue, inside: unknown)
    }

    func channel(endingAt offset: Int) throws(WireError) -> GroupChannel {
        guard !channel.url.rawValue.isEmpty else { throw .missing("channel_url", offset: offset) }
        var channel = channel
        channel.isDiscoverable = isDiscoverable ?? channel.isPublic
        channel.hiddenState = hiddenState ?? .unhidden
        // Even if the server's word is unknown, the channel is certainly hidden.
        if isHidden, channel.hiddenState == .unhidden { channel.hiddenState = .untilNextMessage }
        return channel
    }
}

extension HiddenState {
    /// Creates a state from the protocol's word or a client's short word (`docs/protocol` 4.2).
    fileprivate init?(word: String) {
        switch word {
        case "allow_auto_unhide": self = .untilNextMessage
        case "prevent_auto_unhide": self = .untilShown
        default: self.init(rawValue: word)
        }
    }
}

extension CountPreference {
    /// Creates a preference from the protocol's word or that of the service's own interface
    /// (`docs/protocol` 3.15).
    fileprivate init?(word: String) {
        switch word {
        case "unread_mentioned_count_only": self = .mentions
        case "false": self = .off
        default: self.init(rawValue: word)
        }
    }
}

extension JSONReader {
    /// Reads times by user; null tells nothing.
    fileprivate mutating func readReceipts() throws(WireError) -> [UserID: Timestamp]? {
        if try readNull() { return nil }
        var receipts: [UserID: Timestamp] = [:]
        try readObject { name, reader throws(WireError) in
            receipts[UserID(name)] = try reader.readMoment() ?? Timestamp(milliseconds: 0)
        }
        return receipts
    }

    fileprivate mutating func readPlace(
        keepingIn kept: inout UnknownFields
    ) throws(WireError) -> Position? {
        if try readNull() { return nil }
        var unknown = UnknownFields()
        var id: MessageID?
        var createdAt: Timestamp?
        try readObject { name, reader throws(WireError) in
            switch name {
            case "message_id": id = try reader.readMessageID()
            case "created_at": createdAt = try reader.readMoment()
            default: try unknown.keep(name, from: &reader)
            }
        }
        kept.keep(GroupChannelField.latestMessage.rawValue, inside: unknown)
        guard let id, let createdAt else { return nil }
        return Position(createdAt: createdAt, messageID: id)
    }
}

extension JSONWriter {
    package mutating func groupChannel(_ channel: GroupChannel) {
        object { writer in writer.fields(of: channel) }
    }

    /// Writes a channel's fields into the current object; absent values are left out, except for
    /// two that may be null (`docs/protocol` 4.0).
    package mutating func fields(of channel: GroupChannel) {
        field("channel_url", channel.url.rawValue)
        field("name", channel.name)
        field("cover_url", channel.coverURL)
        field("data", channel.data)
        field("custom_type", channel.customType)
        field("created_at", channel.createdAt.seconds)
        name("created_by")
        if let user = channel.createdBy { self.user(user) } else { null() }
        field("is_distinct", channel.isDistinct)
        field("is_super", channel.isSuper)
        field("is_broadcast", channel.isBroadcast)
        field("is_public", channel.isPublic)
        field("freeze", channel.isFrozen)
        if !channel.members.isEmpty { members("members", channel.members) }
        field("member_count", channel.memberCount)
        field("joined_member_count", channel.joinedMemberCount)
        field("unread_message_count", channel.unreadMessageCount)
        field("unread_mention_count", channel.unreadMentionCount)
        name("last_message")
        if let message = channel.lastMessage { self.message(message) } else { null() }
        field("member_state", channel.myState.rawValue)
        field("my_role", channel.myRole.rawValue)
        if let moment = channel.myLastRead { field("user_last_read", moment.milliseconds) }
        if let moment = channel.messageOffset { field("ts_message_offset", moment.milliseconds) }
        field("is_hidden", channel.hiddenState != .unhidden)
        field("hidden_state", channel.hiddenState.rawValue)
        rareFlags(of: channel)
        rareFields(of: channel)
        var rest = channel.unknownFields
        if channel.latestMessage != nil {
            rest = rest.removing(GroupChannelField.latestMessage.rawValue)
        }
        if channel.isSurvivalTriggeredByRead {
            rest = rest.removing(GroupChannelField.disappearing.rawValue)
        }
        unknown(rest)
    }

    private mutating func rareFlags(of channel: GroupChannel) {
        if channel.isDiscoverable != channel.isPublic {
            field("is_discoverable", channel.isDiscoverable)
        }
        let flags = [
            ("is_exclusive", channel.isExclusive), ("is_ephemeral", channel.isEphemeral),
            ("is_access_code_required", channel.needsAccessCode),
            ("is_chat_notification", channel.isChatNotification), ("is_muted", channel.isMuted),
            ("has_bot", channel.hasBot), ("has_ai_bot", channel.hasAIBot),
            ("ignore_profanity_filter", channel.ignoresProfanityFilter),
        ]
        for (name, isSet) in flags where isSet { field(name, true) }
        if !channel.isPushEnabled { field("is_push_enabled", false) }
        if channel.countPreference != .all {
            field("count_preference", channel.countPreference.rawValue)
        }
        if channel.pushTrigger != .standard {
            field("push_trigger_option", channel.pushTrigger.rawValue)
        }
    }

    private mutating func rareFields(of channel: GroupChannel) {
        if !channel.operators.isEmpty { users("operators", channel.operators) }
        if let user = channel.inviter {
            name("inviter")
            self.user(user)
        }
        moment("invited_at", channel.invitedAt)
        if let joinedAt = channel.joinedAt { field("joined_ts", joinedAt.seconds) }
        if let place = channel.latestMessage {
            object("latest_message") { writer in
                writer.field("message_id", place.messageID.rawValue)
                writer.field("created_at", place.createdAt.milliseconds)
                writer.unknown(channel.unknownFields, inside: "latest_message")
            }
        }
        receipts("read_receipt", channel.readReceipts)
        receipts("delivery_receipt", channel.deliveryReceipts)
        moment("message_purge_offset", channel.purgeOffset)
        if let seconds = channel.messageSurvivalSeconds {
            field("message_survival_seconds", seconds)
        }
        if channel.isSurvivalTriggeredByRead {
            object("disappearing_message") { writer in
                writer.field("message_survival_seconds", channel.messageSurvivalSeconds ?? -1)
                writer.field("is_triggered_by_message_read", true)
                writer.unknown(channel.unknownFields, inside: "disappearing_message")
            }
        }
        if let length = channel.maxMessageLength { field("max_length_message", length) }
        if !channel.pinnedMessageIDs.isEmpty {
            array("pinned_message_ids") { writer in
                for id in channel.pinnedMessageIDs { writer.int(id.rawValue) }
            }
        }
        if let message = channel.latestPinnedMessage {
            name("latest_pinned_message")
            self.message(message)
        }
        if let metadata = channel.metadata { texts("metadata", metadata) }
    }

    private mutating func receipts(_ name: String, _ receipts: [UserID: Timestamp]?) {
        guard let receipts else { return }
        object(name) { writer in
            for (id, moment) in receipts.sorted(by: { $0.key < $1.key }) {
                writer.field(id.rawValue, moment.milliseconds)
            }
        }
    }
}
