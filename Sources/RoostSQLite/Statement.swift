// SPDX-License-Identifier: Apache-2.0

internal import CRoostSQLite

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// One prepared statement; used by one execution at a time, freed with its last reference.
@safe final class Statement {
    let sql: SQL
    private let handle: OpaquePointer
    // SAFETY: see `Connection`.
    @exclusivity(unchecked) var bindings: Bindings

    /// Compiles a statement for repeated use.
    init(_ sql: SQL, in database: OpaquePointer) throws(SQLiteError) {
        var compiled: OpaquePointer?
        // SAFETY: the database outlives its statements: `Connection` drops them before it closes.
        let code = unsafe sql.withUTF8 { text, count in
            unsafe sqlite3_prepare_v3(
                database, text, count, UInt32(SQLITE_PREPARE_PERSISTENT), &compiled, nil)
        }
        guard code == SQLITE_OK else {
            throw unsafe SQLiteError(of: database, code: code, action: "prepare: \(sql)")
        }
        guard let compiled = unsafe compiled else {
            preconditionFailure("A query holds no statement, only blanks or comments: \(sql)")
        }
        self.sql = sql
        unsafe self.handle = compiled
        unsafe self.bindings = unsafe Bindings(handle: compiled)
    }

    deinit {
        // SAFETY: this object is the handle's only owner. The result repeats an earlier error.
        _ = unsafe sqlite3_finalize(handle)
    }

    /// Runs the statement with its bindings and lends each row; the statement is reset afterwards.
    ///
    /// - Parameter body: Returns whether it needs another row.
    /// - Throws: The error of SQLite or the body.
    func run(
        _ body: (borrowing Row) throws(SQLiteError) -> Bool
    ) throws(SQLiteError) {
        // SAFETY: `handle` and its database live as long as `self`.
        let row = unsafe Row(handle: handle)
        let handle = unsafe self.handle
        try unsafe bindings.whileLent { () throws(SQLiteError) in
            // A statement that is not reset holds its lock for ever (scar 50); the result only
            // repeats the error of `step`.
            defer { _ = unsafe sqlite3_reset(handle) }
            while true {
                let code = unsafe sqlite3_step(handle)
                if code == SQLITE_DONE { return }
                guard code == SQLITE_ROW else {
                    throw unsafe SQLiteError(
                        of: sqlite3_db_handle(handle), code: code, action: "run: \(sql)")
                }
                guard try body(row) else { return }
            }
        }
    }
}

extension SQLiteError {
    /// Reads the error of the call that has just failed, before any other call of the system.
    init(of database: OpaquePointer?, code: Int32, action: String) {
        // SAFETY: the caller's handle is alive; with nil SQLite answers "out of memory". The
        // message is copied before it can be replaced.
        let extended = unsafe database == nil ? code : sqlite3_extended_errcode(database)
        let known = extended == SQLITE_OK ? code : extended
        // For SQLite only a full disk is full; the system has an error of its own for a used-up
        // quota. `sqlite3_system_errno` does not have it if a commit fails. Only failed calls set
        // `errno`, so it is taken once, and for errors of writing only.
        let isQuota = isOfWriting(known) && errno == EDQUOT
        if isQuota { errno = 0 }
        self.init(
            code: isQuota ? SQLITE_FULL : known,
            message: unsafe String(cString: sqlite3_errmsg(database)), action: action)
    }
}

/// Returns whether an extended code says that a write, or a call that takes room, has failed.
private func isOfWriting(_ code: Int32) -> Bool {
    // The codes are macros with an expression, which Swift does not import.
    guard code & 0xFF == SQLITE_IOERR else { return false }
    // WRITE, FSYNC, DIR_FSYNC, TRUNCATE, SHMSIZE and COMMIT_ATOMIC.
    return [3, 4, 5, 6, 19, 30].contains(code >> 8)
}
