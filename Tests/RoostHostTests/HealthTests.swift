// SPDX-License-Identifier: Apache-2.0

import RoostDiskSimulation
import RoostExecutors
import RoostModel
import RoostSQLite
import RoostServer
import RoostSockets
import RoostTestSupport
import Synchronization
import Testing

@testable import RoostHost

struct HealthTests {
    /// SQLite's errors for a full disk and a broken one.
    @Test(arguments: [13, 10 | 3 << 8] as [Int32])
    func `a server that cannot write is unhealthy until it can`(
        _ code: Int32
    ) async throws {
        let folder = try TemporaryFolder()
        let disk = SimulatedDisk(folder.path)
        let executor = ThreadExecutor(name: "server")
        let storage = try await SQLiteStorage(
            .file(folder.path + "/server.sqlite"), on: executor)
        let server = await ChatServer(
            ChatServer.Configuration(applicationID: "APP"), storage: storage, files: nil,
            fanOut: InProcessFanOut(on: executor),
            world: ServerWorld(now: { .distantPast }, entropy: { 1 }, digest: { $0 }), on: executor)
        let second = Mutex<Int64>(0)
        let probe = HealthProbe {
            second.withLock { second in
                second += 1
                return second
            }
        } check: {
            await server.isHealthy()
        }
        #expect(await probe.health().status == 200)
        disk.plan(SimulatedDisk.Fault(.write, of: "server.sqlite", code: code, lasts: true))
        let answer = await probe.health()
        #expect(answer.status == 503)
        #expect(answer.body == Array(#"{"status":"storage"}"#.utf8))
        disk.plan(nil)
        #expect(await probe.health().status == 200)
    }

    @Test func `a server that leaves is well, and ready no more`() async {
        let probe = HealthProbe {
            1
        } check: {
            true
        }
        #expect(await probe.readiness().status == 200)
        probe.leave()
        let answer = await probe.readiness()
        #expect(answer.status == 503)
        #expect(answer.body == Array(#"{"status":"leaving"}"#.utf8))
        #expect(await probe.health().status == 200)
        let broken = HealthProbe {
            1
        } check: {
            false
        }
        #expect(await broken.readiness().status == 503)
    }

    @Test func `a check that waits for the storage is joined, however long it takes`() async {
        let second = Mutex<Int64>(0)
        let count = Mutex(0)
        let probe = HealthProbe {
            second.withLock { second in
                second += 1
                return second
            }
        } check: {
            count.withLock { $0 += 1 }
            while second.withLock({ $0 }) < 3 { await Task.yield() }
            return true
        }
        await withTaskGroup(of: Int.self) { group in
            for _ in 0..<3 { group.addTask { await probe.health().status } }
            for await status in group { #expect(status == 200) }
        }
        #expect(count.withLock { $0 } == 1)
        #expect(await probe.health().status == 200)
        #expect(count.withLock { $0 } == 2)
    }

    @Test func `a flood of health requests writes to the disk once a second`() async {
        let count = Mutex(0)
        let probe = HealthProbe {
            1
        } check: {
            count.withLock { $0 += 1 }
            return true
        }
        await withTaskGroup(of: Int.self) { group in
            for _ in 0..<100 { group.addTask { await probe.health().status } }
            for await status in group { #expect(status == 200) }
        }
        #expect(count.withLock { $0 } == 1)
    }
}
