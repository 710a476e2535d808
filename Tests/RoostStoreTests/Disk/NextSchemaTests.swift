// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCore
import RoostDiskSimulation
import RoostExecutors
import RoostModel
import RoostSQLite
import RoostStore
import RoostTestSupport
import StoreTestSupport
import Testing

/// A migration from the first schema to a made-up next one, with data too large for one
/// transaction.
struct NextSchemaTests {
    /// The current schemas, each followed by a version that no release has.
    private static let next: StoreSchema = {
        var schema = StoreSchema.current
        schema.cache = Migrator(
            applicationID: 0x5273_7443,
            [
                .cache0001,
                Migration(
                    2, "sizes",
                    "CREATE TABLE size (message_id INTEGER PRIMARY KEY, bytes INTEGER NOT NULL) STRICT",
                    work: sizes),
            ])
        schema.outbox = Migrator(
            applicationID: 0x5273_744F,
            [.outbox0001, Migration(2, "colour", "ALTER TABLE item ADD COLUMN colour TEXT")])
        return schema
    }()

    /// Fills the table of sizes, 200 messages in a transaction.
    private static let sizes = MigrationWork(
        remaining: { connection throws(SQLiteError) in
            Int(try connection.first(.messagesWithoutSize) ?? 0)
        },
        moveSlice: { connection throws(SQLiteError) in try connection.execute(.addSizes) })

    private static func options(_ schema: StoreSchema) -> Store.Options {
        var options = Fixture.options
        options.schema = schema
        return options
    }

    private static func channel(_ number: Int64) -> ChannelURL { ChannelURL("channel-\(number)") }

    /// Makes a store of the current schema with 600 messages in three channels and one unsent
    /// message.
    private func fill(_ folder: String) async throws {
        let store = try await Store.open(
            .folder(folder), owner: Fixture.owner, Self.options(.current))
        for number in Int64(0)..<3 {
            let first = number * 1_000 + 1
            try await store.writer.commit([
                .channels([Fixture.group(Self.channel(number), name: "Channel \(number)")]),
                Fixture.page(first...(first + 199), in: Self.channel(number)),
                .cursor(.messageChanges(Self.channel(number)), .token("token \(number)")),
            ])
        }
        _ = try await store.outbox.append(
            "waiting", to: Self.channel(0), createdAt: Timestamp(milliseconds: 1),
            content: .userMessage(UserMessageParams(text: "unsent words")))
        await store.close()
    }

