// SPDX-License-Identifier: Apache-2.0

import RoostCommandLine
import RoostHost
import RoostModel
import RoostRequests
import RoostWire

/// The decoders of JSON that scripts and files give to the command `roost`.
enum CommandTargets {
    static let all = [requests, plans]

    // MARK: Requests of `roost client`

    private static let requests = FuzzTarget(
        "client-requests",
        samples: Request.Name.allCases.map { sample($0) }
            + [Request.Name.allCases.map { sample($0) }.joined(), "\r\n\n{\"request\":\"quit\"}"]
    ) { input in
        let lines = split(input.pieces())
        guard lines == split(input.bytes.map { [$0] }) else {
            return "A line depends on how the input is cut."
        }
        for line in lines {
            if let complaint = complaint(about: line) { return complaint }
        }
        return nil
    }

    /// A line with all fields of a request.
    private static func sample(_ name: Request.Name) -> String {
        let fields = name.fields.map { field in
            JSONValue.Field(field, values[field] ?? .string("text of \(field)"))
        }
        let first: [JSONValue.Field] = [
            .init("id", .int(1)), .init("request", .string(name.rawValue)),
        ]
        return JSONValue.object(first + fields).text + "\n"
    }

    /// The values of the fields that are no free text.
    private static let values: [String: JSONValue] = [
        "members": ["bo", "cy"], "distinct": true, "anew": true, "auto_unhide": false,
        "starting_at": 1_700_000_000_000, "message_id": 7, "thread": 8, "limit": 3,
        "through": 1_700_000_000_000, "trigger": "mention_only", "from": "beginning",
    ]

    private static func split(_ pieces: [[UInt8]]) -> [LineSplitter.Line] {
        var splitter = LineSplitter()
        var lines: [LineSplitter.Line] = []
        for piece in pieces { lines += splitter.split(piece) }
        if let last = splitter.finish() { lines.append(last) }
        return lines
    }

    private static func complaint(about line: LineSplitter.Line) -> String? {
        let read = RequestLine(line)
        switch read.outcome {
        case .failure(let error):
            let isNamed = [.malformedData, .invalidParameter].contains(error.code)
            return isNamed && !error.message.isEmpty
                ? nil : "A line that cannot be read is answered with \(error)."
        case .success(let request):
            guard case .text(let bytes) = line,
                case .object(let fields)? = try? JSONValue(parsing: bytes)
            else { return "A line without an object is a request." }
            guard outcome(of: fields) == request else {
                return "A request is another one after another encoding."
            }
            return outcome(of: fields + [.init("an unknown field", .null)]) == nil
                ? nil : "A request with an unknown field is performed."
        }
    }

    private static func outcome(of fields: [JSONValue.Field]) -> Request? {
        try? RequestLine(.text(Array(JSONValue.object(fields).text.utf8))).outcome.get()
    }

    // MARK: Plans of `roost serve --chaos`

    private static let plans = FuzzTarget(
        "chaos-plans",
        samples: [
            #"{"seed":42,"most":7,"rates":{\#(rates)},"faults":[{"kind":"lost-ack","user":"ann","nth":3},"#
                + #"{"kind":"http-error","nth":1000000}],"delay_ms":{"least":0,"most":60000},"#
                + #""step_ms":{"least":5,"most":5},"busy_s":{"least":1,"most":60}}"#,
            #"{"rates":{"restart":1,"half-open":0.0,"slow-page":1e-3}}"#, "{}",
        ]
    ) { input in
        let plan: ChaosPlan
        do throws(ChaosPlanError) {
            plan = try ChaosPlan(json: input.bytes)
        } catch {
            return error.reason.isEmpty ? "A refusal has no reason." : nil
        }
        guard isWithinBounds(plan) else { return "A plan exceeds its bounds." }
        var (one, other) = (ChaosMachine(plan), ChaosMachine(plan))
        for occasion in ChaosOccasion.allCases {
            for user in ["ann", "", "bo"] {
                guard one.decide(occasion, of: user) == other.decide(occasion, of: user) else {
                    return "A plan decides otherwise the second time."
                }
            }
        }
        return nil
    }

    private static let rates = ChaosKind.allCases
        .map { "\"\($0.rawValue)\":0.5" }.joined(separator: ",")

    private static func isWithinBounds(_ plan: ChaosPlan) -> Bool {
        plan.seed <= UInt64(ChaosPlan.seeds.upperBound)
            && plan.rates.values.allSatisfy { (0...1).contains($0) }
            && plan.faults.count <= ChaosPlan.faultLimit
            && plan.faults.allSatisfy { ChaosPlan.places.contains(Int64($0.place)) }
            && (0...1_000_000).contains(plan.most ?? 0)
            && ChaosPlan.delays.contains(plan.delayMS.lowerBound)
            && ChaosPlan.delays.contains(plan.delayMS.upperBound)
            && ChaosPlan.steps.contains(plan.stepMS.lowerBound)
            && ChaosPlan.steps.contains(plan.stepMS.upperBound)
            && ChaosPlan.pauses.contains(plan.busySeconds.lowerBound)
            && ChaosPlan.pauses.contains(plan.busySeconds.upperBound)
    }
}
