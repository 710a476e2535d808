// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostSQLite
import Testing

@testable import RoostStore

/// The bounds of the look-up caches.
struct LookUpBoundTests {
    /// One more than the look-ups that are kept.
    private static let count: Int64 = 20_001

    /// Makes a cache with a word for each row.
    private func filled() throws -> Connection {
        let connection = try Connection(.memory)
        try StoreSchema.current.cache.migrate(connection)
        try connection.executeScript(
            """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20001)
            INSERT INTO word (id, text) SELECT i, 'word ' || i FROM n
            """)
        return connection
    }

    @Test func `a reader drops its look-ups of words when there are too many`() throws {
        let connection = try filled()
        let session = ReadSession(connection, ReadLookUps(connection))
        session.begin(at: 1, nil)
        for row in 1...Self.count { _ = session.word(inRow: row) }
        try connection.executeScript("UPDATE word SET text = 'other' WHERE id = 1")
        let kept = session.word(inRow: 1)
        #expect(kept == "word 1")
        session.begin(at: 1, nil)
        let read = session.word(inRow: 1)
        #expect(read == "other")
    }

    @Test func `a reader drops its look-ups of channels' URLs when there are too many`() throws {
        let connection = try filled()
        try connection.executeScript(
            """
            INSERT INTO channel (id, url, created_at, last_message_at, membership)
            VALUES (1, 'first', 0, 0, 1)
            """)
        let session = ReadSession(connection, ReadLookUps(connection))
        session.begin(at: 1, nil)
        let known = try session.url(ofRow: 1)
        #expect(known == "first")
        for row in 2...Self.count { session.note("other", ofRow: row) }
        try connection.executeScript("UPDATE channel SET url = 'second'")
        session.begin(at: 1, nil)
        let read = try session.url(ofRow: 1)
        #expect(read == "second")
    }

    @Test func `a writer passes no look-ups on when there are too many words`() throws {
        let connection = try filled()
        let session = WriteSession(connection, me: "anna")
        for number in 1..<Self.count { _ = try session.words.row("word \(number)") }
        let areFew = session.lookUps(at: 1) != nil
        #expect(areFew)
        _ = try session.words.row("word \(Self.count)")
        let areMany = session.lookUps(at: 1) == nil
        #expect(areMany)
    }
}
