// SPDX-License-Identifier: Apache-2.0

internal import RoostCore
internal import RoostModel

/// The stored numbers of a file's sources; never reused.
private enum SourceTag: UInt8 {
    case copy = 1
    case reference = 2
    case bytes = 3
    case url = 4
}

/// The stored numbers of changes; never reused.
private enum ActionTag: UInt8 {
    case edit = 1
    case delete = 2
    case addReaction = 3
    case removeReaction = 4
    case markAsRead = 5
    /// An edit, and behind it the template for mentions.
    case templateEdit = 6
    /// A change of a channel, whose own number follows.
    case channel = 7
}

extension [UInt8] {
    mutating func append(attachment: OutgoingFile) {
        switch attachment.source {
        case .copy(let path): append(tagged: .copy, path)
        case .reference(let path): append(tagged: .reference, path)
        case .url(let url): append(tagged: .url, url)
        case .bytes(let content):
            append(SourceTag.bytes.rawValue)
            append(count: content.count)
            append(contentsOf: content)
        }
        append(text: attachment.name)
        append(text: attachment.type)
        append(optional: attachment.size) { $0.append(signed: $1.bytes) }
        append(list: attachment.thumbnailSizes) { bytes, size in
            bytes.append(signed: Int64(size.width))
            bytes.append(signed: Int64(size.height))
        }
        append(list: attachment.thumbnails) { bytes, thumbnail in
            bytes.append(text: thumbnail.url)
            bytes.append(text: thumbnail.plainURL)
            for number in [
                thumbnail.width, thumbnail.height, thumbnail.realWidth, thumbnail.realHeight,
            ] { bytes.append(signed: Int64(number)) }
        }
        append(attachment.requiresAuth ? 1 : 0)
    }

    private mutating func append(tagged tag: SourceTag, _ text: String) {
        append(tag.rawValue)
        append(text: text)
    }

    mutating func append(copy: CopiedFile) {
        append(text: copy.name)
        append(signed: copy.size)
        append(optional: copy.key) { bytes, key in
            bytes.append(count: key.count)
            bytes.append(contentsOf: key)
        }
    }

    mutating func append(action: PendingChange.Action) {
        switch action {
        case .edit(let target, let edit):
            let tag = edit.mentionTemplate == nil ? ActionTag.edit : .templateEdit
            append(tag.rawValue)
            append(target: target)
            for text in [edit.text, edit.data, edit.customType] {
                append(optional: text) { $0.append(text: $1) }
            }
            append(optional: edit.mention) { $0.append(mention: $1) }
            if let template = edit.mentionTemplate { append(text: template) }
        case .delete(let target):
            append(ActionTag.delete.rawValue)
            append(target: target)
        case .addReaction(let key, let target):
            append(ActionTag.addReaction.rawValue)
            append(target: target)
            append(text: key)
        case .removeReaction(let key, let target):
            append(ActionTag.removeReaction.rawValue)
            append(target: target)
            append(text: key)
        case .markAsRead(let moment):
            append(ActionTag.markAsRead.rawValue)
            append(signed: moment.milliseconds)
        case .channel(let change):
            append(ActionTag.channel.rawValue)
            append(change: change)
        }
    }

    private mutating func append(target: MessageTarget) {
        switch target {
        case .delivered(let id):
            append(0)
            append(signed: id.rawValue)
        case .unsent(let id):
            append(1)
            append(text: id.rawValue)
        }
    }
}

extension PayloadReader {
    mutating func attachment(_ bytes: Span<UInt8>) throws(PayloadError) -> OutgoingFile {
        let source: OutgoingFile.Source
        switch SourceTag(rawValue: try byte(bytes)) {
        case .copy: source = .copy(of: try text(bytes))
        case .reference: source = .reference(to: try text(bytes))
        case .url: source = .url(try text(bytes))
        case .bytes: source = .bytes(try blob(bytes))
        case nil: throw .invalid
        }
        var attachment = OutgoingFile(source, name: try text(bytes), type: try text(bytes))
        attachment.size = try optional(bytes) { reader, bytes throws(PayloadError) in
            ByteCount(bytes: try reader.signed(bytes))
        }
        attachment.thumbnailSizes = try list(bytes) { reader, bytes throws(PayloadError) in
            OutgoingFile.ThumbnailSize(width: try reader.int(bytes), height: try reader.int(bytes))
        }
        attachment.thumbnails = try list(bytes) { reader, bytes throws(PayloadError) in
            var thumbnail = Thumbnail(url: try reader.text(bytes))
            thumbnail.plainURL = try reader.text(bytes)
            thumbnail.width = try reader.int(bytes)
            thumbnail.height = try reader.int(bytes)
            thumbnail.realWidth = try reader.int(bytes)
            thumbnail.realHeight = try reader.int(bytes)
            return thumbnail
        }
        attachment.requiresAuth = try byte(bytes) != 0
        return attachment
    }

    mutating func copy(_ bytes: Span<UInt8>) throws(PayloadError) -> CopiedFile {
        let name = try text(bytes)
        // A name with a path out of the folder is never written by this code, so it is damage.
        guard !name.contains("/"), name != "..", name != "." else { throw .invalid }
        let size = try signed(bytes)
        let key = try optional(bytes) { reader, bytes throws(PayloadError) in
            try reader.blob(bytes)
        }
        guard key.map({ $0.count == 32 }) ?? true else { throw .invalid }
        return CopiedFile(name: name, size: size, key: key)
    }

    mutating func action(_ bytes: Span<UInt8>) throws(PayloadError) -> PendingChange.Action {
        let tag = ActionTag(rawValue: try byte(bytes))
        guard let tag else { throw .invalid }
        if tag == .markAsRead {
            return .markAsRead(through: Timestamp(milliseconds: try signed(bytes)))
        }
        if tag == .channel { return .channel(try channelChange(bytes)) }
        let target = try target(bytes)
        switch tag {
        case .edit, .templateEdit:
            var edit = MessageEdit()
            edit.text = try optionalText(bytes)
            edit.data = try optionalText(bytes)
            edit.customType = try optionalText(bytes)
            edit.mention = try optional(bytes) { reader, bytes throws(PayloadError) in
                try reader.mention(bytes)
            }
            if tag == .templateEdit { edit.mentionTemplate = try text(bytes) }
            return .edit(target, edit)
        case .delete: return .delete(target)
        case .addReaction: return .addReaction(try text(bytes), target)
        case .removeReaction: return .removeReaction(try text(bytes), target)
        case .markAsRead, .channel: throw .invalid
        }
    }

    private mutating func target(_ bytes: Span<UInt8>) throws(PayloadError) -> MessageTarget {
        switch try byte(bytes) {
        case 0: return .delivered(MessageID(try signed(bytes)))
        case 1: return .unsent(RequestID(try text(bytes)))
        default: throw .invalid
        }
    }

    private mutating func blob(_ bytes: Span<UInt8>) throws(PayloadError) -> [UInt8] {
        let count = try count(bytes)
        guard count <= bytes.count - offset else { throw .invalid }
        var blob: [UInt8] = []
        blob.reserveCapacity(count)
        for index in offset..<(offset + count) { blob.append(bytes[index]) }
        skip(count)
        return blob
    }
}
