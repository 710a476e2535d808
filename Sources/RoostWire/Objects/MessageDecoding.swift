// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// The fields of a message, in both dialects: frames spread it and use short names, REST uses long
/// ones.
///
/// Clients and servers mix the dialects, so one reader accepts every name (`docs/protocol` 4.4).
/// Only `type` depends on the context: the media type of a spread file, the kind of message
/// elsewhere.
struct MessageFields {
    /// The command of the frame; nil if the object itself has its kind.
    private let command: String?
    private var kind: String?
    private var id: MessageID?
    private var createdAt: Timestamp?
    private var updatedAt: Timestamp?
    /// The value of `req_id`, which marks a frame as an answer.
    private(set) var acknowledged: RequestID?
    private var requestID: RequestID?
    private var channelURL = ChannelURL("")
    private var sender: Sender?
    private var isOperatorMessage = false
    private var text = ""
    private var data = ""
    private var customData: String?
    private var customType = ""
    private var isSilent = false
    private var mention = Mention()
    private var mentionedUserIDs: [UserID]?
    private var metaArrays: [MetaArray] = []
    private var metaArrayOrder: [String] = []
    private var parentID: MessageID?
    private var isReplyToChannel = false
    /// The fields of the file; created with the first of them.
    private var file: FileFields?
    /// The `file` object of a message that is not known to be a file message.
    private var fileJSON: String?
    private var details = DetailFields()
    private var unknown = UnknownFields()

    init(command: String? = nil) { self.command = command }

    /// Consumes the value of any field: one of a message's own, or one to keep.
    mutating func read(
        _ field: MessageField?, _ name: FieldText, _ reader: inout JSONReader
    ) throws(WireError) {
        switch field {
        case .msgID?, .messageID?:
            id = try reader.readMessageID() ?? id
        case .ts?, .createdAt?: createdAt = try reader.readPlaceInTime() ?? createdAt
        case .updatedAt?, .lastUpdatedAt?: updatedAt = try reader.readMoment() ?? updatedAt
        case .reqID?: acknowledged = try reader.readRequestID()
        case .requestID?: requestID = try reader.readRequestID()
        case .channelURL?: channelURL = try reader.readRepeatedChannelURL()
        case .type?: try readType(&reader)
        case .user?: sender = try reader.readSenderIfPresent()
        case .isOperatorMessage?: isOperatorMessage = try reader.readBoolIfPresent() ?? false
        case .message?: text = try reader.readStringIfPresent() ?? ""
        case .data?: data = try reader.readStringIfPresent() ?? ""
        case .custom?: customData = try reader.readStringIfPresent()
        case .customType?: customType = try reader.readStringIfPresent() ?? ""
        case .silent?, .isSilent?: isSilent = try reader.readBoolIfPresent() ?? false
        case .file?: if try !reader.skipEmpty() { try readFile(&reader) }
        case .channelType?: try keepChannelType(name, &reader)
        case .mentionType?:
            mention.kind = Mention.Kind(rawValue: try reader.readStringIfPresent() ?? "") ?? .users
        case .mentionedUsers?: if try !reader.skipEmpty() { try readMentionedUsers(&reader) }
        case .parentMessageID?, .rootMessageID?:
            parentID = try reader.readMessageID() ?? parentID
        default: try readRare(field, name, &reader)
        }
    }

    private mutating func readRare(
        _ field: MessageField?, _ name: FieldText, _ reader: inout JSONReader
    ) throws(WireError) {
        switch field {
        case .url?:
            let value = try reader.readStringIfPresent()
            changeFile { $0.url = value }
        case .name?:
            let value = try reader.readStringIfPresent()
            changeFile { $0.name = value }
        case .size?:
            let value = try reader.readFileSize()
            changeFile { $0.size = value }
        case .thumbnails?:
            if try reader.skipEmpty() { return }
            let value = try reader.readThumbnails()
            changeFile { $0.thumbnails = value }
        case .files?:
            if try reader.skipEmpty() { return }
            let value = try reader.readFiles()
            changeFile { $0.files = value }
        case .requiresAuth?:
            guard try reader.readBoolIfPresent() == true else { return }
            changeFile { $0.requiresAuth = true }
        case .mentionedUserIDs?:
            mentionedUserIDs = try reader.readStrings().map { UserID($0) }
        case .metaarray?, .sortedMetaarray?: metaArrays = try reader.readMetaArrays()
        case .metaarrayOrder?: metaArrayOrder = try reader.readStrings()
        case .isReplyToChannel?, .replyToChannel?:
            isReplyToChannel = try reader.readBoolIfPresent() ?? false
        case .isRemoved?:
            if try reader.readBoolIfPresent() == true { details.change { $0.isRemoved = true } }
        default:
            guard let line = name.line else {
                return try unknown.keep(reader.name(name), from: &reader)
            }
            try details.read(line: line, name, &reader, keepingIn: &unknown)
        }
    }

