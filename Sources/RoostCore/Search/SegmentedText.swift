// SPDX-License-Identifier: Apache-2.0

// A text in the form for the tokenizer of the search index.
//
// The tokenizer splits words at all characters but letters, digits and marks, and folds case and
// Latin accents. This type does the rest. Scripts without spaces are split into single characters,
// so that a phrase of them finds every part of a run. Emoji become characters that the tokenizer
// takes for letters, one word each. Look-alikes become equal. Stored texts and queries need the
// same form, and it must never change: a deletion from the index names the words of the old text.

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
        var scalars = ScalarReader(text)
        while let (scalar, range) = scalars.next() {
            switch scalar.searchRole {
            case .dropped: break
            case .word(let folded): write(folded, from: range, isAlone: false)
            case .alone(let folded): write(folded, from: range, isAlone: true)
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

    /// Returns whether the text needs no splitting or folding: Latin letters without loose accents.
    private static func isPlain(_ text: String) -> Bool {
        // SAFETY: the bytes are lent for the loop; through the view each one would be a call.
        unsafe text.utf8.withContiguousStorageIfAvailable { unsafe isPlain($0) }
            ?? isPlain(text.utf8)
    }

    private static func isPlain(_ bytes: some Sequence<UInt8>) -> Bool {
        var previous: UInt8 = 0
        for byte in bytes {
            // From 0xCC on bytes begin scalars from U+0300 on; 0xC2 0xAD is the soft hyphen.
            if byte >= 0xCC || byte == 0xAD && previous == 0xC2 { return false }
            previous = byte
        }
        return true
    }

    private mutating func write(
        _ scalar: Unicode.Scalar, from range: Range<Int32>, isAlone: Bool
    ) {
        if isAlone || isLastAlone { append(0x20, from: range.lowerBound..<range.lowerBound) }
        isLastAlone = isAlone
        for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter {
            append(byte, from: range)
        }
    }

    private mutating func append(_ byte: UInt8, from range: Range<Int32>) {
        bytes.append(byte)
        if keepsOrigins { origins.append(range) }
    }
}

/// A reader of a text's scalars that composes loose marks and letters where that makes a letter.
private struct ScalarReader {
    private var scalars: String.UnicodeScalarView.Iterator
    private var offset: Int32 = 0
    private var ahead: Unicode.Scalar?

    init(_ text: String) {
        scalars = text.unicodeScalars.makeIterator()
        ahead = scalars.next()
    }

    mutating func next() -> (scalar: Unicode.Scalar, range: Range<Int32>)? {
        guard let first = take() else { return nil }
        let start = offset - Int32(UTF8.width(first))
        var scalar = first.widened
        while let mark = ahead, let composed = scalar.composed(with: mark) {
            scalar = composed
            _ = take()
        }
        return (scalar, start..<offset)
    }

    private mutating func take() -> Unicode.Scalar? {
        guard let scalar = ahead else { return nil }
        offset += Int32(UTF8.width(scalar))
        ahead = scalars.next()
        return scalar
    }
}
