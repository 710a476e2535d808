// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostDiskSimulation
import RoostModel
import RoostSQLite
import RoostStore
import RoostTestSupport
import Testing

/// Work of many transactions that suspensions of the app interrupt.
@Suite(.timeLimit(.minutes(Patience.minutes)))
struct SuspendedWorkTests {
    private typealias Cache = EvictionFixture

    /// Suspends and resumes a store at random moments until a task has ended.
    private func disturb(
        _ store: Store, seed: UInt64, during task: Task<Void, any Error>
    ) async throws {
        var random = SplitMix64(seed: seed)
        for _ in 0..<12 {
            for _ in 0..<(random.next() % 400) { await Task.yield() }
            await store.suspend()
            let found = try await store.resume()
            #expect(found.cache == .intact && found.outbox == .intact)
        }
        try await task.value
    }

    @Test(arguments: [(10, 1), (10, 2), (80, 3), (80, 4)] as [(Int64, UInt64)])
    func `a trim interrupted many times reaches its target (scar 49, R120)`(
        share: Int64, seed: UInt64
    ) async throws {
        let folder = try TemporaryFolder(inMemory: true)
        let store = try await Cache.store(in: folder)
        let target = try await store.writer.evictionPlan(downTo: .max).sizeBefore * share / 100
        let trim = Task {
            let trim = try await store.writer.trim(downTo: target)
            #expect(trim.size <= target)
        }
        try await disturb(store, seed: seed, during: trim)
        #expect(try await Cache.faults(of: store) == [])
        let empty = try await Cache.emptyChannels(of: store)
        #expect(empty == Array(Cache.channels.prefix(empty.count)) && !empty.isEmpty)
        #expect(try await store.verify().findings == [])
        await store.close()
    }

    @Test(arguments: UInt64(1)...3)
    func `an erasure interrupted by suspensions removes its channel and no other (scar 49)`(
        seed: UInt64
    ) async throws {
        let folder = try TemporaryFolder(inMemory: true)
        let store = try await Cache.store(in: folder)
        let gone = Cache.channels.prefix(8)
        let erasure = Task {
            for channel in gone { _ = try await store.writer.erase(channel) }
        }
        try await disturb(store, seed: seed, during: erasure)
        #expect(try await Cache.faults(of: store) == [])
        #expect(try await Cache.emptyChannels(of: store) == Array(gone))
        await store.close()
    }

    @Test(arguments: UInt64(1)...4)
    func `overlapping suspensions and resumptions leave all open or nothing (scar 49)`(
        seed: UInt64
    ) async throws {
        let folder = try TemporaryFolder(inMemory: true)
        let store = try await Store.test(.folder(folder.path))
        var random = SplitMix64(seed: seed)
        let moves = (0..<60).map { _ in random.next() % 2 == 0 }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1...Int64(60) {
                group.addTask { try await store.writer.commit([Fixture.page(number...number)]) }
                let suspends = moves[Int(number) - 1]
                group.addTask {
                    if suspends { await store.suspend() } else { _ = try? await store.resume() }
                }
                for _ in 0..<(random.next() % 20) { await Task.yield() }
            }
            group.addTask {
                // One of these is the last, whatever the order of the others.
                for _ in 0..<200 {
                    await Task.yield()
                    _ = try? await store.resume()
                }
            }
            try await group.waitForAll()
        }
        try await store.resume()
        #expect(try await store.reader.inspection().sequence == 60)
        #expect(try await store.verify().checkedMessages == 60)
        await store.suspend()
        for name in ["lock", "outbox.lock"] {
            _ = try FolderLock(file: folder.file("app/anna/\(name)"), .exclusive)
        }
        await store.close()
    }

    @Test func `commits continue while the log cannot be emptied (scar 150)`()
        async throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        let disk = SimulatedDisk(folder.path)
        let store = try await Store.open(
            .folder(folder.path), owner: Fixture.owner, Fixture.withoutIndex)
        disk.plan(.init(.write, of: "cache", suffix: ".sqlite", code: 778, lasts: true))
        let text = String(repeating: "word ", count: 20_000)
        for id in Int64(1)...220 {
            try await store.writer.commit([
                .messages(
                    Fixture.channel, [Fixture.message(id, text: text)],
                    covering: Fixture.range(id, id))
            ])
        }
        let length = await store.writer.fileBytes().log
        #expect(length > 20_000_000)
        #expect(try await store.reader.inspection().sequence == 220)
        disk.plan(nil)
        try await store.writer.commit([.pinned(Fixture.channel, true)])
        for id in Int64(221)...280 {
            try await store.writer.commit([
                .messages(
                    Fixture.channel, [Fixture.message(id, text: text)],
                    covering: Fixture.range(id, id))
            ])
        }
        #expect(await store.writer.fileBytes().log < length)
        #expect(try await store.verify().findings == [])
        await store.close()
    }

    @Test func `a trim that finds no room for the index resumes later (scars 40, 150)`()
        async throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        let disk = SimulatedDisk(folder.path)
        var options = Fixture.options
        options.protection = .none
        let store = try await Store.open(.folder(folder.path), owner: Fixture.owner, options)
        try await Cache.fill(store)
        let size = try await store.writer.evictionPlan(downTo: .max).sizeBefore
        var trim = try await store.writer.beginTrim(downTo: size / 2)
        #expect(trim.plan.way == .rewrite)
        trim = try await store.writer.advance(trim).trim
        // All messages are in the file; the rest of the index is not.
        disk.plan(.init(.write, code: 13, lasts: true))
        for _ in 0..<2 {
            let begun = trim
            let error = await #expect(throws: StoreError.self) {
                _ = try await store.writer.advance(begun)
            }
            #expect(error?.kind == .full)
        }
        disk.plan(nil)
        while !trim.isDone { trim = try await store.writer.advance(trim).trim }
        #expect(try await store.verify().findings == [])
        for channel in Cache.channels where !trim.urls.contains(channel) {
            let question = SearchQuestion(Cache.word(of: channel), limit: 1_000)
            let answer = try await store.reader.search(question).value
            #expect(answer.found.count == Int(Cache.count) && answer.index.isComplete)
        }
        await store.close()
    }

    @Test func `an index filled among suspensions is complete in the end (scar 49)`()
        async throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        var options = Fixture.options
        options.protection = .none  // The words of a sealed cache are in memory.
        options.isSearchable = false
        var store = try await Store.open(.folder(folder.path), owner: Fixture.owner, options)
        try await Cache.fill(store)
        await store.close()
        options.isSearchable = true
        store = try await Store.open(.folder(folder.path), owner: Fixture.owner, options)
        let writing = Task { [store] in try await store.finishIndex(stepSize: 10) }
        try await disturb(store, seed: 1, during: writing)
        for channel in Cache.channels {
            let question = SearchQuestion(Cache.word(of: channel), limit: 1_000)
            let found = try await store.reader.search(question).value.found
            #expect(found.count == Int(Cache.count))
        }
        await store.close()
    }
}
