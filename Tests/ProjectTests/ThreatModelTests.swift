// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The comparison of `docs/threat-model.md` with the tests that it names.
struct ThreatModelTests {
    /// A row of a table of promises: its text, and the tests of its last column.
    private struct Promise {
        let text: String
        let tests: [String]
    }

    private static func promises() throws -> [Promise] {
        try Project.text("docs/threat-model.md").split(separator: "\n").compactMap { line in
            let cells = line.split(separator: "|", omittingEmptySubsequences: false)
                .map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 5, cells[3] != "tests", !cells[1].hasPrefix("---") else {
                return nil
            }
            let names = cells[3].matches(of: /`([^`]+)`/).map { String($0.output.1) }
            return Promise(text: cells[2], tests: names)
        }
    }

    /// Returns the names of suites, and of the attacks that the scripts run from outside.
    private static func knownNames() throws -> Set<String> {
        var names: Set<String> = []
        for file in try Project.swiftFiles(below: "Tests") {
            let text = try Project.text(file)
            names.formUnion(text.matches(of: /struct (\w+Tests)\b/).map { String($0.output.1) })
        }
        for file in ["users.py", "servers.py"] {
            let text = try Project.text("Tests/Attacks/" + file)
            names.formUnion(text.matches(of: /@attack\("([^"]+)"\)/).map { String($0.output.1) })
        }
        return names
    }

    @Test func `each promise names existing tests`() throws {
        let (promises, known) = (try Self.promises(), try Self.knownNames())
        #expect(promises.count >= 40)
        for promise in promises {
            #expect(!promise.tests.isEmpty, "no test shows: \(promise.text)")
            for test in promise.tests {
                #expect(known.contains(test), "no test is called \(test): \(promise.text)")
            }
        }
    }
}