    /// Compares the whole store with its original data.
    private func check(_ store: Store, _ place: Comment? = nil) async throws {
        #expect(store.report == .intact && store.outboxReport == .intact, place)
        #expect(try await store.reader.damage() == [], place)
        for number in Int64(0)..<3 {
            let url = Self.channel(number)
            let messages = try await store.reader.newest(in: url)
            #expect(messages.count == 200, place)
            #expect(messages.first?.content == .user(text: "text \(number * 1_000 + 1)"), place)
            #expect(
                try await store.reader.cursor(.messageChanges(url)).value
                    == .token("token \(number)"), place)
            #expect(
                try await store.reader.channel(url).value?.name == "Channel \(number)", place)
        }
        let unsent = try await store.outbox.items()
        #expect(unsent.items.map(\.requestID) == ["waiting"] && unsent.unreadable == [], place)
    }

    private func sizeCount(in folder: String) throws -> Int64? {
        try Connection(.file("\(folder)/app/anna/cache.sqlite")).first(.sizeCount)
    }

    @Test func `a migration keeps every row and reports its progress (scars 9, 41, 77, 154)`()
        async throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        try await fill(folder.path)
        var options = Self.options(Self.next)
        let (steps, progress) = AsyncStream.makeStream(of: MigrationProgress.self)
        options.migrating = { progress.yield($0) }
        let store = try await Store.open(.folder(folder.path), owner: Fixture.owner, options)
        progress.finish()
        try await check(store)
        await store.close()
        #expect(
            await steps.reduce(into: []) { $0.append("\($1.name) \($1.done)/\($1.total)") }
                == ["sizes 0/600", "sizes 200/600", "sizes 400/600", "sizes 600/600"])
        #expect(try sizeCount(in: folder.path) == 600)
    }

    @Test func `a migration that makes the channels' table again keeps the rest (scars 9, 41)`()
        async throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        try await fill(folder.path)
        var schema = StoreSchema.current
        schema.cache = Migrator(
            applicationID: 0x5273_7443,
            [
                .cache0001,
                Migration(
                    2, "channels again",
                    """
                    CREATE TABLE next_channel (
                        id INTEGER PRIMARY KEY, url TEXT NOT NULL UNIQUE,
                        created_at INTEGER NOT NULL, last_message_at INTEGER NOT NULL,
                        membership INTEGER NOT NULL, custom_type_id INTEGER,
                        flags INTEGER NOT NULL DEFAULT 0, cut_at INTEGER, payload BLOB, name BLOB
                    ) STRICT;
                    INSERT INTO next_channel SELECT * FROM channel;
                    DROP TABLE channel;
                    ALTER TABLE next_channel RENAME TO channel;
                    CREATE INDEX channel_by_last_message
                        ON channel (last_message_at DESC, created_at DESC, url)
                        WHERE membership > 0;
                    CREATE INDEX channel_by_creation
                        ON channel (created_at DESC, url) WHERE membership > 0;
                    """),
            ])
        let store = try await Store.open(
            .folder(folder.path), owner: Fixture.owner, Self.options(schema))
        try await check(store)
        for number in Int64(0)..<3 {
            #expect(try await store.reader.holding(of: Self.channel(number)).value.messages == 200)
        }
        #expect(try await store.verify().findings == [])
        await store.close()
    }

    @Test func `a migration resumes where a locked device interrupted it (scars 9, 41, 154)`()
        async throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        let disk = SimulatedDisk(folder.path)
        try await fill(folder.path)
        let told = Guarded<[String]>([])
        var options = Self.options(Self.next)
        options.migrating = { step in
            told.withLock { $0.append("\(step.done)/\(step.total)") }
            if step.total == 600, step.done == 400 {
                disk.plan(.init(.write, code: 778, lasts: true))
            }
        }
        let chosen = options
        let cut = await #expect(throws: StoreError.self) {
            _ = try await Store.open(.folder(folder.path), owner: Fixture.owner, chosen)
        }
        #expect(cut?.kind == .notAccessible)
        disk.plan(nil)
        let store = try await Store.open(.folder(folder.path), owner: Fixture.owner, chosen)
        #expect(told.withLock { $0 } == ["0/600", "200/600", "400/600", "0/200", "200/200"])
        try await check(store)
        await store.close()
        #expect(try sizeCount(in: folder.path) == 600)
    }

    @Test func `a migration whose opening is canceled continues at the next one (scars 49, 154)`()
        async throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        try await fill(folder.path)
        let told = Guarded<[String]>([])
        let opening = Guarded<Task<Store, any Error>?>(nil)
        var options = Self.options(Self.next)
        options.migrating = { step in
            told.withLock { $0.append("\(step.done)/\(step.total)") }
            if step.total == 600, step.done == 400 { opening.withLock { $0?.cancel() } }
        }
        let chosen = options
        let task = opening.withLock { opening in
            let task = Task {
                try await Store.open(.folder(folder.path), owner: Fixture.owner, chosen)
            }
            opening = task
            return task
        }
        let cut = await #expect(throws: StoreError.self) { _ = try await task.value }
        #expect(cut?.kind == .canceled)
        for name in ["lock", "outbox.lock"] {
            _ = try FolderLock(file: folder.file("app/anna/\(name)"), .exclusive)
        }
        let store = try await Store.open(.folder(folder.path), owner: Fixture.owner, chosen)
        #expect(told.withLock { $0 } == ["0/600", "200/600", "400/600", "0/200", "200/200"])
        try await check(store)
        await store.close()
        #expect(try sizeCount(in: folder.path) == 600)
    }

    @Test func `a migration loses nothing when the power fails at any moment (scars 9, 41, 154)`()
        async throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        let disk = SimulatedDisk(folder.path, records: true)
        try await fill(disk.folder)
        let start = disk.events.count
        let chosen = Self.options(Self.next)
        let store = try await Store.open(.folder(disk.folder), owner: Fixture.owner, chosen)
        await store.close()
        let count = disk.events.count
        #expect(count > start + 20)
        for moment in ScriptedLife.sample(start...count, quick: 25, seed: 154) {
            let found = try TemporaryFolder(inMemory: true)
            try disk.lose(after: moment, .some(seed: UInt64(moment)), in: found.path)
            let store = try await Store.open(.folder(found.path), owner: Fixture.owner, chosen)
            try await check(store, "moment \(moment) of \(start)...\(count)")
            await store.close()
            #expect(try sizeCount(in: found.path) == 600)
        }
    }

    @Test(.enabled(if: !Fixture.isSealed, "a sealed file is opened more often"))
    func `an opening that waits for others sees that another process has migrated (scars 41, 52)`()
        async throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        try await fill(folder.path)
        let disk = SimulatedDisk(folder.path)
        // The other process has its store open from the beginning to the end.
        let lock = try FolderLock(file: folder.file("app/anna/lock"), .shared)
        // No fault, but a count of the looks at the file.
        disk.plan(
            .init(
                .open, of: "cache", suffix: ".sqlite", nth: .max,
                code: DiskFaultTests.Code.cannotOpen))
        let hasEnded = Flag()
        let opening = Task {
            defer { hasEnded.set() }
            return try await Store.open(
                .folder(folder.path), owner: Fixture.owner, Self.options(Self.next))
        }
        // A reader looks first, then the writer; the third look follows a wait for the lock.
        while disk.matches < 3, !hasEnded.isSet { await Task.yield() }
        do {
            let connection = try Connection(.file(folder.file("app/anna/cache.sqlite")))
            try Self.next.cache.migrate(connection)
        }
        let store = try await opening.value
        try await check(store)
        await store.close()
        _ = consume lock
    }

    @Test func `the rest of an interrupted repair never replaces a newer outbox (scar 42)`()
        async throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        try await fill(folder.path)
        let rest = folder.file("app/anna/outbox.salvaged")
        try FileManager.default.copyItem(
            atPath: folder.file("app/anna/outbox.sqlite"), toPath: rest)
        let store = try await Store.open(
            .folder(folder.path), owner: Fixture.owner, Self.options(.current))
        _ = try await store.outbox.append(
            "newer", to: Self.channel(0), createdAt: Timestamp(milliseconds: 2),
            content: .userMessage(UserMessageParams(text: "newer words")))
        await store.close()
        #expect(!FileManager.default.fileExists(atPath: rest))
        let migrated = try await Store.open(
            .folder(folder.path), owner: Fixture.owner, Self.options(Self.next))
        #expect(migrated.outboxReport == .intact)
        let unsent = try await migrated.outbox.items().items
        #expect(unsent.map(\.requestID) == ["waiting", "newer"])
        await migrated.close()
    }

    @Test(.enabled(if: !Fixture.isSealed))
    func `an inspection reports an older schema and repairs nothing (scar 41)`() async throws {
        let folder = try TemporaryFolder()
        try await fill(folder.path)
        let files = "\(folder.path)/app/anna"
        let looked = await #expect(throws: StoreError.self) {
            _ = try await FolderInspection.of(files, schema: Self.next)
        }
        #expect(looked?.kind == .olderSchema)
        let repaired = await #expect(throws: StoreError.self) {
            _ = try await FolderInspection.repair(files, owner: Fixture.owner, schema: Self.next)
        }
        #expect(repaired?.kind == .olderSchema)
        let opened = try await Store.open(
            .folder(folder.path), owner: Fixture.owner, Self.options(Self.next))
        try await check(opened)
        await opened.close()
    }

    @Test
    func `this release refuses the files of the next one and leaves them unchanged (scar 41)`()
        async throws
    {
        let folder = try TemporaryFolder()
        try await fill(folder.path)
        let migrated = try await Store.open(
            .folder(folder.path), owner: Fixture.owner, Self.options(Self.next))
        await migrated.close()
        let error = await #expect(throws: StoreError.self) {
            _ = try await Store.test(.folder(folder.path))
        }
        #expect(error?.kind == .newerSchema)
        let opened = try await Store.open(
            .folder(folder.path), owner: Fixture.owner, Self.options(Self.next))
        try await check(opened)
        await opened.close()
    }
}

extension Query where Input == Void, Output == Int64 {
    fileprivate static var messagesWithoutSize: Query {
        Query(
            sql: """
                SELECT count(*) FROM message WHERE message_id NOT IN (SELECT message_id FROM size)
                """
        ) { row in row.int64(0) }
    }
    fileprivate static var sizeCount: Query {
        Query(sql: "SELECT count(*) FROM size") { row in row.int64(0) }
    }
}

extension Query where Input == Void, Output == Void {
    fileprivate static var addSizes: Query {
        Query(
            sql: """
                INSERT INTO size SELECT message_id, length(payload) FROM message
                WHERE message_id NOT IN (SELECT message_id FROM size) ORDER BY message_id LIMIT 200
                """)
    }
}
