// SPDX-License-Identifier: Apache-2.0

// The encoding of all payloads: numbers in seven-bit groups (LEB128), signed ones zigzag-encoded so
// that small negatives stay short, texts and lists after their length. Each payload begins with the
// version of its form, so a later release can read it (scar 77).

internal import RoostModel

extension [UInt8] {
    mutating func append(number value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(rest))
    }

    mutating func append(count value: Int) {
        append(number: UInt64(value))
    }

    mutating func append(signed value: Int64) {
        append(number: UInt64(bitPattern: (value << 1) ^ (value >> 63)))
    }

    mutating func append(text value: String) {
        let utf8 = value.utf8
        append(count: utf8.count)
        append(contentsOf: utf8)
    }

    /// Appends an optional value after a byte for its presence: absent is not empty (scar 78).
    mutating func append<T>(optional value: T?, _ write: (inout [UInt8], T) -> Void) {
        append(value == nil ? 0 : 1)
        if let value { write(&self, value) }
    }

    mutating func append<T>(list values: [T], _ write: (inout [UInt8], T) -> Void) {
        append(count: values.count)
        for value in values { write(&self, value) }
    }

    mutating func append(moment: Timestamp?) {
        append(optional: moment) { $0.append(signed: $1.milliseconds) }
    }

    /// A map, sorted, so that equal values have equal bytes.
    mutating func append(texts: [String: String]) {
        append(list: texts.sorted { $0.key < $1.key }) { bytes, entry in
            bytes.append(text: entry.key)
            bytes.append(text: entry.value)
        }
    }
}
