// SPDX-License-Identifier: Apache-2.0

internal import RoostModel

/// The one place in which text becomes markup.
enum Escaping {
    /// Returns a text in which no character has a meaning for HTML, neither between tags nor in
    /// the quotes of an attribute.
    ///
    /// Characters that cannot be seen, or that turn the direction of what follows, become visible:
    /// they would let a text look like another one. A value that the browser hands back keeps them.
    static func escaped(_ text: String, isValue: Bool = false) -> String {
        // Most texts need nothing.
        guard text.utf8.contains(where: { isSpecial($0) }) else { return text }
        var escaped = ""
        escaped.reserveCapacity(text.utf8.count + 32)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            case "`": escaped += "&#96;"
            case "\n", "\t": escaped.unicodeScalars.append(scalar)
            // HTML has no references to control characters.
            case _ where isInvisible(scalar) && isValue && scalar.value > 0x9F:
                escaped += "&#\(scalar.value);"
            case _ where isInvisible(scalar): escaped += visible(scalar)
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    /// Returns the beginning of a text, with the number of characters that are missing.
    static func cut(_ text: String, to limit: Int) -> String {
        // A character can have any number of scalars, so their number is what is bounded.
        let scalars = text.unicodeScalars
        guard
            let end = scalars.index(
                scalars.startIndex, offsetBy: limit, limitedBy: scalars.endIndex),
            end < scalars.endIndex
        else { return text }
        return String(scalars[..<end])
            + "… (\(scalars.distance(from: end, to: scalars.endIndex)) more)"
    }

    private static func isSpecial(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""),
            UInt8(ascii: "'"), UInt8(ascii: "`"), 0x7F...:
            true
        case UInt8(ascii: "\n"), UInt8(ascii: "\t"): false
        default: byte < 0x20
        }
    }

    /// Whether a character cannot be seen, or turns the direction of the text behind it.
    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00...0x1F, 0x7F...0x9F: true
        default: scalar.isHidden
        }
    }

    private static func visible(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return "[U+" + String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits + "]"
    }
}
