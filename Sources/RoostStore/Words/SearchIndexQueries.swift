// SPDX-License-Identifier: Apache-2.0

internal import RoostSQLite

extension Query where Input == Void, Output == Void {
    // The index is in `main`, also if the file of a cache is attached. The tokenizer's arguments
    // are those of `WordTokenizer`.
    static let createSearchTable = Query(
        sql: """
            CREATE VIRTUAL TABLE message_text USING fts5(
                text, tag, content = '', columnsize = 0,
                tokenize = 'unicode61 remove_diacritics 2 categories ''L* N* Co Mn Mc'''
            )
            """)

    static let createSearchState = Query(
        sql: """
            CREATE TABLE message_text_state (
                id         INTEGER PRIMARY KEY CHECK (id = 1),
                format     INTEGER NOT NULL,  -- SearchIndex.format.
                floor      INTEGER NOT NULL,  -- Messages from this ID on are in message_text.
                backfilled INTEGER NOT NULL
            ) STRICT
            """)

    static let dropSearchTable = Query(sql: "DROP TABLE IF EXISTS main.message_text")
    static let dropSearchState = Query(sql: "DROP TABLE IF EXISTS main.message_text_state")

    // Each commit adds a segment to the index. Segments of one size are merged when there are
    // eight, or sixteen during a fill, so a word is moved less often. A search for the newest
    // messages reads, in each segment, the leaf that ends with the word from its beginning; a short
    // leaf is read faster. Figures: docs/adr/0014-two-leaves-to-a-page.md.

    static let putTwoLeavesOnPage = Query(
        sql: "INSERT INTO message_text (message_text, rank) VALUES ('pgsz', 2000)")

    static let mergeSeldom = Query(
        sql: "INSERT INTO message_text (message_text, rank) VALUES ('automerge', 16)")
    static let mergeOften = Query(
        sql: "INSERT INTO message_text (message_text, rank) VALUES ('automerge', 8)")

    static let clearSearchTable = Query(
        sql: "INSERT INTO message_text (message_text) VALUES ('delete-all')")
}

extension Query where Input == Void, Output == Bool {
    static let hasSearchState = Query(
        sql: """
            SELECT EXISTS (
                SELECT 1 FROM main.sqlite_schema WHERE name = 'message_text_state'
            )
            """
    ) { row in row.int64(0) != 0 }
}

extension Query where Input == Void, Output == Int64 {
    /// The size of the index of words, from the number of the last leaf in each segment that begins
    /// a word.
    ///
    /// A page of the file contains 4,061 bytes of one row or of several; a leaf has 4,050 by
    /// default.
    static let searchIndexBytes = Query(
        sql: """
            SELECT ifnull(sum(leaves), 0) * 4096 / (
                4061 / ifnull((SELECT v FROM message_text_config WHERE k = 'pgsz'), 4050)
            )
            FROM (SELECT max(pgno) >> 1 AS leaves FROM message_text_idx GROUP BY segid)
            """
    ) { row in row.int64(0) }

    /// The version of the schema, different after each change by any connection.
    static let schemaVersion = Query(sql: "PRAGMA main.schema_version") { row in row.int64(0) }
}

extension Query where Input == Void, Output == (format: Int64, state: SearchIndex.State) {
    static let searchState = Query(
        sql: "SELECT format, floor, backfilled FROM message_text_state"
    ) { row in
        (row.int64(0), SearchIndex.State(floor: row.int64(1), backfilled: Int(row.int64(2))))
    }
}

extension Query where Input == SearchIndex.State, Output == Void {
    static let putSearchState = Query(
        sql:
            "REPLACE INTO message_text_state (id, format, floor, backfilled) VALUES (1, ?1, ?2, ?3)",
        bind: { state, bindings in
            bindings.append(SearchIndex.format)
            bindings.append(state.floor)
            bindings.append(state.backfilled)
        })
}

extension Query where Input == SearchEntry, Output == Void {
    static let addSearchEntry = Query(
        sql: "INSERT INTO message_text (rowid, text, tag) VALUES (?1, ?2, ?3)",
        bind: { entry, bindings in bindings.append(entry) })

    static let removeSearchEntry = Query(
        sql: """
            INSERT INTO message_text (message_text, rowid, text, tag) VALUES ('delete', ?1, ?2, ?3)
            """,
        bind: { entry, bindings in bindings.append(entry) })
}
