// SPDX-License-Identifier: Apache-2.0

package import RoostSQLite

extension SQL {
    /// The tables of a vault, with which the schema of each database begins.
    package static var vaultTables: StaticString {
        """
        -- At most one row: without it nothing here is sealed.
        CREATE TABLE vault (
            id     INTEGER PRIMARY KEY CHECK (id = 1),
            stage  INTEGER NOT NULL,  -- VaultStage.
            header BLOB NOT NULL      -- VaultHeader: proves the master key without holding it.
        ) STRICT;

        -- The newest key of a channel seals; older ones open rows that are not sealed anew yet.
        CREATE TABLE data_key (
            number     INTEGER PRIMARY KEY AUTOINCREMENT,  -- Named by each sealed row; never reused.
            channel_id INTEGER NOT NULL,                   -- 0: for rows that belong to no channel.
            wrapped    BLOB NOT NULL                       -- 32 bytes, sealed under the master key's.
        ) STRICT;
        CREATE INDEX data_key_by_channel ON data_key (channel_id, number);
        """
    }
}
