// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// The dialect in which a message is encoded.
package enum MessageDialect: Equatable, Sendable {
    /// Long names, as an object of its own.
    case rest
    /// Short names, as the payload of a frame.
    ///
    /// The request ID is `req_id` in the answer to the sender's session and `request_id` elsewhere
    /// (`docs/protocol` 2.3).
    case socket(isAnswer: Bool)
}

extension JSONWriter {
    package mutating func message(_ message: Message, _ dialect: MessageDialect = .rest) {
        object { writer in writer.fields(of: message, dialect) }
    }

    package mutating func messages(_ name: String, _ messages: [Message]) {
        array(name) { writer in
            for message in messages { writer.message(message) }
        }
    }

    /// Writes a message's fields into the current object; an unsent message has no ID.
    package mutating func fields(of message: Message, _ dialect: MessageDialect) {
        let isREST = dialect == .rest
        if isREST { field("type", message.content.kind) }
        if let id = message.messageID { field(isREST ? "message_id" : "msg_id", id.rawValue) }
        if let requestID = message.requestID {
            let isAnswer = isREST || dialect == .socket(isAnswer: true)
            field(isAnswer ? "req_id" : "request_id", requestID.rawValue)
        }
        field("channel_url", message.channelURL.rawValue)
        usual("channel_type", "\"group\"", unlessIn: message.unknownFields)
        field(isREST ? "created_at" : "ts", message.createdAt.milliseconds)
        field("updated_at", message.updatedAt?.milliseconds ?? 0)
        if message.unknownFields["message"] == nil { field("message", message.text) }
        field("data", message.data)
        field("custom_type", message.customType)
        field("silent", message.isSilent)
        field("is_op_msg", message.sender?.role == .operator)
        if let sender = message.sender {
            name("user")
            self.sender(sender)
        }
        mention(message)
        metaArrays(message.metaArrays, isREST: isREST)
        if let parentID = message.parentID {
            field("parent_message_id", parentID.rawValue)
            field("root_message_id", parentID.rawValue)
            field("is_reply_to_channel", message.isReplyToChannel)
        }
        file(message, isREST: isREST)
        if !message.hasNoDetails { details(message.details) }
        unknown(message.unknownFields)
    }

    private mutating func mention(_ message: Message) {
        let mention = message.mention
        field("mention_type", mention.kind.rawValue)
        let users = message.hasNoDetails ? [] : message.details.mentionedUsers
        if !mention.userIDs.isEmpty {
            field("mentioned_user_ids", mention.userIDs.map(\.rawValue))
            if !users.isEmpty { self.users("mentioned_users", users) }
        } else {
            self.users("mentioned_users", users)
        }
    }

    private mutating func metaArrays(_ arrays: [MetaArray], isREST: Bool) {
        guard !arrays.isEmpty else { return }
        guard !isREST else { return sortedMetaArrays("sorted_metaarray", arrays) }
        object("metaarray") { writer in
            for array in arrays { writer.field(array.key, array.values) }
        }
        field("metaarray_key_order", arrays.map(\.key))
        // A map has no room for the arrays' unknown fields, so the list follows, and overrides it.
        if arrays.contains(where: { !$0.unknownFields.isEmpty }) {
            sortedMetaArrays("sorted_metaarray", arrays)
        }
    }

    /// Writes meta arrays as a list, which preserves their order.
    package mutating func sortedMetaArrays(_ name: String, _ arrays: [MetaArray]) {
        array(name) { writer in
            for array in arrays {
                writer.object { writer in
                    writer.field("key", array.key)
                    writer.field("value", array.values)
                    writer.unknown(array.unknownFields)
                }
            }
        }
    }

    /// Writes `file`, and in a frame the spread form as well, because some clients read one and
    /// some the other.
    private mutating func file(_ message: Message, isREST: Bool) {
        guard case .file(let file) = message.content else {
            if isREST { usual("file", "{}", unlessIn: message.unknownFields) }
            return
        }
        if !isREST {
            field("url", file.url)
            field("name", file.name)
            field("type", file.type)
            field("size", file.size.bytes)
            field("custom", message.data)
        }
        object("file") { writer in
            writer.field("url", file.url)
            writer.field("name", file.name)
            writer.field("type", file.type)
            writer.field("size", file.size.bytes)
            writer.field("data", file.data.isEmpty ? message.data : file.data)
            if file.requiresAuth { writer.field("require_auth", true) }
            writer.unknown(file.unknownFields)
        }
        // Fields of the sender's command were kept as text and follow later.
        let unknown = message.unknownFields
        if unknown["thumbnails"] == nil {
            name("thumbnails")
            thumbnails(file.thumbnails)
        }
        if unknown["require_auth"] == nil { field("require_auth", file.requiresAuth) }
        if unknown["files"] == nil { files(file.files) }
    }
}

extension MessageContent {
    /// The protocol's word for the kind.
    package var kind: String {
        switch self {
        case .user: MessageKind.user
        case .file: MessageKind.file
        case .admin: MessageKind.admin
        case .unknown(let kind): kind
        }
    }
}

extension Message {
    /// Sets the mention, with the users as other members see them.
    package mutating func setMention(_ kind: Mention.Kind, users: [User]) {
        mention = Mention(kind: kind, userIDs: users.map(\.id))
        guard details.mentionedUsers != users else { return }
        var details = details
        details.mentionedUsers = users
        self.details = details
    }
}
