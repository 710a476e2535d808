// SPDX-License-Identifier: Apache-2.0

internal import CRoostSQLite

/// One step of a schema's history; once released it never changes and is only followed by the next.
package struct Migration: Sendable {
    /// Counts from one, without holes.
    package let number: Int
    package let name: String
    package let sql: SQL
    /// A hash of the SQL (FNV-1a, 64 bits), by which a changed migration is detected.
    package let checksum: Int64
    /// The work after the SQL, for data too large for one transaction.
    let work: MigrationWork?

    package init(_ number: Int, _ name: String, _ sql: SQL, work: MigrationWork? = nil) {
        self.number = number
        self.name = name
        self.sql = sql
        self.work = work
        // Hashed here, once in a process, because every opening compares it.
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in sql.description.utf8 {
            hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
        }
        checksum = Int64(bitPattern: hash)
    }

    /// Whether the step may drop a table and make it again.
    ///
    /// SQL is searched without case and with any white space. Words in a comment count as well,
    /// which costs only the check of all references.
    var rebuildsTables: Bool {
        if work != nil { return true }
        let words = sql.description.uppercased().split { !$0.isLetter }
        return zip(words, words.dropFirst()).contains { $0 == "DROP" && $1 == "TABLE" }
    }
}

/// The move of data into the form of a new schema, slice by slice.
///
/// Each slice is a transaction; an interrupted migration resumes with the next slice.
package struct MigrationWork: Sendable {
    /// Returns the number of rows to move; called once a run, so it may count them.
    let remaining: @Sendable (Connection) throws(SQLiteError) -> Int
    /// Moves some rows and returns their number.
    ///
    /// If none is left it removes their old tables and returns zero.
    let moveSlice: @Sendable (Connection) throws(SQLiteError) -> Int

    package init(
        remaining: @escaping @Sendable (Connection) throws(SQLiteError) -> Int,
        moveSlice: @escaping @Sendable (Connection) throws(SQLiteError) -> Int
    ) {
        self.remaining = remaining
        self.moveSlice = moveSlice
    }
}

/// The progress of a large migration; the first report comes before its first row.
package struct MigrationProgress: Equatable, Sendable {
    package let name: String
    /// The number of rows that this run has moved.
    package let done: Int
    package let total: Int

    package init(name: String, done: Int, total: Int) {
        self.name = name
        self.done = done
        self.total = total
    }
}

/// The reason why a migration failed; the failed step changed nothing.
package enum MigrationError: Error, Hashable, Sendable {
    /// The file is a database of another program.
    case foreign(applicationID: Int32)
    /// The file was migrated by a newer release; this one knows migrations up to `known`.
    case newer(found: Int, known: Int)
    /// The executed migration differs from the one that this release has under its number.
    case altered(number: Int, name: String)
    /// A statement of the check or of a step failed.
    case failed(SQLiteError)
}

