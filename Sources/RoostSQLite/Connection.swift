// SPDX-License-Identifier: Apache-2.0

internal import CRoostSQLite

/// One open database.
///
/// Every call blocks its thread until SQLite has answered, so a connection belongs to an actor with
/// an executor of its own (`ThreadExecutor`). It is not `Sendable`, and SQLite's own locks are off.
/// The handle is freed with the last reference.
///
/// - Invariant: Between two calls no statement is busy and no transaction is open (scars 49, 50).
@safe package final class Connection {
    let handle: OpaquePointer
    // SAFETY: as for the bindings of a `Statement`: one thread at a time uses a connection, and no two
    // uses of the variable overlap, so the check at run time, which a query would pay several times, could
    // find nothing.
    @exclusivity(unchecked) private var statements: StatementCache
    let busyPolicy: BusyPolicy
    let checkpoints = CheckpointPolicy()
    var isInTransaction = false
    /// Whether full-text queries can be ordered by relevance.
    var hasRelevance = false
    /// The number of the schema that was found to have no index of words.
    package var schemaWithoutWords: Int64?
    /// State that the layer above keeps for this database; it must not keep a reference to the
    /// connection.
    package var companion: AnyObject?

    /// Opens a database and prepares it for use: see `Connection+Opening.swift`.
    ///
    /// The interrupter ends the work of this connection, from any thread; one may serve several.
    ///
    /// - Throws: `isCannotOpen` if the file or folder cannot be opened, `isNotADatabase` for a file
    ///   of another kind, `isReadOnly` if it may not be written, `isBusy`; the file is unchanged.
    package init(
        _ location: DatabaseLocation, _ options: ConnectionOptions = ConnectionOptions(),
        interrupter: Interrupter = Interrupter()
    ) throws(SQLiteError) {
        unsafe handle = try Self.openHandle(location, options)
        unsafe statements = StatementCache(capacity: options.statementCapacity)
        busyPolicy = BusyPolicy(interrupter, busyTimeoutMS: options.busyTimeoutMS)
        try prepareForUse(location, options)
    }

    deinit {
        unsafe statements.removeAll()
        // SAFETY: this object is the handle's only owner and its statements are gone.
        let code = unsafe sqlite3_close(handle)
        precondition(code == SQLITE_OK, "A database was closed while a statement was in use.")
    }

    /// Runs a query and passes each decoded row to `body`, which may use the connection.
    package func forEach<Input, Output>(
        _ query: Query<Input, Output>, _ input: Input,
        _ body: (Output) throws(SQLiteError) -> Void
    ) throws(SQLiteError) {
        try run(query, input) { row throws(SQLiteError) in
            try body(query.decode(row))
            return true
        }
    }

    /// Runs a query and lends each row undecoded, so that unneeded rows are never decoded.
    ///
    /// The body returns whether it needs another row, and may use the connection.
    package func scan<Input, Output>(
        _ query: Query<Input, Output>, _ input: Input,
        _ body: (borrowing Row) throws(SQLiteError) -> Bool
    ) throws(SQLiteError) {
        try run(query, input, body)
    }

    /// Returns all rows of a query in order; the query should have a limit.
    package func all<Input, Output>(
        _ query: Query<Input, Output>, _ input: Input
    ) throws(SQLiteError) -> [Output] {
        var rows: [Output] = []
        try run(query, input) { row throws(SQLiteError) in
            rows.append(try query.decode(row))
            return true
        }
        return rows
    }

    /// Returns the first row of a query, and does not look for further rows.
    package func first<Input, Output>(
        _ query: Query<Input, Output>, _ input: Input
    ) throws(SQLiteError) -> Output? {
        var found: Output?
        try run(query, input) { row throws(SQLiteError) in
            found = try query.decode(row)
            return false
        }
        return found
    }

    /// Runs a statement that changes rows.
    ///
    /// - Returns: The number of rows inserted, updated or deleted.
    @discardableResult
    package func execute<Input>(
        _ query: Query<Input, Void>, _ input: Input
    ) throws(SQLiteError) -> Int {
        try run(query, input) { _ throws(SQLiteError) in true }
        // SAFETY: the handle lives as long as `self`.
        return Int(unsafe sqlite3_changes64(handle))
    }

    /// Prepares a query before its first use.
    ///
    /// An error is thrown by the query's first run instead.
    package func prepare<Input, Output>(_ query: Query<Input, Output>) {
        if let statement = try? statement(query.sql) { unsafe statements.putBack(statement) }
    }

    /// Drops every prepared statement, as after a change of the schema.
    package func dropStatements() {
        unsafe statements.removeAll()
    }

    private func run<Input, Output>(
        _ query: Query<Input, Output>, _ input: Input,
        _ body: (borrowing Row) throws(SQLiteError) -> Bool
    ) throws(SQLiteError) {
        let statement = try statement(query.sql)
        defer { unsafe statements.putBack(statement) }
        unsafe query.bind(input, &statement.bindings)
        try run(statement, body)
    }

    // Both without type parameters: generic code is compiled once for all types, and is slow.

    private func statement(_ sql: SQL) throws(SQLiteError) -> Statement {
        guard !busyPolicy.interrupter.isRaised else { throw .interrupted(sql) }
        if let kept = unsafe statements.take(sql) { return kept }
        do throws(SQLiteError) {
            return try unsafe Statement(sql, in: handle)  // Reads the schema before the first one.
        } catch {
            throw translated(error)
        }
    }

    private func run(
        _ statement: Statement, _ body: (borrowing Row) throws(SQLiteError) -> Bool
    ) throws(SQLiteError) {
        do throws(SQLiteError) {
            try statement.run(body)
        } catch {
            throw translated(error)
        }
    }

    /// Returns the error to throw: an interruption if the interrupter ended the wait for a lock.
    func translated(_ error: SQLiteError) -> SQLiteError {
        guard error.isBusy, busyPolicy.interrupter.isRaised else { return error }
        return SQLiteError(code: SQLITE_INTERRUPT, message: "interrupted", action: error.action)
    }
}

extension Connection {
    package func all<Output>(_ query: Query<Void, Output>) throws(SQLiteError) -> [Output] {
        try all(query, ())
    }

    package func first<Output>(_ query: Query<Void, Output>) throws(SQLiteError) -> Output? {
        try first(query, ())
    }

    @discardableResult
    package func execute(_ query: Query<Void, Void>) throws(SQLiteError) -> Int {
        try execute(query, ())
    }

    /// Runs statements in order, without arguments and without reading rows.
    package func executeScript(_ script: SQL) throws(SQLiteError) {
        // SAFETY: a literal is lent for the call and ends in a NUL; the handle is ours.
        let code = unsafe script.withUTF8 { text, _ in
            unsafe sqlite3_exec(handle, text, nil, nil, nil)
        }
        guard code == SQLITE_OK else {
            throw translated(unsafe SQLiteError(of: handle, code: code, action: "run: \(script)"))
        }
    }
}

extension SQLiteError {
    fileprivate static func interrupted(_ sql: SQL) -> SQLiteError {
        SQLiteError(code: SQLITE_INTERRUPT, message: "interrupted", action: "run: \(sql)")
    }
}
