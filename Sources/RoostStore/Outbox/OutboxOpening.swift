// SPDX-License-Identifier: Apache-2.0

internal import RoostSQLite

extension StoreFiles {
    /// Whether an outbox that a client once sent from is missing, and no salvage of it exists.
    var hasLostOutbox: Bool {
        let counts = DatabaseFiles(outbox).byteCounts
        return counts.main == 0 && counts.log == 0 && PlainFile.identity(sendingLock) != nil
            && !DatabaseFiles(salvagedOutbox).exists
    }
}

extension StoreFiles {
    /// Deletes the files of an interrupted repair beside an intact outbox.
    ///
    /// The next exclusive opening would put them in the place of the outbox, which has newer items.
    /// No other process can be repairing it now. A failed deletion is repeated at the next opening.
    fileprivate func deleteSalvagedOutbox() {
        for path in [salvagedOutbox, unfinishedOutbox] where DatabaseFiles(path).exists {
            try? DatabaseFiles(path).delete()
        }
    }
}

/// The inputs of opening an outbox.
struct OutboxOpening: Sendable {
    let owner: StoreOwner
    /// Nil in memory.
    let files: StoreFiles?
    let patience: Duration
    let protection: StoreProtection
    var schema = StoreSchema.current

    /// Opens the outbox; saves every readable item of a damaged one (scar 42).
    func open(
        _ interrupter: Interrupter = Interrupter()
    ) throws(StoreError) -> OpenDatabase {
        let opened = try opening(of: files?.outbox, interrupter).open(reporting: \.outbox) {
            () throws(StoreError) in
            try recover()
        } repair: { damage throws(StoreError) in
            guard let files else { throw damage }
            return try repair(files, damage)
        }
        if let files {
            if opened.report == nil { files.deleteSalvagedOutbox() }
            // A failed copy leaves the outbox complete; the next opening tries again.
            try? VaultCopy(path: files.vaultCopy).follow(opened.connection)
        }
        return opened
    }

    /// Completes an interrupted repair that had saved everything; nil if there was none.
    private func recover() throws(StoreError) -> RepairReport? {
        guard let files else { return nil }
        let (outbox, salvaged) = (DatabaseFiles(files.outbox), DatabaseFiles(files.salvagedOutbox))
        guard salvaged.exists else { return nil }
        let items: [OutboxRow]
        do throws(StoreError) {
            items = try self.items(in: salvaged)
        } catch  where error.kind == .damaged {
            // The damaged file is still there and stays the outbox until the next repair has ended.
            // After an interruption at any point, the next opening finds the damage again.
            try moving(error) { () throws(FileError) in
                try outbox.restore()
                if outbox.exists {
                    _ = try salvaged.quarantine()
                } else {
                    try salvaged.move(to: outbox)
                }
            }
            return try repair(files, error)
        }
        let lost =
            outbox.exists
            ? nil
            : outbox.lastQuarantine.flatMap {
                RepairRecord(path: files.repairRecord).lostCount(of: $0)
            }
        return try putInPlace(files, items, lost: lost, because: "the repair was interrupted")
    }

    private func repair(
        _ files: StoreFiles, _ damage: StoreError
    ) throws(StoreError) -> RepairReport {
        let lost = try salvage(files, damage)
        let salvaged = DatabaseFiles(files.salvagedOutbox)
        try moving(damage) { () throws(FileError) in
            try DatabaseFiles(files.unfinishedOutbox).move(to: salvaged)
        }
        return try putInPlace(
            files, try items(in: salvaged), lost: lost,
            because: damage.cause?.message ?? damage.message)
    }

    private func opening(
        of path: String?, _ interrupter: Interrupter = Interrupter()
    ) -> DatabaseOpening {
        let sealFiles = { @Sendable (outbox: Connection) throws(StoreError) in
            guard let files, let path else { return }
            try AttachmentFolder(path: files.attachments).sealCopies(in: outbox, path) {
                interrupter.isRaised
            }
        }
        return DatabaseOpening(
            owner: owner, path: path, lockFile: files?.outboxLock,
            // Deleted content is overwritten, so that no salvage restores a sent message.
            options: ConnectionOptions(
                durability: .powerLoss, pageCacheKiB: 256, erasesDeleted: true,
                statementCapacity: 8),
            patience: patience, migrator: schema.outbox, ownerQueries: .outbox,
            protection: protection, interrupter: interrupter, sealFiles: sealFiles
        ) { connection throws(SQLiteError) in
            if let vault = connection.seals?.vault, try !vault.brokenKeys(in: connection).isEmpty {
                return "a key of its vault is broken"
            }
            // The outbox has few rows, so the thorough check costs less than a sync.
            return try connection.firstDamage(comparesIndices: true)
        }
    }

