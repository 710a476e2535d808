// SPDX-License-Identifier: Apache-2.0

internal import RoostModel

/// The stored numbers of `MessageContent`; never reused.
enum ContentTag: UInt8 {
    case user = 1
    case file = 2
    case admin = 3
    case unknown = 4

    init(_ content: MessageContent) {
        switch content {
        case .user: self = .user
        case .file: self = .file
        case .admin: self = .admin
        case .unknown: self = .unknown
        }
    }

    /// The number of a file with more fields than a name and an address.
    static let fullFile: UInt8 = 5
}

extension [UInt8] {
    mutating func append(fullContent content: MessageContent) {
        switch content {
        case .user(let text), .admin(let text), .unknown(kind: let text):
            append(ContentTag(content).rawValue)
            append(text: text)
        case .file(let file):
            let isFull =
                !file.data.isEmpty || !file.thumbnails.isEmpty || file.requiresAuth
                || !file.files.isEmpty
            append(isFull ? ContentTag.fullFile : ContentTag.file.rawValue)
            append(file: file)
            if isFull { append(restOf: file) }
        }
    }

    private mutating func append(file: FileContent) {
        append(text: file.url)
        append(text: file.name)
        append(text: file.type)
        append(signed: file.size.bytes)
        append(text: file.caption)
    }

    private mutating func append(restOf file: FileContent) {
        append(text: file.data)
        append(file.requiresAuth ? 1 : 0)
        append(list: file.thumbnails) { bytes, thumbnail in
            bytes.append(text: thumbnail.url)
            bytes.append(text: thumbnail.plainURL)
            for length in [
                thumbnail.width, thumbnail.height, thumbnail.realWidth, thumbnail.realHeight,
            ] {
                bytes.append(signed: Int64(length))
            }
        }
        // The files in a list contain no further files, so the recursion ends.
        append(list: file.files) { bytes, file in
            var file = file
            file.files = []
            bytes.append(file: file)
            bytes.append(restOf: file)
        }
    }

    mutating func append(metaArrays: [MetaArray]) {
        append(list: metaArrays) { bytes, array in
            bytes.append(text: array.key)
            bytes.append(list: array.values) { $0.append(text: $1) }
        }
    }
}

extension PayloadReader {
    /// Reads the content of a message.
    mutating func fullContent(_ bytes: Span<UInt8>) throws(PayloadError) -> MessageContent {
        let tag = try byte(bytes)
        switch ContentTag(rawValue: tag) {
        case .user: return .user(text: try text(bytes))
        case .admin: return .admin(text: try text(bytes))
        case .unknown: return .unknown(kind: try text(bytes))
        case .file: return .file(try file(bytes))
        case nil:
            guard tag == ContentTag.fullFile else { throw .invalid }
            var file = try file(bytes)
            try readRest(of: &file, bytes, mayHoldFiles: true)
            return .file(file)
        }
    }

    private mutating func file(_ bytes: Span<UInt8>) throws(PayloadError) -> FileContent {
        FileContent(
            url: try text(bytes), name: try text(bytes), type: try text(bytes),
            size: ByteCount(bytes: try signed(bytes)), caption: try text(bytes))
    }

    private mutating func readRest(
        of file: inout FileContent, _ bytes: Span<UInt8>, mayHoldFiles: Bool
    ) throws(PayloadError) {
        file.data = try text(bytes)
        file.requiresAuth = try byte(bytes) != 0
        file.thumbnails = try list(bytes) { reader, bytes throws(PayloadError) in
            var thumbnail = Thumbnail(url: try reader.text(bytes))
            thumbnail.plainURL = try reader.text(bytes)
            thumbnail.width = try reader.int(bytes)
            thumbnail.height = try reader.int(bytes)
            thumbnail.realWidth = try reader.int(bytes)
            thumbnail.realHeight = try reader.int(bytes)
            return thumbnail
        }
        file.files = try list(bytes) { reader, bytes throws(PayloadError) in
            // Malformed bytes must not make the recursion endless.
            guard mayHoldFiles else { throw .invalid }
            var file = try reader.file(bytes)
            try reader.readRest(of: &file, bytes, mayHoldFiles: false)
            return file
        }
    }

    mutating func metaArrays(_ bytes: Span<UInt8>) throws(PayloadError) -> [MetaArray] {
        try list(bytes) { reader, bytes throws(PayloadError) in
            MetaArray(
                key: try reader.text(bytes),
                values: try reader.list(bytes) { reader, bytes throws(PayloadError) in
                    try reader.text(bytes)
                })
        }
    }
}
