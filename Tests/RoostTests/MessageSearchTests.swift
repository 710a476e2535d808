// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostTestKit
import Testing

/// An app's search without a network.
struct MessageSearchTests {
    @Test
    func `without a link words are found, marked and paged, and uncached periods named (idea 5)`()
        throws
    {
        try SimulatedWorld.play(seed: 1) { world in
            let device = world.device(of: "alice")
            let client = try await world.launch(device)
            try await client.connect()
            let channel = try await client.createChannel(
                ChannelCreateParams(memberIDs: [], name: "harbour")
            ).url
            for text in ["the red boat", "a boat at dawn", "\u{6E2F}\u{53E3}\u{7684}\u{8239}"] {
                try await client.send(text, to: channel)
            }
            await world.pass()
            await device.network.cut()

            let page = try await client.search(MessageSearch("boat", limit: 1))
            let match = try #require(page.matches.first)
            #expect(match.message.text == "a boat at dawn")
            #expect(match.highlights.map { match.snippet[$0] } == ["boat"])
            #expect(!match.isCutBefore && !match.isCutAfter)
            let rest = try await client.search(try #require(page.next))
            #expect(rest.matches.map(\.message.text) == ["the red boat"])

            let chinese = try await client.search(MessageSearch("\u{6E2F}\u{53E3}", in: [channel]))
            #expect(chinese.matches.count == 1)
            // A newer message may exist.
            #expect(Set(chinese.unseen.map(\.channel)) == [channel])
            #expect(chinese.unseen.last?.through == .distantFuture)

            let nobody = try await client.search(MessageSearch("boat", by: [UserID("bob")]))
            #expect(nobody.matches.isEmpty && nobody.next == nil)
            await #expect(throws: RoostError.self) {
                _ = try await client.search(MessageSearch("boat", limit: 0))
            }
            await client.close()
        }
    }
}
