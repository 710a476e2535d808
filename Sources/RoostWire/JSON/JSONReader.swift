// SPDX-License-Identifier: Apache-2.0

/// A strict pull reader for JSON text that builds no tree.
///
/// The caller names the value it expects; any other value is an error with its place. Every byte is
/// read once, apart from a separate pass that checks UTF-8. Skipped values are checked too, and
/// their text is available.
///
/// - Invariant: `position` is the first byte that no value has consumed.
package struct JSONReader {
    /// The nesting depth of the reader: a recursive reader needs a limit, and no message needs
    /// more.
    package static let depthLimit = WireLimits.nestingDepth
    /// The nesting depth of calls and commands that a server accepts.
    ///
    /// Answers and frames put accepted values inside `wrappingDepth` objects of their own. The sum
    /// must stay readable, also for other readers, whose limits are often lower.
    package static let contentDepth = depthLimit / 2
    /// The greatest number of objects and lists that an answer, a frame or a stored row puts around
    /// a value.
    package static let wrappingDepth = 8

    let bytes: [UInt8]
    let end: Int
    package internal(set) var position: Int
    var depth = 0
    /// The nesting depth at which this reader stops; at most `depthLimit`.
    package var depthBound = JSONReader.depthLimit
    /// Texts and senders that a page repeats, decoded once.
    var repeated = RepeatedValues()

    /// Creates a reader of text that is known to be UTF-8.
    package init(_ text: String) {
        bytes = Array(text.utf8)
        position = 0
        end = bytes.count
    }

    /// Creates a reader of a body or a part of a frame; offsets in errors count from the start of
    /// `bytes`.
    ///
    /// - Throws: `.malformed` if the range is not UTF-8.
    package init(bytes: [UInt8], range: Range<Int>? = nil) throws(WireError) {
        let range = range ?? 0..<bytes.count
        if let offset = UTF8Check.firstFault(in: bytes, range: range) {
            throw WireError(.malformed, offset: offset, message: "The bytes are not UTF-8.")
        }
        self.init(checked: bytes, range: range)
    }

    /// Creates a reader of a range that the caller has checked.
    init(checked bytes: [UInt8], range: Range<Int>) {
        self.bytes = bytes
        position = range.lowerBound
        end = range.upperBound
    }

    /// The kind of the next value, which stays unconsumed.
    package enum Kind: Hashable, Sendable {
        case object
        case array
        case string
        case number
        case boolean
        case null
    }

    /// Returns the kind of the next value by its first byte; the value itself may still be
    /// malformed.
    package mutating func peek() throws(WireError) -> Kind {
        switch try nextByte() {
        case UInt8(ascii: "{"): return .object
        case UInt8(ascii: "["): return .array
        case UInt8(ascii: "\""): return .string
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number
        case UInt8(ascii: "t"), UInt8(ascii: "f"): return .boolean
        case UInt8(ascii: "n"): return .null
        default: throw malformed("A value cannot begin with this byte.")
        }
    }

    /// Calls `body` for each field of an object; the closure must consume exactly the field's
    /// value.
    ///
    /// A repeated name is passed twice, so the later value wins in assignments.
    package mutating func readObject(
        _ body: (String, inout JSONReader) throws(WireError) -> Void
    ) throws(WireError) {
        try open(UInt8(ascii: "{"), .object)
        if try nextByte() == UInt8(ascii: "}") {
            position += 1
        } else {
            repeat {
                guard try nextByte() == UInt8(ascii: "\"") else {
                    throw malformed("A field's name must be a string.")
                }
                let name = try readString()
                try expect(UInt8(ascii: ":"), "A colon must follow a field's name.")
                do throws(WireError) {
                    try body(name, &self)
                } catch {
                    throw error.inside(field: name)
                }
            } while try separator(or: UInt8(ascii: "}"))
        }
        depth -= 1
    }

    /// Calls `body` for each element of an array; the closure must consume exactly the element.
    package mutating func readArray(
        _ body: (inout JSONReader) throws(WireError) -> Void
    ) throws(WireError) {
        try open(UInt8(ascii: "["), .array)
        if try nextByte() == UInt8(ascii: "]") {
            position += 1
        } else {
            var index = 0
            repeat {
                do throws(WireError) {
                    try body(&self)
                } catch {
                    throw error.inside(element: index)
                }
                index += 1
            } while try separator(or: UInt8(ascii: "]"))
        }
        depth -= 1
    }

    package mutating func readBool() throws(WireError) -> Bool {
        guard try peek() == .boolean else { throw wrongType(.boolean) }
        if skip("t", "r", "u", "e") { return true }
        if bytes[position] == UInt8(ascii: "f") {
            position += 1
            if skip("a", "l", "s", "e") { return false }
            position -= 1
        }
        throw malformed("A literal is misspelt.")
    }

    /// Consumes a null if it stands next, and returns whether it did.
    package mutating func readNull() throws(WireError) -> Bool {
        guard try nextByte() == UInt8(ascii: "n") else { return false }
        guard skip("n", "u", "l", "l") else { throw malformed("A literal is misspelt.") }
        return true
    }

    /// Skips one value of any kind, with all checks.
    package mutating func skipValue() throws(WireError) {
        switch try peek() {
        case .object:
            try readObject { _, reader throws(WireError) in try reader.skipValue() }
        case .array:
            try readArray { reader throws(WireError) in try reader.skipValue() }
        case .string: try skipString()
        case .number: _ = try scanNumber()
        case .boolean: _ = try readBool()
        case .null: _ = try readNull()
        }
    }

    /// Skips one value and returns its text on one line.
    ///
    /// Line breaks occur only between tokens, never inside a string, so they can be removed; the
    /// text then fits into a frame.
    package mutating func readRaw() throws(WireError) -> String {
        _ = try nextByte()
        let start = position
        try skipValue()
        let range = start..<position
        guard bytes[range].contains(where: { $0 == 0x0A || $0 == 0x0D }) else {
            return text(in: range)
        }
        return String(
            decoding: bytes[range].filter { $0 != 0x0A && $0 != 0x0D }, as: UTF8.self)
    }

    /// Checks that only white space is left.
    package mutating func finish() throws(WireError) {
        skipWhitespace()
        guard position == end else { throw malformed("Text follows the value.") }
    }
}

