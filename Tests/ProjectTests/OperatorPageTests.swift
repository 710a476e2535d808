// SPDX-License-Identifier: Apache-2.0

import Testing

/// The comparison of a server's metrics and log with the pages for its operators.
struct OperatorPageTests {
    private static let modules = ["RoostServer", "RoostHost", "RoostCluster"]

    /// The rows of the tables by the names in their first cells.
    private static func rows() throws -> [String: Substring] {
        var rows: [String: Substring] = [:]
        for page in ["docs/running-a-server.md", "docs/cluster.md"] {
            for line in try Project.text(page).split(separator: "\n") where line.hasPrefix("|") {
                let cell = line.dropFirst().prefix { $0 != "|" }
                for name in cell.matches(of: /`(\w+)`/) { rows[String(name.output.1)] = line }
            }
        }
        return rows
    }

    private static func sources() throws -> [String] {
        try modules.flatMap { try Project.swiftFiles(below: "Sources/" + $0) }
            .map { try Project.text($0) }
    }

    @Test func `each metric of a server stands in a table`() throws {
        let rows = try Self.rows()
        let names = try Self.sources().flatMap { text in
            text.matches(of: /"(roost_\w+)",\s*"(?:gauge|counter)"/).map { String($0.output.1) }
        }
        #expect(names.count > 20)
        for name in names { #expect(rows[name] != nil, "no page explains \(name)") }
    }

    @Test func `each event of a server's log stands in a table with its levels`() throws {
        let rows = try Self.rows()
        var count = 0
        for text in try Self.sources() {
            for match in text.matches(of: /\b(?:LogLine|log)\(\s*([^",]*), "(\w+)"/) {
                count += 1
                let event = String(match.output.2)
                guard let row = rows[event] else {
                    Issue.record("no page explains the event \(event)")
                    continue
                }
                for level in match.output.1.matches(of: /\.(trace|info|warning|error)\b/) {
                    #expect(row.contains(level.output.1), "\(event) without \(level.output.1)")
                }
            }
        }
        #expect(count > 15)
    }
}
