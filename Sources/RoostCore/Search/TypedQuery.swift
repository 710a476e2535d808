// SPDX-License-Identifier: Apache-2.0

/// The parsed text of a search field.
///
/// All words must occur. Words in quotation marks belong together in their order. A minus right
/// before a word or a quotation excludes it. The last word may be unfinished, unless a space
/// follows it. No other character has a meaning, so no text is an error.
package struct TypedQuery: Equatable, Sendable {
    /// A word or a quotation.
    package struct Part: Equatable, Sendable {
        package let text: String
        package let isExcluded: Bool
        package let isQuoted: Bool
        /// Whether the word may be unfinished.
        package let isUnfinished: Bool
    }

    /// More than a person types; further parts of a pasted text are ignored.
    package static let partLimit = 32

    package private(set) var parts: [Part] = []

    package init(_ typed: String) {
        var rest = typed[...].unicodeScalars
        while parts.count < Self.partLimit {
            rest = rest.drop(while: \.properties.isWhitespace)
            guard !rest.isEmpty else { return }
            let isExcluded = Self.takeMinus(&rest)
            let isQuoted = rest.first?.isQuotationMark ?? false
            if isQuoted { rest = rest.dropFirst() }
            let text = rest.prefix { scalar in
                !(scalar.isQuotationMark || (!isQuoted && scalar.properties.isWhitespace))
            }
            rest = rest[text.endIndex...]
            let isUnfinished = rest.isEmpty && !isQuoted && !isExcluded
            // A closing mark is skipped; one inside a word begins a quotation of its own.
            if isQuoted { rest = rest.dropFirst() }
            guard !text.isEmpty else { continue }
            parts.append(
                Part(
                    text: String(text), isExcluded: isExcluded, isQuoted: isQuoted,
                    isUnfinished: isUnfinished))
        }
    }

    /// Takes a minus before a word; one before a space is a dash.
    private static func takeMinus(_ rest: inout Substring.UnicodeScalarView) -> Bool {
        guard rest.first == "-", let next = rest.dropFirst().first,
            !next.properties.isWhitespace, next != "-"
        else { return false }
        rest = rest.dropFirst()
        return true
    }
}

extension Unicode.Scalar {
    /// Whether it is a quotation mark of a keyboard in one of several languages.
    fileprivate var isQuotationMark: Bool {
        switch self {
        case "\"", "“", "”", "„", "«", "»", "「", "」", "『", "』", "＂": true
        default: false
        }
    }
}
