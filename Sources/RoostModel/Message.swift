// SPDX-License-Identifier: Apache-2.0

/// One message of a channel, delivered or still on its way (`docs/protocol` 4.4).
///
/// Copying one costs a reference; the first change of a copy copies all of it.
public struct Message: Hashable, Sendable {
    /// Whether the server has it, and under which names it is known.
    public enum Delivery: Hashable, Sendable {
        /// Only this device has it.
        case unsent(RequestID, UnsentState)
        /// The server has it. The request ID is there when the server told it, at least to the sender.
        case delivered(MessageID, RequestID?)
    }

    private struct Fields: Hashable, Sendable {
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
    public var delivery: Delivery {
        get { fields.value.delivery }
        set { fields.value.delivery = newValue }
    }

    public var channelURL: ChannelURL {
        get { fields.value.channelURL }
        set { fields.value.channelURL = newValue }
    }

    /// The server's time once delivered; before that the device's, which orders nothing but the unsent.
    public var createdAt: Timestamp {
        get { fields.value.createdAt }
        set { fields.value.createdAt = newValue }
    }

    /// When it was last edited; nil when never (the wire says 0).
    public var updatedAt: Timestamp? {
        get { fields.value.updatedAt }
        set { fields.value.updatedAt = newValue }
    }

    /// Nil for administrators' messages.
    public var sender: Sender? {
        get { fields.value.sender }
        set { fields.value.sender = newValue }
    }

    public var content: MessageContent {
        get { fields.value.content }
        set { fields.value.content = newValue }
    }

    public var data: String {
        get { fields.value.data }
        set { fields.value.data = newValue }
    }

    public var customType: String {
        get { fields.value.customType }
        set { fields.value.customType = newValue }
    }

    public var mention: Mention {
        get { fields.value.mention }
        set { fields.value.mention = newValue }
    }

    public var metaArrays: [MetaArray] {
        get { fields.value.metaArrays }
        set { fields.value.metaArrays = newValue }
    }

    /// The message this one replies to.
    public var parentID: MessageID? {
        get { fields.value.parentID }
        set { fields.value.parentID = newValue }
    }

    /// A reply that stands in the channel as well as in its thread.
    public var isReplyToChannel: Bool {
        get { fields.value.isReplyToChannel }
        set { fields.value.isReplyToChannel = newValue }
    }

    /// No push, no unread count, no change of the channel's last message for others.
    public var isSilent: Bool {
        get { fields.value.isSilent }
        set { fields.value.isSilent = newValue }
    }

    public var unknownFields: UnknownFields {
        get { fields.value.unknownFields }
        set { fields.value.unknownFields = newValue }
    }
}

/// Where an unsent message stands.
public enum UnsentState: Hashable, Codable, Sendable {
    /// It waits or is being sent; the outbox goes on by itself.
    case pending
    /// The outbox has given up for this reason; the person may send it again.
    case failed(RoostError.Code)
    /// The person took it back before it was sent.
    case canceled
}

/// Where a message stands on its way, in the words an app shows.
public enum SendingStatus: String, Hashable, Sendable, CaseIterable {
    case pending
    case failed
    case canceled
    case succeeded
}

extension Message {
    /// What few messages carry; change several fields of a copy, then set it once.
    public var details: MessageDetails {
        get { fields.value.rare.value }
        set { fields.value.rare.value = newValue }
    }

    /// Takes over details that are known not to be empty, without a look at each of them.
    package mutating func take(_ details: MessageDetails) {
        fields.value.rare = Rare(details)
    }

    /// Whether `details` is empty, which costs less to ask than to compare.
    public var hasNoDetails: Bool { fields.value.rare.isEmpty }

    /// The server's ID; nil while unsent.
    @inline(never)  // Inlined into some loops, it crashes the optimiser of Swift 6.3.1.
    public var messageID: MessageID? {
        switch delivery {
        case .unsent: nil
        case .delivered(let id, _): id
        }
    }

    /// The name of the act of sending; nil when the server did not tell it.
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

    public var status: SendingStatus {
        switch delivery {
        case .delivered: .succeeded
        case .unsent(_, .pending): .pending
        case .unsent(_, .failed): .failed
        case .unsent(_, .canceled): .canceled
        }
    }

    /// The words: a user's or an administrator's text, a file's caption, or "".
    public var text: String {
        switch content {
        case .user(let text), .admin(let text): text
        case .file(let file): file.caption
        case .unknown: ""
        }
    }
}

/// What a message carries.
public enum MessageContent: Hashable, Sendable {
    case user(text: String)
    indirect case file(FileContent)
    /// Written by an administrator or the server; has no sender.
    case admin(text: String)
    /// A kind from a newer server; its fields are kept in `Message.unknownFields`.
    case unknown(kind: String)
}

/// The file of a file message.
public struct FileContent: Hashable, Sendable {
    public var url: String
    public var name: String
    /// The media type, such as `image/png`.
    public var type: String
    public var size: ByteCount
    public var caption: String
    /// The app's own words about the file, where they are not the message's.
    public var data = ""
    public var thumbnails: [Thumbnail] = []
    /// The server gives the file and its thumbnails only with the file key.
    public var requiresAuth = false
    /// All files of a message with several, this one first; empty when it is the only one.
    public var files: [FileContent] = []
    public var unknownFields = UnknownFields()

    public init(url: String, name: String, type: String, size: ByteCount, caption: String = "") {
        self.url = url
        self.name = name
        self.type = type
        self.size = size
        self.caption = caption
    }
}

/// A number of bytes.
public struct ByteCount: Hashable, Comparable, Sendable {
    public let bytes: Int64
    public init(bytes: Int64) { self.bytes = bytes }
    public static func < (left: Self, right: Self) -> Bool { left.bytes < right.bytes }
}

/// Whom a message calls.
public struct Mention: Hashable, Sendable {
    public enum Kind: String, Hashable, Sendable {
        case users
        case channel
    }

    public var kind: Kind
    /// Used with `.users` only.
    public var userIDs: [UserID]

    public init(kind: Kind = .users, userIDs: [UserID] = []) {
        self.kind = kind
        self.userIDs = userIDs
    }

    /// Whether it calls a user, by name or with everybody.
    public func calls(_ user: UserID) -> Bool { kind == .channel || userIDs.contains(user) }
}

/// A named list of words an app attaches to a message.
public struct MetaArray: Hashable, Sendable {
    public var key: String
    public var values: [String]
    public var unknownFields = UnknownFields()

    public init(key: String, values: [String]) {
        self.key = key
        self.values = values
    }
}
