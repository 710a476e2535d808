// SPDX-License-Identifier: Apache-2.0

import RoostSQLite
import RoostStore

/// The work of a connection since it was opened.
struct StoreCosts: Sendable {
    /// Written rows, those inside the index of words included.
    let writtenRows: Int64
    /// Pages read from the file.
    let readPages: Int
    let statements: Int

    init(writtenRows: Int64, readPages: Int, statements: Int) {
        self.writtenRows = writtenRows
        self.readPages = readPages
        self.statements = statements
    }

    init(of connection: Connection) throws(SQLiteError) {
        // Before the query below, which is a statement too.
        statements = connection.runCount
        readPages = connection.readPageCount
        let changes = Query<Void, Int64>(sql: "SELECT total_changes()") { $0.int64(0) }
        writtenRows = try connection.first(changes) ?? 0
    }
}

extension StoreWriter {
    func costs() async throws(StoreError) -> StoreCosts {
        try await withConnection { connection throws(SQLiteError) in
            try StoreCosts(of: connection)
        }
    }

    /// Makes the disk full beyond a number of pages; nil lifts the limit.
    func limitPages(to count: Int?) async throws(StoreError) {
        try await withConnection { connection throws(SQLiteError) in
            try connection.limitPages(to: count ?? 1_000_000_000)
        }
    }

    /// The number of pages of the file, those in the log included.
    func pageCount() async throws(StoreError) -> Int {
        try await withConnection { connection throws(SQLiteError) in
            Int(try connection.first(Query(sql: "PRAGMA page_count") { $0.int64(0) }) ?? 0)
        }
    }

    /// The number of busy statements; zero between any two calls (scar 50).
    func busyStatementCount() async throws(StoreError) -> Int {
        try await withConnection { connection throws(SQLiteError) in connection.busyStatementCount }
    }
}

extension StoreReader {
    func costs() async throws(StoreError) -> StoreCosts {
        try await withConnection { connection throws(SQLiteError) in
            try StoreCosts(of: connection)
        }
    }
}
