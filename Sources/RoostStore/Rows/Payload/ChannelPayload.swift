// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// The stored form of a channel, without its URL and its times, which are columns.
///
/// Users stand in it as the numbers of their rows, so that a rename touches one row and no channel.
package enum ChannelPayload {
    private static let version: UInt8 = 1

    private struct Flags: OptionSet {
        let rawValue: UInt64
        static let isDistinct = Flags(rawValue: 1 << 0)
        static let isSuper = Flags(rawValue: 1 << 1)
        static let isBroadcast = Flags(rawValue: 1 << 2)
        static let isPublic = Flags(rawValue: 1 << 3)
        static let isFrozen = Flags(rawValue: 1 << 4)
        static let isOperator = Flags(rawValue: 1 << 5)
        static let isExclusive = Flags(rawValue: 1 << 6)
        static let isDiscoverable = Flags(rawValue: 1 << 7)
        static let isEphemeral = Flags(rawValue: 1 << 8)
        static let needsAccessCode = Flags(rawValue: 1 << 9)
        static let isChatNotification = Flags(rawValue: 1 << 10)
        static let isPushOff = Flags(rawValue: 1 << 11)
        static let hasBot = Flags(rawValue: 1 << 12)
        static let hasAIBot = Flags(rawValue: 1 << 13)
        static let ignoresProfanityFilter = Flags(rawValue: 1 << 14)
        static let isMuted = Flags(rawValue: 1 << 15)
        static let isSurvivalTriggeredByRead = Flags(rawValue: 1 << 16)

        static let all = Flags(rawValue: 0x1_FFFF)

        init(rawValue: UInt64) { self.rawValue = rawValue }

        init(of channel: GroupChannel) {
            self = []
            if channel.isDistinct { insert(.isDistinct) }
            if channel.isSuper { insert(.isSuper) }
            if channel.isBroadcast { insert(.isBroadcast) }
            if channel.isPublic { insert(.isPublic) }
            if channel.isFrozen { insert(.isFrozen) }
            if channel.myRole == .operator { insert(.isOperator) }
            if channel.isExclusive { insert(.isExclusive) }
            if channel.isDiscoverable { insert(.isDiscoverable) }
            if channel.isEphemeral { insert(.isEphemeral) }
            if channel.needsAccessCode { insert(.needsAccessCode) }
            if channel.isChatNotification { insert(.isChatNotification) }
            if !channel.isPushEnabled { insert(.isPushOff) }
            if channel.hasBot { insert(.hasBot) }
            if channel.hasAIBot { insert(.hasAIBot) }
            if channel.ignoresProfanityFilter { insert(.ignoresProfanityFilter) }
            if channel.isMuted { insert(.isMuted) }
            if channel.isSurvivalTriggeredByRead { insert(.isSurvivalTriggeredByRead) }
        }

        func apply(to channel: inout GroupChannel) {
            channel.isDistinct = contains(.isDistinct)
            channel.isSuper = contains(.isSuper)
            channel.isBroadcast = contains(.isBroadcast)
            channel.isPublic = contains(.isPublic)
            channel.isFrozen = contains(.isFrozen)
            channel.myRole = contains(.isOperator) ? .operator : .none
            channel.isExclusive = contains(.isExclusive)
            channel.isDiscoverable = contains(.isDiscoverable)
            channel.isEphemeral = contains(.isEphemeral)
            channel.needsAccessCode = contains(.needsAccessCode)
            channel.isChatNotification = contains(.isChatNotification)
            channel.isPushEnabled = !contains(.isPushOff)
            channel.hasBot = contains(.hasBot)
            channel.hasAIBot = contains(.hasAIBot)
            channel.ignoresProfanityFilter = contains(.ignoresProfanityFilter)
            channel.isMuted = contains(.isMuted)
            channel.isSurvivalTriggeredByRead = contains(.isSurvivalTriggeredByRead)
        }
    }

    /// Writes a channel; `row` answers with the number of a user's row.
    package static func write(
        _ channel: GroupChannel, to bytes: inout [UInt8], row: (UserID) -> Int64
    ) {
        let nested = NestedFields(of: channel.members)
        bytes.append(version)
        bytes.append(number: Flags(of: channel).rawValue)
        for text in [channel.name, channel.coverURL, channel.data, channel.customType] {
            bytes.append(text: text)
        }
        bytes.append(MembershipTag(channel.myState).rawValue)
        bytes.append(optional: channel.createdBy) { $0.append(signed: row($1.id)) }
        bytes.append(list: channel.members) { bytes, member in
            bytes.append(signed: row(member.id))
            bytes.append(MembershipTag(member.state).rawValue)
            bytes.append(memberRest: member)
        }
        for count in [
            channel.memberCount, channel.joinedMemberCount, channel.unreadMessageCount,
            channel.unreadMentionCount,
        ] {
            bytes.append(signed: Int64(count))
        }
        bytes.append(optional: channel.lastMessage) { $0.append(embedded: $1, row: row) }
        bytes.append(moment: channel.myLastRead)
        bytes.append(moment: channel.messageOffset)
        bytes.append(rest: channel, row: row)
        bytes.append(unknown: channel.unknownFields)
        bytes.append(nested: nested)
    }

    /// Reads a payload into a channel that its columns have begun; `user` answers with that of a row.
    package static func read(
        _ bytes: Span<UInt8>, into channel: inout GroupChannel, user: (Int64) -> User
    ) throws(PayloadError) {
        var reader = PayloadReader()
        try reader.version(bytes, newest: version)
        let flags = Flags(rawValue: try reader.number(bytes))
        guard flags.isSubset(of: .all) else { throw .invalid }
        flags.apply(to: &channel)
        channel.name = try reader.text(bytes)
        channel.coverURL = try reader.text(bytes)
        channel.data = try reader.text(bytes)
        channel.customType = try reader.text(bytes)
        channel.myState = try reader.membership(bytes)
        channel.createdBy = try reader.optional(bytes) { reader, bytes throws(PayloadError) in
            user(try reader.signed(bytes))
        }
        channel.members = try reader.list(bytes) { reader, bytes throws(PayloadError) in
            try reader.member(bytes, user: user)
        }
        channel.memberCount = Int(clamping: try reader.signed(bytes))
        channel.joinedMemberCount = Int(clamping: try reader.signed(bytes))
        channel.unreadMessageCount = Int(clamping: try reader.signed(bytes))
        channel.unreadMentionCount = Int(clamping: try reader.signed(bytes))
        let url = channel.url
        channel.lastMessage = try reader.optional(bytes) { reader, bytes throws(PayloadError) in
            try reader.embeddedMessage(bytes, in: url, user: user)
        }
        channel.myLastRead = try reader.moment(bytes)
        channel.messageOffset = try reader.moment(bytes)
        try reader.rest(bytes, of: &channel, user: user)
        channel.unknownFields = try reader.unknownFields(bytes)
        try reader.nestedFields(bytes).apply(to: &channel.members)
        try reader.finish(bytes)
    }

    /// The rows of the users whom a payload names as members, in its order; the rest is not looked at.
    static func memberRows(_ bytes: Span<UInt8>) throws(PayloadError) -> [Int64] {
        var reader = PayloadReader()
        try reader.version(bytes, newest: version)
        _ = try reader.number(bytes)
        for _ in 0..<4 { try reader.skipText(bytes) }
        _ = try reader.membership(bytes)
        _ = try reader.optional(bytes) { reader, bytes throws(PayloadError) in
            try reader.signed(bytes)
        }
        var rows: [Int64] = []
        let count = try reader.count(bytes)
        rows.reserveCapacity(min(count, 1_024))
        let nobody = User(id: "")
        for _ in 0..<count {
            _ = try reader.member(bytes) { row in
                rows.append(row)
                return nobody
            }
        }
        return rows
    }
}

