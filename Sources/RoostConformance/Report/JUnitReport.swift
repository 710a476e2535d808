// SPDX-License-Identifier: Apache-2.0

/// The results as JUnit XML: a suite for each group, a case for each check.
package enum JUnitReport {
    private static let declaration = #"<?xml version="1.0" encoding="UTF-8"?>"#

    package static func text(of run: RunResult) -> String {
        let ends = run.end == nil ? 0 : 1
        var lines = [
            declaration,
            "<testsuites\(attributes("roost conform", run.results, run.duration, ends: ends))>",
        ]
        var rest = run.results[...]
        while let group = rest.first?.group {
            let results = rest.prefix { $0.group == group }
            rest = rest.dropFirst(results.count)
            let duration = results.reduce(Duration.zero) { $0 + $1.duration }
            lines.append("  <testsuite\(attributes(group, results, duration))>")
            for result in results { lines += testCase(result) }
            lines.append("  </testsuite>")
        }
        if let end = run.end { lines += failure(end) }
        lines.append("</testsuites>")
        return lines.joined(separator: "\n") + "\n"
    }

    /// Returns a suite with one failed case, so that a run that did not come to its end is no good
    /// one, whatever its results are.
    private static func failure(_ reason: String) -> [String] {
        let message = MarkupText.escaped(reason)
        return [
            "  <testsuite\(attributes("run", [], .zero, ends: 1))>",
            "    <testcase name=\"run\" classname=\"conformance.run\" time=\"0.000\">",
            "      <failure type=\"conformance\" message=\"\(message)\">\(message)</failure>",
            "    </testcase>", "  </testsuite>",
        ]
    }

    /// Returns the counts of results, with the failed cases beside them; see `failure`.
    private static func attributes(
        _ name: String, _ results: some Collection<CheckResult>, _ duration: Duration,
        ends: Int = 0
    ) -> String {
        let failed = results.count { if case .failed = $0.outcome { true } else { false } }
        let skipped = results.count {
            switch $0.outcome {
            case .skipped, .notRun: true
            case .holds, .failed: false
            }
        }
        return " name=\"\(MarkupText.escaped(name))\" tests=\"\(results.count + ends)\""
            + " failures=\"\(failed + ends)\" errors=\"0\" skipped=\"\(skipped)\""
            + " time=\"\(MarkupText.seconds(duration))\""
    }

    private static func testCase(_ result: CheckResult) -> [String] {
        let start =
            "    <testcase name=\"\(MarkupText.escaped(result.check.id))\""
            + " classname=\"conformance.\(MarkupText.escaped(result.group))\""
            + " time=\"\(MarkupText.seconds(result.duration))\""
        switch result.outcome {
        case .holds: return [start + "/>"]
        case .skipped(let reason): return [start + ">", skip(reason), "    </testcase>"]
        case .notRun: return [start + ">", skip("not run"), "    </testcase>"]
        case .failed(let expected, let seen, let transcript):
            let check = result.check
            let head = [
                "\(check.section): \(check.rule)", "expected: \(expected)", "seen: \(seen)",
            ]
            let text = (head + transcript).joined(separator: "\n")
            return [
                start + ">",
                "      <failure type=\"conformance\" message=\"\(MarkupText.escaped(expected))\">"
                    + "\(MarkupText.escaped(text))</failure>",
                "    </testcase>",
            ]
        }
    }

    private static func skip(_ reason: String) -> String {
        "      <skipped message=\"\(MarkupText.escaped(reason))\"/>"
    }
}
