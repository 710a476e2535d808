// SPDX-License-Identifier: Apache-2.0

internal import RoostSQLite

/// How the cache was found; an app should tell its users of anything but `.intact`.
package enum CacheReport: Hashable, Sendable {
    case intact
    /// The cache could not be read and was begun anew; the old files are at `setAside`, whole.
    case rebuilt(setAside: String, because: String)
}

/// What it takes to open a cache, and the steps in which it is done.
struct CacheOpening: Sendable {
    let owner: StoreOwner
    /// Nil in memory.
    let files: StoreFiles?
    /// Whether the whole file is read and checked first.
    let checksForDamage: Bool
    let options: ConnectionOptions

    var path: String { files?.cache ?? ":memory:" }

    /// Makes the folder and keeps others out of it; nil in memory.
    func takeLock() throws(StoreError) -> FolderLock? {
        guard let files else { return nil }
        do throws(FileError) {
            try DatabaseFiles.makeFolder(files.folder)
            return try FolderLock(file: files.lock)
        } catch  where error.isTaken {
            throw StoreError(
                .locked, "\(files.folder) is in use by another client or process: close it first.")
        } catch {
            throw StoreError(
                .folderNotWritable,
                "\(error) Give this process access to \(files.folder), or name another folder.")
        }
    }

    /// Opens the cache; one that cannot be read is set aside and begun anew (scars 42, 43).
    func open() throws(StoreError) -> (Connection, CacheReport) {
        do throws(StoreError) {
            return (try openAsIs(), .intact)
        } catch  where error.kind == .damaged {
            guard let files else { throw error }
            let setAside: String
            do {
                setAside = try DatabaseFiles(files.cache).setAside()
            } catch let moving {
                throw StoreError(
                    .damaged,
                    "\(error.message) It could not be set aside: \(moving) Move it away by hand.",
                    cause: error.cause)
            }
            let reason = error.cause?.message ?? error.message
            return (try openAsIs(), .rebuilt(setAside: setAside, because: reason))
        }
    }

    private func openAsIs() throws(StoreError) -> Connection {
        let location = files.map { DatabaseLocation.file($0.cache) } ?? .memory
        let connection = try Connection.open(
            location, options, migrator: .cache, ownerQueries: .cache, owner: owner)
        if checksForDamage, let finding = try firstDamage(in: connection) {
            throw StoreError(.damaged, "\(path) is damaged: \(finding).")
        }
        return connection
    }

    private func firstDamage(in connection: Connection) throws(StoreError) -> String? {
        do {
            return try connection.damage(limit: 1).first
        } catch {
            throw StoreError(error, in: path)
        }
    }
}

extension Connection {
    /// Opens one of the two databases, brings its schema up to date and checks whose it is.
    static func open(
        _ location: DatabaseLocation, _ options: ConnectionOptions, migrator: Migrator,
        ownerQueries: OwnerQueries, owner: StoreOwner
    ) throws(StoreError) -> Connection {
        let path = location.path
        let connection: Connection
        do {
            connection = try Connection(location, options)
        } catch  where error.isCannotOpen || error.isReadOnly {
            throw StoreError(
                .folderNotWritable,
                "\(path) cannot be opened: give this process access to it, or name another folder.",
                cause: error)
        } catch {
            throw StoreError(error, in: path)
        }
        do {
            try migrator.migrate(connection)
        } catch {
            throw StoreError(error, in: path)
        }
        try connection.claim(for: owner, ownerQueries, path: path)
        return connection
    }

    private func claim(
        for owner: StoreOwner, _ queries: OwnerQueries, path: String
    ) throws(StoreError) {
        let found: StoreOwner
        do throws(SQLiteError) {
            if let known = try first(queries.select) {
                found = known
            } else {
                try execute(queries.insert, owner)
                found = owner
            }
        } catch {
            throw StoreError(error, in: path)
        }
        // Compared byte by byte: two spellings of one letter are two names.
        guard found.application.utf8.elementsEqual(owner.application.utf8),
            found.user.utf8.elementsEqual(owner.user.utf8)
        else {
            throw StoreError(
                .otherOwner,
                "\(path) belongs to another application or user: name another folder.")
        }
    }
}

extension DatabaseLocation {
    fileprivate var path: String {
        switch self {
        case .memory: ":memory:"
        case .file(let path): path
        }
    }
}
