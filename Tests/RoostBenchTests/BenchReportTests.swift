// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import RoostBench

struct BenchReportTests {
    private static var report: BenchReport {
        var report = BenchReport()
        report.bench = "cache"
        report.subject = "a \"subject\""
        report.note("machine", "2 × processor")
        report.add("W1", "store", "µs", ours: 12.5, limit: 7, target: 2)
        report.add("W2", "open", "µs", ours: 1e-7, limit: nil)
        report.add(
            "W3", "page", "µs", ours: 4, limit: 3,
            peers: [BenchReport.Peer(name: "rows", cost: 1.5)], size: 10_000)
        report.add("W4", "detail", "µs", ours: nil, limit: 3, isDetail: true)
        return report
    }

    @Test func `figures return from their JSON`() throws {
        #expect(try BenchReport(json: Self.report.json) == Self.report)
    }

    @Test func `each row is a line of its own`() {
        let lines = Self.report.json.split(separator: "\n")
        #expect(lines.filter { $0.hasPrefix(#"{"workload""#) }.count == 4)
    }

    @Test(arguments: [
        "", "[]", "{}", #"{"bench":"x","run":{}}"#, #"{"bench":1,"run":{},"rows":[]}"#,
        #"{"bench":"x","run":{"a":1},"rows":[]}"#, #"{"bench":"x","run":{},"rows":[{}]}"#,
        #"{"bench":"x","run":{},"rows":[{"workload":"","name":"","unit":"","peers":[{}]}]}"#,
    ])
    func `a text that is no report is refused`(text: String) {
        #expect(throws: BenchError.self) { try BenchReport(json: text) }
    }

    @Test func `a figure that is no number is missing`() throws {
        let row = #"{"workload":"W1","name":"","unit":"","ours":"x","limit":null,"target":1e999}"#
        let report = try BenchReport(json: #"{"bench":"x","run":{},"rows":[\#(row)]}"#)
        #expect(report.rows.map(\.ours) == [nil])
        #expect(report.rows.map(\.limit) == [nil])
        #expect(report.rows.map(\.target) == [nil])
    }

    @Test func `a page gets pictures, conditions and a table between its marks`() throws {
        let page = "before\n\(FigurePage.begin)\nold\n\(FigurePage.end)\nbehind\n"
        let figures = FigurePage([Self.report], pictures: "pictures")
        let new = try figures.replaced(in: page)
        #expect(new.hasPrefix("before\n\(FigurePage.begin)\n\n![A \"subject\"]("))
        #expect(new.hasSuffix("\(FigurePage.end)\nbehind\n"))
        #expect(new.contains("(pictures/bench-cache.svg)"))
        #expect(new.contains("| cache | W1 | store | 12.5 µs | 7.00 | 1.79 | ≤ 2 |  |"))
        #expect(!new.contains("old"))
        #expect(new.contains("| ours / limit | 10,000 messages |"))
        #expect(new.contains("| W3 · page, µs | 4.00 / 3.00 |"))
        #expect(!new.contains("W4"))
        #expect(try figures.replaced(in: new) == new)
    }

    @Test(arguments: ["", FigurePage.begin, "\(FigurePage.end) \(FigurePage.begin)"])
    func `a page without both marks in order is refused`(page: String) {
        #expect(throws: BenchError.self) {
            try FigurePage([Self.report], pictures: "pictures").replaced(in: page)
        }
    }
}
