// SPDX-License-Identifier: Apache-2.0

/// The parameters behind a header's value, as in `form-data; name="a;b"` (RFC 9110, 5.6.6).
///
/// A quoted value may have any character. In it a backslash escapes a quote or a backslash; before
/// other characters it stands for itself, as old browsers send whole Windows paths.
struct HeaderParameters {
    private var values: [String: String] = [:]

    /// Parses all parameters; of a repeated name the first value counts.
    ///
    /// Returns nil if a quoted value has no end, or text follows one.
    init?(_ header: String) {
        var rest = Array(header.utf8).drop { $0 != UInt8(ascii: ";") }
        while rest.popFirst() != nil {  // The semicolon.
            let name = rest.prefix { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ";") }
            rest = rest[name.endIndex...]
            guard rest.first == UInt8(ascii: "=") else { continue }
            rest = rest.dropFirst().drop(while: Self.isBlank)
            let value: [UInt8]
            if rest.first == UInt8(ascii: "\"") {
                guard let quoted = Self.takeQuoted(&rest) else { return nil }
                rest = rest.drop(while: Self.isBlank)
                guard rest.isEmpty || rest.first == UInt8(ascii: ";") else { return nil }
                value = quoted
            } else {
                let plain = rest.prefix { $0 != UInt8(ascii: ";") }
                rest = rest[plain.endIndex...]
                value = Self.trimmed(plain)
            }
            let key = String(decoding: Self.trimmed(name), as: UTF8.self).lowercased()
            if values[key] == nil { values[key] = String(decoding: value, as: UTF8.self) }
        }
    }

    /// The value of a parameter, by its name in lower case.
    subscript(name: String) -> String? { values[name] }

    /// Consumes a quoted value with both quotes; nil if the second one is missing.
    private static func takeQuoted(_ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
        let (quote, backslash) = (UInt8(ascii: "\""), UInt8(ascii: "\\"))
        rest.removeFirst()
        var value: [UInt8] = []
        while let byte = rest.popFirst() {
            if byte == quote { return value }
            if byte == backslash, let next = rest.first, next == quote || next == backslash {
                value.append(next)
                rest.removeFirst()
            } else {
                value.append(byte)
            }
        }
        return nil
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var bytes = bytes.drop(while: isBlank)
        while let last = bytes.last, isBlank(last) { bytes.removeLast() }
        return Array(bytes)
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}
