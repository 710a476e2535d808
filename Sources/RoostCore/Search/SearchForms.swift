// SPDX-License-Identifier: Apache-2.0

// The forms by which canonically equal texts become equal.
//
// Unicode writes many letters in two ways: as one character, or as a letter with marks. Keyboards,
// programs and file systems differ in their choice. The table splits a composed character into its
// parts, so that marks which a search ignores are ignored in both forms. Letters of an alphabet
// that only look like others with a mark (й, ї, が) are composed instead. Latin letters are left to
// the tokenizer. The table is our own because Foundation's grows with the system, and the words of
// an index must not change.

/// A character as the search reads it.
struct SearchForm {
    fileprivate static let scalarBits: UInt32 = 0x1F_FFFF
    fileprivate static let sequenceBit: UInt32 = 0x20_0000
    fileprivate static let baseBit: UInt32 = 0x40_0000
    fileprivate static let accentBit: UInt32 = 0x80_0000

    /// The character or the number of its sequence, three facts, and the combining class.
    fileprivate let bits: UInt32

    /// The usual form of the character; no meaning for a sequence.
    var scalar: Unicode.Scalar {
        Unicode.Scalar(bits & Self.scalarBits) ?? "\u{FFFD}"
    }

    /// Whether the character may change the one before it.
    var isBinding: Bool { combiningClass > 0 || isSequence || scalar.isLooseVowelOrEnd }

    /// Whether the character is final when none before it is held back.
    func isSettled(before next: SearchForm?) -> Bool {
        if isSequence { return false }
        guard let next, next.isBinding else { return true }
        return bits <= Self.scalarBits && !scalar.mayBeginSyllable
    }

    /// The order of a mark among those of one letter; 0 if the character is not a mark.
    var combiningClass: UInt32 { bits >> 24 }

    /// Whether the character has several parts, each with its own form.
    var isSequence: Bool { bits & Self.sequenceBit != 0 }

    /// Whether a mark may compose another letter of this one.
    var isBase: Bool { bits & Self.baseBit != 0 }

    /// Whether the mark may compose another letter of the one before.
    var isAccent: Bool { bits & Self.accentBit != 0 }
}

/// The forms of all characters.
struct SearchForms: Sendable {
    static let all = SearchForms()

    private static let pageBits: UInt32 = 5
    private static let pageSize = 1 << Int(pageBits)

    /// The number of the page of 32 characters in `entries`; the first page is that of characters
    /// without an entry.
    private var pages: [UInt8]
    private var entries: [UInt32]
    private var sequences: [[Unicode.Scalar]] = []
    private var letters: [UInt64: Unicode.Scalar] = [:]

    private init() {
        // From U+30000 on no character has an entry.
        pages = Array(repeating: 0, count: 0x3_0000 >> Int(Self.pageBits))
        entries = Array(repeating: 0, count: Self.pageSize)
        Self.read(SearchFormData.classes) { marks, numbers in
            for mark in marks { self[mark] = numbers[0] << 24 }
        }
        Self.read(SearchFormData.letters) { letter, parts in
            letters[Self.key(parts[0], parts[1])] = Unicode.Scalar(letter.lowerBound)
            self[parts[0]] |= SearchForm.baseBit
            self[parts[1]] |= SearchForm.accentBit
        }
        Self.read(SearchFormData.forms) { character, parts in
            // Another letter may be composed of the first part and a later mark, so it stays.
            let rest = parts.dropFirst().compactMap(Unicode.Scalar.init)
                .filter { !$0.searchRole.isDropped }
            if rest.isEmpty {
                self[character.lowerBound] = self[parts[0]] | parts[0]
            } else {
                self[character.lowerBound] =
                    SearchForm.sequenceBit | UInt32(truncatingIfNeeded: sequences.count)
                sequences.append((Unicode.Scalar(parts[0]).map { [$0] } ?? []) + rest)
            }
        }
        precondition(entries.count <= 256 * Self.pageSize, "A page's number is a byte.")
    }

    /// Returns the form of a character.
    subscript(_ scalar: Unicode.Scalar) -> SearchForm {
        let entry = self[scalar.value]
        return SearchForm(
            bits: entry & (SearchForm.scalarBits | SearchForm.sequenceBit) == 0
                ? entry | scalar.value : entry)
    }

    /// Returns the parts of a character whose form is a sequence.
    func parts(of form: SearchForm) -> [Unicode.Scalar] {
        sequences[Int(form.bits & SearchForm.scalarBits)]
    }

    /// Returns the letter composed of a letter and a mark; nil if there is none.
    func letter(of base: Unicode.Scalar, with mark: Unicode.Scalar) -> Unicode.Scalar? {
        letters[Self.key(base.value, mark.value)]
    }

    private subscript(_ code: UInt32) -> UInt32 {
        get {
            let page = Int(code >> Self.pageBits)
            return page < pages.count ? entries[place(of: code, onPage: page)] : 0
        }
        set {
            let page = Int(code >> Self.pageBits)
            if pages[page] == 0 {
                pages[page] = UInt8(truncatingIfNeeded: entries.count / Self.pageSize)
                entries += Array(repeating: 0, count: Self.pageSize)
            }
            entries[place(of: code, onPage: page)] = newValue
        }
    }

    private func place(of code: UInt32, onPage page: Int) -> Int {
        Int(pages[page]) * Self.pageSize + Int(code) % Self.pageSize
    }

    /// Reads entries: the number of a character or a range of them, and the numbers behind its
    /// colon.
    ///
    /// An entry without a number is that of the next character.
    private static func read(
        _ text: String, _ body: (_ codes: ClosedRange<UInt32>, _ numbers: [UInt32]) -> Void
    ) {
        var codes: ClosedRange<UInt32> = 0...0
        var numbers: [UInt32] = []
        var number: UInt32 = 0
        var first: UInt32?
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "-"):
                first = number
                number = 0
            case UInt8(ascii: ":"):
                codes = (first ?? number)...number
                number = 0
                first = nil
            case UInt8(ascii: "+"):
                numbers.append(number)
                number = 0
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                number = number << 4 | UInt32(byte - UInt8(ascii: "0"))
            case UInt8(ascii: "A")...UInt8(ascii: "F"):
                number = number << 4 | UInt32(byte - UInt8(ascii: "A") + 10)
            default:
                numbers.append(number)
                body(codes, numbers)
                codes = (codes.upperBound + 1)...(codes.upperBound + 1)
                numbers.removeAll(keepingCapacity: true)
                number = 0
            }
        }
        numbers.append(number)
        body(codes, numbers)
    }

    private static func key(_ base: UInt32, _ mark: UInt32) -> UInt64 {
        UInt64(base) << 32 | UInt64(mark)
    }
}