    /// Writes a new outbox with all readable items of the old one, which stays as it is.
    ///
    /// - Returns: The number of unreadable items; nil if unknown.
    private func salvage(_ files: StoreFiles, _ damage: StoreError) throws(StoreError) -> Int? {
        let (outbox, unfinished) = (
            DatabaseFiles(files.outbox), DatabaseFiles(files.unfinishedOutbox)
        )
        let found = try moving(damage) { () throws(FileError) in
            try unfinished.delete()
            return SalvagedItems(
                try PageSalvage(outbox),
                vault: VaultCopy(path: files.vaultCopy).vault(protection, owner))
        }
        let connection = try opening(of: unfinished.path).openAlone()
        do {
            try connection.transaction { () throws(SQLiteError) in
                try found.vault?.write(to: connection)
                for item in found.items { try connection.execute(.insertSalvaged, item) }
                // Processes may have the lost items in memory, under their numbers.
                try connection.skipSequences(through: found.lastSequence)
                // The old outbox was plaintext, and the new one is encrypted.
                if found.vault == nil, let seals = connection.seals {
                    try connection.sealNames(with: seals)
                }
            }
            // The files of the messages follow at the next opening.
            if found.vault == nil { try connection.seals?.vault.note(.sealing, in: connection) }
        } catch {
            throw StoreError(error, in: unfinished.path)
        }
        if found.vault != nil {
            _ = try protection.attach(to: connection, owner: owner, unfinished.path)
        }
        do {
            // The owner's name is hashed again, because the key of the vault was replaced.
            if let seals = connection.seals {
                for key in try seals.vault.brokenKeys(in: connection) {
                    try connection.execute(.deleteKey, key)
                }
                try connection.execute(OwnerQueries.outbox.rename, seals.column(owner))
            }
            // The write-ahead log is emptied into the file before the file is moved.
            try connection.emptyWholeLog()
        } catch {
            throw StoreError(error, in: unfinished.path)
        }
        return found.lostCount
    }

    /// Moves the salvaged outbox to its place, and quarantines the rest of the old one.
    private func putInPlace(
        _ files: StoreFiles, _ items: [OutboxRow], lost: Int?, because reason: String
    ) throws(StoreError) -> RepairReport {
        let damage = StoreError(.damaged, "\(files.outbox) is damaged.")
        let (outbox, salvaged) = (DatabaseFiles(files.outbox), DatabaseFiles(files.salvagedOutbox))
        let quarantine = try moving(damage) { () throws(FileError) in
            let quarantine =
                (outbox.exists ? try outbox.quarantine() : outbox.lastQuarantine)
                ?? outbox.path
            let record = RepairRecord(path: files.repairRecord)
            try record.forget()
            record.note(items.compactMap(\.item), lost: lost, quarantine: quarantine)
            try salvaged.move(to: outbox)
            return quarantine
        }
        // Nothing may fail from here on: the next opening finds a complete outbox.
        return .repaired(
            quarantine: quarantine, because: reason,
            saved: SavedContent(messages: items.count, lost: lost))
    }

    private func items(in salvaged: DatabaseFiles) throws(StoreError) -> [OutboxRow] {
        let connection = try opening(of: salvaged.path).openAlone()
        do {
            let items = try connection.outboxItems()
            try connection.emptyWholeLog()
            return items
        } catch {
            throw StoreError(error, in: salvaged.path)
        }
    }

    private func moving<T>(
        _ damage: StoreError, _ body: () throws(FileError) -> T
    ) throws(StoreError) -> T {
        do {
            return try body()
        } catch {
            throw StoreError(
                .damaged,
                "\(damage.message) It may hold unsent messages, and they could not be saved: "
                    + "\(error) Nothing was deleted.",
                cause: damage.cause)
        }
    }
}
