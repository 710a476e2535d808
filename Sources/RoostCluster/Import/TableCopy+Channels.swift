// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostPostgres
import RoostSQLite
import RoostServer

extension TableCopy {
    /// The channels.
    ///
    /// A channel's own number begins at that of the last change of all, because clients may have a
    /// token with any number up to it. The numbers of transactions are 0, so every server takes the
    /// changes for old ones, and all of them come at the change base.
    static let channels = TableCopy(
        source: "channel",
        taken: [
            "id", "url", "name", "cover_url", "data", "custom_type", "created_at", "created_by",
            "distinct_key", "is_super", "is_public", "traits", "changed_at", "deleted_at",
        ],
        target: "channel",
        columns: [
            .int("id"), .text("url"), .text("name"), .text("cover_url"), .text("data"),
            .text("custom_type"), .int("created_at"), .text("created_by"), .key("distinct_key"),
            .bool("is_super"), .bool("is_public"), .text("traits"), .int("seq"),
            .int("last_time"), .int("changed_at"), .int("deleted_at"),
        ],
        sourceKey: [0], key: [0], constants: ["log_change", "view_change", "change"],
        page: """
            SELECT id, url, name, cover_url, data, custom_type, created_at, created_by,
                distinct_key, is_super, is_public, traits, (SELECT sequence FROM clock),
                (SELECT max(created_at) FROM message WHERE channel = c.id), changed_at, deleted_at
            FROM channel AS c WHERE id >= ?1 AND (id > ?1 OR ?2) ORDER BY id LIMIT ?3
            """,
        count: "SELECT count(*) FROM channel NOT INDEXED",
        insert: """
            INSERT INTO channel (id, url, name, cover_url, data, custom_type, created_at,
                created_by, distinct_key, is_super, is_public, traits, seq, last_time, changed_at,
                deleted_at, log_change, view_change, change)
            SELECT new.*, '0'::xid8, '0'::xid8, '0'::xid8
            FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[],
                $7::bigint[], $8::text[], $9::text[], $10::boolean[], $11::boolean[],
                $12::text[], $13::bigint[], $14::bigint[], $15::bigint[], $16::bigint[]) AS new
            """,
        check: """
            SELECT id, url, name, cover_url, data, custom_type, created_at, created_by,
                distinct_key, is_super, is_public, traits, seq, last_time, changed_at, deleted_at
            FROM channel WHERE id >= $1 AND (id > $1 OR $2) ORDER BY id LIMIT $3
            """)

    /// The members, with the columns that the shared database derives from the traits.
    static let members = TableCopy(
        source: "member",
        taken: [
            "channel", "user", "place", "state", "role", "joined_at", "last_read", "delivered_at",
            "hidden", "is_counted", "traits", "changed_at",
        ],
        target: "member",
        columns: [
            .int("channel"), .int("user_id"), .int("place"), .text("state"), .text("role"),
            .int("joined_at"), .int("last_read"), .int("delivered_at"), .text("hidden"),
            .bool("is_counted"), .silence, .beginning, .text("traits"), .int("changed_at"),
        ],
        sourceKey: [0, 1], key: [0, 1], constants: ["change"],
        page: """
            SELECT channel, user, place, state, role, joined_at, last_read, delivered_at, hidden,
                is_counted, traits, traits, traits, changed_at
            FROM member
            WHERE (channel, user) >= (?1, ?2) AND ((channel, user) > (?1, ?2) OR ?3)
            ORDER BY channel, user LIMIT ?4
            """,
        count: "SELECT count(*) FROM member NOT INDEXED",
        insert: """
            INSERT INTO member (channel, user_id, place, state, role, joined_at, last_read,
                delivered_at, hidden, is_counted, is_silenced, beginning, traits, changed_at,
                change)
            SELECT new.*, '0'::xid8
            FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[], $5::text[],
                $6::bigint[], $7::bigint[], $8::bigint[], $9::text[], $10::boolean[],
                $11::boolean[], $12::bigint[], $13::text[], $14::bigint[]) AS new
            """,
        check: """
            SELECT channel, user_id, place, state, role, joined_at, last_read, delivered_at,
                hidden, is_counted, is_silenced, beginning, traits, changed_at
            FROM member
            WHERE (channel, user_id) >= ($1, $2) AND ((channel, user_id) > ($1, $2) OR $3)
            ORDER BY channel, user_id LIMIT $4
            """)
}

extension TableCopy.Column {
    /// Whether a member's messages never count, from the traits.
    fileprivate static let silence = derived("is_silenced", .bool) { traits in
        .bool(traits.countPreference == .off)
    }

    /// The moment before which a member sees no message, from the traits.
    fileprivate static let beginning = derived("beginning", .int) { traits in
        traits.messageOffset.map { .int($0.milliseconds) } ?? .null
    }

    private static func derived(
        _ name: String, _ kind: ImportValue.Kind,
        _ value: @escaping @Sendable (MemberTraits) -> ImportValue
    ) -> TableCopy.Column {
        TableCopy.Column(
            name: name, kind: kind, source: .text,
            change: { json in
                guard case .text(let json) = json else { return .null }
                return value(MemberTraits(json: json))
            }, isShown: true)
    }
}
