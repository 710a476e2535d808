// SPDX-License-Identifier: Apache-2.0

// A text in the form for the tokenizer of the search index.
//
// The tokenizer splits words at all characters but letters, digits and marks, and folds case and
// Latin accents. This type does the rest. Scripts without spaces are split into single characters,
// so that a phrase of them finds every part of a run. Emoji become characters that the tokenizer
// takes for letters, one word each. Look-alikes become equal, and so do canonically equal texts.
// Stored texts and queries need the same form, and it must never change: a deletion from the index
// names the words of the old text. A change needs a new `SearchIndex.format`.

/// A text split and folded for the tokenizer, with the origin of each byte in the original.
package struct SegmentedText: Equatable, Sendable {
    /// The input of the tokenizer.
    package private(set) var bytes: [UInt8] = []
    /// The range in the original's UTF-8 of each byte.
    private var origins: [Range<Int32>] = []
    /// Whether the last character stands alone and needs a separator before the next.
    private var isLastAlone = false
    private let keepsOrigins: Bool

    /// Segments a text with origins for highlighting; only for texts that are shown.
    package init(_ text: String) {
        self.init(text, keepsOrigins: true)
    }

    private init(_ text: String, keepsOrigins: Bool) {
        self.keepsOrigins = keepsOrigins
        bytes.reserveCapacity(text.utf8.count * 3 / 2)
        var letters = LetterReader(text)
        while let letter = letters.next() {
            switch letter.scalar.searchRole {
            case .dropped: break
            case .word(let folded): write(folded, from: letter.range, isAlone: false)
            case .alone(let folded): write(folded, from: letter.range, isAlone: true)
            }
        }
    }

    /// Returns the text for the tokenizer; plain Latin text is returned unchanged, without a copy.
    package static func segmented(_ text: String) -> String {
        if isPlain(text) { return text }
        let segmented = SegmentedText(text, keepsOrigins: false)
        return String(decoding: segmented.bytes, as: UTF8.self)
    }

    /// Returns the range in the original of a range of `bytes`.
    package func origin(of range: Range<Int>) -> Range<Int> {
        precondition(keepsOrigins && !range.isEmpty, "A token has bytes, and each its origin.")
        let first = origins[range.lowerBound]
        let last = origins[range.upperBound - 1]
        return Int(first.lowerBound)..<Int(last.upperBound)
    }

    /// Returns whether the text needs no splitting or folding: Latin letters without loose accents,
    /// and none of those that the tokenizer does not fold (U+01E0 to U+01FF).
    private static func isPlain(_ text: String) -> Bool {
        // SAFETY: the bytes are lent for the loop; through the view each one would be a call.
        unsafe text.utf8.withContiguousStorageIfAvailable { unsafe isPlain($0) }
            ?? isPlain(text.utf8)
    }

    private static func isPlain(_ bytes: some Sequence<UInt8>) -> Bool {
        var previous: UInt8 = 0
        for byte in bytes {
            // From 0xCC on bytes begin scalars from U+0300 on, and 0xC7 those from U+01C0 to
            // U+01FF; 0xC2 0xAD is the soft hyphen.
            if byte >= 0xC7, byte == 0xC7 || byte >= 0xCC { return false }
            if byte == 0xAD, previous == 0xC2 { return false }
            previous = byte
        }
        return true
    }

    private mutating func write(
        _ scalar: Unicode.Scalar, from range: Range<Int32>, isAlone: Bool
    ) {
        if isAlone || isLastAlone { append(0x20, from: range.lowerBound..<range.lowerBound) }
        isLastAlone = isAlone
        let value = scalar.value
        switch value {
        case 0..<0x80: append(value, from: range)
        case 0x80..<0x800:
            append(0xC0 | value >> 6, from: range)
            append(0x80 | value & 0x3F, from: range)
        case 0x800..<0x10000:
            append(0xE0 | value >> 12, from: range)
            append(0x80 | value >> 6 & 0x3F, from: range)
            append(0x80 | value & 0x3F, from: range)
        default:
            append(0xF0 | value >> 18, from: range)
            append(0x80 | value >> 12 & 0x3F, from: range)
            append(0x80 | value >> 6 & 0x3F, from: range)
            append(0x80 | value & 0x3F, from: range)
        }
    }

    private mutating func append(_ byte: UInt32, from range: Range<Int32>) {
        bytes.append(UInt8(truncatingIfNeeded: byte))
        if keepsOrigins { origins.append(range) }
    }
}
