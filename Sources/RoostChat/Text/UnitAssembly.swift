// SPDX-License-Identifier: Apache-2.0

/// Puts harmless characters together to units.
///
/// A joiner changes the letters at its sides: it makes one sign of two Sinhala or Devanagari letters,
/// and connects Arabic ones. Some terminals draw both letters in one column and others in two, and
/// some give a joiner without a second letter the next character of any other text. So a joiner
/// stays between two letters only, and makes them one unit with a column for each of them.
struct UnitAssembly {
    /// The most marks of one character; more would be drawn over other lines.
    private static let maxMarks = 3
    /// The most letters of a unit, which no line end divides.
    static let maxLetters = 4
    static let joiner: Unicode.Scalar = "\u{200D}"

    private var lines: [[TextUnit]] = [[]]
    /// The marks of the last character.
    private var marks = 0
    /// Whether the last character is a letter that a joiner may follow.
    private var isBehindLetter = false
    /// A joiner with the marks behind it, until a letter comes.
    private var waiting: [Unicode.Scalar] = []

    /// Whether joiners change a letter: of Arabic and its relatives, or of the scripts of India.
    static func canJoin(_ scalar: Unicode.Scalar) -> Bool {
        0x600...0xDFF ~= scalar.value && scalar.properties.generalCategory == .otherLetter
    }

    mutating func endLine() {
        giveUpJoiner()
        lines.append([])
        (marks, isBehindLetter) = (0, false)
    }

    mutating func append(_ text: String, columns: Int) {
        giveUpJoiner()
        lines[lines.count - 1].append(TextUnit(text: text, columns: columns))
        (marks, isBehindLetter) = (0, false)
    }

    mutating func append(letter: Unicode.Scalar) {
        let last = lines[lines.count - 1].count - 1
        if waiting.isEmpty || lines[lines.count - 1][last].columns == Self.maxLetters {
            append(String(letter), columns: 1)
        } else {
            lines[lines.count - 1][last].text.unicodeScalars += waiting + [letter]
            lines[lines.count - 1][last].columns += 1
            (waiting, marks) = ([], 0)
        }
        isBehindLetter = true
    }

    mutating func append(mark: Unicode.Scalar) {
        marks += 1
        guard marks <= Self.maxMarks else { return }
        if !waiting.isEmpty {
            waiting.append(mark)
            return
        }
        if lines[lines.count - 1].isEmpty {
            lines[lines.count - 1].append(TextUnit(text: "\u{25CC}", columns: 1))
        }
        let last = lines[lines.count - 1].count - 1
        lines[lines.count - 1][last].text.unicodeScalars.append(mark)
    }

    mutating func appendJoiner() {
        if isBehindLetter, waiting.isEmpty { waiting = [Self.joiner] }
    }

    /// Returns the lines.
    mutating func end() -> [[TextUnit]] {
        giveUpJoiner()
        return lines
    }

    /// Leaves out a joiner that no letter follows; its marks belong to the letter before.
    private mutating func giveUpJoiner() {
        guard !waiting.isEmpty else { return }
        let last = lines[lines.count - 1].count - 1
        lines[lines.count - 1][last].text.unicodeScalars += waiting.dropFirst()
        waiting = []
    }
}
