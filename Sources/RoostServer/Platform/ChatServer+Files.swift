// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostWire

// Whoever knows a file's URL may read it, as the URL has a name of 160 bits that only the members of
// its channel are told; so it can be shown by what sends no headers, such as an image view.
extension ChatServer {
    func upload(_ call: RouteCall) async throws(ServerError) -> APIResponse {
        guard let files else {
            throw ServerError(.featureUnavailable, "This server keeps no files.")
        }
        guard let part = call.fields.file("file"), let name = part.fileName else {
            throw ServerError(.parameterMissing, "The part “file” with a file name is missing.")
        }
        if let url = call.fields.string("channel_url"), !url.isEmpty, let id = call.caller.userID {
            try await member(id, of: ChannelURL(url))
        }
        guard part.body.count <= configuration.fileLimitMB * 1_048_576 else {
            throw ServerError(
                RoostError.Code(900_066),
                "A file may have \(configuration.fileLimitMB) MiB at most.")
        }
        let id = makeSecret()
        let type = Self.isType(part.type) ? part.type : "application/octet-stream"
        try await ask(try await files.save(StoredFile(type: type, bytes: part.body), as: id))
        let path = "/files/\(id)/\(PercentEncoding.encode(String(name.prefix(100))))"
        return APIResponse { writer in
            writer.field("url", call.address + path)
            writer.array("thumbnails") { _ in }
            writer.field("require_auth", false)
            writer.field("file_size", part.body.count)
        }
    }

    /// A file by its path; nil when the path names none.
    package func file(at path: String) async -> StoredFile? {
        let segments = path.split(separator: "/")
        // What is no name of ours never reaches the disk, so no path can lead out of the folder.
        guard let files, segments.count == 3, segments[0] == "files", segments[1].count == 40,
            segments[1].utf8.allSatisfy({ (48...57).contains($0) || (97...102).contains($0) })
        else { return nil }
        // A file that cannot be read now is to the client one that is not there.
        return (try? await files.file(String(segments[1]))) ?? nil
    }

    /// Whether a text is a plain content type, which cannot smuggle another header.
    private static func isType(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 100
            && text.utf8.allSatisfy { (33...126).contains($0) || $0 == 32 }
    }
}

/// A stretch of a file that a client asks for (RFC 9110, 14.2).
package struct ByteRange: Hashable, Sendable {
    package let start: Int
    package let end: Int

    /// Reads a `Range` header for a file of this many bytes; nil when the whole is meant or no such part
    /// is there.
    package init?(_ header: String, of count: Int) {
        let prefix = "bytes="
        guard header.hasPrefix(prefix), !header.contains(",") else { return nil }
        let sides = header.dropFirst(prefix.count).split(
            separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard sides.count == 2 else { return nil }
        switch (Int(sides[0]), Int(sides[1])) {
        case (let first?, let last?) where first <= last && first < count && first >= 0:
            (start, end) = (first, min(last, count - 1) + 1)
        case (let first?, nil) where first < count && first >= 0 && sides[1].isEmpty:
            (start, end) = (first, count)
        case (nil, let length?) where sides[0].isEmpty && length > 0 && count > 0:
            (start, end) = (max(0, count - length), count)
        default: return nil
        }
    }
}
