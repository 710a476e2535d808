// SPDX-License-Identifier: Apache-2.0

package import RoostCore
package import RoostModel
internal import RoostSQLite

/// The structure of one user's folder, which is readable without the key of a sealed one.
package struct FolderStructure: Equatable, Sendable {
    /// An item of a sealed outbox, whose content cannot be read.
    package struct SealedItem: Equatable, Sendable {
        package let createdAt: Timestamp
        package let state: UnsentState
        package let attemptCount: Int
        package let byteCount: Int64
    }

    package enum Outbox: Equatable, Sendable {
        /// There is no file, so the unsent items are unknown.
        case missing
        case readable(OutboxItems)
        case sealed([SealedItem])
    }

    package let owner: StoreOwner?
    package let cache: CacheStructure
    package let outbox: Outbox
    package let quarantined: [QuarantinedOutbox]
    package let outboxBytes: Int64

    /// Reads a folder that contains a `cache.sqlite`; changes nothing, and a client may have it open.
    ///
    /// Without the key of a sealed folder the names and the outbox's contents are missing.
    ///
    /// - Throws: As `FolderInspection.of`, except for a missing key.
    package static func of(
        _ folder: String, _ protection: StoreProtection = .none
    ) async throws(StoreError) -> FolderStructure {
        do throws(StoreError) {
            return try await read(folder, protection)
        } catch  where error.kind == .keyMissing {
            return try await read(folder, .withoutKey)
        }
    }

    private static func read(
        _ folder: String, _ protection: StoreProtection
    ) async throws(StoreError) -> FolderStructure {
        let files = StoreFiles(folder: folder)
        let (named, keys) = protection.ofFolder(folder)
        let schema = StoreSchema.current
        let (cache, owner) = try await FolderInspection.reading(
            files.cache, schema.cache, keys, named
        ) { connection throws(StoreError) in
            let cache = try await StoreReader(source: connection).structure()
            // A sealed file has hashes of its owner's names; those of the folders are not sealed.
            guard !cache.isSealed else { return (cache, StoreOwner?.some(named)) }
            let owner = try await connection.snapshot { session throws(SQLiteError) in
                try session.connection.owner()
            }
            return (cache, owner)
        }
        let outboxFiles = DatabaseFiles(files.outbox)
        var outbox = Outbox.missing
        if outboxFiles.exists {
            outbox = try await FolderInspection.reading(
                files.outbox, schema.outbox, keys, named
            ) { connection throws(StoreError) in
                try await connection.inspect { connection throws(SQLiteError) in
                    guard try connection.isClosedVault() else {
                        return .readable(try connection.storedItems())
                    }
                    return .sealed(try connection.all(.sealedItems))
                }
            }
        }
        let record = RepairRecord(path: files.repairRecord)
        return FolderStructure(
            owner: owner, cache: cache, outbox: outbox,
            quarantined: outboxFiles.quarantined.map { path in
                QuarantinedOutbox(path: path, lost: record.lostCount(of: path))
            },
            outboxBytes: outboxFiles.byteCount)
    }
}

extension Query where Input == Void, Output == FolderStructure.SealedItem {
    fileprivate static let sealedItems = Query(
        sql: """
            SELECT created_at, state, failure_code, attempt_count, length(payload) FROM item
            ORDER BY sequence
            """
    ) { row in
        FolderStructure.SealedItem(
            createdAt: Timestamp(milliseconds: row.int64(0)),
            // A number of a later release is shown as waiting.
            state: UnsentState(tag: row.int64(1), code: row.optionalInt64(2)) ?? .pending,
            attemptCount: Int(clamping: row.int64(3)), byteCount: row.int64(4))
    }
}
