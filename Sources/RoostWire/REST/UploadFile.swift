// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// The upload of a message's file or a picture (`docs/protocol` 3.12), as a form whose file is sent
/// in pieces.
package struct UploadFile: Codable, Question {
    package struct Output: Equatable, Codable, Sendable {
        package var url: String
        package var thumbnails: [Thumbnail] = []
        package var requiresAuth = false
        package var size: Int64?

        package init(url: String) { self.url = url }
    }

    /// The channel of the message; nil for a picture.
    package var channelURL: ChannelURL?
    /// The request ID of the message, the same on every retry.
    package var requestID: RequestID
    package var name: String
    package var type: String
    package var thumbnailSizes: [OutgoingFile.ThumbnailSize]

    package init(
        channelURL: ChannelURL?, requestID: RequestID, name: String, type: String,
        thumbnailSizes: [OutgoingFile.ThumbnailSize]
    ) {
        self.channelURL = channelURL
        self.requestID = requestID
        self.name = name
        self.type = type
        self.thumbnailSizes = thumbnailSizes
    }

    /// Returns the call without its body, which is sent in pieces.
    package func encode() -> APIRequest { APIRequest(.post, ["storage", "file"]) }

    /// The boundary between the parts; as random as the request ID, so that a file does not contain
    /// it by chance.
    private var boundary: String {
        "roost-"
            + requestID.rawValue.filter { $0.isASCII && ($0.isLetter || $0.isNumber) }.prefix(40)
    }

    package var contentType: String { "multipart/form-data; boundary=\(boundary)" }

    /// The bytes before the file's.
    package var head: [UInt8] {
        var text = ""
        func field(_ name: String, _ value: String) {
            text += "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n"
            text += "\(value)\r\n"
        }
        if let channelURL { field("channel_url", channelURL.rawValue) }
        field("request_id", requestID.rawValue)
        for (index, size) in thumbnailSizes.enumerated() {
            field("thumbnail\(index + 1)", "\(size.width),\(size.height)")
        }
        // Readers treat quotes, backslashes and control characters in quoted text differently.
        let name = String(
            String.UnicodeScalarView(
                name.unicodeScalars.map { scalar in
                    switch scalar {
                    case "\"", "\\", "\u{7F}", "\u{0}"..<" ": "_"
                    default: scalar
                    }
                }))
        let type = String(type.filter { $0.isASCII && (" "..."~").contains($0) })
        text += "--\(boundary)\r\nContent-Disposition: form-data; name=\"file\"; "
        text += "filename=\"\(name.isEmpty ? "file" : name)\"\r\nContent-Type: \(type)\r\n\r\n"
        return Array(text.utf8)
    }

    /// The bytes behind the file's.
    package var tail: [UInt8] { Array("\r\n--\(boundary)--\r\n".utf8) }

    package static func read(_ reader: inout JSONReader) throws(WireError) -> Output {
        var url: String?
        var output = Output(url: "")
        try reader.readObject { name, reader throws(WireError) in
            switch name {
            case "url": url = try reader.readStringIfPresent()
            case "thumbnails": output.thumbnails = try reader.readThumbnails()
            case "require_auth": output.requiresAuth = try reader.readBoolIfPresent() ?? false
            case "file_size": output.size = try reader.readFileSize()
            default: try reader.skipValue()
            }
        }
        guard let url, !url.isEmpty else { throw .missing("url", offset: reader.position) }
        output.url = url
        return output
    }
}
