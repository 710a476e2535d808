// SPDX-License-Identifier: Apache-2.0

extension JSONReader {
    package mutating func readString() throws(WireError) -> String {
        guard try nextByte() == UInt8(ascii: "\"") else {
            _ = try peek()
            throw wrongType(.string)
        }
        let start = position + 1
        let plainEnd = try scanPlain(from: start)
        if bytes[plainEnd] == UInt8(ascii: "\"") {
            position = plainEnd + 1
            return text(in: start..<plainEnd)
        }
        return try readEscapedString(from: start, firstEscape: plainEnd)
    }

    /// Checks a string without creating one.
    mutating func skipString() throws(WireError) {
        position = try scanPlain(from: position + 1)
        while bytes[position] == UInt8(ascii: "\\") {
            _ = try readEscape()
            position = try scanPlain(from: position)
        }
        position += 1
    }

    /// Returns the index of the next quote or backslash; sets `position` to the fault before
    /// throwing.
    mutating func scanPlain(from start: Int) throws(WireError) -> Int {
        var index = start
        while end - index >= 8 {
            let word = bytes.word(at: index)
            let stops =
                word.positions(of: UInt8(ascii: "\"")) | word.positions(of: UInt8(ascii: "\\"))
                | word.controls
            if stops != 0 {
                // Each mask is exact up to its first match, so the first match of all is right.
                index += stops.trailingZeroBitCount / 8
                break
            }
            index += 8
        }
        while index < end {
            let byte = bytes[index]
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return index }
            guard byte >= 0x20 else {
                position = index
                throw malformed("A control character in a string must be escaped.")
            }
            index += 1
        }
        position = end
        throw malformed("A string has no end.")
    }

    private mutating func readEscapedString(
        from start: Int, firstEscape: Int
    ) throws(WireError) -> String {
        var text = Array(bytes[start..<firstEscape])
        position = firstEscape
        while bytes[position] == UInt8(ascii: "\\") {
            text.append(
                contentsOf: UTF8.encode(try readEscape()) ?? UTF8.encodedReplacementCharacter)
            let plainEnd = try scanPlain(from: position)
            text.append(contentsOf: bytes[position..<plainEnd])
            position = plainEnd
        }
        position += 1
        return String(decoding: text, as: UTF8.self)
    }

    /// Reads one escape, both halves of a surrogate pair included.
    ///
    /// Half a pair is legal JSON; JavaScript writes it when an app cuts a text inside an emoji. It
    /// reads as U+FFFD, so that one such message does not make its page unreadable.
    private mutating func readEscape() throws(WireError) -> Unicode.Scalar {
        position += 1
        guard position < end else { throw malformed("A string has no end.") }
        let letter = bytes[position]
        guard letter == UInt8(ascii: "u") else {
            guard let scalar = Self.shortEscape(letter) else {
                throw malformed("This letter cannot follow a backslash.")
            }
            position += 1
            return scalar
        }
        position += 1
        let unit = try readHexUnit()
        if let scalar = Unicode.Scalar(UInt32(unit)) { return scalar }
        let replacement: Unicode.Scalar = "\u{FFFD}"
        guard unit < 0xDC00, position + 1 < end, bytes[position] == UInt8(ascii: "\\"),
            bytes[position + 1] == UInt8(ascii: "u")
        else { return replacement }
        let beforeSecond = position
        position += 2
        let second = try readHexUnit()
        guard (0xDC00...0xDFFF).contains(second) else {
            position = beforeSecond
            return replacement
        }
        let value = 0x10000 + (UInt32(unit - 0xD800) << 10) + UInt32(second - 0xDC00)
        return Unicode.Scalar(value) ?? replacement
    }

    private mutating func readHexUnit() throws(WireError) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard position < end, let digit = HexDigit.value(of: bytes[position]) else {
                throw malformed("Four hexadecimal digits must follow \\u.")
            }
            unit = unit << 4 | UInt16(digit)
            position += 1
        }
        return unit
    }

    private static func shortEscape(_ letter: UInt8) -> Unicode.Scalar? {
        switch letter {
        case UInt8(ascii: "\""): "\""
        case UInt8(ascii: "\\"): "\\"
        case UInt8(ascii: "/"): "/"
        case UInt8(ascii: "b"): "\u{08}"
        case UInt8(ascii: "f"): "\u{0C}"
        case UInt8(ascii: "n"): "\n"
        case UInt8(ascii: "r"): "\r"
        case UInt8(ascii: "t"): "\t"
        default: nil
        }
    }
}

/// Hexadecimal digits, for escapes in JSON and in URLs.
package enum HexDigit {
    /// Returns the value of a digit; nil for any other byte.
    package static func value(of byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// Returns the digit of the lower four bits.
    static func upper(_ value: UInt8) -> UInt8 {
        let digit = value & 0xF
        return digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "A") + digit - 10
    }
}

/// A search for bytes that are not UTF-8.
enum UTF8Check {
    /// Returns the offset of the first byte outside of a character; nil if the bytes are UTF-8.
    static func firstFault(in bytes: [UInt8], range: Range<Int>) -> Int? {
        var index = range.lowerBound
        while index < range.upperBound {
            if bytes[index] < 0x80 {
                if range.upperBound - index >= 8,
                    bytes.word(at: index) & 0x8080_8080_8080_8080 == 0
                {
                    index += 8
                } else {
                    index += 1
                }
                continue
            }
            guard let length = sequenceLength(in: bytes, at: index, end: range.upperBound) else {
                return index
            }
            index += length
        }
        return nil
    }

    /// Returns the length of the multi-byte character at `index`; nil if it is overlong, a
    /// surrogate, too large or cut.
    private static func sequenceLength(in bytes: [UInt8], at index: Int, end: Int) -> Int? {
        let length: Int
        let second: ClosedRange<UInt8>
        switch bytes[index] {
        case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        default: return nil
        }
        guard index + length <= end, second.contains(bytes[index + 1]) else { return nil }
        for offset in 2..<max(length, 2) where bytes[index + offset] & 0xC0 != 0x80 { return nil }
        return length
    }
}
