// SPDX-License-Identifier: Apache-2.0

package import RoostSQLite

/// The schema of the server's database; a released migration never changes.
package enum SQLiteSchema {
    /// "RoSv", in the file's header.
    static let applicationID: Int32 = 0x526F_5376

    package static let migrator = Migrator(
        applicationID: applicationID,
        [
            Migration(
                1, "Chat",
                """
                -- One row: the number of the last change in the application, and its time.
                CREATE TABLE clock (
                    id         INTEGER PRIMARY KEY CHECK (id = 1),
                    sequence   INTEGER NOT NULL,
                    changed_at INTEGER NOT NULL   -- Never goes back, even if the machine's clock does.
                ) STRICT;
                INSERT INTO clock VALUES (1, 0, 0);

                CREATE TABLE user (
                    id          INTEGER PRIMARY KEY,
                    user_id     TEXT NOT NULL UNIQUE,
                    body        TEXT NOT NULL,    -- The user as the protocol's JSON.
                    traits      TEXT NOT NULL DEFAULT '{}', -- Rare properties as a JSON object.
                    needs_token INTEGER NOT NULL DEFAULT 0, -- 1: the user was given a token once.
                    deleted_at  INTEGER
                ) STRICT;

                -- The blocks between users, a copy of the blockers' traits for look-ups by blocked user.
                CREATE TABLE block (
                    blocked TEXT NOT NULL,
                    blocker TEXT NOT NULL,
                    PRIMARY KEY (blocked, blocker)
                ) STRICT, WITHOUT ROWID;
                CREATE INDEX block_by_blocker ON block (blocker);

                -- Access tokens and session keys, each with a salt of its own. No number is used twice.
                CREATE TABLE token (
                    id         INTEGER PRIMARY KEY AUTOINCREMENT,
                    user       INTEGER NOT NULL REFERENCES user,
                    salt       TEXT NOT NULL,
                    hash       TEXT NOT NULL,     -- Over the salt and the secret.
                    expires_at INTEGER            -- NULL: valid until another token replaces it.
                ) STRICT;
                CREATE INDEX token_by_user ON token (user, id);
                CREATE INDEX token_by_end ON token (expires_at) WHERE expires_at IS NOT NULL;
                CREATE TABLE session (
                    id         INTEGER PRIMARY KEY AUTOINCREMENT,
                    user       INTEGER NOT NULL REFERENCES user,
                    token      INTEGER REFERENCES token, -- The token of its login; NULL for none.
                    salt       TEXT NOT NULL,
                    hash       TEXT NOT NULL,
                    expires_at INTEGER
                ) STRICT;
                CREATE INDEX session_by_user ON session (user, id);
                CREATE INDEX session_by_token ON session (token) WHERE token IS NOT NULL;
                CREATE INDEX session_by_end ON session (expires_at) WHERE expires_at IS NOT NULL;

                CREATE TABLE channel (
                    id           INTEGER PRIMARY KEY,
                    url          TEXT NOT NULL UNIQUE,
                    name         TEXT NOT NULL,
                    cover_url    TEXT NOT NULL,
                    data         TEXT NOT NULL,
                    custom_type  TEXT NOT NULL,
                    created_at   INTEGER NOT NULL,
                    created_by   TEXT,
                    distinct_key TEXT UNIQUE,      -- The members of a distinct channel; NULL for others.
                    is_super     INTEGER NOT NULL,
                    is_public    INTEGER NOT NULL,
                    traits       TEXT NOT NULL DEFAULT '{}',
                    sequence     INTEGER NOT NULL, -- The last change that a member can see.
                    changed_at   INTEGER NOT NULL,
                    deleted_at   INTEGER
                ) STRICT;
                CREATE INDEX channel_by_creator ON channel (created_by) WHERE deleted_at IS NULL;

                -- The users of each channel. A user who left keeps the row, with state 'none', for the
                -- change log.
                CREATE TABLE member (
                    channel      INTEGER NOT NULL REFERENCES channel,
                    user         INTEGER NOT NULL REFERENCES user,
                    place        INTEGER NOT NULL, -- Orders the members of a channel.
                    state        TEXT NOT NULL,
                    role         TEXT NOT NULL,
                    joined_at    INTEGER,
                    last_read    INTEGER NOT NULL,
                    delivered_at INTEGER,
                    hidden       TEXT NOT NULL DEFAULT 'unhidden',
                    is_counted   INTEGER NOT NULL DEFAULT 1, -- 1: unread messages count in the user's total.
                    traits       TEXT NOT NULL DEFAULT '{}',
                    sequence     INTEGER NOT NULL, -- The last change of the state.
                    changed_at   INTEGER NOT NULL,
                    PRIMARY KEY (channel, user)
                ) STRICT, WITHOUT ROWID;
                CREATE INDEX member_by_user ON member (user, channel);
                -- The members whom the next message shows the channel again; read with each message.
                CREATE INDEX member_hidden ON member (channel)
                    WHERE hidden = 'hidden_allow_auto_unhide';

                -- The log of every channel. A deleted message keeps its place and its request ID.
                CREATE TABLE message (
                    id           INTEGER PRIMARY KEY AUTOINCREMENT,
                    channel      INTEGER NOT NULL REFERENCES channel,
                    created_at   INTEGER NOT NULL,
                    sender       INTEGER REFERENCES user,
                    request_id   TEXT,
                    kind         TEXT NOT NULL,    -- MESG, FILE, ADMM
                    custom_type  TEXT NOT NULL,
                    parent       INTEGER,
                    is_counted   INTEGER NOT NULL, -- 1: in unread counts and as a channel's last message.
                    is_reply     INTEGER NOT NULL, -- 0: in the channel, 1: in a thread, 2: in both
                    mentions_all INTEGER NOT NULL,
                    sequence     INTEGER NOT NULL, -- The last change of the message.
                    changed_at   INTEGER NOT NULL,
                    deleted_at   INTEGER,
                    body         TEXT NOT NULL     -- The message as the protocol's JSON.
                ) STRICT;
                CREATE UNIQUE INDEX message_by_place ON message (channel, created_at, id);
                CREATE UNIQUE INDEX message_by_request ON message (channel, sender, request_id)
                    WHERE request_id IS NOT NULL;
                CREATE UNIQUE INDEX message_by_change ON message (channel, sequence);
                CREATE INDEX message_by_parent ON message (parent, created_at, id)
                    WHERE parent IS NOT NULL;

                -- The users whom a live message mentions by name.
                CREATE TABLE mention (
                    message INTEGER NOT NULL REFERENCES message,
                    user_id TEXT NOT NULL,
                    PRIMARY KEY (message, user_id)
                ) STRICT, WITHOUT ROWID;

                -- Reports, polls and scheduled messages; each one JSON object.
                CREATE TABLE document (
                    id          INTEGER PRIMARY KEY AUTOINCREMENT,
                    kind        TEXT NOT NULL,
                    owner       TEXT NOT NULL,
                    channel_url TEXT,
                    due_at      INTEGER,           -- The time of a scheduled message that waits.
                    body        TEXT NOT NULL
                ) STRICT;
                CREATE INDEX document_by_kind ON document (kind, id);
                CREATE INDEX document_by_owner ON document (owner, kind, id);
                CREATE INDEX document_by_due ON document (kind, due_at, id)
                    WHERE due_at IS NOT NULL;
                """),
            Migration(
                2, "Changes of documents",
                """
                -- The time of a poll's last change, a copy from its body; 0 for other documents.
                ALTER TABLE document ADD COLUMN changed_at INTEGER NOT NULL DEFAULT 0;
                UPDATE document SET changed_at = coalesce(json_extract(body, '$.changed'), 0)
                    WHERE kind = 'poll' AND json_valid(body);
                CREATE INDEX document_by_change ON document (channel_url, kind, changed_at, id)
                    WHERE channel_url IS NOT NULL;

                -- The request that made the document; NULL without one.
                ALTER TABLE document ADD COLUMN request_id TEXT;
                CREATE UNIQUE INDEX document_by_request
                    ON document (owner, kind, channel_url, request_id)
                    WHERE request_id IS NOT NULL;
                """),
            Migration(
                3, "Threads, devices and active users",
                """
                -- The live replies of a thread, with the columns of its summary.
                DROP INDEX message_by_parent;
                CREATE INDEX message_by_parent ON message (parent, created_at, id, sender)
                    WHERE parent IS NOT NULL AND deleted_at IS NULL;

                -- The devices of users, a copy of their traits for look-ups by token.
                CREATE TABLE device (
                    kind    TEXT NOT NULL,        -- The push service.
                    token   TEXT NOT NULL,
                    user_id TEXT NOT NULL,
                    PRIMARY KEY (kind, token, user_id)
                ) STRICT, WITHOUT ROWID;
                CREATE INDEX device_by_user ON device (user_id);
                INSERT OR IGNORE INTO device (kind, token, user_id)
                    SELECT kind.key, token.value, user.user_id
                    FROM user
                    JOIN json_each(CASE WHEN json_valid(traits) THEN traits ELSE '{}' END,
                        '$.preferences.devices') AS kind
                    JOIN json_each(CASE kind.type WHEN 'array' THEN kind.value ELSE '[]' END) AS token
                    WHERE user.deleted_at IS NULL AND token.type = 'text';

                -- The users of each day of UTC; days are numbers since 1970.
                CREATE TABLE activity (
                    day  INTEGER NOT NULL,
                    user INTEGER NOT NULL REFERENCES user,
                    PRIMARY KEY (day, user)
                ) STRICT, WITHOUT ROWID;
                """),
            Migration(
                4, "Walks in the index",
                """
                -- The places of a channel's log, with the columns by which pages, counts and the newest
                -- message of a channel pass over replies, silent and deleted messages.
                DROP INDEX message_by_place;
                CREATE INDEX message_by_place ON message
                    (channel, created_at, id, deleted_at, is_counted, is_reply, sender);

                CREATE INDEX document_by_channel ON document (channel_url, kind, id)
                    WHERE channel_url IS NOT NULL;
                """),
            Migration(
                5, "Operators and restrictions",
                """
                CREATE INDEX member_operator ON member (channel, place) WHERE role = 'operator';
                -- The users whose traits have a ban or a mute; no text in them has these marks.
                CREATE INDEX member_restricted ON member (channel, place)
                    WHERE instr(traits, '"ban":') + instr(traits, '"mute":') > 0;
                """),
            Migration(
                6, "Live channels",
                """
                -- The present channels of users, and the live channels. Rows of deleted channels
                -- stay, so lists must not pass over them.
                CREATE INDEX member_present ON member (user, channel) WHERE state <> 'none';
                CREATE INDEX channel_live ON channel (url) WHERE deleted_at IS NULL;
                -- The channels of each creator by the time of their deletion; live ones come last.
                DROP INDEX channel_by_creator;
                CREATE INDEX channel_created ON channel
                    (created_by, coalesce(deleted_at, 9223372036854775807));
                """),
            Migration(
                7, "Removals in steps",
                """
                -- The deleted channels whose messages are not all removed.
                CREATE TABLE removal (
                    channel INTEGER PRIMARY KEY REFERENCES channel
                ) STRICT;
                """),
        ])
}
