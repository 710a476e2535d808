// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostDoors
import RoostModel
import RoostWire

/// The properties of a message to be sent.
///
/// A message with a property that neither this library nor its server knows is not sent: the
/// handler gets `ChatError.notSupported`.
open class BaseMessageCreateParams: NSObject, NSCopying, Codable {
    /// Text of the app's own; the server does not read it.
    public var data: String?
    /// A type of the app's own, which filters can select.
    public var customType: String?
    /// The pushes that the message causes; the server passes `.suppress` on and sends no pushes
    /// itself.
    public var pushNotificationDeliveryOption = PushNotificationDeliveryOption.default
    /// Whether users or the whole channel are mentioned.
    public var mentionType: MentionType = .users
    /// The mentioned users' IDs; nil for none.
    public var mentionedUserIds: [String]?
    /// The mentioned users, besides those in `mentionedUserIds`; nil for none.
    public var mentionedUsers: [User]?
    /// Named lists of texts.
    public var metaArrays: [MessageMetaArray]?
    /// The message to reply to; 0 outside of threads.
    public var parentMessageId: Int64 = 0
    /// Whether a reply stands in the channel as well as in its thread.
    public var isReplyToChannel = false
    /// Whether the server pins the message in its group channel; refused in open channels.
    public var isPinnedMessage = false
    /// The sound on Apple devices in silent mode; nil for none.
    public var appleCriticalAlertOptions: AppleCriticalAlertOptions?
    /// Whether the message causes no push and no unread count.
    public var isSilent = false

    /// Further fields of the protocol that the parameters came with.
    private var extraFields = UnknownFields()

    /// Creates parameters with the defaults.
    public override init() {}

    /// Decodes parameters; those of another class give their common properties.
    public required init(from decoder: any Decoder) throws {
        super.init()
        take(from: .make(try CodedParams(from: decoder).params))
    }

    /// Encodes the parameters; of `mentionedUsers` the IDs.
    ///
    /// Bytes of files are encoded, those of an encrypted unsent message too. Of a file at a path the
    /// path is; the path of an unsent message's copy is valid until the message is sent.
    ///
    /// - Throws: An `EncodingError` if an encrypted copy cannot be read.
    public func encode(to encoder: any Encoder) throws { try coded.encode(to: encoder) }

    /// The properties in the form that is encoded.
    var coded: CodedParams {
        var params = UserMessageParams(
            text: "", data: data ?? "", customType: customType ?? "", mention: mention,
            metaArrays: arrays, parentID: parentID, isReplyToChannel: isReplyToChannel,
            isSilent: isSilent)
        params.extraFields = extras()
        return CodedParams(.user(params))
    }

    /// Adds users to the mentioned ones.
    public func addMentionedUserIds(_ userIds: [String]) {
        mentionedUserIds = (mentionedUserIds ?? []) + userIds
    }

    /// Returns parameters with the same properties.
    public func copy(with zone: NSZone? = nil) -> Any {
        let copy = BaseMessageCreateParams()
        copy.take(from: self)
        return copy
    }

    final func take(from other: BaseMessageCreateParams) {
        data = other.data
        customType = other.customType
        pushNotificationDeliveryOption = other.pushNotificationDeliveryOption
        mentionType = other.mentionType
        mentionedUserIds = other.mentionedUserIds
        mentionedUsers = other.mentionedUsers
        metaArrays = other.metaArrays
        parentMessageId = other.parentMessageId
        isReplyToChannel = other.isReplyToChannel
        isPinnedMessage = other.isPinnedMessage
        appleCriticalAlertOptions = other.appleCriticalAlertOptions
        isSilent = other.isSilent
        extraFields = other.extraFields
    }

    /// Returns parameters that send a message again.
    static func make(_ params: MessageParams) -> BaseMessageCreateParams {
        let made: BaseMessageCreateParams
        switch params {
        case .user(let params):
            let text = UserMessageCreateParams(message: params.text)
            text.mentionedMessageTemplate = params.extraFields.mentionTemplate
            text.pollId = params.pollID?.rawValue ?? 0
            made = text
            made.take(common: params)
        case .file(let params):
            made =
                params.files.count > 1
                ? MultipleFilesMessageCreateParams(params) : FileMessageCreateParams(params)
            made.take(common: params)
        }
        return made
    }

