// SPDX-License-Identifier: Apache-2.0

internal import RoostSQLite

/// A second copy of an encrypted outbox's vault, in a database of its own.
///
/// All unsent messages depend on two short rows. In the same file one damaged page could lose those
/// rows, and all messages with them.
struct VaultCopy {
    let path: String

    /// Makes the copy equal to the vault of an outbox that was just opened; deletes it if nothing
    /// is encrypted.
    func follow(_ outbox: Connection) throws(SQLiteError) {
        guard let seals = outbox.seals else {
            // A copy that cannot be deleted opens no present content. Its main file is deleted
            // last, so it marks the rest.
            if DatabaseFiles(path).exists { try? DatabaseFiles(path).delete() }
            return
        }
        // The key of all items, which the first item would make otherwise.
        if try outbox.first(.newestKeyOfChannel, RowSeals.commonRow) == nil {
            try outbox.transaction { () throws(SQLiteError) in
                _ = try seals.vault.sealer(channelRow: RowSeals.commonRow, in: outbox)
            }
        }
        guard let vault = try SalvagedVault(of: outbox) else { return }
        do throws(SQLiteError) {
            try put(vault)
        } catch  where error.isCorrupt || error.isUnfittingSchema || error.isMalformedValue {
            // The copy is damaged, and useless beside an intact outbox. An error that may pass, such
            // as a full disk, leaves it: an old copy is better than none.
            try? DatabaseFiles(path).delete()
            try put(vault)
        }
    }

    private func put(_ vault: SalvagedVault) throws(SQLiteError) {
        let copy = try Connection(
            .file(path), ConnectionOptions(durability: .powerLoss, erasesDeleted: true))
        let isMade = try copy.first(.vaultTableCount) == 1
        if isMade, try SalvagedVault(of: copy) == vault { return }
        _ = try copy.erasing { () throws(SQLiteError) in
            if !isMade { try copy.executeScript(SQL(nil, SQL.vaultTables)) }
            try vault.write(to: copy)
        }
    }

    /// Returns the copied vault; nil if there is no copy that these keys open.
    func vault(_ protection: StoreProtection, _ owner: StoreOwner) -> SalvagedVault? {
        guard DatabaseFiles(path).exists,
            let copy = try? Connection(.file(path), ConnectionOptions(access: .readOnly)),
            (try? protection.attach(to: copy, owner: owner, path)) != nil,
            let vault = copy.seals?.vault, (try? vault.brokenKeys(in: copy)) == []
        else { return nil }
        return try? SalvagedVault(of: copy)
    }
}
