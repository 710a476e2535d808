// SPDX-License-Identifier: Apache-2.0

internal import RoostCore
internal import RoostModel

// Unknown fields of a message's objects are at the end of the payload, each with the place of its
// object. The forms of the objects stay as they are: unknown fields are rare, and an object without
// any takes neither a byte nor a check.

/// An object inside another, by its kind and by its indices in the enclosing lists.
struct NestedPlace: Equatable {
    /// The stored numbers of the kinds; never reused.
    enum Kind: UInt8 {
        case sender = 1
        case metaArray = 2
        case file = 3
        case thumbnail = 4
        case part = 5
        case partThumbnail = 6
        case reaction = 7
        case thread = 8
        case parent = 9
        case parentFile = 10
        case parentThumbnail = 11
        case parentPart = 12
        case parentPartThumbnail = 13
        case link = 14
        case linkImage = 15
        case poll = 16
        case pollOption = 17
        case criticalAlert = 18
        case effects = 19
        case member = 20
        case sendParams = 21
    }

    let kind: Kind
    var first = 0
    var second = 0
}

/// The unknown fields inside the objects of one value.
///
/// Objects without any have no entry.
struct NestedFields {
    private(set) var entries: [(place: NestedPlace, fields: UnknownFields)] = []

    init() {}

    var isEmpty: Bool { entries.isEmpty }

    mutating func note(
        _ kind: NestedPlace.Kind, _ fields: UnknownFields?, _ first: Int = 0, _ second: Int = 0
    ) {
        guard let fields, !fields.isEmpty else { return }
        entries.append((NestedPlace(kind: kind, first: first, second: second), fields))
    }

    mutating func note(metaArrays: [MetaArray]) {
        for (index, array) in metaArrays.enumerated() {
            note(.metaArray, array.unknownFields, index)
        }
    }
}

extension NestedFields {
    init(of message: Message) {
        if let sender = message.sender, !sender.hasNoUnknownFields {
            note(.sender, sender.unknownFields)
        }
        note(metaArrays: message.metaArrays)
        if case .file(let file) = message.content { note(file, FileKinds.own) }
        if !message.hasNoDetails { note(message.details) }
    }

    private mutating func note(_ file: FileContent, _ kinds: FileKinds) {
        note(kinds.file, file.unknownFields)
        for (index, thumbnail) in file.thumbnails.enumerated() {
            note(kinds.thumbnail, thumbnail.unknownFields, index)
        }
        for (index, part) in file.files.enumerated() {
            note(kinds.part, part.unknownFields, index)
            for (second, thumbnail) in part.thumbnails.enumerated() {
                note(kinds.partThumbnail, thumbnail.unknownFields, index, second)
            }
        }
    }

    private mutating func note(_ details: MessageDetails) {
        for (index, reaction) in (details.reactions ?? []).enumerated() {
            note(.reaction, reaction.unknownFields, index)
        }
        note(.thread, details.threadInfo?.unknownFields)
        if let parent = details.parentPreview {
            note(.parent, parent.unknownFields)
            if case .file(let file) = parent.content { note(file, FileKinds.ofParent) }
        }
        note(.link, details.linkPreview?.unknownFields)
        note(.linkImage, details.linkPreview?.image?.unknownFields)
        if let poll = details.poll {
            note(.poll, poll.unknownFields)
            for (index, option) in poll.options.enumerated() {
                note(.pollOption, option.unknownFields, index)
            }
        }
        note(.criticalAlert, details.criticalAlert?.unknownFields)
        note(.effects, details.effects?.unknownFields)
    }

    /// Restores the unknown fields of each object.
    ///
    /// - Throws: `.invalid` for a place where the message has no object.
    func apply(to message: inout Message) throws(PayloadError) {
        var details: MessageDetails?
        for (place, fields) in entries {
            let isFound: Bool
            switch place.kind {
            case .sender: isFound = message.sender.keep(fields)
            case .metaArray: isFound = message.metaArrays.keep(fields, place.first)
            case .file, .thumbnail, .part, .partThumbnail:
                isFound = message.content.keep(fields, place, FileKinds.own)
            default:
                var changed = details ?? message.details
                isFound = changed.keep(fields, place)
                details = changed
            }
            guard isFound else { throw .invalid }
        }
        if let details { message.take(details) }
    }
}

extension NestedFields {
    init(of members: [Member]) {
        for (index, member) in members.enumerated() { note(.member, member.unknownFields, index) }
    }

    func apply(to members: inout [Member]) throws(PayloadError) {
        for (place, fields) in entries {
            guard place.kind == .member, members.keep(fields, place.first) else { throw .invalid }
        }
    }

    init(of content: OutboxContent) {
        switch content {
        case .userMessage(let params):
            note(metaArrays: params.metaArrays)
            note(.sendParams, params.extraFields)
        case .fileMessage(let params, _):
            note(metaArrays: params.metaArrays)
            note(.sendParams, params.extraFields)
            for (index, file) in params.files.enumerated() {
                for (second, thumbnail) in file.thumbnails.enumerated() {
                    note(.partThumbnail, thumbnail.unknownFields, index, second)
                }
            }
        case .change, .draft, .inbox: break
        }
    }

