// SPDX-License-Identifier: Apache-2.0

import RoostPostgres
import RoostSQLite

extension TableCopy {
    /// The messages, deleted ones included.
    ///
    /// They come by channel and place instead of by number: so neighbours stand together in each
    /// index of the shared database, which makes the insertion faster. The number of the last
    /// change stands for that of the arrival too, which the embedded server does not keep; every
    /// server takes both for old. A request without a sender names no message.
    static let messages = TableCopy(
        source: "message",
        taken: [
            "id", "channel", "created_at", "sender", "request_id", "kind", "custom_type", "parent",
            "is_counted", "is_reply", "mentions_all", "sequence", "changed_at", "deleted_at",
            "body",
        ],
        target: "message",
        columns: [
            .int("channel"), .int("id"), .int("first_seq"), .int("seq"), .int("created_at"),
            .int("changed_at"), .int("deleted_at"), .int("sender"), .int("parent"),
            .int("is_reply"), .bool("is_counted"), .bool("mentions_all"), .text("kind"),
            .text("custom_type"), .key("request_key"), .text("body"),
        ],
        sourceKey: [0, 4, 1], key: [0, 1], constants: ["first_change", "change"],
        page: """
            SELECT channel, id, sequence, sequence, created_at, changed_at, deleted_at, sender,
                parent, is_reply, is_counted, mentions_all, kind, custom_type,
                iif(sender IS NULL, NULL, request_id), body
            FROM message INDEXED BY message_by_place
            WHERE (channel, created_at, id) >= (?1, ?2, ?3)
                AND ((channel, created_at, id) > (?1, ?2, ?3) OR ?4)
            ORDER BY channel, created_at, id LIMIT ?5
            """,
        count: "SELECT count(*) FROM message NOT INDEXED",
        insert: """
            INSERT INTO message (channel, id, first_seq, seq, created_at, changed_at, deleted_at,
                sender, parent, is_reply, is_counted, mentions_all, kind, custom_type,
                request_key, body, first_change, change)
            SELECT new.*, '0'::xid8, '0'::xid8
            FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[],
                $6::bigint[], $7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[],
                $11::boolean[], $12::boolean[], $13::text[], $14::text[], $15::text[],
                $16::text[]) AS new
            """,
        check: """
            SELECT channel, id, first_seq, seq, created_at, changed_at, deleted_at, sender, parent,
                is_reply, is_counted, mentions_all, kind, custom_type, request_key, body
            FROM message
            WHERE (channel, id) >= ($1, $2) AND ((channel, id) > ($1, $2) OR $3)
            ORDER BY channel, id LIMIT $4
            """)

    /// The mentions, with the channels of their messages.
    static let mentions = TableCopy(
        source: "mention", taken: ["message", "user_id"], target: "mention",
        columns: [.int("channel"), .int("message"), .text("user_id")], sourceKey: [1, 2],
        key: [0, 1, 2],
        page: """
            SELECT coalesce(m.channel, 0), n.message, n.user_id
            FROM mention AS n LEFT JOIN message AS m ON m.id = n.message
            WHERE (n.message, n.user_id) >= (?1, ?2) AND ((n.message, n.user_id) > (?1, ?2) OR ?3)
            ORDER BY n.message, n.user_id LIMIT ?4
            """,
        count: "SELECT count(*) FROM mention NOT INDEXED",
        insert: """
            INSERT INTO mention (channel, message, user_id)
            SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[])
            """,
        check: """
            SELECT channel, message, user_id FROM mention
            WHERE (channel, message, user_id) >= ($1, $2, $3)
                AND ((channel, message, user_id) > ($1, $2, $3) OR $4)
            ORDER BY channel, message, user_id LIMIT $5
            """)

    static let documents = TableCopy(
        source: "document",
        taken: [
            "id", "kind", "owner", "channel_url", "due_at", "body", "changed_at", "request_id",
        ],
        target: "document",
        columns: [
            .int("id"), .text("kind"), .text("owner"), .text("channel_url"), .int("due_at"),
            .int("changed_at"), .text("request_id"), .key("request_key"), .text("body"),
        ],
        sourceKey: [0], key: [0],
        page: """
            SELECT id, kind, owner, channel_url, due_at, changed_at, request_id, request_id, body
            FROM document WHERE id >= ?1 AND (id > ?1 OR ?2) ORDER BY id LIMIT ?3
            """,
        count: "SELECT count(*) FROM document NOT INDEXED",
        insert: """
            INSERT INTO document (id, kind, owner, channel_url, due_at, changed_at, request_id,
                request_key, body)
            SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::bigint[],
                $6::bigint[], $7::text[], $8::text[], $9::text[])
            """,
        check: """
            SELECT id, kind, owner, channel_url, due_at, changed_at, request_id, request_key, body
            FROM document WHERE id >= $1 AND (id > $1 OR $2) ORDER BY id LIMIT $3
            """)
}
