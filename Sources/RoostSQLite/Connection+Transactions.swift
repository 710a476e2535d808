// SPDX-License-Identifier: Apache-2.0

internal import CRoostSQLite

extension Connection {
    /// Runs `body` as one transaction, which is kept whole or not at all.
    ///
    /// The write lock is taken before the body runs, because a later request for it can fail after
    /// work was done. Transactions do not nest.
    ///
    /// - Throws: The first error of `body` or the commit; the database is as before the call.
    @discardableResult
    package func transaction<T>(
        _ body: () throws(SQLiteError) -> T
    ) throws(SQLiteError) -> T {
        var value: T?
        try bracket("BEGIN IMMEDIATE") { () throws(SQLiteError) in value = try body() }
        guard let value else { preconditionFailure("A committed transaction has a value.") }
        return value
    }

    /// Runs `body` on one unchanging state of the database, that of its first query.
    package func withSnapshot(
        _ body: () throws(SQLiteError) -> Void
    ) throws(SQLiteError) {
        try bracket("BEGIN DEFERRED", body)
    }

    /// Runs `body` on the state of the only row of `query`; without a row, on any state.
    ///
    /// The statement stays at its row until the body is done. That holds the state as a transaction
    /// does, without one statement to begin it and another to end it.
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

    /// Runs a body with typed errors on one state, in any database: the query for the schema's
    /// number holds the state.
    ///
    /// - Returns: The result of the body.
    package func outcomeOnOneState<T, E>(
        of body: () throws(E) -> T
    ) throws(SQLiteError) -> Result<T, E> {
        var outcome: Result<T, E>?
        try withSnapshot(of: .schemaVersion) { _ throws(SQLiteError) in
            outcome = Result { () throws(E) in try body() }
        }
        guard let outcome else { preconditionFailure("A successful read has a value.") }
        return outcome
    }

    /// Runs `body` on one unchanging state and returns its result.
    package func snapshot<T>(
        _ body: () throws(SQLiteError) -> T
    ) throws(SQLiteError) -> T {
        var value: T?
        try bracket("BEGIN DEFERRED") { () throws(SQLiteError) in value = try body() }
        guard let value else { preconditionFailure("A successful read has a value.") }
        return value
    }

    /// Runs a transaction.
    ///
    /// Not generic: generic code is compiled once for all types, and is slow.
    private func bracket(
        _ begin: SQL, _ body: () throws(SQLiteError) -> Void
    ) throws(SQLiteError) {
        precondition(
            !isInTransaction,
            "A transaction was begun inside another: do the work of both in the outer one.")
        do {
            // SQLite checks the interrupter also at the end of a statement, so a statement that
            // began a transaction may be reported as interrupted.
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

    /// Commits the transaction; no interruption ends this.
    private func commit() throws(SQLiteError) {
        try busyPolicy.committing { () throws(SQLiteError) in try execute(.commit) }
    }

    /// Whether no transaction is open.
    private var hasNoTransaction: Bool {
        // SAFETY: the handle lives as long as `self`.
        unsafe sqlite3_get_autocommit(handle) != 0
    }

    /// Undoes an open transaction; after a full disk SQLite has already done so.
    private func rollBack() {
        guard !hasNoTransaction else { return }
        do {
            try executeScript("ROLLBACK")  // An interrupter does not prevent this.
        } catch {
            // The first error is the one to throw. SQLite fails here only if it cannot read its own
            // log, and then the next `BEGIN` reports that.
        }
    }
}

extension Query where Input == Void, Output == Void {
    fileprivate static var commit: Query { Query(sql: "COMMIT") }
}
