// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostTestKit
import RoostTestSupport
import Testing

/// A client whose outbox is damaged in part on the disk while it runs, in virtual time.
struct OutboxDamageTests {
    enum Course: CaseIterable {
        case goesOn, isLaunchedAgain, anotherProcessRepairs
    }

    @Test(arguments: Course.allCases)
    func `items that a salvage lost are written and sent again (scar 42)`(
        course: Course
    ) throws {
        let folder = try TemporaryFolder(inMemory: true)
        try SimulatedWorld.play(seed: 21) { world in
            let pair = try await OutboxPair(world, folder: folder.path)
            let (alice, channel) = (pair.alice, pair.channel)
            let events = await alice.outboxEvents()
            let first = try await pair.deliver("first", from: alice)
            await world.pass(.seconds(1))
            await pair.phone.network.cut()
            await world.pass()
            try await alice.edit(.delivered(first), in: channel, MessageEdit(text: "edited"))
            let texts = (0..<12).map { "\($0) " + String(repeating: "x", count: 900) }
            for text in texts { try await alice.send(text, to: channel) }
            await alice.suspend()
            let path = folder.file("simulation/alice/outbox.sqlite")
            #expect(try DamagedLeaf.destroy(0, 1, in: path).count > 4)
            var left = texts
            if course == .anotherProcessRepairs {
                let other = try await world.launch(pair.phone)
                let saved = try #require(await other.unsentMessages(in: channel).last)
                left.removeAll { $0 == saved.text }
                try await other.delete(.unsent(try #require(saved.requestID)), in: channel)
                await other.close()
                #expect(try await alice.resume() == [])
            } else {
                #expect(try await alice.resume() != [])
            }
            await world.pass(.seconds(10))
            #expect(await alice.unsentMessages(in: channel).map(\.text) == left)
            #expect(await alice.pendingChanges(in: channel).count == 1)
            var client = alice
            if course == .isLaunchedAgain {
                await alice.close()
                client = try await world.launch(pair.phone)
            }
            try await pair.connect(world, client)
            #expect(try await world.log(of: channel).map(\.text) == ["edited"] + left)
            #expect(await client.unsentMessages(in: channel).isEmpty)
            await client.close()
            await pair.bob.close()
            var canceled: [String] = []
            for await event in events {
                switch event {
                case .canceled(let message): canceled.append(message.text)
                case .changeDropped: Issue.record("\(event)")
                default: break
                }
            }
            #expect(canceled == texts.filter { !left.contains($0) })
        }
    }
}
