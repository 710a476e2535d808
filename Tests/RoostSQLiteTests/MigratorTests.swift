// SPDX-License-Identifier: Apache-2.0

import RoostSQLite
import RoostTestSupport
import Testing

struct MigratorTests {
    static let applicationID: Int32 = 0x4E4F_5445
    static let first = Migration(1, "notes", NoteTable.schema)
    static let second = Migration(2, "colour", "ALTER TABLE note ADD COLUMN colour TEXT")
    static let broken = Migration(
        2, "broken", "ALTER TABLE note ADD COLUMN size INTEGER; INSERT INTO nowhere VALUES (1)")

    static func migrator(_ migrations: Migration...) -> Migrator {
        Migrator(applicationID: applicationID, migrations)
    }

    @Test func `each migration runs once, in order`() throws {
        let connection = try Connection(.memory)
        #expect(try Self.migrator(Self.first).migrate(connection) == 1)
        try connection.execute(.insertNote, (text: "old", body: nil))
        #expect(try Self.migrator(Self.first, Self.second).migrate(connection) == 1)
        #expect(try Self.migrator(Self.first, Self.second).migrate(connection) == 0)
        let colours = Query<Void, String?>(sql: "SELECT colour FROM note") { row in
            row.optionalText(0)
        }
        #expect(try connection.all(colours) == [nil])
    }

