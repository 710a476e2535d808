// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// The stored form of what a message says, without what the table has columns for.
///
/// Columns hold the place, the names, the sender, the parent, the custom type and the time of the last
/// edit; the rest is here, most fields behind a bit that says whether they are there at all. Users stand
/// in it as the numbers of their rows; who is mentioned is a list of IDs as well, because most of the
/// mentioned have been told by ID alone.
package enum MessagePayload {
    private static let version: UInt8 = 2

    /// Which fields follow, and the ones that are bits themselves.
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

        /// All that a version writes.
        static func all(in version: UInt8) -> Flags { Flags(rawValue: version == 1 ? 0xFF : 0x7FF) }

        init(rawValue: UInt64) { self.rawValue = rawValue }

        init(of message: Message) {
            self = []
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

    /// Writes a message; `row` answers with the number of the row of each of `message.people`.
    package static func write(
        _ message: Message, to bytes: inout [UInt8], row: (UserID) -> Int64
    ) {
        let flags = Flags(of: message)
        bytes.append(version)
        bytes.append(number: flags.rawValue)
        bytes.append(fullContent: message.content)
        if flags.contains(.hasData) { bytes.append(text: message.data) }
        if flags.contains(.hasMentionedUsers) {
            bytes.append(list: message.mention.userIDs) { $0.append(text: $1.rawValue) }
        }
        if flags.contains(.hasMetaArrays) { bytes.append(metaArrays: message.metaArrays) }
        if flags.contains(.hasUnknownFields) { bytes.append(unknown: message.unknownFields) }
        if let requestID = message.requestID { bytes.append(requestID: requestID) }
        if flags.contains(.hasDetails) {
            DetailPayload.write(message.details, to: &bytes, row: row)
        }
    }

    /// Reads a payload and makes the message of it and of its row's columns; `user` answers with the user
    /// of a row.
    ///
    /// `requestID` counts only where an old payload does not have one.
    package static func read(
        _ bytes: Span<UInt8>, id: MessageID, channelURL: consuming ChannelURL,
        createdAt: Timestamp, updatedAt: Timestamp?, sender: consuming User?,
        customType: consuming String, parentID: MessageID?, requestID: RequestID? = nil,
        user: (Int64) -> User
    ) throws(PayloadError) -> Message {
        var reader = PayloadReader()
        let message = try read(
            bytes, with: &reader, id: id, channelURL: channelURL, createdAt: createdAt,
            updatedAt: updatedAt, sender: sender, customType: customType, parentID: parentID,
            requestID: requestID, user: user)
        try reader.finish(bytes)
        return message
    }

    // The message is made once, of all its parts: each change of one that is there has to ask whether
    // somebody shares it. And the parts move into it: a copy would count each reference once more.
    static func read(
        _ bytes: Span<UInt8>, with reader: inout PayloadReader, id: MessageID,
        channelURL: consuming ChannelURL, createdAt: Timestamp, updatedAt: Timestamp?,
        sender: consuming User?, customType: consuming String, parentID: MessageID?,
        requestID: RequestID?, user: (Int64) -> User
    ) throws(PayloadError) -> Message {
        let version = try reader.version(bytes, newest: version)
        let flags = Flags(rawValue: try reader.number(bytes))
        guard flags.isSubset(of: .all(in: version)) else { throw .invalid }
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
        let requestID = flags.contains(.hasRequestID) ? try reader.requestID(bytes) : requestID
        var message = Message(
            delivery: .delivered(id, requestID), channelURL: channelURL, createdAt: createdAt,
            updatedAt: updatedAt, sender: Self.sender(sender, flags), content: content, data: data,
            customType: customType, mention: mention, metaArrays: metaArrays, parentID: parentID,
            isReplyToChannel: flags.contains(.isReplyToChannel),
            isSilent: flags.contains(.isSilent), unknownFields: unknownFields)
        if flags.contains(.hasDetails) {
            message.take(try DetailPayload.read(bytes, with: &reader, user: user))
        }
        return message
    }

    private static func sender(_ user: consuming User?, _ flags: Flags) -> Sender? {
        guard let user else { return nil }
        var sender = Sender(user: user, role: flags.contains(.isFromOperator) ? .operator : .none)
        sender.isBlockedByMe = flags.contains(.isSenderBlocked)
        return sender
    }
}
