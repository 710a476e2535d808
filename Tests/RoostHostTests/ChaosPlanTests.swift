// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostHost
import Testing

struct ChaosPlanTests {
    private static func plan(_ text: String) throws(ChaosPlanError) -> ChaosPlan {
        try ChaosPlan(json: Array(text.utf8))
    }

    @Test func `a plan has the values of its file`() throws {
        let plan = try Self.plan(
            #"""
            {"seed": 42, "most": 7, "rates": {"lost-ack": 0.25, "restart": 1, "half-open": 0},
             "faults": [{"kind": "lost-ack", "user": "ann", "nth": 3},
                        {"kind": "http-error", "nth": 1000000},
                        {"kind": "http-error", "user": "", "nth": 1}],
             "delay_ms": {"least": 0, "most": 60000}, "step_ms": {"least": 5, "most": 5},
             "busy_s": {"least": 1, "most": 60}}
            """#)
        var wanted = ChaosPlan(seed: 42)
        wanted.most = 7
        wanted.rates = [.lostAcknowledgement: 0.25, .restart: 1, .halfOpen: 0]
        wanted.faults = [
            .init(.lostAcknowledgement, user: "ann", nth: 3), .init(.httpError, nth: 1_000_000),
            .init(.httpError, user: "", nth: 1),
        ]
        wanted.delayMS = 0...60_000
        wanted.stepMS = 5...5
        wanted.busySeconds = 1...60
        #expect(plan == wanted)
    }

    @Test func `an empty plan makes no faults and has a seed`() throws {
        #expect(try Self.plan("{}") == ChaosPlan(seed: 1))
    }

    @Test(arguments: [
        ("", "", "no JSON"), (#"{"seed":1"#, "", "no JSON"), ("[]", "", "An object"),
        (#"{"sead":1}"#, "sead", "allowed: seed, rates, faults, most"),
        (#"{"seed":-1}"#, "seed", "from 0 to 9007199254740991"),
        (#"{"seed":9007199254740992}"#, "seed", "from 0 to 9007199254740991"),
        (#"{"seed":1.5}"#, "seed", "whole number"), (#"{"seed":"1"}"#, "seed", "whole number"),
        (#"{"most":1000001}"#, "most", "from 0 to 1000000"),
        (#"{"rates":[]}"#, "rates", "object"),
        (#"{"rates":{"lost-akk":0.1}}"#, "rates.lost-akk", "allowed: late-ack, lost-ack"),
        (#"{"rates":{"lost-ack":1.01}}"#, "rates.lost-ack", "from 0 to 1"),
        (#"{"rates":{"lost-ack":-0.1}}"#, "rates.lost-ack", "from 0 to 1"),
        (#"{"rates":{"lost-ack":1e999}}"#, "rates.lost-ack", "from 0 to 1"),
        (#"{"rates":{"lost-ack":true}}"#, "rates.lost-ack", "from 0 to 1"),
        (#"{"faults":{}}"#, "faults", "at most 1000"), (#"{"faults":[1]}"#, "faults[0]", "object"),
        (#"{"faults":[{"kind":"restart"}]}"#, "faults[0]", "needs kind and nth"),
        (#"{"faults":[{"kind":"restart","nth":0}]}"#, "faults[0].nth", "from 1 to 1000000"),
        (
            #"{"faults":[{"kind":"restart","nth":1},{"kind":"x","nth":1}]}"#, "faults[1].kind",
            "allowed: late-ack"
        ),
        (#"{"faults":[{"kind":"restart","nth":1,"user":1}]}"#, "faults[0].user", "0 to 256"),
        (
            #"{"faults":[{"kind":"restart","at":1}]}"#, "faults[0].at", "allowed: kind, user, nth"
        ),
        (#"{"delay_ms":5}"#, "delay_ms", "object"),
        (#"{"delay_ms":{"least":5}}"#, "delay_ms", "least and most"),
        (#"{"delay_ms":{"least":5,"most":4}}"#, "delay_ms", "the least first"),
        (#"{"delay_ms":{"least":5,"most":60001}}"#, "delay_ms.most", "from 0 to 60000"),
        (#"{"step_ms":{"least":0,"most":1}}"#, "step_ms.least", "from 1 to 3600000"),
        (#"{"busy_s":{"least":1,"most":61}}"#, "busy_s.most", "from 1 to 60"),
    ])
    func `a wrong plan names the place and the allowed values`(
        text: String, place: String, reason: String
    ) throws {
        let error = #expect(throws: ChaosPlanError.self) { try Self.plan(text) }
        #expect(error?.place == place)
        #expect(error?.reason.contains(reason) == true, "\(error?.description ?? "")")
        #expect(error?.description.hasPrefix(place) == true)
    }

    @Test func `a plan has bounds on its size`() {
        let fault = #"{"kind":"restart","nth":1}"#
        let many = Array(repeating: fault, count: 1_001).joined(separator: ",")
        let error = #expect(throws: ChaosPlanError.self) {
            try Self.plan(#"{"faults":[\#(many)]}"#)
        }
        #expect(error?.place == "faults")
        let long = String(repeating: " ", count: ChaosPlan.fileBytes)
        #expect(throws: ChaosPlanError.self) { try Self.plan("{}" + long) }
    }

    /// The page about faults.
    private static func page() throws -> String {
        let root = URL(filePath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        return try String(contentsOf: root.appending(path: "docs/chaos.md"), encoding: .utf8)
    }

    @Test func `the plan on the page can be read, and has the defaults that the page names`()
        throws
    {
        let block = try #require(try Self.page().firstMatch(of: /```json\n((?s:.*?))```/))
        let plan = try Self.plan(String(block.output.1))
        let standard = ChaosPlan(seed: 42)
        #expect(plan.seed == 42 && plan.most == 100)
        #expect(plan.rates == [.lateAcknowledgement: 0.1, .halfOpen: 0.01, .shortPage: 0.5])
        #expect(plan.faults.count == 2)
        #expect(plan.delayMS == standard.delayMS)
        #expect(plan.stepMS == standard.stepMS)
        #expect(plan.busySeconds == standard.busySeconds)
    }

    @Test func `the page has every kind with its standard rate`() throws {
        let rows = try Self.page().matches(of: /(?m)^\| `([a-z-]+)` \|.*\| ([0-9.]+) \|$/)
            .prefix(ChaosKind.allCases.count)
        #expect(rows.map { String($0.output.1) } == ChaosKind.allCases.map(\.rawValue))
        #expect(rows.map { Double($0.output.2) } == ChaosKind.allCases.map(\.standardRate))
    }

    @Test func `the standard plan has every kind but ended tokens, at a rate that lets work pass`()
    {
        let plan = ChaosPlan.standard(seed: 3)
        #expect(plan.seed == 3)
        #expect(plan.faults.isEmpty)
        for kind in ChaosKind.allCases {
            let rate = plan.rates[kind] ?? -1
            #expect(kind == .expiredToken ? rate == 0 : 0 < rate && rate <= 0.2, "\(kind)")
        }
    }
}
