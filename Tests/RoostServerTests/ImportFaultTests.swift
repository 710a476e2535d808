// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCluster
import RoostExecutors
import RoostPostgres
import RoostSQLite
import RoostServer
import RoostTestSupport
import Synchronization
import Testing

/// Faults around an import: lost commits, servers, damage, slow statements and other imports.
@Suite(.timeLimit(.minutes(Patience.minutes)))
struct ImportFaultTests {
    private static func refusal(_ work: EmbeddedImport) async -> ImportFailure? {
        await #expect(throws: ImportFailure.self) { try await work.run() }
    }

    // MARK: The end

    @Test func `an import ends only with the rows that it has compared`() async throws {
        let scene = try await ImportScene(steps: 60)
        let error = await #expect(throws: ImportFailure.self) {
            try await scene.makeImport().run { () async throws(ImportFailure) in
                // As after the promotion of a standby that lacks the last commits.
                try await scene.change("DELETE FROM document", "UPDATE import SET tables = 10")
            }
        }
        #expect(error?.message.contains("has lost its last commits") == true, "\(error as Any)")
        #expect(await !scene.canServe())
        #expect(try await !scene.makeImport().run().wasDone)
        try await scene.compare(try await PostgresStorage(scene.pool, clockMargin: 0))
    }

    @Test(
        arguments: ["DELETE FROM import", "UPDATE import SET source = 'other'"] as [StaticString])
    func `an import without its record does not end`(loss: StaticString) async throws {
        let scene = try await ImportScene(steps: 30)
        let error = await #expect(throws: ImportFailure.self) {
            try await scene.makeImport().run { () async throws(ImportFailure) in
                try await scene.change(loss)
            }
        }
        #expect(error?.message.contains("has lost its last commits") == true, "\(error as Any)")
    }

    @Test func `a comparison beside an import that has ended does not condemn the schema`()
        async throws
    {
        let scene = try await ImportScene(steps: 60)
        // The other import ends behind the last row of this one, and a server changes users.
        try await scene.change(
            """
            CREATE FUNCTION end_early() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                NEW.finished_at = now();
                UPDATE users SET body = body || ' ';
                RETURN NEW;
            END $$
            """,
            """
            CREATE TRIGGER end_early BEFORE UPDATE ON import FOR EACH ROW
            WHEN (NEW.tables = 11) EXECUTE FUNCTION end_early()
            """)
        let error = await Self.refusal(try await scene.makeImport())
        #expect(error?.kind == .refused)
        #expect(error?.message.contains("has already ended") == true, "\(error as Any)")
        #expect(error?.message.contains("Remove the schema") == false)
    }

    // MARK: Servers

    @Test func `a server that runs on the schema is named, and keeps the import out`() async throws
    {
        let scene = try await ImportScene(steps: 30)
        var configuration = scene.configuration
        configuration.setServer("east")
        let server = PostgresPool(configuration, on: try PostgresStorage.testLoop())
        _ = try await PostgresStorage(server)
        // A server on another schema of the database does not matter.
        configuration.schema += "x"
        configuration.setServer("west")
        let beside = PostgresPool(configuration, on: try PostgresStorage.testLoop())
        _ = try await beside.read { db async throws(PostgresError) in
            try await db.first(PostgresQuery<Int64>("SELECT 1") { $0.int64(0) })
        }
        let error = await Self.refusal(try await scene.makeImport())
        #expect(error?.message.contains("in use by east: stop") == true, "\(error as Any)")
        #expect(try await scene.place() == "none")

        // One that has started before an interrupted import goes on is found too.
        await server.close()
        try await Self.whenUnused(scene) { () async throws(ImportFailure) in
            throw ImportFailure(.refused, "Wait.")
        }
        configuration.schema = scene.configuration.schema
        configuration.setServer("south")
        let late = PostgresPool(configuration, on: try PostgresStorage.testLoop())
        await #expect(throws: StorageError.self) { try await PostgresStorage(late) }
        let second = await Self.refusal(try await scene.makeImport())
        #expect(second?.message.contains("in use by south: stop") == true, "\(second as Any)")
        await late.close()
        try await Self.whenUnused(scene) { () async throws(ImportFailure) in }
        await beside.close()
        #expect(await scene.canServe())
    }

    /// Runs an import as soon as the sessions of closed servers are gone.
    private static func whenUnused(
        _ scene: ImportScene, _ beforeEnd: () async throws(ImportFailure) -> Void
    ) async throws {
        let work = try await scene.makeImport()
        while true {
            do throws(ImportFailure) {
                _ = try await work.run(beforeEnd: beforeEnd)
                return
            } catch {
                if error.message == "Wait." { return }
                guard error.message.contains("in use by") else { throw error }
                await Task.yield()
            }
        }
    }

    // MARK: The source

    @Test func `an index that misses a message is damage`() async throws {
        let scene = try await ImportScene(steps: 60)
        try Self.dropLastEntry(of: "message_by_place", in: scene.path)
        let error = await Self.refusal(try await scene.makeImport())
        #expect(error?.kind == .folder)
        #expect(error?.message.contains("is damaged") == true, "\(error as Any)")
        #expect(try await scene.place() == "none")
    }

    /// Removes an entry of an index that has one page, in a form that no check of pages notices.
    private static func dropLastEntry(of index: String, in path: String) throws {
        let connection = try Connection(.file(path))
        try connection.executeScript("PRAGMA wal_checkpoint(TRUNCATE)")
        let root = try connection.all(
            Query<Void, (String, Int)>(sql: "SELECT name, rootpage FROM sqlite_schema") {
                ($0.text(0), Int($0.int64(1)))
            }
        ).first { $0.0 == index }
        let start = (try #require(root).1 - 1) * 4_096
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        defer { try? file.close() }
        var page = Array(try #require(try file.readToEnd())[start..<(start + 4_096)])
        try #require(page[0] == 10, "The index has more than a page.")
        let count = Int(page[3]) << 8 | Int(page[4])
        let place = 8 + 2 * (count - 1)
        let cell = Int(page[place]) << 8 | Int(page[place + 1])
        (page[3], page[4]) = (UInt8((count - 1) >> 8), UInt8((count - 1) & 0xFF))
        // The cell's bytes become a fragment.
        page[7] += page[cell] + 1
        try file.seek(toOffset: UInt64(start))
        try file.write(contentsOf: Data(page))
        #expect(try Connection(.file(path)).firstDamage() == nil)
    }

    // MARK: Batches and statements

    @Test(arguments: [1, 600]) func `a batch ends at a size in bytes too`(bytes: Int) async throws {
        let scene = try await ImportScene(steps: 60)
        let batches = Mutex([0, 0])
        let report = try await scene.makeImport(batch: 1_000, batchBytes: bytes) { progress in
            guard progress.table == "message", progress.step != .reading else { return }
            batches.withLock { $0[progress.step == .copying ? 0 : 1] += 1 }
        }.run()
        let rows = try #require(report.tables.first { $0.name == "message" }).rows
        // A page of one byte is a row; then an empty page follows. The comparison begins blindly.
        let found = batches.withLock { $0 }
        #expect(bytes == 1 ? found[0] == rows + 1 : found[0] > 3 && found[0] < rows, "\(found)")
        #expect(rows <= 64 || found[1] > 1, "\(found)")
        try await scene.compare(try await PostgresStorage(scene.pool, clockMargin: 0))
    }

    @Test func `statements of an import may take longer than those of a server`() async throws {
        let scene = try await ImportScene(steps: 30)
        try await scene.change(
            """
            CREATE FUNCTION takes_long() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
                IF current_setting('statement_timeout') = '8s' THEN
                    RAISE EXCEPTION 'The statement would be given up.';
                END IF;
                RETURN true;
            END $$
            """,
            """
            CREATE FUNCTION store_long() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                PERFORM takes_long();
                RETURN NEW;
            END $$
            """,
            """
            CREATE TRIGGER store_long BEFORE INSERT ON users FOR EACH ROW
            EXECUTE FUNCTION store_long()
            """,
            // Each row that is read back asks; ANALYZE gives a warning.
            "ALTER TABLE activity RENAME TO kept_activity",
            "CREATE VIEW activity AS SELECT * FROM kept_activity WHERE takes_long()")
        #expect(try await !scene.makeImport().run().wasDone)
    }

    @Test func `a role that does not own the tables can import`() async throws {
        let scene = try await ImportScene(steps: 60)
        try await scene.change(
            """
            DO $$ BEGIN
                CREATE ROLE roost_importer LOGIN;
                EXECUTE format('GRANT USAGE ON SCHEMA %I TO roost_importer', current_schema());
                EXECUTE format(
                    'GRANT ALL ON ALL TABLES IN SCHEMA %I TO roost_importer', current_schema());
                EXECUTE format(
                    'GRANT ALL ON ALL SEQUENCES IN SCHEMA %I TO roost_importer', current_schema());
            END $$
            """)
        var configuration = scene.configuration
        configuration.address += " user=roost_importer"
        let pool = PostgresPool(configuration, on: try PostgresStorage.testLoop())
        let source = try await EmbeddedSource(scene.path, on: ThreadExecutor(name: "source"))
        let report = try await EmbeddedImport(source, into: pool).run()
        #expect(!report.wasDone)
        await pool.close()
        try await scene.compare(try await PostgresStorage(scene.pool, clockMargin: 0))
    }

    @Test func `an import leaves statistics for the plans of queries`() async throws {
        let scene = try await ImportScene(steps: 60)
        let report = try await scene.makeImport().run()
        let counts = try await scene.pool.read { db async throws(PostgresError) in
            try await db.all(
                PostgresQuery<(String, Int)>(
                    """
                    SELECT relname::text, reltuples::bigint FROM pg_class
                    WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p')
                    """
                ) { ($0.text(0), Int($0.int64(1))) })
        }
        for table in report.tables {
            #expect(counts.contains { $0 == (table.name, table.rows) }, "\(table.name)")
        }
    }
}
