// SPDX-License-Identifier: Apache-2.0

package import RoostCore
internal import RoostModel

/// The stored form of unsent content: a version, the kind, then the parameters.
package enum ParamsPayload {
    private static let version: UInt8 = 1

    /// The stored numbers of the kinds; never reused.
    private enum Tag: UInt8 {
        case userMessage = 1
        case fileMessage = 2
        case change = 3
        case draft = 4
        /// A draft that mentions users, or the whole channel.
        case mentioningDraft = 5
        case inbox = 6
    }

    package static func write(_ content: OutboxContent, to bytes: inout [UInt8]) {
        bytes.append(version)
        switch content {
        case .userMessage(let params):
            bytes.append(Tag.userMessage.rawValue)
            bytes.append(text: params.text)
            bytes.append(text: params.data)
            bytes.append(text: params.customType)
            bytes.append(marks: Marks(params))
        case .fileMessage(let params, let copies):
            bytes.append(Tag.fileMessage.rawValue)
            bytes.append(list: params.files) { $0.append(attachment: $1) }
            bytes.append(list: copies) { bytes, copy in
                bytes.append(optional: copy) { $0.append(copy: $1) }
            }
            bytes.append(text: params.caption)
            bytes.append(text: params.data)
            bytes.append(text: params.customType)
            bytes.append(marks: Marks(params))
        case .change(let action):
            bytes.append(Tag.change.rawValue)
            bytes.append(action: action)
        case .draft(let draft):
            let mentions = draft.mention != Mention()
            bytes.append((mentions ? Tag.mentioningDraft : .draft).rawValue)
            bytes.append(text: draft.text)
            for id in [draft.replyingTo, draft.thread] {
                bytes.append(optional: id) { $0.append(signed: $1.rawValue) }
            }
            if mentions { bytes.append(mention: draft.mention) }
        case .inbox(let mark):
            bytes.append(Tag.inbox.rawValue)
            bytes.append(text: mark.inbox)
            bytes.append(signed: mark.position.createdAt.milliseconds)
            bytes.append(signed: mark.position.messageID.rawValue)
        }
        bytes.append(nested: NestedFields(of: content))
    }

    package static func read(_ bytes: Span<UInt8>) throws(PayloadError) -> OutboxContent {
        var reader = PayloadReader()
        try reader.version(bytes, newest: version)
        var content: OutboxContent
        let tag = Tag(rawValue: try reader.byte(bytes))
        switch tag {
        case .userMessage:
            var params = UserMessageParams(text: try reader.text(bytes))
            params.data = try reader.text(bytes)
            params.customType = try reader.text(bytes)
            try reader.marks(bytes).apply(to: &params)
            content = .userMessage(params)
        case .fileMessage:
            let files = try reader.list(bytes) { reader, bytes throws(PayloadError) in
                try reader.attachment(bytes)
            }
            let copies = try reader.list(bytes) { reader, bytes throws(PayloadError) in
                try reader.optional(bytes) { reader, bytes throws(PayloadError) in
                    try reader.copy(bytes)
                }
            }
            guard copies.count == files.count else { throw .invalid }
            var params = FileMessageParams(files: files, caption: try reader.text(bytes))
            params.data = try reader.text(bytes)
            params.customType = try reader.text(bytes)
            try reader.marks(bytes).apply(to: &params)
            content = .fileMessage(params, copies: copies)
        case .change: content = .change(try reader.action(bytes))
        case .draft, .mentioningDraft:
            let text = try reader.text(bytes)
            let replyingTo = try reader.optionalMessageID(bytes)
            let thread = try reader.optionalMessageID(bytes)
            let mention = tag == .draft ? Mention() : try reader.mention(bytes)
            content = .draft(
                DraftContent(text, replyingTo: replyingTo, mentioning: mention, in: thread))
        case .inbox:
            let name = try reader.text(bytes)
            let moment = Timestamp(milliseconds: try reader.signed(bytes))
            let id = MessageID(try reader.signed(bytes))
            content = .inbox(InboxMark(name, Position(createdAt: moment, messageID: id)))
        case nil: throw .invalid
        }
        try reader.nestedFields(bytes).apply(to: &content)
        try reader.finish(bytes)
        return content
    }
}

/// The properties of messages of every kind, without the content.
private struct Marks {
    var mention = Mention()
    var metaArrays: [MetaArray] = []
    var parentID: MessageID?
    var isReplyToChannel = false
    var isSilent = false

    init() {}

    init(_ params: UserMessageParams) {
        mention = params.mention
        metaArrays = params.metaArrays
        parentID = params.parentID
        isReplyToChannel = params.isReplyToChannel
        isSilent = params.isSilent
    }

    init(_ params: FileMessageParams) {
        mention = params.mention
        metaArrays = params.metaArrays
        parentID = params.parentID
        isReplyToChannel = params.isReplyToChannel
        isSilent = params.isSilent
    }

    func apply(to params: inout UserMessageParams) {
        params.mention = mention
        params.metaArrays = metaArrays
        params.parentID = parentID
        params.isReplyToChannel = isReplyToChannel
        params.isSilent = isSilent
    }

    func apply(to params: inout FileMessageParams) {
        params.mention = mention
        params.metaArrays = metaArrays
        params.parentID = parentID
        params.isReplyToChannel = isReplyToChannel
        params.isSilent = isSilent
    }
}

extension [UInt8] {
    fileprivate mutating func append(marks: Marks) {
        append(mention: marks.mention)
        append(metaArrays: marks.metaArrays)
        append(optional: marks.parentID) { $0.append(signed: $1.rawValue) }
        append((marks.isReplyToChannel ? 1 : 0) | (marks.isSilent ? 2 : 0))
    }

    mutating func append(mention: Mention) {
        append(mention.kind == .channel ? 1 : 0)
        append(list: mention.userIDs) { $0.append(text: $1.rawValue) }
    }
}

extension PayloadReader {
    fileprivate mutating func marks(_ bytes: Span<UInt8>) throws(PayloadError) -> Marks {
        var marks = Marks()
        marks.mention = try mention(bytes)
        marks.metaArrays = try metaArrays(bytes)
        marks.parentID = try optionalMessageID(bytes)
        let bits = try byte(bytes)
        guard bits < 4 else { throw .invalid }
        marks.isReplyToChannel = bits & 1 != 0
        marks.isSilent = bits & 2 != 0
        return marks
    }

    fileprivate mutating func optionalMessageID(
        _ bytes: Span<UInt8>
    ) throws(PayloadError) -> MessageID? {
        try optional(bytes) { reader, bytes throws(PayloadError) in
            MessageID(try reader.signed(bytes))
        }
    }

    mutating func mention(_ bytes: Span<UInt8>) throws(PayloadError) -> Mention {
        let kind: Mention.Kind = try byte(bytes) == 0 ? .users : .channel
        let userIDs = try list(bytes) { reader, bytes throws(PayloadError) in
            UserID(try reader.text(bytes))
        }
        return Mention(kind: kind, userIDs: userIDs)
    }
}
