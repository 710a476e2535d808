// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// The stored form of a channel, without its URL and its times, which are columns.
///
/// Users are stored as the numbers of their rows, so a rename touches one row and no channel.
package enum ChannelPayload {
    private static let table = PayloadTable<GroupChannel>()

    /// Appends a channel; `row` returns the number of a user's row.
    package static func write(
        _ channel: GroupChannel, to bytes: inout [UInt8], row: (UserID) -> Int64
    ) {
        bytes.append(table.version)
        table.write(channel, to: &bytes, row: row)
        bytes.append(nested: NestedFields(of: channel.members))
    }

    /// Reads a payload into a channel made from its columns; `user` returns the user of a row.
    package static func read(
        _ bytes: Span<UInt8>, into channel: inout GroupChannel, user: (Int64) -> User
    ) throws(PayloadError) {
        var reader = PayloadReader()
        let version = try reader.version(bytes, newest: table.version)
        try table.read(
            bytes, from: &reader, into: &channel, version: version, in: channel.url, user: user)
        try reader.nestedFields(bytes).apply(to: &channel.members)
        try reader.finish(bytes)
    }

    /// Returns the rows of the members in a payload, in its order, without reading the rest.
    static func memberRows(_ bytes: Span<UInt8>) throws(PayloadError) -> [Int64] {
        var reader = PayloadReader()
        try reader.version(bytes, newest: table.version)
        try table.skip(to: .members, bytes, with: &reader)
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
    /// Appends a delivered message inside another value, with the values of its columns first.
    mutating func append(embedded message: Message, row: (UserID) -> Int64) {
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

    mutating func append(member: Member, row: (UserID) -> Int64) {
        append(signed: row(member.id))
        append(MembershipTag(member.state).rawValue)
        append(memberRest: member)
    }

    /// Appends the bits of a member, and the rare fields after one of the bits.
    private mutating func append(memberRest member: Member) {
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

    /// By ID, because the user of a receipt may be in no list of members.
    mutating func append(receipts: [UserID: Timestamp]) {
        append(list: receipts.sorted { $0.key < $1.key }) { bytes, entry in
            bytes.append(text: entry.key.rawValue)
            bytes.append(signed: entry.value.milliseconds)
        }
    }
}

extension PayloadReader {
    private mutating func membership(
        _ bytes: Span<UInt8>
    ) throws(PayloadError) -> MembershipState {
        guard let tag = MembershipTag(rawValue: try byte(bytes)) else { throw .invalid }
        return tag.state
    }

    mutating func member(
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

    mutating func embeddedMessage(
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

    mutating func receipts(
        _ bytes: Span<UInt8>
    ) throws(PayloadError) -> [UserID: Timestamp] {
        let entries = try list(bytes) { reader, bytes throws(PayloadError) in
            (id: UserID(try reader.text(bytes)), moment: try reader.timestamp(bytes))
        }
        var receipts: [UserID: Timestamp] = [:]
        for entry in entries { receipts[entry.id] = entry.moment }
        return receipts
    }
}
