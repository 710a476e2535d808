// SPDX-License-Identifier: Apache-2.0

/// The names of an object's fields, a case for each spelling; at most 250 names of at most 32
/// bytes.
protocol FieldName: RawRepresentable<String>, CaseIterable, Sendable {
    static var table: FieldTable<Self> { get }
}

/// A name in the text; most names never become a `String`.
struct FieldText {
    fileprivate let quote: Int
    /// The line of the name in the table behind the enum's cases; nil if it has none.
    fileprivate(set) var line: Int?
}

/// A name of up to 32 bytes as four words, so that a comparison needs no loop.
struct PackedName: Equatable {
    static let limit = 32

    var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
    /// The number of bytes; a byte 0 inside a name would be lost in the words.
    var count = 0

    static func == (left: Self, right: Self) -> Bool {
        left.words.0 == right.words.0 && left.words.1 == right.words.1
            && left.words.2 == right.words.2 && left.words.3 == right.words.3
            && left.count == right.count
    }

    init() {}

    /// - Precondition: The name is no longer than 32 bytes.
    init(_ name: String) {
        precondition(name.utf8.count <= Self.limit, "A packed name has at most 32 bytes.")
        count = name.utf8.count
        for (index, byte) in name.utf8.enumerated() {
            let bits = UInt64(byte) << UInt64(index % 8 * 8)
            switch index / 8 {
            case 0: words.0 |= bits
            case 1: words.1 |= bits
            case 2: words.2 |= bits
            default: words.3 |= bits
            }
        }
    }

    var slot: Int {
        let mixed = words.0 ^ (words.1 &* 0x9E37_79B9_7F4A_7C15) ^ (words.2 &* 31) ^ words.3
        return Int(truncatingIfNeeded: (mixed &* 0xD6E8_FEB8_6659_FD93) >> 56)
    }
}

/// The numbers of names in a hash table that mostly finds a name with one probe.
struct NameTable: Sendable {
    /// The slots; 255 marks a free one.
    private let slots: [UInt8]
    private let names: [PackedName]

    /// Creates a table; an index without a name is nil.
    init(_ texts: [String?]) {
        names = texts.map { PackedName($0 ?? "") }
        precondition(names.count < 250, "The table has room for 250 names.")
        var slots = [UInt8](repeating: 255, count: 256)
        for (index, name) in names.enumerated() where texts[index] != nil {
            var slot = name.slot
            while slots[slot] != 255 { slot = (slot + 1) % 256 }
            slots[slot] = UInt8(index)
        }
        self.slots = slots
    }

    func index(_ name: PackedName) -> Int? {
        var slot = name.slot
        while true {
            let index = Int(slots[slot])
            if index == 255 { return nil }
            if names[index] == name { return index }
            slot = (slot + 1) % 256
        }
    }

    /// Returns the number of a name; nil for an unknown one.
    func index(_ name: String) -> Int? {
        name.utf8.count <= PackedName.limit ? index(PackedName(name)) : nil
    }
}

/// The names of an enum's cases, and behind them those of another table's lines.
final class FieldTable<Field: FieldName>: Sendable {
    fileprivate let names: NameTable
    fileprivate let fields = Array(Field.allCases)

    init(before lines: [String?] = []) {
        let cases: [String?] = fields.map(\.rawValue)
        names = NameTable(cases + lines)
    }
}

extension JSONReader {
    /// Reads an object as `readObject` does, with known names as cases; an unknown name is nil and
    /// has its text.
    mutating func readFields<Field: FieldName>(
        _: Field.Type, _ body: (Field?, FieldText, inout JSONReader) throws(WireError) -> Void
    ) throws(WireError) {
        let table = Field.table
        try readFields(table.names) { index, text, reader throws(WireError) in
            guard let index else { return try body(nil, text, &reader) }
            guard index >= table.fields.count else {
                return try body(table.fields[index], text, &reader)
            }
            var text = text
            text.line = index - table.fields.count
            try body(nil, text, &reader)
        }
    }

    /// Reads an object as `readObject` does, with the numbers of known names.
    @inline(__always)
    mutating func readFields(
        _ names: NameTable, _ body: (Int?, FieldText, inout JSONReader) throws(WireError) -> Void
    ) throws(WireError) {
        try open(UInt8(ascii: "{"), .object)
        if try nextByte() == UInt8(ascii: "}") {
            position += 1
        } else {
            repeat {
                guard try nextByte() == UInt8(ascii: "\"") else {
                    throw malformed("A field's name must be a string.")
                }
                let text = FieldText(quote: position)
                // A name that is not found is unknown, or written with escapes.
                var index = knownName(names)
                if index == nil { index = names.index(try readString()) }
                try expect(UInt8(ascii: ":"), "A colon must follow a field's name.")
                do throws(WireError) {
                    try body(index, text, &self)
                } catch {
                    throw error.inside(field: name(text))
                }
            } while try separator(or: UInt8(ascii: "}"))
        }
        depth -= 1
    }

    /// Returns the text of a name that was read.
    func name(_ text: FieldText) -> String {
        var reader = self
        reader.position = text.quote
        // The same bytes were read successfully before.
        return (try? reader.readString()) ?? ""
    }

    /// Consumes a name of the table if it stands next without escapes; otherwise consumes nothing.
    private mutating func knownName(_ names: NameTable) -> Int? {
        let start = position + 1
        guard end - start >= 40 else { return knownNameAtEnd(names, start) }
        var packed = PackedName()
        for index in 0..<5 {
            let word = bytes.word(at: start + index * 8)
            let quotes = word.positions(of: UInt8(ascii: "\""))
            let length = quotes.trailingZeroBitCount / 8
            let part = quotes == 0 ? word : word & ((1 << UInt64(length * 8)) &- 1)
            switch index {
            case 0: packed.words.0 = part
            case 1: packed.words.1 = part
            case 2: packed.words.2 = part
            case 3: packed.words.3 = part
            default: if part != 0 { return nil }
            }
            packed.count += length
            if quotes != 0 { break }
            if index == 4 { return nil }
        }
        guard let index = names.index(packed) else { return nil }
        position = start + packed.count + 1
        return index
    }

    private mutating func knownNameAtEnd(_ names: NameTable, _ start: Int) -> Int? {
        guard let quote = bytes[start..<end].firstIndex(of: UInt8(ascii: "\"")),
            quote - start <= PackedName.limit
        else { return nil }
        guard let index = names.index(PackedName(text(in: start..<quote))) else { return nil }
        position = quote + 1
        return index
    }
}

extension UInt64 {
    /// Returns the high bit of each byte that equals `byte`; exact up to the first match.
    func positions(of byte: UInt8) -> UInt64 {
        let other = self ^ (0x0101_0101_0101_0101 &* UInt64(byte))
        return (other &- 0x0101_0101_0101_0101) & ~other & 0x8080_8080_8080_8080
    }

    /// The high bit of each byte below 0x20; exact up to the first match.
    var controls: UInt64 {
        (self &- 0x2020_2020_2020_2020) & ~self & 0x8080_8080_8080_8080
    }
}

extension [UInt8] {
    /// Returns eight bytes, the first one lowest.
    ///
    /// - Precondition: The bytes are in the array.
    @inline(__always)
    func word(at index: Int) -> UInt64 {
        precondition(index >= 0 && index &+ 8 <= count, "A word ends within its array.")
        // SAFETY: the eight bytes are in the array, as was just checked, and any bits are a number.
        return unsafe UInt64(
            littleEndian: span.bytes.unsafeLoadUnaligned(
                fromByteOffset: index, as: UInt64.self))
    }
}
