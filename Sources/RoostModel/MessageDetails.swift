// SPDX-License-Identifier: Apache-2.0

/// What few messages carry (`docs/protocol` 4.4 to 4.8), apart from what every message has.
public struct MessageDetails: Hashable, Sendable, RareValue {
    /// Nil when the copy does not tell, because nobody asked; that is not the same as none.
    public var reactions: [Reaction]?
    /// Only on messages with replies; nil when there are none or the copy does not tell.
    public var threadInfo: ThreadInfo?
    /// What the message this one replies to says.
    public var parentPreview: ParentPreview? {
        get { storedPreview?.value }
        set { storedPreview = newValue.map { Indirect($0) } }
    }
    /// What stands behind the first link of the text.
    public var linkPreview: LinkPreview?
    public var poll: Poll? {
        get { storedPoll?.value }
        set { storedPoll = newValue.map { Indirect($0) } }
    }
    /// Texts by language.
    public var translations: [String: String] = [:]
    /// The mentioned users with their names, as far as the server told them.
    public var mentionedUsers: [User] = []
    /// The text with places where the mentioned users' names go.
    public var mentionTemplate = ""
    /// JSON text of an object the server does not explain.
    public var extendedMessage: String?
    /// JSON text of an object the server does not explain.
    public var extendedMessagePayload: String?
    /// JSON text of a list.
    public var plugins: String?
    public var schedule: Schedule?
    /// Seconds until the message disappears; nil when it stays.
    public var survivalSeconds: Int?
    /// Hours for which the server keeps it; nil when it does so for ever.
    public var retentionHours: Int?
    public var criticalAlert: CriticalAlert?
    /// Nil for what messages usually do.
    public var effects: MessageEffects?
    /// The server shows it although it has been removed.
    public var isRemoved = false
    /// Only in notification channels.
    public var notification: NotificationInfo?

    /// What was asked to be sent; on unsent messages only, and in no cache.
    package var params: MessageParams? {
        get { storedParams?.value }
        set { storedParams = newValue.map { Indirect($0) } }
    }

    private var storedPreview: Indirect<ParentPreview>?
    private var storedParams: Indirect<MessageParams>?
    private var storedPoll: Indirect<Poll>?

    public init() {}
}

/// A picture of a file in another size.
public struct Thumbnail: Hashable, Sendable {
    public var url: String
    /// The address to add the file key to; "" when it is `url`.
    public var plainURL = ""
    /// The largest size that was asked for.
    public var width = 0
    public var height = 0
    public var realWidth = 0
    public var realHeight = 0
    public var unknownFields = UnknownFields()

    public init(url: String) { self.url = url }
}

/// The message another one replies to, as far as a reply tells.
public struct ParentPreview: Hashable, Sendable {
    public var content: MessageContent
    public var sender: User?
    public var createdAt: Timestamp?
    public var data = ""
    public var customType = ""
    public var translations: [String: String] = [:]
    /// When it was edited; nil when it never was or the server does not tell.
    public var updatedAt: Timestamp?
    public var unknownFields = UnknownFields()

    public init(content: MessageContent) { self.content = content }
}

/// What a web page says of itself (`og_tag`).
public struct LinkPreview: Hashable, Sendable {
    public struct Image: Hashable, Sendable {
        public var url = ""
        public var secureURL = ""
        public var type = ""
        public var alternativeText = ""
        public var width = 0
        public var height = 0
        public var unknownFields = UnknownFields()

        public init() {}
    }

    public var title = ""
    public var url = ""
    public var summary = ""
    public var image: Image?
    public var unknownFields = UnknownFields()

    public init() {}
}

/// When a message is to be sent.
public struct Schedule: Hashable, Sendable {
    public var id: Int64
    public var sendsAt: Timestamp?
    /// The server's word, such as `pending`.
    public var status = ""

    public init(id: Int64) { self.id = id }
}

/// The sound by which an Apple device breaks its silence.
public struct CriticalAlert: Hashable, Sendable {
    public var sound = ""
    /// Between 0 and 1.
    public var volume = 1.0
    public var unknownFields = UnknownFields()

    public init() {}
}

/// What a message changes for others when it arrives.
public struct MessageEffects: Hashable, Sendable {
    /// The server's word for who is pushed to, or "true" or "false".
    public var push = "receivers"
    public var updatesUnreadCount = true
    public var updatesMentionCount = true
    public var updatesLastMessage = true
    public var unknownFields = UnknownFields()

    public init() {}
}

/// What a message of a notification channel has besides.
public struct NotificationInfo: Hashable, Sendable {
    public var id: String
    /// `SENT` or `READ`.
    public var status = ""
    /// JSON text of an object.
    public var data: String?

    public init(id: String) { self.id = id }
}

/// A question with answers to choose from (`docs/protocol` 4.8).
public struct Poll: Hashable, Sendable, Identifiable {
    public struct Option: Hashable, Sendable, Identifiable {
        public package(set) var id: Int64
        public var text = ""
        public var createdBy: UserID?
        public var createdAt: Timestamp?
        public var updatedAt: Timestamp?
        public var voteCount = 0
        /// Some of those who voted for it.
        public var voters: [User] = []
        public var unknownFields = UnknownFields()

        public init(id: Int64) { self.id = id }
    }

    public enum Status: String, Hashable, Sendable {
        case open
        case closed
        case removed
    }

    public package(set) var id: Int64
    public var title = ""
    public var status: Status = .open
    public var createdAt: Timestamp?
    public var updatedAt: Timestamp?
    /// When voting ends; nil when nobody set it.
    public var closesAt: Timestamp?
    public var messageID: MessageID?
    /// The app's own data: its type, and its text.
    public var dataType = ""
    public var dataText = ""
    public var voterCount = 0
    public var options: [Option] = []
    public var createdBy: UserID?
    public var allowsSuggestions = false
    public var allowsMultipleVotes = false
    /// For which options the viewer voted; nil when nobody has told yet, which is not the same as none.
    public var votedOptionIDs: [Int64]?
    public var unknownFields = UnknownFields()

    public init(id: Int64) { self.id = id }
}
