// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostSQLite
import RoostTestSupport
import Testing

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Messages of rooms in a file, with the indexes of a cache: clustered, complete and partial.
private struct Rooms {
    let folder: TemporaryFolder
    let path: String
    let connection: Connection

    /// The files of the folder after a rewrite.
    static let names = [
        "rooms.sqlite", "rooms.sqlite-rewrite.lock", "rooms.sqlite-shm", "rooms.sqlite-wal",
    ]

    static let schema: SQL = """
        PRAGMA user_version = 7; PRAGMA application_id = 77;
        CREATE TABLE room (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
        CREATE TABLE message (
            room INTEGER NOT NULL, at INTEGER NOT NULL, parent INTEGER, text TEXT NOT NULL,
            PRIMARY KEY (room, at)
        ) STRICT, WITHOUT ROWID;
        CREATE UNIQUE INDEX message_by_time ON message (at);
        CREATE INDEX message_by_parent ON message (parent) WHERE parent IS NOT NULL;
        CREATE VIRTUAL TABLE search USING fts5(text, content = '');
        CREATE TRIGGER no_room_goes BEFORE DELETE ON room BEGIN SELECT raise(ABORT, 'kept'); END;
        CREATE VIEW newest AS SELECT room, max(at) AS at FROM message GROUP BY room;
        INSERT INTO room VALUES (1, 'kitchen'), (2, 'cellar');
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4000)
        INSERT INTO message
        SELECT 1 + i % 2, i, iif(i % 20 < 2, i - 1, NULL),
               iif(i % 2, 'onion ', 'barrel ') || hex(zeroblob(100)) || i FROM n;
        INSERT INTO search (rowid, text) SELECT at, text FROM message;
        """

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("rooms.sqlite")
        connection = try Connection(.file(path))
        try connection.executeScript(Self.schema)
        try connection.emptyLog()
    }

    /// Adds messages to three times as many rooms, so that the copy back takes several steps.
    func addMore() throws {
        try connection.executeScript(
            """
            WITH RECURSIVE n (i) AS (SELECT 10002 UNION ALL SELECT i + 2 FROM n WHERE i < 90000)
            INSERT INTO message SELECT 1, i, NULL, hex(zeroblob(100)) FROM n
            """)
        try connection.emptyLog()
    }

    /// Keeps only the cellar.
    ///
    /// The cellar has ID 1, because the messages with even numbers are in room 1.
    func keepCellar(
        goesOn: (Int, Int) -> Bool = { _, _ in true },
        during: (Connection) throws(SQLiteError) -> Void = { _ in }
    ) throws(SQLiteError) {
        try connection.rewrite(
            choosing: ["message"],
            { copy throws(SQLiteError) in
                try copy.execute(.keepMessages, 1)
                try copy.executeScript(
                    "INSERT INTO search (rowid, text) SELECT at, text FROM main.message")
                try during(copy)
            }, goesOn: goesOn)
    }

    func fileLength() throws -> Int {
        try #require(
            try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
    }

    /// Whether a file of the folder contains the words.
    func folderSays(_ words: String) throws -> Bool {
        try folder.contents().contains { name in
            try Data(contentsOf: URL(filePath: folder.file(name))).range(of: Data(words.utf8))
                != nil
        }
    }
}

extension Query where Input == Int, Output == Void {
    fileprivate static var keepMessages: Query {
        Query(
            sql: """
                INSERT INTO message SELECT * FROM live.message
                WHERE room = ?1 ORDER BY room, at
                """,
            bind: { room, bindings in bindings.append(room) })
    }
}

