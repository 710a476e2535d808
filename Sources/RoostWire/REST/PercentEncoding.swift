// SPDX-License-Identifier: Apache-2.0

/// Percent encoding of text in URLs, and its decoding (RFC 3986).
package enum PercentEncoding {
    /// Encodes everything but letters, digits and `-._~`.
    ///
    /// The result is safe as a path segment, a query value, a header value and a subprotocol.
    package static func encode(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if isUnreserved(byte) {
                bytes.append(byte)
            } else {
                bytes.append(UInt8(ascii: "%"))
                bytes.append(HexDigit.upper(byte >> 4))
                bytes.append(HexDigit.upper(byte))
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Decodes a text; a percent sign that begins no escape stands for itself.
    ///
    /// - Parameters:
    ///   - text: The text in the URL.
    ///   - plusIsSpace: Whether `+` means a space, as in the queries of forms.
    /// - Returns: The text; bytes that are not UTF-8 become U+FFFD.
    package static func decode(_ text: some StringProtocol, plusIsSpace: Bool = false) -> String {
        let source = Array(text.utf8)
        var bytes: [UInt8] = []
        var index = 0
        while index < source.count {
            if source[index] == UInt8(ascii: "%"), index + 2 < source.count,
                let high = HexDigit.value(of: source[index + 1]),
                let low = HexDigit.value(of: source[index + 2])
            {
                bytes.append(high << 4 | low)
                index += 3
            } else {
                let isSpace = plusIsSpace && source[index] == UInt8(ascii: "+")
                bytes.append(isSpace ? UInt8(ascii: " ") : source[index])
                index += 1
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "_"), UInt8(ascii: "~"):
            true
        default: false
        }
    }
}

/// A name and a value of a query; names may repeat.
package struct QueryItem: Equatable, Codable, Sendable {
    package var name: String
    package var value: String

    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    /// Parses the part of a URL behind the question mark.
    package static func parse(_ query: some StringProtocol) -> [QueryItem] {
        query.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return QueryItem(
                PercentEncoding.decode(parts[0], plusIsSpace: true),
                parts.count > 1 ? PercentEncoding.decode(parts[1], plusIsSpace: true) : "")
        }
    }

    /// Returns the part of a URL behind the question mark.
    package static func text(_ items: [QueryItem]) -> String {
        items.map { PercentEncoding.encode($0.name) + "=" + PercentEncoding.encode($0.value) }
            .joined(separator: "&")
    }
}
