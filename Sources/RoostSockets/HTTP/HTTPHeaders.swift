// SPDX-License-Identifier: Apache-2.0

/// Header fields in order; names compare without case and may repeat.
package struct HTTPHeaders: Sendable, Hashable, ExpressibleByDictionaryLiteral {
    package struct Field: Sendable, Hashable {
        package let name: String
        package let value: String
    }

    package private(set) var fields: [Field] = []

    package init() {}

    package init(dictionaryLiteral elements: (String, String)...) {
        for (name, value) in elements { append(name, value) }
    }

    /// Adds a field, beside other fields of the same name.
    package mutating func append(_ name: String, _ value: String) {
        fields.append(Field(name: name, value: value))
    }

    /// The value of the first field of a name; nil for none.
    package subscript(name: String) -> String? {
        fields.first { $0.name.equalsIgnoringCase(name) }?.value
    }

    /// Returns the values of all fields of a name, in order.
    package func all(_ name: String) -> [String] {
        fields.filter { $0.name.equalsIgnoringCase(name) }.map(\.value)
    }

    /// Returns the elements of a comma-separated list, over all fields of a name, in order.
    package func list(_ name: String) -> [String] {
        all(name).flatMap { value in
            value.utf8.split(separator: UInt8(ascii: ",")).compactMap { element in
                let trimmed = element.trimmingBlanks()
                return trimmed.isEmpty ? nil : String(trimmed)
            }
        }
    }

    /// Returns whether a comma-separated list contains a word, in any case.
    package func list(_ name: String, contains word: String) -> Bool {
        list(name).contains { $0.equalsIgnoringCase(word) }
    }
}

extension HTTPHeaders {
    /// Whether every name and value can be sent unchanged.
    var isSendable: Bool {
        fields.allSatisfy { field in
            !field.name.isEmpty && field.name.utf8.allSatisfy(\.isTokenByte)
                && field.value.utf8.allSatisfy(\.mayStandInText)
        }
    }
}

extension String {
    /// Compares as HTTP does: ASCII letters without case, other bytes exactly.
    func equalsIgnoringCase(_ other: String) -> Bool {
        utf8.count == other.utf8.count
            && zip(utf8, other.utf8).allSatisfy { $0.lowercasedASCII == $1.lowercasedASCII }
    }
}

extension UInt8 {
    var lowercasedASCII: UInt8 {
        UInt8(ascii: "A")...UInt8(ascii: "Z") ~= self ? self | 0x20 : self
    }

    /// Whether the byte is a space or a tab, the only white space inside a line of HTTP.
    var isBlank: Bool { self == UInt8(ascii: " ") || self == 0x09 }

    /// Whether the byte is allowed in a value: a tab, or no control character.
    var mayStandInText: Bool { self >= 0x20 && self != 0x7F || self == 0x09 }

    /// Whether the byte is allowed in a method, a field name or a subprotocol (RFC 9110, "tchar").
    var isTokenByte: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "!"), UInt8(ascii: "-"),
            UInt8(ascii: "."), UInt8(ascii: "|"), UInt8(ascii: "~"),
            UInt8(ascii: "#")...UInt8(ascii: "'"), UInt8(ascii: "*")...UInt8(ascii: "+"),
            UInt8(ascii: "^")...UInt8(ascii: "`"):
            true
        default: false
        }
    }
}

extension BidirectionalCollection<UInt8> {
    /// Returns the collection without white space at either end.
    func trimmingBlanks() -> SubSequence {
        guard let first = firstIndex(where: { !$0.isBlank }),
            let last = lastIndex(where: { !$0.isBlank })
        else { return self[endIndex...] }
        return self[first...last]
    }
}
