// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// A message is written in two dialects: frames flatten it and use short names, REST uses long ones.
///
/// Clients and servers in the field mix them, so one reader takes every name (`protocol.md` 4.4); only
/// `type` needs context: the media type of a flattened file, the kind of message everywhere else.
struct MessageFields {
    /// The frame's command; nil where the object itself says its kind.
    private let command: String?
    private var kind: String?
    private var id: MessageID?
    private var createdAt: Timestamp?
    private var updatedAt: Timestamp?
    /// From `req_id`, which in a frame says that this is an answer.
    private(set) var acknowledged: RequestID?
    private var requestID: RequestID?
    private var channelURL = ""
    private var sender: Sender?
    private var isOperatorMessage = false
    private var text = ""
    private var data: String?
    private var customData: String?
    private var customType = ""
    private var isSilent = false
    private var mention = Mention()
    private var mentionedUserIDs: [UserID]?
    private var metaArrays: [MetaArray] = []
    private var metaArrayOrder: [String] = []
    private var parentID: MessageID?
    private var isReplyToChannel = false
    private var file = FileFields()
    /// The `file` object of what is not known to be a file message.
    private var fileJSON: String?
    private var unknown = UnknownFields()

    init(command: String? = nil) { self.command = command }

    /// Uses up the value of any field: one of a message's own, or one to keep.
    mutating func read(_ name: String, _ reader: inout JSONReader) throws(WireError) {
        switch name {
        case "msg_id", "message_id":
            if let value = try reader.readInt64IfPresent(), value > 0 { id = MessageID(value) }
        case "ts", "created_at":
            if let value = try reader.readInt64IfPresent() {
                createdAt = Timestamp(milliseconds: value)
            }
        case "updated_at", "last_updated_at": updatedAt = try reader.readMoment() ?? updatedAt
        case "req_id": acknowledged = try reader.readRequestID()
        case "request_id": requestID = try reader.readRequestID()
        case "channel_url": channelURL = try reader.readString()
        case "type": try readType(&reader)
        case "user": sender = try reader.readSenderIfPresent()
        case "is_op_msg": isOperatorMessage = try reader.readBoolIfPresent() ?? false
        case "message": text = try reader.readStringIfPresent() ?? ""
        case "data": data = try reader.readStringIfPresent()
        case "custom": customData = try reader.readStringIfPresent()
        case "custom_type": customType = try reader.readStringIfPresent() ?? ""
        case "silent", "is_silent": isSilent = try reader.readBoolIfPresent() ?? false
        case "file": try readFile(&reader)
        case "url": file.url = try reader.readStringIfPresent()
        case "name": file.name = try reader.readStringIfPresent()
        case "size": file.size = try reader.readInt64IfPresent()
        default: try readRelation(name, &reader)
        }
    }

    private mutating func readRelation(
        _ name: String, _ reader: inout JSONReader
    ) throws(WireError) {
        switch name {
        case "mention_type":
            mention.kind = Mention.Kind(rawValue: try reader.readStringIfPresent() ?? "") ?? .users
        case "mentioned_user_ids": mentionedUserIDs = try reader.readStrings().map { UserID($0) }
        case "mentioned_users": try readMentionedUsers(&reader)
        case "metaarray", "sorted_metaarray": metaArrays = try reader.readMetaArrays()
        case "metaarray_key_order": metaArrayOrder = try reader.readStrings()
        case "parent_message_id", "root_message_id":
            if let value = try reader.readInt64IfPresent(), value > 0 {
                parentID = MessageID(value)
            }
        case "is_reply_to_channel", "reply_to_channel":
            isReplyToChannel = try reader.readBoolIfPresent() ?? false
        case "channel_type": try keep(name, unless: "\"group\"", &reader)
        case "thumbnails": try keep(name, unless: "[]", &reader)
        case "require_auth": try keep(name, unless: "false", &reader)
        default: try unknown.keep(name, from: &reader)
        }
    }

    /// Keeps a field unless it holds what the writer writes anyway.
    private mutating func keep(
        _ name: String, unless usual: String, _ reader: inout JSONReader
    ) throws(WireError) {
        let json = try reader.readRaw()
        if json != usual { unknown.keep(UnknownFields.Field(name: name, json: json)) }
    }

    private mutating func readFile(_ reader: inout JSONReader) throws(WireError) {
        guard command ?? kind != MessageKind.file else {
            return try file.readObject(&reader, &unknown)
        }
        var copy = reader
        let json = try copy.readRaw()
        if json == "{}" || json == "null" {
            reader = copy
        } else {
            fileJSON = json
            try file.readObject(&reader, &unknown)
        }
    }

    private mutating func readType(_ reader: inout JSONReader) throws(WireError) {
        guard let value = try reader.readStringIfPresent() else { return }
        if command == nil {
            kind = value
        } else if !MessageKind.all.contains(value) {
            file.type = value
        }
    }

    /// The IDs become the mention; the users as they were are kept, for names and pictures.
    private mutating func readMentionedUsers(_ reader: inout JSONReader) throws(WireError) {
        if try reader.readNull() { return }
        var copy = reader
        let json = try copy.readRaw()
        let users = try reader.readList { reader throws(WireError) in try reader.readUser() }
        mention.userIDs = users.map(\.id)
        if !users.isEmpty { unknown.keep(UnknownFields.Field(name: "mentioned_users", json: json)) }
    }

