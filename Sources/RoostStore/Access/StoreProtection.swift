// SPDX-License-Identifier: Apache-2.0

package import RoostSQLite
package import RoostSealing

/// Whether a store is encrypted, and with which key.
///
/// Without the key an encrypted store reveals only amounts, times of writing and which rows belong
/// together (docs/adr/0007). Losing the key loses everything encrypted with it, unsent messages
/// included.
package struct StoreProtection: Sendable {
    private enum Form {
        case clear
        /// Nothing sealed is opened, and what is not sealed can be read.
        case withoutKey
        case sealed(any MasterKeySource)
        case keyFolder(String, replacesKey: Bool)
    }

    private let form: Form
    /// Whether to remove the encryption.
    private var takesOff = false
    /// Called with the progress of encrypting plaintext, which takes seconds for 100,000 messages.
    package var progress: @Sendable (MigrationProgress) -> Void = { _ in }
    /// False if something is encrypted already, because a new key would only hide that the right
    /// one is missing.
    private var makesKey = true

    /// No encryption; an encrypted store is not opened.
    package static let none = StoreProtection(form: .clear)

    /// For the structure of an encrypted store, which is readable without its key.
    static let withoutKey = StoreProtection(form: .withoutKey)

    /// Encrypted with a key of the app; existing plaintext is encrypted at the opening.
    package static func sealed(_ source: any MasterKeySource) -> StoreProtection {
        StoreProtection(form: .sealed(source))
    }

    /// Encrypted with a key in a file of a folder, one for each application and user.
    ///
    /// - Parameters:
    ///   - folder: Another folder than the store's; a copy of both can be decrypted.
    ///   - replacesKey: Whether to replace the key, or to complete an interrupted replacement.
    /// - Returns: A protection whose key is made at the first opening.
    package static func keyFolder(
        _ folder: String, replacesKey: Bool = false
    ) -> StoreProtection {
        StoreProtection(form: .keyFolder(folder, replacesKey: replacesKey))
    }

    /// Encrypted with a key that the app stores.
    ///
    /// - Parameters:
    ///   - bytes: 32 random bytes.
    ///   - old: The replaced keys, as long as a database may need one of them.
    /// - Returns: A protection with the key.
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

    /// Returns a protection that removes the encryption for good.
    ///
    /// After the next opening everything is plaintext. Copies made before still need the key.
    package func takenOff() -> StoreProtection {
        var copy = self
        copy.takesOff = true
        return copy
    }

    private init(form: Form) { self.form = form }

    /// Whether new content is encrypted.
    var isSealed: Bool {
        switch form {
        case .clear, .withoutKey: false
        case .sealed, .keyFolder: !takesOff
        }
    }

    /// Whether `prepared` looks into the databases.
    var looksIntoFiles: Bool {
        switch form {
        case .clear, .withoutKey: false
        case .sealed, .keyFolder: true
        }
    }

    /// Whether sealed content stays sealed.
    var lacksKey: Bool { if case .withoutKey = form { true } else { false } }

    private var source: (any MasterKeySource)? {
        switch form {
        case .clear, .withoutKey: nil
        case .sealed(let source): source
        case .keyFolder: preconditionFailure("A protection is prepared before it is used.")
        }
    }

    /// Returns the present key of new content; nil without encryption.
    ///
    /// - Throws: `.keyUnavailable` if the key cannot be read now, `.keyMissing` if there is none.
    func masterKey() throws(StoreError) -> MasterKey? {
        guard isSealed, let source else { return nil }
        let keys: MasterKeys?
        do throws(MasterKeyError) { keys = try source.masterKeys(makesMissing: false) } catch {
            throw StoreError(
                .keyUnavailable,
                "The key of the encrypted files cannot be read now. Unlock the device, or give "
                    + "this process access to the key, and try again.")
        }
        guard let keys else {
            throw StoreError(
                .keyMissing,
                "The key of the encrypted files is missing: set `Configuration.protection` to the "
                    + "key that they were encrypted with. Nothing was deleted.")
        }
        return keys.current
    }

    /// Returns the protection for reading a store, by the last two names of its folder.
    func prepared(for names: [String]) -> StoreProtection {
        guard case .keyFolder(let folder, _) = form else { return self }
        let name = names.joined(separator: "/")
        var prepared = StoreProtection(form: .sealed(KeyFile("\(folder)/\(name).key")))
        prepared.makesKey = false
        return prepared
    }

    /// Returns the protection of one owner's store, with the existing keys.
    ///
    /// No other process may replace a database meanwhile: see `StoreFiles.locks`.
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
        // Both are checked before a change of either, because a damaged one would be replaced under
        // a wrong key.
        let isCacheSealed = try prepared.opensVault(of: files.cache)
        let isOutboxSealed = try prepared.opensVault(of: files.outbox)
        prepared.makesKey = !takesOff && !isCacheSealed && !isOutboxSealed
        return prepared
    }

    /// Checks that there is a key for all encrypted content, before a file is replaced.
    ///
    /// - Throws: As `attach`.
    func requireKeys(of files: StoreFiles) throws(StoreError) {
        _ = try opensVault(of: files.cache)
        _ = try opensVault(of: files.outbox)
    }

    /// Whether one of the files is encrypted, or its encryption has begun.
    ///
    /// - Throws: If the key does not open a vault.
    func seals(_ files: StoreFiles) throws(StoreError) -> Bool {
        if try opensVault(of: files.cache) { return true }
        return try opensVault(of: files.outbox)
    }

    /// Whether a database has a vault; an unreadable one may have a vault, unless it is damaged.
    ///
    /// - Throws: If the key does not open its vault.
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

    /// Whether a file is certainly a database with plaintext: never encrypted, or only in part.
    static func isPlaintext(_ path: String) -> Bool {
        do throws(SQLiteError) {
            let connection = try Connection(.file(path), ConnectionOptions(access: .readOnly))
            guard try connection.first(.vaultTableCount) == 1 else { return true }
            if let vault = try connection.first(.vault) {
                return vault.stage != VaultStage.sealed.rawValue
            }
            return try connection.first(.hasKeys) == 0
        } catch {
            return false
        }
    }

    /// Gives a connection the means to decrypt its rows.
    ///
    /// - Returns: False if exclusive work is needed first: see `prepare`.
    /// - Throws: The fault of the key; nothing was changed.
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

    /// As `attach`, for a read-only connection after another one has prepared everything.
    func attachWhereSealed(
        to connection: Connection, owner: StoreOwner?, _ place: String
    ) throws(StoreError) {
        if lacksKey { return }
        let hasVault: Bool
        do throws(SQLiteError) {
            hasVault = try connection.first(.vaultTableCount) == 1
        } catch {
            throw StoreError(error, in: place)
        }
        // Without the owner's name there is no key either, and the vault reports that.
        let owner = owner ?? StoreOwner(application: "", user: "")
        if hasVault { _ = try attach(to: connection, owner: owner, place) }
    }

    /// Completes the remaining work: records the owner, makes the vault, encrypts plaintext, wraps
    /// the data keys under a new master key, or removes the encryption.
    ///
    /// Requires that no other connection writes to the database. While a reader keeps plaintext in the
    /// log, the call throws `.locked`, and the next opening continues.
    func prepare(
        _ connection: Connection, _ owner: StoreOwner, _ place: String, _ queries: OwnerQueries,
        isNew: Bool, _ sealFiles: (Connection) throws(StoreError) -> Void
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
        }
        guard seals.vault.stage == .sealing else { return }
        try sealFiles(connection)
        try run(place) { () throws(SQLiteError) in
            try connection.sealPayloads(with: seals, progress)
            try connection.purgePlaintext()
            try seals.vault.note(.sealed, in: connection)
        }
    }

    /// Whether there may be an old key to remove.
    var hasKeys: Bool { source != nil }

    /// Removes the old key if both databases of the store use the present one.
    ///
    /// The headers are those of both vaults, nil for a plaintext database; they stay as they are
    /// while this process has the databases open. Another process may have begun a replacement
    /// since this opening read the keys. It replaces the key of the databases later, when it has
    /// them alone.
    func finish(_ headers: [[UInt8]?]) throws(StoreError) {
        do throws(MasterKeyError) {
            try source?.forgetPrevious { key in
                headers.allSatisfy { bytes in
                    guard let bytes else { return takesOff }
                    // A damaged header proves nothing.
                    return (try? VaultHeader(bytes))?.isMade(with: key) ?? false
                }
            }
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
    /// Deletes plaintext copies of a cache, quarantined by repairs before the encryption, and
    /// downloaded files in plaintext.
    ///
    /// Copies of a damaged outbox stay: they may be the only copy of an unsent message.
    func deleteClearCopies() {
        for path in DatabaseFiles(cache).quarantined where StoreProtection.isPlaintext(path) {
            // A failed deletion is repeated at the next opening.
            try? DatabaseFiles(path).delete()
        }
        for name in PlainFile.names(in: downloads) { try? PlainFile.delete("\(downloads)/\(name)") }
        if DatabaseFiles(unfinishedCache).exists, StoreProtection.isPlaintext(unfinishedCache) {
            try? DatabaseFiles(unfinishedCache).delete()
        }
    }
}

extension Query where Input == Void, Output == Int64 {
    static let vaultTableCount = Query(
        sql: "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'vault'"
    ) { row in row.int64(0) }
}
