// SPDX-License-Identifier: Apache-2.0

import RoostSQLite
import RoostTestSupport
import Testing

struct TransactionTests {
    @Test func `a transaction keeps all or nothing and throws the first error`() throws {
        let connection = try NoteTable.open()
        let error = #expect(throws: SQLiteError.self) {
            try connection.transaction { () throws(SQLiteError) in
                try connection.execute(.insertNote, (text: "a", body: nil))
                throw .malformed("a page", because: "it ends too early")
            }
        }
        #expect(error == .malformed("a page", because: "it ends too early"))
        #expect(try connection.first(.noteCount) == 0)
        let count = try connection.transaction { () throws(SQLiteError) in
            try connection.execute(.insertNote, (text: "a", body: nil))
        }
        #expect(count == 1)
        #expect(try connection.first(.noteCount) == 1)
    }

    @Test func `a snapshot does not see later commits`() throws {
        let folder = try TemporaryFolder()
        let file = DatabaseLocation.file(folder.file("notes.sqlite"))
        let writer = try NoteTable.open(file)
        let reader = try Connection(file, ConnectionOptions(access: .readOnly))
        try reader.snapshot { () throws(SQLiteError) in
            #expect(try reader.first(.noteCount) == 0)
            try writer.execute(.insertNote, (text: "late", body: nil))
            #expect(try reader.first(.noteCount) == 0)
        }
        #expect(try reader.first(.noteCount) == 1)
    }

    @Test func `reads with typed errors share one state, and an error ends it`() throws {
        struct Refusal: Error {}
        let folder = try TemporaryFolder()
        let file = DatabaseLocation.file(folder.file("notes.sqlite"))
        let writer = try NoteTable.open(file)
        let reader = try Connection(file, ConnectionOptions(access: .readOnly))
        let counts = try reader.outcomeOnOneState(of: { () throws(SQLiteError) in
            let before = try reader.first(.noteCount)
            try writer.execute(.insertNote, (text: "late", body: nil))
            return [before, try reader.first(.noteCount)]
        })
        #expect(try counts.get() == [0, 0])
        let refused = try reader.outcomeOnOneState(of: { () throws(Refusal) in throw Refusal() })
        #expect(throws: Refusal.self) { try refused.get() }
        #expect(reader.busyStatementCount == 0)
        #expect(try reader.first(.noteCount) == 1)
    }

    @Test func `a nested transaction stops the program`() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let connection = try NoteTable.open()
            try connection.transaction { () throws(SQLiteError) in
                try connection.snapshot { () throws(SQLiteError) in }
            }
        }
        // An error that the closure throws ends the process with a failure, too.
        let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(output.contains("A transaction was begun inside another"))
    }

    @Test func `a second writer gets the error busy`() throws {
        let folder = try TemporaryFolder()
        let file = DatabaseLocation.file(folder.file("notes.sqlite"))
        let first = try NoteTable.open(file)
        let second = try Connection(file, ConnectionOptions(busyTimeoutMS: 0))
        try first.transaction { () throws(SQLiteError) in
            let error = #expect(throws: SQLiteError.self) {
                try second.execute(.insertNote, (text: "second", body: nil))
            }
            #expect(error?.isBusy == true)
            try first.execute(.insertNote, (text: "first", body: nil))
        }
        try second.execute(.insertNote, (text: "second", body: nil))
        #expect(try first.all(.noteTexts) == ["first", "second"])
    }

    @Test func `a full disk undoes the transaction, and free space lets work continue (scar 45)`()
        throws
    {
        let folder = try TemporaryFolder()
        let connection = try NoteTable.open(.file(folder.file("notes.sqlite")))
        try connection.execute(.insertNote, (text: "before", body: nil))
        try connection.executeScript("PRAGMA max_page_count = 16")
        let error = #expect(throws: SQLiteError.self) {
            try connection.transaction { () throws(SQLiteError) in
                for index in 0..<100 {
                    try connection.execute(
                        .insertNote,
                        (text: "note \(index)", body: Array(repeating: 7, count: 4_000)))
                }
            }
        }
        #expect(error?.isFull == true)
        #expect(connection.busyStatementCount == 0)
        #expect(try connection.all(.noteTexts) == ["before"])
        try connection.executeScript("PRAGMA max_page_count = 1000")
        try connection.transaction { () throws(SQLiteError) in
            try connection.execute(.insertNote, (text: "after", body: nil))
        }
        #expect(try connection.all(.noteTexts) == ["before", "after"])
    }

    @Test func `the last connection empties the log and keeps the data`() throws {
        let folder = try TemporaryFolder()
        do {
            let connection = try NoteTable.open(.file(folder.file("notes.sqlite")))
            try connection.execute(.insertNote, (text: "kept", body: nil))
            #expect(
                try folder.contents()
                    == ["notes.sqlite", "notes.sqlite-shm", "notes.sqlite-wal"])
        }
        #expect(try folder.contents() == ["notes.sqlite"])
        let again = try Connection(.file(folder.file("notes.sqlite")))
        #expect(try again.all(.noteTexts) == ["kept"])
    }
}
