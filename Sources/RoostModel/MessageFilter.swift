// SPDX-License-Identifier: Apache-2.0

/// Which messages of a channel a question is about (`docs/protocol` 3.6).
public struct MessageFilter: Hashable, Sendable {
    public enum Kind: String, Hashable, Sendable {
        case all = ""
        case user = "MESG"
        case file = "FILE"
        case admin = "ADMM"

        package func matches(_ content: MessageContent) -> Bool {
            switch (self, content) {
            case (.all, _), (.user, .user), (.file, .file), (.admin, .admin): true
            case (.user, _), (.file, _), (.admin, _): false
            }
        }
    }

    public enum ReplyType: String, Hashable, Sendable {
        /// No replies.
        case none
        case all
        /// Of the replies only those that stand in the channel as well.
        case onlyReplyToChannel = "only_reply_to_channel"
    }

    public var kind: Kind
    /// Any of these, "" meaning none; nil for all.
    public var customTypes: [String]?
    public var senderIDs: [UserID]?
    public var replyType: ReplyType
    /// Only the replies to this message.
    public var parentID: MessageID?

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

    public func matches(_ message: Message) -> Bool {
        guard kind.matches(message.content) else { return false }
        if let customTypes, !customTypes.contains(message.customType) { return false }
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
    /// Every message, replies included: what is known under it is known under every filter (scar 32).
    public static let everything = MessageFilter(replyType: .all)

    /// The same question in one spelling, so that two ways to ask it are equal.
    package var normalized: MessageFilter {
        var filter = self
        filter.customTypes = customTypes.map { Array(Set($0)).sorted() }
        filter.senderIDs = senderIDs.map { Array(Set($0)).sorted() }
        // Whoever asks for the replies to one message means all of them.
        if parentID != nil { filter.replyType = .all }
        return filter
    }
}
