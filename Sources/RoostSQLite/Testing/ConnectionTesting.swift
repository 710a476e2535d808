// SPDX-License-Identifier: Apache-2.0

// Probes for tests: plans, counts of work, a limit of pages.

internal import CRoostSQLite

extension Connection {
    /// Returns SQLite's plan for a query, one line per step.
    package func plan<Input, Output>(
        of query: Query<Input, Output>
    ) throws(SQLiteError) -> [String] {
        var compiled: OpaquePointer?
        // SAFETY: the text is lent for the call; the handle is ours and outlives the statement.
        let code = unsafe sqlite3_prepare_v2(
            handle, "EXPLAIN QUERY PLAN \(query.sql)", -1, &compiled, nil)
        defer { _ = unsafe sqlite3_finalize(compiled) }
        guard code == SQLITE_OK else {
            throw unsafe SQLiteError(of: handle, code: code, action: "explain: \(query.sql)")
        }
        var steps: [String] = []
        // SAFETY: the text of a row is copied before the next step.
        while unsafe sqlite3_step(compiled) == SQLITE_ROW {
            if let detail = unsafe sqlite3_column_text(compiled, 3) {
                steps.append(unsafe String(cString: detail))
            }
        }
        return steps
    }

    /// Runs a checkpoint, as far as no reader blocks it.
    package func checkpointNow() { unsafe checkpoints.checkpoint(handle, nil) }

    /// Limits the file to a number of pages; beyond it, writing fails as on a full disk.
    package func limitPages(to count: Int) throws(SQLiteError) {
        try setPragma("max_page_count", count)
    }

    /// The number of pages that this connection had to read from the file.
    package var readPageCount: Int {
        var (count, highest): (Int32, Int32) = (0, 0)
        // SAFETY: the handle is ours; both places are lent for the call.
        _ = unsafe sqlite3_db_status(
            handle, SQLITE_DBSTATUS_CACHE_MISS, &count, &highest, 0)
        return Int(count)
    }

    /// The number of statements that were stepped and not reset; zero between any two calls (scar
    /// 50).
    package var busyStatementCount: Int {
        var count = 0
        // SAFETY: the handle is ours; a nil statement asks for the first.
        var statement = unsafe sqlite3_next_stmt(handle, nil)
        while let current = unsafe statement {
            if unsafe sqlite3_stmt_busy(current) != 0 { count += 1 }
            unsafe statement = sqlite3_next_stmt(handle, current)
        }
        return count
    }

    /// The number of runs of the cached statements; dropped statements are not counted.
    package var runCount: Int {
        var count = 0
        // SAFETY: as above.
        var statement = unsafe sqlite3_next_stmt(handle, nil)
        while let current = unsafe statement {
            count += Int(unsafe sqlite3_stmt_status(current, SQLITE_STMTSTATUS_RUN, 0))
            unsafe statement = sqlite3_next_stmt(handle, current)
        }
        return count
    }

    /// The number of prepared statements, cached or in use.
    package var preparedStatementCount: Int {
        var count = 0
        // SAFETY: as above.
        var statement = unsafe sqlite3_next_stmt(handle, nil)
        while let current = unsafe statement {
            count += 1
            unsafe statement = sqlite3_next_stmt(handle, current)
        }
        return count
    }
}
