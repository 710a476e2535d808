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
        static let all = Flags(rawValue: 0x3F)

        init(rawValue: UInt64) { self.rawValue = rawValue }

        init(of channel: GroupChannel) {
            self = []
            if channel.isDistinct { insert(.isDistinct) }
            if channel.isSuper { insert(.isSuper) }
            if channel.isBroadcast { insert(.isBroadcast) }
            if channel.isPublic { insert(.isPublic) }
            if channel.isFrozen { insert(.isFrozen) }
            if channel.myRole == .operator { insert(.isOperator) }
        }
    }

    /// Writes a channel; `row` answers with the number of a user's row.
    package static func write(
        _ channel: GroupChannel, to bytes: inout [UInt8], row: (UserID) -> Int64
    ) {
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
            bytes.append((member.role == .operator ? 1 : 0) | (member.isMuted ? 2 : 0))
            bytes.append(optional: member.joinedAt) { $0.append(signed: $1.milliseconds) }
        }
        for count in [
            channel.memberCount, channel.joinedMemberCount, channel.unreadMessageCount,
            channel.unreadMentionCount,
        ] {
            bytes.append(signed: Int64(count))
        }
        bytes.append(optional: channel.lastMessage) { $0.append(embedded: $1, row: row) }
        bytes.append(optional: channel.myLastRead) { $0.append(signed: $1.milliseconds) }
        bytes.append(optional: channel.messageOffset) { $0.append(signed: $1.milliseconds) }
        bytes.append(unknown: channel.unknownFields)
    }

    /// Reads a payload into a channel that its columns have begun; `user` answers with that of a row.
    package static func read(
        _ bytes: Span<UInt8>, into channel: inout GroupChannel, user: (Int64) -> User
    ) throws(PayloadError) {
        var reader = PayloadReader()
        _ = try reader.version(bytes, newest: version)
        let flags = Flags(rawValue: try reader.number(bytes))
        guard flags.isSubset(of: .all) else { throw .invalid }
        channel.isDistinct = flags.contains(.isDistinct)
        channel.isSuper = flags.contains(.isSuper)
        channel.isBroadcast = flags.contains(.isBroadcast)
        channel.isPublic = flags.contains(.isPublic)
        channel.isFrozen = flags.contains(.isFrozen)
        channel.myRole = flags.contains(.isOperator) ? .operator : .none
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
        channel.myLastRead = try reader.optionalTimestamp(bytes)
        channel.messageOffset = try reader.optionalTimestamp(bytes)
        channel.unknownFields = try reader.unknownFields(bytes)
        try reader.finish(bytes)
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
        append(optional: message.requestID) { $0.append(text: $1.rawValue) }
        append(optional: message.updatedAt) { $0.append(signed: $1.milliseconds) }
        append(optional: message.parentID) { $0.append(signed: $1.rawValue) }
        append(optional: message.sender) { $0.append(signed: row($1.user.id)) }
        append(text: message.customType)
        MessagePayload.write(message, to: &self)
    }
}

extension PayloadReader {
    fileprivate mutating func timestamp(_ bytes: Span<UInt8>) throws(PayloadError) -> Timestamp {
        Timestamp(milliseconds: try signed(bytes))
    }

    fileprivate mutating func optionalTimestamp(
        _ bytes: Span<UInt8>
    ) throws(PayloadError) -> Timestamp? {
        try optional(bytes) { reader, bytes throws(PayloadError) in try reader.timestamp(bytes) }
    }

    fileprivate mutating func membership(
        _ bytes: Span<UInt8>
    ) throws(PayloadError) -> MembershipState {
        guard let tag = MembershipTag(rawValue: try byte(bytes)) else { throw .invalid }
        return tag.state
    }

    fileprivate mutating func member(
        _ bytes: Span<UInt8>, user: (Int64) -> User
    ) throws(PayloadError) -> Member {
        let user = user(try signed(bytes))
        let state = try membership(bytes)
        let bits = try byte(bytes)
        guard bits < 4 else { throw .invalid }
        return Member(
            user: user, state: state, role: bits & 1 == 0 ? .none : .operator,
            isMuted: bits & 2 != 0, joinedAt: try optionalTimestamp(bytes))
    }

    fileprivate mutating func embeddedMessage(
        _ bytes: Span<UInt8>, in channel: ChannelURL, user: (Int64) -> User
    ) throws(PayloadError) -> Message {
        let createdAt = try timestamp(bytes)
        let id = MessageID(try signed(bytes))
        let requestID = try optional(bytes) { reader, bytes throws(PayloadError) in
            RequestID(try reader.text(bytes))
        }
        var message = Message(
            delivery: .delivered(id, requestID), channelURL: channel, createdAt: createdAt,
            content: .user(text: ""))
        message.updatedAt = try optionalTimestamp(bytes)
        message.parentID = try optional(bytes) { reader, bytes throws(PayloadError) in
            MessageID(try reader.signed(bytes))
        }
        let sender = try optional(bytes) { reader, bytes throws(PayloadError) in
            user(try reader.signed(bytes))
        }
        message.customType = try text(bytes)
        let role = try MessagePayload.read(bytes, with: &self, into: &message)
        message.sender = sender.map { Sender(user: $0, role: role) }
        return message
    }
}
