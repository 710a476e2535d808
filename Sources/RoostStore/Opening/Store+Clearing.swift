// SPDX-License-Identifier: Apache-2.0

internal import RoostCore
internal import RoostModel
internal import RoostSQLite

// The parts of a full clearing that no table holds: the files that repairs have put aside, which have
// nearly all contents of the old ones, and the rows that this release cannot read.

extension Store {
    /// Deletes the damaged files that repairs have replaced.
    ///
    /// With `includingUnsent` also those of the outbox, which may have the only copy of an unsent
    /// message, and the unsent items that this release cannot read.
    ///
    /// - Throws: `.notAccessible` if a file cannot be deleted; the call may be repeated.
    package func clearRemains(includingUnsent: Bool) async throws(StoreError) {
        try await writer.deleteQuarantined()
        if includingUnsent { try await outbox.deleteUnreadable() }
    }
}

extension StoreWriter {
    /// Deletes the damaged caches that repairs have replaced.
    func deleteQuarantined() throws(StoreError) { try DatabaseFiles(path).clearQuarantined() }
}

extension OutboxStore {
    /// Deletes the damaged outboxes that repairs have replaced, the items that this release cannot
    /// read, and all copies of files that no readable item names.
    ///
    /// A message whose files are being copied has no row yet. It copies them again if they are gone.
    fileprivate func deleteUnreadable() async throws(StoreError) {
        let folder = folder
        try await write { connection throws(SQLiteError) in
            let items = try connection.storedItems().items
            let readable = Set(items.map(\.sequence))
            for number in try connection.all(.itemNumbers) where !readable.contains(number) {
                try connection.execute(.deleteItemNumber, number)
            }
            let known = Set(items.flatMap(\.copies).map(\.name))
            folder?.deleteOrphans(writtenBefore: .distantFuture) { known.contains($0) }
        }
        if let files { try DatabaseFiles(files.outbox).clearQuarantined() }
    }
}

extension DatabaseFiles {
    /// Deletes the files quarantined by earlier repairs.
    func deleteQuarantined() throws(FileError) {
        for path in quarantined { try DatabaseFiles(path).delete() }
    }

    fileprivate func clearQuarantined() throws(StoreError) {
        do throws(FileError) {
            try deleteQuarantined()
        } catch {
            throw StoreError(
                .notAccessible,
                "A damaged file that was put aside cannot be deleted: \(error.description) "
                    + "Delete it by hand, or clear again.")
        }
    }
}
