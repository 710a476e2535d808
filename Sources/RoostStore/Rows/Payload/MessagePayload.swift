// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// The stored form of a message, without its position.
///
/// Most fields have a bit for their presence. Users and custom types are stored as the numbers of
/// their rows; mentioned users are a list of IDs, because most of them have no row. The payload
/// repeats the columns of the table, because reading a column takes as long as reading several
/// fields of a payload.
package enum MessagePayload {
    private static let version: UInt8 = 1

    /// The fields that follow, and those that are flags themselves.
    private struct Flags: OptionSet {
        let rawValue: UInt64
        static let isReplyToChannel = Flags(rawValue: 1 << 0)
        static let isSilent = Flags(rawValue: 1 << 1)
        static let isFromOperator = Flags(rawValue: 1 << 2)
        static let mentionsChannel = Flags(rawValue: 1 << 3)
        static let hasData = Flags(rawValue: 1 << 4)
        static let hasMentionedUsers = Flags(rawValue: 1 << 5)
        static let hasMetaArrays = Flags(rawValue: 1 << 6)
        static let hasUnknownFields = Flags(rawValue: 1 << 7)
        static let hasRequestID = Flags(rawValue: 1 << 8)
        static let hasDetails = Flags(rawValue: 1 << 9)
        static let isSenderBlocked = Flags(rawValue: 1 << 10)
        static let hasSender = Flags(rawValue: 1 << 11)
        static let hasCustomType = Flags(rawValue: 1 << 12)
        static let hasParent = Flags(rawValue: 1 << 13)
        static let isEdited = Flags(rawValue: 1 << 14)
        static let hasNestedFields = Flags(rawValue: 1 << 15)

        static let all = Flags(rawValue: 0xFFFF)

        init(rawValue: UInt64) { self.rawValue = rawValue }

        init(of message: Message, _ rows: MessageRows?) {
            self = []
            if let rows {
                if rows.sender != nil { insert(.hasSender) }
                if rows.customType != nil { insert(.hasCustomType) }
                if message.parentID != nil { insert(.hasParent) }
                if message.updatedAt != nil { insert(.isEdited) }
            }
            if message.isReplyToChannel { insert(.isReplyToChannel) }
            if message.isSilent { insert(.isSilent) }
            if message.sender?.role == .operator { insert(.isFromOperator) }
            if message.mention.kind == .channel { insert(.mentionsChannel) }
            if !message.data.isEmpty { insert(.hasData) }
            if !message.mention.userIDs.isEmpty { insert(.hasMentionedUsers) }
            if !message.metaArrays.isEmpty { insert(.hasMetaArrays) }
            if !message.unknownFields.isEmpty { insert(.hasUnknownFields) }
            if message.requestID != nil { insert(.hasRequestID) }
            if !message.hasNoDetails { insert(.hasDetails) }
            if message.sender?.isBlockedByMe == true { insert(.isSenderBlocked) }
        }
    }

    /// Appends a message; `row` returns the number of the row of each of `message.people`.
    ///
    /// Without `rows`, the message is inside another value, which contains its columns.
    package static func write(
        _ message: Message, _ rows: MessageRows? = nil, to bytes: inout [UInt8],
        row: (UserID) -> Int64
    ) {
        var flags = Flags(of: message, rows)
        let nested = NestedFields(of: message)
        if !nested.isEmpty { flags.insert(.hasNestedFields) }
        bytes.append(version)
        bytes.append(number: flags.rawValue)
        if let rows {
            if let sender = rows.sender { bytes.append(signed: sender) }
            if let customType = rows.customType { bytes.append(signed: customType) }
            if let parent = message.parentID {
                bytes.append(signed: (message.messageID?.rawValue ?? 0) &- parent.rawValue)
            }
            if let updatedAt = message.updatedAt {
                bytes.append(
                    signed: updatedAt.milliseconds &- message.createdAt.milliseconds)
            }
        }
        bytes.append(fullContent: message.content)
        if flags.contains(.hasData) { bytes.append(text: message.data) }
        if flags.contains(.hasMentionedUsers) {
            bytes.append(list: message.mention.userIDs) { $0.append(text: $1.rawValue) }
        }
        if flags.contains(.hasMetaArrays) { bytes.append(metaArrays: message.metaArrays) }
        if flags.contains(.hasUnknownFields) { bytes.append(unknown: message.unknownFields) }
        if let requestID = message.requestID { bytes.append(requestID: requestID) }
        if flags.contains(.hasDetails) {
            MessageDetails.payload.write(message.details, to: &bytes, row: row)
        }
        if flags.contains(.hasNestedFields) { bytes.append(nested: nested) }
    }

    /// Reads a payload and makes the message, with its position.
    ///
    /// `columns` are the fields that precede the payload of a message inside another value. `user`
    /// returns the user of a row, `word` the custom type of a row.
    package static func read(
        _ bytes: Span<UInt8>, id: MessageID, channelURL: consuming ChannelURL,
        createdAt: Timestamp, columns: MessageColumns? = nil, user: (Int64) -> User,
        word: (Int64) -> String
    ) throws(PayloadError) -> Message {
        var reader = PayloadReader()
        let message = try read(
            bytes, with: &reader, id: id, channelURL: channelURL, createdAt: createdAt,
            columns: columns, user: user, word: word)
        try reader.finish(bytes)
        return message
    }

    // The message is built once from all its parts: each later change would check for shared
    // storage. The parts are moved, because a copy would count each reference.
    static func read(
        _ bytes: Span<UInt8>, with reader: inout PayloadReader, id: MessageID,
        channelURL: consuming ChannelURL, createdAt: Timestamp, columns: MessageColumns?,
        user: (Int64) -> User, word: (Int64) -> String
    ) throws(PayloadError) -> Message {
        try reader.version(bytes, newest: version)
        let flags = Flags(rawValue: try reader.number(bytes))
        guard flags.isSubset(of: .all) else { throw .invalid }
        var sender: User?
        var customType = ""
        var parentID: MessageID?
        var updatedAt: Timestamp?
        var requestID: RequestID?
        if let columns {
            sender = columns.sender
            customType = columns.customType
            parentID = columns.parentID
            updatedAt = columns.updatedAt
        }
        if flags.contains(.hasSender) { sender = user(try reader.signed(bytes)) }
        if flags.contains(.hasCustomType) { customType = word(try reader.signed(bytes)) }
        if flags.contains(.hasParent) {
            parentID = MessageID(id.rawValue &- (try reader.signed(bytes)))
        }
        if flags.contains(.isEdited) {
            updatedAt = Timestamp(
                milliseconds: createdAt.milliseconds &+ (try reader.signed(bytes)))
        }
        let content = try reader.fullContent(bytes)
        let data = flags.contains(.hasData) ? try reader.text(bytes) : ""
        var mention = Mention(kind: flags.contains(.mentionsChannel) ? .channel : .users)
        if flags.contains(.hasMentionedUsers) {
            mention.userIDs = try reader.list(bytes) { reader, bytes throws(PayloadError) in
                UserID(try reader.text(bytes))
            }
        }
        let metaArrays = flags.contains(.hasMetaArrays) ? try reader.metaArrays(bytes) : []
        let unknownFields =
            flags.contains(.hasUnknownFields) ? try reader.unknownFields(bytes) : UnknownFields()
        if flags.contains(.hasRequestID) { requestID = try reader.requestID(bytes) }
        var message = Message(
            delivery: .delivered(id, requestID), channelURL: channelURL, createdAt: createdAt,
            updatedAt: updatedAt, sender: Self.sender(sender, flags), content: content, data: data,
            customType: customType, mention: mention, metaArrays: metaArrays, parentID: parentID,
            isReplyToChannel: flags.contains(.isReplyToChannel),
            isSilent: flags.contains(.isSilent), unknownFields: unknownFields)
        if flags.contains(.hasDetails) {
            var details = MessageDetails()
            try MessageDetails.payload.read(bytes, from: &reader, into: &details, user: user)
            message.take(details)
        }
        if flags.contains(.hasNestedFields) { try readNested(bytes, with: &reader, of: &message) }
        return message
    }

    /// A function of its own, so that messages without these fields skip its code.
    @inline(never)
    private static func readNested(
        _ bytes: Span<UInt8>, with reader: inout PayloadReader, of message: inout Message
    ) throws(PayloadError) {
        try reader.nestedFields(bytes).apply(to: &message)
    }

    private static func sender(_ user: consuming User?, _ flags: Flags) -> Sender? {
        guard let user else { return nil }
        var sender = Sender(user: user, role: flags.contains(.isFromOperator) ? .operator : .none)
        sender.isBlockedByMe = flags.contains(.isSenderBlocked)
        return sender
    }
}

/// The rows to which a payload refers.
package struct MessageRows: Sendable {
    let sender: Int64?
    /// Nil for a message without a custom type.
    let customType: Int64?

    package init(sender: Int64?, customType: Int64?) {
        self.sender = sender
        self.customType = customType
    }
}

/// The columns of a message inside another value, which precede its payload.
package struct MessageColumns: Sendable {
    var sender: User?
    var customType: String
    var parentID: MessageID?
    var updatedAt: Timestamp?

    package init(
        sender: User?, customType: String, parentID: MessageID?, updatedAt: Timestamp?
    ) {
        self.sender = sender
        self.customType = customType
        self.parentID = parentID
        self.updatedAt = updatedAt
    }
}
