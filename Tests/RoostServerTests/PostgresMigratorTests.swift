// SPDX-License-Identifier: Apache-2.0

import RoostCluster
import RoostPostgres
import Testing

struct PostgresMigratorTests {
    @Test func `a migration may take longer than the statements of a server`() async throws {
        let pool = PostgresPool(
            try await PostgresStorage.testConfiguration(), on: try PostgresStorage.testLoop())
        try await PostgresMigrator(pool).migrate()
        let undoing: [StaticString] = [
            "DROP INDEX document_by_channel", "DELETE FROM migration WHERE number = 2",
            """
            CREATE FUNCTION takes_long() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                IF current_setting('statement_timeout') = '8s' THEN
                    RAISE EXCEPTION 'The statement would be given up.';
                END IF;
                RETURN NEW;
            END $$
            """,
            """
            CREATE TRIGGER takes_long BEFORE INSERT ON migration FOR EACH ROW
            EXECUTE FUNCTION takes_long()
            """,
        ]
        try await pool.write { db async throws(PostgresError) in
            for statement in undoing { db.add(PostgresQuery(.once(statement))) }
        }
        try await PostgresMigrator(pool).migrate()
        #expect(try await PostgresMigrator(pool).state() == .current)
    }
}
