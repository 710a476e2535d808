// SPDX-License-Identifier: Apache-2.0

package import RoostModel
internal import RoostSQLite

extension OutboxStore {
    /// Returns those of some items that have no row, not even an unreadable one.
    package func absent(_ ids: [RequestID]) async throws(StoreError) -> [RequestID] {
        guard !ids.isEmpty else { return [] }
        return try await work { connection throws(SQLiteError) in
            var absent: [RequestID] = []
            for id in ids where try !connection.hasItem(id) { absent.append(id) }
            return absent
        }
    }

    /// Returns those of some changes that a process has dropped.
    package func dropped(_ ids: [RequestID]) async throws(StoreError) -> [RequestID] {
        try await work { connection throws(SQLiteError) in
            var dropped: [RequestID] = []
            for id in ids where try connection.isDropped(id) { dropped.append(id) }
            return dropped
        }
    }
}
