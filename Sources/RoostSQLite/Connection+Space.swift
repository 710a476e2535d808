// SPDX-License-Identifier: Apache-2.0

/// The sizes of a database, as its connection counts them.
package struct DatabaseSpace: Equatable, Sendable {
    package let pageSize: Int
    package let pageCount: Int
    /// The number of unused pages; the next insertions fill them, `giveBackPages` returns them.
    package let freePageCount: Int

    /// The size of the used pages, which a budget limits.
    ///
    /// The length of the file is no measure: it shrinks later than its content (scar 152).
    package var usedBytes: Int64 { Int64(pageCount - freePageCount) * Int64(pageSize) }
    /// The size of the main file once the log is written into it.
    package var fileBytes: Int64 { Int64(pageCount) * Int64(pageSize) }
}

extension Connection {
    /// Counts pages.
    ///
    /// It reads only the file's first page, so it may be called after any commit.
    package func space() throws(SQLiteError) -> DatabaseSpace {
        DatabaseSpace(
            pageSize: Int(try first(.pageSize) ?? 0), pageCount: Int(try first(.pageCount) ?? 0),
            freePageCount: Int(try first(.freePageCount) ?? 0))
    }

    /// Returns free pages to the system in one transaction; the file gets shorter with the next
    /// checkpoint.
    ///
    /// - Returns: The number of returned pages. Zero if none is free, and for a file made without
    ///   `auto_vacuum = INCREMENTAL`: only `rewrite` shrinks that.
    package func giveBackPages(upTo limit: Int) throws(SQLiteError) -> Int {
        precondition(limit > 0, "SQLite reads zero as all pages: the limit must be positive.")
        let before = try first(.freePageCount) ?? 0
        guard before > 0 else { return 0 }
        try setPragma("incremental_vacuum", limit)
        return Int(before - (try first(.freePageCount) ?? 0))
    }

    /// Rewrites the database without its free pages, and empties the log unless a reader uses it.
    package func compact() throws(SQLiteError) {
        try executeScript("VACUUM")
        try emptyLog()
    }

    /// Writes the log into the main file and empties it.
    ///
    /// A log can be emptied only while no reader uses it, so overlapping readers would let it grow
    /// without bound (scar 150). The call waits for the present readers; later readers do not need
    /// the log.
    ///
    /// - Parameter patienceMS: The longest wait for readers, and the longest delay of the writer.
    /// - Returns: False if a reader outlasted that. The log was then written in part, and the next
    ///   call does the rest.
    /// - Throws: `isFull` or `isIO` if the main file cannot be written; the log still has
    ///   everything.
    @discardableResult
    package func emptyLog(patienceMS: Int = 100) throws(SQLiteError) -> Bool {
        // Not `PRAGMA busy_timeout`, which would replace our way of waiting by SQLite's for good.
        busyPolicy.shorten(to: Int32(clamping: patienceMS))
        defer { busyPolicy.shorten(to: nil) }
        return try first(.emptyLog) == 0
    }

    /// Empties the log before the main file is moved, or because the log shows plaintext.
    ///
    /// - Throws: `isBusy` if a reader still uses the log; otherwise as `emptyLog`.
    package func emptyWholeLog() throws(SQLiteError) {
        guard try emptyLog() else { throw .logInUse }
    }
}

extension Query where Input == Void, Output == Int64 {
    fileprivate static var pageSize: Query { Query(sql: "PRAGMA page_size") { $0.int64(0) } }
    fileprivate static var pageCount: Query { Query(sql: "PRAGMA page_count") { $0.int64(0) } }
    fileprivate static var freePageCount: Query {
        Query(sql: "PRAGMA freelist_count") { $0.int64(0) }
    }
    fileprivate static var emptyLog: Query {
        Query(sql: "PRAGMA wal_checkpoint(TRUNCATE)") { $0.int64(0) }
    }
}
