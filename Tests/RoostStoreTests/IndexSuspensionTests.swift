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
}
