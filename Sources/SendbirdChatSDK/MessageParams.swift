// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostModel

/// The properties of a message to be sent.
public class BaseMessageCreateParams: NSObject {
    /// Text of the app's own; the server does not read it.
    public var data: String?
    /// A type of the app's own, which filters can select.
    public var customType: String?
    /// Whether users or the whole channel are mentioned.
    public var mentionType: MentionType = .users
    /// The mentioned users' IDs.
    public var mentionedUserIds: [String] = []
    /// Named lists of texts.
    public var metaArrays: [MessageMetaArray]?
    /// The message to reply to; 0 outside of threads.
    public var parentMessageId: Int64 = 0
    /// Whether a reply stands in the channel as well as in its thread.
    public var isReplyToChannel = false
    /// Whether the message causes no push and no unread count.
    public var isSilent = false

    func take(from message: Message) {
        data = message.data
        customType = message.customType
        mentionType = message.mention.kind == .channel ? .channel : .users
        mentionedUserIds = message.mention.userIDs.map(\.rawValue)
        metaArrays = message.metaArrays.map { MessageMetaArray($0) }
        parentMessageId = message.parentID?.rawValue ?? 0
        isReplyToChannel = message.isReplyToChannel
        isSilent = message.isSilent
    }

    var mention: Mention {
        Mention(
            kind: mentionType == .channel ? .channel : .users,
            userIDs: mentionedUserIds.map { UserID($0) })
    }

    var arrays: [MetaArray] {
        (metaArrays ?? []).map { MetaArray(key: $0.key, values: $0.value) }
    }

    var parentID: MessageID? { parentMessageId == 0 ? nil : MessageID(parentMessageId) }
}

/// The properties of a text to be sent.
public final class UserMessageCreateParams: BaseMessageCreateParams {
    /// The text; at least one character.
    public var message: String

    /// Creates parameters.
    public init(message: String) { self.message = message }

    var value: UserMessageParams {
        UserMessageParams(
            text: message, data: data ?? "", customType: customType ?? "", mention: mention,
            metaArrays: arrays, parentID: parentID, isReplyToChannel: isReplyToChannel,
            isSilent: isSilent)
    }
}

/// The properties of a file to be sent.
public final class FileMessageCreateParams: BaseMessageCreateParams {
    /// The bytes of the file; nil if it lies at `fileURL`.
    public var file: Data?
    /// The address at which the file lies already; nil if `file` has its bytes.
    public var fileURL: String?
    /// The name of the file, without a folder.
    public var fileName: String?
    /// The media type, such as `image/png`.
    public var mimeType: String?
    /// The size in bytes.
    public var fileSize: UInt?

    /// Creates parameters for a file that is uploaded.
    public init(file: Data) { self.file = file }

    /// Creates parameters for a file that lies at an address already.
    public init(fileURL: String) { self.fileURL = fileURL }
}

/// The fields of a message to be changed; nil leaves a field as it is.
public final class UserMessageUpdateParams: NSObject {
    /// The new text.
    public var message: String?
    /// The new text of the app's own.
    public var data: String?
    /// The new custom type.
    public var customType: String?
    /// Whether users or the whole channel are mentioned.
    public var mentionType: MentionType?
    /// The mentioned users' IDs.
    public var mentionedUserIds: [String]?

    /// Creates parameters that change the text.
    public init(message: String) { self.message = message }

    public override init() {}
}
