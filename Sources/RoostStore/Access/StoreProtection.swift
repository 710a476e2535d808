// SPDX-License-Identifier: Apache-2.0

package import RoostSQLite
package import RoostSealing

/// Whether a store is sealed, and with which key.
///
/// A sealed store says nothing without its key but how much there is, when it was written and what
/// belongs together (docs/adr/0007). Who loses the key loses what it sealed, unsent messages included.
package struct StoreProtection: Sendable {
    private enum Form {
        case clear
        case sealed(any MasterKeySource)
        case keyFolder(String, replacesKey: Bool)
    }

    private let form: Form
    /// Whether what is sealed is written in the clear again.
    private var takesOff = false
    /// Told while what was written in the clear is being sealed, which takes seconds for 100,000 messages.
    package var progress: @Sendable (MigrationProgress) -> Void = { _ in }
    /// False when something is sealed already: a new key would only hide that the right one is missing.
    private var makesKey = true

    /// Everything stands as it is; a store that is sealed already is not opened.
    package static let none = StoreProtection(form: .clear)

    /// Sealed with a key the app keeps; what is in the clear is sealed at opening.
    package static func sealed(_ source: any MasterKeySource) -> StoreProtection {
        StoreProtection(form: .sealed(source))
    }

    /// Sealed with a key in a file of this folder, one for each application and user.
    ///
    /// - Parameters:
    ///   - folder: Not that of the store: who copies both can read everything.
    ///   - replacesKey: Whether to put a new key into the place of the old one, or to go on with a
    ///     replacement that was cut short.
    /// - Returns: A protection whose key is made at the first opening.
    package static func keyFolder(
        _ folder: String, replacesKey: Bool = false
    ) -> StoreProtection {
        StoreProtection(form: .keyFolder(folder, replacesKey: replacesKey))
    }

    /// A key as the app keeps it.
    ///
    /// - Parameters:
    ///   - bytes: 32 random ones.
    ///   - old: Those it takes the place of, for as long as something may hang on them.
    /// - Returns: A protection that seals with the key.
    /// - Throws: `.keyMissing` for bytes that are no key.
    package static func key(
        _ bytes: [UInt8], replacing old: [UInt8]? = nil
    ) throws(StoreError) -> StoreProtection {
        do throws(MasterKeyError) {
            let previous = try old.map { old throws(MasterKeyError) in [try MasterKey(old)] } ?? []
            return .sealed(MasterKeys(try MasterKey(bytes), previous: previous))
        } catch {
            throw StoreError(
                .keyMissing,
                "A key is \(MasterKey.byteCount) random bytes: make one, and keep it where only this "
                    + "app can read it.")
        }
    }

    /// The protection of a store whose seals are to be opened with this key, for good.
    ///
    /// Everything stands in the clear after the next opening. The key is still needed for copies.
    package func takenOff() -> StoreProtection {
        var copy = self
        copy.takesOff = true
        return copy
    }

    private init(form: Form) { self.form = form }

    /// Whether what is written is sealed.
    var isSealed: Bool {
        if case .clear = form { false } else { !takesOff }
    }

    private var source: (any MasterKeySource)? {
        switch form {
        case .clear: nil
        case .sealed(let source): source
        case .keyFolder: preconditionFailure("A protection is prepared before it is used.")
        }
    }

    /// The protection of a store in which one only reads, by the last two names of its folder.
    func prepared(for names: [String]) -> StoreProtection {
        guard case .keyFolder(let folder, _) = form else { return self }
        let name = names.joined(separator: "/")
        var prepared = StoreProtection(form: .sealed(KeyFile("\(folder)/\(name).key")))
        prepared.makesKey = false
        return prepared
    }

    /// The protection of one owner's store, with the keys at hand.
    func prepared(
        for owner: StoreOwner, _ files: StoreFiles?
    ) throws(StoreError) -> StoreProtection {
        var prepared = self
        if case .keyFolder(let folder, let replacesKey) = form {
            let names = [owner.application.asFileName, owner.user.asFileName]
            do throws(FileError) {
                try DatabaseFiles.makeFolder("\(folder)/\(names[0])")
            } catch {
                throw StoreError(.keyUnavailable, "\(error) Name another folder for the key.")
            }
            prepared = self.prepared(for: names)
            do throws(KeyFileError) {
                if replacesKey, case .sealed(let source) = prepared.form,
                    let file = source as? KeyFile, try file.read() != nil
                {
                    _ = try file.beginReplacement()
                }
            } catch {
                throw StoreError(.keyUnavailable, error.description)
            }
            (prepared.progress, prepared.takesOff) = (progress, takesOff)
            prepared.makesKey = !takesOff
        }
        guard case .sealed = prepared.form, let files else { return prepared }
        // Both, before either is touched: a damaged one would be made anew under a wrong key.
        let isCacheSealed = try prepared.opensVault(of: files.cache)
        let isOutboxSealed = try prepared.opensVault(of: files.outbox)
        prepared.makesKey = !takesOff && !isCacheSealed && !isOutboxSealed
        return prepared
    }

    /// Makes sure that there is a key for all that is sealed, before something is made anew.
    ///
    /// - Throws: As `attach`.
    func requireKeys(of files: StoreFiles) throws(StoreError) {
        _ = try opensVault(of: files.cache)
        _ = try opensVault(of: files.outbox)
    }

    /// Whether a database has a vault; one that cannot be asked may have one, unless it is damaged.
    ///
    /// - Throws: When it has a vault that the key does not open.
    private func opensVault(of path: String) throws(StoreError) -> Bool {
        guard DatabaseFiles(path).exists else { return false }
        do throws(VaultError) {
            let connection: Connection
            do throws(SQLiteError) {
                connection = try Connection(.file(path), ConnectionOptions(access: .readOnly))
                guard try connection.first(.vaultTableCount) == 1 else { return false }
            } catch {
                throw .database(error)
            }
            return try Vault.open(in: connection, source) != nil
        } catch {
            switch error {
            case .damaged where source != nil: return true
            case .damaged: throw StoreError(VaultError.keyMissing, in: path)
            case .database(let error): return !error.isCorrupt && !error.isNotADatabase
            default: throw StoreError(error, in: path)
            }
        }
    }

    /// Whether a file is for certain a database in which anybody can read.
    static func isInTheClear(_ path: String) -> Bool {
        do throws(SQLiteError) {
            let connection = try Connection(.file(path), ConnectionOptions(access: .readOnly))
            guard try connection.first(.vaultTableCount) == 1 else { return true }
            guard try connection.first(.hasKeys) == 0 else { return false }
            return try connection.first(.vault) == nil
        } catch {
            return false
        }
    }

    /// Gives a connection what opens its rows.
    ///
    /// - Returns: False when there is something to prepare, alone: see `prepare`.
    /// - Throws: What was wrong with the key; nothing was changed.
    func attach(
        to connection: Connection, owner: StoreOwner, _ place: String
    ) throws(StoreError) -> Bool {
        let vault: Vault?
        do throws(VaultError) {
            vault = try Vault.open(in: connection, source)
        } catch {
            throw StoreError(error, in: place)
        }
        guard let vault else { return source == nil || takesOff }
        connection.companion = RowSeals(vault, owner: owner, connection)
        return vault.stage == .sealed && !vault.needsRewrap && !takesOff
    }

    /// The same for a connection that only reads, where another has prepared everything.
    func attachWhereSealed(
        to connection: Connection, owner: StoreOwner?, _ place: String
    ) throws(StoreError) {
        let hasVault: Bool
        do throws(SQLiteError) {
            hasVault = try connection.first(.vaultTableCount) == 1
        } catch {
            throw StoreError(error, in: place)
        }
        // Without the owner's name nobody has a key either, and the vault says so.
        let owner = owner ?? StoreOwner(application: "", user: "")
        if hasVault { _ = try attach(to: connection, owner: owner, place) }
    }

    /// Writes down whose a database is, makes its vault, seals what stands in the clear, and gives its
    /// keys the new master key, or takes the seals off: whatever of it is left to do.
    ///
    /// No other connection has the database open.
    func prepare(
        _ connection: Connection, _ owner: StoreOwner, _ place: String, _ queries: OwnerQueries,
        isNew: Bool
    ) throws(StoreError) {
        guard let source, !takesOff else {
            return try run(place) { () throws(SQLiteError) in
                if isNew { try connection.execute(queries.insert, owner) }
                if let seals = connection.seals {
                    try connection.unseal(with: seals, queries.rename, progress)
                }
            }
        }
        let keys = try keys(of: source, place)
        if connection.seals == nil {
            try run(place) { () throws(SQLiteError) in
                try connection.transaction { () throws(SQLiteError) in
                    let vault = try Vault.make(
                        in: connection, keys.current, stage: isNew ? .sealed : .sealing)
                    let seals = RowSeals(vault, owner: owner, connection)
                    if isNew {
                        try connection.execute(queries.insert, seals.column(owner))
                    } else {
                        try connection.execute(queries.rename, seals.column(owner))
                        try connection.sealNames(with: seals)
                    }
                    connection.companion = seals
                }
            }
        }
        guard let seals = connection.seals else { return }
        try run(place) { () throws(SQLiteError) in
            if seals.vault.needsRewrap { _ = try seals.vault.rewrap(keys.current, in: connection) }
            if seals.vault.stage == .unsealing { try seals.vault.note(.sealing, in: connection) }
            if seals.vault.stage == .sealing {
                try connection.sealPayloads(with: seals, progress)
                try connection.forgetWhatWasClear()
                try seals.vault.note(.sealed, in: connection)
            }
        }
    }

    /// Lets go of the old key, once both databases of the store hang on the new one.
    func finish() throws(StoreError) {
        do throws(MasterKeyError) {
            try source?.forgetPrevious()
        } catch {
            throw StoreError(.keyUnavailable, "The old key could not be removed: \(error)")
        }
    }

    private func keys(
        of source: any MasterKeySource, _ place: String
    ) throws(StoreError) -> MasterKeys {
        do throws(MasterKeyError) {
            if let keys = try source.masterKeys(makesMissing: makesKey) { return keys }
        } catch {
            throw StoreError(.keyUnavailable, "\(place): \(error)")
        }
        throw StoreError(VaultError.keyMissing, in: place)
    }

    private func run(
        _ place: String, _ body: () throws(SQLiteError) -> Void
    ) throws(StoreError) {
        do throws(SQLiteError) {
            try body()
        } catch {
            throw StoreError(error, in: place)
        }
    }
}

