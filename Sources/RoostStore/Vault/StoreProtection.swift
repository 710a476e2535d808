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

    private init(form: Form) { self.form = form }

    var isSealed: Bool {
        if case .clear = form { false } else { true }
    }

    private var source: (any MasterKeySource)? {
        switch form {
        case .clear: nil
        case .sealed(let source): source
        case .keyFolder: preconditionFailure("A protection is prepared before it is used.")
        }
    }

    /// The protection of one owner's store, with the keys at hand.
    func prepared(
        for owner: StoreOwner, _ files: StoreFiles?
    ) throws(StoreError) -> StoreProtection {
        var prepared = self
        if case .keyFolder(let folder, let replacesKey) = form {
            let place = "\(folder)/\(owner.application.asFileName)"
            do throws(FileError) {
                try DatabaseFiles.makeFolder(place)
            } catch {
                throw StoreError(.keyUnavailable, "\(error) Name another folder for the key.")
            }
            let file = KeyFile("\(place)/\(owner.user.asFileName).key")
            do throws(KeyFileError) {
                if replacesKey, try file.read() != nil { _ = try file.beginReplacement() }
            } catch {
                throw StoreError(.keyUnavailable, error.description)
            }
            prepared = StoreProtection(form: .sealed(file))
            prepared.progress = progress
        }
        guard case .sealed = prepared.form, let files else { return prepared }
        prepared.makesKey = !Self.isSealed(files.cache) && !Self.isSealed(files.outbox)
        return prepared
    }

    /// Whether a database has a vault; one that cannot be asked may have one, unless it is damaged.
    private static func isSealed(_ path: String) -> Bool {
        guard DatabaseFiles(path).exists else { return false }
        do throws(SQLiteError) {
            let connection = try Connection(.file(path), ConnectionOptions(access: .readOnly))
            guard try connection.first(.vaultTableCount) == 1 else { return false }
            return try connection.first(.vault) != nil
        } catch {
            return !error.isCorrupt && !error.isNotADatabase
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
        guard let vault else { return source == nil }
        connection.companion = RowSeals(vault, owner: owner, connection)
        return vault.stage == .sealed && !vault.needsRewrap
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
    /// keys the new master key: whatever of it is left to do.
    ///
    /// Nobody else has the database open.
    func prepare(
        _ connection: Connection, _ owner: StoreOwner, _ place: String, _ queries: OwnerQueries,
        isNew: Bool
    ) throws(StoreError) {
        guard let source else {
            return try run(place) { () throws(SQLiteError) in
                if isNew { try connection.execute(queries.insert, owner) }
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
            if seals.vault.stage == .sealing {
                try connection.sealPayloads(with: seals, progress)
                try connection.forgetWhatWasClear()
                try seals.vault.finishSealing(in: connection)
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
    fileprivate static let vaultTableCount = Query(
        sql: "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'vault'"
    ) { row in row.int64(0) }
}
