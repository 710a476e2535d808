// SPDX-License-Identifier: Apache-2.0

// Several processes may have a store open, such as an app and its extension. Each shares the
// folder's lock meanwhile. A process that has to create, migrate or replace a file takes the lock
// exclusively, does the work and closes the file. It then opens the file like every other process,
// because another one may have changed it in between.
//
// After an update of the app, several processes find the same work at once. One of them does it and
// keeps its shared lock for as long as it lives, so the others cannot just wait to be alone: they
// look again and again whether the work is done.

internal import RoostSQLite

/// The opening of one of the two databases of a store.
struct DatabaseOpening: Sendable {
    let owner: StoreOwner
    /// Nil in memory.
    let path: String?
    /// The folder's lock for this database; nil in memory.
    let lockFile: String?
    let options: ConnectionOptions
    /// The longest wait for other processes.
    let patience: Duration
    let migrator: Migrator
    let ownerQueries: OwnerQueries
    let protection: StoreProtection
    /// Interrupts the statements of the connection, the opening included.
    let interrupter: Interrupter
    /// Called with the progress of a large migration.
    var migrating: @Sendable (MigrationProgress) -> Void = { _ in }
    /// Encrypts the files beside the database, while its rows are being encrypted.
    var sealFiles: @Sendable (Connection) throws(StoreError) -> Void = { _ in }
    /// Whether damage that was found beside other processes is not looked for again alone, because
    /// the check reads the whole file.
    var checksOnce = false
    /// Checks for damage after opening; returns nil if there is none.
    let check: @Sendable (Connection) throws(SQLiteError) -> String?

    /// The result of a look at the database with the shared lock.
    private enum Look {
        case ready(Connection)
        /// The database has to be made, migrated, encrypted or checked alone.
        case unready
        /// A check that is not repeated has found damage in the file with an identity.
        case damaged(StoreError, file: UInt64?)
    }

    private var place: String { path ?? ":memory:" }

    /// The longest wait for a lock between two looks at the database.
    private static let slice = Duration.milliseconds(50)

    /// Opens the database, at first exclusively if its file has to be changed.
    ///
    /// - Parameters:
    ///   - place: Receives the report of a repair if an error follows the repair.
    ///   - recover: Completes an interrupted repair; no other process has the database open then.
    ///   - repair: Replaces the files of a damaged database; no other process has it open then.
    /// - Returns: The open database; other processes may have it open too.
    /// - Throws: An error with a kind; `.locked` if other processes kept the lock too long.
    func open(
        reporting place: WritableKeyPath<Repairs, RepairReport>,
        recover: () throws(StoreError) -> RepairReport?,
        repair: (_ damage: StoreError) throws(StoreError) -> RepairReport
    ) throws(StoreError) -> OpenDatabase {
        guard let lockFile else {
            return OpenDatabase(connection: try openAlone(), lock: nil, report: nil)
        }
        var report: RepairReport?
        do throws(StoreError) {
            return try open(lockFile, &report, recover, repair)
        } catch {
            guard let report else { throw error }
            var error = error
            error.repairs[keyPath: place] = report
            throw error
        }
    }

    private func open(
        _ lockFile: String, _ report: inout RepairReport?,
        _ recover: () throws(StoreError) -> RepairReport?,
        _ repair: (_ damage: StoreError) throws(StoreError) -> RepairReport
    ) throws(StoreError) -> OpenDatabase {
        var lock = try take(lockFile)
        for _ in 0..<3 {
            let look = try openShared()
            let ready: Connection? =
                if case .ready(let connection) = look {
                    connection
                } else {
                    try waitUntilAlone(lock, after: look)
                }
            if let ready {
                return OpenDatabase(connection: ready, lock: SharedLock(lock), report: report)
            }
            try finishQuarantine()
            if let recovered = try recover() { report = recovered }
            do throws(StoreError) {
                if let damage = remainingDamage(look) { throw damage }
                // Closed at once and opened again with the shared lock.
                _ = try openAlone()
            } catch  where error.kind == .damaged {
                report = try repair(error)
                _ = try openAlone()
            }
            lock = try change(lock, to: .shared)
        }
        throw StoreError(
            .locked, "\(place) is being replaced again and again: close the other processes.")
    }

