// SPDX-License-Identifier: Apache-2.0

internal import RoostSQLite

extension Migration {
    /// Rows of integers and one payload, indexes for the questions people ask, and sums for the budget.
    ///
    /// Frozen: what has to change comes as the next number. Messages are moved slice by slice, because
    /// there may be a million of them (scar 154).
    static let cache0002 = Migration(
        2, "lean rows",
        """
        -- Words that many rows repeat, such as custom types.
        CREATE TABLE word (
            id   INTEGER PRIMARY KEY,
            text TEXT NOT NULL UNIQUE
        ) STRICT;

        -- Which messages a coverage speaks of, unless it speaks of all.
        CREATE TABLE filter (
            id      INTEGER PRIMARY KEY,
            payload BLOB NOT NULL UNIQUE  -- FilterPayload.
        ) STRICT;

        -- What a list of channels is filtered by; the payload knows it too.
        ALTER TABLE channel ADD COLUMN custom_type_id INTEGER;
        ALTER TABLE channel ADD COLUMN flags INTEGER NOT NULL DEFAULT 0;  -- ChannelFlags.
        -- At or before this moment nothing is visible: a history was reset or a retention has passed.
        ALTER TABLE channel ADD COLUMN cut_at INTEGER;

        -- What a channel's messages weigh and when they were last looked at: what the budget goes by.
        CREATE TABLE holding (
            channel_id    INTEGER PRIMARY KEY REFERENCES channel (id) ON DELETE CASCADE,
            message_count INTEGER NOT NULL DEFAULT 0,
            payload_bytes INTEGER NOT NULL DEFAULT 0,
            accessed_at   INTEGER,                     -- NULL: never opened.
            is_pinned     INTEGER NOT NULL DEFAULT 0
        ) STRICT;

        ALTER TABLE message RENAME TO message_1;
        DROP INDEX message_by_id;
        DROP INDEX message_by_request;

        -- Delivered messages, lying in the order they are read in (docs/adr/0001).
        -- A message always lies inside a range of `coverage`. What its numbers refer to is there by
        -- the writer's doing; to have each checked with each row costs a tenth of a page's upsert.
        CREATE TABLE message (
            channel_id          INTEGER NOT NULL,
            created_at          INTEGER NOT NULL,
            message_id          INTEGER NOT NULL,
            sender_id           INTEGER,                       -- NULL: nobody, or not told.
            kind                INTEGER NOT NULL,              -- ContentTag.
            custom_type_id      INTEGER,                       -- Of `word`; NULL: none.
            parent_id           INTEGER,
            updated_at          INTEGER,                       -- NULL: never edited.
            request_key         INTEGER,  -- Hash of the request ID; of my own messages only.
            is_reply_to_channel INTEGER NOT NULL,
            mentions_me         INTEGER NOT NULL,
            payload             BLOB NOT NULL,                 -- MessagePayload.
            PRIMARY KEY (channel_id, created_at, message_id)
        ) STRICT, WITHOUT ROWID;
        CREATE UNIQUE INDEX message_by_id ON message (message_id, channel_id);
        -- The rest is about few messages, so these cost next to nothing. One by sender would be about
        -- all: it doubles the pages a commit writes (docs/adr/0001), to save a walk along a channel.
        CREATE INDEX message_by_custom_type ON message
            (channel_id, custom_type_id, created_at, message_id)
            WHERE custom_type_id IS NOT NULL;
        CREATE INDEX message_by_kind ON message
            (channel_id, kind, created_at, message_id) WHERE kind <> 1;
        CREATE INDEX message_by_parent ON message
            (channel_id, parent_id, created_at, message_id)
            WHERE parent_id IS NOT NULL;
        CREATE INDEX message_by_edit ON message
            (channel_id, updated_at, created_at, message_id)
            WHERE updated_at IS NOT NULL;
        CREATE INDEX message_by_request ON message (request_key) WHERE request_key IS NOT NULL;
        CREATE INDEX message_by_mention ON message (created_at, message_id) WHERE mentions_me = 1;

        ALTER TABLE coverage RENAME TO coverage_1;
        -- The stretches of a channel's history in which the cache holds all the server holds.
        CREATE TABLE coverage (
            channel_id     INTEGER NOT NULL REFERENCES channel (id) ON DELETE CASCADE,
            filter_id      INTEGER NOT NULL,  -- 0: every message. Others know less (scar 32).
            lower_at       INTEGER NOT NULL,
            lower_id       INTEGER NOT NULL,
            upper_at       INTEGER NOT NULL,
            upper_id       INTEGER NOT NULL,
            predecessor_id INTEGER,           -- The message before the lower end, not cached yet.
            PRIMARY KEY (channel_id, filter_id, lower_at, lower_id)
        ) STRICT, WITHOUT ROWID;
        INSERT INTO coverage SELECT channel_id, 0, lower_at, lower_id, upper_at, upper_id,
            predecessor_id FROM coverage_1 WHERE filter = '';
        DROP TABLE coverage_1
        """,
        work: .leanRows)
}
