// SPDX-License-Identifier: Apache-2.0

public import Foundation
package import RoostDoors
package import RoostModel
import RoostWire

/// A message, as it was when this object was made.
///
/// Two objects are equal if they are of the same message, also if it was edited in between.
public class SBDBaseMessage: NSObject {
    package let value: Message
    /// The parts that the app sees once the message is delivered.
    private var parts = MessageParts.all

    required init(_ value: Message) { self.value = value }

    private func shows(_ part: MessageParts) -> Bool { parts[part] || value.messageID == nil }

    /// The server's ID; 0 while the message is unsent.
    public var messageId: Int64 { value.messageID?.rawValue ?? 0 }
    /// The channel of the message.
    public var channelUrl: String { value.channelURL.rawValue }
    /// The kind of the channel, as text: `group` or `open`.
    public var channelType: String { value.isInOpenChannel ? "open" : "group" }
    /// The identifier of the send call, the same on every retry; "" if the server did not send it.
    public var requestId: String { value.requestID?.rawValue ?? "" }
    /// The text of a user or an administrator, or the caption of a file.
    public var message: String { value.text }
    /// The time of creation, in milliseconds: the server's, and before the delivery the device's.
    public var createdAt: Int64 { value.createdAt.milliseconds }
    /// The time of the last edit, in milliseconds; 0 if the message was never edited.
    public var updatedAt: Int64 { value.updatedAt?.milliseconds ?? 0 }
    /// The sender; nil for administrators' messages.
    public var sender: SBDSender? { value.sender.map { SBDSender($0) } }
    /// Text of the app's own; the server does not read it.
    public var data: String? { value.data }
    /// A type of the app's own, which filters can select.
    public var customType: String? { value.customType }
    /// Whether the message causes no push and no unread count.
    public var isSilent: Bool { value.isSilent }
    /// The users whom the message mentions.
    public var mentionType: SBDMentionType { value.mention.kind == .channel ? .channel : .users }
    /// The mentioned users' IDs.
    public var mentionedUserIds: [String] { value.mention.userIDs.map(\.rawValue) }
    /// The mentioned users, as far as the server sent more than their IDs.
    public var mentionedUsers: [SBDUser]? { value.details.mentionedUsers.map { SBDUser($0) } }
    /// Lists of texts of the app's own, by key; empty if the app did not ask for them.
    public var metaArrays: [SBDMessageMetaArray]? {
        (shows(.metaArrays) ? value.metaArrays : []).map {
            SBDMessageMetaArray(key: $0.key, value: $0.values)
        }
    }
    /// The message that this one replies to; 0 outside of threads.
    public var parentMessageId: Int64 { value.parentID?.rawValue ?? 0 }
    /// The message that this one replies to, as far as the server sent it; nil outside of threads,
    /// and if the app did not ask for it.
    public var parentMessage: SBDBaseMessage? {
        guard shows(.parent), let preview = value.details.parentPreview, let id = value.parentID
        else { return nil }
        var parent = Message(
            delivery: .delivered(id, nil), channelURL: value.channelURL,
            createdAt: preview.createdAt ?? Timestamp(milliseconds: 0),
            updatedAt: preview.updatedAt, sender: preview.sender.map { Sender(user: $0) },
            content: preview.content, data: preview.data, customType: preview.customType)
        parent.details.translations = preview.translations
        return SBDBaseMessage.make(parent)
    }
    /// Whether the reply is shown outside of its thread too.
    public var isReplyToChannel: Bool { value.isReplyToChannel }
    /// The thread that this message begins; nil if it has no replies, and if the app did not ask for
    /// it.
    public var threadInfo: SBDThreadInfo? {
        shows(.threadInfo) ? value.details.threadInfo.map { SBDThreadInfo($0) } : nil
    }
    /// The preview of a web page that the text names; nil without one.
    public var ogMetaData: SBDOGMetaData? { value.details.linkPreview.map { SBDOGMetaData($0) } }
    /// The properties that the message was or can be sent with; nil for administrators' messages.
    public var messageParams: SBDBaseMessageParams? {
        switch value.params {
        case .user(let params)?: SBDUserMessageParams(params)
        case .file(let params)?: SBDFileMessageParams(params)
        case nil: nil
        }
    }
    /// The reactions; empty if there are none, the cache does not know them, or the app did not ask
    /// for them.
    public var reactions: [SBDReaction] {
        (shows(.reactions) ? value.details.reactions ?? [] : []).map { SBDReaction($0) }
    }
    /// The state of sending.
    public var sendingStatus: SBDMessageSendingStatus { SBDMessageSendingStatus(value.status) }
    /// The state of sending, under its older name.
    public var requestState: SBDMessageSendingStatus { sendingStatus }
    /// The reason for a failure, as a number of `SBDErrorCode` or the server; 0 without one.
    public var errorCode: Int {
        guard case .unsent(_, .failed(let code)) = value.delivery else { return 0 }
        return code.rawValue
    }