/// The stored numbers of `MembershipState`.
enum MembershipTag: UInt8 {
    case none = 0
    case invited = 1
    case joined = 2

    init(_ state: MembershipState) {
        switch state {
        case .none: self = .none
        case .invited: self = .invited
        case .joined: self = .joined
        }
    }

    var state: MembershipState {
        switch self {
        case .none: .none
        case .invited: .invited
        case .joined: .joined
        }
    }
}

extension [UInt8] {
    /// A delivered message inside another value, with what would be its columns in front.
    fileprivate mutating func append(embedded message: Message, row: (UserID) -> Int64) {
        guard let id = message.messageID else {
            preconditionFailure("A channel's last message is one that the server has.")
        }
        append(signed: message.createdAt.milliseconds)
        append(signed: id.rawValue)
        append(moment: message.updatedAt)
        append(optional: message.parentID) { $0.append(signed: $1.rawValue) }
        append(optional: message.sender) { $0.append(signed: row($1.user.id)) }
        append(text: message.customType)
        MessagePayload.write(message, to: &self, row: row)
    }

    /// A member's bits, and what few members have behind one of them.
    fileprivate mutating func append(memberRest member: Member) {
        let hasMore =
            member.mutedUntil != nil || !member.muteReason.isEmpty || member.readAt != nil
            || member.deliveredAt != nil
        var bits: UInt8 = member.role == .operator ? 1 : 0
        if member.isMuted { bits |= 2 }
        if member.isBlockedByMe { bits |= 4 }
        if member.isBlockingMe { bits |= 8 }
        if hasMore { bits |= 16 }
        append(bits)
        append(moment: member.joinedAt)
        guard hasMore else { return }
        append(moment: member.mutedUntil)
        append(text: member.muteReason)
        append(moment: member.readAt)
        append(moment: member.deliveredAt)
    }

