// SPDX-License-Identifier: Apache-2.0

internal import RoostWire

// The report as data: written by `--json` and `--svg`, read by `draw`.

extension BenchReport {
    /// The report as one JSON object, with each row on a line of its own.
    package var json: String {
        var run = JSONWriter()
        run.object { writer in
            for fact in facts { writer.field(fact.name, fact.value) }
        }
        var name = JSONWriter()
        name.string(bench)
        var subject = JSONWriter()
        subject.string(self.subject)
        return """
            {"bench":\(name.text),
            "subject":\(subject.text),
            "run":\(run.text),
            "rows":[
            \(rows.map(\.json).joined(separator: ",\n"))
            ]}
            """
    }

    /// Reads what `json` has written; verdicts and ratios are computed anew.
    ///
    /// - Throws: An error if the text is no report.
    package init(json text: String) throws(BenchError) {
        let value: JSONValue
        do throws(WireError) {
            value = try JSONValue(parsing: text)
        } catch {
            throw BenchError("These are no figures of roost-bench: \(error)")
        }
        guard let bench = value["bench"]?.string, case .object(let facts)? = value["run"],
            let rows = value["rows"]?.array
        else { throw BenchError("These are no figures of roost-bench: a field is missing.") }
        self.bench = bench
        subject = value["subject"]?.string ?? ""
        for fact in facts {
            guard let text = fact.value.string else {
                throw BenchError("The condition \(fact.name) is no text.")
            }
            note(fact.name, text)
        }
        for row in rows { self.rows.append(try Row(row)) }
    }
}

extension BenchReport.Row {
    fileprivate init(_ value: JSONValue) throws(BenchError) {
        guard let workload = value["workload"]?.string, let name = value["name"]?.string,
            let unit = value["unit"]?.string
        else { throw BenchError("A row of the figures lacks its workload, name or unit.") }
        self.init(
            workload: workload, name: name, unit: unit, ours: value["ours"]?.double,
            limit: value["limit"]?.double, target: value["target"]?.double)
        for peer in value["peers"]?.array ?? [] {
            guard let name = peer["name"]?.string, let cost = peer["cost"]?.double else {
                throw BenchError("A peer of \(workload) lacks its name or cost.")
            }
            peers.append(BenchReport.Peer(name: name, cost: cost))
        }
        size = value["size"]?.int.flatMap { Int(exactly: $0) }
        isDetail = value["detail"]?.bool ?? false
    }

    fileprivate var json: String {
        var writer = JSONWriter()
        writer.object { writer in
            writer.field("workload", workload)
            writer.field("name", name)
            writer.field("unit", unit)
            if let size { writer.field("size", size) }
            writer.field("ours", raw: ours.json)
            writer.field("limit", raw: limit.json)
            writer.field("ratio", raw: ratio.json)
            writer.field("target", raw: target.json)
            writer.field("verdict", verdict.rawValue)
            if !peers.isEmpty {
                writer.array("peers") { writer in
                    for peer in peers {
                        writer.object { writer in
                            writer.field("name", peer.name)
                            writer.field("cost", raw: Double?(peer.cost).json)
                        }
                    }
                }
            }
            if isDetail { writer.field("detail", true) }
        }
        return writer.text
    }
}

extension Double? {
    fileprivate var json: String { map { $0.isFinite ? String($0) : "null" } ?? "null" }
}

extension JSONValue {
    /// The number of this value; nil for any other value.
    fileprivate var double: Double? {
        switch self {
        case .int(let whole): Double(whole)
        case .number(let text): Double(text).flatMap { $0.isFinite ? $0 : nil }
        case .null, .bool, .string, .array, .object: nil
        }
    }
}
