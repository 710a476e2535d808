// SPDX-License-Identifier: Apache-2.0

import RoostSQLite

/// The server's database, step by step; a released step is never changed.
enum SQLiteSchema {
    /// "RoSv", in the file's header.
    static let applicationID: Int32 = 0x526F_5376

    /// Returns the migrator; `digest` is that of the server's world, by which older releases kept tokens.
    static func migrator(digest: @escaping @Sendable (String) -> String) -> Migrator {
        Migrator(applicationID: applicationID, migrations + [credentials(digest)])
    }

    private static func credentials(
        _ digest: @escaping @Sendable (String) -> String
    ) -> Migration {
        Migration(
            5, "Credentials",
            """
            -- Tokens and keys of sessions, each with a salt of its own. Numbers are never given out twice.
            CREATE TABLE token (
                id         INTEGER PRIMARY KEY AUTOINCREMENT,
                user       INTEGER NOT NULL REFERENCES user,
                salt       TEXT NOT NULL,
                hash       TEXT NOT NULL,   -- Over the salt and the secret.
                expires_at INTEGER          -- NULL: it counts until another replaces it.
            ) STRICT;
            CREATE INDEX token_by_user ON token (user, id);
            CREATE INDEX token_by_end ON token (expires_at) WHERE expires_at IS NOT NULL;
            -- Whether a token was ever given to the user: then no login goes without one.
            ALTER TABLE user ADD COLUMN needs_token INTEGER NOT NULL DEFAULT 0;
            UPDATE user SET needs_token = 1 WHERE access_token IS NOT NULL
                OR id IN (SELECT user FROM session WHERE expires_at IS NOT NULL);
            -- An older key does not say its number: its holder logs in again.
            DROP TABLE session;
            CREATE TABLE session (
                id         INTEGER PRIMARY KEY AUTOINCREMENT,
                user       INTEGER NOT NULL REFERENCES user,
                token      INTEGER REFERENCES token,   -- The one that opened it; NULL: none did.
                salt       TEXT NOT NULL,
                hash       TEXT NOT NULL,
                expires_at INTEGER
            ) STRICT;
            CREATE INDEX session_by_user ON session (user, id);
            CREATE INDEX session_by_token ON session (token) WHERE token IS NOT NULL;
            CREATE INDEX session_by_end ON session (expires_at) WHERE expires_at IS NOT NULL;
            -- A token in the clear, as the first release kept it, ends.
            UPDATE user SET access_token = NULL
                WHERE access_token GLOB '*[^0-9a-f]*' OR length(access_token) <> 64;
            """,
            work: .saltedTokens(digest))
    }

    private static let migrations: [Migration] =
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
        ]
}

extension MigrationWork {
    /// Salts the digests of tokens that stand in the table of users, so that their holders stay known.
    fileprivate static func saltedTokens(
        _ digest: @escaping @Sendable (String) -> String
    ) -> MigrationWork {
        MigrationWork(
            remaining: { connection throws(SQLiteError) in
                guard try connection.first(.hasOldTokens) == 1 else { return 0 }
                return Int(try connection.first(.oldTokenCount) ?? 0)
            },
            moveSlice: { connection throws(SQLiteError) in
                guard try connection.first(.hasOldTokens) == 1 else { return 0 }
                let rows = try connection.all(.oldTokens)
                guard !rows.isEmpty else {
                    try connection.executeScript("ALTER TABLE user DROP COLUMN access_token")
                    return 0
                }
                for row in rows {
                    let kept = KeptSecret(
                        digestOfSecret: row.digest, as: .accessToken, salt: row.salt,
                        digest: digest)
                    _ = try connection.first(.addToken, (row.user, kept, nil))
                    try connection.execute(.forgetOldToken, row.user)
                }
                return rows.count
            })
    }
}

extension Query where Input == Void, Output == Int64 {
    fileprivate static var hasOldTokens: Query {
        Query(
            sql: """
                SELECT count(*) FROM pragma_table_info('user') WHERE name = 'access_token'
                """
        ) { row in row.int64(0) }
    }

    fileprivate static var oldTokenCount: Query {
        Query(sql: "SELECT count(*) FROM user WHERE access_token IS NOT NULL") { row in
            row.int64(0)
        }
    }
}

extension Query where Input == Void, Output == (user: Int64, digest: String, salt: String) {
    /// A slice of them, each with a fresh salt.
    fileprivate static var oldTokens: Query {
        Query(
            sql: """
                SELECT id, access_token, lower(hex(randomblob(16))) FROM user
                WHERE access_token IS NOT NULL LIMIT 2000
                """
        ) { row in (row.int64(0), row.text(1), row.text(2)) }
    }
}

extension Query where Input == Int64, Output == Void {
    fileprivate static var forgetOldToken: Query {
        Query(
            sql: "UPDATE user SET access_token = NULL WHERE id = ?1",
            bind: { user, bindings in bindings.append(user) })
    }
}
