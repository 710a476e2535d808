// SPDX-License-Identifier: Apache-2.0

/// A builder of the bytes of bus messages.
struct BusWriter {
    private(set) var bytes: [UInt8]

    init(_ bytes: [UInt8] = []) { self.bytes = bytes }

    mutating func append(_ byte: UInt8) { bytes.append(byte) }

    /// Appends eight bytes, the highest first.
    mutating func append(_ number: UInt64) {
        for shift in stride(from: 56, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(shift)))
        }
    }

    /// Appends a count in groups of seven bits, the lowest first.
    mutating func append(count: Int) {
        var rest = UInt64(clamping: count)
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    mutating func append(_ text: String) {
        append(count: text.utf8.count)
        bytes.append(contentsOf: text.utf8)
    }

    mutating func append(_ block: [UInt8]) {
        append(count: block.count)
        bytes.append(contentsOf: block)
    }
}

/// A reader of the bytes of bus messages, which any program on the bus may have written.
///
/// Each call returns nil if the bytes do not hold the value; no bytes can make it trap.
struct BusReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    /// The bytes that are left, from which a reader bounds its counts.
    var remaining: Int { rest.count }

    mutating func byte() -> UInt8? { rest.popFirst() }

    mutating func number() -> UInt64? {
        guard rest.count >= 8 else { return nil }
        let number = rest.prefix(8).reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        rest.removeFirst(8)
        return number
    }

    /// Returns a count that fits into the remaining bytes, each counted thing taking at least one.
    mutating func count() -> Int? {
        var value: UInt64 = 0
        // Five groups hold any count that can fit.
        for group in 0..<5 {
            guard let byte = rest.popFirst() else { return nil }
            value |= UInt64(byte & 0x7F) << UInt64(group * 7)
            guard byte & 0x80 != 0 else { return value <= UInt64(rest.count) ? Int(value) : nil }
        }
        return nil
    }

    mutating func block() -> ArraySlice<UInt8>? {
        guard let count = count() else { return nil }
        defer { rest.removeFirst(count) }
        return rest.prefix(count)
    }

    mutating func text() -> String? {
        guard let block = block() else { return nil }
        return String(validating: block, as: UTF8.self)
    }
}
