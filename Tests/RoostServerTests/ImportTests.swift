// SPDX-License-Identifier: Apache-2.0

import RoostCluster
import RoostExecutors
import RoostModel
import RoostPostgres
import RoostSQLite
import RoostServer
import RoostTestSupport
import RoostWire
import Synchronization
import Testing

/// The move of an embedded server's data into a shared database.
@Suite(.timeLimit(.minutes(Patience.minutes)))
struct ImportTests {
    // MARK: Completeness

    @Test func `each table and column of the embedded server is copied or left out for a reason`()
        async throws
    {
        let connection = try Connection(.memory)
        try SQLiteSchema.migrator.migrate(connection)
        let columns = try connection.all(
            Query<Void, (String, String)>(
                sql: """
                    SELECT t.name, c.name
                    FROM sqlite_schema AS t JOIN pragma_table_info(t.name) AS c
                    WHERE t.type = 'table'
                    """
            ) { ($0.text(0), $0.text(1)) })
        #expect(columns.count > 80)
        var known: Set<String> = []
        for copy in EmbeddedImport.map {
            for column in copy.sourceColumns {
                known.insert("\(copy.source).\(column)")
                let words = copy.reading.split { !$0.isLetter && $0 != "_" }
                #expect(words.contains(Substring(column)), "\(copy.source).\(column) is not read")
            }
        }
        for (table, column) in columns {
            let name = "\(table).\(column)"
            let isLeftOut = EmbeddedImport.leftOut.keys.contains { $0 == table || $0 == name }
            #expect(known.contains(name) != isLeftOut, "\(name)")
        }
        let all = Set(columns.map { "\($0.0).\($0.1)" } + columns.map(\.0))
        #expect(known.isSubset(of: all))
        #expect(Set(EmbeddedImport.leftOut.keys).isSubset(of: all))
    }

    @Test
    func `each table and column of the shared database is written or stays empty for a reason`()
        async throws
    {
        let scene = try await ImportScene(steps: 0)
        let columns = try await scene.pool.read { db async throws(PostgresError) in
            try await db.all(
                PostgresQuery<(String, String)>(
                    """
                    SELECT table_name, column_name FROM information_schema.columns
                    WHERE table_schema = current_schema()
                    """
                ) { ($0.text(0), $0.text(1)) })
        }
        // The server's row gets the change base; the rest is of a running database.
        let own: Set = [
            "server", "import", "era", "host", "presence", "proof", "migration", "attempt",
        ]
        var written: Set<String> = []
        for copy in EmbeddedImport.map {
            for column in copy.targetColumns { written.insert("\(copy.target).\(column)") }
        }
        let wanted = columns.filter { !own.contains($0.0) && !$0.0.hasPrefix("message_") }
        #expect(Set(wanted.map { "\($0.0).\($0.1)" }) == written)
    }

    // MARK: Sameness

    @Test(arguments: [(1, 7), (2, 1), (3, 1_000)] as [(UInt64, Int)])
    func `both databases answer all questions alike after the import`(
        seed: UInt64, batch: Int
    ) async throws {
        let scene = try await ImportScene(seed: seed)
        let report = try await scene.makeImport(batch: batch).run()
        #expect(!report.wasDone)
        #expect(report.tables.allSatisfy { $0.rows > 0 }, "\(report.tables)")
        let shared = try await PostgresStorage(scene.pool, clockMargin: 0)
        try await scene.compare(shared)
    }

    @Test func `requests, numbers and tokens go on behind those of the embedded server`()
        async throws
    {
        let scene = try await ImportScene()
        let embedded = scene.embedded
        let now = ImportScene.now
        let log = try await embedded.log(of: "g1")
        let place = try await embedded.messageChanges(
            in: "g1", after: .time(.distantFuture), limit: 9
        ).end
        let listings = try await embedded.listings(of: "ann")
        let list = try #require(listings.map(\.changeSequence).max())
        _ = try await scene.makeImport().run()
        let shared = try await PostgresStorage(scene.pool, clockMargin: 0)

        // A request that was stored there is a repeat here.
        let known = try #require(
            log.first {
                $0.deletedAt == nil && $0.message.requestID != nil && $0.message.sender != nil
            })
        let again = try #require(try await shared.append(known.message, now: now))
        #expect(again.isRepeat)
        #expect(again.message == known.message)

