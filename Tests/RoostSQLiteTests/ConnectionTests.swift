// SPDX-License-Identifier: Apache-2.0

import Glibc
import RoostDiskSimulation
import RoostSQLite
import RoostTestSupport
import Testing

struct ConnectionTests {
    static let hostileTexts: [String] = [
        "", "null", "NULL", "'; DROP TABLE note; --", "a\"b'c`d", "before\0after", "\0",
        "👩‍👩‍👧‍👦🏳️‍🌈", "e\u{301}", "ﷺ", String(repeating: "ä", count: 10_000),
        String(repeating: "'", count: 10_000),
    ]

    @Test(arguments: hostileTexts.indices)
    func `any text passes through a statement unchanged and finds its row (scar 38)`(
        index: Int
    ) throws {
        let text = Self.hostileTexts[index]
        let connection = try NoteTable.open()
        try connection.execute(.insertNote, (text: "other", body: [9]))
        try connection.execute(.insertNote, (text: text, body: [1, 2, 3]))
        #expect(try connection.all(.noteTexts) == ["other", text])
        #expect(try connection.all(.noteBody, text) == [[1, 2, 3]])
        #expect(try connection.first(.noteCount) == 2)
    }

    @Test func `null and empty bytes are two values`() throws {
        let connection = try NoteTable.open()
        try connection.execute(.insertNote, (text: "absent", body: nil))
        try connection.execute(.insertNote, (text: "empty", body: []))
        #expect(try connection.all(.noteBody, "absent") == [nil])
        #expect(try connection.all(.noteBody, "empty") == [[]])
    }

    @Test func `numbers keep their extreme values`() throws {
        let connection = try Connection(.memory)
        let echo = Query<(Int64, Int64?, Double, Bool), [Int64?]>(
            sql: "SELECT ?1, ?2, CAST(?3 AS INTEGER), ?4",
            bind: { input, bindings in
                bindings.append(input.0)
                bindings.append(input.1)
                bindings.append(input.2)
                bindings.append(input.3)
            },
            decode: { row in (0..<4).map { row.optionalInt64($0) } })
        #expect(try connection.first(echo, (.max, nil, 2.5, true)) == [.max, nil, 2, 1])
        #expect(try connection.first(echo, (.min, .min, -1e30, false)) == [.min, .min, .min, 0])
    }

    @Test func `a nested use of a query has its own statement`() throws {
        let connection = try NoteTable.open()
        for text in ["a", "b"] { try connection.execute(.insertNote, (text: text, body: nil)) }
        var pairs: [String] = []
        let texts = Query<Void, String>.noteTexts
        try connection.forEach(texts, ()) { outer throws(SQLiteError) in
            try connection.forEach(texts, ()) { inner throws(SQLiteError) in
                pairs.append(outer + inner)
            }
        }
        #expect(pairs == ["aa", "ab", "ba", "bb"])
        #expect(connection.busyStatementCount == 0)
    }

