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

    /// A query that never reaches its first row.
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
    @Test func `another thread interrupts an endless read, and the read can be repeated (scar 49)`()
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
    func
        `an interrupted transaction is undone, and a durable one succeeds (scar 49)`(
            hasWords: Bool
        ) throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        let place = DatabaseLocation.file(folder.file("notes.sqlite"))
        let interrupter = Interrupter()
        let connection = try Connection(place, interrupter: interrupter)
        try connection.executeScript(NoteTable.schema)
        try connection.executeScript("CREATE VIRTUAL TABLE words USING fts5(text)")
        let other = try Connection(place, ConnectionOptions(busyTimeoutMS: 0))
        // The delays reach each part of a statement, its end included.
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
            // No lock remains.
            try other.transaction { () throws(SQLiteError) in }
            #expect(try other.all(.noteBody, "\(number)").isEmpty != isKept, "\(number)")
        }
        #expect(interruptions > 0)
    }

    @Test func `an interrupted transaction is undone, and no later one begins (scar 49)`() throws {
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
        // No lock remains: another connection writes.
        let other = try Connection(.file(path))
        try other.execute(.insertNote, (text: "c", body: nil))
        interrupter.lower()
        #expect(try connection.all(.noteTexts) == ["c"])
    }

    @Test(arguments: [false, true])
    func `an interruption ends a wait for a lock, also after a checkpoint (scar 49)`(
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
                        // Later than the limit of a connection without patience.
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

    @Test func `an interruption ends an opening that waits for a lock (scar 49)`() async throws {
        let folder = try TemporaryFolder(inMemory: true)
        let path = folder.file("notes.sqlite")
        let holder = try NoteTable.open(.file(path))
        // Without a write-ahead log a writer keeps readers out.
        try holder.executeScript("PRAGMA journal_mode = DELETE")
        try holder.executeScript("BEGIN EXCLUSIVE")
        for access in [ConnectionOptions.Access.readOnly, .readWrite] {
            let interrupter = Interrupter()
            let error: SQLiteError? = await withCheckedContinuation { continuation in
                Thread.run {
                    Thread.run {
                        for _ in 0..<20_000 { sched_yield() }
                        interrupter.raise()
                    }
                    do {
                        _ = try Connection(
                            .file(path), ConnectionOptions(access: access, busyTimeoutMS: .max),
                            interrupter: interrupter)
                        continuation.resume(returning: nil)
                    } catch {
                        continuation.resume(returning: error as? SQLiteError)
                    }
                }
            }
            #expect(error?.isInterrupted == true, "\(access): \(String(describing: error))")
        }
        try holder.executeScript("COMMIT")
    }

    @Test func `a wait for a lock succeeds in time or ends with an error (scar 40)`()
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
    /// Runs the body while another connection holds the write lock.
    fileprivate func locked<T>(_ body: () async -> T) async throws -> T {
        try executeScript("BEGIN IMMEDIATE")
        let value = await body()
        try executeScript("COMMIT")
        return value
    }
}
