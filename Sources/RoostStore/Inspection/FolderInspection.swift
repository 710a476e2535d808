// SPDX-License-Identifier: Apache-2.0

package import RoostCore
internal import RoostExecutors
internal import RoostSQLite

/// The state of one user's folder in one application, as seen without opening the store.
///
/// Opens the databases read-only and without a lock, so it works beside a client, and repairs
/// nothing.
package struct FolderInspection: Equatable, Sendable {
    package let owner: StoreOwner
    package let cache: CacheInspection
    package let outbox: OutboxItems
    /// Whether there is a file of the outbox; without it the unsent items are unknown.
    package let hasOutbox: Bool
    /// Damaged outboxes that were replaced and are not deleted yet.
    package let quarantined: [QuarantinedOutbox]
    /// Whether one of the two files is encrypted, or its encryption has begun.
    package let isSealed: Bool
    /// The size on disk, logs included.
    package let cacheBytes: Int64
    package let outboxBytes: Int64
    /// The size of the downloaded files.
    package let downloadBytes: Int64

    /// The name of the file that marks a folder as a store.
    package static let cacheName = "cache.sqlite"
    /// The name of the file of unsent messages.
    package static let outboxName = "outbox.sqlite"

    /// Inspects a folder that contains a `cache.sqlite`.
    ///
    /// - Throws: `.damaged` for an unreadable file or one that is no database, and other errors of
    ///   reading; nothing was changed.
    package static func of(
        _ folder: String, _ protection: StoreProtection = .none,
        schema: StoreSchema = .current
    ) async throws(StoreError) -> FolderInspection {
        let files = StoreFiles(folder: folder)
        let (named, keys) = protection.ofFolder(folder)
        let (cache, owner) = try await reading(files.cache, schema.cache, keys, named) {
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
        var outbox = OutboxItems(items: [])
        if outboxFiles.exists {
            outbox = try await reading(files.outbox, schema.outbox, keys, named) {
                connection throws(StoreError) in
                try await connection.inspect { connection throws(SQLiteError) in
                    try connection.storedItems()
                }
            }
        }
        let record = RepairRecord(path: files.repairRecord)
        return FolderInspection(
            owner: owner, cache: cache, outbox: outbox, hasOutbox: outboxFiles.exists,
            quarantined: outboxFiles.quarantined.map { path in
                QuarantinedOutbox(path: path, lost: record.lostCount(of: path))
            },
            isSealed: try keys.seals(files),
            cacheBytes: DatabaseFiles(files.cache).byteCount, outboxBytes: outboxFiles.byteCount,
            downloadBytes: [files.downloads, files.sealedDownloads].reduce(0) { sum, folder in
                PlainFile.names(in: folder).reduce(sum) {
                    $0 + (PlainFile.extent("\(folder)/\($1)")?.byteCount ?? 0)
                }
            })
    }

    /// Checks the cache and the outbox of a folder; changes nothing, and a client may have them open.
    package static func verify(
        _ folder: String, _ protection: StoreProtection = .none,
        progress: @Sendable @escaping (Int) -> Void = { _ in }
    ) async throws(StoreError) -> CacheVerification {
        let files = StoreFiles(folder: folder)
        let (owner, keys) = protection.ofFolder(folder)
        let schema = StoreSchema.current
        var found = try await reading(files.cache, schema.cache, keys, owner) {
            connection throws(StoreError) in
            try await StoreReader(source: connection).verification(progress)
        }
        guard DatabaseFiles(files.outbox).exists else {
            found.add(
                .outbox, nil,
                "the outbox is missing: the number of its unsent messages is unknown")
            return found
        }
        do throws(StoreError) {
            let outbox = try await reading(files.outbox, schema.outbox, keys, owner) {
                connection throws(StoreError) in
                try await connection.inspect { connection throws(SQLiteError) in
                    let damage = try connection.damage(comparesIndices: true)
                    return (damage, try connection.storedItems())
                }
            }
            for finding in outbox.0 {
                found.add(.outbox, nil, "SQLite finds in the outbox: \(finding)")
            }
            found.add(unreadableIn: outbox.1)
        } catch  where error.kind == .damaged || error.kind == .notADatabase {
            found.add(
                .outbox, nil,
                "the outbox is damaged: a client that opens it saves each item that can be read")
        }
        return found
    }

    /// Returns the owner of a folder, from the cache or else from the names of the folders.
    ///
    /// Nil if the name was too long to be a folder's name in full.
    package static func owner(of folder: String) async -> StoreOwner? {
        let stored = try? await reading(
            StoreFiles(folder: folder).cache, StoreSchema.current.cache
        ) {
            connection throws(StoreError) in
            try await connection.snapshot { session throws(SQLiteError) in
                try session.connection.first(OwnerQueries.cache.select)
            }
        }
        if let owner = stored ?? nil { return owner }
        return StoreOwner(folder: folder)
    }

    /// Replaces the cache of a folder by a new one with its intact data, and sets the old one
    /// aside.
    ///
    /// For damaged files, also with a damaged header or schema record, so the caller names the
    /// owner. Unsent messages are not touched.
    package static func repair(
        _ folder: String, owner: StoreOwner, _ protection: StoreProtection = .none,
        schema: StoreSchema = .current
    ) async throws(StoreError) -> RepairReport {
        let files = StoreFiles(folder: folder)
        let (_, keys) = protection.ofFolder(folder)
        let state = await FolderState(of: files, keys, owner, schema)
        if let objection = state.objection { throw objection }
        let opening = CacheOpening(
            owner: owner, files: files, checksForDamage: true, options: ConnectionOptions(),
            patience: .seconds(5), listens: false, migrating: { _ in }, protection: keys,
            schema: schema)
        return try opening.replace(because: "a repair was requested")
    }

    static func reading<Value: Sendable>(
        _ path: String, _ migrator: Migrator, _ protection: StoreProtection = .none,
        _ owner: StoreOwner? = nil,
        _ body: (ReadConnection) async throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        let executor = ThreadExecutor(name: "roost.inspect")
        let connection = ReadConnection(on: executor, path: path)
        let outcome: Result<Value, StoreError>
        do throws(StoreError) {
            try await connection.open(owner, protection)
            try await connection.requireSchema(of: migrator)
            outcome = .success(try await body(connection))
        } catch {
            var error = error
            error.file = path
            outcome = .failure(error)
        }
        await connection.close()
        await executor.shutDown()
        return try outcome.get()
    }
}

/// A damaged outbox that was quarantined when a new one replaced it.
package struct QuarantinedOutbox: Equatable, Sendable {
    package let path: String
    /// The number of items that could not be saved; nil if unknown.
    package let lost: Int?
}

extension StoreOwner {
    /// Reads the owner from the names of the folders; nil if a name was cut because of its length.
    fileprivate init?(folder: String) {
        let names = folder.split(separator: "/").suffix(2).compactMap { String($0).fromFileName }
        guard names.count == 2 else { return nil }
        self.init(application: names[0], user: names[1])
    }
}

extension StoreProtection {
    /// Returns the owner of a folder and the keys that open it.
    ///
    /// An encrypted file does not reveal its owner; the names of the folders do.
    func ofFolder(
        _ folder: String
    ) -> (owner: StoreOwner, keys: StoreProtection) {
        let owner = StoreOwner(folder: folder) ?? StoreOwner(application: "", user: "")
        return (owner, prepared(for: folder.split(separator: "/").suffix(2).map(String.init)))
    }
}

extension DatabaseFiles {
    var byteCount: Int64 { byteCounts.main + byteCounts.log }
}

/// The errors that prevent reading the two files of a folder; nil for a readable file.
private struct FolderState {
    let cache: StoreError?
    let outbox: StoreError?

    init(
        of files: StoreFiles, _ protection: StoreProtection, _ owner: StoreOwner,
        _ schema: StoreSchema
    ) async {
        cache = await Self.hindrance(files.cache, schema.cache, protection, owner)
        outbox = await Self.hindrance(files.outbox, schema.outbox, protection, owner)
    }

    /// The reason why a repair would do harm.
    var objection: StoreError? {
        // Intact as far as it can be checked, and a repair would keep nothing of it.
        if let cache, cache.kind == .olderSchema { return cache }
        // A new cache would be plaintext beside an encrypted outbox.
        if let outbox, [.keyMissing, .wrongKey].contains(outbox.kind) { return outbox }
        return nil
    }

    private static func hindrance(
        _ path: String, _ migrator: Migrator, _ protection: StoreProtection, _ owner: StoreOwner
    ) async -> StoreError? {
        do throws(StoreError) {
            try await FolderInspection.reading(path, migrator, protection, owner) { _ in }
            return nil
        } catch {
            return error
        }
    }
}

extension ReadConnection {
    /// Throws `.olderSchema` for an intact file with an old schema, which an opening for writing
    /// migrates.
    func requireSchema(of migrator: Migrator) throws(StoreError) {
        let version = try inspect { connection throws(SQLiteError) in
            try connection.first(Query(sql: "PRAGMA user_version") { row in row.int64(0) }) ?? 0
        }
        guard (1..<Int64(migrator.newest)).contains(version) else { return }
        throw StoreError(
            .olderSchema,
            "\(path) has schema \(version) of an older release: open it once with the app or with "
                + "`roost client`, which brings it to \(migrator.newest).")
    }
}
