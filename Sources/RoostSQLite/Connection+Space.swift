// SPDX-License-Identifier: Apache-2.0

/// Where a database's bytes are, as its connection counts them.
package struct DatabaseSpace: Hashable, Sendable {
    package let pageSize: Int
    package let pageCount: Int
    /// Pages that hold nothing; the next insertions fill them, `giveBackPages` returns them.
    package let freePageCount: Int

    /// Bytes of the pages that hold something: what a budget is held against.
    ///
    /// The length of the file would not do: it shrinks later than its content (scar 152).
    package var usedBytes: Int64 { Int64(pageCount - freePageCount) * Int64(pageSize) }
    /// Bytes of the main file once the log is written into it.
    package var fileBytes: Int64 { Int64(pageCount) * Int64(pageSize) }
}

extension Connection {
    /// Counts pages; reads the file's first page and nothing else, so it may be asked after any commit.
    package func space() throws(SQLiteError) -> DatabaseSpace {
        DatabaseSpace(
            pageSize: Int(try first(.pageSize) ?? 0), pageCount: Int(try first(.pageCount) ?? 0),
            freePageCount: Int(try first(.freePageCount) ?? 0))
    }

    /// Returns up to so many free pages to the system, as one transaction; the file gets shorter with
    /// the next checkpoint.
    ///
    /// - Returns: How many were returned. Zero when none is free, and for a file that was made without
    ///   `auto_vacuum = INCREMENTAL`: only `rewrite` shrinks that.
    package func giveBackPages(upTo limit: Int) throws(SQLiteError) -> Int {
        precondition(limit > 0, "SQLite takes zero pages for all pages: name a number.")
        let before = try first(.freePageCount) ?? 0
        guard before > 0 else { return 0 }
        try setPragma("incremental_vacuum", limit)
        return Int(before - (try first(.freePageCount) ?? 0))
    }

    /// Writes the log into the main file and empties it.
    ///
    /// A log is emptied only while nobody reads from it, so readers that overlap without a pause would
    /// let it grow for ever (scar 150). This waits for those that read now; who comes meanwhile does
    /// not need the log any more.
    ///
    /// - Parameter patienceMS: How long to wait for readers; the writer is held up as long.
    /// - Returns: False when a reader outlasted that; the log was written as far as he allows, and the
    ///   next call does the rest.
    /// - Throws: `isFull` or `isIO` when the main file cannot be written; the log still has everything.
    @discardableResult
    package func emptyLog(patienceMS: Int = 100) throws(SQLiteError) -> Bool {
        // Not `PRAGMA busy_timeout`, which would put SQLite's own waiting in the place of ours for good.
        patience.shorten(to: Int32(clamping: patienceMS))
        defer { patience.shorten(to: nil) }
        return try first(.emptyLog) == 0
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