    private mutating func changeFile(_ body: (inout FileFields) -> Void) {
        var file = file ?? FileFields()
        body(&file)
        self.file = file
    }

    /// Keeps the type of channel unless the writer writes the same by itself.
    private mutating func keepChannelType(
        _ name: FieldText, _ reader: inout JSONReader
    ) throws(WireError) {
        let json = try reader.readRaw()
        guard json != "\"group\"" else { return }
        unknown.keep(UnknownFields.Field(name: reader.name(name), json: json))
    }

    private mutating func readFile(_ reader: inout JSONReader) throws(WireError) {
        if try reader.readNull() { return }
        if command ?? kind != MessageKind.file {
            var copy = reader
            fileJSON = try copy.readRaw()
        }
        var file = file ?? FileFields()
        try file.readObject(&reader)
        self.file = file
    }

    private mutating func readType(_ reader: inout JSONReader) throws(WireError) {
        guard let value = try reader.readStringIfPresent() else { return }
        if command == nil {
            kind = value
        } else if !MessageKind.all.contains(value) {
            changeFile { $0.type = value }
        }
    }

    private mutating func readMentionedUsers(_ reader: inout JSONReader) throws(WireError) {
        let users = try reader.readUsers()
        mention.userIDs = users.map(\.id)
        if !users.isEmpty { details.change { $0.mentionedUsers = users } }
    }

    /// Returns the message; `placeholder` stands for the ID of a message that has none yet.
    func message(
        endingAt offset: Int, withoutID placeholder: MessageID? = nil
    ) throws(WireError) -> Message {
        guard let id = id ?? placeholder else { throw .missing("message_id", offset: offset) }
        guard let createdAt else { throw .missing("created_at", offset: offset) }
        guard let kind = command ?? kind else { throw .missing("type", offset: offset) }
        guard !channelURL.rawValue.isEmpty else { throw .missing("channel_url", offset: offset) }
        var message = Message(
            delivery: .delivered(id, acknowledged ?? requestID), channelURL: channelURL,
            createdAt: createdAt, updatedAt: updatedAt, sender: sender,
            content: .user(text: text), data: data,
            customType: customType, mention: mention, metaArrays: orderedMetaArrays,
            parentID: parentID, isReplyToChannel: isReplyToChannel, isSilent: isSilent,
            unknownFields: unknown)
        if isOperatorMessage { message.sender?.role = .operator }
        if let mentionedUserIDs { message.mention.userIDs = mentionedUserIDs }
        if let details = details.value { message.take(details) }
        if kind != MessageKind.user {
            try finish(&message, kind, endingAt: offset)
        } else if file != nil || customData != nil || fileJSON != nil {
            message.unknownFields = unknownFields(kind: kind)
        }
        return message
    }

    /// Completes the message according to its kind.
    private func finish(
        _ message: inout Message, _ kind: String, endingAt offset: Int
    ) throws(WireError) {
        switch kind {
        case MessageKind.admin, MessageKind.broadcastAdmin: message.content = .admin(text: text)
        case MessageKind.file:
            guard var content = file?.content else { throw .missing("url", offset: offset) }
            content.caption = text
            if data.isEmpty { message.data = customData ?? "" }
            if message.data.isEmpty { message.data = content.data }
            if message.data == content.data { content.data = "" }
            message.content = .file(content)
        default: message.content = .unknown(kind: kind)
        }
        message.unknownFields = unknownFields(kind: kind)
    }