    /// Appends the fields between the offset and the unknown fields.
    fileprivate mutating func append(rest channel: GroupChannel, row: (UserID) -> Int64) {
        append(list: channel.operators) { $0.append(signed: row($1.id)) }
        append(optional: channel.inviter) { $0.append(signed: row($1.id)) }
        append(moment: channel.invitedAt)
        append(moment: channel.joinedAt)
        append(choice: channel.hiddenState)
        append(choice: channel.countPreference)
        append(choice: channel.pushTrigger)
        append(optional: channel.latestMessage) { bytes, place in
            bytes.append(signed: place.createdAt.milliseconds)
            bytes.append(signed: place.messageID.rawValue)
        }
        append(receipts: channel.readReceipts)
        append(receipts: channel.deliveryReceipts)
        append(moment: channel.purgeOffset)
        append(optional: channel.messageSurvivalSeconds) { $0.append(signed: Int64($1)) }
        append(optional: channel.maxMessageLength) { $0.append(signed: Int64($1)) }
        append(list: channel.pinnedMessageIDs) { $0.append(signed: $1.rawValue) }
        append(optional: channel.latestPinnedMessage) { $0.append(embedded: $1, row: row) }
        append(optional: channel.metadata) { $0.append(texts: $1) }
    }

    /// The place among all cases, which are only ever added to at the end.
    fileprivate mutating func append<Choice: CaseIterable & Equatable>(choice: Choice) {
        append(count: Choice.allCases.prefix { $0 != choice }.count)
    }

    /// By ID: a receipt may be of somebody who is in no list of members.
    private mutating func append(receipts: [UserID: Timestamp]?) {
        append(optional: receipts) { bytes, receipts in
            bytes.append(list: receipts.sorted { $0.key < $1.key }) { bytes, entry in
                bytes.append(text: entry.key.rawValue)
                bytes.append(signed: entry.value.milliseconds)
            }
        }
    }
}

extension PayloadReader {
    fileprivate mutating func membership(
        _ bytes: Span<UInt8>
    ) throws(PayloadError) -> MembershipState {
        guard let tag = MembershipTag(rawValue: try byte(bytes)) else { throw .invalid }
        return tag.state
    }

