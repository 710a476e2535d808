// SPDX-License-Identifier: Apache-2.0

import RoostPostgres
import RoostSQLite

extension TableCopy {
    static let users = TableCopy(
        source: "user", taken: ["id", "user_id", "body", "traits", "needs_token", "deleted_at"],
        target: "users",
        columns: [
            .int("id"), .text("user_id"), .text("body"), .text("traits"), .bool("needs_token"),
            .int("deleted_at"),
        ],
        sourceKey: [0], key: [0],
        page: """
            SELECT id, user_id, body, traits, needs_token, deleted_at FROM user
            WHERE id >= ?1 AND (id > ?1 OR ?2) ORDER BY id LIMIT ?3
            """,
        count: "SELECT count(*) FROM user NOT INDEXED",
        insert: """
            INSERT INTO users (id, user_id, body, traits, needs_token, deleted_at)
            SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::boolean[],
                $6::bigint[])
            """,
        check: """
            SELECT id, user_id, body, traits, needs_token, deleted_at FROM users
            WHERE id >= $1 AND (id > $1 OR $2) ORDER BY id LIMIT $3
            """)

    static let blocks = TableCopy(
        source: "block", taken: ["blocked", "blocker"], target: "block",
        columns: [.text("blocked"), .text("blocker")], sourceKey: [0, 1], key: [0, 1],
        page: """
            SELECT blocked, blocker FROM block
            WHERE (blocked, blocker) >= (?1, ?2) AND ((blocked, blocker) > (?1, ?2) OR ?3)
            ORDER BY blocked, blocker LIMIT ?4
            """,
        count: "SELECT count(*) FROM block NOT INDEXED",
        insert: """
            INSERT INTO block (blocked, blocker) SELECT * FROM unnest($1::text[], $2::text[])
            """,
        check: """
            SELECT blocked, blocker FROM block
            WHERE (blocked, blocker) >= ($1, $2) AND ((blocked, blocker) > ($1, $2) OR $3)
            ORDER BY blocked, blocker LIMIT $4
            """)

    /// The devices; a long token has another order in its short form, so each side has its own.
    static let devices = TableCopy(
        source: "device", taken: ["kind", "token", "user_id"], target: "device",
        columns: [.text("kind"), .key("token", isShown: false), .text("user_id")],
        sourceKey: [0, 1, 2], key: [0, 1, 2],
        page: """
            SELECT kind, token, user_id FROM device
            WHERE (kind, token, user_id) >= (?1, ?2, ?3)
                AND ((kind, token, user_id) > (?1, ?2, ?3) OR ?4)
            ORDER BY kind, token, user_id LIMIT ?5
            """,
        count: "SELECT count(*) FROM device NOT INDEXED",
        insert: """
            INSERT INTO device (kind, token, user_id)
            SELECT * FROM unnest($1::text[], $2::text[], $3::text[])
            """,
        check: """
            SELECT kind, token, user_id FROM device
            WHERE (kind, token, user_id) >= ($1, $2, $3)
                AND ((kind, token, user_id) > ($1, $2, $3) OR $4)
            ORDER BY kind, token, user_id LIMIT $5
            """)

    static let activity = TableCopy(
        source: "activity", taken: ["day", "user"], target: "activity",
        columns: [.int("day"), .int("user_id")], sourceKey: [0, 1], key: [0, 1],
        page: """
            SELECT day, user FROM activity
            WHERE (day, user) >= (?1, ?2) AND ((day, user) > (?1, ?2) OR ?3)
            ORDER BY day, user LIMIT ?4
            """,
        count: "SELECT count(*) FROM activity NOT INDEXED",
        insert: """
            INSERT INTO activity (day, user_id) SELECT * FROM unnest($1::bigint[], $2::bigint[])
            """,
        check: """
            SELECT day, user_id FROM activity
            WHERE (day, user_id) >= ($1::bigint, $2::bigint)
                AND ((day, user_id) > ($1::bigint, $2::bigint) OR $3)
            ORDER BY day, user_id LIMIT $4
            """)

    static let tokens = TableCopy(
        source: "token", taken: ["id", "user", "salt", "hash", "expires_at"], target: "token",
        columns: [
            .int("id"), .int("user_id"), .text("salt"), .text("hash"), .int("expires_at"),
        ],
        sourceKey: [0], key: [0],
        page: """
            SELECT id, user, salt, hash, expires_at FROM token
            WHERE id >= ?1 AND (id > ?1 OR ?2) ORDER BY id LIMIT ?3
            """,
        count: "SELECT count(*) FROM token NOT INDEXED",
        insert: """
            INSERT INTO token (id, user_id, salt, hash, expires_at)
            SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::bigint[])
            """,
        check: """
            SELECT id, user_id, salt, hash, expires_at FROM token
            WHERE id >= $1 AND (id > $1 OR $2) ORDER BY id LIMIT $3
            """)

    static let sessions = TableCopy(
        source: "session", taken: ["id", "user", "token", "salt", "hash", "expires_at"],
        target: "session",
        columns: [
            .int("id"), .int("user_id"), .int("token"), .text("salt"), .text("hash"),
            .int("expires_at"),
        ],
        sourceKey: [0], key: [0],
        page: """
            SELECT id, user, token, salt, hash, expires_at FROM session
            WHERE id >= ?1 AND (id > ?1 OR ?2) ORDER BY id LIMIT ?3
            """,
        count: "SELECT count(*) FROM session NOT INDEXED",
        insert: """
            INSERT INTO session (id, user_id, token, salt, hash, expires_at)
            SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[], $5::text[],
                $6::bigint[])
            """,
        check: """
            SELECT id, user_id, token, salt, hash, expires_at FROM session
            WHERE id >= $1 AND (id > $1 OR $2) ORDER BY id LIMIT $3
            """)
}
