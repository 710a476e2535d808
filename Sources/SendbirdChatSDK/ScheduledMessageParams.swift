// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostDoors
import RoostModel
import RoostWire

/// The properties of a text to be sent later.
public final class ScheduledUserMessageCreateParams: BaseMessageCreateParams {
    /// The time of sending, in milliseconds of the server's clock.
    public var scheduledAt: Int64
    /// The text; at least one character.
    public var message: String
    /// The languages to translate the text into; not supported.
    public var translationTargetLanguages: [String]?
    /// The text with placeholders for the mentioned users' names; nil without any.
    public var mentionedMessageTemplate: String?

    /// Creates parameters.
    public init(scheduledAt: Int64, message: String) {
        self.scheduledAt = scheduledAt
        self.message = message
        super.init()
    }

    /// Decodes the parameters of a text to be sent later.
    public required init(from decoder: any Decoder) throws {
        let coded = try CodedParams(from: decoder)
        let made = BaseMessageCreateParams.make(coded.params)
        guard let text = made as? UserMessageCreateParams, let moment = coded.scheduledAt
        else { throw CodedParams.mismatch(decoder) }
        (scheduledAt, message) = (moment, text.message)
        super.init()
        take(from: text)
        mentionedMessageTemplate = text.mentionedMessageTemplate
        translationTargetLanguages = coded.languages
    }

    override var coded: CodedParams {
        CodedParams(
            .user(value), languages: translationTargetLanguages, scheduledAt: scheduledAt)
    }

    /// Returns parameters with the same properties.
    public override func copy(with zone: NSZone? = nil) -> Any {
        let copy = ScheduledUserMessageCreateParams(scheduledAt: scheduledAt, message: message)
        copy.take(from: self)
        copy.translationTargetLanguages = translationTargetLanguages
        copy.mentionedMessageTemplate = mentionedMessageTemplate
        return copy
    }

    override var unsupported: String? {
        translationTargetLanguages?.isEmpty == false
            ? "translationTargetLanguages" : super.unsupported
    }

    var value: UserMessageParams {
        var params = UserMessageParams(
            text: message, data: data ?? "", customType: customType ?? "", mention: mention,
            metaArrays: arrays, parentID: parentID, isReplyToChannel: isReplyToChannel,
            isSilent: isSilent)
        params.extraFields = extras(template: mentionedMessageTemplate)
        return params
    }
}

/// The properties of a file to be sent later; it is uploaded at once.
public final class ScheduledFileMessageCreateParams: BaseMessageCreateParams {
    /// The time of sending, in milliseconds of the server's clock.
    public var scheduledAt: Int64
    /// The bytes of the file; they replace `fileURL`.
    public var file: Data? {
        get { origin.bytes }
        set { origin.bytes = newValue }
    }
    /// The address at which the file lies already, or a path of this device; it replaces `file`.
    public var fileURL: String? {
        get { origin.address }
        set { origin.address = newValue }
    }
    private var origin: FileOrigin
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

    /// Creates parameters for a file that is uploaded.
    public init(scheduledAt: Int64, file: Data) {
        self.scheduledAt = scheduledAt
        origin = FileOrigin(bytes: file)
        super.init()
    }

    /// Creates parameters for a file that lies at an address already, or at a path of this device.
    public init(scheduledAt: Int64, fileURL: String) {
        self.scheduledAt = scheduledAt
        origin = FileOrigin(address: fileURL)
        super.init()
    }

    /// Decodes the parameters of a file to be sent later.
    public required init(from decoder: any Decoder) throws {
        let coded = try CodedParams(from: decoder)
        guard case .file(let params) = coded.params, let file = params.files.first,
            let moment = coded.scheduledAt
        else { throw CodedParams.mismatch(decoder) }
        scheduledAt = moment
        origin = FileOrigin(file)
        super.init()
        take(from: .make(coded.params))
        (fileName, mimeType) = (file.name.orNil, file.type)
        fileSize = UInt(clamping: file.size?.bytes ?? 0)
        thumbnailSizes = file.sizeObjects
        message = params.caption.isEmpty ? nil : params.caption
    }

    override var coded: CodedParams { CodedParams(made, scheduledAt: scheduledAt) }

    /// Returns parameters with the same properties.
    public override func copy(with zone: NSZone? = nil) -> Any {
        let copy = ScheduledFileMessageCreateParams(
            scheduledAt: scheduledAt, fileURL: fileURL ?? "")
        copy.take(from: self)
        copy.origin = origin
        copy.fileName = fileName
        copy.mimeType = mimeType
        copy.fileSize = fileSize
        copy.thumbnailSizes = thumbnailSizes
        copy.message = message
        return copy
    }