    /// Takes over the properties of texts and files; fields of the protocol with a property become
    /// that property.
    private func take(common params: some CommonParams) {
        data = params.data.orNil
        customType = params.customType.orNil
        mentionType = params.mention.kind == .channel ? .channel : .users
        mentionedUserIds = params.mention.userIDs.map(\.rawValue).orNil
        metaArrays = params.metaArrays.map { MessageMetaArray($0) }.orNil
        parentMessageId = params.parentID?.rawValue ?? 0
        (isReplyToChannel, isSilent) = (params.isReplyToChannel, params.isSilent)
        let fields = params.extraFields
        appleCriticalAlertOptions = AppleCriticalAlertOptions(fields)
        pushNotificationDeliveryOption = fields.contains(.noPush) ? .suppress : .default
        isPinnedMessage = fields.contains(.pinned)
        extraFields = fields.removing(AppleCriticalAlertOptions.fieldName)
            .removing(UnknownFields.mentionTemplateName).removing("poll_id")
            .removing(UnknownFields.Field.noPush.name).removing(UnknownFields.Field.pinned.name)
    }

    var mention: Mention {
        var ids: [UserID] = []
        let all = (mentionedUserIds ?? []) + (mentionedUsers ?? []).map(\.userId)
        for id in all.map({ UserID($0) }) where !ids.contains(id) { ids.append(id) }
        return Mention(kind: mentionType == .channel ? .channel : .users, userIDs: ids)
    }

    var arrays: [MetaArray] { (metaArrays ?? []).map(\.array) }

    var parentID: MessageID? { parentMessageId == 0 ? nil : MessageID(parentMessageId) }

    /// The name of a property that cannot be honoured; nil if there is none.
    var unsupported: String? { nil }

    /// Returns the fields of the protocol for the properties that the client has no names for.
    func extras(template: String? = nil, pollId: Int64 = 0) -> UnknownFields {
        var fields = extraFields
        if let appleCriticalAlertOptions {
            fields.keep(appleCriticalAlertOptions.field)
        }
        if pushNotificationDeliveryOption == .suppress { fields.keep(.noPush) }
        if isPinnedMessage { fields.keep(.pinned) }
        if let template, !template.isEmpty {
            fields.keep(mentionTemplate: template)
        }
        if pollId > 0 { fields.keep(UnknownFields.Field(name: "poll_id", json: String(pollId))) }
        return fields
    }
}

/// The properties of a text to be sent.
public final class UserMessageCreateParams: BaseMessageCreateParams {
    /// The text; at least one character.
    public var message: String
    /// The languages to translate the text into; not supported.
    public var translationTargetLanguages: [String]?
    /// The text with placeholders for the mentioned users' names; nil without any.
    public var mentionedMessageTemplate: String?
    /// The poll that the message carries; 0 for none.
    public var pollId: Int64 = 0

    /// Creates parameters.
    public init(message: String) {
        self.message = message
        super.init()
    }

    /// Decodes the parameters of a text.
    public required init(from decoder: any Decoder) throws {
        let coded = try CodedParams(from: decoder)
        guard let text = BaseMessageCreateParams.make(coded.params) as? UserMessageCreateParams
        else { throw CodedParams.mismatch(decoder) }
        message = text.message
        super.init()
        take(from: text)
        (mentionedMessageTemplate, pollId) = (text.mentionedMessageTemplate, text.pollId)
        translationTargetLanguages = coded.languages
    }

    override var coded: CodedParams {
        CodedParams(value, languages: translationTargetLanguages)
    }

    /// Returns parameters with the same properties.
    public override func copy(with zone: NSZone? = nil) -> Any {
        let copy = UserMessageCreateParams(message: message)
        copy.take(from: self)
        copy.translationTargetLanguages = translationTargetLanguages
        copy.mentionedMessageTemplate = mentionedMessageTemplate
        copy.pollId = pollId
        return copy
    }

    override var unsupported: String? {
        translationTargetLanguages?.isEmpty == false
            ? "translationTargetLanguages" : super.unsupported
    }

    var value: MessageParams {
        var params = UserMessageParams(
            text: message, data: data ?? "", customType: customType ?? "", mention: mention,
            metaArrays: arrays, parentID: parentID, isReplyToChannel: isReplyToChannel,
            isSilent: isSilent)
        params.extraFields = extras(template: mentionedMessageTemplate, pollId: pollId)
        return .user(params)
    }
}

