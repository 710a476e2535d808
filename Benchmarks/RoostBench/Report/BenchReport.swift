// SPDX-License-Identifier: Apache-2.0

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
        /// The same work done in other ways, in turns of their own in the same run.
        package var peers: [Peer] = []
        /// The number of messages in the cache, for a cost that is measured at several sizes.
        package var size: Int?
        /// Whether the row explains another one, so that pictures leave it out.
        package var isDetail = false

        package var ratio: Double? { multiple(of: ours) }

        package var verdict: Verdict {
            guard ours != nil else { return .notBuilt }
            guard let target, let ratio else { return .shown }
            return ratio <= target ? .met : .missed
        }

        /// Returns a cost as a multiple of the limit.
        func multiple(of cost: Double?) -> Double? {
            guard let cost, let limit, limit > 0 else { return nil }
            return cost / limit
        }

        /// The name with the size, for a table.
        var fullName: String {
            size.map { "\(name); \(FigureText.number(Double($0))) messages" } ?? name
        }
    }

    /// The cost of the same work done in another way.
    package struct Peer: Hashable, Sendable {
        package let name: String
        package let cost: Double
    }

    /// One condition of the run.
    package struct Fact: Hashable, Sendable {
        package let name: String
        package let value: String
    }

    /// The subcommand that measured, such as `cache`.
    package internal(set) var bench = ""
    /// The subject of the measurement, in a few words.
    package internal(set) var subject = ""
    package internal(set) var facts: [Fact] = []
    package internal(set) var rows: [Row] = []

    mutating func note(_ name: String, _ value: String) {
        facts.append(Fact(name: name, value: value))
    }

    /// Returns the value of a condition.
    func fact(_ name: String) -> String? { facts.first { $0.name == name }?.value }

    mutating func add(
        _ workload: String, _ name: String, _ unit: String, ours: Double?, limit: Double?,
        target: Double? = nil, peers: [Peer] = [], size: Int? = nil, isDetail: Bool = false
    ) {
        rows.append(
            Row(
                workload: workload, name: name, unit: unit, ours: ours, limit: limit,
                target: target, peers: peers, size: size, isDetail: isDetail))
    }

    /// Adds a row for the elapsed time, with the target, and one for the processor time.
    mutating func add(
        _ workload: String, _ name: String, _ unit: String, _ rounds: Rounds, target: Double?
    ) {
        add(
            workload, name, unit, ours: rounds.ours.wall.median, limit: rounds.limit.wall.median,
            target: target, peers: rounds.peers.costs)
        add(
            workload, "\(name); processor time", unit, ours: rounds.ours.processor.median,
            limit: rounds.limit.processor.median, isDetail: true)
        guard !rounds.limitSearching.isEmpty else { return }
        add(
            workload, "\(name); with search", unit, ours: rounds.oursSearching.wall.median,
            limit: rounds.limitSearching.wall.median, target: target)
        add(
            workload, "\(name); with search; processor time", unit,
            ours: rounds.oursSearching.processor.median,
            limit: rounds.limitSearching.processor.median, isDetail: true)
    }

    /// Brings the rows in the order of their workloads; those of one workload stay in theirs.
    mutating func sortRows(by workloads: [String]) {
        let others = rows.filter { !workloads.contains($0.workload) }
        rows = workloads.flatMap { workload in rows.filter { $0.workload == workload } } + others
    }

    /// The report as a Markdown table.
    package var table: String {
        var lines = facts.map { "- \($0.name): \($0.value)" }
        lines.append("")
        let heads = [
            "", "workload", "unit", "ours", "limit", "ratio", "target", "verdict", "peers",
        ]
        let cells = rows.map { row in
            [
                row.workload, row.fullName, row.unit, FigureText.number(row.ours),
                FigureText.number(row.limit), FigureText.number(row.ratio),
                row.target.map { "≤ \($0)" } ?? "", row.verdict.rawValue, row.peerText,
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
}

extension BenchReport.Row {
    /// The peers with their costs, such as `rows of JSON 30.1, files 12.0`.
    var peerText: String {
        peers.map { "\($0.name) \(FigureText.number($0.cost))" }.joined(separator: ", ")
    }
}

/// Numbers for people.
enum FigureText {
    /// Returns a number with three significant figures, or with all of its whole ones; a dash for
    /// none.
    static func number(_ value: Double?) -> String {
        guard let value, value.isFinite else { return "–" }
        switch abs(value) {
        case 1e15...: return "\(value)"
        case 100...: return fixed(value, decimals: 0)
        case 10..<100: return fixed(value, decimals: 1)
        case 0.1..<10: return fixed(value, decimals: 2)
        case 0.01..<0.1: return fixed(value, decimals: 3)
        case 0: return "0"
        case ..<1e-6: return "\(value)"
        default: return fixed(value, decimals: 6)
        }
    }

    /// Returns a number without zeros behind its last digit, as for an axis.
    static func short(_ value: Double) -> String {
        guard abs(value) < 1e15, value == value.rounded() else { return "\(value)" }
        return fixed(value, decimals: 0)
    }

    /// Returns a number of at most 1e15 with so many decimal places.
    private static func fixed(_ value: Double, decimals: Int) -> String {
        let factor = (0..<decimals).reduce(1) { power, _ in power * 10 }
        let scaled = (abs(value) * Double(factor)).rounded()
        let (whole, rest) = Int(scaled).quotientAndRemainder(dividingBy: factor)
        let sign = value < 0 && scaled > 0 ? "-" : ""
        guard decimals > 0 else { return sign + grouped(whole) }
        let digits = String(rest)
        return sign + grouped(whole) + "."
            + String(repeating: "0", count: decimals - digits.utf8.count) + digits
    }

    /// Returns a whole number with a comma before each three digits.
    private static func grouped(_ whole: Int) -> String {
        var text = ""
        for (place, digit) in String(whole).reversed().enumerated() {
            if place > 0, place.isMultiple(of: 3) { text.append(",") }
            text.append(digit)
        }
        return String(text.reversed())
    }
}