/// Migrates a database to the newest schema, step by step.
///
/// Each step is one transaction, and so is each slice of a step's work. The record of a step is
/// written with the last of them, so an interrupted run resumes where it stopped. A newer, foreign
/// or altered database is refused before any write.
///
/// A step that drops a table, or has work after its SQL, runs without foreign keys: the table is
/// made again without the deletion of rows that refer to it. Before the last commit of such a step
/// every reference in the database is checked. The other steps run with foreign keys.
package struct Migrator: Sendable {
    /// The number in the file's header by which our files are recognised.
    package let applicationID: Int32
    private let migrations: [Migration]

    package init(applicationID: Int32, _ migrations: [Migration]) {
        precondition(applicationID != 0, "Zero is the number of a database without an owner.")
        precondition(
            migrations.map(\.number) == Array(1..<(migrations.count + 1)),
            "Migrations are numbered from one, in order, without holes.")
        self.applicationID = applicationID
        self.migrations = migrations
    }

    /// The number of the newest migration.
    package var newest: Int { migrations.count }

    /// Migrates the database to the newest schema.
    ///
    /// - Parameters:
    ///   - connection: The only open connection to the database.
    ///   - progress: Called after each slice of a large step, and never without one.
    /// - Returns: The number of completed migrations.
    /// - Throws: The reason why a step was refused or failed; earlier steps stay.
    @discardableResult
    package func migrate(
        _ connection: Connection, progress: (MigrationProgress) -> Void = { _ in }
    ) throws(MigrationError) -> Int {
        let applied = try countApplied(in: connection)
        do throws(SQLiteError) {
            for migration in migrations.dropFirst(applied) {
                guard migration.rebuildsTables else {
                    try run(migration, in: connection, progress)
                    continue
                }
                try connection.withoutForeignKeys { () throws(SQLiteError) in
                    try run(migration, in: connection, progress)
                }
            }
            return migrations.count - applied
        } catch {
            throw .failed(error)
        }
    }

    private func run(
        _ migration: Migration, in connection: Connection,
        _ progress: (MigrationProgress) -> Void
    ) throws(SQLiteError) {
        try connection.transaction { () throws(SQLiteError) in
            try apply(migration, to: connection)
        }
        connection.dropStatements()
        if let work = migration.work {
            try finish(migration, work, in: connection, progress)
            connection.dropStatements()
        }
    }

    /// Whether the database has the newest schema, so that `migrate` would change nothing.
    package func isDone(in connection: Connection) throws(MigrationError) -> Bool {
        try countApplied(in: connection) == migrations.count
    }

    /// Returns the number of completed migrations, after a check of the file; reads only.
    private func countApplied(in connection: Connection) throws(MigrationError) -> Int {
        do {
            return try checkApplied(in: connection)
        } catch let error as SQLiteError {
            throw .failed(error)
        } catch let error as MigrationError {
            throw error
        } catch {
            preconditionFailure("A check threw an undeclared error: \(error)")
        }
    }

    /// Does the work of `countApplied`, with errors of any type.
    private func checkApplied(in connection: Connection) throws -> Int {
        let found = Int(try connection.first(.schemaVersion) ?? 0)
        guard try connection.isOwned(by: applicationID) else {
            let owner = Int32(truncatingIfNeeded: try connection.first(.applicationID) ?? 0)
            throw MigrationError.foreign(applicationID: owner)
        }
        guard found <= newest else { throw MigrationError.newer(found: found, known: newest) }
        guard found > 0 else { return 0 }
        let checksums = try connection.all(.appliedChecksums)
        // An interrupted migration has its schema and its number, and no record yet.
        let isInterrupted = checksums.count == found - 1 && migrations[found - 1].work != nil
        let applied = isInterrupted ? found - 1 : found
        for (index, migration) in migrations.prefix(applied).enumerated()
        where index >= checksums.count || migration.checksum != checksums[index] {
            throw MigrationError.altered(number: migration.number, name: migration.name)
        }
        return applied
    }

    private func apply(
        _ migration: Migration, to connection: Connection
    ) throws(SQLiteError) {
        // Another process may have migrated between the check and our lock.
        guard try connection.first(.schemaVersion) == Int64(migration.number - 1) else { return }
        if migration.number == 1 {
            try connection.executeScript(Self.bookkeeping)
            try connection.setPragma("application_id", Int(applicationID))
        }
        try connection.executeScript(migration.sql)
        try connection.setPragma("user_version", migration.number)
        if migration.work == nil { try record(migration, in: connection) }
    }

    /// Does the remaining work of a step, slice by slice.
    private func finish(
        _ migration: Migration, _ work: MigrationWork, in connection: Connection,
        _ progress: (MigrationProgress) -> Void
    ) throws(SQLiteError) {
        let total = try work.remaining(connection)
        var done = 0
        if total > 0 { progress(MigrationProgress(name: migration.name, done: 0, total: total)) }
        while true {
            let moved = try connection.transaction { () throws(SQLiteError) in
                let moved = try work.moveSlice(connection)
                if moved == 0 { try record(migration, in: connection) }
                return moved
            }
            guard moved > 0 else { return }
            done += moved
            progress(MigrationProgress(name: migration.name, done: done, total: max(done, total)))
        }
    }

    /// Records a step in its last transaction, if it keeps every reference.
    private func record(
        _ migration: Migration, in connection: Connection
    ) throws(SQLiteError) {
        if migration.rebuildsTables {
            try connection.requireReferences(after: "make the schema's step \(migration.name)")
        }
        try connection.execute(
            .recordMigration, (migration.number, migration.name, migration.checksum))
    }

    private static let bookkeeping: SQL = """
        CREATE TABLE schema_migration (
            number   INTEGER PRIMARY KEY,  -- 1, 2, 3, …
            name     TEXT NOT NULL,
            checksum INTEGER NOT NULL      -- FNV-1a of the SQL that ran.
        ) STRICT
        """
}

