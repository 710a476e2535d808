// SPDX-License-Identifier: Apache-2.0

internal import RoostModel
internal import RoostSQLite

/// The progress of indexing the cached messages.
package struct SearchProgress: Equatable, Sendable {
    /// The messages added to the index afterwards, without those added by their own commits.
    package let backfilled: Int
    /// The number of cached messages.
    package let total: Int
    package let isComplete: Bool
}

extension StoreWriter {
    /// Makes the index that the file should have.
    ///
    /// A failure, for example on a full disk, does not prevent the opening: `indexSome` tries
    /// again.
    func prepareIndex(in place: SearchPlace) throws(StoreError) {
        searchPlace = place
        switch place {
        case .nowhere: break
        case .memory:
            try inspect { connection throws(SQLiteError) in
                guard try connection.first(.hasSearchState) == true else { return }
                try connection.transaction { () throws(SQLiteError) in
                    try SearchIndex.drop(from: connection)
                }
            }
        case .database:
            do throws(StoreError) {
                _ = try indexIsThere()
            } catch  where error.kind == .closed {
                throw error
            } catch {
                return
            }
        }
    }

    /// Adds the next messages to the index, the newest first; to be repeated until complete.
    ///
    /// - Parameter limit: The number of messages in this step; other commits wait meanwhile, about
    ///   20 ms for 2,000.
    /// - Returns: The progress; complete at once if the store has no search.
    /// - Throws: `.searchUnavailable` if this SQLite has no full-text search; `.full` and other
    ///   errors, after which the step may be repeated.
    package func indexSome(limit: Int = 2_000) async throws(StoreError) -> SearchProgress {
        precondition(limit > 0, "A step of no message would never end.")
        return try await inTurn { () throws(StoreError) in try indexNext(limit) }
    }

    /// As `indexSome`, for work that has its turn.
    func indexNext(_ limit: Int = 2_000) throws(StoreError) -> SearchProgress {
        guard searchPlace == .database else {
            return SearchProgress(backfilled: 0, total: 0, isComplete: true)
        }
        let wasThere = try indexIsThere()
        return try inspect { connection throws(SQLiteError) in
            let total = Int(try connection.first(.messageTotal) ?? 0)
            let known = wasThere ? try SearchIndex(in: connection) : nil
            if let known, known.state.isComplete { return SearchProgress(known.state, of: total) }
            return try connection.transaction { () throws(SQLiteError) in
                // Read again, because the write lock is held only from here on.
                guard var index = try SearchIndex(in: connection) else {
                    return SearchProgress(backfilled: 0, total: total, isComplete: false)
                }
                let rows = SearchedRows(connection)
                try index.backfill(limit: limit) { below, limit throws(SQLiteError) in
                    try rows.entries(below: below, limit: limit)
                }
                return SearchProgress(index.state, of: total)
            }
        }
    }

    /// Makes the index if there is none.
    ///
    /// - Returns: Whether there was one.
    private func indexIsThere() throws(StoreError) -> Bool {
        do throws(StoreError) {
            return try inspect { connection throws(SQLiteError) in
                if try SearchIndex(in: connection) != nil { return true }
                return try connection.transaction { () throws(SQLiteError) in
                    // Another process may have made the index before this one had the lock.
                    if try SearchIndex(in: connection) != nil { return true }
                    let isEmpty = try connection.first(.hasMessage) != true
                    _ = try SearchIndex.make(in: connection, isCacheEmpty: isEmpty)
                    return false
                }
            }
        } catch {
            // For a missing module SQLite reports only the code "error".
            guard error.kind == .unexpected else { throw error }
            throw .searchUnavailable(cause: error.cause)
        }
    }
}

/// Decodes messages for the index of words, without looking up users.
final class SearchedRows: RowResolver {
    let connection: Connection

    init(_ connection: Connection) { self.connection = connection }

    var rowSeals: RowSeals? { connection.seals }

    func user(inRow row: Int64) -> User { User(id: UserID("")) }

    func word(inRow row: Int64) -> String { "" }

    func url(ofRow row: Int64) throws(SQLiteError) -> ChannelURL { ChannelURL("") }

    func checkNames() throws(SQLiteError) {}

    /// Returns the entries of messages below an ID, in falling order.
    func entries(below id: Int64, limit: Int) throws(SQLiteError) -> [SearchEntry] {
        var entries: [SearchEntry] = []
        entries.reserveCapacity(limit)
        try connection.scan(.messagesBelow, (id, limit)) { row throws(SQLiteError) in
            // An unreadable message cannot be found until the server sends it again.
            entries.append(
                try readable(row).map { SearchEntry($0.message, channelRow: row.int64(0)) }
                    ?? SearchEntry(messageID: row.int64(2), channelRow: row.int64(0), text: ""))
            return true
        }
        return entries
    }
}

extension SearchProgress {
    init(_ state: SearchIndex.State, of total: Int) {
        self.init(backfilled: state.backfilled, total: total, isComplete: state.isComplete)
    }
}

extension Query where Input == Void, Output == Bool {
    fileprivate static let hasMessage = Query(
        sql: "SELECT EXISTS (SELECT 1 FROM message)"
    ) { row in row.int64(0) != 0 }
}

extension Query where Input == Void, Output == Int64 {
    /// The number of cached messages from the sums of the budget; counting would read an index.
    ///
    /// `sum` fails with an overflow after a damage of the numbers; this sum becomes the largest
    /// number.
    static let messageTotal = Query(sql: "SELECT CAST(total(message_count) AS INTEGER) FROM held") {
        row in row.int64(0)
    }
}

extension Query where Input == (below: Int64, limit: Int), Output == Void {
    static let messagesBelow = Query(
        sql: """
            SELECT channel_id, created_at, message_id, payload FROM message INDEXED BY message_by_id WHERE message_id < ?1
            ORDER BY message_id DESC LIMIT ?2
            """,
        bind: { input, bindings in
            bindings.append(input.below)
            bindings.append(input.limit)
        })
}