    @Test func `a failed migration leaves no change, and the next run resumes at it`() throws {
        let connection = try Connection(.memory)
        let error = #expect(throws: MigrationError.self) {
            try Self.migrator(Self.first, Self.broken).migrate(connection)
        }
        guard case .failed = error else {
            Issue.record("It should fail at the broken step, not with \(error as Any).")
            return
        }
        try connection.execute(.insertNote, (text: "kept", body: nil))
        #expect(try Self.migrator(Self.first, Self.second).migrate(connection) == 1)
        #expect(try connection.all(.noteTexts) == ["kept"])
    }

    /// A migration that paints ten notes per transaction, and none beyond `limit`.
    private static func painting(upTo limit: Int64 = .max) -> Migration {
        Migration(
            2, "colour", "ALTER TABLE note ADD COLUMN colour TEXT",
            work: MigrationWork(
                remaining: { connection throws(SQLiteError) in
                    Int(try connection.first(.unpaintedCount) ?? 0)
                },
                moveSlice: { connection throws(SQLiteError) in
                    if try connection.first(.paintedCount) ?? 0 >= limit {
                        try connection.executeScript("INSERT INTO nowhere VALUES (1)")
                    }
                    return try connection.execute(.paintTen)
                }))
    }

    @Test
    func `a large migration moves rows in slices and resumes after an interruption (scar 154)`()
        throws
    {
        let connection = try Connection(.memory)
        try Self.migrator(Self.first).migrate(connection)
        for number in 1...25 {
            try connection.execute(.insertNote, (text: "\(number)", body: nil))
        }
        var steps: [String] = []
        let cut = #expect(throws: MigrationError.self) {
            try Self.migrator(Self.first, Self.painting(upTo: 20)).migrate(connection) { step in
                steps.append("\(step.done)/\(step.total)")
            }
        }
        guard case .failed = cut else {
            Issue.record("The interrupted slice fails, and not \(cut as Any).")
            return
        }
        #expect(steps == ["0/25", "10/25", "20/25"])
        #expect(try !Self.migrator(Self.first, Self.painting()).isDone(in: connection))
        steps = []
        #expect(
            try Self.migrator(Self.first, Self.painting()).migrate(connection) { step in
                steps.append("\(step.done)/\(step.total)")
            } == 1)
        #expect(steps == ["0/5", "5/5"])
        #expect(try Self.migrator(Self.first, Self.painting()).isDone(in: connection))
        #expect(try connection.first(.unpaintedCount) == 0)
    }

    private static let rooms = Migration(
        1, "rooms",
        """
        CREATE TABLE room (id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;
        CREATE TABLE chair (room INTEGER NOT NULL REFERENCES room (id) ON DELETE CASCADE) STRICT;
        """)

    /// Makes the table of rooms again; `rest` is further SQL of the step.
    private static func rebuilding(and rest: StaticString) -> Migration {
        Migration(
            2, "rooms again",
            SQL(
                """
                CREATE TABLE next_room (id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;
                INSERT INTO next_room SELECT * FROM room;
                DROP TABLE room;
                ALTER TABLE next_room RENAME TO room;
                """, rest))
    }

    @Test func `a step may make a table again to which rows of another one refer`() throws {
        let connection = try Connection(.memory)
        try Self.migrator(Self.rooms).migrate(connection)
        try connection.executeScript(
            """
            INSERT INTO room VALUES (1, 'kitchen'), (2, 'cellar');
            INSERT INTO chair VALUES (1), (1), (2)
            """)
        let chairs = Query<Void, Int64>(sql: "SELECT count(*) FROM chair") { $0.int64(0) }
        let broken = #expect(throws: MigrationError.self) {
            try Self.migrator(Self.rooms, Self.rebuilding(and: "DELETE FROM room WHERE id = 1"))
                .migrate(connection)
        }
        guard case .failed(let error) = broken else {
            Issue.record("The step leaves chairs without a room, and ended with \(broken as Any).")
            return
        }
        #expect(error.isCorrupt)
        #expect(try connection.first(chairs) == 3)
        let rebuilding = Self.rebuilding(and: "ALTER TABLE room ADD COLUMN colour TEXT")
        try Self.migrator(Self.rooms, rebuilding).migrate(connection)
        #expect(try connection.first(chairs) == 3)
        // Foreign keys have their effect again.
        #expect(throws: SQLiteError.self) {
            try connection.executeScript("INSERT INTO chair VALUES (3)")
        }
        try connection.executeScript("DELETE FROM room WHERE id = 1")
        #expect(try connection.first(chairs) == 1)
    }

    @Test(
        arguments: [
            "drop table room; ALTER TABLE next_room RENAME TO room",
            "Drop\n\tTable room; ALTER TABLE next_room RENAME TO room",
            "SELECT 1;DROP/**/TABLE room; ALTER TABLE next_room RENAME TO room",
        ] as [StaticString])
    func `a step that makes a table again keeps the rows that refer to it, in any spelling`(
        rest: StaticString
    ) throws {
        let connection = try Connection(.memory)
        try Self.migrator(Self.rooms).migrate(connection)
        try connection.executeScript(
            "INSERT INTO room VALUES (1, 'kitchen'); INSERT INTO chair VALUES (1)")
        let rebuilding = Migration(
            2, "rooms again",
            SQL(
                """
                CREATE TABLE next_room (id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;
                INSERT INTO next_room SELECT * FROM room;
                """, rest))
        try Self.migrator(Self.rooms, rebuilding).migrate(connection)
        let chairs = Query<Void, Int64>(sql: "SELECT count(*) FROM chair") { $0.int64(0) }
        #expect(try connection.first(chairs) == 1)
    }

    @Test func `a step that makes no table again checks only the references that it changes`()
        throws
    {
        let connection = try Connection(.memory)
        try Self.migrator(Self.rooms).migrate(connection)
        // A row without its room, as damage leaves it.
        try connection.executeScript(
            """
            PRAGMA foreign_keys = OFF;
            INSERT INTO chair VALUES (9);
            PRAGMA foreign_keys = ON
            """)
        let broken = #expect(throws: MigrationError.self) {
            try Self.migrator(Self.rooms, Migration(2, "more", "INSERT INTO chair VALUES (8)"))
                .migrate(connection)
        }
        guard case .failed = broken else {
            Issue.record("The step adds a chair without a room, and ended with \(broken as Any).")
            return
        }
        let colour = Migration(2, "colour", "ALTER TABLE room ADD COLUMN colour TEXT")
        #expect(try Self.migrator(Self.rooms, colour).migrate(connection) == 1)
    }

    @Test func `a database of a newer release is refused unchanged`() throws {
        let folder = try TemporaryFolder()
        let file = DatabaseLocation.file(folder.file("notes.sqlite"))
        try Self.migrator(Self.first, Self.second).migrate(Connection(file))
        let connection = try Connection(file)
        let error = #expect(throws: MigrationError.self) {
            try Self.migrator(Self.first).migrate(connection)
        }
        #expect(error == .newer(found: 2, known: 1))
        #expect(try Self.migrator(Self.first, Self.second).migrate(connection) == 0)
    }

    @Test func `a migration that changed after its release is detected`() throws {
        let connection = try Connection(.memory)
        try Self.migrator(Self.first, Self.second).migrate(connection)
        let changed = Migration(2, "colour", "ALTER TABLE note ADD COLUMN colour INTEGER")
        let error = #expect(throws: MigrationError.self) {
            try Self.migrator(Self.first, changed).migrate(connection)
        }
        #expect(error == .altered(number: 2, name: "colour"))
    }

    @Test func `a database of another program is refused unchanged`() throws {
        let unnamed = try NoteTable.open()
        #expect(throws: MigrationError.foreign(applicationID: 0)) {
            try Self.migrator(Self.first).migrate(unnamed)
        }
        let named = try Connection(.memory)
        try named.executeScript("PRAGMA application_id = 77")
        #expect(throws: MigrationError.foreign(applicationID: 77)) {
            try Self.migrator(Self.first).migrate(named)
        }
        let tables = Query<Void, Int64>(sql: "SELECT count(*) FROM sqlite_schema") { row in
            row.int64(0)
        }
        #expect(try named.first(tables) == 0)
    }

    @Test func `migrations out of order stop the program`() async {
        await #expect(processExitsWith: .failure) {
            _ = Self.migrator(Self.second, Self.first)
        }
    }
}

extension Query where Input == Void, Output == Int64 {
    fileprivate static var unpaintedCount: Query {
        Query(sql: "SELECT count(*) FROM note WHERE colour IS NULL") { row in row.int64(0) }
    }
    fileprivate static var paintedCount: Query {
        Query(sql: "SELECT count(*) FROM note WHERE colour IS NOT NULL") { row in row.int64(0) }
    }
}

extension Query where Input == Void, Output == Void {
    fileprivate static var paintTen: Query {
        Query(
            sql: """
                UPDATE note SET colour = 'red' WHERE rowid IN (
                    SELECT rowid FROM note WHERE colour IS NULL LIMIT 10)
                """)
    }
}
