// SPDX-License-Identifier: Apache-2.0

import RoostWire
import Testing

/// The health of a client in lines of `roost client`.
struct HealthCommandTests {
    private static let client = [
        "client", "--server", "http://127.0.0.1:9", "--app-id", "demo", "--user", "ada", "--cache",
        "cache",
    ]

    @Test func `without a server the health names the unsent message and the next attempt`()
        async throws
    {
        let program = try Program()
        let outcome = try await program.run(
            Self.client + ["--health"],
            input: [
                #"{"id":1,"request":"health"}"#, #"{"id":2,"request":"connect"}"#,
                #"{"id":3,"request":"send","text":"one","channel":"c"}"#,
                #"{"id":4,"request":"health"}"#, #"{"id":5,"request":"quit"}"#,
            ])
        #expect(outcome.status == 0, "\(outcome.errors)")
        let lines = try outcome.output.map { try JSONValue(parsing: $0) }
        let answers = lines.filter { $0["event"] == nil }.map { $0["result"] }
        #expect(answers[0]?["connection"]?["state"] == "disconnected")
        #expect(answers[0]?["outbox"]?["oldest"] == JSONValue.null)
        let health = try #require(answers[3])
        #expect(health["settled"] == false)
        #expect(health["connection"]?["state"] == "waiting")
        #expect(health["connection"]?["next_attempt"]?.int != nil)
        #expect(health["connection"]?["error"]?["remedy"] == "retry")
        #expect(health["outbox"]?["pending"] == 1)
        #expect(health["outbox"]?["oldest"]?["waits_for"] == "connection")
        #expect((health["cache"]?["bytes"]?.int ?? 0) > 0)
        #expect(health["metrics"]?["roost_client_outbox_pending"] == 1)
        #expect(health["summary"]?.string?.contains("1 unsent") == true)
        let events = lines.filter { $0["event"] == "health" }
        #expect(!events.isEmpty)
        #expect(events.allSatisfy { $0["metrics"] == nil && $0["summary"] != nil })
        try program.remove()
    }

    @Test func `health is no event unless it is asked for`() async throws {
        let program = try Program()
        let outcome = try await program.run(Self.client, input: [#"{"id":1,"request":"health"}"#])
        #expect(outcome.status == 0)
        #expect(!outcome.output.contains { $0.contains(#""event":"health""#) })
        try program.remove()
    }
}
