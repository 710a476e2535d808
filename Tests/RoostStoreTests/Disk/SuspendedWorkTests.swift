// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostStore
import RoostTestSupport
import Testing

/// Work of many transactions that the system suspends the app in the middle of.
@Suite(.timeLimit(.minutes(3)))
struct SuspendedWorkTests {
    private typealias Cache = EvictionFixture

    /// Suspends and resumes a store again and again, at moments of chance, until a task has ended.
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
    func `a trim that is interrupted again and again ends where it should (scar 49, R120)`(
        share: Int64, seed: UInt64
    ) async throws {
        let folder = try TemporaryFolder(inMemory: true)
        let store = try await Store.test(.folder(folder.path))
        try await Cache.fill(store)
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
    func `a channel that is erased among suspensions is gone, and no other (scar 49)`(
        seed: UInt64
    ) async throws {
        let folder = try TemporaryFolder(inMemory: true)
        let store = try await Store.test(.folder(folder.path))
        try await Cache.fill(store)
        let gone = Cache.channels.prefix(8)
        let erasure = Task {
            for channel in gone { _ = try await store.writer.erase(channel) }
        }
        try await disturb(store, seed: seed, during: erasure)
        #expect(try await Cache.faults(of: store) == [])
        #expect(try await Cache.emptyChannels(of: store) == Array(gone))
        await store.close()
    }

    @Test func `an index that is filled among suspensions is whole in the end (scar 49, R131)`()
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
