// SPDX-License-Identifier: Apache-2.0

internal import CRoostSQLite

extension Connection {
    /// Runs `body` as one transaction: all of it is kept, or nothing.
    ///
    /// The write lock is taken before the body runs, because a lock asked for half-way can be refused
    /// after work was done. Transactions do not nest.
    ///
    /// - Throws: What `body` or the commit threw first; the database is as before the call.
    @discardableResult
    package func transaction<T>(
        _ body: () throws(SQLiteError) -> T
    ) throws(SQLiteError) -> T {
        var value: T?
        try bracket("BEGIN IMMEDIATE") { () throws(SQLiteError) in value = try body() }
        guard let value else { preconditionFailure("A transaction that was kept has run.") }
        return value
    }

    /// Runs `body` on one unchanging state of the database, that of its first query.
    package func withSnapshot(
        _ body: () throws(SQLiteError) -> Void
    ) throws(SQLiteError) {
        try bracket("BEGIN DEFERRED", body)
    }

    /// The same, on the state that the only row of `query` is from; without a row, on any.
    ///
    /// The statement stands on its row until the body is done. That holds the state as a transaction does,
    /// without a statement to begin it and another to end it.
    package func withSnapshot<First>(
        of query: Query<Void, First>, _ body: (First?) throws(SQLiteError) -> Void
    ) throws(SQLiteError) {
        precondition(!isInTransaction, "A read was begun inside a transaction.")
        isInTransaction = true
        defer { isInTransaction = false }
        var hasRow = false
        try scan(query, ()) { row throws(SQLiteError) in
            hasRow = true
            try body(query.decode(row))
            return false
        }
        guard !hasRow else { return }
        isInTransaction = false
        try withSnapshot { () throws(SQLiteError) in try body(nil) }
    }

    /// The same for a body with errors of its own, on any database: the number of its schema is asked for.
    ///
    /// - Returns: How the body ended.
    package func outcomeOnOneState<T, E>(
        of body: () throws(E) -> T
    ) throws(SQLiteError) -> Result<T, E> {
        var outcome: Result<T, E>?
        try withSnapshot(of: .schemaVersion) { _ throws(SQLiteError) in
            outcome = Result { () throws(E) in try body() }
        }
        guard let outcome else { preconditionFailure("A read that did not fail has run.") }
        return outcome
    }

    /// The same for a body that answers.
    package func snapshot<T>(
        _ body: () throws(SQLiteError) -> T
    ) throws(SQLiteError) -> T {
        var value: T?
        try bracket("BEGIN DEFERRED") { () throws(SQLiteError) in value = try body() }
        guard let value else { preconditionFailure("A read that did not fail has run.") }
        return value
    }

    /// Writes the database anew without its free pages, and empties the log.
    package func compact() throws(SQLiteError) {
        try executeScript("VACUUM")
        try emptyLog()
    }

    /// Writes what the log holds into the main file, as far as no reader needs it, and empties it.
    package func emptyLog() throws(SQLiteError) {
        try executeScript("PRAGMA wal_checkpoint(TRUNCATE)")
    }

    /// Not generic, because what is generic is compiled once for all types, and slow.
    private func bracket(
        _ begin: SQL, _ body: () throws(SQLiteError) -> Void
    ) throws(SQLiteError) {
        precondition(
            !isInTransaction,
            "A transaction was begun inside another: do the work of both in the outer one.")
        do {
            // SQLite looks at the interrupter when a statement has ended, too: one that began a transaction
            // may be told as interrupted.
            try execute(Query(sql: begin))
            isInTransaction = true
            defer { isInTransaction = false }
            try body()
            try commit()
        } catch {
            rollBack()
            throw error
        }
    }

    /// Keeps the transaction, whatever is to be interrupted meanwhile.
    private func commit() throws(SQLiteError) {
        try patience.committing { () throws(SQLiteError) in try execute(.commit) }
    }

    /// Whether no transaction is open any more.
    private var hasNoTransaction: Bool {
        // SAFETY: the handle lives as long as `self`.
        unsafe sqlite3_get_autocommit(handle) != 0
    }

    /// Undoes what is left to undo: after a full disk SQLite has already done so by itself.
    private func rollBack() {
        guard !hasNoTransaction else { return }
        do {
            try executeScript("ROLLBACK")  // An interrupter does not keep it from running.
        } catch {
            // The first error is the one to tell. SQLite fails here only when it cannot read its own
            // log, and then the next `BEGIN` says so.
        }
    }
}

extension Query where Input == Void, Output == Void {
    fileprivate static var commit: Query { Query(sql: "COMMIT") }
}