    @Test func `no statement is busy after a call, finished or not (scar 50)`() throws {
        let connection = try NoteTable.open()
        for text in ["a", "b", "c"] { try connection.execute(.insertNote, (text: text, body: nil)) }
        #expect(try connection.first(.noteTexts) == "a")
        #expect(connection.busyStatementCount == 0)
        let failing = Query<Void, Int64>(sql: "SELECT id FROM note") { _ throws(SQLiteError) in
            throw .malformed("a note", because: "this test says so")
        }
        let error = #expect(throws: SQLiteError.self) { try connection.all(failing) }
        #expect(error?.isMalformedValue == true)
        #expect(connection.busyStatementCount == 0)
        _ = #expect(throws: SQLiteError.self) {
            try connection.execute(.insertNote, (text: "a", body: nil))
        }
        #expect(connection.busyStatementCount == 0)
    }

    @Test func `the cache keeps statements up to its capacity`() throws {
        let connection = try NoteTable.open(
            .memory, ConnectionOptions(statementCapacity: 2))
        connection.dropStatements()
        #expect(try connection.first(.noteCount) == 0)
        #expect(try connection.first(.noteCount) == 0)
        #expect(connection.preparedStatementCount == 1)
        #expect(try connection.first(.noteTexts) == nil)
        #expect(try connection.first(.noteBody, "x") == nil)
        #expect(connection.preparedStatementCount == 2)
        connection.dropStatements()
        #expect(connection.preparedStatementCount == 0)
    }

    @Test func `a text bound to one execution does not reach the next`() throws {
        let connection = try NoteTable.open()
        try connection.execute(
            .insertNote, (text: String(repeating: "x", count: 200_000), body: []))
        try connection.execute(.insertNote, (text: "short", body: nil))
        #expect(try connection.all(.noteTexts).map(\.utf8.count) == [200_000, 5])
        #expect(try connection.all(.noteBody, "short") == [nil])
    }

    @Test func `execute counts the changed rows`() throws {
        let connection = try NoteTable.open()
        for text in ["a", "b", "c"] { try connection.execute(.insertNote, (text: text, body: nil)) }
        let deletion = Query<Void, Void>(sql: "DELETE FROM note WHERE text > 'a'")
        #expect(try connection.execute(deletion) == 2)
        #expect(try connection.execute(deletion) == 0)
    }

    @Test func `a plan distinguishes a search from a scan`() throws {
        let connection = try NoteTable.open()
        let byText = try connection.plan(of: Query<String, [UInt8]?>.noteBody)
        #expect(byText == ["SEARCH note USING INDEX sqlite_autoindex_note_1 (text=?)"])
        #expect(try connection.plan(of: Query<Void, String>.noteTexts) == ["SCAN note"])
    }

    @Test func `a misspelled name in double quotes is an error`() throws {
        let connection = try NoteTable.open()
        let query = Query<Void, String>(sql: "SELECT \"txet\" FROM note") { row in row.text(0) }
        _ = #expect(throws: SQLiteError.self) { try connection.all(query) }
    }

    @Test func `an error names the statement and none of its values`() throws {
        let connection = try NoteTable.open()
        try connection.execute(.insertNote, (text: "my secret", body: nil))
        let error = #expect(throws: SQLiteError.self) {
            try connection.execute(.insertNote, (text: "my secret", body: nil))
        }
        #expect(error?.isConstraint == true)
        #expect(error?.code == 2067)
        #expect(
            error?.description
                == """
                SQLite could not run: INSERT INTO note (text, body) VALUES (?1, ?2): UNIQUE \
                constraint failed: note.text (code 2067).
                """)
    }

    @Test(arguments: [0, 3, 3_000])
    func `read-ahead accepts a file that is shorter, longer, empty or missing (scar 153)`(
        count: Int
    ) throws {
        var options = ConnectionOptions()
        options.readAheadKiB = 320
        let folder = try TemporaryFolder()
        let file = DatabaseLocation.file(folder.file("notes.sqlite"))
        for location in [file, .memory] {
            let connection = try NoteTable.open(location, options)
            for number in 0..<count {
                let body = [UInt8](repeating: 7, count: 300)
                try connection.execute(.insertNote, (text: "\(number)", body: body))
            }
        }
        let again = try Connection(file, options)
        #expect(try again.first(.noteCount) == Int64(count))
        options.access = .readOnly
        #expect(try Connection(file, options).first(.noteCount) == Int64(count))
    }

    @Test func `a failed read-ahead leaves the page to the later read (scar 45)`() throws {
        var options = ConnectionOptions()
        options.readAheadKiB = 320
        let folder = try TemporaryFolder()
        let file = DatabaseLocation.file(folder.file("notes.sqlite"))
        try NoteTable.open(file).execute(.insertNote, (text: "one", body: []))
        let disk = SimulatedDisk(folder.path)
        // The first read is SQLite's read of the file header. The second is the read-ahead, whose
        // error is ignored.
        disk.plan(.init(.read, of: "notes.sqlite", nth: 2, code: 266))
        #expect(try Connection(file, options).first(.noteCount) == 1)
        #expect(disk.matches > 2)
        disk.plan(.init(.read, of: "notes.sqlite", nth: 2, code: 266))
        #expect(throws: SQLiteError.self) { try Connection(file).first(.noteCount) }
        disk.plan(nil)
    }

    @Test(arguments: [(EDQUOT, true), (EIO, false)])
    func `a used-up quota counts as a full disk, and another failed write does not`(
        systemError: Int32, isFull: Bool
    ) throws {
        let folder = try TemporaryFolder()
        let file = DatabaseLocation.file(folder.file("notes.sqlite"))
        let disk = SimulatedDisk(folder.path)
        let connection = try NoteTable.open(file)
        // SQLite knows the write as failed, and no more.
        disk.plan(.init(.write, of: "notes.sqlite", code: 778, systemError: systemError))
        let error = #expect(throws: SQLiteError.self) {
            try connection.execute(.insertNote, (text: "one", body: nil))
        }
        #expect(error?.isFull == isFull)
        #expect(error?.isIO == !isFull)
        // The next failure is none of a call of the system, which would have set its error.
        disk.plan(.init(.write, of: "notes.sqlite", code: 778))
        let next = #expect(throws: SQLiteError.self) {
            try connection.execute(.insertNote, (text: "two", body: nil))
        }
        disk.plan(nil)
        #expect(next?.isIO == true)
        #expect(try connection.first(.noteCount) == 0)
    }

    @Test func `a query with too few arguments stops the program`() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let connection = try NoteTable.open()
            let query = Query<String, Int64>(
                sql: "SELECT ?1 + ?2", bind: { text, bindings in bindings.append(text) },
                decode: { row in row.int64(0) })
            _ = try connection.all(query, "one")
        }
        // An error that the closure throws ends the process with a failure, too.
        let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(output.contains("A statement takes 2 arguments and was given 1"))
    }
}
