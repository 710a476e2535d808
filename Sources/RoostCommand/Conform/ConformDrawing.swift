// SPDX-License-Identifier: Apache-2.0

package import RoostCommandLine
package import RoostConformance
import RoostPages

/// The output of `roost conform`.
package struct ConformDrawing: Sendable {
    private let style: Style
    private let groups: [CheckGroup]
    private let nameWidth: Int

    package init(style: Style, groups: [CheckGroup]) {
        self.style = style
        self.groups = groups
        nameWidth = groups.flatMap(\.checks).map(\.id.count).max() ?? 0
    }

    /// The checks with sections and rules, group by group.
    package var list: [String] {
        groups.flatMap { group in
            let optional = group.isRequired ? "" : style(.quiet, " (where it is offered)")
            return [style(.strong, group.title) + optional]
                + group.checks.map { check in
                    "  \(Columns.fit(check.id, to: nameWidth))  "
                        + "\(Columns.fit(check.section, to: 4))  \(check.rule)"
                }
        }
    }

    package func title(of group: String) -> String {
        style(.strong, groups.first { $0.name == group }?.title ?? group)
    }

    /// Returns the lines about one check: one, and for a failure also its evidence.
    package func lines(of result: CheckResult) -> [String] {
        let check = result.check
        let name = Columns.fit(check.id, to: nameWidth)
        switch result.outcome {
        case .holds: return ["  \(style(.good, "✓")) \(name)  \(style(.quiet, check.section))"]
        case .skipped(let reason):
            return ["  \(style(.waiting, "–")) \(name)  \(style(.quiet, "skipped: \(reason)"))"]
        case .notRun: return ["  \(style(.quiet, "· \(name)  not run"))"]
        case .failed(let expected, let seen, let transcript):
            return [
                "  \(style(.bad, "✗ \(name)"))  \(check.section)  \(check.rule)",
                "      expected: \(expected)", "      seen:     \(seen)",
            ] + transcript.map { style(.quiet, "      | \($0)") }
        }
    }

    package func summary(of result: RunResult) -> [String] {
        var lines: [String] = []
        if let end = result.end { lines.append(style(.waiting, "\(end) The rest was not run.")) }
        if !result.leftovers.isEmpty {
            lines.append(
                style(.waiting, "Left on the server: \(result.leftovers.joined(separator: ", "))"))
        }
        let numbers =
            [
                Measures.count(result.results.count, "check"), "\(result.heldCount) hold",
                "\(result.failedCount) failed", "\(result.skippedCount) skipped",
            ] + (result.notRunCount == 0 ? [] : ["\(result.notRunCount) not run"])
        let seconds = result.duration.components.seconds
        let line = numbers.joined(separator: ", ") + " in \(seconds) s"
        return lines + [style(result.isGood ? .good : .bad, line)]
    }

    /// Returns the sentence for standard error about a run that is not good.
    package func verdict(of result: RunResult) -> String {
        if result.failedCount > 0 {
            let rules = Measures.count(result.failedCount, "rule")
            return "The server breaks \(rules) of the protocol: see above."
        }
        return result.notRunCount > 0
            ? "The run is not complete: \(result.end ?? "checks were not run.")"
            : "Nothing was checked, because each check was skipped: see above."
    }
}
