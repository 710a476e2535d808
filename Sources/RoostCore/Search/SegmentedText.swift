// SPDX-License-Identifier: Apache-2.0

// A text as the tokenizer of the search index gets it.
//
// The tokenizer cuts words at whatever is neither letter, digit nor mark, and folds case and Latin
// accents. What it does not know is done here: scripts without spaces are cut into single characters,
// so that a phrase of them finds every part of a run; emoji become characters the tokenizer takes for
// letters, one word each; forms that look alike become one. It has to be the same for what is stored
// and for what is asked, and for ever: a deletion from the index names the words of the old text.

/// A text cut and folded for the tokenizer, and where in the original each byte comes from.
package struct SegmentedText: Hashable, Sendable {
    /// What the tokenizer reads.
    package private(set) var bytes: [UInt8] = []
    /// For each byte, the range of the original's UTF-8 it stands for.
    private var origins: [Range<Int32>] = []
    /// The last character stands alone: something has to part it from the next.
    private var isLastAlone = false
    private let keepsOrigins: Bool

    /// Segments a text and remembers origins, for highlighting; only for texts that are shown.
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

    /// The text to hand to the tokenizer; plain Latin text comes back as it is, without a copy.
    package static func segmented(_ text: String) -> String {
        if isPlain(text) { return text }
        let segmented = SegmentedText(text, keepsOrigins: false)
        return String(decoding: segmented.bytes, as: UTF8.self)
    }

    /// The range in the original that a range of `bytes` stands for.
    package func origin(of range: Range<Int>) -> Range<Int> {
        precondition(keepsOrigins && !range.isEmpty, "A token has bytes, and each its origin.")
        let first = origins[range.lowerBound]
        let last = origins[range.upperBound - 1]
        return Int(first.lowerBound)..<Int(last.upperBound)
    }

    /// Whether nothing needs to be cut or folded: Latin letters without loose accents.
    private static func isPlain(_ text: String) -> Bool {
        // SAFETY: the bytes are lent for the loop; through the view each one would be a call.
        unsafe text.utf8.withContiguousStorageIfAvailable { unsafe isPlain($0) }
            ?? isPlain(text.utf8)
    }

    private static func isPlain(_ bytes: some Sequence<UInt8>) -> Bool {
        var previous: UInt8 = 0
        for byte in bytes {
            // From 0xCC on bytes lead scalars from U+0300 on; 0xC2 0xAD is the soft hyphen.
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

/// Reads a text scalar by scalar, with loose marks and letters composed where that makes a letter.
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
