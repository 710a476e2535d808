// SPDX-License-Identifier: Apache-2.0

/// One place of text on a terminal: a character with its marks, or letters that are joined.
public struct TextUnit: Hashable, Sendable {
    /// One spacing character, followed by at most three marks; or such letters, between joiners.
    public internal(set) var text: String
    /// The columns that it takes: 1 or 2, or one for each joined letter.
    public internal(set) var columns: Int
    /// Whether a line may be broken behind it.
    var isSpace: Bool { text == " " }
}

/// Text of other people, made harmless for a terminal.
///
/// Control characters are shown as pictures, so no escape sequence reaches the terminal. Characters
/// that change the direction of other text, and invisible ones, are left out. The order of all
/// others stays as written: terminals that know right-to-left scripts turn them around themselves.
/// A joiner (U+200D) stays between letters that it changes. An emoji of several parts is shown as
/// its parts, because terminals disagree about its width.
public enum SafeText {
    /// Returns the text without line ends, which become spaces.
    public static func line(_ text: String) -> [TextUnit] {
        var units: [TextUnit] = []
        for paragraph in paragraphs(text) {
            if !units.isEmpty { units.append(TextUnit(text: " ", columns: 1)) }
            units += paragraph
        }
        return units
    }

    /// The characters of which a row of the largest screen shows a part at most.
    static let rowScalars = 4_000

    /// Returns the start of a text without line ends, for one row of the screen.
    ///
    /// A text of 64 kB costs no more than that.
    static func row(_ text: String) -> [TextUnit] {
        line(String(text.unicodeScalars.prefix(rowScalars)))
    }

    /// Returns the text's lines, not wrapped.
    public static func paragraphs(_ text: String) -> [[TextUnit]] {
        var units = UnitAssembly()
        var isAfterReturn = false
        for scalar in text.unicodeScalars {
            defer { isAfterReturn = scalar == "\r" }
            switch kind(of: scalar) {
            // The two characters of one line end.
            case .lineEnd: if scalar != "\n" || !isAfterReturn { units.endLine() }
            case .hidden: continue
            case .shown(let text, let columns): units.append(text, columns: columns)
            case .letter: units.append(letter: scalar)
            case .tab: for _ in 0..<4 { units.append(" ", columns: 1) }
            case .mark: units.append(mark: scalar)
            case .joiner: units.appendJoiner()
            }
        }
        return units.end()
    }

    private enum Kind {
        case shown(String, columns: Int)
        /// A letter of a script with joiners.
        case letter
        case mark
        case joiner
        case hidden
        case tab
        case lineEnd
    }

    private static func kind(of scalar: Unicode.Scalar) -> Kind {
        switch scalar.value {
        case 0x20..<0x7F: return .shown(String(scalar), columns: 1)
        case 0x0A, 0x0D, 0x85, 0x2028, 0x2029: return .lineEnd
        case 0x09: return .tab
        // The pictures of control characters.
        case 0x00..<0x20:
            let picture = Unicode.Scalar(0x2400 + scalar.value) ?? "\u{FFFD}"
            return .shown(String(picture), columns: 1)
        case 0x7F: return .shown("\u{2421}", columns: 1)
        case 0x80..<0xA0: return .shown("\u{FFFD}", columns: 1)
        case 0xA0: return .shown(" ", columns: 1)
        // A soft hyphen; variants of colour and skin; filler characters without a picture.
        case 0xAD, 0xFE00...0xFE0F, 0x1F3FB...0x1F3FF, 0x115F, 0x1160, 0x3164, 0xFFA0, 0x2800:
            return .hidden
        // Persian and Indic scripts need it between letters.
        case 0x200C: return .mark
        case 0x200D: return .joiner
        default: break
        }
        switch scalar.properties.generalCategory {
        case .control, .format: return .hidden
        case .unassigned, .surrogate: return .shown("\u{FFFD}", columns: 1)
        case .lineSeparator, .paragraphSeparator: return .lineEnd
        case .spaceSeparator where ColumnWidth.of(scalar) == 1: return .shown(" ", columns: 1)
        default:
            let columns = ColumnWidth.of(scalar)
            if columns == 1, UnitAssembly.canJoin(scalar) { return .letter }
            return columns == 0 ? .mark : .shown(String(scalar), columns: columns)
        }
    }
}

extension [TextUnit] {
    /// The columns of all units.
    public var columns: Int { reduce(0) { $0 + $1.columns } }

    /// Returns the units that fit, the last of them an ellipsis if some do not.
    public func fitted(to columns: Int) -> [TextUnit] {
        guard self.columns > columns else { return self }
        guard columns > 0 else { return [] }
        var fitted: [TextUnit] = []
        var rest = columns - 1
        for unit in self {
            guard unit.columns <= rest else { break }
            rest -= unit.columns
            fitted.append(unit)
        }
        return fitted + [TextUnit(text: "…", columns: 1)]
    }

    /// Returns as many of the last units as fit.
    ///
    /// - Complexity: O(n) for n units of the result; those before it cost nothing.
    func suffix(fitting columns: Int) -> [TextUnit] {
        var start = endIndex
        var rest = columns
        while start > startIndex, self[start - 1].columns <= rest {
            start -= 1
            rest -= self[start].columns
        }
        return Array(self[start...])
    }

    /// Returns lines that fit, broken behind spaces, or within words that are too long.
    public func wrapped(to columns: Int) -> [[TextUnit]] {
        guard columns >= 2 else { return [fitted(to: columns)] }
        var lines: [[TextUnit]] = []
        var (line, used): ([TextUnit], Int) = ([], 0)
        for unit in self {
            if used + unit.columns > columns {
                if unit.isSpace {
                    // The space at the end of a full line is its break.
                    lines.append(line)
                    (line, used) = ([], 0)
                    continue
                }
                let word = line.lastIndex(where: \.isSpace).map { line.index(after: $0) } ?? 0
                if word > 0, word < line.count || line.last?.isSpace == true {
                    let rest = Array(line[word...])
                    lines.append(Array(line[..<(word - 1)]))
                    line = rest
                } else {
                    lines.append(line)
                    line = []
                }
                used = line.columns
                if used + unit.columns > columns {
                    lines.append(line)
                    (line, used) = ([], 0)
                }
            }
            line.append(unit)
            used += unit.columns
        }
        return lines + [line]
    }
}