extension Query where Input == Void, Output == Int64 {
    fileprivate static var messageCount: Query {
        Query(sql: "SELECT count(*) FROM message") { $0.int64(0) }
    }
    fileprivate static var roomCount: Query {
        Query(sql: "SELECT count(*) FROM room") { $0.int64(0) }
    }
    fileprivate static var onionCount: Query {
        Query(sql: "SELECT count(*) FROM search WHERE search MATCH 'onion'") { $0.int64(0) }
    }
    fileprivate static var barrelCount: Query {
        Query(sql: "SELECT count(*) FROM search WHERE search MATCH 'barrel'") { $0.int64(0) }
    }
    fileprivate static var userVersion: Query {
        Query(sql: "PRAGMA user_version") { $0.int64(0) }
    }
    fileprivate static var applicationID: Query {
        Query(sql: "PRAGMA application_id") { $0.int64(0) }
    }
    fileprivate static var autoVacuum: Query {
        Query(sql: "PRAGMA auto_vacuum") { $0.int64(0) }
    }
    fileprivate static var viewCount: Query {
        Query(sql: "SELECT count(*) FROM newest") { $0.int64(0) }
    }
}

extension Query where Input == Void, Output == String {
    fileprivate static var objects: Query {
        Query(sql: "SELECT type || ' ' || name || ' ' || coalesce(sql, '') FROM sqlite_schema") {
            $0.text(0)
        }
    }
}

