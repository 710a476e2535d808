// SPDX-License-Identifier: Apache-2.0

/// Colours and weights of printed texts, if the terminal has them.
///
/// Called as a function: `style(.bad, "seed 7")`.
package struct Style: Hashable, Sendable {
    /// The meaning of a text, which decides its colour.
    package enum Role: Sendable {
        /// A success.
        case good
        /// A failure.
        case bad
        /// A detail that the reader may skip.
        case quiet
        /// A title, or the hit of a search.
        case strong
        /// Work that is not done yet, or a finding.
        case waiting
    }

    package let hasColor: Bool

    package init(hasColor: Bool) {
        self.hasColor = hasColor
    }

    /// Enables colour on a terminal unless `NO_COLOR` is set (no-color.org).
    package init(isTerminal: Bool, environment: [String: String]) {
        let refuses = environment["NO_COLOR"].map { !$0.isEmpty } ?? false
        hasColor = isTerminal && !refuses && environment["TERM"] != "dumb"
    }

    /// Returns the text in its colour; unchanged without colours.
    package func callAsFunction(_ role: Role, _ text: String) -> String {
        guard hasColor else { return text }
        let code =
            switch role {
            case .good: "32"
            case .bad: "1;31"
            case .quiet: "2"
            case .strong: "1"
            case .waiting: "33"
            }
        return "\u{1B}[\(code)m\(text)\u{1B}[0m"
    }
}
