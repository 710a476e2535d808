// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostCore
import RoostTestKit
import Testing

/// A client's journal: the way to the shown state, without content.
struct JournalTests {
    /// Runs a day with two losses of the link, a reaction, an edit, a deletion and a gap.
    private static func live(_ world: SimulatedWorld) async throws -> (ChatClient, ChannelURL) {
        let phone = world.device(of: "secretive-alice", pageSize: 10)
        let alice = try await world.launch(phone)
        let bob = try await world.launch(world.device(of: "bob"))
        try await alice.connect()
        try await bob.connect()
        var params = ChannelCreateParams(memberIDs: ["bob"], name: "hidden name")
        params.url = "hidden-channel"
        let url = try await alice.createChannel(params).url
        let timeline = try await alice.timeline(of: url)
        for number in 1...30 { try await bob.send("hidden text \(number)", to: url) }
        try await alice.send("hidden answer", to: url)
        await world.pass()
        await phone.network.cut()
        await world.pass(.seconds(60))
        try await alice.send("hidden word from a tunnel", to: url)
        for number in 1...40 { try await bob.send("hidden missed \(number)", to: url) }
        await world.pass()
        phone.network.restore()
        try await alice.connect()
        await world.pass()
        try await timeline.loadOlder()
        await alice.appMoved(toForeground: false)
        await world.pass(.seconds(60))
        await alice.appMoved(toForeground: true)
        await world.pass()
        return (alice, url)
    }

    @Test func `a journal replays with the same decisions, step by step`() throws {
        try SimulatedWorld.play(seed: 8) { world in
            let (alice, url) = try await Self.live(world)
            let file = try JournalFile(reading: alice.journal())
            #expect(file == JournalFile(alice.journalRecord))
            #expect(alice.journalNumber(of: url) != nil)
            let (state, differing) = file.replay()
            #expect(differing.isEmpty)
            guard case .online = state.link.state else {
                Issue.record("The life ends online, the replay \(state.link.state).")
                return
            }
            let kinds = Set(file.entries.map { $0.summary.prefix { $0 != ":" } })
            #expect(kinds.isSuperset(of: ["link", "outbox", "disk", "call", "frame"]))
            // Up to any step: before the first connection no link was up.
            #expect(file.replay(until: 1).state.link.state != state.link.state)
        }
    }

    @Test func `a journal has no text, name, address or user ID`() throws {
        try SimulatedWorld.play(seed: 8) { world in
            let (alice, _) = try await Self.live(world)
            let text = alice.journal()
            for secret in ["hidden", "secretive", "alice", "bob", "http", "simulated"] {
                #expect(!text.contains(secret), "\(secret)")
            }
        }
    }

    @Test func `a long busy day leaves a journal of bounded size (scar 163)`() throws {
        try SimulatedWorld.play(seed: 163, jobLimit: .max) { world in
            let (alice, url) = try await Self.live(world)
            for number in 1...1_500 { try await alice.send("hidden \(number)", to: url) }
            await world.pass(.seconds(600))
            let file = JournalFile(alice.journalRecord)
            #expect(file.droppedCount > 0)
            #expect(file.entries.count == SyncRecord.capacity)
            #expect(file.text.utf8.count < SyncRecord.capacity * 400)
            #expect(!file.text.contains("hidden"))
        }
    }

    @Test func `an edited journal is detected at the step, a cut one at the line`() throws {
        try SimulatedWorld.play(seed: 8) { world in
            let (alice, _) = try await Self.live(world)
            let text = alice.journal()
            let edited = text.replacing(
                #""isDisturbed":false"#, with: #""isDisturbed":true"#
            ).replacing(#""retryCount":-1"#, with: #""retryCount":0"#)
            #expect(edited != text)
            #expect(try !JournalFile(reading: edited).replay().differing.isEmpty)
            let cut = String(text.dropLast(40))
            let lines = text.split(separator: "\n").count
            let error = #expect(throws: RoostError.self) { try JournalFile(reading: cut) }
            #expect(error?.message.contains("Line \(lines) ") == true)
        }
    }
}
