// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostDiskSimulation
import RoostExecutors
import RoostSQLite
import RoostTestKit
import RoostTestSupport
import Testing

/// Unsent items while the disk fails, in virtual time.
struct OutboxDiskTests {
    @Test func `a removal that the disk refused is repeated later (scars 67, 81)`() throws {
        let folder = try TemporaryFolder(inMemory: true)
        let disk = SimulatedDisk(folder.path)
        try SimulatedWorld.play(seed: 11) { world in
            let pair = try await OutboxPair(world, folder: folder.path)
            let (alice, channel) = (pair.alice, pair.channel)
            let timeline = try await alice.timeline(of: channel)
            await world.pass()
            try await alice.send("once", to: channel)
            disk.plan(SimulatedDisk.Fault(.write, of: "outbox", code: 778, lasts: true))
            await world.pass(.seconds(60))
            #expect(try await world.log(of: channel).map(\.text) == ["once"])
            #expect(await alice.unsentMessages(in: channel).isEmpty)
            // The outbox holds up no message of another user.
            try await pair.bob.send("meanwhile", to: channel)
            await world.pass()
            let shown = await timeline.snapshot.messages
            #expect(shown.map(\.text) == ["once", "meanwhile"])
            #expect(shown.allSatisfy { $0.status == .succeeded })
            #expect(disk.hits > 0)
            disk.plan(nil)
            await world.pass(.seconds(60))
            await alice.close()
            let again = try await world.launch(pair.phone)
            #expect(await again.unsentMessages(in: channel).isEmpty)
            try await pair.connect(world, again)
            #expect(try await world.log(of: channel).map(\.text) == ["once", "meanwhile"])
            await again.close()
            await pair.bob.close()
        }
    }

