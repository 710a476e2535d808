// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostExecutors
import RoostSQLite
import RoostSealing
import RoostTestSupport
import Testing

@testable import RoostStore

/// A suspension during a search in the index of an encrypted cache.
struct IndexSuspensionTests {
    /// Takes minutes unless it is interrupted.
    private static let longQuery = Query<Void, Int64>(
        sql: """
            WITH RECURSIVE numbers (n) AS (
                SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 4000000000)
            SELECT count(*) FROM numbers
            """
    ) { row in row.int64(0) }

    @Test(.timeLimit(.minutes(Patience.minutes)))
    func `a suspension interrupts a search, and later searches are exact (scar 49)`() async throws {
        let place = try SealedFolder(inMemory: true)
        let store = try await place.open(.sealed(MasterKeys(Fixture.key(1))))
        try await Secrets.fill(store)
        let index = try #require(store.memoryIndex)
        let hasBegun = Guarded(false)
        let search = Task {
            try await index.snapshot { session throws(SQLiteError) in
                hasBegun.withLock { $0 = true }
                return try session.connection.first(Self.longQuery)
            }
        }
        while !hasBegun.withLock({ $0 }) { await Task.yield() }
        await store.suspend()
        let error = await #expect(throws: StoreError.self) { _ = try await search.value }
        #expect(error?.kind == .suspended)
        try await store.resume()
        #expect(try await Secrets.search(store).found.count == 39)
        await store.close()
    }

    @Test(.timeLimit(.minutes(Patience.minutes)))
    func `a search overtaken by a suspension names it, and not the closing (scar 49)`()
        async throws
    {
        let place = try SealedFolder(inMemory: true)
        let store = try await place.open(.sealed(MasterKeys(Fixture.key(1))))
        try await Secrets.fill(store)
        #expect(try await Secrets.search(store).found.count == 39)
        let index = try #require(store.memoryIndex)
        let (hasBegun, mayEnd) = (Guarded(false), Guarded(false))
        // The search waits for the commits of the busy writer.
        let work = Task { [writer = store.writer] in
            try await writer.snapshot { _ throws(SQLiteError) in
                hasBegun.withLock { $0 = true }
                while !mayEnd.withLock({ $0 }) {}
            }
        }
        while !hasBegun.withLock({ $0 }) { await Task.yield() }
        let search = Task { try await index.indexSome(limit: 1) }
        for _ in 0..<1_000 { await Task.yield() }
        await index.letGo()
        mayEnd.withLock { $0 = true }
        let error = await #expect(throws: StoreError.self) { _ = try await search.value }
        #expect(error?.kind == .suspended)
        try await work.value
        await index.goOn()
        #expect(try await Secrets.search(store).found.count == 39)
        await store.close()
    }
}
