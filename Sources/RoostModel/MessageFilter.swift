// SPDX-License-Identifier: Apache-2.0

/// A selection of a channel's messages (`docs/protocol` 3.6).
public struct MessageFilter: Hashable, Codable, Sendable {
    /// The kinds of messages that a filter can select.
    public enum Kind: String, Hashable, Codable, Sendable {
        /// All kinds.
        case all = ""
        /// Texts of users.
        case user = "MESG"
        /// Files of users.
        case file = "FILE"
        /// Texts of administrators and the server.
        case admin = "ADMM"

        package func matches(_ content: MessageContent) -> Bool {
            switch (self, content) {
            case (.all, _), (.user, .user), (.file, .file), (.admin, .admin): true
            case (.user, _), (.file, _), (.admin, _): false
            }
        }
    }

    /// The replies that a filter selects.
    public enum ReplyType: String, Hashable, Codable, Sendable {
        /// No replies.
        case none
        /// All replies.
        case all
        /// The replies that also stand in the channel.
        case onlyReplyToChannel = "only_reply_to_channel"
    }

    /// The kind of message.
    public var kind: Kind
    /// The custom types, any of which fits; nil selects all.
    ///
    /// The element "" selects messages without a custom type.
    public var customTypes: [String]?
    /// The senders, any of whom fits; nil selects all.
    public var senderIDs: [UserID]?
    /// The replies that are selected besides other messages.
    public var replyType: ReplyType
    /// The parent whose replies are selected, and nothing else; nil for the whole channel.
    public var parentID: MessageID?

    /// Creates a filter; without arguments it selects every message that is no reply.
    public init(
        kind: Kind = .all, customTypes: [String]? = nil, senderIDs: [UserID]? = nil,
        replyType: ReplyType = .none, parentID: MessageID? = nil
    ) {
        self.kind = kind
        self.customTypes = customTypes
        self.senderIDs = senderIDs
        self.replyType = replyType
        self.parentID = parentID
    }

    /// Returns whether the filter selects a message.
    public func matches(_ message: Message) -> Bool {
        guard kind.matches(message.content) else { return false }
        if let customTypes,
            !customTypes.contains(where: { $0.utf8.elementsEqual(message.customType.utf8) })
        {
            return false
        }
        if let senderIDs {
            guard let sender = message.sender, senderIDs.contains(sender.user.id) else {
                return false
            }
        }
        if let parentID { return message.parentID == parentID }
        guard message.parentID != nil else { return true }
        switch replyType {
        case .none: return false
        case .all: return true
        case .onlyReplyToChannel: return message.isReplyToChannel
        }
    }
}

extension MessageFilter {
    /// The filter for every message, replies included; coverage under it holds under every filter.
    public static let everything = MessageFilter(replyType: .all)

    /// The same filter in a canonical form, so that equal selections are equal values.
    package var normalized: MessageFilter {
        var filter = self
        filter.customTypes = customTypes.map { Array(Set($0)).sorted() }
        filter.senderIDs = senderIDs.map { Array(Set($0)).sorted() }
        // A question for the replies to one message means all of them.
        if parentID != nil { filter.replyType = .all }
        return filter
    }
}
