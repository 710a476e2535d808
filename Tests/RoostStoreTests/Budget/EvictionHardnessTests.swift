// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCore
import RoostDiskSimulation
import RoostExecutors
import RoostModel
import RoostSQLite
import RoostStore
import RoostTestSupport
import Testing

/// An eviction with other stores at work, on a full disk, and interrupted.
struct EvictionHardnessTests {
    private typealias Cache = EvictionFixture

    @Test(arguments: EvictionTests.shares)
    func `a killed eviction leaves a whole cache and all unsent messages (scar 43, R120)`(
        _ share: Int64
    ) async throws {
        let origin = try TemporaryFolder(inMemory: true)
        let store = try await Cache.store(in: origin)
        let size = try await store.writer.evictionPlan(downTo: .max).sizeBefore
        await store.close()
        var counts: Set<Int> = []
        var attempts = 0
        // On a busy machine the child may end before the signal.
        while attempts < 8 || (counts.count == 1 && attempts < 50) {
            let steps = attempts % 8
            attempts += 1
            let folder = try TemporaryFolder(inMemory: true)
            try FileManager.default.copyItem(
                atPath: "\(origin.path)/app", toPath: "\(folder.path)/app")
            let process = try ChildProcess.onStore(
                "evict", folder.path, seed: 1, count: Int(size * share / 100))
            // Killed after a number of printed steps, wherever it is by then.
            _ = await process.text { text in text.count { $0 == "\n" } > steps }
            process.signal(SIGKILL)
            _ = await process.end()
            let left = try await Store.test(.folder(folder.path))
            #expect(left.report == .intact)
            #expect(try await Cache.faults(of: left) == [])
            let empty = try await Cache.emptyChannels(of: left)
            #expect(empty == Array(Cache.channels.prefix(empty.count)))
            counts.insert(empty.count)
            // The next trim completes this one and deletes its remains.
            let trim = try await left.writer.trim(downTo: size * share / 100)
            #expect(trim.size <= size * share / 100)
            let gone = try await Cache.emptyChannels(of: left)
            #expect(
                try Cache.words(in: folder.path)
                    == Cache.shown(Set(Cache.channels).subtracting(gone)))
            await left.close()
        }
        #expect(counts.count > 1, "all \(attempts) kills came at the same place: \(counts)")
    }

    @Test(arguments: EvictionTests.shares)
    func `other stores write and read between the steps, and no write is lost (scar 51)`(
        _ share: Int64
    ) async throws {
        let folder = try TemporaryFolder(inMemory: true)
        let store = try await Store.test(.folder(folder.path))
        let other = try await Store.test(.folder(folder.path))
        try await Cache.fill(store)
        let size = try await store.writer.evictionPlan(downTo: .max).sizeBefore
        var trim = try await store.writer.beginTrim(downTo: size * share / 100)
        var sequence = try await other.reader.inspection().sequence
        var number: Int64 = 0
        while !trim.isDone {
            let step = try await store.writer.advance(trim)
            trim = step.trim
            if step.commit != nil { sequence += 1 }
            number += 1
            let id = 900_000 + number
            try await other.writer.commit([
                .messages(
                    "new",
                    [Fixture.message(id, in: "new", from: User(id: UserID("user-\(number)")))],
                    covering: Fixture.range(id, id))
            ])
            sequence += 1
            #expect(try await other.reader.message(MessageID(id)).value != nil)
            #expect(try await other.reader.inspection().sequence == sequence)
            #expect(try await Cache.faults(of: other) == [])
        }
        #expect(trim.size <= size * share / 100)
        for index in 1...number {
            #expect(try await store.reader.message(MessageID(900_000 + index)).value != nil)
        }
        #expect(try await Cache.emptyChannels(of: other) == trim.urls)
        await other.close()
        await store.close()
    }

    @Test(.enabled(if: !Fixture.isSealed, "A sealed cache is never copied."))
    func `an eviction deletes instead of copying while another store writes (scar 51)`()
        async throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        let store = try await Cache.store(in: folder)
        let size = try await store.writer.evictionPlan(downTo: .max).sizeBefore
        let begun = try await store.writer.beginTrim(downTo: size / 3)
        #expect(begun.plan.way == .rewrite)
        // Another owner has the lock of the copy.
        let lock = try FolderLock(
            file: folder.file("app/anna/cache.sqlite-rewrite.lock"), .exclusive)
        var trim = try await store.writer.advance(begun).trim
        #expect(trim.evicted.isEmpty)
        while !trim.isDone { trim = try await store.writer.advance(trim).trim }
        #expect(trim.size <= size / 3)
        #expect(trim.urls.starts(with: begun.plan.channels.map(\.url).prefix(5)))
        #expect(try await Cache.faults(of: store) == [])
        await store.close()
        _ = consume lock
    }

    @Test(arguments: EvictionTests.shares)
    func `an eviction stops on a full disk and continues when there is room (scar 45)`(
        _ share: Int64
    ) async throws {
        for nth in [1, 3, 10, 40] {
            let folder = try TemporaryFolder(inMemory: true)
            let disk = SimulatedDisk(folder.path)
            let store = try await Cache.store(in: folder)
            let size = try await store.writer.evictionPlan(downTo: .max).sizeBefore
            var trim = try await store.writer.beginTrim(downTo: size * share / 100)
            disk.plan(.init(.write, nth: nth, code: DiskFaultTests.Code.full, lasts: true))
            var refused: StoreError.Kind?
            while !trim.isDone, refused == nil {
                do throws(StoreError) {
                    trim = try await store.writer.advance(trim).trim
                } catch {
                    refused = error.kind
                }
            }
            #expect(refused == .full, "\(nth)")
            #expect(try await Cache.faults(of: store) == [])
            disk.plan(nil)
            while !trim.isDone { trim = try await store.writer.advance(trim).trim }
            #expect(trim.size <= size * share / 100)
            #expect(try await Cache.faults(of: store) == [])
            await store.close()
        }
    }

    @Test func `overlapping readers do not let the log grow (scar 150)`()
        async throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        let store = try await Cache.store(in: folder, Fixture.withoutIndex)
        let path = folder.file("app/anna/cache.sqlite")
        // Each read begins before the other ends, so some read is always open.
        let (first, second) = (DispatchSemaphore(value: 1), DispatchSemaphore(value: 0))
        let isOver = Flag()
        let ended = AsyncStream<Void>.makeStream()
        for (mine, others) in [(first, second), (second, first)] {
            Thread.run {
                var options = ConnectionOptions()
                options.access = .readOnly
                let connection = try? Connection(.file(path), options)
                while !isOver.isSet {
                    try? connection?.snapshot { () throws(SQLiteError) in
                        _ = try connection?.first(Self.count)
                        others.signal()
                        mine.wait()
                    }
                }
                others.signal()
                ended.continuation.yield()
            }
        }
        var longest: Int64 = 0
        for round in 0..<120 {
            let id = Int64(1_000_000 + round)
            let text = String(repeating: "\(id) ", count: 500_000 / 8)
            try await store.writer.commit([
                .messages(
                    "busy", [Fixture.message(id, in: "busy", text: text)],
                    covering: Fixture.range(id, id))
            ])
            longest = max(longest, await store.writer.fileBytes().log)
        }
        isOver.set()
        first.signal()
        second.signal()
        var endings = ended.stream.makeAsyncIterator()
        await endings.next()
        await endings.next()
        #expect(longest < 40_000_000, "60 MB were written, and the log had \(longest) bytes")
        await store.close()
    }

    @Test func `a log that a reader held long is short again soon after the read (scar 150)`()
        async throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        let store = try await Cache.store(in: folder, Fixture.withoutIndex)
        var options = ConnectionOptions()
        options.access = .readOnly
        let reader = try Connection(.file(folder.file("app/anna/cache.sqlite")), options)
        var id: Int64 = 1_000_000
        func write() async throws -> Int64 {
            id += 1
            let text = String(repeating: "\(id) ", count: 1_000_000 / 8)
            try await store.writer.commit([
                .messages(
                    "busy", [Fixture.message(id, in: "busy", text: text)],
                    covering: Fixture.range(id, id))
            ])
            return await store.writer.fileBytes().log
        }
        try reader.executeScript("BEGIN; SELECT count(*) FROM channel")
        var held: Int64 = 0
        while held < 40_000_000 { held = try await write() }
        try reader.executeScript("COMMIT")
        var shortest = held
        for _ in 0..<8 { shortest = min(shortest, try await write()) }
        // A restarted log overwrites the kept part of its file.
        #expect(shortest <= Connection.keptLogBytes)
        await store.close()
    }

    private static let count = Query<Void, Int64>(sql: "SELECT count(*) FROM channel") {
        $0.int64(0)
    }
}
