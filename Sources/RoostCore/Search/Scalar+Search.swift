// SPDX-License-Identifier: Apache-2.0

// Characters that stand alone, are left out, or are replaced by another.
//
// A character is looked up in `SearchForms` before.

/// The treatment of a character in a segmented text.
enum SearchRole {
    /// Part of a word or a separator, as the tokenizer decides.
    case word(Unicode.Scalar)
    /// A word by itself.
    case alone(Unicode.Scalar)
    /// Removed, as if its neighbours touched.
    case dropped

    var isDropped: Bool { if case .dropped = self { true } else { false } }
}

extension Unicode.Scalar {
    /// The treatment of this character.
    var searchRole: SearchRole {
        switch value {
        // In the order of frequency, since the cases are compared one by one.
        case 0..<0xAD, 0xAE..<0x0300: .word(self)
        case 0x4E00...0x9FFF, 0x3041...0x3096, 0x30A1...0x30FF: .alone(self)  // Han, kana
        case 0xAC00...0xD7A3, 0x0370..<0x0590, 0x0700..<0x0E00: .word(self)  // Korean to Sinhala
        case 0x0E00...0x0EFF: .alone(self)  // Thai, Lao
        case 0x0620...0x063F, 0x0641...0x064A: .word(self)  // Arabic
        case 0xAD, 0x0300...0x036F: .dropped  // Soft hyphen; accents, as in the tokenizer.
        case 0x0590...0x06FF: isPoint ? .dropped : .word(self)
        case 0x200D...0x200F, 0x202A...0x202E, 0x2060...0x2069, 0xFEFF: .dropped  // Invisible.
        case 0xFE00...0xFE0F, 0xE0000...0xE01EF: .dropped  // Variants of the previous character.
        case 0x1F3FB...0x1F3FF: .dropped  // Skin tones: a thumb is found in any colour.
        case 0x3099, 0x309A: .dropped  // Voicing marks without a voiced kana.
        case 0x2300...0x23FF, 0x2600...0x27BF, 0x2B00...0x2BFF:
            .alone(Unicode.Scalar(0xE000 + (value - 0x2300)) ?? self)
        case 0x1F000...0x1FAFF: .alone(Unicode.Scalar(0xF0000 + (value - 0x1F000)) ?? self)
        default: isOfScriptWithoutSpaces ? .alone(self) : .word(self)
        }
    }

    /// Whether the script has no spaces between words: no tokenizer without a dictionary can split
    /// it.
    private var isOfScriptWithoutSpaces: Bool {
        switch value {
        case 0x1000...0x109F, 0xA9E0...0xA9FF, 0xAA60...0xAA7F: true  // Myanmar
        case 0x1780...0x17FF: true  // Khmer
        case 0x1950...0x19DF, 0x1A20...0x1AAF, 0xAA80...0xAADF: true  // Tai
        case 0x1B00...0x1B7F, 0xA980...0xA9DF: true  // Balinese, Javanese
        case 0x2E80...0x2FDF, 0x3005...0x3007, 0x3021...0x303C: true  // Radicals, 々, 〇
        case 0x3041...0x312F, 0x31A0...0x31FF: true  // Kana, Bopomofo
        case 0x3400...0x4DBF, 0x4E00...0xA4CF, 0xF900...0xFAFF: true  // Han, Yi
        case 0x1AFF0...0x1B16F, 0x20000...0x3FFFF: true  // Rare kana and Han
        default: false
        }
    }

    /// Whether it is a Hebrew or Arabic vowel sign, which most people leave out, or the Arabic
    /// stretching stroke.
    private var isPoint: Bool {
        switch value {
        case 0x0591...0x05BD, 0x05BF, 0x05C1, 0x05C2, 0x05C4, 0x05C5, 0x05C7: true
        case 0x0610...0x061A, 0x0640, 0x064B...0x065F, 0x0670: true
        case 0x06D6...0x06DC, 0x06DF...0x06E4, 0x06E7, 0x06E8, 0x06EA...0x06ED: true
        default: false
        }
    }

    /// Whether a loose Korean letter may follow and change this one.
    var mayBeginSyllable: Bool {
        switch value {
        case 0xAC00...0xD7A3: (value - 0xAC00) % 28 == 0
        case 0x1100...0x11FF: true
        default: false
        }
    }

    /// Whether it is a loose Korean letter that follows another in a syllable.
    var isLooseVowelOrEnd: Bool { (0x1161...0x11C2).contains(value) }

    /// Returns the Korean syllable composed of this one and a loose letter; nil if there is none.
    func syllable(with letter: Unicode.Scalar) -> Unicode.Scalar? {
        switch letter.value {
        case 0x1161...0x1175:
            (0x1100...0x1112).contains(value)
                ? Unicode.Scalar(0xAC00 + ((value - 0x1100) * 21 + letter.value - 0x1161) * 28)
                : nil
        case 0x11A8...0x11C2:
            (0xAC00...0xD7A3).contains(value) && (value - 0xAC00) % 28 == 0
                ? Unicode.Scalar(value + letter.value - 0x11A7) : nil
        default: nil
        }
    }
}
