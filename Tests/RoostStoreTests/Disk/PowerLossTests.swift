// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostDiskSimulation
import RoostModel
import RoostStore
import RoostTestSupport
import Testing

/// A scripted run with a loss of power: the disk's state at any moment is restored and opened.
struct PowerLossTests {
    /// The start and the end of each call, as moments of the disk.
    private struct Log {
        var commits: [(began: Int, ended: Int)] = []
        var appends: [(began: Int, ended: Int)] = []
    }

    private func live(on disk: SimulatedDisk) async throws -> Log {
        var log = Log()
        var store: Store?
        for step in ScriptedLife.steps {
            let began = disk.moment
            switch step {
            case .open: store = try await Store.test(.folder(disk.folder))
            case .commit(let number):
                try await store?.writer.commit(ScriptedLife.mutations(number))
                log.commits.append((began, disk.moment))
            case .append(let number):
                if let store { try await ScriptedLife.append(number, to: store) }
                log.appends.append((began, disk.moment))
            case .compact: try await store?.writer.compact()
            case .close:
                await store?.close()
                store = nil
            }
        }
        return log
    }

    /// Returns the last moment, up to a given one, at which the cache's log was synced.
    private func lastSync(before moment: Int, in events: [DiskEvent]) -> Int {
        var logs: Set<Int> = []
        var last = 0
        for (index, event) in events.prefix(moment).enumerated() {
            if case .link(let file, let path, _) = event, path.hasSuffix("cache.sqlite-wal") {
                logs.insert(file)
            }
            if case .sync(let file, _) = event, logs.contains(file) { last = index + 1 }
        }
        return last
    }

    @Test
    func `a loss of power leaves the cache at a commit and all unsent messages (scars 7, 15)`()
        async throws
    {
        let sights = try await ScriptedLife.sights()
        let folder = try TemporaryFolder(inMemory: true)
        let disk = SimulatedDisk(folder.path, records: true)
        let log = try await live(on: disk)
        #expect(log.commits.count == ScriptedLife.commitCount)
        let events = disk.events
        var lost = 0
        for moment in ScriptedLife.sample(0...events.count, quick: 40, seed: 49) {
            let survivals: [Survival] = [.all, .nothing, .some(seed: UInt64(moment))]
            for survival in survivals {
                let place = "moment \(moment) of \(events.count), \(survival)"
                let found = try TemporaryFolder(inMemory: true)
                try disk.lose(after: moment, survival, in: found.path)
                let store = try await Store.test(.folder(found.path))
                #expect(store.report == .intact, "\(place)")
                #expect(try await store.reader.damage() == [], "\(place)")

                let sequence = Int(try await store.reader.inspection().sequence)
                try #require(sequence < sights.count, "\(place)")
                #expect(try await ScriptedLife.sight(of: store) == sights[sequence], "\(place)")
                let begun = log.commits.count { $0.began < moment }
                let kept = survival == .all ? moment : lastSync(before: moment, in: events)
                let certain = log.commits.count { $0.ended <= kept }
                #expect(certain <= sequence && sequence <= begun, "\(place)")
                if sequence < log.commits.count(where: { $0.ended <= moment }) { lost += 1 }

                let unsent = try await store.outbox.items().items.map(\.requestID)
                let returned = log.appends.count { $0.ended <= moment }
                let tried = log.appends.count { $0.began < moment }
                #expect(unsent.count >= returned && unsent.count <= tried, "\(place)")
                #expect(unsent == (0..<unsent.count).map { ScriptedLife.request($0 + 1) })

                if sequence < ScriptedLife.commitCount {
                    try await store.writer.commit(ScriptedLife.mutations(sequence + 1))
                    #expect(
                        try await ScriptedLife.sight(of: store) == sights[sequence + 1], "\(place)")
                }
                await store.close()
            }
        }
        // Without any loss the simulated disk would not have dropped a write.
        #expect(lost > 0)
    }

    @Test
    func `an outbox is flushed through the drive's cache, and the cache is not (scar 15)`()
        async throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        let disk = SimulatedDisk(folder.path, records: true)
        _ = try await live(on: disk)
        var names: [Int: String] = [:]
        var flushes: [String: Set<Bool>] = [:]
        for event in disk.events {
            if case .link(let file, let path, _) = event {
                names[file] = path.split(separator: "/").last.map(String.init)
            }
            if case .sync(let file, let passesDrive) = event, let name = names[file] {
                flushes[name, default: []].insert(passesDrive)
            }
        }
        #expect(flushes["outbox.sqlite-wal"] == [true])
        #expect(flushes["outbox.sqlite"]?.contains(true) == true)
        #expect(flushes["cache.sqlite"] == [false])
    }
}
