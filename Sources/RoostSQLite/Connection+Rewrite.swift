// SPDX-License-Identifier: Apache-2.0

internal import CRoostSQLite

extension Connection {
    /// Replaces the database by a copy of its remaining rows, in one transaction.
    ///
    /// The copy is made beside the database, in `PATH-rewrite`, and then written back page by page.
    /// Readers, in other processes too, keep their state and see the new one next. A crash leaves
    /// the old state or the new one. The rewrite needs twice the size of the remaining rows as free
    /// space.
    ///
    /// Data without a table column are lost: numbers of rows without a primary key, statistics. The
    /// numbers of `AUTOINCREMENT` continue. A virtual table is empty afterwards unless `fill` fills
    /// it.
    ///
    /// - Parameters:
    ///   - chosen: The tables whose remaining rows `fill` copies; all others are copied whole.
    ///   - expectedBytes: The expected size of the copy, so that the call fails early if there is
    ///     no room.
    ///   - fill: Runs on a connection where `main` is the copy, with all its tables and without its
    ///     unfinished indexes, and `live` one unchanging state of this database.
    ///   - goesOn: Called while pages are written back; false ends the call without effect.
    /// - Throws: `isFull`; `isBusy` if another connection wrote meanwhile or is rewriting too;
    ///   `isInterrupted` after `goesOn` returned false; the error of `fill`. The database is
    ///   unchanged, and the copy is deleted.
    package func rewrite(
        choosing chosen: Set<String>, expectedBytes: Int64 = 0,
        _ fill: (Connection) throws(SQLiteError) -> Void,
        goesOn: (_ writtenPages: Int, _ ofPages: Int) -> Bool = { _, _ in true }
    ) throws(SQLiteError) {
        precondition(!isInTransaction, "A rewrite is a transaction by itself.")
        let path = self.path
        precondition(!path.isEmpty, "A database in memory has no file to rewrite.")
        let files = DatabaseFiles(path)
        try files.requireRoom(for: expectedBytes > .max / 2 ? .max : 2 * expectedBytes)
        let lock = try files.lockCopy()
        files.removeCopy()  // That of a killed rewrite.
        let outcome = Result { () throws(SQLiteError) in
            try gather(in: files, choosing: chosen, fill, goesOn)
        }
        files.removeCopy()
        // Not sooner: the next owner of the lock makes a copy under the same name.
        _ = consume lock
        try outcome.get()
        dropStatements()
        // The rewrite is done; a log that cannot be emptied now is emptied later.
        _ = try? emptyLog()
    }

    /// Makes the copy and writes it back; the copy is closed when this returns or throws.
    private func gather(
        in files: DatabaseFiles, choosing chosen: Set<String>,
        _ fill: (Connection) throws(SQLiteError) -> Void, _ goesOn: (Int, Int) -> Bool
    ) throws(SQLiteError) {
        let copy = try Connection(.file(files.copy), interrupter: busyPolicy.interrupter)
        try copy.becomeCopy()
        let version = try copy.copyRows(of: files.path, choosing: chosen, fill)
        try files.requireRoom(for: try copy.space().fileBytes)
        try writeBack(copy, ifStillAt: version, goesOn)
    }

    /// The path of the database; empty in memory.
    private var path: String {
        // SAFETY: the handle is ours; the text is copied at once.
        unsafe sqlite3_db_filename(handle, "main").map { unsafe String(cString: $0) } ?? ""
    }

    private func becomeCopy() throws(SQLiteError) {
        try executeScript(
            """
            PRAGMA journal_mode = MEMORY;   -- A copy that fails is thrown away.
            PRAGMA synchronous = OFF;
            PRAGMA foreign_keys = OFF;      -- They hold in what is copied, but not in its order.
            PRAGMA secure_delete = FAST;    -- No page carries what stood in its memory before.
            PRAGMA auto_vacuum = INCREMENTAL;
            VACUUM;                         -- The setting above counts from here on.
            """)
    }

