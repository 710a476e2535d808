// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostModel
import RoostWire

/// A message, as it was when this object was made.
///
/// Two objects are equal if they are of the same message, also if it was edited in between.
public class BaseMessage: NSObject {
    let value: Message

    required init(_ value: Message) { self.value = value }

    /// The server's ID; 0 while the message is unsent.
    public var messageId: Int64 { value.messageID?.rawValue ?? 0 }
    /// The channel of the message.
    public var channelURL: String { value.channelURL.rawValue }
    /// The kind of that channel.
    public var channelType: ChannelType { .group }
    /// The identifier of the send call, the same on every retry; "" if the server did not tell it.
    public var requestId: String { value.requestID?.rawValue ?? "" }
    /// The text of a user or an administrator, or the caption of a file.
    public var message: String { value.text }
    /// The time of creation, in milliseconds: the server's, and before the delivery the device's.
    public var createdAt: Int64 { value.createdAt.milliseconds }
    /// The time of the last edit, in milliseconds; 0 if the message was never edited.
    public var updatedAt: Int64 { value.updatedAt?.milliseconds ?? 0 }
    /// The sender; nil for administrators' messages.
    public var sender: Sender? { value.sender.map { Sender($0) } }
    /// Text of the app's own; the server does not read it.
    public var data: String { value.data }
    /// A type of the app's own, which filters can select.
    public var customType: String? { value.customType }
    /// Whether the message causes no push and no unread count.
    public var isSilent: Bool { value.isSilent }
    /// Whether the sender was an operator when the message was sent.
    public var isOperatorMessage: Bool { value.sender?.role == .operator }
    /// Whether users or the whole channel are mentioned.
    public var mentionType: MentionType { value.mention.kind == .channel ? .channel : .users }
    /// The mentioned users' IDs.
    public var mentionedUserIds: [String] { value.mention.userIDs.map(\.rawValue) }
    /// The mentioned users, as far as the server sent them.
    public var mentionedUsers: [User] { value.details.mentionedUsers.map { User($0) } }
    /// Named lists of texts.
    public var metaArrays: [MessageMetaArray] { value.metaArrays.map { MessageMetaArray($0) } }
    /// The reactions; empty if there are none or the cache does not know them.
    public var reactions: [Reaction] { (value.details.reactions ?? []).map { Reaction($0) } }
    /// The message that this one replies to; 0 outside of threads.
    public var parentMessageId: Int64 { value.parentID?.rawValue ?? 0 }
    /// Whether a reply stands in the channel as well as in its thread.
    public var isReplyToChannel: Bool { value.isReplyToChannel }
    /// The state of sending.
    public var sendingStatus: MessageSendingStatus { MessageSendingStatus(value.status) }
    /// The reason for a failure, as a number of `ChatError` or the server; 0 without one.
    public var errorCode: Int {
        guard case .unsent(_, .failed(let code)) = value.delivery else { return 0 }
        return code.rawValue
    }

    /// The parameters that send the message again, or draw it while it waits (R152); nil for kinds
    /// that no user writes.
    public var messageParams: BaseMessageCreateParams? { nil }

    /// Returns the message as bytes, for a store of the app's own.
    public func serialize() -> Data? { Data(SerializedObject.message(value).bytes) }

    /// Returns the message that was serialised; nil for other bytes and for a message of another
    /// kind.
    public class func build(fromSerializedData data: Data) -> Self? {
        guard case .message(let message)? = SerializedObject(Array(data)) else { return nil }
        return BaseMessage.make(message) as? Self
    }

    static func make(_ message: Message) -> BaseMessage {
        switch message.content {
        case .user: UserMessage(message)
        case .file: FileMessage(message)
        case .admin: AdminMessage(message)
        case .unknown: BaseMessage(message)
        }
    }

    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? BaseMessage else { return false }
        return messageId == other.messageId && channelURL == other.channelURL
            && (messageId != 0 || requestId == other.requestId)
    }

    public override var hash: Int {
        messageId == 0 ? requestId.hashValue : messageId.hashValue
    }
}

/// A text of a user.
public final class UserMessage: BaseMessage {
    /// The text in other languages, by language code.
    public var translations: [String: String] { value.details.translations }

    public override var messageParams: BaseMessageCreateParams? {
        let params = UserMessageCreateParams(message: message)
        params.take(from: value)
        return params
    }
}

/// A file of a user.
public final class FileMessage: BaseMessage {
    private var file: FileContent? {
        guard case .file(let file) = value.content else { return nil }
        return file
    }

    /// The address of the file, with the file key if it needs one.
    public var url: String { file?.url ?? "" }
    /// The address of the file without the file key.
    public var plainURL: String { url }
    /// The name of the file, without a folder.
    public var name: String { file?.name ?? "" }
    /// The media type, such as `image/png`.
    public var type: String { file?.type ?? "" }
    /// The size in bytes.
    public var size: UInt { UInt(clamping: file?.size.bytes ?? 0) }

    public override var messageParams: BaseMessageCreateParams? {
        let params = FileMessageCreateParams(fileURL: url)
        params.fileName = name
        params.mimeType = type
        params.fileSize = size
        params.take(from: value)
        return params
    }
}

/// A text of an administrator or the server.
public final class AdminMessage: BaseMessage {}

/// The state of sending of a message.
public enum MessageSendingStatus: Int, Sendable {
    /// No state: in the contexts of events without messages.
    case none
    /// The message waits or is being sent.
    case pending
    /// The outbox has given up.
    case failed
    /// The server has the message.
    case succeeded
    /// The user canceled the message.
    case canceled

    init(_ status: SendingStatus) {
        switch status {
        case .pending: self = .pending
        case .failed: self = .failed
        case .succeeded: self = .succeeded
        case .canceled: self = .canceled
        }
    }
}

/// The kinds of mentions.
public enum MentionType: Int, Sendable {
    /// Single users.
    case users
    /// Everybody in the channel.
    case channel
}

/// A named list of texts that an app attaches to a message.
public final class MessageMetaArray: NSObject {
    /// The name; unique within a message.
    public let key: String
    /// The texts, in order.
    public let value: [String]

    /// Creates a list.
    public init(key: String, value: [String]) {
        self.key = key
        self.value = value
    }

    convenience init(_ array: MetaArray) { self.init(key: array.key, value: array.values) }
}

/// The users who reacted to a message with one key.
public final class Reaction: NSObject {
    /// The key of the reaction, such as `thumbsup`.
    public let key: String
    /// The users, in the order of their reactions.
    public let userIds: [String]
    /// The time of the last change, in milliseconds.
    public let updatedAt: Int64

    init(_ reaction: RoostModel.Reaction) {
        key = reaction.key
        userIds = reaction.userIDs.map(\.rawValue)
        updatedAt = reaction.updatedAt.milliseconds
    }
}