    func apply(to content: inout OutboxContent) throws(PayloadError) {
        for (place, fields) in entries {
            let isFound: Bool
            switch (content, place.kind) {
            case (.userMessage(var params), .metaArray):
                isFound = params.metaArrays.keep(fields, place.first)
                content = .userMessage(params)
            case (.fileMessage(var params, let copies), .metaArray):
                isFound = params.metaArrays.keep(fields, place.first)
                content = .fileMessage(params, copies: copies)
            case (.userMessage(var params), .sendParams):
                params.extraFields = fields
                isFound = true
                content = .userMessage(params)
            case (.fileMessage(var params, let copies), .sendParams):
                params.extraFields = fields
                isFound = true
                content = .fileMessage(params, copies: copies)
            case (.fileMessage(var params, let copies), .partThumbnail):
                guard params.files.indices.contains(place.first) else { throw .invalid }
                isFound = params.files[place.first].thumbnails.keep(fields, place.second)
                content = .fileMessage(params, copies: copies)
            default: isFound = false
            }
            guard isFound else { throw .invalid }
        }
    }
}

/// The kinds of place of a file's objects, in the message's file or in that of its parent.
private struct FileKinds {
    let file: NestedPlace.Kind
    let thumbnail: NestedPlace.Kind
    let part: NestedPlace.Kind
    let partThumbnail: NestedPlace.Kind

    static let own = FileKinds(
        file: .file, thumbnail: .thumbnail, part: .part, partThumbnail: .partThumbnail)
    static let ofParent = FileKinds(
        file: .parentFile, thumbnail: .parentThumbnail, part: .parentPart,
        partThumbnail: .parentPartThumbnail)
}

/// A value with a property for unknown fields.
private protocol FieldKeeping {
    var unknownFields: UnknownFields { get set }
}

extension Member: FieldKeeping {}
extension MetaArray: FieldKeeping {}
extension Thumbnail: FieldKeeping {}
extension FileContent: FieldKeeping {}
extension Reaction: FieldKeeping {}
extension Poll.Option: FieldKeeping {}
extension Sender: FieldKeeping {}
extension ThreadInfo: FieldKeeping {}
extension ParentPreview: FieldKeeping {}
extension LinkPreview: FieldKeeping {}
extension LinkPreview.Image: FieldKeeping {}
extension Poll: FieldKeeping {}
extension CriticalAlert: FieldKeeping {}
extension MessageEffects: FieldKeeping {}

extension Optional where Wrapped: FieldKeeping {
    /// Returns false, without an effect, if there is no such object.
    fileprivate mutating func keep(_ fields: UnknownFields) -> Bool {
        guard var object = self else { return false }
        object.unknownFields = fields
        self = object
        return true
    }
}

extension Array where Element: FieldKeeping {
    /// Returns false, without an effect, if there is no such element.
    fileprivate mutating func keep(_ fields: UnknownFields, _ index: Int) -> Bool {
        guard indices.contains(index) else { return false }
        self[index].unknownFields = fields
        return true
    }
}

extension MessageContent {
    fileprivate mutating func keep(
        _ fields: UnknownFields, _ place: NestedPlace, _ kinds: FileKinds
    ) -> Bool {
        guard case .file(var file) = self else { return false }
        let isFound: Bool
        switch place.kind {
        case kinds.file:
            file.unknownFields = fields
            isFound = true
        case kinds.thumbnail: isFound = file.thumbnails.keep(fields, place.first)
        case kinds.part: isFound = file.files.keep(fields, place.first)
        default:
            guard file.files.indices.contains(place.first) else { return false }
            isFound = file.files[place.first].thumbnails.keep(fields, place.second)
        }
        self = .file(file)
        return isFound
    }
}

extension MessageDetails {
    fileprivate mutating func keep(_ fields: UnknownFields, _ place: NestedPlace) -> Bool {
        switch place.kind {
        case .reaction: return reactions?.keep(fields, place.first) ?? false
        case .thread: return threadInfo.keep(fields)
        case .parent: return parentPreview.keep(fields)
        case .parentFile, .parentThumbnail, .parentPart, .parentPartThumbnail:
            return parentPreview?.content.keep(fields, place, FileKinds.ofParent) ?? false
        case .link: return linkPreview.keep(fields)
        case .linkImage: return linkPreview?.image.keep(fields) ?? false
        case .poll: return poll.keep(fields)
        case .pollOption: return poll?.options.keep(fields, place.first) ?? false
        case .criticalAlert: return criticalAlert.keep(fields)
        case .effects: return effects.keep(fields)
        case .sender, .metaArray, .file, .thumbnail, .part, .partThumbnail, .member, .sendParams:
            return false
        }
    }
}

extension [UInt8] {
    mutating func append(nested: NestedFields) {
        append(list: nested.entries) { bytes, entry in
            bytes.append(entry.place.kind.rawValue)
            bytes.append(count: entry.place.first)
            bytes.append(count: entry.place.second)
            bytes.append(unknown: entry.fields)
        }
    }
}

extension PayloadReader {
    mutating func nestedFields(_ bytes: Span<UInt8>) throws(PayloadError) -> NestedFields {
        var nested = NestedFields()
        for _ in 0..<(try count(bytes)) {
            guard let kind = NestedPlace.Kind(rawValue: try byte(bytes)) else { throw .invalid }
            let (first, second) = (try listIndex(bytes), try listIndex(bytes))
            nested.note(kind, try unknownFields(bytes), first, second)
        }
        return nested
    }

    private mutating func listIndex(_ bytes: Span<UInt8>) throws(PayloadError) -> Int {
        guard let index = Int(exactly: try number(bytes)) else { throw .invalid }
        return index
    }
}
