// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// The stored form of what a message says, without what the table has columns for.
///
/// Columns hold the place, the names, the sender, the parent, the custom type and the time of the last
/// edit; the rest is here, most fields behind a bit that says whether they are there at all.
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
        static let all = Flags(rawValue: 0x1FF)

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
            if message.requestID != nil { insert(.hasRequestID) }
            if !message.unknownFields.isEmpty { insert(.hasUnknownFields) }
        }
    }

    package static func write(_ message: Message, to bytes: inout [UInt8]) {
        let flags = Flags(of: message)
        bytes.append(version)
        bytes.append(number: flags.rawValue)
        bytes.append(content: message.content)
        if let requestID = message.requestID { bytes.append(text: requestID.rawValue) }
        if flags.contains(.hasData) { bytes.append(text: message.data) }
        if flags.contains(.hasMentionedUsers) {
            bytes.append(list: message.mention.userIDs) { $0.append(text: $1.rawValue) }
        }
        if flags.contains(.hasMetaArrays) { bytes.append(metaArrays: message.metaArrays) }
        if flags.contains(.hasUnknownFields) { bytes.append(unknown: message.unknownFields) }
    }

    /// Reads a payload into a message that its columns have begun.
    ///
    /// The message's sender is looked up by the caller: the answer says as what they wrote.
    package static func read(
        _ bytes: Span<UInt8>, into message: inout Message
    ) throws(PayloadError) -> Role {
        var reader = PayloadReader()
        let role = try read(bytes, with: &reader, into: &message)
        try reader.finish(bytes)
        return role
    }

    static func read(
        _ bytes: Span<UInt8>, with reader: inout PayloadReader, into message: inout Message
    ) throws(PayloadError) -> Role {
        _ = try reader.version(bytes, newest: version)
        let flags = Flags(rawValue: try reader.number(bytes))
        guard flags.isSubset(of: .all) else { throw .invalid }
        message.isReplyToChannel = flags.contains(.isReplyToChannel)
        message.isSilent = flags.contains(.isSilent)
        message.content = try reader.content(bytes)
        if flags.contains(.hasRequestID), let id = message.messageID {
            message.delivery = .delivered(id, RequestID(try reader.text(bytes)))
        }
        if flags.contains(.hasData) { message.data = try reader.text(bytes) }
        if flags.contains(.mentionsChannel) { message.mention.kind = .channel }
        if flags.contains(.hasMentionedUsers) {
            message.mention.userIDs = try reader.list(bytes) { reader, bytes throws(PayloadError) in
                UserID(try reader.text(bytes))
            }
        }
        if flags.contains(.hasMetaArrays) { message.metaArrays = try reader.metaArrays(bytes) }
        if flags.contains(.hasUnknownFields) {
            message.unknownFields = try reader.unknownFields(bytes)
        }
        return flags.contains(.isFromOperator) ? .operator : .none
    }
}

/// The stored numbers of `MessageContent`; never given to another kind.
enum ContentTag: UInt8 {
    case user = 1
    case file = 2
    case admin = 3
    case unknown = 4

    init(_ content: MessageContent) {
        switch content {
        case .user: self = .user
        case .file: self = .file
        case .admin: self = .admin
        case .unknown: self = .unknown
        }
    }
}

extension [UInt8] {
    mutating func append(content: MessageContent) {
        append(ContentTag(content).rawValue)
        switch content {
        case .user(let text), .admin(let text), .unknown(kind: let text):
            append(text: text)
        case .file(let file):
            append(text: file.url)
            append(text: file.name)
            append(text: file.type)
            append(signed: file.size.bytes)
            append(text: file.caption)
        }
    }

    mutating func append(metaArrays: [MetaArray]) {
        append(list: metaArrays) { bytes, array in
            bytes.append(text: array.key)
            bytes.append(list: array.values) { $0.append(text: $1) }
        }
    }
}

extension PayloadReader {
    mutating func content(_ bytes: Span<UInt8>) throws(PayloadError) -> MessageContent {
        switch ContentTag(rawValue: try byte(bytes)) {
        case .user: return .user(text: try text(bytes))
        case .admin: return .admin(text: try text(bytes))
        case .unknown: return .unknown(kind: try text(bytes))
        case .file:
            return .file(
                FileContent(
                    url: try text(bytes), name: try text(bytes), type: try text(bytes),
                    size: ByteCount(bytes: try signed(bytes)), caption: try text(bytes)))
        case nil: throw .invalid
        }
    }

    mutating func metaArrays(_ bytes: Span<UInt8>) throws(PayloadError) -> [MetaArray] {
        try list(bytes) { reader, bytes throws(PayloadError) in
            MetaArray(
                key: try reader.text(bytes),
                values: try reader.list(bytes) { reader, bytes throws(PayloadError) in
                    try reader.text(bytes)
                })
        }
    }
}
