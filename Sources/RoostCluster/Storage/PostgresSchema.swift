// SPDX-License-Identifier: Apache-2.0

import RoostPostgres

/// The schema of the database; a landed migration never changes.
///
/// A migration adds only, or replaces an index by one whose key begins with the same columns, so
/// that servers of the version before run beside it. Every unique key of a large table begins with
/// its channel, so that the tables can be spread over several databases by channel.
package enum PostgresSchema {
    struct Migration: Sendable {
        let number: Int
        let name: String
        let statements: [PostgresSQL]
    }

    /// The number of the newest schema that this version knows.
    package static var newest: Int { migrations.last?.number ?? 0 }

    static let migrations = [
        Migration(number: 1, name: "Chat", statements: chat + messages + documents),
        Migration(number: 2, name: "Documents of a channel", statements: documentsOfChannel),
        Migration(number: 3, name: "Counts in the index", statements: countsInIndex),
        Migration(number: 4, name: "Operators and restrictions", statements: restrictions),
        Migration(number: 5, name: "Live channels", statements: liveChannels),
        Migration(number: 6, name: "Marks of transactions", statements: marks),
        Migration(number: 7, name: "Sign of a dump", statements: signOfDump),
    ]

    /// The identity of the table of messages, by which a database from a dump is recognised.
    ///
    /// The dump brings the noted one along, while the restored table has a new one. A copy of
    /// `pg_basebackup` and `pg_upgrade` keep it.
    private static let signOfDump: [PostgresSQL] = [
        .once("ALTER TABLE server ADD COLUMN message_table oid"),
        .once("UPDATE server SET message_table = 'message'::regclass::oid"),
    ]

    /// One row for each session of a server: its last transaction whose fate could be asked for.
    ///
    /// A changed row stays in its page, because its key does not change and the page has room.
    private static let marks: [PostgresSQL] = [
        .once(
            """
            CREATE TABLE attempt (
                session uuid PRIMARY KEY,
                change  xid8 NOT NULL,
                at      timestamptz NOT NULL
            ) WITH (fillfactor = 50)
            """)
    ]

    /// Rows of deleted channels stay, so lists and counts must not pass over them.
    ///
    /// The channels of a creator are in the order of their deletions; live ones come last. Few rows
    /// are in `channel_remains`: the deleted channels whose messages are not all removed.
    private static let liveChannels: [PostgresSQL] = [
        .once("CREATE INDEX member_present ON member (user_id, channel) WHERE state <> 'none'"),
        .once("CREATE INDEX channel_live ON channel (url) WHERE deleted_at IS NULL"),
        .once(
            """
            CREATE INDEX channel_created ON channel
                (created_by, (coalesce(deleted_at, 9223372036854775807)))
                WHERE created_by IS NOT NULL
            """),
        .once("DROP INDEX channel_by_creator"),
        .once(
            """
            CREATE INDEX channel_remains ON channel (id)
                WHERE deleted_at IS NOT NULL AND last_time IS NOT NULL
            """),
    ]

    /// The operators of a channel, and the users whose traits have a ban or a mute; no text in the
    /// traits has these marks.
    private static let restrictions: [PostgresSQL] = [
        .once("CREATE INDEX member_operator ON member (channel, place) WHERE role = 'operator'"),
        .once(
            """
            CREATE INDEX member_restricted ON member (channel, place)
                WHERE traits ~ '"(ban|mute)":'
            """),
    ]

    /// Unread messages are counted without their rows, once the database has vacuumed the table.
    private static let countsInIndex: [PostgresSQL] = [
        .once(
            """
            CREATE UNIQUE INDEX message_by_time ON message (channel, created_at, id)
                INCLUDE (deleted_at, is_counted, mentions_all, sender)
            """),
        .once("DROP INDEX message_by_place"),
    ]

    private static let documentsOfChannel: [PostgresSQL] = [
        .once(
            """
            CREATE INDEX document_by_channel ON document (channel_url, kind, id)
                WHERE channel_url IS NOT NULL
            """)
    ]

    private static let chat: [PostgresSQL] = [
        // One row. Numbers of changes begin behind those of the server that the data came from.
        .once(
            """
            CREATE TABLE server (
                id          int PRIMARY KEY CHECK (id = 1),
                change_base bigint NOT NULL
            )
            """),
        .once("INSERT INTO server VALUES (1, 0)"),
        // At most one row: the import of an embedded server's data. `source` is the fingerprint of the
        // data, `tables` the number of complete tables, `place` the last row of the next one and
        // `table_rows` its number of rows so far. Servers refuse the database until the end.
        .once(
            """
            CREATE TABLE import (
                id          int PRIMARY KEY CHECK (id = 1),
                source      text NOT NULL,
                tables      int NOT NULL DEFAULT 0,
                place       text,
                table_rows  bigint NOT NULL DEFAULT 0,
                started_at  timestamptz NOT NULL DEFAULT now(),
                finished_at timestamptz
            )
            """),
        // One row; empty after a crash or a promotion, because the table is not logged.
        .once("CREATE UNLOGGED TABLE era (id int PRIMARY KEY, name uuid NOT NULL)"),
        // The servers that are alive, and the users with sockets there; an empty room stands for the
        // server itself. Empty after a crash or a promotion, when each server writes its rows again.
        .once(
            """
            CREATE UNLOGGED TABLE host (
                id          bigint PRIMARY KEY,
                name        text NOT NULL,
                alive_until timestamptz NOT NULL
            )
            """),
        .once(
            """
            CREATE UNLOGGED TABLE presence (
                host    bigint NOT NULL,
                user_id text COLLATE "C" NOT NULL,
                room    text COLLATE "C" NOT NULL,
                PRIMARY KEY (user_id, room, host)
            )
            """),
        .once("CREATE INDEX presence_by_room ON presence (room, user_id) WHERE room <> ''"),
        .once("CREATE INDEX presence_by_host ON presence (host)"),
        // Only a promise that the disk has taken a write.
        .once("CREATE TABLE proof (id int PRIMARY KEY, at timestamptz NOT NULL)"),
        .once(
            """
            CREATE TABLE users (
                id          bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
                user_id     text COLLATE "C" NOT NULL UNIQUE,
                body        text NOT NULL,
                traits      text NOT NULL DEFAULT '{}',
                needs_token boolean NOT NULL DEFAULT false,
                deleted_at  bigint
            )
            """),
        .once(
            """
            CREATE TABLE block (
                blocked text COLLATE "C" NOT NULL,
                blocker text COLLATE "C" NOT NULL,
                PRIMARY KEY (blocked, blocker)
            )
            """),
        .once("CREATE INDEX block_by_blocker ON block (blocker)"),
        .once(
            """
            CREATE TABLE device (
                kind    text COLLATE "C" NOT NULL,
                token   text COLLATE "C" NOT NULL,
                user_id text COLLATE "C" NOT NULL,
                PRIMARY KEY (kind, token, user_id)
            )
            """),
        .once("CREATE INDEX device_by_user ON device (user_id)"),
        .once(
            """
            CREATE TABLE activity (
                day     int NOT NULL,
                user_id bigint NOT NULL,
                PRIMARY KEY (day, user_id)
            )
            """),
        .once(
            """
            CREATE TABLE token (
                id         bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
                user_id    bigint NOT NULL,
                salt       text NOT NULL,
                hash       text NOT NULL,
                expires_at bigint
            )
            """),
        .once("CREATE INDEX token_by_user ON token (user_id, id)"),
        .once("CREATE INDEX token_by_end ON token (expires_at) WHERE expires_at IS NOT NULL"),
        .once(
            """
            CREATE TABLE session (
                id         bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
                user_id    bigint NOT NULL,
                token      bigint,
                salt       text NOT NULL,
                hash       text NOT NULL,
                expires_at bigint
            )
            """),
        .once("CREATE INDEX session_by_user ON session (user_id, id)"),
        .once("CREATE INDEX session_by_token ON session (token) WHERE token IS NOT NULL"),
        .once("CREATE INDEX session_by_end ON session (expires_at) WHERE expires_at IS NOT NULL"),
        // `seq` is the last change of a message and has no holes; `log_change` is its transaction.
        // `view_change` is that of the last other change that a member can see, `change` the later of
        // both. `last_time` is the time of the newest message, deleted or not.
        .once(
            """
            CREATE TABLE channel (
                id           bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
                url          text COLLATE "C" NOT NULL UNIQUE,
                name         text NOT NULL,
                cover_url    text NOT NULL,
                data         text NOT NULL,
                custom_type  text NOT NULL,
                created_at   bigint NOT NULL,
                created_by   text COLLATE "C",
                distinct_key text COLLATE "C" UNIQUE,
                is_super     boolean NOT NULL,
                is_public    boolean NOT NULL,
                traits       text NOT NULL,
                seq          bigint NOT NULL DEFAULT 0,
                log_change   xid8 NOT NULL DEFAULT '0',
                view_change  xid8 NOT NULL DEFAULT pg_current_xact_id(),
                last_time    bigint,
                change       xid8 NOT NULL,
                changed_at   bigint NOT NULL,
                deleted_at   bigint
            ) WITH (fillfactor = 80)
            """),
        // With `deleted_at IS NULL` as its condition, the planner would read all of it for other columns.
        .once(
            """
            CREATE INDEX channel_by_creator ON channel (created_by) WHERE created_by IS NOT NULL
            """),
        .once("CREATE INDEX channel_by_change ON channel (change, id)"),
        // A user who left keeps the row, with state 'none', for the change log. `beginning` is a copy of
        // the traits: messages at or before it are invisible to the member.
        .once(
            """
            CREATE TABLE member (
                channel      bigint NOT NULL,
                user_id      bigint NOT NULL,
                place        int NOT NULL,
                state        text NOT NULL,
                role         text NOT NULL,
                joined_at    bigint,
                last_read    bigint NOT NULL,
                delivered_at bigint,
                hidden       text NOT NULL DEFAULT 'unhidden',
                is_counted   boolean NOT NULL DEFAULT true,
                is_silenced  boolean NOT NULL DEFAULT false,
                beginning    bigint,
                traits       text NOT NULL DEFAULT '{}',
                change       xid8 NOT NULL,
                changed_at   bigint NOT NULL,
                PRIMARY KEY (channel, user_id)
            ) WITH (fillfactor = 80)
            """),
        .once("CREATE INDEX member_by_user ON member (user_id, channel)"),
        .once(
            """
            CREATE INDEX member_hidden ON member (channel)
                WHERE hidden = 'hidden_allow_auto_unhide'
            """),
    ]

    private static let messages: [PostgresSQL] = [
        .once("CREATE SEQUENCE message_number"),
        // A deleted message keeps its place and its request ID. `first_seq` and `first_change` are those of
        // its arrival, `seq` and `change` those of its last change. `is_reply` is 0 in the channel, 1 in a thread and
        // 2 in both.
        .once(
            """
            CREATE TABLE message (
                channel      bigint NOT NULL,
                id           bigint NOT NULL,
                first_seq    bigint NOT NULL,
                seq          bigint NOT NULL,
                first_change xid8 NOT NULL DEFAULT pg_current_xact_id(),
                change       xid8 NOT NULL DEFAULT pg_current_xact_id(),
                created_at   bigint NOT NULL,
                changed_at   bigint NOT NULL,
                deleted_at   bigint,
                sender       bigint,
                parent       bigint,
                is_reply     int NOT NULL,
                is_counted   boolean NOT NULL,
                mentions_all boolean NOT NULL,
                kind         text COLLATE "C" NOT NULL,
                custom_type  text COLLATE "C" NOT NULL,
                request_key  text COLLATE "C",
                body         text NOT NULL,
                PRIMARY KEY (channel, id)
            ) PARTITION BY HASH (channel)
            """),
        .once(
            "CREATE TABLE message_0 PARTITION OF message FOR VALUES WITH (MODULUS 8, REMAINDER 0)"),
        .once(
            "CREATE TABLE message_1 PARTITION OF message FOR VALUES WITH (MODULUS 8, REMAINDER 1)"),
        .once(
            "CREATE TABLE message_2 PARTITION OF message FOR VALUES WITH (MODULUS 8, REMAINDER 2)"),
        .once(
            "CREATE TABLE message_3 PARTITION OF message FOR VALUES WITH (MODULUS 8, REMAINDER 3)"),
        .once(
            "CREATE TABLE message_4 PARTITION OF message FOR VALUES WITH (MODULUS 8, REMAINDER 4)"),
        .once(
            "CREATE TABLE message_5 PARTITION OF message FOR VALUES WITH (MODULUS 8, REMAINDER 5)"),
        .once(
            "CREATE TABLE message_6 PARTITION OF message FOR VALUES WITH (MODULUS 8, REMAINDER 6)"),
        .once(
            "CREATE TABLE message_7 PARTITION OF message FOR VALUES WITH (MODULUS 8, REMAINDER 7)"),
        .once("CREATE UNIQUE INDEX message_by_place ON message (channel, created_at, id)"),
        .once("CREATE UNIQUE INDEX message_by_seq ON message (channel, seq)"),
        .once(
            """
            CREATE UNIQUE INDEX message_by_request ON message (channel, sender, request_key)
                WHERE request_key IS NOT NULL
            """),
        .once(
            """
            CREATE INDEX message_by_parent ON message (channel, parent, created_at, id)
                WHERE parent IS NOT NULL AND deleted_at IS NULL
            """),
        .once(
            """
            CREATE TABLE mention (
                channel bigint NOT NULL,
                message bigint NOT NULL,
                user_id text COLLATE "C" NOT NULL,
                PRIMARY KEY (channel, message, user_id)
            )
            """),
    ]

    private static let documents: [PostgresSQL] = [
        // Reports, polls and scheduled messages; each one JSON object.
        .once(
            """
            CREATE TABLE document (
                id          bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
                kind        text NOT NULL,
                owner       text COLLATE "C" NOT NULL,
                channel_url text COLLATE "C",
                due_at      bigint,
                changed_at  bigint NOT NULL DEFAULT 0,
                request_id  text,
                request_key text COLLATE "C",
                body        text NOT NULL
            )
            """),
        .once("CREATE INDEX document_by_kind ON document (kind, id)"),
        .once("CREATE INDEX document_by_owner ON document (owner, kind, id)"),
        .once(
            """
            CREATE INDEX document_by_due ON document (kind, due_at, id) WHERE due_at IS NOT NULL
            """),
        .once(
            """
            CREATE INDEX document_by_change ON document (channel_url, kind, changed_at, id)
                WHERE channel_url IS NOT NULL
            """),
        .once(
            """
            CREATE UNIQUE INDEX document_by_request
                ON document (owner, kind, channel_url, request_key)
                WHERE request_key IS NOT NULL
            """),
    ]
}