    @Test func `a cancellation that the disk refuses is not reported as done (scar 65)`()
        throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        let disk = SimulatedDisk(folder.path)
        try SimulatedWorld.play(seed: 10) { world in
            let pair = try await OutboxPair(world, folder: folder.path)
            let (alice, channel) = (pair.alice, pair.channel)
            await pair.phone.network.cut()
            await world.pass()
            let id = try #require(try await alice.send("stays", to: channel).requestID)
            disk.plan(SimulatedDisk.Fault(.write, code: 778, lasts: true))
            await #expect(throws: RoostError.self) {
                try await alice.delete(.unsent(id), in: channel)
            }
            await #expect(throws: RoostError.self) {
                try await alice.edit(.unsent(id), in: channel, MessageEdit(text: "changed"))
            }
            #expect(await alice.unsentMessages(in: channel).map(\.text) == ["stays"])
            disk.plan(nil)
            try await pair.connect(world, alice)
            #expect(try await world.log(of: channel).map(\.text) == ["stays"])
            await pair.close()
        }
    }

    @Test func `a resent item waits although the disk refused the change (scar 65)`() throws {
        let folder = try TemporaryFolder(inMemory: true)
        let disk = SimulatedDisk(folder.path)
        try SimulatedWorld.play(seed: 12) { world in
            let pair = try await OutboxPair(world, folder: folder.path)
            let (alice, channel) = (pair.alice, pair.channel)
            await pair.phone.network.cut()
            let id = try #require(try await alice.send("late", to: channel).requestID)
            try await alice.send("later", to: channel)
            pair.phone.clockError.milliseconds += 4 * 86_400_000
            try await pair.connect(world, alice)
            #expect(await alice.failedMessages(in: channel).count == 2)
            await pair.phone.network.cut()
            await world.pass()
            disk.plan(SimulatedDisk.Fault(.write, code: 778, lasts: true))
            #expect(await alice.resend(id))
            await world.pass(.seconds(30))
            #expect(await alice.unsentMessages(in: channel).map(\.status).contains(.pending))
            #expect(disk.hits > 0)
            disk.plan(nil)
            await world.pass(.seconds(30))
            #expect(await alice.unsentMessages(in: channel).map(\.text) == ["later", "late"])
            await alice.close()
            let again = try await world.launch(pair.phone)
            let kept = await again.unsentMessages(in: channel)
            // It is behind the other one.
            #expect(kept.map(\.text) == ["later", "late"])
            #expect(kept.map(\.status) == [.failed, .pending])
            try await pair.connect(world, again)
            #expect(try await world.log(of: channel).map(\.requestID) == [id])
            await again.close()
            await pair.bob.close()
        }
    }

    @Test func `a refused note does not undo a resend by hand (scar 65)`()
        throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        let disk = SimulatedDisk(folder.path)
        try SimulatedWorld.play(seed: 14) { world in
            let pair = try await OutboxPair(world, folder: folder.path)
            let (alice, channel) = (pair.alice, pair.channel)
            await pair.phone.network.cut()
            let id = try #require(try await alice.send("late", to: channel).requestID)
            pair.phone.clockError.milliseconds += 4 * 86_400_000
            disk.plan(SimulatedDisk.Fault(.write, code: 778, lasts: true))
            pair.phone.network.restore()
            await world.pass(.seconds(60))
            #expect(await alice.failedMessages(in: channel).count == 1)
            await pair.phone.network.cut()
            await world.pass()
            // Before the disk has the note of the failure.
            #expect(disk.hits > 0)
            disk.plan(nil)
            #expect(await alice.resend(id))
            await world.pass(.seconds(30))
            await alice.close()
            let again = try await world.launch(pair.phone)
            #expect(await again.unsentMessages(in: channel).map(\.status) == [.pending])
            try await pair.connect(world, again)
            #expect(try await world.log(of: channel).map(\.requestID) == [id])
            await again.close()
            await pair.bob.close()
        }
    }

    @Test func `of two writes in flight the older, refused one does not undo the newer (scar 65)`()
        throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        let disk = SimulatedDisk(folder.path)
        try SimulatedWorld.play(seed: 15) { world in
            let pair = try await OutboxPair(world, folder: folder.path)
            let (alice, channel) = (pair.alice, pair.channel)
            await pair.phone.network.cut()
            await world.pass()
            let id = try #require(try await alice.send("late", to: channel).requestID)
            pair.phone.clockError.milliseconds += 4 * 86_400_000
            // One refused note: the failure, which the outbox knows before the disk does.
            disk.plan(SimulatedDisk.Fault(.write, of: "outbox", code: 778))
            let isSentAgain = Guarded(false)
            let executor = world.executor
            pair.phone.network.observe { line in
                guard line.hasPrefix("<< LOGI") else { return }
                // As often as jobs run, to reach the moment at which both are in flight.
                for _ in 0..<8 {
                    Task(executorPreference: executor) {
                        for _ in 0..<100 where await alice.resend(id) {
                            isSentAgain.withLock { $0 = true }
                            await pair.phone.network.cut()
                        }
                    }
                }
            }
            pair.phone.network.restore()
            await world.pass(.seconds(60))
            #expect(disk.hits == 1)
            #expect(isSentAgain.withLock { $0 })
            #expect(await alice.unsentMessages(in: channel).map(\.status) == [.pending])
            await alice.close()
            let again = try await world.launch(pair.phone)
            let found = await again.unsentMessages(in: channel).map(\.status)
            #expect(found == [.pending])
            await again.close()
            await pair.bob.close()
        }
    }

    @Test func `pending notes reach the disk in the order of their events (scar 12)`()
        throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        let disk = SimulatedDisk(folder.path)
        try SimulatedWorld.play(seed: 16) { world in
            let pair = try await OutboxPair(world, folder: folder.path)
            let (alice, channel) = (pair.alice, pair.channel)
            await pair.phone.network.cut()
            var ids: [RequestID] = []
            for text in ["one", "two", "three"] {
                ids.append(try #require(try await alice.send(text, to: channel).requestID))
            }
            pair.phone.clockError.milliseconds += 4 * 86_400_000
            disk.plan(SimulatedDisk.Fault(.write, of: "outbox", code: 778, lasts: true))
            pair.phone.network.restore()
            await world.pass(.seconds(60))
            #expect(await alice.failedMessages(in: channel).count == 3)
            await pair.phone.network.cut()
            await world.pass()
            // The notes of the failures are still pending when the items are resent, the last one
            // first.
            for id in ids.reversed() { #expect(await alice.resend(id)) }
            #expect(disk.hits > 0)
            disk.plan(nil)
            await world.pass(.seconds(30))
            await alice.close()
            let again = try await world.launch(pair.phone)
            let kept = await again.unsentMessages(in: channel)
            #expect(kept.map(\.text) == ["three", "two", "one"])
            #expect(kept.map(\.status) == [.pending, .pending, .pending])
            try await pair.connect(world, again)
            #expect(try await world.log(of: channel).map(\.requestID) == ids.reversed())
            await again.close()
            await pair.bob.close()
        }
    }

    @Test func `a refused note of one item does not undo its resend (scar 65)`()
        throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        try SimulatedWorld.play(seed: 18) { world in
            let pair = try await OutboxPair(world, folder: folder.path)
            let (alice, channel) = (pair.alice, pair.channel)
            await pair.phone.network.cut()
            let id = try #require(try await alice.send("late", to: channel).requestID)
            let outbox = try Connection(.file(folder.file("simulation/alice/outbox.sqlite")))
            try outbox.executeScript(
                """
                CREATE TRIGGER stuck BEFORE UPDATE OF state ON item
                BEGIN SELECT RAISE(ABORT, 'stuck'); END
                """)
            pair.phone.clockError.milliseconds += 4 * 86_400_000
            pair.phone.network.restore()
            await world.pass(.seconds(60))
            #expect(await alice.failedMessages(in: channel).count == 1)
            await pair.phone.network.cut()
            await world.pass()
            // Before the disk gets the note of the failure again.
            try outbox.executeScript("DROP TRIGGER stuck")
            #expect(await alice.resend(id))
            await world.pass(.seconds(30))
            await alice.close()
            let again = try await world.launch(pair.phone)
            #expect(await again.unsentMessages(in: channel).map(\.status) == [.pending])
            try await pair.connect(world, again)
            #expect(try await world.log(of: channel).map(\.requestID) == [id])
            await again.close()
            await pair.bob.close()
        }
    }

    /// A part of the file is damaged: the disk accepts all notes except those of one item.
    @Test(arguments: [false, true])
    func `an item whose notes fail blocks no other, and no item is lost (scar 65)`(
        passes: Bool
    ) throws {
        let folder = try TemporaryFolder(inMemory: true)
        try SimulatedWorld.play(seed: 17) { world in
            let pair = try await OutboxPair(world, folder: folder.path)
            let (alice, channel) = (pair.alice, pair.channel)
            let events = await alice.outboxEvents()
            await pair.phone.network.cut()
            await world.pass()
            let stuck = try #require(try await alice.send("stuck", to: channel).requestID)
            try await alice.send("second", to: channel)
            func script(_ sql: SQL) throws {
                let path = folder.file("simulation/alice/outbox.sqlite")
                try Connection(.file(path)).executeScript(sql)
            }
            try script(
                """
                CREATE TRIGGER stuck_update BEFORE UPDATE ON item WHEN old.sequence = 1
                BEGIN SELECT RAISE(ABORT, 'stuck'); END;
                CREATE TRIGGER stuck_delete BEFORE DELETE ON item WHEN old.sequence = 1
                BEGIN SELECT RAISE(ABORT, 'stuck'); END
                """)
            try await pair.connect(world, alice)
            #expect(try await world.log(of: channel).map(\.text) == ["stuck", "second"])
            #expect(await alice.unsentMessages(in: channel).isEmpty)
            // A new item does not wait for it either.
            await pair.phone.network.cut()
            await world.pass()
            let third = try #require(try await alice.send("thrid", to: channel).requestID)
            try await alice.edit(.unsent(third), in: channel, MessageEdit(text: "third"))
            if passes {
                try script("DROP TRIGGER stuck_update; DROP TRIGGER stuck_delete")
                await world.pass(.seconds(10))
            }
            await alice.close()
            let again = try await world.launch(pair.phone)
            let kept = await again.unsentMessages(in: channel).map(\.text)
            #expect(kept == (passes ? ["third"] : ["stuck", "third"]))
            if !passes { try script("DROP TRIGGER stuck_update; DROP TRIGGER stuck_delete") }
            try await pair.connect(world, again)
            let log = try await world.log(of: channel).map(\.text)
            #expect(log == ["stuck", "second", "third"])
            #expect(await again.unsentMessages(in: channel).isEmpty)
            await again.close()
            await pair.bob.close()
            var told: [RequestID] = []
            for await case .unrecorded(let id) in events { told.append(id) }
            #expect(told == [stuck])
        }
    }
}