    func message(endingAt offset: Int) throws(WireError) -> Message {
        guard let id else { throw .missing("message_id", offset: offset) }
        guard let createdAt else { throw .missing("created_at", offset: offset) }
        guard let kind = command ?? kind else { throw .missing("type", offset: offset) }
        guard !channelURL.isEmpty else { throw .missing("channel_url", offset: offset) }
        var sender = sender
        if isOperatorMessage { sender?.role = .operator }
        var mention = mention
        if let mentionedUserIDs { mention.userIDs = mentionedUserIDs }
        let isFile = kind == MessageKind.file
        return Message(
            delivery: .delivered(id, acknowledged ?? requestID), channelURL: ChannelURL(channelURL),
            createdAt: createdAt, updatedAt: updatedAt, sender: sender,
            content: try content(kind: kind, endingAt: offset),
            data: Self.firstText(data, isFile ? customData : nil, isFile ? file.data : nil),
            customType: customType, mention: mention, metaArrays: orderedMetaArrays,
            parentID: parentID, isReplyToChannel: isReplyToChannel, isSilent: isSilent,
            unknownFields: unknownFields(kind: kind))
    }

    private func content(kind: String, endingAt offset: Int) throws(WireError) -> MessageContent {
        switch kind {
        case MessageKind.user: return .user(text: text)
        case MessageKind.admin, MessageKind.broadcastAdmin: return .admin(text: text)
        case MessageKind.file:
            guard let url = file.url else { throw .missing("url", offset: offset) }
            return .file(
                FileContent(
                    url: url, name: file.name ?? "", type: file.type ?? "",
                    size: ByteCount(bytes: file.size ?? 0), caption: text))
        default: return .unknown(kind: kind)
        }
    }

    private var orderedMetaArrays: [MetaArray] {
        guard !metaArrayOrder.isEmpty else { return metaArrays }
        var rest = metaArrays
        var ordered: [MetaArray] = []
        for key in metaArrayOrder {
            guard let index = rest.firstIndex(where: { $0.key == key }) else { continue }
            ordered.append(rest.remove(at: index))
        }
        return ordered + rest
    }

    /// What a file's flat names mean on a message that is no file is unknown, so it is kept.
    private func unknownFields(kind: String) -> UnknownFields {
        guard kind != MessageKind.file else { return unknown }
        var unknown = unknown
        if !MessageKind.all.contains(kind), !text.isEmpty {
            unknown.keep(
                UnknownFields.Field(name: "message", json: JSONValue.string(text).text))
        }
        if let fileJSON {
            var rest = UnknownFields()
            for field in unknown.fields where !field.name.hasPrefix(FileFields.keptPrefix) {
                rest.keep(field)
            }
            rest.keep(UnknownFields.Field(name: "file", json: fileJSON))
            return rest
        }
        let texts = [("url", file.url), ("name", file.name), ("custom", customData)]
        for (name, value) in texts {
            guard let value else { continue }
            unknown.keep(UnknownFields.Field(name: name, json: JSONValue.string(value).text))
        }
        if let size = file.size {
            unknown.keep(UnknownFields.Field(name: "size", json: String(size)))
        }
        return unknown
    }

    private static func firstText(_ texts: String?...) -> String {
        for case .some(let text) in texts where !text.isEmpty { return text }
        return ""
    }
}

/// The words by which the protocol tells kinds of messages apart.
enum MessageKind {
    static let user = "MESG"
    static let file = "FILE"
    static let admin = "ADMM"
    static let broadcastAdmin = "BRDM"
    static let all = [user, file, admin, broadcastAdmin]
}

/// The fields of a file, from a `file` object or flattened into the message.
struct FileFields {
    /// Marks a kept field as one of the `file` object.
    static let keptPrefix = "file."

    var url: String?
    var name: String?
    var type: String?
    var size: Int64?
    var data: String?

    mutating func readObject(
        _ reader: inout JSONReader, _ unknown: inout UnknownFields
    ) throws(WireError) {
        if try reader.readNull() { return }
        try reader.readObject { name, reader throws(WireError) in
            switch name {
            case "url": self.url = try reader.readStringIfPresent()
            case "name": self.name = try reader.readStringIfPresent()
            case "type": self.type = try reader.readStringIfPresent()
            case "size": self.size = try reader.readInt64IfPresent()
            case "data": self.data = try reader.readStringIfPresent()
            default: try unknown.keep(Self.keptPrefix + name, from: &reader)
            }
        }
    }
}

extension JSONReader {
    /// Reads a message that says its kind itself, as answers of the REST interface do.
    package mutating func readMessage() throws(WireError) -> Message {
        var fields = MessageFields()
        try readObject { name, reader throws(WireError) in try fields.read(name, &reader) }
        return try fields.message(endingAt: position)
    }

    mutating func readRequestID() throws(WireError) -> RequestID? {
        guard let text = try readStringIfPresent(), !text.isEmpty else { return nil }
        return RequestID(text)
    }

    mutating func readSenderIfPresent() throws(WireError) -> Sender? {
        if try readNull() { return nil }
        let (fields, role) = try readSenderFields()
        // `{}` is one way to write "nobody".
        return fields.hasID ? Sender(user: try fields.user(endingAt: position), role: role) : nil
    }

    /// Reads meta arrays as a list of key and values, or as a map from key to values.
    mutating func readMetaArrays() throws(WireError) -> [MetaArray] {
        var arrays: [MetaArray] = []
        guard try peek() == .object else {
            return try readList { reader throws(WireError) in try reader.readMetaArray() }
        }
        try readObject { key, reader throws(WireError) in
            let array = MetaArray(key: key, values: try reader.readStrings())
            arrays.removeAll { $0.key == key }
            arrays.append(array)
        }
        return arrays
    }

    mutating func readMetaArray() throws(WireError) -> MetaArray {
        var array = MetaArray(key: "", values: [])
        try readObject { name, reader throws(WireError) in
            switch name {
            case "key": array.key = try reader.readString()
            case "value": array.values = try reader.readStrings()
            default: try reader.skipValue()
            }
        }
        return array
    }
}
