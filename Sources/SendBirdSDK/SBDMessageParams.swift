// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostDoors
import RoostModel
import RoostWire

/// The users whom a message mentions.
public enum SBDMentionType: Int, Sendable {
    /// The users of `mentionedUserIds`.
    case users
    /// All members of the channel.
    case channel
}

/// The pushes that a message causes.
public enum SBDPushNotificationDeliveryOption: Int, Sendable {
    /// Pushes as the receivers have set them.
    case `default`
    /// No pushes.
    case suppress
}

/// The properties of a message to be sent.
public class SBDBaseMessageParams: NSObject {
    /// Text of the app's own; the server does not read it.
    public var data: String?
    /// A type of the app's own, which filters can select.
    public var customType: String?
    /// The users whom the message mentions.
    public var mentionType = SBDMentionType.users
    /// The mentioned users' IDs; nil for none, in an edit for those that the message has.
    public var mentionedUserIds: [String]?
    /// Lists of texts of the app's own; nil for none.
    public var metaArrays: [SBDMessageMetaArray]?
    /// The message to reply to; 0 outside of threads.
    public var parentMessageId: Int64 = 0
    /// Whether a reply is shown outside of its thread too.
    public var isReplyToChannel = false
    /// The pushes that the message causes; the server passes `.suppress` on and sends no pushes
    /// itself.
    public var pushNotificationDeliveryOption = SBDPushNotificationDeliveryOption.default

    fileprivate override init() {}

    fileprivate func take(
        _ data: String, _ customType: String, _ mention: Mention, _ arrays: [MetaArray],
        _ parentID: MessageID?, _ isReplyToChannel: Bool, _ extras: UnknownFields
    ) {
        (self.data, self.customType) = (data, customType)
        mentionType = mention.kind == .channel ? .channel : .users
        mentionedUserIds = mention.userIDs.map(\.rawValue)
        metaArrays = arrays.map { SBDMessageMetaArray(key: $0.key, value: $0.values) }
        parentMessageId = parentID?.rawValue ?? 0
        self.isReplyToChannel = isReplyToChannel
        pushNotificationDeliveryOption = extras.contains(.noPush) ? .suppress : .default
    }

    var mention: Mention {
        Mention(
            kind: mentionType == .channel ? .channel : .users,
            userIDs: (mentionedUserIds ?? []).map { UserID($0) })
    }
    var parentID: MessageID? { parentMessageId == 0 ? nil : MessageID(parentMessageId) }
    var arrays: [MetaArray] {
        (metaArrays ?? []).map { MetaArray(key: $0.key, values: $0.value) }
    }

    /// The fields of the protocol for the properties that the client has no names for.
    fileprivate var extras: UnknownFields {
        var fields = UnknownFields()
        if pushNotificationDeliveryOption == .suppress { fields.keep(.noPush) }
        return fields
    }
}

/// The properties of a text to be sent.
public final class SBDUserMessageParams: SBDBaseMessageParams {
    /// The text; at least one character.
    public var message: String?

    /// Creates parameters; never nil, and failable as in the old library.
    public init?(message: String) {
        self.message = message
        super.init()
    }

    init(_ params: UserMessageParams) {
        message = params.text
        super.init()
        take(
            params.data, params.customType, params.mention, params.metaArrays, params.parentID,
            params.isReplyToChannel, params.extraFields)
    }

    var value: UserMessageParams {
        var params = UserMessageParams(
            text: message ?? "", data: data ?? "", customType: customType ?? "",
            mention: mention, metaArrays: arrays, parentID: parentID,
            isReplyToChannel: isReplyToChannel)
        params.extraFields = extras
        return params
    }

    var edit: MessageEdit {
        MessageEdit(
            text: message, data: data, customType: customType,
            mention: mentionedUserIds == nil && mentionType == .users ? nil : mention)
    }
}

/// The properties of a file to be sent.
public final class SBDFileMessageParams: SBDBaseMessageParams {
    /// The bytes of the file; they replace `fileUrl`.
    ///
    /// Those of an unsent message are read from the outbox, on the calling thread. Nil for a file at
    /// a network address, and after the message was sent.
    public var file: Data? {
        get { origin.bytes }
        set { origin.bytes = newValue }
    }
    /// The address at which the file lies already, or a path of this device; it replaces `file`.
    public var fileUrl: String? {
        get { origin.address }
        set { origin.address = newValue }
    }
    private var origin = FileOrigin()
    /// The name of the file, without a folder.
    public var fileName: String?
    /// The media type, such as `image/png`.
    public var mimeType: String?
    /// The size in bytes.
    public var fileSize: UInt = 0
    /// The sizes of the smaller pictures that the server makes; nil for none.
    public var thumbnailSizes: [SBDThumbnailSize]?

    /// Creates parameters for a file that is uploaded.
    public init?(file: Data) {
        super.init()
        self.file = file
    }

    /// Creates parameters for a file that lies at an address already.
    public init?(fileUrl: String) {
        super.init()
        self.fileUrl = fileUrl
    }

    init(_ params: FileMessageParams) {
        super.init()
        take(
            params.data, params.customType, params.mention, params.metaArrays, params.parentID,
            params.isReplyToChannel, params.extraFields)
        guard let file = params.files.first else { return }
        origin = FileOrigin(file)
        (fileName, mimeType) = (file.name, file.type)
        fileSize = UInt(clamping: file.size?.bytes ?? 0)
        thumbnailSizes = file.thumbnailSizes.map {
            SBDThumbnailSize(CGSize(width: $0.width, height: $0.height))
        }
    }

    var value: FileMessageParams {
        var params = FileMessageParams(
            files: [
                origin.file(
                    name: fileName, type: mimeType, size: fileSize,
                    thumbnailSizes: (thumbnailSizes ?? []).map(\.value))
            ],
            data: data ?? "", customType: customType ?? "", mention: mention,
            metaArrays: arrays, parentID: parentID, isReplyToChannel: isReplyToChannel)
        params.extraFields = extras
        return params
    }
}