extension StoreFiles {
    /// Deletes what was set aside of a cache before it was sealed: it tells what is sealed now.
    ///
    /// Copies set aside of a damaged outbox stay: they may hold the only copy of an unsent message.
    func deleteClearCopies() {
        var number = 1
        while case let old = DatabaseFiles("\(cache).damaged-\(number)"), old.exists {
            // One that cannot be deleted now is tried again at the next opening.
            if StoreProtection.isInTheClear(old.path) { try? old.delete() }
            number += 1
        }
        if DatabaseFiles(unfinishedCache).exists, StoreProtection.isInTheClear(unfinishedCache) {
            try? DatabaseFiles(unfinishedCache).delete()
        }
    }

    /// Gives every file of the store a class of protection.
    func protect(as protection: FileProtection?) throws(StoreError) {
        guard let protection else { return }
        do throws(FileError) {
            try DatabaseFiles.makeFolder(folder)
        } catch {
            throw StoreError(.folderNotWritable, "\(error)")
        }
        do throws(FileProtectionError) {
            try FolderProtection(protection, by: SystemFileProtector()).apply(to: folder)
        } catch {
            throw StoreError(.notAccessible, error.description)
        }
    }
}

extension Query where Input == Void, Output == Int64 {
    static let vaultTableCount = Query(
        sql: "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'vault'"
    ) { row in row.int64(0) }
}