    /// Fills an empty database from the one at `path`.
    ///
    /// - Returns: The version of the copied state, for a later comparison.
    private func copyRows(
        of path: String, choosing chosen: Set<String>,
        _ fill: (Connection) throws(SQLiteError) -> Void
    ) throws(SQLiteError) -> Int64 {
        try execute(.attachLive, path)
        // Deferred, so that the live database is read without a lock, and other connections can
        // write to it.
        let version = try snapshot { () throws(SQLiteError) in
            let version = try first(.liveVersion)
            let objects = try all(.liveObjects)
            try setPragma("application_id", Int(try first(.liveApplicationID) ?? 0))
            try setPragma("user_version", Int(try first(.liveUserVersion) ?? 0))
            for object in objects where object.comesFirst { try make(object) }
            for object in objects where object.isCopied && !chosen.contains(object.name) {
                let name = "\"\(object.name.replacing("\"", with: "\"\""))\""
                try run("INSERT INTO main.\(name) SELECT * FROM live.\(name)", "copy \(name)")
            }
            try fill(self)
            // SQLite makes this table with the first one that needs it, and never drops it.
            if try first(.hasSequences) == true {
                try executeScript(
                    """
                    DELETE FROM main.sqlite_sequence;
                    INSERT INTO main.sqlite_sequence SELECT * FROM live.sqlite_sequence
                    """)
            }
            for object in objects where !object.comesFirst { try make(object) }
            return version
        }
        return version ?? 0
    }

    private func make(_ object: SchemaObject) throws(SQLiteError) {
        try run(object.sql, "make \(object.name) again")
    }

    /// Runs a statement of the schema itself.
    private func run(_ text: String, _ action: String) throws(SQLiteError) {
        // SAFETY: the text is lent for the call; the handle is ours.
        let code = unsafe sqlite3_exec(handle, text, nil, nil, nil)
        guard code == SQLITE_OK else {
            throw unsafe SQLiteError(of: handle, code: code, action: action)
        }
    }

    private func writeBack(
        _ copy: Connection, ifStillAt version: Int64, _ goesOn: (Int, Int) -> Bool
    ) throws(SQLiteError) {
        let action = "rewrite the database"
        // SAFETY: both handles are ours, distinct, and outlive the backup, which is finished below.
        guard let backup = unsafe sqlite3_backup_init(handle, "main", copy.handle, "main") else {
            throw unsafe SQLiteError(of: handle, code: SQLITE_ERROR, action: action)
        }
        var refusal: SQLiteError?
        // The first step takes the write lock, so no commit can come between the comparison and the
        // end.
        var code = unsafe sqlite3_backup_step(backup, 1)
        if code == SQLITE_OK || code == SQLITE_DONE {
            do throws(SQLiteError) {
                if try copy.first(.liveVersion) != version {
                    refusal = SQLiteError(
                        code: SQLITE_BUSY, message: "another connection wrote meanwhile",
                        action: action)
                }
            } catch {
                refusal = error
            }
        }
        while code == SQLITE_OK, refusal == nil {
            code = unsafe sqlite3_backup_step(backup, 1_024)
            let total = Int(unsafe sqlite3_backup_pagecount(backup))
            let written = total - Int(unsafe sqlite3_backup_remaining(backup))
            if code == SQLITE_OK, !goesOn(written, total) || busyPolicy.interrupter.isRaised {
                refusal = SQLiteError(
                    code: SQLITE_INTERRUPT, message: "it was interrupted", action: action)
            }
        }
        // An unfinished backup is undone by `finish`.
        let finished = unsafe sqlite3_backup_finish(backup)
        if let refusal { throw refusal }
        guard code == SQLITE_DONE, finished == SQLITE_OK else {
            let failure = finished == SQLITE_OK ? code : finished
            throw SQLiteError(
                code: failure, message: unsafe String(cString: sqlite3_errstr(failure)),
                action: action)
        }
    }
}

/// One line of the schema.
private struct SchemaObject {
    let name: String
    let sql: String
    /// Whether the object is made before the rows: tables, and partial indexes.
    ///
    /// A partial index costs little per row, and a scan of the table afterwards. A full index is
    /// made faster from all rows at once.
    let comesFirst: Bool
    /// Whether it is an ordinary table.
    let isCopied: Bool
}

extension Query where Input == String, Output == Void {
    fileprivate static var attachLive: Query {
        Query(sql: "ATTACH ?1 AS live", bind: { path, bindings in bindings.append(path) })
    }
}

extension Query where Input == Void, Output == Int64 {
    /// Changes with every commit of another connection.
    fileprivate static var liveVersion: Query {
        Query(sql: "PRAGMA live.data_version") { $0.int64(0) }
    }
    fileprivate static var liveApplicationID: Query {
        Query(sql: "PRAGMA live.application_id") { $0.int64(0) }
    }
    fileprivate static var liveUserVersion: Query {
        Query(sql: "PRAGMA live.user_version") { $0.int64(0) }
    }
}

extension Query where Input == Void, Output == Bool {
    /// Whether a table of the copy has numbers that are never used again.
    fileprivate static var hasSequences: Query {
        Query(
            sql: "SELECT EXISTS (SELECT 1 FROM main.sqlite_schema WHERE name = 'sqlite_sequence')"
        ) { $0.int64(0) != 0 }
    }
}

extension Query where Input == Void, Output == SchemaObject {
    /// Every declared object; SQLite makes its internal ones by itself.
    fileprivate static var liveObjects: Query {
        Query(
            sql: """
                SELECT s.name, s.sql,
                       s.type = 'table'
                         OR (s.type = 'index' AND coalesce(
                              (SELECT i.partial FROM pragma_index_list(s.tbl_name, 'live') AS i
                               WHERE i.name = s.name), 0)),
                       s.type = 'table' AND l.type = 'table'
                FROM live.sqlite_schema AS s
                LEFT JOIN pragma_table_list AS l ON l.schema = 'live' AND l.name = s.name
                WHERE s.sql IS NOT NULL AND s.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
                  AND coalesce(l.type, '') <> 'shadow'
                ORDER BY s.type <> 'table', s.rowid
                """
        ) { row in
            SchemaObject(
                name: row.text(0), sql: row.text(1), comesFirst: row.int64(2) != 0,
                isCopied: row.int64(3) != 0)
        }
    }
}
