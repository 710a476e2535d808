// SPDX-License-Identifier: Apache-2.0

internal import RoostWire

/// The reason why a measurement failed.
package struct BenchError: Error, Hashable, Sendable {
    /// A sentence with the remedy.
    package let message: String
    init(_ message: String) { self.message = message }
}

/// The figures of a benchmark.
package struct BenchReport: Hashable, Sendable {
    /// One figure of both sides; each is a cost, so less is better.
    package struct Row: Hashable, Sendable {
        package enum Verdict: String, Hashable, Sendable {
            case met
            case missed
            /// The figure has no target.
            case shown
            /// The store does not have the feature yet.
            case notBuilt = "not built"
        }

        /// `W1` to `W8`, or `scaling` or `memory`.
        package let workload: String
        package let name: String
        package let unit: String
        package let ours: Double?
        package let limit: Double?
        /// The greatest allowed cost of ours, as a multiple of the limit.
        package let target: Double?

        package var ratio: Double? {
            guard let ours, let limit, limit > 0 else { return nil }
            return ours / limit
        }

        package var verdict: Verdict {
            guard ours != nil else { return .notBuilt }
            guard let target, let ratio else { return .shown }
            return ratio <= target ? .met : .missed
        }
    }

    /// One condition of the run.
    package struct Fact: Hashable, Sendable {
        package let name: String
        package let value: String
    }

    package internal(set) var facts: [Fact] = []
    package internal(set) var rows: [Row] = []

    mutating func note(_ name: String, _ value: String) {
        facts.append(Fact(name: name, value: value))
    }

    mutating func add(
        _ workload: String, _ name: String, _ unit: String, ours: Double?, limit: Double?,
        target: Double? = nil
    ) {
        rows.append(
            Row(
                workload: workload, name: name, unit: unit, ours: ours, limit: limit,
                target: target))
    }

    /// Adds a row for the elapsed time, with the target, and one for the processor time.
    mutating func add(
        _ workload: String, _ name: String, _ unit: String, _ rounds: Rounds, target: Double?
    ) {
        add(
            workload, name, unit, ours: rounds.ours.wall.median, limit: rounds.limit.wall.median,
            target: target)
        add(
            workload, "\(name); processor time", unit, ours: rounds.ours.processor.median,
            limit: rounds.limit.processor.median)
        guard !rounds.limitSearching.isEmpty else { return }
        add(
            workload, "\(name); with search", unit, ours: rounds.oursSearching.wall.median,
            limit: rounds.limitSearching.wall.median, target: target)
        add(
            workload, "\(name); with search; processor time", unit,
            ours: rounds.oursSearching.processor.median,
            limit: rounds.limitSearching.processor.median)
    }

    /// The report as a Markdown table.
    package var table: String {
        var lines = facts.map { "- \($0.name): \($0.value)" }
        lines.append("")
        let heads = ["", "workload", "unit", "ours", "limit", "ratio", "target", "verdict"]
        let cells = rows.map { row in
            [
                row.workload, row.name, row.unit, row.ours.shown, row.limit.shown, row.ratio.shown,
                row.target.map { "≤ \($0)" } ?? "", row.verdict.rawValue,
            ]
        }
        let widths = heads.indices.map { column in
            ([heads] + cells).map { $0[column].count }.max() ?? 0
        }
        func line(_ cells: [String]) -> String {
            let padded = zip(cells, widths).map { cell, width in
                cell + String(repeating: " ", count: width - cell.count)
            }
            return "| " + padded.joined(separator: " | ") + " |"
        }
        lines.append(line(heads))
        lines.append(line(widths.map { String(repeating: "-", count: $0) }))
        lines += cells.map(line)
        return lines.joined(separator: "\n")
    }

    /// The report as one JSON object.
    package var json: String {
        var writer = JSONWriter()
        writer.object { writer in
            writer.object("run") { writer in
                for fact in facts { writer.field(fact.name, fact.value) }
            }
            writer.array("rows") { writer in
                for row in rows {
                    writer.object { writer in
                        writer.field("workload", row.workload)
                        writer.field("name", row.name)
                        writer.field("unit", row.unit)
                        writer.field("ours", raw: row.ours.json)
                        writer.field("limit", raw: row.limit.json)
                        writer.field("ratio", raw: row.ratio.json)
                        writer.field("target", raw: row.target.json)
                        writer.field("verdict", row.verdict.rawValue)
                    }
                }
            }
        }
        return writer.text
    }
}

extension Double? {
    fileprivate var json: String { map { $0.isFinite ? String($0) : "null" } ?? "null" }

    /// The value with three significant figures.
    fileprivate var shown: String {
        guard let value = self, value.isFinite else { return "–" }
        switch abs(value) {
        case 100...: return String(Int(value.rounded()))
        case 10..<100: return String((value * 10).rounded() / 10)
        default: return String((value * 100).rounded() / 100)
        }
    }
}
