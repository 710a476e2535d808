// SPDX-License-Identifier: Apache-2.0

// The words of all messages, in a table that contains no texts.
//
// The table (FTS5, contentless) lists for each word the messages that contain it. Its row number is
// the message's ID, so the table is in the order of newest first.
//
// The table cannot return its texts. Removing a message needs its old text, and removing one that
// was never added damages the table. So one number decides which messages are indexed: every
// message from `floor` on, none before it. A new cache starts with all messages indexed, an old one
// with none. `backfill` lowers the floor step by step, each in the transaction that adds the
// messages. A commit changes only the part above the floor.
//
// The table stores no text lengths. They would be a fifth of the pages written by a commit and a
// sixth of the index. Short texts gain little from them in the ranking
// (`Connection.defineRelevance`). The channel's tag takes 6 of about 50 bytes a message, and makes
// a common word in a small channel ten times as fast. Prefixes of two letters would take 40 bytes
// more.

package import RoostSQLite

/// Keeps the index of a database in step with its messages, inside the caller's transaction.
///
/// A sealed cache has its index in a database in memory, because words on disk would reveal the
/// encrypted content. `backfill` fills it like that of an old cache.
package struct SearchIndex {
    /// The progress of indexing.
    package struct State: Equatable, Sendable {
        /// Messages from this ID on are indexed; `.min` when all are.
        package let floor: Int64
        /// The number of messages that backfilling has added so far, to show progress.
        package let backfilled: Int

        package var isComplete: Bool { floor == .min }
    }

    /// The version of the table and of the treatment of texts before indexing.
    ///
    /// An index of another version is replaced. Version 1 did not treat all canonically equal texts
    /// alike.
    static let format: Int64 = 2

    private let connection: Connection
    package private(set) var state: State

    /// The index of a database at the beginning of a transaction.
    ///
    /// - Returns: Nil if the database has no index of this version; then make one.
    package init?(in connection: Connection) throws(SQLiteError) {
        guard let stored = try Self.stored(in: connection), stored.format == Self.format
        else { return nil }
        self.connection = connection
        state = stored.state
    }

    /// Queried without a check for the table, which nearly always exists; the check costs as much
    /// as the query.
    ///
    /// If the table is missing, SQLite takes longer to report that than to write a message. So the
    /// answer is kept as long as the schema does not change.
    private static func stored(
        in connection: Connection
    ) throws(SQLiteError) -> (format: Int64, state: State)? {
        if let known = connection.schemaWithoutWords {
            if try connection.first(.schemaVersion) == known { return nil }
            connection.schemaWithoutWords = nil
        }
        do throws(SQLiteError) {
            return try connection.first(.searchState)
        } catch {
            guard try connection.first(.hasSearchState) == false else { throw error }
            connection.schemaWithoutWords = try connection.first(.schemaVersion)
            return nil
        }
    }

    /// Makes an empty index, in place of any other.
    ///
    /// With `isCacheEmpty` there is no message yet, and the index is complete from the start.
    /// Throws if this SQLite was built without full-text search; the cache works without an index.
    package static func make(
        in connection: Connection, isCacheEmpty: Bool
    ) throws(SQLiteError) -> SearchIndex {
        try drop(from: connection)
        try connection.execute(.createSearchTable)
        try arrange(in: connection, isToBeFilled: !isCacheEmpty)
        try connection.execute(.createSearchState)
        let state = State(floor: isCacheEmpty ? .min : .max, backfilled: 0)
        try connection.execute(.putSearchState, state)
        guard let index = try SearchIndex(in: connection) else {
            throw .malformed("the search index", because: "it is gone right after it was made")
        }
        return index
    }

    /// Sets the layout of an empty table in the file; also needed for the new table of a copy.
    package static func arrange(
        in connection: Connection, isToBeFilled: Bool
    ) throws(SQLiteError) {
        try connection.execute(.putTwoLeavesOnPage)
        try connection.execute(isToBeFilled ? .mergeSeldom : .mergeOften)
    }

    /// Returns the approximate size of the index in the file, now or after a rewrite; 0 without one.
    package static func byteCount(in connection: Connection) throws(SQLiteError) -> Int64 {
        guard try connection.first(.hasSearchState) == true else { return 0 }
        return try connection.first(.searchIndexBytes) ?? 0
    }

    /// Removes the index; does nothing to a database without one.
    package static func drop(from connection: Connection) throws(SQLiteError) {
        try connection.execute(.dropSearchTable)
        try connection.execute(.dropSearchState)
    }

    /// Adds a message that is new in the cache.
    ///
    /// - Precondition: The message was not cached before; for a change use `replace`.
    package func insert(_ entry: SearchEntry) throws(SQLiteError) {
        guard entry.messageID >= state.floor else { return }
        try add(entry)
    }

    /// Removes a deleted message.
    ///
    /// The entry must equal the one that was inserted or last replaced, byte for byte.
    package func remove(_ entry: SearchEntry) throws(SQLiteError) {
        guard entry.messageID >= state.floor, !entry.text.isEmpty else { return }
        try connection.execute(.removeSearchEntry, entry)
    }

    /// Replaces the entry of a changed message; both have the same ID.
    package func replace(_ old: SearchEntry, with new: SearchEntry) throws(SQLiteError) {
        precondition(old.messageID == new.messageID, "A message keeps its ID.")
        // Texts are compared by their bytes: the system's Unicode may be newer than the index's, and
        // take texts for equal that have different words.
        if old.channelRow == new.channelRow, old.text.utf8.elementsEqual(new.text.utf8) { return }
        try remove(old)
        try insert(new)
    }

    /// Removes all entries, because the cache has no message any more.
    package mutating func removeAll() throws(SQLiteError) {
        try connection.execute(.clearSearchTable)
        if !state.isComplete { try connection.execute(.mergeOften) }
        try store(State(floor: .min, backfilled: state.backfilled))
    }

    /// Removes all words, to be added again by `backfill`.
    ///
    /// Needed when an unreadable message is deleted, because its indexed words are unknown.
    package mutating func startAnew() throws(SQLiteError) {
        try connection.execute(.clearSearchTable)
        try connection.execute(.mergeSeldom)
        try store(State(floor: .max, backfilled: 0))
    }

    /// Adds the next messages below the floor, newest first; to be repeated until complete.
    ///
    /// Runs in a transaction of the caller; 2,000 messages take about 20 ms. The closure returns at
    /// most the given number of messages below the given ID, those with the highest IDs, in falling
    /// order; fewer only if no more exist.
    package mutating func backfill(
        limit: Int,
        _ messages: (_ below: Int64, _ limit: Int) throws(SQLiteError) -> [SearchEntry]
    ) throws(SQLiteError) {
        precondition(limit > 0, "A step of no message would never end.")
        guard !state.isComplete else { return }
        let entries = try messages(state.floor, limit)
        // Added in rising order: before each number lower than the last one, the table writes all
        // its pending entries.
        for entry in entries.reversed() { try add(entry) }
        try store(
            State(
                floor: entries.count < limit ? .min : entries[entries.count - 1].messageID,
                backfilled: state.backfilled + entries.count))
        if state.isComplete { try connection.execute(.mergeOften) }
    }

    private func add(_ entry: SearchEntry) throws(SQLiteError) {
        // A message without words is not indexed, which saves its entry and its tag.
        guard !entry.text.isEmpty else { return }
        try connection.execute(.addSearchEntry, entry)
    }

    private mutating func store(_ new: State) throws(SQLiteError) {
        try connection.execute(.putSearchState, new)
        state = new
    }
}