    private var orderedMetaArrays: [MetaArray] {
        guard !metaArrayOrder.isEmpty else { return metaArrays }
        var places: [String: Int] = [:]
        for (place, key) in metaArrayOrder.enumerated() where places[key] == nil {
            places[key] = place
        }
        // Arrays that the order does not name follow in their own order.
        return metaArrays.enumerated().sorted { one, other in
            (places[one.element.key] ?? .max, one.offset)
                < (places[other.element.key] ?? .max, other.offset)
        }.map(\.element)
    }

    /// Returns the unknown fields; a file's names on a message that is no file are among them.
    private func unknownFields(kind: String) -> UnknownFields {
        guard kind != MessageKind.file else { return unknown }
        var unknown = unknown
        func keep(_ name: String, _ json: String) {
            unknown.keep(UnknownFields.Field(name: name, json: json))
        }
        if !MessageKind.all.contains(kind), !text.isEmpty {
            keep("message", JSONValue.string(text).text)
        }
        if let customData { keep("custom", JSONValue.string(customData).text) }
        if let fileJSON {
            keep("file", fileJSON)
        } else if let file {
            if let url = file.url { keep("url", JSONValue.string(url).text) }
            if let name = file.name { keep("name", JSONValue.string(name).text) }
            if let size = file.size { keep("size", String(size)) }
        }
        if let file, file.requiresAuth, fileJSON == nil { keep("require_auth", "true") }
        if let file, !file.thumbnails.isEmpty {
            var writer = JSONWriter()
            writer.thumbnails(file.thumbnails)
            keep("thumbnails", writer.text)
        }
        return unknown
    }
}

/// The protocol's words for the kinds of messages.
enum MessageKind {
    static let user = "MESG"
    static let file = "FILE"
    static let admin = "ADMM"
    static let broadcastAdmin = "BRDM"
    static let all = [user, file, admin, broadcastAdmin]
}

extension JSONReader {
    /// Reads a message whose object has its kind, as in answers of REST.
    package mutating func readMessage() throws(WireError) -> Message {
        try readMessage(withoutID: nil)
    }

    /// Reads a message as `readMessage()` does; `placeholder` stands for the ID of a message that
    /// has none yet.
    mutating func readMessage(withoutID placeholder: MessageID?) throws(WireError) -> Message {
        var fields = MessageFields()
        try readFields(MessageField.self) { field, name, reader throws(WireError) in
            try fields.read(field, name, &reader)
        }
        return try fields.message(endingAt: position, withoutID: placeholder)
    }

    mutating func readRequestID() throws(WireError) -> RequestID? {
        guard let text = try readStringIfPresent(), !text.isEmpty else { return nil }
        return RequestID(text)
    }

    mutating func readRepeatedChannelURL() throws(WireError) -> ChannelURL {
        _ = try nextByte()
        let start = position
        if let (url, next) = repeated.channelURL(at: start, in: bytes, before: end) {
            position = next
            return url
        }
        let url = ChannelURL(try readString())
        repeated.keep(url, from: start..<position)
        return url
    }

    /// Reads meta arrays as a list of keys and values, or as a map from keys to values.
    mutating func readMetaArrays() throws(WireError) -> [MetaArray] {
        if try skipEmpty() { return [] }
        var arrays: [MetaArray] = []
        guard try peek() == .object else {
            return try readList { reader throws(WireError) in try reader.readMetaArray() }
        }
        var places: [String: Int] = [:]
        try readObject { key, reader throws(WireError) in
            let array = MetaArray(key: key, values: try reader.readStrings())
            if let place = places[key] {
                arrays[place] = array
            } else {
                places[key] = arrays.count
                arrays.append(array)
            }
        }
        return arrays
    }

    mutating func readMetaArray() throws(WireError) -> MetaArray {
        var array = MetaArray(key: "", values: [])
        try readObject { name, reader throws(WireError) in
            switch name {
            case "key": array.key = try reader.readString()
            case "value": array.values = try reader.readStrings()
            default: try array.unknownFields.keep(name, from: &reader)
            }
        }
        return array
    }
}
