// SPDX-License-Identifier: Apache-2.0

/// The words of a search, without regard to case.
///
/// The algorithm of Knuth, Morris and Pratt reads each byte once, for any words, so every text of a
/// length costs the same. The standard library's search compares characters and decodes them again
/// at each position.
struct SearchPattern {
    private let bytes: Pattern<UInt8>
    private let characters: Pattern<Character>
    private let isPlain: Bool

    init(_ words: String) {
        let words = words.lowercased()
        bytes = Pattern(Array(words.utf8))
        characters = Pattern(Array(words))
        isPlain = words.isPlain
    }

    /// Searches a text for the words.
    ///
    /// - Returns: Whether the text has the words, and the cost of the search in bytes.
    func find(in text: String) -> (isFound: Bool, cost: Int) {
        let count = text.utf8.count
        if let isFound = bytes.find(inASCII: text) { return (isFound, count) }
        let text = text.lowercased()
        if isPlain, text.isPlain { return (bytes.find(in: text.utf8), 4 * count) }
        return (characters.find(in: text), 16 * count)
    }
}

/// A sequence of elements to search for, with the state after each mismatch.
private struct Pattern<Element: Equatable> {
    private let elements: [Element]
    /// For each length of a match, the longest shorter match with which it ends.
    private let shorter: [Int]

    init(_ elements: [Element]) {
        self.elements = elements
        var shorter = [0]
        var length = 0
        for element in elements.dropFirst() {
            while length > 0, elements[length] != element { length = shorter[length - 1] }
            if elements[length] == element { length += 1 }
            shorter.append(length)
        }
        self.shorter = shorter
    }

    /// Takes the next element.
    ///
    /// - Returns: Whether the whole pattern has matched.
    private func step(_ element: Element, _ length: inout Int) -> Bool {
        while length > 0, elements[length] != element { length = shorter[length - 1] }
        if elements[length] == element { length += 1 }
        return length == elements.count
    }

    func find(in row: some Sequence<Element>) -> Bool {
        guard !elements.isEmpty else { return true }
        var length = 0
        for element in row where step(element, &length) { return true }
        return false
    }
}

extension Pattern where Element == UInt8 {
    /// Returns whether an ASCII text has the pattern, without regard to case; nil for another text.
    fileprivate func find(inASCII text: String) -> Bool? {
        var length = 0
        var isFound = elements.isEmpty
        for byte in text.utf8 {
            guard byte < 0x80 else { return nil }
            guard !isFound else { continue }
            let isUpper = byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z")
            isFound = step(isUpper ? byte | 0x20 : byte, &length)
        }
        return isFound
    }
}

extension String {
    /// Whether the text has a single encoding, so that equal texts have equal bytes.
    fileprivate var isPlain: Bool {
        unicodeScalars.allSatisfy { scalar in
            switch scalar.value {
            case 0..<0x300: true
            // Jamo, which also occur as syllables, and signs with a canonical equivalent.
            case 0x1100..<0x1200, 0x2000..<0x2002, 0x2126, 0x212A, 0x212B, 0x2329, 0x232A,
                0xF900..<0xFB00, 0x2F800..<0x2FA20:
                false
            // Greek signs and letters with a twin.
            case 0x374, 0x37E, 0x387, 0x1F00..<0x2000: false
            // Letters that also occur as two letters: Bengali, Odia, Tamil, Kannada, Malayalam,
            // Sinhala, Tibetan, Burmese, Balinese, and scripts of the same kind.
            case 0x9CB, 0x9CC, 0xB48, 0xB4B, 0xB4C, 0xB94, 0xBCA...0xBCC, 0xCC0, 0xCC7...0xCCB,
                0xD4A...0xD4C, 0xDDC...0xDDE, 0xF43, 0xF4D, 0xF52, 0xF57, 0xF5C, 0xF69, 0xF93,
                0xF9D, 0xFA2, 0xFA7, 0xFAC, 0xFB9, 0x1026, 0x1B06...0x1B12, 0x1B3B...0x1B43,
                0x11000..<0x12000:
                false
            default: scalar.properties.canonicalCombiningClass == .notReordered
            }
        }
    }
}
