// SPDX-License-Identifier: Apache-2.0

/// One message of a channel, delivered or unsent (`docs/protocol` 4.4).
///
/// A copy costs one reference; the first change of a copy copies all fields.
public struct Message: Hashable, Codable, Sendable {
    /// The state of delivery, with the names under which the message is known.
    public enum Delivery: Hashable, Codable, Sendable {
        /// Only this device has the message.
        case unsent(RequestID, UnsentState)
        /// The server has the message; the request ID is present in the user's own messages, if the
        /// server sent it.
        case delivered(MessageID, RequestID?)
    }

    private struct Fields: Hashable, Codable, Sendable {
        var delivery: Delivery
        var channelURL: ChannelURL
        var createdAt: Timestamp
        var updatedAt: Timestamp?
        var sender: Sender?
        var content: MessageContent
        var data: String
        var customType: String
        var mention: Mention
        var metaArrays: [MetaArray]
        var parentID: MessageID?
        var isReplyToChannel: Bool
        var isSilent: Bool
        var unknownFields: UnknownFields
        var rare = Rare<MessageDetails>()
    }

    private var fields: Shared<Fields>

    /// Creates a message; details can be set afterwards.
    public init(
        delivery: Delivery, channelURL: ChannelURL, createdAt: Timestamp,
        updatedAt: Timestamp? = nil, sender: Sender? = nil, content: MessageContent,
        data: String = "", customType: String = "", mention: Mention = Mention(),
        metaArrays: [MetaArray] = [], parentID: MessageID? = nil, isReplyToChannel: Bool = false,
        isSilent: Bool = false, unknownFields: UnknownFields = UnknownFields()
    ) {
        fields = Shared(
            Fields(
                delivery: delivery, channelURL: channelURL, createdAt: createdAt,
                updatedAt: updatedAt, sender: sender, content: content, data: data,
                customType: customType, mention: mention, metaArrays: metaArrays,
                parentID: parentID, isReplyToChannel: isReplyToChannel, isSilent: isSilent,
                unknownFields: unknownFields))
    }
}

extension Message {
    /// The state of delivery and the message's identifiers.
    public var delivery: Delivery {
        get { fields.value.delivery }
        set { fields.value.delivery = newValue }
    }

    /// The channel of the message.
    public var channelURL: ChannelURL {
        get { fields.value.channelURL }
        set { fields.value.channelURL = newValue }
    }

    /// The server's time of a delivered message; the device's time of an unsent one, which orders
    /// only unsent messages.
    public var createdAt: Timestamp {
        get { fields.value.createdAt }
        set { fields.value.createdAt = newValue }
    }

    /// The time of the last edit; nil if the message was never edited (0 on the wire).
    public var updatedAt: Timestamp? {
        get { fields.value.updatedAt }
        set { fields.value.updatedAt = newValue }
    }

    /// The sender; nil for administrators' messages.
    public var sender: Sender? {
        get { fields.value.sender }
        set { fields.value.sender = newValue }
    }

    /// The text, the file, or the kind of a newer server.
    public var content: MessageContent {
        get { fields.value.content }
        set { fields.value.content = newValue }
    }

    /// Text of the app's own; the server does not read it.
    public var data: String {
        get { fields.value.data }
        set { fields.value.data = newValue }
    }

    /// A type of the app's own, which filters can select; "" for none.
    public var customType: String {
        get { fields.value.customType }
        set { fields.value.customType = newValue }
    }

    /// The users whom the message mentions.
    public var mention: Mention {
        get { fields.value.mention }
        set { fields.value.mention = newValue }
    }

    /// Named lists of texts, in the order of the wire.
    public var metaArrays: [MetaArray] {
        get { fields.value.metaArrays }
        set { fields.value.metaArrays = newValue }
    }

    /// The message that this one replies to; nil for a message outside of threads.
    public var parentID: MessageID? {
        get { fields.value.parentID }
        set { fields.value.parentID = newValue }
    }

    /// Whether a reply stands in the channel as well as in its thread.
    public var isReplyToChannel: Bool {
        get { fields.value.isReplyToChannel }
        set { fields.value.isReplyToChannel = newValue }
    }

    /// Whether the message causes no push and no unread count, and does not become the channel's
    /// last message.
    public var isSilent: Bool {
        get { fields.value.isSilent }
        set { fields.value.isSilent = newValue }
    }

    /// Fields of a newer server without a name in this release.
    public var unknownFields: UnknownFields {
        get { fields.value.unknownFields }
        set { fields.value.unknownFields = newValue }
    }
}

/// The state of an unsent message.
public enum UnsentState: Hashable, Codable, Sendable {
    /// The message waits or is being sent; the outbox continues by itself.
    case pending
    /// The outbox has given up for this reason; `ChatClient.resend(_:)` tries again.
    case failed(RoostError.Code)
    /// The user canceled the message before it was sent.
    case canceled
}

