// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostPostgres
import RoostServer

extension PostgresQuery where Output == Readable<MemberRow> {
    /// The users among IDs with a row in a channel, in any state.
    ///
    /// Each user is looked up alone; otherwise all members of a large channel could be read.
    static func knownMembers(of url: ChannelURL, _ ids: [UserID]) -> PostgresQuery {
        PostgresQuery(
            """
            SELECT m.channel, u.body, m.state, m.role, m.joined_at, m.last_read, m.delivered_at,
                m.hidden, m.traits
            FROM channel AS c
            CROSS JOIN users AS u
            CROSS JOIN LATERAL (
                SELECT * FROM member WHERE channel = c.id AND user_id = u.id OFFSET 0) AS m
            WHERE c.url = $1 AND c.deleted_at IS NULL AND u.user_id = ANY ($2::text[])
                AND u.deleted_at IS NULL
            """, .text(url.rawValue), .texts(ids.map(\.rawValue))
        ) { member($0) }
    }
}

extension PostgresQuery where Output == (url: ChannelURL, user: Readable<User>) {
    /// The operators of channels, those of each channel in the order of their entries.
    ///
    /// Each channel is looked up alone; otherwise the operators of all channels could be read.
    static func operators(of urls: [ChannelURL]) -> PostgresQuery {
        PostgresQuery(
            """
            SELECT c.url, u.body
            FROM channel AS c
            CROSS JOIN LATERAL (
                SELECT * FROM member WHERE channel = c.id AND role = 'operator' OFFSET 0) AS m
            JOIN users AS u ON u.id = m.user_id AND u.deleted_at IS NULL
            WHERE c.url = ANY ($1::text[]) AND c.deleted_at IS NULL ORDER BY m.channel, m.place
            """, .texts(urls.map(\.rawValue))
        ) { row in
            let user = Readable { () throws(PostgresError) in try User(row, 1) }
            return (ChannelURL(row.text(0)), user)
        }
    }
}

extension PostgresQuery where Output == (ChannelURL, Int) {
    /// The numbers of the joined and invited users of channels.
    static func memberCounts(of urls: [ChannelURL]) -> PostgresQuery {
        PostgresQuery(
            """
            SELECT c.url, m.members
            FROM channel AS c
            CROSS JOIN LATERAL (
                SELECT count(*) AS members FROM member
                WHERE channel = c.id AND state <> 'none') AS m
            WHERE c.url = ANY ($1::text[]) AND c.deleted_at IS NULL
            """, .texts(urls.map(\.rawValue))
        ) { (ChannelURL($0.text(0)), Int($0.int64(1))) }
    }
}

extension PostgresQuery where Output == (id: UserID, row: Readable<MemberRow>) {
    /// The joined and invited users behind another one, in the order of the users' rows.
    static func members(
        of url: ChannelURL, after last: UserID?, limit: Int
    ) -> PostgresQuery {
        PostgresQuery(
            """
            SELECT m.channel, u.body, m.state, m.role, m.joined_at, m.last_read, m.delivered_at,
                m.hidden, m.traits, u.user_id
            FROM member AS m
            JOIN users AS u ON u.id = m.user_id
            WHERE m.channel = (SELECT id FROM channel WHERE url = $1 AND deleted_at IS NULL)
                AND m.state <> 'none'
                AND m.user_id > CASE WHEN $2::text IS NULL THEN -1 ELSE (
                    SELECT id FROM users WHERE user_id = $2::text) END
            ORDER BY m.user_id LIMIT $3
            """, .text(url.rawValue), PostgresValue(last?.rawValue), .int(Int64(limit))
        ) { row in
            let member = PostgresQuery<Readable<MemberRow>>.member(row)
            return (UserID(row.text(9)), member)
        }
    }

