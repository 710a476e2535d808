// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostCore
import RoostTestKit
import Testing

/// A client's journal has the inputs and decisions of a session, and none of its content.
struct JournalTests {
    /// A day with two losses of the link, a reaction, an edit, a deletion and a gap.
    private static func live(_ world: SimulatedWorld) async throws -> (ChatClient, ChannelURL) {
        let phone = world.device(of: "secretive-alice", pageSize: 10)
        let alice = try await world.launch(phone)
        let bob = try await world.launch(world.device(of: "bob"))
        try await alice.connect()
        try await bob.connect()
        var params = ChannelCreateParams(memberIDs: ["bob"], name: "zebra name")
        params.url = "zebra-channel"
        let url = try await alice.createChannel(params).url
        let timeline = try await alice.timeline(of: url)
        for number in 1...30 { try await bob.send("zebra text \(number)", to: url) }
        try await alice.send("zebra answer", to: url)
        await world.pass()
        try await alice.send(
            FileMessageParams(files: [OutgoingFile(.bytes(Array("zebra".utf8)), name: "zebra.txt")]
            ),
            to: url)
        _ = try await bob.send(
            .user(UserMessageParams(text: "zebra named")), to: url, as: "zebra-request")
        await world.pass()
        await phone.network.cut()
        await world.pass(.seconds(60))
        try await alice.send("zebra word from a tunnel", to: url)
        for text in ["zebra dr", "zebra draft"] {
            try await alice.saveDraft(text, at: DraftPlace(url))
        }
        try await alice.update(url, ChannelUpdateParams(name: "zebra named anew"))
        try await alice.hide(url)
        try await alice.unhide(url)
        for number in 1...40 { try await bob.send("zebra missed \(number)", to: url) }
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

    @Test func `a recorded session is replayed with the same effects, input by input`() throws {
        try SimulatedWorld.play(seed: 8) { world in
            let (alice, url) = try await Self.live(world)
            let journal = alice.journal()
            let file = try JournalFile(reading: journal.text)
            #expect(file.entries.count == alice.recording.entries.count)
            #expect(journal.name(of: url)?.hasPrefix("w") == true)
            #expect(journal.name(of: "never-seen") == nil)
            let (machine, differences) = file.replay()
            #expect(differences.first == nil)
            guard case .online? = machine?.state.link.state else {
                Issue.record("The session ends online, the replay does not.")
                return
            }
            let effects = file.entries.flatMap(\.effects).map {
                $0.description.prefix { $0 != "(" }
            }
            #expect(
                Set(effects).isSuperset(of: [
                    ".read", ".ask", ".send", ".outbox", ".commit", ".keep", ".pause", ".notice",
                    ".finish",
                ]))
            // Before the first connection nothing was up.
            guard case .idle? = file.replay(until: 1).machine?.state.link.state else {
                Issue.record("The first input has connected.")
                return
            }
        }
    }

    @Test func `no text, name, address or user stands in it`() throws {
        try SimulatedWorld.play(seed: 8) { world in
            let (alice, _) = try await Self.live(world)
            let text = alice.journal().text
            for secret in [
                "zebra", "secretive", "alice", "bob", "http", "simulated", "122,101,98,114,97",
            ] {
                #expect(!text.contains(secret), "\(secret)")
            }
        }
    }

    @Test func `a long busy day leaves a journal of bounded size (scar 163)`() throws {
        try SimulatedWorld.play(seed: 163, jobLimit: .max) { world in
            let (alice, url) = try await Self.live(world)
            for number in 1...1_000 { try await alice.send("zebra \(number)", to: url) }
            await world.pass(.seconds(600))
            let recording = alice.recording
            #expect(try #require(recording.entries.first).number > 1)
            #expect(recording.entries.count <= Recording.partLength * Recording.partLimit)
            #expect(!alice.journal().text.contains("zebra"))
            // Its beginning is gone; the rest is replayed from the machine as it was then.
            #expect(try JournalFile(reading: alice.journal().text).replay().1.first == nil)
        }
    }

    @Test func `a changed decision is reported with its input, a cut line with its number`() throws
    {
        try SimulatedWorld.play(seed: 8) { world in
            let (alice, _) = try await Self.live(world)
            let text = alice.journal().text
            let edited = text.replacing(#""prevHasMore":true"#, with: #""prevHasMore":false"#)
                .replacing(#""isContinuous":true"#, with: #""isContinuous":false"#)
            #expect(edited != text)
            let (_, differences) = try JournalFile(reading: edited).replay()
            let first = try #require(differences.first)
            #expect(first.recorded != first.replayed)
            let cut = String(text.dropLast(40))
            let lines = text.split(separator: "\n").count
            let error = #expect(throws: RoostError.self) { try JournalFile(reading: cut) }
            #expect(error?.message.contains("Line \(lines) ") == true)
        }
    }
}
