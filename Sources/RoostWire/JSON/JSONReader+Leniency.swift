// SPDX-License-Identifier: Apache-2.0

/// Readers for fields that clients write in more than one way (`docs/protocol` 1.3, 3.0).
extension JSONReader {
    /// Reads a text, or a number as its text; nil for null.
    package mutating func readStringIfPresent() throws(WireError) -> String? {
        switch try peek() {
        case .null:
            _ = try readNull()
            return nil
        case .number, .boolean: return try readRaw()
        case .string, .object, .array: return try readString()
        }
    }

    /// Reads a whole number, also one written as text; nil for null and empty text.
    package mutating func readInt64IfPresent() throws(WireError) -> Int64? {
        switch try peek() {
        case .null:
            _ = try readNull()
            return nil
        case .string:
            let start = position
            let text = try readString()
            if text.isEmpty { return nil }
            guard let value = Self.wholeNumber(text) else {
                throw WireError(
                    .wrongType(expected: .number), offset: start,
                    message: "The text is no whole number.")
            }
            return value
        case .number, .boolean, .object, .array: return try readInt64()
        }
    }

    package mutating func readIntIfPresent() throws(WireError) -> Int? {
        let start = position
        guard let value = try readInt64IfPresent() else { return nil }
        guard let int = Int(exactly: value) else {
            throw WireError(.outOfRange, offset: start, message: "The number is too large.")
        }
        return int
    }

    /// Reads a Boolean, also as "true", "True", 1 or 0; nil for null and empty text.
    package mutating func readBoolIfPresent() throws(WireError) -> Bool? {
        let start = position
        switch try peek() {
        case .null:
            _ = try readNull()
            return nil
        case .string:
            let text = try readString()
            if text.isEmpty { return nil }
            if let value = Self.truth(text) { return value }
        case .number:
            switch try readInt64() {
            case 0: return false
            case 1: return true
            default: break
            }
        case .boolean, .object, .array: return try readBool()
        }
        throw WireError(
            .wrongType(expected: .boolean), offset: start,
            message: "This is neither true nor false.")
    }

    /// Reads a list; null reads as an empty one.
    package mutating func readList<Element>(
        _ element: (inout JSONReader) throws(WireError) -> Element
    ) throws(WireError) -> [Element] {
        var list: [Element] = []
        if try readNull() { return list }
        try readArray { reader throws(WireError) in list.append(try element(&reader)) }
        return list
    }

    package mutating func readStrings() throws(WireError) -> [String] {
        try readList { reader throws(WireError) in try reader.readStringIfPresent() ?? "" }
    }

    /// Reads a list of texts without repetitions, in order of first occurrence.
    mutating func readSet() throws(WireError) -> [String] { try readStrings().exactlyUniqued }

    static func truth(_ text: String) -> Bool? {
        switch text.lowercased() {
        case "true", "1": true
        case "false", "0": false
        default: nil
        }
    }

    static func wholeNumber(_ text: String) -> Int64? {
        var reader = JSONReader(text)
        guard let first = reader.bytes.first, first > 0x20,
            // A text that is no number is a result here, not a failure.
            let value = try? reader.readInt64(), reader.position == reader.end
        else { return nil }
        return value
    }
}