    /// The users with an active restriction behind another one, in the order of their entries.
    ///
    /// The traits have a restriction as a list of its beginning, its end or `null`, and its note.
    /// The functions for JSON would refuse a note with the escape of U+0000.
    static func restricted(
        in url: ChannelURL, by kind: Restriction.Kind, at now: Timestamp, after last: UserID?,
        limit: Int
    ) -> PostgresQuery {
        PostgresQuery(
            """
            SELECT m.channel, u.body, m.state, m.role, m.joined_at, m.last_read, m.delivered_at,
                m.hidden, m.traits, u.user_id
            FROM member AS m
            JOIN users AS u ON u.id = m.user_id AND u.deleted_at IS NULL
            WHERE m.channel = (SELECT id FROM channel WHERE url = $1 AND deleted_at IS NULL)
                AND m.traits ~ '"(ban|mute)":'
                AND m.place > CASE WHEN $4::text IS NULL THEN -1 ELSE (
                    SELECT a.place FROM member AS a WHERE a.channel = (
                            SELECT id FROM channel WHERE url = $1 AND deleted_at IS NULL)
                        AND a.user_id = (SELECT id FROM users WHERE user_id = $4::text)) END
                AND strpos(m.traits, '"' || $2::text || '":[') > 0
                AND coalesce(
                    substring(m.traits from '"' || $2::text || '":[[]-?[0-9]+,(-?[0-9]+)')::bigint
                        > $3::bigint, true)
            ORDER BY m.place LIMIT $5
            """,
            .text(url.rawValue), .text(kind.rawValue), .int(now.milliseconds),
            PostgresValue(last?.rawValue), .int(Int64(limit))
        ) { row in
            let member = PostgresQuery<Readable<MemberRow>>.member(row)
            return (UserID(row.text(9)), member)
        }
    }
}

extension PostgresQuery where Output == Int {
    /// The number of users with a ban or a mute, ended ones included.
    static func restrictedCount(of channel: Int64, atMost limit: Int) -> PostgresQuery {
        PostgresQuery(
            """
            SELECT count(*) FROM (
                SELECT 1 FROM member WHERE channel = $1 AND traits ~ '"(ban|mute)":'
                LIMIT $2) AS restricted
            """, .int(channel), .int(Int64(limit))
        ) { Int($0.int64(0)) }
    }
}

extension PostgresQuery where Output == Int64 {
    /// One user with a ban or a mute that has ended.
    static func endedRestriction(of channel: Int64, by now: Timestamp) -> PostgresQuery {
        PostgresQuery(
            """
            SELECT user_id FROM member WHERE channel = $1 AND traits ~ '"(ban|mute)":'
                AND (substring(traits from '"ban":[[]-?[0-9]+,(-?[0-9]+)')::bigint <= $2::bigint
                    OR substring(traits from '"mute":[[]-?[0-9]+,(-?[0-9]+)')::bigint
                        <= $2::bigint)
            LIMIT 1
            """, .int(channel), .int(now.milliseconds)
        ) { $0.int64(0) }
    }
}

extension PostgresQuery where Output == (user: Int64, traits: MemberTraits) {
    /// The users with a ban or a mute, ended ones included.
    static func restrictions(of channel: Int64) -> PostgresQuery {
        PostgresQuery(
            """
            SELECT user_id, traits FROM member WHERE channel = $1 AND traits ~ '"(ban|mute)":'
            """, .int(channel)
        ) { ($0.int64(0), MemberTraits(json: $0.text(1))) }
    }
}

extension PostgresQuery where Output == Void {
    static func setTraits(
        of channel: Int64, _ changed: [(user: Int64, traits: MemberTraits)]
    ) -> PostgresQuery {
        PostgresQuery(
            """
            UPDATE member AS m SET traits = new.traits
            FROM unnest($2::bigint[], $3::text[]) AS new (user_id, traits)
            WHERE m.channel = $1 AND m.user_id = new.user_id
            """, .int(channel), .ints(changed.map(\.user)), .texts(changed.map(\.traits.json)))
    }

    /// Hides the messages through a moment from the joined and invited users of a channel.
    ///
    /// The traits keep the order in which `MemberTraits` writes them: the offset comes first. It is
    /// a number in the text exactly if `beginning` has its copy.
    static func forgetHistory(of channel: Int64, through end: Timestamp) -> PostgresQuery {
        PostgresQuery(
            """
            UPDATE member SET last_read = greatest(last_read, $2::bigint),
                beginning = greatest(beginning, $2::bigint),
                traits = CASE
                    WHEN beginning >= $2::bigint THEN traits
                    WHEN traits = '{}' THEN '{"offset":' || $2::bigint || '}'
                    WHEN beginning IS NULL
                        THEN '{"offset":' || $2::bigint || ',' || substr(traits, 2)
                    ELSE regexp_replace(
                        traits, '^[{]"offset":-?[0-9]+', '{"offset":' || $2::bigint)
                END
            WHERE channel = $1 AND state <> 'none'
            """, .int(channel), .int(end.milliseconds))
    }
}
