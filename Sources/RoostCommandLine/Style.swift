// SPDX-License-Identifier: Apache-2.0

/// Colours and weights, if the terminal has them.
package struct Style: Hashable, Sendable {
    package enum Role: Sendable {
        case good
        case bad
        case quiet
        case strong
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