    /// Returns the message as bytes, for a store of the app's own.
    public func serialize() -> Data? { Data(SerializedObject.message(value).bytes) }

    /// Returns the message that was serialised; nil for other bytes and for a message of another
    /// kind.
    public class func build(fromSerializedData data: Data) -> Self? {
        guard case .message(let message)? = SerializedObject(Array(data)) else { return nil }
        return SBDBaseMessage.make(message) as? Self
    }

    /// Returns the message that was serialised, an unsent one with another state of sending.
    ///
    /// A delivered message keeps its state, and so does every message for `.none` and `.succeeded`:
    /// the outbox alone knows what was sent.
    public class func build(
        fromSerializedData data: Data, desiredState: SBDMessageSendingStatus
    ) -> Self? {
        guard case .message(var message)? = SerializedObject(Array(data)) else { return nil }
        if case .unsent(let id, let state) = message.delivery {
            message.delivery = .unsent(id, desiredState.unsent ?? state)
        }
        return SBDBaseMessage.make(message) as? Self
    }

    package static func make(
        _ message: Message, showing parts: MessageParts = .all
    ) -> SBDBaseMessage {
        let object = ofKind(of: message)
        object.parts = parts
        return object
    }

    private static func ofKind(of message: Message) -> SBDBaseMessage {
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
        messageId == 0 ? requestId.hashValue : messageId.hashValue
    }
}

extension [Message] {
    /// Returns objects of the messages, in their order or against it.
    func objects(isReversed: Bool, showing parts: MessageParts) -> [SBDBaseMessage] {
        let objects = map { SBDBaseMessage.make($0, showing: parts) }
        return isReversed ? objects.reversed() : objects
    }
}

/// A text of a user.
public final class SBDUserMessage: SBDBaseMessage {
    /// The text in other languages, by language code.
    public var translations: [String: String] { value.details.translations }
}

/// A file of a user.
public final class SBDFileMessage: SBDBaseMessage {
    private var file: FileContent? {
        guard case .file(let file) = value.content else { return nil }
        return file
    }

    /// The address of the file, with the file key if it needs one.
    public var url: String { file?.url ?? "" }
    /// The name of the file, without a folder.
    public var name: String { file?.name ?? "" }
    /// The media type, such as `image/png`.
    public var type: String { file?.type ?? "" }
    /// The size in bytes.
    public var size: UInt { UInt(clamping: file?.size.bytes ?? 0) }
    /// The smaller pictures of the file; empty if there are none.
    public var thumbnails: [SBDThumbnail]? { (file?.thumbnails ?? []).map { SBDThumbnail($0) } }
}

/// A text of an administrator or the server.
public final class SBDAdminMessage: SBDBaseMessage {}

/// The state of sending of a message.
public enum SBDMessageSendingStatus: Int, Sendable {
    /// No state; no message has it.
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

    fileprivate var unsent: UnsentState? {
        switch self {
        case .pending: .pending
        case .failed: .failed(.requestFailed)
        case .canceled: .canceled
        case .none, .succeeded: nil
        }
    }
}

/// The older name of the state of sending.
public typealias SBDMessageRequestState = SBDMessageSendingStatus
