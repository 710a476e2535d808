// SPDX-License-Identifier: Apache-2.0

internal import CRoostSQLite

extension Connection {
    /// Returns SQLite's plan for a query, one line per step; tests pin it.
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

    /// Returns SQLite's findings about damage in the file, at most `limit`; empty if the file is
    /// intact.
    ///
    /// With `comparesIndices` each row is looked up in the indexes, and the reverse.
    ///
    /// - Complexity: Reads the whole file once; with the indexes, some ten times slower.
    package func damage(
        limit: Int = 100, comparesIndices: Bool = false
    ) throws(SQLiteError) -> [String] {
        let check = Query<Int, String>(
            sql: comparesIndices
                ? "SELECT integrity_check FROM pragma_integrity_check(?1)"
                : "SELECT quick_check FROM pragma_quick_check(?1)",
            bind: { limit, bindings in bindings.append(limit) },
            decode: { row in row.text(0) })
        do {
            let findings = try all(check, limit)
            return findings == ["ok"] ? [] : findings
        } catch  where error.isCorrupt {
            return [error.message]  // Too damaged for a list of findings.
        }
    }

    /// Returns SQLite's first finding about damage in the file; nil if the file is intact.
    ///
    /// As `damage`, and faster to begin: a number in the statement needs no table of findings.
    package func firstDamage(comparesIndices: Bool = false) throws(SQLiteError) -> String? {
        let check =
            comparesIndices
            ? Query<Void, String>(sql: "PRAGMA integrity_check(1)") { row in row.text(0) }
            : Query<Void, String>(sql: "PRAGMA quick_check(1)") { row in row.text(0) }
        do {
            let finding = try first(check)
            return finding == "ok" ? nil : finding
        } catch  where error.isCorrupt {
            return error.message  // Too damaged for a list of findings.
        }
    }

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
