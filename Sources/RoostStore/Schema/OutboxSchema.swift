// SPDX-License-Identifier: Apache-2.0

package import RoostSQLite

extension Migration {
    /// The schema of the outbox.
    ///
    /// Frozen with the first release; a later change is a migration with the next number.
    package static let outbox0001 = Migration(
        1, "outbox",
        SQL(
            SQL.vaultTables,
            """
            -- One row: the owner of this outbox.
            CREATE TABLE outbox_state (
                id          INTEGER PRIMARY KEY CHECK (id = 1),
                application TEXT NOT NULL,
                user        TEXT NOT NULL
            ) STRICT;

            -- Messages and changes that the server is not known to have.
            CREATE TABLE item (
                sequence      INTEGER PRIMARY KEY AUTOINCREMENT,  -- The order of writing, never reused.
                request_id    TEXT NOT NULL UNIQUE,
                channel_url   TEXT NOT NULL,
                created_at    INTEGER NOT NULL,  -- Milliseconds of the device's clock.
                state         INTEGER NOT NULL,  -- OutboxStateTag.
                failure_code  INTEGER,           -- With the state "failed" only.
                attempt_count INTEGER NOT NULL,
                has_left      INTEGER NOT NULL,  -- 1: bytes of it may have reached the server.
                payload       BLOB NOT NULL      -- ParamsPayload.
            ) STRICT;

            -- The last changes that a process has dropped. Other processes that have them in memory
            -- learn here that they are not made.
            CREATE TABLE dropped (
                number        INTEGER PRIMARY KEY,
                request_id    TEXT NOT NULL UNIQUE
            ) STRICT
            """))
}
