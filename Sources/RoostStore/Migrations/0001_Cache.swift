// SPDX-License-Identifier: Apache-2.0

internal import RoostSQLite

extension Migration {
    /// The first schema of the cache.
    ///
    /// Frozen: what has to change comes as the next number.
    static let cache0001 = Migration(
        1, "cache",
        """
        -- One row: whose cache this is, and what belongs to all of it.
        CREATE TABLE store_state (
            id          INTEGER PRIMARY KEY CHECK (id = 1),
            application TEXT NOT NULL,
            user        TEXT NOT NULL,
            sequence    INTEGER NOT NULL,  -- Grows by one with each commit, in its transaction.
            session     BLOB               -- The last login, in the words of the layer above.
        ) STRICT;

        -- Everybody seen, once: a rename touches one row and no message (scar 123).
        CREATE TABLE user (
            id      INTEGER PRIMARY KEY,   -- Ours; what others refer to.
            user_id TEXT NOT NULL UNIQUE,
            payload BLOB NOT NULL          -- UserPayload.
        ) STRICT;

        CREATE TABLE channel (
            id              INTEGER PRIMARY KEY,  -- Ours; what others refer to.
            url             TEXT NOT NULL UNIQUE,
            created_at      INTEGER NOT NULL,     -- Milliseconds, the server's, as all times here.
            last_message_at INTEGER NOT NULL,     -- The least integer when there is none.
            membership      INTEGER NOT NULL,     -- MembershipTag; 0 is in no list.
            payload         BLOB                  -- ChannelPayload; NULL: only its URL is known.
        ) STRICT;
        CREATE INDEX channel_by_last_message
            ON channel (last_message_at DESC, created_at DESC, url) WHERE membership > 0;
        CREATE INDEX channel_by_creation
            ON channel (created_at DESC, url) WHERE membership > 0;

        -- Delivered messages, lying in the order they are read in (docs/adr/0001).
        -- A message always lies inside a range of `coverage`.
        CREATE TABLE message (
            channel_id  INTEGER NOT NULL REFERENCES channel (id) ON DELETE CASCADE,
            created_at  INTEGER NOT NULL,
            message_id  INTEGER NOT NULL,
            sender_id   INTEGER REFERENCES user (id),  -- NULL: nobody, or not told.
            kind        INTEGER NOT NULL,              -- ContentTag.
            custom_type TEXT NOT NULL,
            parent_id   INTEGER,
            updated_at  INTEGER,
            request_id  TEXT,
            payload     BLOB NOT NULL,                 -- MessagePayload.
            PRIMARY KEY (channel_id, created_at, message_id)
        ) STRICT, WITHOUT ROWID;
        CREATE UNIQUE INDEX message_by_id ON message (message_id, channel_id);
        CREATE INDEX message_by_request ON message (request_id) WHERE request_id IS NOT NULL;

        -- The stretches of a channel's history in which the cache holds all the server holds.
        CREATE TABLE coverage (
            channel_id     INTEGER NOT NULL REFERENCES channel (id) ON DELETE CASCADE,
            filter         TEXT NOT NULL,     -- '': every message. Others know less (scar 32).
            lower_at       INTEGER NOT NULL,
            lower_id       INTEGER NOT NULL,
            upper_at       INTEGER NOT NULL,
            upper_id       INTEGER NOT NULL,
            predecessor_id INTEGER,           -- The message before the lower end, not cached yet.
            PRIMARY KEY (channel_id, filter, lower_at, lower_id)
        ) STRICT, WITHOUT ROWID;

        -- Up to where a change log has been read.
        CREATE TABLE cursor (
            kind       INTEGER NOT NULL,      -- CursorKey.
            channel_id INTEGER NOT NULL,      -- 0: of all channels.
            token      TEXT,                  -- The server's words, or
            moment     INTEGER,               -- where the first question begins.
            PRIMARY KEY (kind, channel_id)
        ) STRICT, WITHOUT ROWID
        """)
}

extension Migrator {
    /// "RstC" in the file's header.
    static let cache = Migrator(
        applicationID: 0x5273_7443, [.cache0001, .cache0002, .cache0003, .cache0004])
    /// "RstO" in the file's header.
    static let outbox = Migrator(applicationID: 0x5273_744F, [.outbox0001, .outbox0002])
}
