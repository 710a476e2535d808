// SPDX-License-Identifier: Apache-2.0

/// An argument of a statement.
package enum PostgresValue: Equatable, Sendable {
    case null
    case bool(Bool)
    case int(Int64)
    case text(String)
    case ints([Int64?])
    case texts([String?])
    case bools([Bool])

    package init(_ text: String?) { self = text.map { .text($0) } ?? .null }
    package init(_ number: Int64?) { self = number.map { .int($0) } ?? .null }

    /// The value in the server's text format, without the NUL at the end; nil for NULL.
    ///
    /// PostgreSQL's text has no NUL, so U+0000 is written as U+0001 and `0`, and U+0001 as U+0001 and
    /// `1`. The order of texts by their bytes stays.
    var encoded: String? {
        switch self {
        case .null: nil
        case .bool(let flag): flag ? "t" : "f"
        case .int(let number): String(number)
        case .text(let text): Self.escaped(text)
        case .ints(let numbers): Self.list(numbers) { String($0) }
        case .texts(let texts): Self.list(texts) { Self.quoted(Self.escaped($0)) }
        case .bools(let flags): Self.list(flags) { $0 ? "t" : "f" }
        }
    }

    private static func list<Element>(
        _ elements: [Element?], _ text: (Element) -> String
    ) -> String {
        var list = "{"
        for (index, element) in elements.enumerated() {
            if index > 0 { list += "," }
            list += element.map(text) ?? "NULL"
        }
        return list + "}"
    }

    /// Returns a text in double quotes, as an element of a list.
    private static func quoted(_ text: String) -> String {
        var quoted: [UInt8] = [0x22]
        quoted.reserveCapacity(text.utf8.count + 2)
        for byte in text.utf8 {
            if byte == 0x22 || byte == 0x5C { quoted.append(0x5C) }
            quoted.append(byte)
        }
        quoted.append(0x22)
        return String(decoding: quoted, as: UTF8.self)
    }

    static func escaped(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 < 2 }) else { return text }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count + 16)
        for byte in text.utf8 {
            if byte < 2 {
                bytes.append(1)
                bytes.append(0x30 + byte)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the text that `escaped` was made from.
    static func unescaped(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
        guard unsafe bytes.contains(1) else { return unsafe String(decoding: bytes, as: UTF8.self) }
        var plain: [UInt8] = []
        var isEscape = false
        for byte in unsafe Array(bytes) {
            if isEscape {
                plain.append(byte == 0x30 ? 0 : 1)
                isEscape = false
            } else if byte == 1 {
                isEscape = true
            } else {
                plain.append(byte)
            }
        }
        return String(decoding: plain, as: UTF8.self)
    }
}
