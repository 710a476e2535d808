// SPDX-License-Identifier: Apache-2.0

import RoostSQLite

/// The server's database, step by step; a released step is never changed.
enum SQLiteSchema {
    /// "RoSv", in the file's header.
    static let applicationID: Int32 = 0x526F_5376

    static let migrator = Migrator(
        applicationID: applicationID,
        [
            Migration(
                1, "Chat",
                """
                -- One row: the number of the last change in the application, and its time.
                CREATE TABLE clock (
                    id         INTEGER PRIMARY KEY CHECK (id = 1),
                    sequence   INTEGER NOT NULL,
                    changed_at INTEGER NOT NULL   -- Never goes back, whatever the machine's clock does.
                ) STRICT;
                INSERT INTO clock VALUES (1, 0, 0);

                CREATE TABLE user (
                    id           INTEGER PRIMARY KEY,
                    user_id      TEXT NOT NULL UNIQUE,
                    body         TEXT NOT NULL,   -- The user as the protocol's JSON.
                    access_token TEXT
                ) STRICT;

                CREATE TABLE session (
                    key  TEXT PRIMARY KEY,
                    user INTEGER NOT NULL REFERENCES user
                ) STRICT, WITHOUT ROWID;

                CREATE TABLE channel (
                    id           INTEGER PRIMARY KEY,
                    url          TEXT NOT NULL UNIQUE,
                    name         TEXT NOT NULL,
                    cover_url    TEXT NOT NULL,
                    data         TEXT NOT NULL,
                    custom_type  TEXT NOT NULL,
                    created_at   INTEGER NOT NULL,
                    created_by   TEXT,
                    distinct_key TEXT UNIQUE,      -- The members it was made for; NULL if not distinct.
                    is_super     INTEGER NOT NULL,
                    is_public    INTEGER NOT NULL,
                    sequence     INTEGER NOT NULL, -- The last change a member can see.
                    changed_at   INTEGER NOT NULL
                ) STRICT;

                -- Who is in a channel. Who left keeps the row, with state 'none', so that the change
                -- log can tell it.
                CREATE TABLE member (
                    channel      INTEGER NOT NULL REFERENCES channel,
                    user         INTEGER NOT NULL REFERENCES user,
                    place        INTEGER NOT NULL, -- Orders the members of a channel.
                    state        TEXT NOT NULL,
                    role         TEXT NOT NULL,
                    joined_at    INTEGER,
                    last_read    INTEGER NOT NULL,
                    delivered_at INTEGER,
                    sequence     INTEGER NOT NULL, -- When the state last changed.
                    changed_at   INTEGER NOT NULL,
                    PRIMARY KEY (channel, user)
                ) STRICT, WITHOUT ROWID;
                CREATE INDEX member_by_user ON member (user, channel);

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
                    is_counted   INTEGER NOT NULL, -- Unread counts and last messages look at these only.
                    is_reply     INTEGER NOT NULL, -- 0: in the channel, 1: in a thread, 2: in both
                    mentions_all INTEGER NOT NULL,
                    sequence     INTEGER NOT NULL, -- The last change of it.
                    changed_at   INTEGER NOT NULL,
                    deleted_at   INTEGER,
                    body         TEXT NOT NULL     -- The message as the protocol's JSON.
                ) STRICT;
                CREATE UNIQUE INDEX message_by_place ON message (channel, created_at, id);
                CREATE UNIQUE INDEX message_by_request ON message (channel, sender, request_id)
                    WHERE request_id IS NOT NULL;
                CREATE UNIQUE INDEX message_by_change ON message (channel, sequence);

                -- Whom a live message calls by name.
                CREATE TABLE mention (
                    message INTEGER NOT NULL REFERENCES message,
                    user_id TEXT NOT NULL,
                    PRIMARY KEY (message, user_id)
                ) STRICT, WITHOUT ROWID;
                """),
            Migration(
                2, "Traits",
                """
                -- What few rows have, as one JSON object; "{}" when there is nothing.
                ALTER TABLE user ADD COLUMN traits TEXT NOT NULL DEFAULT '{}';
                ALTER TABLE user ADD COLUMN deleted_at INTEGER;
                ALTER TABLE channel ADD COLUMN traits TEXT NOT NULL DEFAULT '{}';
                ALTER TABLE channel ADD COLUMN deleted_at INTEGER;
                ALTER TABLE member ADD COLUMN traits TEXT NOT NULL DEFAULT '{}';
                ALTER TABLE member ADD COLUMN hidden TEXT NOT NULL DEFAULT 'unhidden';
                -- Whether what is unread here counts in the user's total.
                ALTER TABLE member ADD COLUMN is_counted INTEGER NOT NULL DEFAULT 1;
                -- Who hid a channel until its next message: asked for with each message.
                CREATE INDEX member_hidden ON member (channel)
                    WHERE hidden = 'hidden_allow_auto_unhide';
                -- Keys and tokens are digests from here on; who held a key logs in again.
                DELETE FROM session;
                ALTER TABLE session ADD COLUMN expires_at INTEGER;
                -- The replies of a thread.
                CREATE INDEX message_by_parent ON message (parent, created_at, id)
                    WHERE parent IS NOT NULL;
                """),
            Migration(
                3, "Documents",
                """
                -- Reports, polls, messages to be sent later; each one JSON object.
                CREATE TABLE document (
                    id          INTEGER PRIMARY KEY AUTOINCREMENT,
                    kind        TEXT NOT NULL,
                    owner       TEXT NOT NULL,
                    channel_url TEXT,
                    due_at      INTEGER,   -- When something is to happen with it.
                    body        TEXT NOT NULL
                ) STRICT;
                CREATE INDEX document_by_kind ON document (kind, id);
                CREATE INDEX document_by_due ON document (kind, due_at, id)
                    WHERE due_at IS NOT NULL;
                """),
            Migration(
                4, "Blocks",
                """
                -- Who has blocked whom, written with the traits that say it the other way round.
                CREATE TABLE block (
                    blocked TEXT NOT NULL,
                    blocker TEXT NOT NULL,
                    PRIMARY KEY (blocked, blocker)
                ) STRICT, WITHOUT ROWID;
                CREATE INDEX block_by_blocker ON block (blocker);
                INSERT OR IGNORE INTO block
                    SELECT entry.value, user.user_id
                    FROM user, json_each(user.traits, '$.blocked') AS entry;
                """),
        ])
}
