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
        try bracket("BEGIN IMMEDIATE", body)
    }

    /// Runs `body` on one unchanging state of the database, that of its first query.
    package func snapshot<T>(
        _ body: () throws(SQLiteError) -> T
    ) throws(SQLiteError) -> T {
        try bracket("BEGIN DEFERRED", body)
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

    /// Sets how many pages the log may hold before a commit carries them over into the file.
    ///
    /// A short log makes single commits fast, a long one bulk loads: a page that changes ten times is
    /// carried over once.
    package func carryOver(every pages: Int32) {
        // SAFETY: the handle lives as long as `self`; the call only notes the number.
        _ = unsafe sqlite3_wal_autocheckpoint(handle, pages)
    }

    private func bracket<T>(
        _ begin: SQL, _ body: () throws(SQLiteError) -> T
    ) throws(SQLiteError) -> T {
        precondition(
            !isInTransaction,
            "A transaction was begun inside another: do the work of both in the outer one.")
        try execute(Query(sql: begin))
        isInTransaction = true
        defer { isInTransaction = false }
        do {
            let value = try body()
            try execute(.commit)
            return value
        } catch {
            rollBack()
            throw error
        }
    }

    /// Undoes what is left to undo: after a full disk SQLite has already done so by itself.
    private func rollBack() {
        // SAFETY: the handle lives as long as `self`.
        guard unsafe sqlite3_get_autocommit(handle) == 0 else { return }
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