    /// Waits until no other process has the database open; then the lock is exclusive.
    ///
    /// The wait ends as well when another process has done the work.
    ///
    /// - Returns: The database that another process has made ready, with the lock shared; nil if
    ///   this process is alone.
    /// - Throws: `.locked` if other processes kept the lock too long, `.suspended`.
    private func waitUntilAlone(
        _ lock: borrowing FolderLock, after last: Look
    ) throws(StoreError) -> Connection? {
        let deadline = LockDeadline(after: patience)
        let slice = min(patience, Self.slice)
        while true {
            if try trade(lock, for: .exclusive, within: slice) { return nil }
            guard !deadline.isOver, !interrupter.isRaised else { throw inUse }
            if try trade(lock, for: .shared, within: slice), remainingDamage(last) == nil,
                case .ready(let ready) = try openShared()
            {
                return ready
            }
        }
    }

    /// Returns the damage that a look has found, unless the file was replaced since.
    private func remainingDamage(_ look: Look) -> StoreError? {
        guard case .damaged(let damage, let file) = look, let path,
            PlainFile.identity(path) == file
        else { return nil }
        return damage
    }

    /// Opens a database for a reader if nothing has to be done for it.
    ///
    /// - Returns: The open database; nil if it has to be opened by `open`, which also finds out why.
    func openForReader() -> OpenDatabase? {
        guard let lockFile, let lock = try? SharedLock(file: lockFile),
            let connection = try? openReady(), connection.mayHaveWriter
        else { return nil }
        return OpenDatabase(connection: connection, lock: lock, report: nil)
    }

    /// Opens a database that `openForReader` has found to need no work, and whose lock is held.
    ///
    /// - Throws: `.damaged` if it needs some now, which only a fault of the disk can cause.
    func openBeside() throws(StoreError) -> Connection {
        if let connection = try openReady() { return connection }
        throw StoreError(.damaged, "\(place) could be read before, and cannot be opened now.")
    }

    /// Changes the files while no other process has them open.
    func alone<T>(_ body: () throws(StoreError) -> T) throws(StoreError) -> T {
        guard let lockFile else { return try body() }
        let lock = try change(try take(lockFile), to: .exclusive)
        try finishQuarantine()
        let value = try body()
        _ = consume lock
        return value
    }

    private func finishQuarantine() throws(StoreError) {
        guard let path else { return }
        do throws(FileError) {
            try DatabaseFiles(path).finishQuarantine()
        } catch {
            throw StoreError(
                .notAccessible,
                "\(error) It belongs to a file that was damaged: move it there by hand.")
        }
    }

    /// Opens a database if it needs no work.
    private func openShared() throws(StoreError) -> Look {
        do throws(StoreError) {
            return try look()
        } catch  where error.kind == .damaged || error.kind == .locked {
            return .unready  // Damaged, or being made by another process at this moment.
        }
    }

    /// As `openShared`, nil for a database that needs work; throws for a damaged or locked one.
    private func openReady() throws(StoreError) -> Connection? {
        guard case .ready(let connection) = try look() else { return nil }
        return connection
    }

    private func look() throws(StoreError) -> Look {
        guard let path, DatabaseFiles(path).exists else { return .unready }
        let file = PlainFile.identity(path)
        let connection = try connect()
        let outcome: Result<Look, StoreError>
        do throws(SQLiteError) {
            // All queries read one state of the database, because each new state costs system
            // calls.
            outcome = try connection.outcomeOnOneState(of: { () throws(StoreError) in
                try look(at: connection, file)
            })
        } catch {
            throw StoreError(error, in: place)
        }
        return try outcome.get()
    }

    /// Finds the work that an open database needs; gives the connection the means to decrypt rows.
    private func look(at connection: Connection, _ file: UInt64?) throws(StoreError) -> Look {
        guard try isDone(in: connection),
            let found = try stored(ownerQueries.select, in: connection)
        else { return .unready }
        let isReady = try protection.attach(to: connection, owner: owner, place)
        try compare(found, in: connection)
        guard isReady else { return .unready }
        guard let damage = try damage(in: connection) else { return .ready(connection) }
        return checksOnce ? .damaged(damage, file: file) : .unready
    }

    /// Opens the database, brings its schema up to date and records its owner.
    func openAlone() throws(StoreError) -> Connection {
        let connection = try connect()
        do {
            try migrator.migrate(connection, progress: migrating)
        } catch {
            throw StoreError(error, in: place)
        }
        let found = try stored(ownerQueries.select, in: connection)
        let isReady = try protection.attach(to: connection, owner: owner, place)
        if let found { try compare(found, in: connection) }
        if !isReady || found == nil {
            try protection.prepare(
                connection, owner, place, ownerQueries, isNew: found == nil, sealFiles)
        }
        if let damage = try damage(in: connection) { throw damage }
        return connection
    }