extension Connection {
    /// Whether the database has the number of an application, or nothing yet.
    func isOwned(by applicationID: Int32) throws(SQLiteError) -> Bool {
        let owner = Int32(truncatingIfNeeded: try first(.applicationID) ?? 0)
        if owner == applicationID { return true }
        guard owner == 0 else { return false }
        return try first(.objectCount) == 0
    }

    /// Runs `body` without the checks and actions of foreign keys, which only a connection outside
    /// of a transaction can turn off.
    fileprivate func withoutForeignKeys(
        _ body: () throws(SQLiteError) -> Void
    ) throws(SQLiteError) {
        precondition(!isInTransaction, "Foreign keys cannot be turned off in a transaction.")
        try setPragma("foreign_keys", 0)
        let outcome = Result { () throws(SQLiteError) in try body() }
        try setPragma("foreign_keys", 1)
        try outcome.get()
    }

    /// - Throws: `isCorrupt` if a row refers to a missing one.
    fileprivate func requireReferences(after action: String) throws(SQLiteError) {
        guard let table = try first(.tableWithBrokenReference) else { return }
        throw SQLiteError(
            code: SQLITE_CORRUPT, message: "a row of \(table) refers to a missing one",
            action: action)
    }

    /// Writes the database's first page unchanged, to prove that the disk accepts a commit.
    ///
    /// - Precondition: A transaction is open; its commit reaches the disk.
    package func rewriteHeader() throws(SQLiteError) {
        try setPragma("user_version", Int(try first(.schemaVersion) ?? 0))
    }
}

extension Query where Input == Void, Output == Int64 {
    /// The number of the newest migration that has begun; zero in a new database.
    static var schemaVersion: Query {
        Query(sql: "PRAGMA user_version") { row in row.int64(0) }
    }
    fileprivate static var applicationID: Query {
        Query(sql: "PRAGMA application_id") { row in row.int64(0) }
    }
    fileprivate static var objectCount: Query {
        Query(sql: "SELECT count(*) FROM sqlite_schema") { row in row.int64(0) }
    }
    fileprivate static var appliedChecksums: Query {
        Query(sql: "SELECT checksum FROM schema_migration ORDER BY number") { row in row.int64(0) }
    }
}

extension Query where Input == Void, Output == String {
    fileprivate static var tableWithBrokenReference: Query {
        Query(sql: "PRAGMA foreign_key_check") { row in row.text(0) }
    }
}

extension Query where Input == (number: Int, name: String, checksum: Int64), Output == Void {
    fileprivate static var recordMigration: Query {
        Query(
            sql: "INSERT INTO schema_migration (number, name, checksum) VALUES (?1, ?2, ?3)",
            bind: { input, bindings in
                bindings.append(input.number)
                bindings.append(input.name)
                bindings.append(input.checksum)
            })
    }
}
