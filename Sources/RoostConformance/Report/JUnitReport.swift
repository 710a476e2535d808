// SPDX-License-Identifier: Apache-2.0

/// The results as JUnit XML: a suite for each group, a case for each check.
package enum JUnitReport {
    private static let declaration = #"<?xml version="1.0" encoding="UTF-8"?>"#

    package static func text(of run: RunResult) -> String {
        if run.results.isEmpty, let end = run.end {
            return ([declaration] + failure(end)).joined(separator: "\n") + "\n"
        }
        var lines = [
            declaration,
            "<testsuites\(attributes("roost conform", run.results, run.duration))>",
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
        lines.append("</testsuites>")
        return lines.joined(separator: "\n") + "\n"
    }

    /// Returns one failed case with the reason why there are no results.
    private static func failure(_ reason: String) -> [String] {
        let counts = "tests=\"1\" failures=\"1\" errors=\"0\" skipped=\"0\" time=\"0.000\""
        let message = MarkupText.escaped(reason)
        return [
            "<testsuites name=\"roost conform\" \(counts)>",
            "  <testsuite name=\"run\" \(counts)>",
            "    <testcase name=\"run\" classname=\"conformance.run\" time=\"0.000\">",
            "      <failure type=\"conformance\" message=\"\(message)\">\(message)</failure>",
            "    </testcase>", "  </testsuite>", "</testsuites>",
        ]
    }

    private static func attributes(
        _ name: String, _ results: some Collection<CheckResult>, _ duration: Duration
    ) -> String {
        let failed = results.count { if case .failed = $0.outcome { true } else { false } }
        let skipped = results.count {
            switch $0.outcome {
            case .skipped, .notRun: true
            case .holds, .failed: false
            }
        }
        return " name=\"\(MarkupText.escaped(name))\" tests=\"\(results.count)\""
            + " failures=\"\(failed)\" errors=\"0\" skipped=\"\(skipped)\""
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
