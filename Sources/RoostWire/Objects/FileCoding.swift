// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// The fields of a file, from a `file` object or spread over the message.
struct FileFields {
    var url: String?
    var name: String?
    var type: String?
    var size: Int64?
    var data: String?
    var thumbnails: [Thumbnail] = []
    var requiresAuth = false
    var files: [FileContent] = []
    var unknown = UnknownFields()

    mutating func readObject(_ reader: inout JSONReader) throws(WireError) {
        if try reader.readNull() { return }
        try reader.readObject { name, reader throws(WireError) in
            switch name {
            case "url": self.url = try reader.readStringIfPresent()
            case "name": self.name = try reader.readStringIfPresent()
            case "type": self.type = try reader.readStringIfPresent()
            case "size": self.size = try reader.readFileSize()
            case "data": self.data = try reader.readStringIfPresent()
            case "require_auth":
                self.requiresAuth = try reader.readBoolIfPresent() ?? self.requiresAuth
            default: try self.unknown.keep(name, from: &reader)
            }
        }
    }

    /// The file, of several the first one; nil without an address.
    var content: FileContent? {
        guard let url = url ?? files.first?.url else { return nil }
        let first = self.url == nil ? files.first : nil
        var content = FileContent(
            url: url, name: name ?? first?.name ?? "", type: type ?? first?.type ?? "",
            size: size.map { ByteCount(bytes: $0) } ?? first?.size ?? ByteCount(bytes: 0))
        content.data = data ?? ""
        content.thumbnails = first?.thumbnails ?? thumbnails
        content.requiresAuth = requiresAuth || first?.requiresAuth == true
        content.files = files
        content.unknownFields = unknown
        return content
    }
}

extension JSONReader {
    mutating func readThumbnails() throws(WireError) -> [Thumbnail] {
        try readList { reader throws(WireError) in
            var thumbnail = Thumbnail(url: "")
            try reader.readObject { name, reader throws(WireError) in
                switch name {
                case "url": thumbnail.url = try reader.readStringIfPresent() ?? ""
                case "plain_url": thumbnail.plainURL = try reader.readStringIfPresent() ?? ""
                case "width": thumbnail.width = try reader.readCount() ?? 0
                case "height": thumbnail.height = try reader.readCount() ?? 0
                case "real_width": thumbnail.realWidth = try reader.readCount() ?? 0
                case "real_height": thumbnail.realHeight = try reader.readCount() ?? 0
                default: try thumbnail.unknownFields.keep(name, from: &reader)
                }
            }
            return thumbnail
        }
    }

    /// Reads the files of a message with several, in both spellings.
    mutating func readFiles() throws(WireError) -> [FileContent] {
        try readList { reader throws(WireError) in
            var file = FileContent(url: "", name: "", type: "", size: ByteCount(bytes: 0))
            try reader.readObject { name, reader throws(WireError) in
                switch name {
                case "url": file.url = try reader.readStringIfPresent() ?? ""
                case "file_name", "name": file.name = try reader.readStringIfPresent() ?? ""
                case "file_type", "type": file.type = try reader.readStringIfPresent() ?? ""
                case "file_size", "size":
                    file.size = ByteCount(bytes: try reader.readFileSize() ?? 0)
                case "data": file.data = try reader.readStringIfPresent() ?? ""
                case "thumbnails": file.thumbnails = try reader.readThumbnails()
                case "require_auth": file.requiresAuth = try reader.readBoolIfPresent() ?? false
                default: try file.unknownFields.keep(name, from: &reader)
                }
            }
            return file
        }
    }
}

extension JSONWriter {
    mutating func thumbnails(_ thumbnails: [Thumbnail]) {
        array { writer in
            for thumbnail in thumbnails {
                writer.object { writer in
                    writer.field("url", thumbnail.url)
                    writer.text("plain_url", thumbnail.plainURL)
                    writer.field("width", thumbnail.width)
                    writer.field("height", thumbnail.height)
                    writer.field("real_width", thumbnail.realWidth)
                    writer.field("real_height", thumbnail.realHeight)
                    writer.unknown(thumbnail.unknownFields)
                }
            }
        }
    }

    /// Writes the files of a message with several.
    mutating func files(_ files: [FileContent]) {
        guard !files.isEmpty else { return }
        array("files") { writer in
            for file in files {
                writer.object { writer in
                    writer.field("url", file.url)
                    writer.field("file_name", file.name)
                    writer.field("file_size", file.size.bytes)
                    writer.field("file_type", file.type)
                    writer.text("data", file.data)
                    writer.name("thumbnails")
                    writer.thumbnails(file.thumbnails)
                    writer.field("require_auth", file.requiresAuth)
                    writer.unknown(file.unknownFields)
                }
            }
        }
    }
}
