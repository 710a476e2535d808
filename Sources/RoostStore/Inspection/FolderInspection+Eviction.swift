// SPDX-License-Identifier: Apache-2.0

package import RoostCore
internal import RoostSQLite

extension FolderInspection {
    /// Returns the plan of an eviction in the cache of a folder.
    ///
    /// Changes nothing, and a client may have the cache open.
    ///
    /// - Throws: As `of`.
    package static func evictionPlan(
        of folder: String, _ protection: StoreProtection = .none, downTo bytes: Int64
    ) async throws(StoreError) -> EvictionPlan {
        let (owner, keys) = protection.ofFolder(folder)
        return try await reading(
            StoreFiles(folder: folder).cache, StoreSchema.current.cache, keys, owner
        ) { connection throws(StoreError) in
            try await connection.snapshot { session throws(SQLiteError) in
                try session.connection.evictionPlan(
                    downTo: bytes,
                    under: BudgetKeeper(budget: nil, order: .lastOpened))
            }
        }
    }
}