// MARK: - Bytes

extension JSONReader {
    mutating func skipWhitespace() {
        while position < end {
            switch bytes[position] {
            case 0x20, 0x09, 0x0A, 0x0D: position += 1
            default: return
            }
        }
    }

    /// Returns the next byte that is not white space, without consuming it.
    mutating func nextByte() throws(WireError) -> UInt8 {
        guard position < end else { throw malformed("The text ends too early.") }
        let byte = bytes[position]
        if byte > 0x20 { return byte }
        skipWhitespace()
        guard position < end else { throw malformed("The text ends too early.") }
        return bytes[position]
    }

    mutating func expect(_ byte: UInt8, _ message: String) throws(WireError) {
        guard try nextByte() == byte else { throw malformed(message) }
        position += 1
    }

    mutating func open(_ byte: UInt8, _ kind: WireError.Expected) throws(WireError) {
        guard try nextByte() == byte else {
            _ = try peek()
            throw wrongType(kind)
        }
        guard depth < depthBound else {
            throw WireError(
                .tooDeep, offset: position,
                message: "Values are nested more than \(depthBound) deep.")
        }
        depth += 1
        position += 1
    }

    /// Returns true after a comma and false after the closing byte.
    mutating func separator(or close: UInt8) throws(WireError) -> Bool {
        let byte = try nextByte()
        guard byte == UInt8(ascii: ",") || byte == close else {
            throw malformed("A comma or the closing bracket must follow a value.")
        }
        position += 1
        return byte != close
    }

    private mutating func skip(
        _ first: Unicode.Scalar, _ second: Unicode.Scalar, _ third: Unicode.Scalar,
        _ fourth: Unicode.Scalar
    ) -> Bool {
        guard end - position >= 4, bytes[position] == UInt8(ascii: first),
            bytes[position + 1] == UInt8(ascii: second),
            bytes[position + 2] == UInt8(ascii: third), bytes[position + 3] == UInt8(ascii: fourth)
        else { return false }
        position += 4
        return true
    }

    /// Returns a copy of a range's text.
    func text(in range: Range<Int>) -> String {
        guard !range.isEmpty else { return "" }
        let part = bytes.span.extracting(range)
        // SAFETY: the bytes are valid during the call, and the text is a copy.
        return unsafe part.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }

    /// Skips `{}` or `[]`; returns false and consumes nothing for any other value.
    mutating func skipEmpty() throws(WireError) -> Bool {
        let byte = try nextByte()
        guard byte == UInt8(ascii: "{") || byte == UInt8(ascii: "["), end - position >= 2,
            depth < depthBound,
            bytes[position + 1] == byte + 2
        else { return false }
        position += 2
        return true
    }

    /// Skips `{}`, `[]` or null, the ways to write an absent value.
    mutating func skipEmptyOrNull() throws(WireError) -> Bool {
        if try skipEmpty() { return true }
        return try readNull()
    }

    func malformed(_ message: String) -> WireError {
        WireError(.malformed, offset: position, message: message)
    }

    func wrongType(_ expected: WireError.Expected) -> WireError {
        WireError(
            .wrongType(expected: expected), offset: position,
            message: "A value of kind \(expected.rawValue) is needed.")
    }
}
