// SPDX-License-Identifier: Apache-2.0

// The words of every payload: numbers in seven-bit groups (LEB128), signed ones zigzagged so that
// small negatives stay small, texts and lists behind their length. Each payload begins with the
// version of its form, so that a later release can read what an earlier one wrote (scar 77).

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

    /// An optional value behind one byte that says whether it is there: absent is not empty (scar 78).
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