/// The properties of a file to be sent.
public final class FileMessageCreateParams: BaseMessageCreateParams {
    /// The bytes of the file; they replace `fileURL`.
    ///
    /// Those of an unsent message are read from the outbox, on the calling thread. Nil for a file at
    /// a network address, and after the message was sent.
    public var file: Data? {
        get { origin.bytes }
        set { origin.bytes = newValue }
    }
    /// The address at which the file lies already, or a path of this device; it replaces `file`.
    public var fileURL: String? {
        get { origin.address }
        set { origin.address = newValue }
    }
    private var origin = FileOrigin()
    /// The name of the file, without a folder.
    public var fileName: String?
    /// The media type, such as `image/png`.
    public var mimeType: String?
    /// The size in bytes; 0 stands for the size of the file itself.
    public var fileSize: UInt = 0
    /// The greatest sizes of the smaller pictures that the server is asked to make.
    public var thumbnailSizes: [ThumbnailSize]?
    /// A text that goes with the file; nil for none.
    public var message: String?
    /// The poll that the message carries; 0 for none.
    public var pollId: Int64 = 0

    /// Creates parameters without a file, which must be set before the message is sent.
    public override init() { super.init() }

    /// Decodes the parameters of a file.
    public required init(from decoder: any Decoder) throws {
        super.init()
        let coded = try CodedParams(from: decoder)
        guard let file = BaseMessageCreateParams.make(coded.params) as? FileMessageCreateParams
        else { throw CodedParams.mismatch(decoder) }
        take(from: file)
        takeFile(from: file)
    }

    override var coded: CodedParams { CodedParams(value) }

    /// Creates parameters for a file that is uploaded.
    public init(file: Data) {
        super.init()
        self.file = file
    }

    /// Creates parameters for a file that lies at an address already, or at a path of this device.
    public init(fileURL: String) {
        super.init()
        self.fileURL = fileURL
    }

    fileprivate convenience init(_ params: FileMessageParams) {
        self.init()
        message = params.caption.isEmpty ? nil : params.caption
        pollId = params.pollID?.rawValue ?? 0
        guard let first = params.files.first else { return }
        origin = FileOrigin(first)
        fileName = first.name.orNil
        mimeType = first.type
        fileSize = UInt(clamping: first.size?.bytes ?? 0)
        thumbnailSizes = first.sizeObjects
    }

    /// Returns parameters with the same properties.
    public override func copy(with zone: NSZone? = nil) -> Any {
        let copy = FileMessageCreateParams()
        copy.take(from: self)
        copy.takeFile(from: self)
        return copy
    }

    private func takeFile(from other: FileMessageCreateParams) {
        origin = other.origin
        fileName = other.fileName
        mimeType = other.mimeType
        fileSize = other.fileSize
        thumbnailSizes = other.thumbnailSizes
        message = other.message
        pollId = other.pollId
    }

    /// Whether there is no file to be sent.
    var isEmpty: Bool { origin.isEmpty }

    var value: MessageParams {
        let file = origin.file(
            name: fileName, type: mimeType, size: fileSize, thumbnailSizes: thumbnailSizes.values)
        return fileMessage([file], message, pollId)
    }
}

/// The properties of a message with several files.
public final class MultipleFilesMessageCreateParams: BaseMessageCreateParams {
    /// The files, at least two.
    public var uploadableFileInfoList: [UploadableFileInfo]
    /// A text that goes with the files; nil for none.
    public var message: String?
    /// The poll that the message carries; 0 for none.
    public var pollId: Int64 = 0

    /// Creates parameters.
    public init(uploadableFileInfoList: [UploadableFileInfo]) {
        self.uploadableFileInfoList = uploadableFileInfoList
        super.init()
    }

    /// Decodes the parameters of several files.
    public required init(from decoder: any Decoder) throws {
        let coded = try CodedParams(from: decoder)
        // A draft may have one file or none yet.
        guard case .file(let params) = coded.params else { throw CodedParams.mismatch(decoder) }
        let files = MultipleFilesMessageCreateParams(params)
        uploadableFileInfoList = files.uploadableFileInfoList
        super.init()
        take(from: .make(coded.params))
        (message, pollId) = (files.message, files.pollId)
    }

    override var coded: CodedParams { CodedParams(value) }

    fileprivate convenience init(_ params: FileMessageParams) {
        self.init(uploadableFileInfoList: params.files.map { UploadableFileInfo($0) })
        message = params.caption.isEmpty ? nil : params.caption
        pollId = params.pollID?.rawValue ?? 0
    }

    /// Returns parameters with the same properties.
    public override func copy(with zone: NSZone? = nil) -> Any {
        let copy = MultipleFilesMessageCreateParams(
            uploadableFileInfoList: uploadableFileInfoList.map { $0.copied() })
        copy.take(from: self)
        copy.message = message
        copy.pollId = pollId
        return copy
    }

    var value: MessageParams {
        fileMessage(uploadableFileInfoList.map(\.value), message, pollId)
    }
}
