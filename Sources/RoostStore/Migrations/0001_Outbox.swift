// SPDX-License-Identifier: Apache-2.0

internal import RoostSQLite

extension Migration {
    /// The first schema of the outbox.
    ///
    /// Frozen: what has to change comes as the next number.
    static let outbox0001 = Migration(
        1, "outbox",
        """
        -- One row: whose words these are.
        CREATE TABLE outbox_state (
            id          INTEGER PRIMARY KEY CHECK (id = 1),
            application TEXT NOT NULL,
            user        TEXT NOT NULL
        ) STRICT;

        -- Messages the server does not have, as far as we know.
        CREATE TABLE item (
            sequence      INTEGER PRIMARY KEY AUTOINCREMENT,  -- The order of writing, never reused.
            request_id    TEXT NOT NULL UNIQUE,
            channel_url   TEXT NOT NULL,
            created_at    INTEGER NOT NULL,  -- Milliseconds on the device's clock.
            state         INTEGER NOT NULL,  -- OutboxStateTag.
            failure_code  INTEGER,           -- With the state "failed" only.
            attempt_count INTEGER NOT NULL,
            has_left      INTEGER NOT NULL,  -- 1: bytes of it may have reached the server.
            payload       BLOB NOT NULL      -- ParamsPayload.
        ) STRICT
        """)
}
