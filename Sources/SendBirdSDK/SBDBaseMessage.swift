// SPDX-License-Identifier: Apache-2.0

public import Foundation
package import RoostModel
import RoostWire

/// A message, as it was when this object was made.
///
/// Two objects are equal when they are of one message, whatever it says by now.
public class SBDBaseMessage: NSObject {
    package let value: Message

    required init(_ value: Message) { self.value = value }

    /// 0 while the server does not have it.
    public var messageId: Int64 { value.messageID?.rawValue ?? 0 }
    public var channelUrl: String? { value.channelURL.rawValue }
    /// The name of the act of sending, the same on every try; nil when the server did not tell it.
    public var requestId: String? { value.requestID?.rawValue }
    public var message: String? { value.text }
    /// In milliseconds.
    public var createdAt: Int64 { value.createdAt.milliseconds }
    /// In milliseconds; 0 when never edited.
    public var updatedAt: Int64 { value.updatedAt?.milliseconds ?? 0 }
    public var sender: SBDSender? { value.sender.map { SBDSender($0) } }
    public var data: String? { value.data }
    public var customType: String? { value.customType }
    public var isSilent: Bool { value.isSilent }
    public var mentionedUserIds: [String] { value.mention.userIDs.map(\.rawValue) }
    public var parentMessageId: Int64 { value.parentID?.rawValue ?? 0 }
    public var reactions: [SBDReaction] {
        (value.details.reactions ?? []).map { SBDReaction($0) }
    }
    public var sendingStatus: SBDMessageSendingStatus { SBDMessageSendingStatus(value.status) }
    /// Why it failed; 0 when it did not.
    public var errorCode: Int {
        guard case .unsent(_, .failed(let code)) = value.delivery else { return 0 }
        return code.rawValue
    }

    /// The message as bytes, for a store of the app's own.
    public func serialize() -> Data? { Data(SerializedObject.message(value).bytes) }

    /// The message that was serialised; nil for other bytes, and for a message of another kind.
    public class func build(fromSerializedData data: Data) -> Self? {
        guard case .message(let message)? = SerializedObject(Array(data)) else { return nil }
        return SBDBaseMessage.make(message) as? Self
    }

    package static func make(_ message: Message) -> SBDBaseMessage {
        switch message.content {
        case .user: SBDUserMessage(message)
        case .file: SBDFileMessage(message)
        case .admin: SBDAdminMessage(message)
        case .unknown: SBDBaseMessage(message)
        }
    }

    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? SBDBaseMessage else { return false }
        return messageId == other.messageId && channelUrl == other.channelUrl
            && (messageId != 0 || requestId == other.requestId)
    }

    public override var hash: Int {
        messageId == 0 ? (requestId ?? "").hashValue : messageId.hashValue
    }
}

/// A text that a user wrote.
public final class SBDUserMessage: SBDBaseMessage {
    public var translations: [String: String] { value.details.translations }
}

/// A file that a user sent.
public final class SBDFileMessage: SBDBaseMessage {
    private var file: FileContent? {
        guard case .file(let file) = value.content else { return nil }
        return file
    }

    public var url: String { file?.url ?? "" }
    public var name: String { file?.name ?? "" }
    public var type: String { file?.type ?? "" }
    /// In bytes.
    public var size: UInt { UInt(clamping: file?.size.bytes ?? 0) }
}

/// What an administrator or the server wrote.
public final class SBDAdminMessage: SBDBaseMessage {}

/// Where a message stands on its way.
public enum SBDMessageSendingStatus: Int, Sendable {
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

/// Who answered a message with one emoji.
public final class SBDReaction: NSObject {
    public let key: String
    public let userIds: [String]

    init(_ reaction: Reaction) {
        key = reaction.key
        userIds = reaction.userIDs.map(\.rawValue)
    }
}
