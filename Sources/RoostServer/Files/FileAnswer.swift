// SPDX-License-Identifier: Apache-2.0

/// The head of the answer with an uploaded file or a range of it, in a form that no browser runs as
/// a page.
package struct FileAnswer: Sendable {
    /// The entity tag of every file: the file at an address never changes.
    package static let tag = "\"1\""

    package let status: Int
    package let headers: [(name: String, value: String)]
    /// The bytes of the file that the body has.
    package let range: Range<Int>

    /// Answers a request.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - range: The `Range` header; nil if missing.
    ///   - condition: The `If-Range` header; nil if missing. Any other text than the tag asks for the
    ///     whole file.
    package init(_ file: StoredFile, range: String?, condition: String?) {
        var headers = [
            (name: "Content-Type", value: file.type), (name: "Accept-Ranges", value: "bytes"),
            (name: "ETag", value: Self.tag),
            (name: "X-Content-Type-Options", value: "nosniff"),
            (name: "Content-Disposition", value: "attachment"),
            (name: "Content-Security-Policy", value: "sandbox"),
            (name: "Cache-Control", value: "private, max-age=31536000"),
        ]
        if let range, condition ?? Self.tag == Self.tag,
            let found = ByteRange(range, of: file.byteCount)
        {
            headers.append(
                (
                    name: "Content-Range",
                    value: "bytes \(found.start)-\(found.end - 1)/\(file.byteCount)"
                ))
            (status, self.range) = (206, found.start..<found.end)
        } else {
            (status, self.range) = (200, 0..<file.byteCount)
        }
        self.headers = headers
    }
}

/// The range of a file that a request names (RFC 9110, 14.2).
package struct ByteRange: Equatable, Sendable {
    package let start: Int
    package let end: Int

    /// Reads a `Range` header for a file of this many bytes; nil for the whole file and for a range
    /// outside it.
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
