// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostModel
import RoostWire

/// A message, as it was when this object was made.
///
/// Two objects are equal when they are of one message, whatever it says by now.
public class BaseMessage: NSObject {
    let value: Message

    required init(_ value: Message) { self.value = value }

    /// 0 while the server does not have it.
    public var messageId: Int64 { value.messageID?.rawValue ?? 0 }
    public var channelURL: String { value.channelURL.rawValue }
    public var channelType: ChannelType { .group }
    /// The name of the act of sending, the same on every try; "" when the server did not tell it.
    public var requestId: String { value.requestID?.rawValue ?? "" }
    public var message: String { value.text }
    /// In milliseconds.
    public var createdAt: Int64 { value.createdAt.milliseconds }
    /// In milliseconds; 0 when never edited.
    public var updatedAt: Int64 { value.updatedAt?.milliseconds ?? 0 }
    public var sender: Sender? { value.sender.map { Sender($0) } }
    public var data: String { value.data }
    public var customType: String? { value.customType }
    public var isSilent: Bool { value.isSilent }
    public var isOperatorMessage: Bool { value.sender?.role == .operator }
    public var mentionType: MentionType { value.mention.kind == .channel ? .channel : .users }
    public var mentionedUserIds: [String] { value.mention.userIDs.map(\.rawValue) }
    public var mentionedUsers: [User] { value.details.mentionedUsers.map { User($0) } }
    public var metaArrays: [MessageMetaArray] { value.metaArrays.map { MessageMetaArray($0) } }
    public var reactions: [Reaction] { (value.details.reactions ?? []).map { Reaction($0) } }
    public var parentMessageId: Int64 { value.parentID?.rawValue ?? 0 }
    public var isReplyToChannel: Bool { value.isReplyToChannel }
    public var sendingStatus: MessageSendingStatus { MessageSendingStatus(value.status) }
    /// Why it failed; 0 when it did not.
    public var errorCode: Int {
        guard case .unsent(_, .failed(let code)) = value.delivery else { return 0 }
        return code.rawValue
    }

    /// What it takes to send it again, or to draw it while it waits (R152); nil for what no user writes.
    public var messageParams: BaseMessageCreateParams? { nil }

    /// The message as bytes, for a store of the app's own.
    public func serialize() -> Data? { Data(SerializedObject.message(value).bytes) }

    /// The message that was serialised; nil for other bytes, and for a message of another kind.
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

/// A text that a user wrote.
public final class UserMessage: BaseMessage {
    public var translations: [String: String] { value.details.translations }

    public override var messageParams: BaseMessageCreateParams? {
        let params = UserMessageCreateParams(message: message)
        params.take(from: value)
        return params
    }
}

/// A file that a user sent.
public final class FileMessage: BaseMessage {
    private var file: FileContent? {
        guard case .file(let file) = value.content else { return nil }
        return file
    }

    public var url: String { file?.url ?? "" }
    public var plainURL: String { url }
    public var name: String { file?.name ?? "" }
    public var type: String { file?.type ?? "" }
    /// In bytes.
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

/// What an administrator or the server wrote.
public final class AdminMessage: BaseMessage {}

/// Where a message stands on its way.
public enum MessageSendingStatus: Int, Sendable {
    case none
    case pending
    case failed
    case succeeded
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

public enum MentionType: Int, Sendable {
    case users
    case channel
}

/// A named list of words that an app attaches to a message.
public final class MessageMetaArray: NSObject {
    public let key: String
    public let value: [String]

    public init(key: String, value: [String]) {
        self.key = key
        self.value = value
    }

    convenience init(_ array: MetaArray) { self.init(key: array.key, value: array.values) }
}

/// Who answered a message with one emoji.
public final class Reaction: NSObject {
    public let key: String
    public let userIds: [String]
    /// In milliseconds.
    public let updatedAt: Int64

    init(_ reaction: RoostModel.Reaction) {
        key = reaction.key
        userIds = reaction.userIDs.map(\.rawValue)
        updatedAt = reaction.updatedAt.milliseconds
    }
}
