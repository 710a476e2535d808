// SPDX-License-Identifier: Apache-2.0

/// The few texts that matter in an XML answer of S3: the name of its root, and the texts directly below.
///
/// The reader is strict and small: no declarations of types, no entities but the five of XML, bounded
/// depths, names and texts. Any other document is none.
package struct S3Document: Equatable, Sendable {
    package let root: String
    /// The texts of the elements below the root, by name; the first of each name.
    package let fields: [String: String]

    /// The most bytes of a document; a list of one name, and every error, has far fewer.
    package static let byteLimit = 65_536

    /// Reads a document; nil if it is none.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count <= Self.byteLimit else { return nil }
        var reader = Reader(bytes: bytes)
        guard reader.readAll(), let root = reader.root else { return nil }
        self.root = root
        fields = reader.fields
    }

    private struct Reader {
        static let depthLimit = 8
        static let nameLimit = 64
        static let textLimit = 2_048
        static let fieldLimit = 64

        let bytes: [UInt8]
        var place = 0
        var open: [ArraySlice<UInt8>] = []
        var text: [UInt8] = []
        var root: String?
        var fields: [String: String] = [:]

        /// Reads the document to its end; returns false if it is malformed.
        mutating func readAll() -> Bool {
            while place < bytes.count {
                guard bytes[place] == UInt8(ascii: "<") else {
                    guard take(bytes[place], isMarkup: true) else { return false }
                    place += 1
                    continue
                }
                guard readTag() else { return false }
            }
            return open.isEmpty && root != nil
        }

        /// Takes a byte of text; returns false for text outside of the root, and for too much.
        private mutating func take(_ byte: UInt8, isMarkup: Bool) -> Bool {
            guard !open.isEmpty else { return isMarkup && byte.isSpace }
            guard open.count == 2 else { return true }
            text.append(byte)
            return text.count <= Self.textLimit
        }

        private mutating func readTag() -> Bool {
            if skip("<?", to: "?>") || skip("<!--", to: "-->") { return true }
            guard place + 1 < bytes.count, bytes[place + 1] != UInt8(ascii: "!") else {
                return false
            }
            return bytes[place + 1] == UInt8(ascii: "/") ? readEnd() : readStart()
        }

        private mutating func skip(_ start: String, to end: String) -> Bool {
            guard bytes[place...].starts(with: start.utf8) else { return false }
            let end = Array(end.utf8)
            var index = place + start.utf8.count
            while index + end.count <= bytes.count {
                if bytes[index..<(index + end.count)].elementsEqual(end) {
                    place = index + end.count
                    return true
                }
                index += 1
            }
            return false
        }

        private mutating func readName() -> ArraySlice<UInt8>? {
            let start = place
            while place < bytes.count, bytes[place].isInName { place += 1 }
            let name = bytes[start..<place]
            return name.isEmpty || name.count > Self.nameLimit ? nil : name
        }

        private mutating func readStart() -> Bool {
            place += 1
            guard let name = readName(), open.count < Self.depthLimit else { return false }
            if open.isEmpty {
                guard root == nil else { return false }
                root = String(decoding: name, as: UTF8.self)
            }
            open.append(name)
            text = []
            var quote: UInt8?
            while place < bytes.count {
                let byte = bytes[place]
                place += 1
                if let sign = quote {
                    if byte == sign { quote = nil }
                } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                    quote = byte
                } else if byte == UInt8(ascii: "<") {
                    return false
                } else if byte == UInt8(ascii: ">") {
                    return bytes[place - 2] == UInt8(ascii: "/") ? close(name) : true
                }
            }
            return false
        }

        private mutating func readEnd() -> Bool {
            place += 2
            guard let name = readName() else { return false }
            while place < bytes.count, bytes[place].isSpace { place += 1 }
            guard place < bytes.count, bytes[place] == UInt8(ascii: ">") else { return false }
            place += 1
            return close(name)
        }

        private mutating func close(_ name: ArraySlice<UInt8>) -> Bool {
            guard let last = open.popLast(), last.elementsEqual(name) else { return false }
            guard open.count == 1 else { return true }
            let name = String(decoding: name, as: UTF8.self)
            guard fields[name] == nil, fields.count < Self.fieldLimit else { return true }
            guard let value = Self.decoded(text) else { return false }
            fields[name] = value
            return true
        }

        /// Returns a text with its entities replaced; nil if one is unknown.
        private static func decoded(_ bytes: [UInt8]) -> String? {
            guard bytes.contains(UInt8(ascii: "&")) else {
                return String(decoding: bytes, as: UTF8.self)
            }
            var text: [UInt8] = []
            var rest = bytes[...]
            while let byte = rest.popFirst() {
                guard byte == UInt8(ascii: "&") else {
                    text.append(byte)
                    continue
                }
                guard let end = rest.prefix(12).firstIndex(of: UInt8(ascii: ";")),
                    let character = character(String(decoding: rest[..<end], as: UTF8.self))
                else { return nil }
                text += Array(String(character).utf8)
                rest = rest[(end + 1)...]
            }
            return String(decoding: text, as: UTF8.self)
        }

        private static func character(_ entity: String) -> Unicode.Scalar? {
            switch entity {
            case "amp": "&"
            case "lt": "<"
            case "gt": ">"
            case "quot": "\""
            case "apos": "'"
            default:
                if entity.hasPrefix("#x") {
                    UInt32(entity.dropFirst(2), radix: 16).flatMap(Unicode.Scalar.init)
                } else if entity.hasPrefix("#") {
                    UInt32(entity.dropFirst()).flatMap(Unicode.Scalar.init)
                } else {
                    nil
                }
            }
        }
    }
}

extension UInt8 {
    fileprivate var isSpace: Bool {
        self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D
    }

    fileprivate var isInName: Bool {
        (0x61...0x7A).contains(self) || (0x41...0x5A).contains(self)
            || (0x30...0x39).contains(self) || "-_.:".utf8.contains(self)
    }
}
