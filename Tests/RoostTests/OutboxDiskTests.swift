// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostDiskSimulation
import RoostExecutors
import RoostSQLite
import RoostTestKit
import RoostTestSupport
import Testing

/// What becomes of what is written while the disk refuses, in virtual time.
struct OutboxDiskTests {
    @Test func `what the disk refused to forget it forgets later (scars 67, 81)`() throws {
        let folder = try TemporaryFolder(inMemory: true)
        let disk = SimulatedDisk(folder.path)
        try SimulatedWorld.play(seed: 11) { world in
            let pair = try await OutboxPair(world, folder: folder.path)
            try await pair.alice.send("once", to: pair.channel)
            disk.plan(SimulatedDisk.Fault(.write, code: 778, lasts: true))
            await world.pass(.seconds(60))
            #expect(try await world.log(of: pair.channel).map(\.text) == ["once"])
            #expect(await pair.alice.unsentMessages(in: pair.channel).isEmpty)
            disk.plan(nil)
            await world.pass(.seconds(60))
            await pair.close()
            let again = try await world.launch(pair.phone)
            #expect(await again.unsentMessages(in: pair.channel).isEmpty)
            await again.close()
        }
    }

    @Test func `a disk that refuses lets nobody believe that something was taken back (scar 65)`()
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

    @Test func `what is sent again by hand waits though the disk refused it (scar 65)`() throws {
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
            disk.plan(nil)
            await world.pass(.seconds(30))
            #expect(await alice.unsentMessages(in: channel).map(\.text) == ["later", "late"])
            await alice.close()
            let again = try await world.launch(pair.phone)
            let kept = await again.unsentMessages(in: channel)
            // It went behind the other one.
            #expect(kept.map(\.text) == ["later", "late"])
            #expect(kept.map(\.status) == [.failed, .pending])
            try await pair.connect(world, again)
            #expect(try await world.log(of: channel).map(\.requestID) == [id])
            await again.close()
            await pair.bob.close()
        }
    }

    @Test func `what the disk refused does not undo that it is sent again by hand (scar 65)`()
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
            // Before the disk is told that it failed.
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

    @Test func `of two writes on their way the older, refused, does not undo the newer (scar 65)`()
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
            // Refused once: that it has failed, which the outbox knows before the disk does.
            disk.plan(SimulatedDisk.Fault(.write, of: "outbox", code: 778))
            let isSentAgain = Guarded(false)
            let executor = world.executor
            pair.phone.network.observe { line in
                guard line.hasPrefix("<< LOGI") else { return }
                // As often as jobs run, to meet the moment at which both are on their way.
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

    @Test func `what was owed to the disk comes on it in the order in which it happened (scar 12)`()
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
            // That they failed is owed still when they are sent again, the last one first.
            for id in ids.reversed() { #expect(await alice.resend(id)) }
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

    @Test func `what the disk refused of one item does not undo that it is sent again (scar 65)`()
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
            // Before the disk is asked again whether it takes that it failed.
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

    /// A part of the file is damaged: the disk takes everything but news of one item.
    @Test(arguments: [false, true])
    func `an item of which the disk takes no news holds up no other, and nothing is lost (scar 65)`(
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
            // What is written now does not wait for it either.
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
