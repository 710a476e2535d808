// SPDX-License-Identifier: Apache-2.0

internal import RoostSQLite

/// The inputs of opening a cache.
struct CacheOpening: Sendable {
    let owner: StoreOwner
    /// Nil in memory.
    let files: StoreFiles?
    /// Whether the whole file is read and checked first.
    var checksForDamage: Bool
    let options: ConnectionOptions
    var patience: Duration
    /// Whether the commits of other processes are listened for.
    let listens: Bool
    let migrating: @Sendable (MigrationProgress) -> Void
    let protection: StoreProtection
    var schema = StoreSchema.current
    var searchPlace = SearchPlace.nowhere

    var path: String { files?.cache ?? ":memory:" }

    /// Opens the cache; an unreadable one is quarantined and replaced (scars 42, 43).
    ///
    /// A cache marked as damaged is checked first. If another process has it open, or there is no
    /// space for a repair, it is opened as it is, and the next opening tries again.
    func open(_ interrupter: Interrupter) throws(StoreError) -> OpenDatabase {
        guard let files, checksForDamage || files.isCacheSuspect else {
            return try openNow(interrupter)
        }
        var checked = self
        checked.checksForDamage = true
        if !checksForDamage { checked.patience = .zero }
        do throws(StoreError) {
            let opened = try checked.openNow(interrupter)
            files.clearSuspicion()
            return opened
        } catch  where !checksForDamage && error.isNoneOfTheFile {
            return try openNow(interrupter)
        }
    }

    /// Opens an intact plaintext cache for its first reader.
    ///
    /// - Returns: Nil if the cache has to be opened by its writer first: it is missing, sealed, to
    ///   be checked, or needs work, such as its index of words.
    func openForReader(_ interrupter: Interrupter) -> OpenDatabase? {
        guard let files, searchPlace != .memory, !checksForDamage, !protection.isSealed,
            !files.isCacheSuspect,
            let opened = database(at: files.cache, interrupter, for: .readOnly).openForReader()
        else { return nil }
        guard searchPlace == .database else { return opened }
        guard case .some(.some) = try? SearchIndex(in: opened.connection) else { return nil }
        return opened
    }

    /// Opens the cache for its writer after `openForReader`, with the lock that it returned.
    func openForWriter(_ interrupter: Interrupter) throws(StoreError) -> Connection {
        // The reader has read the beginning of the file already.
        let connection = try database(at: files?.cache, interrupter, readAheadKiB: 0).openBeside()
        if let files { files.deleteUnfinishedCache() }
        return connection
    }

    private func openNow(
        _ interrupter: Interrupter
    ) throws(StoreError) -> OpenDatabase {
        let opened = try database(at: files?.cache, interrupter).open(reporting: \.cache) {
            () throws(StoreError) in
            try recover(interrupter)
        } repair: { damage throws(StoreError) in
            try salvage(damage, interrupter)
        }
        // Left by an interrupted repair; no other repair can be running now.
        if let files { files.deleteUnfinishedCache() }
        return opened
    }

    /// Sets the cache aside and makes a new one from its intact data.
    ///
    /// - Throws: `.locked` while another process has the cache open.
    func replace(because reason: String) throws(StoreError) -> RepairReport {
        try database(at: files?.cache).alone { () throws(StoreError) in
            if let recovered = try recover(Interrupter()) { return recovered }
            return try salvage(StoreError(.damaged, reason), Interrupter())
        }
    }

    private func database(
        at path: String?, _ interrupter: Interrupter = Interrupter(),
        for access: ConnectionOptions.Access = .readWrite, readAheadKiB: Int = 320
    ) -> DatabaseOpening {
        let checks = checksForDamage
        var options = access == .readOnly ? ConnectionOptions(access: .readOnly) : options
        // Enough for the tables, and for the first users and channels, which a channel list begins
        // with.
        options.readAheadKiB = readAheadKiB
        return DatabaseOpening(
            owner: owner, path: path, lockFile: files?.lock, options: options,
            patience: patience, migrator: schema.cache, ownerQueries: .cache,
            protection: protection,
            interrupter: interrupter, migrating: migrating, checksOnce: true
        ) { connection throws(SQLiteError) in
            guard checks else { return nil }
            if let damage = try connection.firstDamage() { return damage }
            return try connection.firstUnreadableRow()
        }
    }

    /// Completes an interrupted repair that had copied everything; nil if there was none.
    private func recover(_ interrupter: Interrupter) throws(StoreError) -> RepairReport? {
        guard let files, !DatabaseFiles(files.cache).exists,
            DatabaseFiles(files.unfinishedCache).exists
        else { return nil }
        let salvaged: SavedContent
        do throws(StoreError) {
            salvaged = try countUnfinished(files, interrupter)
        } catch  where error.kind == .damaged {
            // Repeated; if it is interrupted too, the next opening finds the damage again.
            try moving(error) { () throws(FileError) in
                try DatabaseFiles(files.cache).restore()
            }
            return try salvage(error, interrupter)
        }
        return try putInPlace(files, salvaged, because: "the repair was interrupted")
    }