    private func connect() throws(StoreError) -> Connection {
        let wasThere = path.map { DatabaseFiles($0).exists } ?? true
        var options = options
        options.applicationID = migrator.applicationID
        do {
            return try Connection(
                path.map { .file($0) } ?? .memory, options, interrupter: interrupter)
        } catch  where error.isReadOnly || (error.isCannotOpen && !wasThere) {
            throw StoreError(
                .folderNotWritable,
                "\(place) cannot be written: give this process access to it, or name another folder.",
                cause: error)
        } catch {
            throw StoreError(error, in: place)
        }
    }

    private func isDone(in connection: Connection) throws(StoreError) -> Bool {
        do {
            return try migrator.isDone(in: connection)
        } catch {
            throw StoreError(error, in: place)
        }
    }

    private func stored(
        _ query: Query<Void, StoreOwner>, in connection: Connection
    ) throws(StoreError) -> StoreOwner? {
        do {
            return try connection.first(query)
        } catch {
            throw StoreError(error, in: place)
        }
    }

    private func damage(in connection: Connection) throws(StoreError) -> StoreError? {
        do throws(SQLiteError) {
            guard let finding = try check(connection) else { return nil }
            return StoreError(.damaged, "\(place) is damaged: \(finding).")
        } catch {
            throw StoreError(error, in: place)
        }
    }

    private func compare(
        _ found: StoreOwner, in connection: Connection
    ) throws(StoreError) {
        let owner = connection.seals?.column(owner) ?? owner
        // Compared byte by byte, because two spellings of one letter are two names.
        guard found.application.utf8.elementsEqual(owner.application.utf8),
            found.user.utf8.elementsEqual(owner.user.utf8)
        else {
            throw StoreError(
                .otherOwner,
                "\(place) belongs to another application or user: name another folder.")
        }
    }

    private func take(_ lockFile: String) throws(StoreError) -> FolderLock {
        let folder = lockFile.folderOfFile
        do throws(FileError) {
            do throws(FileError) {
                return try lock(lockFile)
            } catch  where error.isNotThere {
                try DatabaseFiles.makeFolder(folder)
                return try lock(lockFile)
            }
        } catch  where error.isTaken {
            if interrupter.isRaised { throw .suspended }
            throw StoreError(
                .locked, "\(folder) is being changed by another process: try again when it is done."
            )
        } catch {
            throw StoreError(
                .folderNotWritable,
                "\(error) Give this process access to \(folder), or name another folder.")
        }
    }

    private func lock(_ lockFile: String) throws(FileError) -> FolderLock {
        try FolderLock(file: lockFile, .shared, patience: patience, interrupter: interrupter)
    }

    private func change(
        _ lock: consuming FolderLock, to mode: FolderLock.Mode
    ) throws(StoreError) -> FolderLock {
        do throws(FileError) {
            return try lock.changed(
                to: mode, patience: patience, interrupter: interrupter)
        } catch  where error.isTaken {
            throw inUse
        } catch {
            throw StoreError(.notAccessible, "\(error) Try again.")
        }
    }

    private func trade(
        _ lock: borrowing FolderLock, for mode: FolderLock.Mode, within time: Duration
    ) throws(StoreError) -> Bool {
        do throws(FileError) {
            return try lock.trade(for: mode, patience: time, interrupter: interrupter)
        } catch {
            throw StoreError(.notAccessible, "\(error) Try again.")
        }
    }

    private var inUse: StoreError {
        interrupter.isRaised
            ? .suspended
            : StoreError(
                .locked,
                "\(place) must be made, migrated or replaced, and another process has it open: "
                    + "close it first.")
    }
}

/// An open database, and the lock that protects its files.
struct OpenDatabase {
    let connection: Connection
    /// Nil in memory.
    let lock: SharedLock?
    /// The report of a repair; nil if the database was intact.
    let report: RepairReport?
}

/// A lock on a folder that is released with its last owner.
final class SharedLock: Sendable {
    private let lock: FolderLock

    init(_ lock: consuming FolderLock) { self.lock = lock }

    /// Takes the lock of a folder that no process has for itself.
    init(file lockFile: String) throws(FileError) {
        lock = try FolderLock(file: lockFile, .shared)
    }
}

extension String {
    fileprivate var folderOfFile: String {
        lastIndex(of: "/").map { String(self[..<$0]) } ?? "."
    }
}