    var value: FileMessageParams? {
        guard !origin.isEmpty, case .file(let params) = made else { return nil }
        return params
    }

    private var made: MessageParams {
        let file = origin.file(
            name: fileName, type: mimeType, size: fileSize, thumbnailSizes: thumbnailSizes.values)
        return fileMessage([file], message, 0)
    }
}

/// The properties of a scheduled text to be changed; nil leaves a property as it is.
public final class ScheduledUserMessageUpdateParams: BaseMessageUpdateParams {
    /// The new time of sending, in milliseconds; 0 leaves it as it is.
    public var scheduledAt: Int64 = 0
    /// The new text.
    public var message: String?
    /// The new text with placeholders for the mentioned users' names.
    public var mentionedMessageTemplate: String?

    /// Creates parameters that change nothing.
    public override init() {}

    /// Returns parameters with the same properties.
    public override func copy(with zone: NSZone? = nil) -> Any {
        let copy = ScheduledUserMessageUpdateParams()
        copy.take(from: self)
        copy.scheduledAt = scheduledAt
        copy.message = message
        copy.mentionedMessageTemplate = mentionedMessageTemplate
        return copy
    }

    var value: ScheduledMessageUpdateParams {
        var params = update(message, at: scheduledAt)
        if let mentionedMessageTemplate {
            params.extraFields.keep(mentionTemplate: mentionedMessageTemplate)
        }
        return params
    }
}

/// The properties of a scheduled message with a file to be changed; nil leaves a property as it is.
///
/// The file stays: cancel the message and create another one instead.
public final class ScheduledFileMessageUpdateParams: BaseMessageUpdateParams {
    /// The new time of sending, in milliseconds; 0 leaves it as it is.
    public var scheduledAt: Int64 = 0
    /// The new text that goes with the file.
    public var message: String?

    /// Creates parameters that change nothing.
    public override init() {}

    /// Returns parameters with the same properties.
    public override func copy(with zone: NSZone? = nil) -> Any {
        let copy = ScheduledFileMessageUpdateParams()
        copy.take(from: self)
        copy.scheduledAt = scheduledAt
        copy.message = message
        return copy
    }

    var value: ScheduledMessageUpdateParams { update(message, at: scheduledAt) }
}

extension BaseMessageUpdateParams {
    fileprivate func update(_ text: String?, at moment: Int64) -> ScheduledMessageUpdateParams {
        let edit = edit(text)
        return ScheduledMessageUpdateParams(
            sendsAt: moment == 0 ? nil : Timestamp(milliseconds: moment), text: edit.text,
            data: edit.data, customType: edit.customType, mention: edit.mention)
    }
}

/// The name of a scheduled message.
public final class ScheduledMessageRetrievalParams: NSObject, NSCopying {
    /// The channel of the message.
    public var channelURL: String
    /// The identifier of the scheduled message, which is not its message ID.
    public var scheduledMessageId: Int64

    /// Creates parameters.
    public init(channelURL: String, scheduledMessageId: Int64) {
        self.channelURL = channelURL
        self.scheduledMessageId = scheduledMessageId
    }

    /// Returns parameters with the same properties.
    public func copy(with zone: NSZone? = nil) -> Any {
        ScheduledMessageRetrievalParams(
            channelURL: channelURL, scheduledMessageId: scheduledMessageId)
    }
}

/// A selection of scheduled messages that are counted.
public final class TotalScheduledMessageCountParams: NSObject, NSCopying {
    /// The channel; nil for all.
    public var channelURL: String?
    /// The states, any of which fits; empty for all.
    public var scheduledStatusOptions: [ScheduledStatus] = []

    public override init() {}

    /// Returns parameters with the same properties.
    public func copy(with zone: NSZone? = nil) -> Any {
        TotalScheduledMessageCountParams().taking(
            \.channelURL, \.scheduledStatusOptions, from: self)
    }

    var value: ScheduledMessageQuery {
        ScheduledMessageQuery(
            channel: channelURL.map { ChannelURL($0) },
            statuses: Set(scheduledStatusOptions.map(\.value)))
    }
}

extension ScheduledStatus {
    var value: ScheduledMessage.Status {
        switch self {
        case .pending: .pending
        case .sent: .sent
        case .failed: .failed
        case .canceled: .canceled
        }
    }
}