struct RewriteTests {
    @Test func `a rewrite keeps all kept rows in a file of their size (scar 152)`() throws {
        let rooms = try Rooms()
        let objects = Set(try rooms.connection.all(.objects))
        let length = try rooms.fileLength()
        try rooms.keepCellar()
        #expect(try rooms.connection.first(.messageCount) == 2_000)
        #expect(try rooms.connection.first(.roomCount) == 2)
        #expect(try rooms.connection.first(.viewCount) == 1)
        #expect(Set(try rooms.connection.all(.objects)) == objects)
        #expect(try rooms.connection.first(.userVersion) == 7)
        #expect(try rooms.connection.first(.applicationID) == 77)
        #expect(try rooms.connection.first(.autoVacuum) == 2)
        #expect(throws: SQLiteError.self) {
            try rooms.connection.executeScript("DELETE FROM room")
        }
        #expect(try rooms.connection.damage() == [])
        #expect(try rooms.fileLength() < length * 6 / 10)
        let space = try rooms.connection.space()
        #expect(try rooms.fileLength() == Int(space.fileBytes))
        #expect(space.freePageCount == 0)
    }

    @Test func `no file of the folder contains a removed text`() throws {
        let rooms = try Rooms()
        #expect(try rooms.folderSays("onion"))
        try rooms.keepCellar()
        #expect(try !rooms.folderSays("onion"))
        #expect(try rooms.folderSays("barrel"))
        #expect(try rooms.connection.first(.onionCount) == 0)
        #expect(try rooms.connection.first(.barrelCount) == 2_000)
        #expect(try rooms.folder.contents() == Rooms.names)
    }

    @Test func `a reader keeps its state during a rewrite and sees the new one next`() throws {
        let rooms = try Rooms()
        let reader = try Connection(.file(rooms.path), ConnectionOptions(access: .readOnly))
        try reader.snapshot { () throws(SQLiteError) in
            #expect(try reader.first(.messageCount) == 4_000)
            try rooms.keepCellar(during: { _ throws(SQLiteError) in
                #expect(try reader.first(.onionCount) == 2_000)
            })
            #expect(try reader.first(.messageCount) == 4_000)
            #expect(try reader.first(.onionCount) == 2_000)
        }
        #expect(try reader.first(.messageCount) == 2_000)
        #expect(try reader.first(.onionCount) == 0)
        #expect(try rooms.connection.emptyLog())
        #expect(try reader.damage() == [])
    }

    @Test func `a rewrite gives way to a commit made meanwhile`() throws {
        let rooms = try Rooms()
        let other = try Connection(.file(rooms.path))
        let error = #expect(throws: SQLiteError.self) {
            try rooms.keepCellar(during: { _ throws(SQLiteError) in
                try other.executeScript("INSERT INTO message VALUES (2, 9000, NULL, 'late')")
            })
        }
        #expect(error?.isBusy == true)
        #expect(try rooms.connection.first(.messageCount) == 4_001)
        try other.executeScript("INSERT INTO message VALUES (2, 9001, NULL, 'later')")
        try rooms.keepCellar()
        #expect(try rooms.connection.first(.messageCount) == 2_000)
    }

    @Test func `a full disk leaves a rewrite without effect (R120)`() throws {
        let rooms = try Rooms()
        let error = #expect(throws: SQLiteError.self) {
            try rooms.keepCellar(during: { copy throws(SQLiteError) in
                try copy.limitPages(to: 300)
                try copy.executeScript(
                    "CREATE TABLE ballast AS SELECT zeroblob(2000000) AS bytes")
            })
        }
        #expect(error?.isFull == true)
        let early = #expect(throws: SQLiteError.self) {
            try rooms.connection.rewrite(choosing: [], expectedBytes: .max) { _ in
                Issue.record("It began although there is no room.")
            }
        }
        #expect(early?.isFull == true)
        #expect(try rooms.connection.first(.messageCount) == 4_000)
        #expect(try rooms.connection.first(.onionCount) == 2_000)
        #expect(try rooms.folder.contents() == Rooms.names)
    }

    @Test func `a cancelled rewrite has no effect`() throws {
        let rooms = try Rooms()
        try rooms.addMore()
        let error = #expect(throws: SQLiteError.self) {
            try rooms.keepCellar(goesOn: { written, total in
                #expect(written > 0 && written < total)
                return false
            })
        }
        #expect(error?.isInterrupted == true)
        #expect(try rooms.connection.first(.messageCount) == 44_000)
        try rooms.keepCellar()
        #expect(try rooms.connection.first(.messageCount) == 42_000)
    }

    /// The moments at which the process is killed; the last is after the rewrite has returned.
    enum Moment: String, CaseIterable, Codable, Sendable {
        case copying, writingBack, done
    }

    @Test(arguments: Moment.allCases)
    func `a killed rewrite leaves the old state or the new one (scar 43)`(
        moment: Moment
    ) async throws {
        let rooms = try Rooms()
        try rooms.addMore()
        let path = rooms.path
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = path as String, moment = moment as Moment] in
            // A small page cache writes pages of the new state into the log early.
            let connection = try Connection(.file(path), ConnectionOptions(pageCacheKiB: 64))
            try connection.rewrite(choosing: ["message"]) { copy throws(SQLiteError) in
                try copy.execute(.keepMessages, 1)
                if moment == .copying { kill(getpid(), SIGKILL) }
            } goesOn: { _, _ in
                if moment == .writingBack { kill(getpid(), SIGKILL) }
                return true
            }
            kill(getpid(), SIGKILL)
        }
        func hasCopy() throws -> Bool {
            try rooms.folder.contents().contains("rooms.sqlite-rewrite")
        }
        #expect(try hasCopy() == (moment != .done))
        _ = try Connection(.file(path), ConnectionOptions(access: .readOnly))
        #expect(try hasCopy() == (moment != .done), "a reader deletes nothing")
        let connection = try Connection(.file(path))
        #expect(try !hasCopy())
        #expect(try connection.first(.messageCount) == (moment == .done ? 42_000 : 44_000))
        #expect(try connection.damage() == [])
    }

    @Test func `the reported size is the size on disk after any operation (scar 151, R128)`()
        throws
    {
        let folder = try TemporaryFolder()
        let files = DatabaseFiles(folder.file("notes.sqlite"))
        func expectTrueSize() throws {
            let listed = try folder.contents().reduce(Int64(0)) { sum, name in
                let attributes = try FileManager.default.attributesOfItem(
                    atPath: folder.file(name))
                return sum + (attributes[.size] as? Int64 ?? 0)
            }
            #expect(files.bytesOnDisk == listed)
        }
        #expect(files.bytesOnDisk == 0)
        do {
            let connection = try NoteTable.open(.file(files.path))
            for index in 0..<2_000 {
                try connection.execute(
                    .insertNote, (text: "\(index)", body: Array(repeating: 7, count: 1_000)))
            }
            try expectTrueSize()
            #expect(files.bytesOnDisk > 2_000_000)
            try connection.executeScript("DELETE FROM note WHERE id > 200")
            try connection.emptyLog()
            try expectTrueSize()
            // The file is still long, but a budget counts only used pages.
            #expect(try connection.space().usedBytes < files.bytesOnDisk / 4)
            try connection.rewrite(choosing: []) { _ in }
            try expectTrueSize()
            #expect(files.bytesOnDisk < 400_000)
            let off = abs(try connection.space().usedBytes + 32_768 - files.bytesOnDisk)
            #expect(off * 20 <= files.bytesOnDisk)
        }
        try expectTrueSize()
    }

    @Test
    func
        `a long reader does not block the writer, and the log is emptied after it (scar 150)`()
        throws
    {
        let rooms = try Rooms()
        let reader = try Connection(.file(rooms.path), ConnectionOptions(access: .readOnly))
        let log = { DatabaseFiles(rooms.path).byteCounts.log }
        try reader.snapshot { () throws(SQLiteError) in
            _ = try reader.first(.messageCount)
            try rooms.connection.executeScript("UPDATE message SET text = text || '.'")
            #expect(try rooms.connection.emptyLog(patienceMS: 1) == false)
        }
        #expect(log() > 1_000_000)
        #expect(try rooms.connection.emptyLog(patienceMS: 1))
        #expect(log() == 0)
    }

    @Test func `an abandoned copy is removed, an active one is not`() throws {
        let rooms = try Rooms()
        let files = DatabaseFiles(rooms.path)
        try Data("barrel".utf8).write(to: URL(filePath: rooms.path + "-rewrite"))
        files.removeAbandonedCopy()
        #expect(try !rooms.folder.contents().contains("rooms.sqlite-rewrite"))
        try rooms.keepCellar(during: { _ in
            files.removeAbandonedCopy()
            #expect(FileManager.default.fileExists(atPath: rooms.path + "-rewrite"))
        })
    }

    @Test func `a rewrite locks a file that SQLite never opens, until the copy is gone`() throws {
        let rooms = try Rooms()
        let lock = rooms.path + "-rewrite.lock"
        func isTaken() -> Bool { (try? FolderLock(file: lock)) == nil }
        try rooms.keepCellar(during: { copy throws(SQLiteError) in
            #expect(isTaken())
            // The copy is read and written while the lock is held.
            #expect(try copy.first(.messageCount) == 2_000)
        })
        #expect(!isTaken())
        let other = try FolderLock(file: lock)
        let error = #expect(throws: SQLiteError.self) { try rooms.keepCellar() }
        #expect(error?.isBusy == true)
        _ = consume other
        #expect(try rooms.connection.first(.messageCount) == 2_000)
    }

    @Test func `numbers that were never to be used again stay unused after a rewrite`() throws {
        let folder = try TemporaryFolder()
        let connection = try Connection(.file(folder.file("numbers.sqlite")))
        try connection.executeScript(
            """
            CREATE TABLE item (number INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT) STRICT;
            INSERT INTO item (text) VALUES ('a'), ('b'), ('c');
            DELETE FROM item WHERE number > 1
            """)
        try connection.rewrite(choosing: []) { _ in }
        try connection.executeScript("INSERT INTO item (text) VALUES ('d')")
        let numbers = Query<Void, Int64>(sql: "SELECT number FROM item ORDER BY number") { row in
            row.int64(0)
        }
        #expect(try connection.all(numbers) == [1, 4])
    }

    @Test func `a database whose last table with such numbers was dropped can be rewritten`()
        throws
    {
        let rooms = try Rooms()
        try rooms.connection.executeScript(
            """
            CREATE TABLE item (number INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT) STRICT;
            INSERT INTO item (text) VALUES ('a');
            DROP TABLE item
            """)
        try rooms.keepCellar()
        #expect(try rooms.connection.first(.messageCount) == 2_000)
    }

    @Test func `free pages are returned slice by slice`() throws {
        let rooms = try Rooms()
        try rooms.keepCellar()
        let length = try rooms.fileLength()
        try rooms.connection.executeScript("DELETE FROM message WHERE at > 2000")
        var slices = 0
        while try rooms.connection.giveBackPages(upTo: 16) > 0 { slices += 1 }
        #expect(slices > 2)
        #expect(try rooms.connection.giveBackPages(upTo: 16) == 0)
        #expect(try rooms.connection.emptyLog())
        #expect(try rooms.fileLength() < length)
        #expect(try rooms.connection.space().fileBytes == Int64(try rooms.fileLength()))
    }
}