        // Behind a number of the embedded server is the new change, and nothing else.
        #expect(
            try await shared.messageChanges(in: "g1", after: .sequence(place), limit: 9).changes
                .isEmpty)
        let new = try #require(
            try await shared.append(
                StorageContractTests.draft("new", from: "ann", to: "g1"), now: now))
        #expect(!new.isRepeat)
        let last = try #require(log.compactMap(\.message.messageID).max())
        #expect(try #require(new.message.messageID) > last)
        #expect(new.previousID == log.last { $0.deletedAt == nil }?.message.messageID)
        let page = try await shared.messageChanges(in: "g1", after: .sequence(place), limit: 9)
        #expect(page.changes == [.current(new.message)])
        #expect(page.end > place)
        // No channel has passed the place of the channel list, and new changes are behind it.
        let after = try await shared.listings(of: "ann")
        #expect(after.allSatisfy { $0.changeSequence >= list })
        #expect(after.allSatisfy { $0.settledSequence >= list })
        let changed = try #require(after.first { $0.record.url == "g1" })
        #expect(after.allSatisfy { $0.changeSequence <= changed.changeSequence })

        // No number is given twice.
        let kept = KeptSecret(salt: "s", hash: "h")
        for storage in [embedded, shared] as [any Storage] {
            try await storage.addUser(User(id: "newcomer"))
        }
        let session = (
            try await embedded.openSession(
                kept, for: "newcomer", by: nil, expiresAt: nil, limit: 9)?.number,
            try await shared.openSession(
                kept, for: "newcomer", by: nil, expiresAt: nil, limit: 9)?.number
        )
        #expect(session.0 == session.1)
        let token = (
            try await embedded.addToken(kept, for: "newcomer", expiresAt: nil, limit: 9)?.number,
            try await shared.addToken(kept, for: "newcomer", expiresAt: nil, limit: 9)?.number
        )
        #expect(token.0 == token.1)
        let document = Document(.report, of: "newcomer", body: [:])
        #expect(
            try await embedded.addDocument(document).id == shared.addDocument(document).id)
        _ = try await shared.createChannel(
            StorageContractTests.channel("new", ["newcomer", "ann"]), now: now)
        #expect(try await shared.memberIDs(of: "new") == ["newcomer", "ann"])
    }

    @Test func `a walk over a channel's changes goes on in the middle`() async throws {
        let scene = try await ImportScene()
        let first = try await scene.embedded.messageChanges(
            in: "g1", after: .sequence(0), limit: 5)
        let rest = try await scene.embedded.messageChanges(
            in: "g1", after: .sequence(first.end), limit: 1_000)
        _ = try await scene.makeImport().run()
        let shared = try await PostgresStorage(scene.pool, clockMargin: 0)
        var page = try await shared.messageChanges(
            in: "g1", after: .sequence(first.end), limit: 1_000)
        // Only a database has eras.
        page.era = ""
        #expect(page == rest)
    }

    @Test func `an embedded server without data is moved too`() async throws {
        let scene = try await ImportScene(steps: 0)
        let report = try await scene.makeImport().run()
        #expect(report.tables.allSatisfy { $0.rows == 0 })
        let shared = try await PostgresStorage(scene.pool, clockMargin: 0)
        try await shared.addUser(User(id: "a"))
        _ = try await shared.createChannel(
            StorageContractTests.channel("g", ["a"]), now: ImportScene.now)
        #expect(
            try await shared.append(StorageContractTests.draft("x"), now: ImportScene.now) != nil)
    }

    // MARK: Interruption

    @Test func `an import that is stopped behind each batch ends like one that is not`()
        async throws
    {
        let scene = try await ImportScene(steps: 120)
        var stops = 0
        var report: ImportReport?
        while report == nil {
            do throws(ImportFailure) {
                // Cancelling acts behind the first batch that this run has stored.
                report = try await Self.run(scene) { progress in
                    guard progress.step == .copying else { return }
                    // SAFETY: the task is only cancelled, inside the closure.
                    unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                }
            } catch {
                #expect(error.message.contains("goes on where it was"), "\(error)")
                #expect(await !scene.canServe())
                let place = try await scene.place()
                #expect(!place.contains("phone") && !place.contains("ttt"), "A token is kept.")
                stops += 1
                guard stops < 1_000 else { throw error }
            }
        }
        // Each batch but the last was a run of its own.
        #expect(stops > 30)
        let other = try await ImportScene(steps: 120)
        #expect(report?.tables == (try await other.makeImport().run()).tables)
        let shared = try await PostgresStorage(scene.pool, clockMargin: 0)
        try await scene.compare(shared)
        let again = try await scene.makeImport().run()
        #expect(again.wasDone)
        #expect(again.tables == report?.tables)
    }

    /// Runs an import as a task that can be cancelled.
    private static func run(
        _ scene: ImportScene, _ note: @escaping @Sendable (ImportProgress) -> Void
    ) async throws(ImportFailure) -> ImportReport {
        let work: EmbeddedImport
        do {
            work = try await scene.makeImport(note)
        } catch {
            throw ImportFailure(.refused, "\(error)")
        }
        let task = Task { () async -> Result<ImportReport, ImportFailure> in
            do throws(ImportFailure) {
                return .success(try await work.run())
            } catch {
                return .failure(error)
            }
        }
        return try await task.value.get()
    }

    @Test func `work before the end keeps servers out until it has succeeded`() async throws {
        let scene = try await ImportScene(steps: 30)
        let failure = ImportFailure(.folder, "The disk is full.")
        await #expect(throws: ImportFailure.self) {
            try await scene.makeImport().run { () async throws(ImportFailure) in throw failure }
        }
        #expect(await !scene.canServe())
        #expect(try await !scene.makeImport().run().wasDone)
        #expect(await scene.canServe())
    }

    // MARK: Differences

    @Test(
        arguments: [
            ("UPDATE message SET body = body || ' ' WHERE id = 3", "message", "body differ"),
            ("UPDATE users SET user_id = 'xé' WHERE user_id = 'é'", "users", "user_id differ"),
            (
                "DELETE FROM member WHERE user_id = 2 AND channel = 1", "member",
                "in the folder only"
            ),
            (
                "INSERT INTO mention VALUES (1, 999, 'x')", "mention",
                "channel 1, message 999, user_id \"x\": the row is in the database only"
            ),
            ("DELETE FROM device WHERE token = 'phone1'", "device", "token (left out)"),
            ("UPDATE session SET hash = 'other' WHERE id = 2", "session", "id 2: hash differ"),
            ("UPDATE channel SET seq = seq - 1 WHERE id = 1", "channel", "id 1: seq differ"),
        ] as [(StaticString, String, String)])
    func `a spoilt copy is found, and no server starts on it`(
        spoil: StaticString, table: String, finding: String
    ) async throws {
        let scene = try await ImportScene(steps: 120)
        await #expect(throws: ImportFailure.self) {
            try await scene.makeImport().run { () async throws(ImportFailure) in
                throw ImportFailure(.refused, "Wait.")
            }
        }
        try await scene.pool.write { db async throws(PostgresError) in
            db.add(PostgresQuery(.once(spoil)))
        }
        let error = await #expect(throws: ImportFailure.self) {
            try await scene.makeImport().run()
        }
        #expect(error?.kind == .different)
        #expect(
            error?.message.contains("The table \(table) differs") == true, "\(error?.message ?? "")"
        )
        #expect(error?.message.contains(finding) == true, "\(error?.message ?? "")")
        #expect(error?.message.contains(ImportScene.longToken) == false)
        #expect(await !scene.canServe())
    }

    // MARK: Refusals

    private static func refusal(_ scene: ImportScene) async -> String {
        let error = await #expect(throws: ImportFailure.self) {
            try await scene.makeImport().run()
        }
        return error?.message ?? ""
    }

    @Test func `a database without the schema is refused`() async throws {
        let scene = try await ImportScene(steps: 0, isMigrated: false)
        #expect(await Self.refusal(scene).contains("Run: roost migrate"))
    }

    @Test func `a database with data is refused`() async throws {
        let scene = try await ImportScene(steps: 0)
        try await PostgresStorage(scene.pool).addUser(User(id: "a"))
        #expect(await Self.refusal(scene).contains("has data already"))
        try await PostgresStorage(scene.pool).addUser(User(id: "b"))
    }

    @Test func `another folder is refused during an import and after it`() async throws {
        let scene = try await ImportScene(steps: 20)
        await #expect(throws: ImportFailure.self) {
            try await scene.makeImport().run { () async throws(ImportFailure) in
                throw ImportFailure(.refused, "Wait.")
            }
        }
        try await scene.embedded.addUser(User(id: "later"))
        #expect(await Self.refusal(scene).contains("has not ended, or a server has run"))
        let other = try await ImportScene(seed: 9, steps: 20)
        let source = try await EmbeddedSource(other.path, on: ThreadExecutor(name: "other"))
        let error = await #expect(throws: ImportFailure.self) {
            try await EmbeddedImport(source, into: scene.pool).run()
        }
        #expect(error?.message.contains("another folder") == true)
        _ = try await other.makeImport().run()
        try await other.embedded.addUser(User(id: "later"))
        #expect(await Self.refusal(other).contains("an earlier state of this one"))
    }

    @Test func `numbers of messages stay behind those that the database gives`() async throws {
        let scene = try await ImportScene(steps: 20)
        let file = try Connection(.file(scene.path))
        // The number of a message has 42 bits behind the timeline, which is 1 here.
        try file.executeScript(
            "UPDATE sqlite_sequence SET seq = 4398046511109 WHERE name = 'message'")
        _ = try await scene.makeImport().run()
        let shared = try await PostgresStorage(scene.pool)
        let new = try await shared.append(
            StorageContractTests.draft("x", from: "ann", to: "g1"), now: ImportScene.now)
        #expect(new?.message.messageID == 4_398_046_511_110)

        let other = try await ImportScene(steps: 20)
        let late = try Connection(.file(other.path))
        try late.executeScript(
            "UPDATE sqlite_sequence SET seq = 8796093022208 WHERE name = 'message'")
        #expect(await Self.refusal(other).contains("message numbers beyond"))
    }

    @Test func `two imports of one folder at once do not harm each other`() async throws {
        let scene = try await ImportScene(steps: 120)
        let works = [try await scene.makeImport(), try await scene.makeImport()]
        await withTaskGroup(of: Void.self) { group in
            for work in works {
                group.addTask {
                    // One of them may stop, because the other one has moved on.
                    _ = try? await work.run()
                }
            }
        }
        _ = try await scene.makeImport().run()
        try await scene.compare(try await PostgresStorage(scene.pool, clockMargin: 0))
    }

    @Test func `a source of another version, another program or with damage is refused`()
        async throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        func refusal(_ name: String) async -> String {
            let error = await #expect(throws: ImportFailure.self) {
                try await EmbeddedSource(folder.file(name), on: ThreadExecutor(name: "source"))
            }
            return error?.message ?? ""
        }
        #expect(await refusal("missing").contains("cannot be read"))
        let foreign = try Connection(.file(folder.file("foreign")))
        try foreign.executeScript("CREATE TABLE t (a); PRAGMA application_id = 7")
        #expect(await refusal("foreign").contains("no database of a Roost server"))
        let old = try Connection(.file(folder.file("old")))
        try Migrator(applicationID: 0x526F_5376, []).migrate(old)
        #expect(await refusal("old").contains("earlier version"))
        let new = try Connection(.file(folder.file("new")))
        try SQLiteSchema.migrator.migrate(new)
        try new.executeScript("PRAGMA user_version = 99")
        #expect(await refusal("new").contains("another version"))
    }
}
