// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostDiskSimulation
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

    @Test func `an opening that fails after a repair reports the repair (scar 42)`() throws {
        let original = try TemporaryFolder(inMemory: true)
        try SimulatedWorld.play(seed: 22) { world in
            let alice = try await world.launch(world.device(of: "alice", folder: original.path))
            for number in 0..<12 {
                try await alice.send("\(number) " + String(repeating: "x", count: 900), to: "c")
            }
            await alice.close()
            _ = try DamagedLeaf.destroy(0, 1, in: original.file("simulation/alice/outbox.sqlite"))
            var reports = 0
            for place in 1...500 {
                let folder = try TemporaryFolder(inMemory: true)
                try FileManager.default.copyItem(
                    atPath: original.file("simulation"), toPath: folder.file("simulation"))
                let disk = SimulatedDisk(folder.path)
                disk.plan(
                    SimulatedDisk.Fault(
                        .read, of: "cache.sqlite", nth: place, code: 266, lasts: true))
                let phone = world.device(of: "alice", folder: folder.path)
                do throws(RoostError) {
                    let client = try await world.launch(phone)
                    let isUntouched = disk.hits == 0
                    disk.plan(nil)
                    await client.close()
                    if isUntouched { break }
                } catch {
                    let names = try FileManager.default.contentsOfDirectory(
                        atPath: folder.file("simulation/alice"))
                    guard names.contains(where: { $0.hasPrefix("outbox.sqlite.damaged") })
                    else { continue }
                    #expect(error.message.contains("unsent messages was damaged"), "\(error)")
                    reports += 1
                }
            }
            #expect(reports > 0)
        }
    }
}
