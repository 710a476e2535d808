// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostDoors
import RoostModel
import RoostWire

/// The sound of a message on Apple devices in silent mode.
public final class AppleCriticalAlertOptions: NSObject {
    /// The name of the sound file.
    public let name: String
    /// The volume, 0...1.
    public let volume: Double

    /// Creates a sound.
    public init(name: String = "default", volume: Double = 1.0) {
        self.name = name
        self.volume = volume
    }

    static let fieldName = "apple_critical_alert_options"

    convenience init?(_ fields: UnknownFields) {
        guard let text = fields[Self.fieldName], let json = try? JSONValue(parsing: text) else {
            return nil
        }
        self.init(
            name: json["name"]?.string ?? "default",
            volume: json["volume"].flatMap { Double($0.text) } ?? 1)
    }

    var field: UnknownFields.Field {
        var writer = JSONWriter()
        writer.object { writer in
            writer.field("name", name)
            writer.field("volume", raw: volume.isFinite ? String(volume) : "1.0")
        }
        return UnknownFields.Field(name: Self.fieldName, json: writer.text)
    }
}

extension BaseMessageCreateParams {
    func fileMessage(
        _ files: [OutgoingFile], _ caption: String?, _ pollId: Int64
    ) -> MessageParams {
        var params = FileMessageParams(
            files: files, caption: caption ?? "", data: data ?? "", customType: customType ?? "",
            mention: mention, metaArrays: arrays, parentID: parentID,
            isReplyToChannel: isReplyToChannel, isSilent: isSilent)
        params.extraFields = extras(pollId: pollId)
        return .file(params)
    }
}

extension Collection {
    /// The collection, nil in place of an empty one: parameters that were left out.
    var orNil: Self? { isEmpty ? nil : self }
}

extension OutgoingFile {
    /// Objects of the sizes; nil without any.
    var sizeObjects: [SendbirdChatSDK.ThumbnailSize]? {
        thumbnailSizes.isEmpty
            ? nil
            : thumbnailSizes.map {
                .make(maxWidth: CGFloat($0.width), maxHeight: CGFloat($0.height))
            }
    }
}

extension [ThumbnailSize]? {
    /// The sizes in pixels.
    var values: [OutgoingFile.ThumbnailSize] {
        (self ?? []).map {
            OutgoingFile.ThumbnailSize(
                width: Int(exactly: $0.maxSize.width.rounded()) ?? .max,
                height: Int(exactly: $0.maxSize.height.rounded()) ?? .max)
        }
    }
}
