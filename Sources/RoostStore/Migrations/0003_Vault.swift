// SPDX-License-Identifier: Apache-2.0

internal import RoostSQLite

extension Migration {
    /// Room for the keys of a sealed cache, and for the names whose hashes stand in lookup columns.
    ///
    /// Frozen: what has to change comes as the next number.
    static let cache0003 = Migration(
        3, "vault",
        """
        -- At most one row: without it nothing here is sealed.
        CREATE TABLE vault (
            id     INTEGER PRIMARY KEY CHECK (id = 1),
            stage  INTEGER NOT NULL,  -- VaultStage.
            header BLOB NOT NULL      -- VaultHeader: proves the master key without holding it.
        ) STRICT;

        -- The newest key of a channel seals; older ones open what was not sealed anew yet.
        CREATE TABLE data_key (
            number     INTEGER PRIMARY KEY AUTOINCREMENT,  -- Named by all it sealed; never reused.
            channel_id INTEGER NOT NULL,                   -- 0: for what belongs to no channel.
            wrapped    BLOB NOT NULL                       -- 32 bytes, sealed under the master key's.
        ) STRICT;
        CREATE INDEX data_key_by_channel ON data_key (channel_id, number);

        -- The names whose hashes stand in lookup columns, sealed; NULL in a cache in the clear.
        ALTER TABLE user ADD COLUMN name BLOB;
        ALTER TABLE channel ADD COLUMN name BLOB;
        ALTER TABLE word ADD COLUMN name BLOB;
        ALTER TABLE filter ADD COLUMN name BLOB;
        -- The token of a sealed cache, instead of the other.
        ALTER TABLE cursor ADD COLUMN sealed_token BLOB
        """)
    /// Room for the keys of a sealed outbox, whose items say all in their payload.
    ///
    /// Frozen: what has to change comes as the next number.
    static let outbox0002 = Migration(2, "vault", .vaultTables)
}
