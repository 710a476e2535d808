// SPDX-License-Identifier: Apache-2.0

import Glibc
import RoostSQLite
import RoostTestSupport
import Testing

extension Query where Input == String, Output == Void {
    fileprivate static var insertWords: Query {
        Query(
            sql: "INSERT INTO words (text) VALUES (?1)",
            bind: { text, bindings in bindings.append(text) })
    }
}

extension Query where Input == Void, Output == Int64 {
    fileprivate static var endless: Query {
        Query(
            sql: """
                WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n) SELECT i FROM n
                """
        ) { row in row.int64(0) }
    }

    /// Never comes to a first row.
    fileprivate static var endlessCount: Query {
        Query(
            sql: """
                WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n)
                SELECT count(*) FROM n
                """
        ) { row in row.int64(0) }
    }
}

struct InterrupterTests {
    @Test func `a read without end is ended from another thread, and may be tried again (scar 49)`()
        throws
    {
        let interrupter = Interrupter()
        let connection = try Connection(.memory, interrupter: interrupter)
        for _ in 0..<10 {
            var rows = 0
            let error = #expect(throws: SQLiteError.self) {
                try connection.forEach(.endless, ()) { _ in
                    rows += 1
                    if rows == 10 { Thread.run { interrupter.raise() } }
                }
            }
            #expect(error?.isInterrupted == true)
            #expect(rows >= 10)
            #expect(connection.busyStatementCount == 0)
            interrupter.lower()
        }
        Thread.run { interrupter.raise() }
        let error = #expect(throws: SQLiteError.self) { try connection.first(.endlessCount) }
        #expect(error?.isInterrupted == true)
    }

    /// With words, the index writes its pages during the commit.
    @Test(arguments: [false, true])
    func `an interrupted transaction is undone, and a kept one is not told so (scar 49)`(
        hasWords: Bool
    ) throws {
        let folder = try TemporaryFolder(inMemory: true)
        let place = DatabaseLocation.file(folder.file("notes.sqlite"))
        let interrupter = Interrupter()
        let connection = try Connection(place, interrupter: interrupter)
        try connection.executeScript(NoteTable.schema)
        try connection.executeScript("CREATE VIRTUAL TABLE words USING fts5(text)")
        let other = try Connection(place, ConnectionOptions(busyTimeoutMS: 0))
        // At every place of a statement, its very end too, some time.
        let isOver = Flag()
        Thread.run {
            while !isOver.isSet {
                interrupter.raise()
                interrupter.lower()
            }
        }
        defer { isOver.set() }
        var interruptions = 0
        for number in 0..<(hasWords ? 1_000 : 4_000) {
            var isKept = true
            let text = (0..<(hasWords ? 1_000 : 0)).map { "w\($0)x\(number)" }
                .joined(separator: " ")
            do {
                try connection.transaction { () throws(SQLiteError) in
                    try connection.execute(.insertNote, (text: "\(number)", body: nil))
                    if hasWords { try connection.execute(.insertWords, text) }
                }
            } catch {
                #expect(error.isInterrupted, "\(number): \(error)")
                interruptions += 1
                isKept = false
            }
            // No lock is left behind.
            try other.transaction { () throws(SQLiteError) in }
            #expect(try other.all(.noteBody, "\(number)").isEmpty != isKept, "\(number)")
        }
        #expect(interruptions > 0)
    }

    @Test func `a transaction that is interrupted is undone, and nothing begins (scar 49)`() throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        let path = folder.file("notes.sqlite")
        let interrupter = Interrupter()
        let connection = try Connection(.file(path), interrupter: interrupter)
        try connection.executeScript(NoteTable.schema)
        let error = #expect(throws: SQLiteError.self) {
            try connection.transaction { () throws(SQLiteError) in
                try connection.execute(.insertNote, (text: "a", body: nil))
                interrupter.raise()
                try connection.execute(.insertNote, (text: "b", body: nil))
            }
        }
        #expect(error?.isInterrupted == true)
        let refused = #expect(throws: SQLiteError.self) { try connection.all(.noteTexts) }
        #expect(refused?.isInterrupted == true)
        // No lock is left: another connection writes.
        let other = try Connection(.file(path))
        try other.execute(.insertNote, (text: "c", body: nil))
        interrupter.lower()
        #expect(try connection.all(.noteTexts) == ["c"])
    }

    @Test(arguments: [false, true])
    func `whoever waits for a lock is interrupted too, after the log was emptied as well (scar 49)`(
        emptiesLog: Bool
    ) async throws {
        let folder = try TemporaryFolder(inMemory: true)
        let path = folder.file("notes.sqlite")
        let holder = try NoteTable.open(.file(path))
        let interrupter = Interrupter()
        let code: SQLiteError? = try await holder.locked {
            await withCheckedContinuation { continuation in
                Thread.run {
                    do {
                        let connection = try Connection(
                            .file(path), ConnectionOptions(busyTimeoutMS: .max),
                            interrupter: interrupter)
                        if emptiesLog { try connection.emptyLog(patienceMS: 0) }
                        // Late enough that somebody without patience would have given up.
                        Thread.run {
                            for _ in 0..<20_000 { sched_yield() }
                            interrupter.raise()
                        }
                        try connection.transaction { () throws(SQLiteError) in }
                        continuation.resume(returning: nil)
                    } catch {
                        continuation.resume(returning: error as? SQLiteError)
                    }
                }
            }
        }
        #expect(code?.isInterrupted == true)
    }

    @Test func `a lock that is let go in time is no error, and one that is not is (scar 40)`()
        throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        let path = folder.file("notes.sqlite")
        let holder = try NoteTable.open(.file(path))
        try holder.executeScript("BEGIN IMMEDIATE")
        let other = try Connection(.file(path), ConnectionOptions(busyTimeoutMS: 20))
        let error = #expect(throws: SQLiteError.self) {
            try other.execute(.insertNote, (text: "a", body: nil))
        }
        #expect(error?.isBusy == true)
        try holder.executeScript("COMMIT")
        try other.execute(.insertNote, (text: "a", body: nil))
    }
}

extension Connection {
    /// Holds the write lock while something else goes on.
    fileprivate func locked<T>(_ body: () async -> T) async throws -> T {
        try executeScript("BEGIN IMMEDIATE")
        let value = await body()
        try executeScript("COMMIT")
        return value
    }
}
