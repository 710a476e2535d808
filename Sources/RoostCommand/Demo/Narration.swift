// SPDX-License-Identifier: Apache-2.0

package import RoostCommandLine

/// The reason for the demo's end: a failed step, an interruption, or output without a reader.
package enum DemoFailure: Error, Hashable, Sendable {
    case expected(String, seen: String)
    case interrupted
    /// A line could not be written.
    case unread

    /// Returns the first difference between two lists that should be equal.
    package static func different(
        _ what: String, expected: [String], seen: [String]
    ) -> DemoFailure {
        let common = zip(expected, seen).prefix { $0 == $1 }.count
        func entry(_ list: [String]) -> String {
            common < list.count ? "“\(list[common])”" : "nothing more"
        }
        return .expected(
            "\(what): \(expected.count) messages, number \(common + 1) being \(entry(expected))",
            seen: "\(seen.count) messages, number \(common + 1) being \(entry(seen))")
    }
}

/// The texts of the demo: chapters, steps with a tick or a cross, and the summary.
package struct Narration: Sendable {
    private let style: Style

    package init(style: Style) {
        self.style = style
    }

    package func chapter(_ title: String) -> String { "\n\(style(.strong, title))" }

    package func held(_ step: String) -> String { "  \(style(.good, "✓")) \(step)" }

    package func broke(_ step: String, _ failure: DemoFailure) -> String {
        switch failure {
        case .interrupted, .unread: return "  \(style(.waiting, "–")) \(step): interrupted"
        case .expected(let expected, let seen):
            return """
                  \(style(.bad, "✗ \(step)"))
                      expected: \(expected)
                      seen:     \(seen)
                """
        }
    }

    package func summary(_ counts: [(count: Int, of: String)], took duration: Duration) -> String {
        let parts = counts.map { "\($0.count) \($0.of)" } + [Self.seconds(duration)]
        return "\n\(style(.good, "All held:")) \(parts.joined(separator: ", "))."
    }

    /// Returns a duration such as `12.3 s`.
    package static func seconds(_ duration: Duration) -> String {
        let tenths = (duration + .milliseconds(50)) / .milliseconds(100)
        let whole = Int(tenths)
        return "\(whole / 10).\(whole % 10) s"
    }
}
