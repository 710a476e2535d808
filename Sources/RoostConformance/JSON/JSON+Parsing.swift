// SPDX-License-Identifier: Apache-2.0

extension JSON {
    /// The reason why bytes are no JSON.
    package struct Fault: Error, Hashable, Sendable {
        /// The offset of the first byte that does not fit.
        package let offset: Int
        package let message: String
    }

    /// The nesting beyond which a value is refused, because the parser is recursive.
    package static let depthLimit = 64

    /// Parses one value that fills the bytes, strictly by RFC 8259.
    package init(parsing bytes: [UInt8]) throws(Fault) {
        var parser = JSONParser(bytes)
        self = try parser.document()
    }

    package init(parsing text: String) throws(Fault) { try self.init(parsing: Array(text.utf8)) }
}

/// A strict parser of one JSON text; each byte is looked at a bounded number of times.
private struct JSONParser {
    private let bytes: [UInt8]
    private var place = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func document() throws(JSON.Fault) -> JSON {
        guard String(validating: bytes, as: UTF8.self) != nil else {
            throw fault("The bytes are not UTF-8.")
        }
        let value = try value(depth: 0)
        skipSpace()
        guard place == bytes.count else { throw fault("More follows the value.") }
        return value
    }

    private func fault(_ message: String) -> JSON.Fault {
        JSON.Fault(offset: place, message: message)
    }

    private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

    private mutating func skipSpace() {
        while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { place += 1 }
    }

    private mutating func take(_ byte: Character) -> Bool {
        guard let next, byte.asciiValue == next else { return false }
        place += 1
        return true
    }

    private mutating func take(word: String) -> Bool {
        guard bytes[place...].starts(with: word.utf8) else { return false }
        place += word.utf8.count
        return true
    }

    private mutating func value(depth: Int) throws(JSON.Fault) -> JSON {
        guard depth < JSON.depthLimit else { throw fault("The value is nested too deeply.") }
        skipSpace()
        if take("{") { return .object(try fields(depth: depth + 1)) }
        if take("[") { return .list(try elements(depth: depth + 1)) }
        if take("\"") { return .text(try text()) }
        if take(word: "true") { return .bool(true) }
        if take(word: "false") { return .bool(false) }
        if take(word: "null") { return .null }
        return try number()
    }

    private mutating func elements(depth: Int) throws(JSON.Fault) -> [JSON] {
        var elements: [JSON] = []
        skipSpace()
        if take("]") { return elements }
        while true {
            elements.append(try value(depth: depth))
            skipSpace()
            if take("]") { return elements }
            guard take(",") else { throw fault("A comma or the end of the list must follow.") }
        }
    }

    private mutating func fields(depth: Int) throws(JSON.Fault) -> [String: JSON] {
        var fields: [String: JSON] = [:]
        skipSpace()
        if take("}") { return fields }
        while true {
            skipSpace()
            guard take("\"") else { throw fault("A field begins with its name in quotes.") }
            let name = try text()
            skipSpace()
            guard take(":") else { throw fault("A colon must follow a field's name.") }
            fields[name] = try value(depth: depth)
            skipSpace()
            if take("}") { return fields }
            guard take(",") else { throw fault("A comma or the end of the object must follow.") }
        }
    }

    private mutating func number() throws(JSON.Fault) -> JSON {
        let start = place
        _ = take("-")
        guard let first = next, digits() > 0, first != UInt8(ascii: "0") || isZero(from: start)
        else {
            throw fault("Here is no value.")
        }
        var isWhole = true
        if take(".") {
            isWhole = false
            guard digits() > 0 else { throw fault("A fraction has digits.") }
        }
        if take("e") || take("E") {
            isWhole = false
            if !take("+") { _ = take("-") }
            guard digits() > 0 else { throw fault("An exponent has digits.") }
        }
        let text = String(decoding: bytes[start..<place], as: UTF8.self)
        guard isWhole, let whole = Int64(text) else { return .number(text) }
        return .int(whole)
    }

    /// Whether the digits since `start` are a single zero, as a leading zero must be.
    private func isZero(from start: Int) -> Bool {
        place - start == (bytes[start] == UInt8(ascii: "-") ? 2 : 1)
    }

    private mutating func digits() -> Int {
        let start = place
        while let byte = next, UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte { place += 1 }
        return place - start
    }

    /// Reads the rest of a text behind its first quote.
    private mutating func text() throws(JSON.Fault) -> String {
        var text: [UInt8] = []
        while let byte = next {
            place += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"): text += String(try escaped()).utf8
            case 0..<0x20: throw fault("A text has a raw control character.")
            default: text.append(byte)
            }
        }
        throw fault("The text has no end.")
    }

    private mutating func escaped() throws(JSON.Fault) -> Unicode.Scalar {
        guard let byte = next else { throw fault("The text has no end.") }
        place += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"):
            let unit = try hexUnit()
            if let scalar = Unicode.Scalar(unit) { return scalar }
            guard 0xD800..<0xDC00 ~= unit, take("\\"), take("u") else {
                throw fault("Half a surrogate pair is no character.")
            }
            let low = try hexUnit()
            guard 0xDC00..<0xE000 ~= low,
                let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
            else { throw fault("Half a surrogate pair is no character.") }
            return scalar
        default: throw fault("No escape begins so.")
        }
    }

    private mutating func hexUnit() throws(JSON.Fault) -> UInt32 {
        guard bytes.count - place >= 4,
            bytes[place..<place + 4].allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
            let unit = UInt32(String(decoding: bytes[place..<place + 4], as: UTF8.self), radix: 16)
        else { throw fault("An escape has four hexadecimal digits.") }
        place += 4
        return unit
    }
}