    /// Makes a new cache from the intact data of the old one, and moves it to its place.
    ///
    /// The old one stays until the new one is complete. If a full disk, a suspension or the system
    /// interrupts the work, the next opening finds the damage again.
    private func salvage(
        _ damage: StoreError, _ interrupter: Interrupter
    ) throws(StoreError) -> RepairReport {
        guard let files else { throw damage }
        // Without a key a new cache would be plaintext beside encrypted files.
        try protection.requireKeys(of: files)
        let cache = DatabaseFiles(files.cache)
        let source = cache.exists ? cache.path : nil
        try moving(damage) { () throws(FileError) in
            // Files quarantined by earlier repairs are useless now, and take space.
            if cache.exists { try cache.deleteQuarantined() }
            try DatabaseFiles(files.unfinishedCache).delete()
        }
        let salvaged: SavedContent
        do throws(StoreError) {
            let connection = try database(at: files.unfinishedCache, interrupter).openAlone()
            do throws(SQLiteError) {
                salvaged = try CacheSalvage.copy(
                    from: source, to: connection, owner: owner, protection, schema.cache,
                    interrupter)
                // The write-ahead log is emptied into the file before the file is moved.
                try connection.emptyWholeLog()
            } catch {
                throw StoreError(error, in: files.unfinishedCache)
            }
        } catch {
            files.deleteUnfinishedCache()
            throw error
        }
        return try putInPlace(
            files, salvaged, because: damage.cause?.message ?? damage.message)
    }

    /// Counts the content of a complete copy from an interrupted repair.
    private func countUnfinished(
        _ files: StoreFiles, _ interrupter: Interrupter
    ) throws(StoreError) -> SavedContent {
        let connection = try database(at: files.unfinishedCache, interrupter).openAlone()
        do {
            let salvaged = try SavedContent(countedIn: connection)
            try connection.emptyWholeLog()
            return salvaged
        } catch {
            throw StoreError(error, in: files.unfinishedCache)
        }
    }

    /// Quarantines the rest of the old cache, and moves the copy to its place.
    private func putInPlace(
        _ files: StoreFiles, _ salvaged: SavedContent, because reason: String
    ) throws(StoreError) -> RepairReport {
        let cache = DatabaseFiles(files.cache)
        let quarantine = try moving(StoreError(.damaged, "\(cache.path) is damaged.")) {
            () throws(FileError) in
            let quarantine = cache.exists ? try cache.quarantine() : cache.lastQuarantine
            // From here on there is no cache, which marks the unfinished one as complete.
            try DatabaseFiles(files.unfinishedCache).move(to: cache)
            return quarantine
        }
        if protection.isSealed { files.deleteClearCopies() }
        return .repaired(
            quarantine: quarantine.flatMap { DatabaseFiles($0).exists ? $0 : nil }, because: reason,
            saved: salvaged)
    }

    private func moving<T>(
        _ damage: StoreError, _ body: () throws(FileError) -> T
    ) throws(StoreError) -> T {
        do {
            return try body()
        } catch {
            // Not `.damaged`, because another repair would have the same result.
            throw StoreError(
                .notAccessible,
                "\(damage.message) It could not be moved aside: \(error) Try again, or move it away by hand.",
                cause: damage.cause)
        }
    }
}

extension StoreError {
    /// Whether a check or repair was ended by a cause outside the file that may pass.
    fileprivate var isNoneOfTheFile: Bool {
        switch kind {
        case .locked, .full, .notAccessible: true
        default: false
        }
    }
}

extension Connection {
    /// Finds damage that no check of SQLite finds, except in messages, which are checked by their
    /// readers.
    fileprivate func firstUnreadableRow() throws(SQLiteError) -> String? {
        do throws(SQLiteError) {
            let session = ReadSession(self, ReadLookUps(self))
            session.begin(at: try lastCommitNumber(), nil)
            for url in try channelURLs() {
                guard let stored = try storedChannel(url) else { continue }
                _ = try session.channel(stored)
                _ = try session.coverage(ofRow: stored.row)
                for filterRow in try all(.filtersOfChannel, stored.row) {
                    _ = try filter(inRow: filterRow)
                }
            }
            // Also those that no channel refers to: writes look them up by their names.
            let count = try unreadableRowCount()
            if count > 0 { return "\(count) users, words, filters or cursors cannot be read" }
            let sums = try first(.impossibleHoldingCount) ?? 0
            return sums == 0 ? nil : "the messages of \(sums) channels have impossible sums"
        } catch  where error.isMalformedValue {
            return error.description
        }
    }
}

extension StoreFiles {
    /// Deletes the files of an incomplete repair; the next repair starts again.
    fileprivate func deleteUnfinishedCache() {
        let unfinished = DatabaseFiles(unfinishedCache)
        if unfinished.exists { try? unfinished.delete() }
    }
}
