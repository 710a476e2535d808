// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostModel

/// What an app says about a message it wants to send.
public class BaseMessageCreateParams: NSObject {
    public var data: String?
    public var customType: String?
    public var mentionType: MentionType = .users
    public var mentionedUserIds: [String] = []
    public var metaArrays: [MessageMetaArray]?
    public var parentMessageId: Int64 = 0
    public var isReplyToChannel = false
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

public final class UserMessageCreateParams: BaseMessageCreateParams {
    public var message: String

    public init(message: String) { self.message = message }

    var value: UserMessageParams {
        UserMessageParams(
            text: message, data: data ?? "", customType: customType ?? "", mention: mention,
            metaArrays: arrays, parentID: parentID, isReplyToChannel: isReplyToChannel,
            isSilent: isSilent)
    }
}

public final class FileMessageCreateParams: BaseMessageCreateParams {
    /// The bytes of the file; nil when it lies at `fileURL`.
    public var file: Data?
    public var fileURL: String?
    public var fileName: String?
    public var mimeType: String?
    /// In bytes.
    public var fileSize: UInt?

    public init(file: Data) { self.file = file }

    public init(fileURL: String) { self.fileURL = fileURL }
}

public final class UserMessageUpdateParams: NSObject {
    public var message: String?
    public var data: String?
    public var customType: String?
    public var mentionType: MentionType?
    public var mentionedUserIds: [String]?

    public init(message: String) { self.message = message }

    public override init() {}
}
