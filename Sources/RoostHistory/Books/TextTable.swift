// SPDX-License-Identifier: Apache-2.0

/// Distinct texts under numbers, in one buffer of bytes.
///
/// A history repeats its texts many times. A number takes four bytes and is compared at once; two
/// texts are equal if their bytes are.
struct TextTable: Sendable {
    private struct Slot {
        var hash: UInt32
        /// The number of the text; 0 for a free slot.
        var number: Int32
    }

    private var bytes: [UInt8] = []
    /// The ends of the texts in `bytes`; text 1 is the first.
    private var ends: [Int] = []
    private var slots = [Slot](repeating: Slot(hash: 0, number: 0), count: 64)

    var count: Int { ends.count }

    subscript(number: Int32) -> String {
        number == 0 ? "" : String(decoding: bytes[range(of: number)], as: UTF8.self)
    }

    /// Returns the number of a text, from 1; a new text gets the next number.
    mutating func number(of text: String) -> Int32 {
        let hash = UInt32(truncatingIfNeeded: text.hashValue)
        var slot = Int(hash) & (slots.count - 1)
        while slots[slot].number != 0 {
            let known = slots[slot]
            if known.hash == hash, isText(known.number, equalTo: text) { return known.number }
            slot = (slot + 1) & (slots.count - 1)
        }
        bytes.append(contentsOf: text.utf8)
        ends.append(bytes.count)
        let number = Int32(clamping: ends.count)
        slots[slot] = Slot(hash: hash, number: number)
        if ends.count * 2 > slots.count { grow() }
        return number
    }

    /// Whether the text under a number has the same bytes.
    func isText(_ number: Int32, equalTo text: String) -> Bool {
        guard number != 0 else { return false }
        let range = range(of: number)
        guard range.count == text.utf8.count else { return false }
        var place = range.lowerBound
        for byte in text.utf8 {
            if bytes[place] != byte { return false }
            place += 1
        }
        return true
    }

    private func range(of number: Int32) -> Range<Int> {
        let index = Int(number) - 1
        return (index == 0 ? 0 : ends[index - 1])..<ends[index]
    }

    private mutating func grow() {
        let old = slots
        slots = [Slot](repeating: Slot(hash: 0, number: 0), count: old.count * 2)
        for entry in old where entry.number != 0 {
            var slot = Int(entry.hash) & (slots.count - 1)
            while slots[slot].number != 0 { slot = (slot + 1) & (slots.count - 1) }
            slots[slot] = entry
        }
    }
}