    fileprivate mutating func member(
        _ bytes: Span<UInt8>, user: (Int64) -> User
    ) throws(PayloadError) -> Member {
        var member = Member(user: user(try signed(bytes)), state: try membership(bytes))
        let bits = try byte(bytes)
        guard bits < 32 else { throw .invalid }
        member.role = bits & 1 == 0 ? .none : .operator
        member.isMuted = bits & 2 != 0
        member.isBlockedByMe = bits & 4 != 0
        member.isBlockingMe = bits & 8 != 0
        member.joinedAt = try moment(bytes)
        if bits & 16 != 0 {
            member.mutedUntil = try moment(bytes)
            member.muteReason = try text(bytes)
            member.readAt = try moment(bytes)
            member.deliveredAt = try moment(bytes)
        }
        return member
    }

    fileprivate mutating func embeddedMessage(
        _ bytes: Span<UInt8>, in channel: ChannelURL, user: (Int64) -> User
    ) throws(PayloadError) -> Message {
        let createdAt = Timestamp(milliseconds: try signed(bytes))
        let id = MessageID(try signed(bytes))
        let updatedAt = try moment(bytes)
        let parentID = try optional(bytes) { reader, bytes throws(PayloadError) in
            MessageID(try reader.signed(bytes))
        }
        let sender = try optionalUser(bytes, user)
        let customType = try text(bytes)
        return try MessagePayload.read(
            bytes, with: &self, id: id, channelURL: channel, createdAt: createdAt,
            columns: MessageColumns(
                sender: sender, customType: customType, parentID: parentID, updatedAt: updatedAt),
            user: user
        ) { _ in "" }
    }

    fileprivate mutating func receipts(
        _ bytes: Span<UInt8>
    ) throws(PayloadError) -> [UserID: Timestamp]? {
        try optional(bytes) { reader, bytes throws(PayloadError) in
            let entries = try reader.list(bytes) { reader, bytes throws(PayloadError) in
                (
                    id: UserID(try reader.text(bytes)),
                    moment: Timestamp(milliseconds: try reader.signed(bytes))
                )
            }
            var receipts: [UserID: Timestamp] = [:]
            for entry in entries { receipts[entry.id] = entry.moment }
            return receipts
        }
    }

    /// Reads the fields between the offset and the unknown fields.
    fileprivate mutating func rest(
        _ bytes: Span<UInt8>, of channel: inout GroupChannel, user: (Int64) -> User
    ) throws(PayloadError) {
        channel.operators = try users(bytes, user)
        channel.inviter = try optionalUser(bytes, user)
        channel.invitedAt = try moment(bytes)
        channel.joinedAt = try moment(bytes)
        channel.hiddenState = try choice(bytes, HiddenState.allCases)
        channel.countPreference = try choice(bytes, CountPreference.allCases)
        channel.pushTrigger = try choice(bytes, PushTrigger.allCases)
        channel.latestMessage = try optional(bytes) { reader, bytes throws(PayloadError) in
            Position(
                createdAt: Timestamp(milliseconds: try reader.signed(bytes)),
                messageID: MessageID(try reader.signed(bytes)))
        }
        channel.readReceipts = try receipts(bytes)
        channel.deliveryReceipts = try receipts(bytes)
        channel.purgeOffset = try moment(bytes)
        channel.messageSurvivalSeconds = try optionalInt(bytes)
        channel.maxMessageLength = try optionalInt(bytes)
        channel.pinnedMessageIDs = try list(bytes) { reader, bytes throws(PayloadError) in
            MessageID(try reader.signed(bytes))
        }
        let url = channel.url
        channel.latestPinnedMessage = try optional(bytes) { reader, bytes throws(PayloadError) in
            try reader.embeddedMessage(bytes, in: url, user: user)
        }
        channel.metadata = try optional(bytes) { reader, bytes throws(PayloadError) in
            try reader.texts(bytes)
        }
    }

    private mutating func choice<Choice>(
        _ bytes: Span<UInt8>, _ choices: [Choice]
    ) throws(PayloadError) -> Choice {
        let index = Int(try byte(bytes))
        guard choices.indices.contains(index) else { throw .invalid }
        return choices[index]
    }
}
