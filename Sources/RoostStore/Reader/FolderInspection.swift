// SPDX-License-Identifier: Apache-2.0

internal import RoostExecutors
internal import RoostSQLite

/// What lies in the folder of one application's one user, seen from outside.
///
/// Opens the databases to read only and takes no lock, so it works beside a client that has them open,
/// and repairs nothing.
package struct FolderInspection: Hashable, Sendable {
    package let owner: StoreOwner
    package let cache: CacheInspection
    package let outbox: OutboxItems
    /// Bytes on disk, logs included.
    package let cacheBytes: Int64
    package let outboxBytes: Int64

    /// The file whose presence makes a folder one of ours.
    package static let cacheName = "cache.sqlite"

    /// Looks into a folder that holds a `cache.sqlite`.
    ///
    /// - Throws: `.damaged` for a file that cannot be read or never was a database, and whatever else
    ///   keeps it from being read; nothing was changed.
    package static func of(_ folder: String) async throws(StoreError) -> FolderInspection {
        let files = StoreFiles(folder: folder)
        let (cache, owner) = try await reading(files.cache) {
            connection throws(StoreError) in
            let cache = try await StoreReader(source: connection).inspection()
            let owner = try await connection.snapshot { session throws(SQLiteError) in
                try session.connection.owner()
            }
            return (cache, owner)
        }
        guard let owner else {
            throw StoreError(.damaged, "\(files.cache) does not say whose cache it is.")
        }
        let outboxFiles = DatabaseFiles(files.outbox)
        var outbox = OutboxItems(items: [], unreadable: [])
        if outboxFiles.exists {
            outbox = try await reading(files.outbox) { connection throws(StoreError) in
                try await connection.snapshot { session throws(SQLiteError) in
                    let rows = try session.connection.outboxItems()
                    return OutboxItems(
                        items: rows.compactMap(\.item),
                        unreadable: rows.filter { $0.item == nil }.map(\.requestID))
                }
            }
        }
        return FolderInspection(
            owner: owner, cache: cache, outbox: outbox,
            cacheBytes: DatabaseFiles(files.cache).byteCount, outboxBytes: outboxFiles.byteCount)
    }

    static func reading<Value: Sendable>(
        _ path: String, _ body: (ReadConnection) async throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        let executor = ThreadExecutor(name: "roost.inspect")
        let connection = ReadConnection(on: executor, path: path)
        let outcome: Result<Value, StoreError>
        do throws(StoreError) {
            try await connection.open()
            outcome = .success(try await body(connection))
        } catch {
            outcome = .failure(error)
        }
        await connection.close()
        await executor.shutDown()
        return try outcome.get()
    }
}

extension DatabaseFiles {
    fileprivate var byteCount: Int64 { byteCounts.main + byteCounts.log }
}