/// The sending state of a message, in the words that an app shows.
public enum SendingStatus: String, Hashable, Codable, Sendable, CaseIterable {
    /// The message waits or is being sent.
    case pending
    /// The outbox has given up.
    case failed
    /// The user canceled the message.
    case canceled
    /// The server has the message.
    case succeeded
}

extension Message {
    /// Fields that few messages have.
    ///
    /// To change several fields, change a copy and set it once.
    public var details: MessageDetails {
        get { fields.value.rare.value }
        set { fields.value.rare.value = newValue }
    }

    /// Sets details that are known not to be empty, without comparing each of them.
    package mutating func take(_ details: MessageDetails) {
        fields.value.rare = Rare(details)
    }

    /// Whether `details` is empty; cheaper than a comparison.
    package var hasNoDetails: Bool { fields.value.rare.isEmpty }

    /// The server's ID; nil while unsent.
    @inline(never)  // Inlined into some loops, it crashes the optimiser of Swift 6.3.1.
    public var messageID: MessageID? {
        switch delivery {
        case .unsent: nil
        case .delivered(let id, _): id
        }
    }

    /// The identifier of the send call; nil if the server did not send it.
    public var requestID: RequestID? {
        switch delivery {
        case .unsent(let id, _): id
        case .delivered(_, let id): id
        }
    }

    /// The place in the channel; nil while unsent, because only the server gives places.
    public var position: Position? {
        messageID.map { Position(createdAt: createdAt, messageID: $0) }
    }

    /// The sending state of the message.
    public var status: SendingStatus {
        switch delivery {
        case .delivered: .succeeded
        case .unsent(_, .pending): .pending
        case .unsent(_, .failed): .failed
        case .unsent(_, .canceled): .canceled
        }
    }

    /// The text of a user or an administrator, the caption of a file, or "".
    public var text: String {
        switch content {
        case .user(let text), .admin(let text): text
        case .file(let file): file.caption
        case .unknown: ""
        }
    }
}

/// The content of a message.
public enum MessageContent: Hashable, Codable, Sendable {
    /// A text of a user.
    case user(text: String)
    /// One or more files of a user.
    indirect case file(FileContent)
    /// A text of an administrator or the server; it has no sender.
    case admin(text: String)
    /// A kind of a newer server; its fields are kept in `Message.unknownFields`.
    case unknown(kind: String)
}

/// A file of a file message.
public struct FileContent: Hashable, Codable, Sendable {
    /// The address of the file.
    public var url: String
    /// The name of the file, without a folder.
    public var name: String
    /// The media type, such as `image/png`.
    public var type: String
    /// The size of the file.
    public var size: ByteCount
    /// A text that goes with the file, or "".
    public var caption: String
    /// Text of the app's own about this file, if it differs from the message's.
    public var data = ""
    /// Smaller pictures of the file that the server made.
    ///
    /// A Roost server makes no thumbnails.
    public var thumbnails: [Thumbnail] = []
    /// Whether the file and its thumbnails can be fetched with the file key only.
    public var requiresAuth = false
    /// All files of a message with several, this one first; empty if it is the only one.
    public var files: [FileContent] = []
    /// Fields of a newer server without a name in this release.
    public var unknownFields = UnknownFields()

    /// Creates a file; all other fields have their defaults and can be set afterwards.
    public init(url: String, name: String, type: String, size: ByteCount, caption: String = "") {
        self.url = url
        self.name = name
        self.type = type
        self.size = size
        self.caption = caption
    }
}

/// The users whom a message mentions.
public struct Mention: Hashable, Codable, Sendable {
    /// The kind of a mention.
    public enum Kind: String, Hashable, Codable, Sendable {
        /// The users in `userIDs`.
        case users
        /// Everybody in the channel.
        case channel
    }

    /// Whether users or the whole channel are mentioned.
    public var kind: Kind
    /// The mentioned users; used with `.users` only.
    public var userIDs: [UserID]

    /// Creates a mention; without arguments it mentions no user.
    public init(kind: Kind = .users, userIDs: [UserID] = []) {
        self.kind = kind
        self.userIDs = userIDs
    }

    /// Returns whether the message mentions a user, by ID or with the whole channel.
    package func calls(_ user: UserID) -> Bool { kind == .channel || userIDs.contains(user) }
}

/// A named list of texts that an app attaches to a message.
public struct MetaArray: Hashable, Codable, Sendable {
    /// The name; unique within a message.
    public var key: String
    /// The texts, in order.
    public var values: [String]
    /// Fields of a newer server without a name in this release.
    public var unknownFields = UnknownFields()

    /// Creates a list.
    public init(key: String, values: [String]) {
        self.key = key
        self.values = values
    }
}
