// SPDX-License-Identifier: Apache-2.0

package import RoostSQLite

extension Migration {
    /// The schema of the cache.
    ///
    /// Frozen with the first release; a later change is a migration with the next number. The
    /// column `session` is unused, and stays because the checksum of the text is stored.
    package static let cache0001 = Migration(
        1, "cache",
        SQL(
            SQL.vaultTables,
            """
            -- One row: the owner of this cache, and the state that belongs to all of it.
            CREATE TABLE store_state (
                id          INTEGER PRIMARY KEY CHECK (id = 1),
                application TEXT NOT NULL,
                user        TEXT NOT NULL,
                session     BLOB  -- The last login, encoded by the layer above.
            ) STRICT;

            -- Each user once: a rename touches one row and no message (scar 123).
            CREATE TABLE user (
                id      INTEGER PRIMARY KEY,   -- Local; other tables refer to it.
                user_id TEXT NOT NULL UNIQUE,
                payload BLOB NOT NULL,         -- UserPayload.
                name    BLOB                   -- The sealed ID, in a sealed cache only.
            ) STRICT;

            -- Texts that many rows repeat, such as custom types.
            CREATE TABLE word (
                id   INTEGER PRIMARY KEY,
                text TEXT NOT NULL UNIQUE,
                name BLOB                      -- The sealed text, in a sealed cache only.
            ) STRICT;

            CREATE TABLE channel (
                id              INTEGER PRIMARY KEY,  -- Local; other tables refer to it.
                url             TEXT NOT NULL UNIQUE,
                created_at      INTEGER NOT NULL,     -- Milliseconds of the server's clock, as all times here.
                last_message_at INTEGER NOT NULL,     -- The least integer when there is none.
                membership      INTEGER NOT NULL,     -- MembershipTag; 0 is in no list.
                custom_type_id  INTEGER,              -- Of `word`; NULL: none. The payload has it too.
                flags           INTEGER NOT NULL DEFAULT 0,  -- ChannelFlags. The payload has them too.
                -- At or before this moment nothing is visible: the history was reset, or a retention period passed.
                cut_at          INTEGER,
                payload         BLOB,                 -- ChannelPayload; NULL: only the URL is known.
                name            BLOB                  -- The sealed URL, in a sealed cache only.
            ) STRICT;
            CREATE INDEX channel_by_last_message
                ON channel (last_message_at DESC, created_at DESC, url) WHERE membership > 0;
            CREATE INDEX channel_by_creation
                ON channel (created_at DESC, url) WHERE membership > 0;

            -- Delivered messages in reading order (docs/adr/0001). A message always lies inside a range of
            -- `coverage`. The writer keeps the references valid: a foreign key on each would cost a tenth of a
            -- page's upsert.
            CREATE TABLE message (
                channel_id          INTEGER NOT NULL,
                created_at          INTEGER NOT NULL,
                message_id          INTEGER NOT NULL,
                sender_id           INTEGER,                       -- Of `user`; NULL: none is known.
                kind                INTEGER NOT NULL,              -- ContentTag.
                custom_type_id      INTEGER,                       -- Of `word`; NULL: none.
                parent_id           INTEGER,
                updated_at          INTEGER,                       -- NULL: never edited.
                request_key         INTEGER,  -- Hash of the request ID; of the owner's messages only.
                is_reply_to_channel INTEGER NOT NULL,
                mentions_me         INTEGER NOT NULL,
                payload             BLOB NOT NULL,                 -- MessagePayload.
                PRIMARY KEY (channel_id, created_at, message_id)
            ) STRICT, WITHOUT ROWID;
            CREATE UNIQUE INDEX message_by_id ON message (message_id, channel_id);
            -- The other indices hold few messages each. One by sender would hold nearly all of them: it doubles
            -- the pages that a commit writes (docs/adr/0001). The index by edit is made when it is first used.
            CREATE INDEX message_by_custom_type ON message
                (channel_id, custom_type_id, created_at, message_id)
                WHERE custom_type_id IS NOT NULL;
            CREATE INDEX message_by_kind ON message
                (channel_id, kind, created_at, message_id) WHERE kind <> 1;
            CREATE INDEX message_by_parent ON message
                (channel_id, parent_id, created_at, message_id)
                WHERE parent_id IS NOT NULL;
            CREATE INDEX message_by_request ON message (request_key) WHERE request_key IS NOT NULL;
            CREATE INDEX message_by_mention ON message (created_at, message_id) WHERE mentions_me = 1;

            -- The size of each channel's messages and their last use: the budget's input.
            CREATE TABLE holding (
                channel_id    INTEGER PRIMARY KEY REFERENCES channel (id) ON DELETE CASCADE,
                message_count INTEGER NOT NULL DEFAULT 0,
                payload_bytes INTEGER NOT NULL DEFAULT 0,
                accessed_at   INTEGER,                     -- NULL: never opened.
                is_pinned     INTEGER NOT NULL DEFAULT 0
            ) STRICT;

            -- The messages that a range of `coverage` is about, unless it is about all of them.
            CREATE TABLE filter (
                id      INTEGER PRIMARY KEY,
                payload BLOB NOT NULL UNIQUE,  -- FilterPayload.
                name    BLOB                   -- The sealed payload, in a sealed cache only.
            ) STRICT;

            -- The ranges of a channel's history in which the cache holds everything the server holds.
            CREATE TABLE coverage (
                channel_id     INTEGER NOT NULL REFERENCES channel (id) ON DELETE CASCADE,
                filter_id      INTEGER NOT NULL,  -- 0: every message. A filter's range covers less (scar 32).
                lower_at       INTEGER NOT NULL,
                lower_id       INTEGER NOT NULL,
                upper_at       INTEGER NOT NULL,
                upper_id       INTEGER NOT NULL,
                predecessor_id INTEGER,           -- The message before the lower end, not cached yet.
                PRIMARY KEY (channel_id, filter_id, lower_at, lower_id)
            ) STRICT, WITHOUT ROWID;

            -- The number of the last commit, and the state of the channels with the newest live messages: one page,
            -- which a live message changes instead of three. Until it is folded into `coverage` and `holding`, a row
            -- stands above the channel's rows there; queries read both through the views.
            CREATE TABLE recent (
                channel_id    INTEGER PRIMARY KEY,  -- 0: the cache itself.
                sequence      INTEGER,  -- Row 0: grows by one with each commit, in its transaction.
                lower_at      INTEGER,  -- The channel's newest range without a filter begins as in `coverage` …
                lower_id      INTEGER,
                upper_at      INTEGER,  -- … and ends here.
                upper_id      INTEGER,
                message_count INTEGER,
                payload_bytes INTEGER
            ) STRICT;
            INSERT INTO recent (channel_id, sequence) VALUES (0, 0);

            CREATE VIEW covered AS
                SELECT c.channel_id, c.filter_id, c.lower_at, c.lower_id,
                    ifnull(r.upper_at, c.upper_at) AS upper_at,
                    ifnull(r.upper_id, c.upper_id) AS upper_id, c.predecessor_id
                FROM coverage AS c LEFT JOIN recent AS r
                    ON r.channel_id = c.channel_id AND c.filter_id = 0
                        AND r.lower_at = c.lower_at AND r.lower_id = c.lower_id;
            CREATE VIEW held AS
                SELECT h.channel_id, ifnull(r.message_count, h.message_count) AS message_count,
                    ifnull(r.payload_bytes, h.payload_bytes) AS payload_bytes, h.accessed_at,
                    h.is_pinned
                FROM holding AS h LEFT JOIN recent AS r ON r.channel_id = h.channel_id;

            -- How far each change log has been read.
            CREATE TABLE cursor (
                kind         INTEGER NOT NULL,    -- CursorKey.
                channel_id   INTEGER NOT NULL,    -- 0: of all channels.
                token        TEXT,                -- The server's token, or
                moment       INTEGER,             -- the moment of the first request.
                sealed_token BLOB,                -- The token, in a sealed cache.
                PRIMARY KEY (kind, channel_id)
            ) STRICT, WITHOUT ROWID
            """))
}
