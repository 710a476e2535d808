// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostPostgres
import RoostServer

/// The counters of a channel.
struct ChannelRow: Sendable {
    let id: Int64
    let url: ChannelURL
    /// The number of the last change of a message.
    let seq: Int64
    /// The time of the newest message, deleted or not.
    let lastTime: Int64?
    /// The time of the last change; never goes back.
    let changedAt: Int64
    /// The transaction of the last change of a message.
    let logChange: Int64

    init(_ row: PostgresRow) {
        id = row.int64(0)
        url = ChannelURL(row.text(1))
        seq = row.int64(2)
        lastTime = row.optionalInt64(3)
        changedAt = row.int64(4)
        logChange = row.int64(5)
    }
}

extension ChannelRecord {
    /// Reads the eleven columns from `start` on; a brief record has the beginning of the traits.
    init(_ row: PostgresRow, from start: Int, isBrief: Bool = false) {
        let traits = row.text(start + 10)
        self.init(
            url: ChannelURL(row.text(start)), name: row.text(start + 1),
            coverURL: row.text(start + 2), data: row.text(start + 3),
            customType: row.text(start + 4),
            createdAt: Timestamp(milliseconds: row.int64(start + 5)),
            createdBy: row.optionalText(start + 6).map { UserID($0) },
            isDistinct: row.bool(start + 7), isSuper: row.bool(start + 8),
            isPublic: row.bool(start + 9),
            traits: isBrief ? ChannelTraits(briefly: traits) : ChannelTraits(json: traits))
    }
}

extension PostgresQuery where Output == ChannelRow {
    private static func channel(_ sql: PostgresSQL, _ text: String) -> PostgresQuery {
        PostgresQuery(sql, .text(text)) { ChannelRow($0) }
    }

    static func channelRow(_ url: ChannelURL) -> PostgresQuery {
        channel(
            """
            SELECT id, url, seq, last_time, changed_at, log_change FROM channel
            WHERE url = $1 AND deleted_at IS NULL
            """, url.rawValue)
    }

    /// A channel that no other transaction changes until the end of the transaction.
    static func lockedChannel(_ url: ChannelURL) -> PostgresQuery {
        channel(
            """
            SELECT id, url, seq, last_time, changed_at, log_change FROM channel
            WHERE url = $1 AND deleted_at IS NULL FOR NO KEY UPDATE
            """, url.rawValue)
    }

    static func distinctChannel(_ key: String) -> PostgresQuery {
        channel(
            """
            SELECT id, url, seq, last_time, changed_at, log_change FROM channel
            WHERE distinct_key = $1 AND deleted_at IS NULL FOR NO KEY UPDATE
            """, key)
    }

    /// The channels of a batch, locked in the order of their numbers.
    static func lockedChannels(_ urls: [ChannelURL]) -> PostgresQuery {
        PostgresQuery(
            """
            SELECT id, url, seq, last_time, changed_at, log_change FROM channel
            WHERE url = ANY ($1::text[]) AND deleted_at IS NULL ORDER BY id FOR NO KEY UPDATE
            """, .texts(urls.map(\.rawValue))
        ) { ChannelRow($0) }
    }

    /// The channels of a batch that no other transaction holds, locked.
    static func unheldChannels(_ urls: [ChannelURL]) -> PostgresQuery {
        PostgresQuery(
            """
            SELECT id, url, seq, last_time, changed_at, log_change FROM channel
            WHERE url = ANY ($1::text[]) AND deleted_at IS NULL ORDER BY id
            FOR NO KEY UPDATE SKIP LOCKED
            """, .texts(urls.map(\.rawValue))
        ) { ChannelRow($0) }
    }

    /// Creates a channel, or one in the row of a deleted one.
    ///
    /// It returns no row if a live channel has the URL, or a deleted one with messages.
    static func insertChannel(_ new: NewChannel, _ now: Timestamp) -> PostgresQuery {
        let record = new.record
        return PostgresQuery(
            """
            INSERT INTO channel AS c (url, name, cover_url, data, custom_type, created_at,
                created_by, distinct_key, is_super, is_public, traits, change, view_change,
                changed_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, pg_current_xact_id(),
                pg_current_xact_id(), $12)
            ON CONFLICT (url) DO UPDATE SET
                name = excluded.name, cover_url = excluded.cover_url, data = excluded.data,
                custom_type = excluded.custom_type, created_at = excluded.created_at,
                created_by = excluded.created_by, distinct_key = excluded.distinct_key,
                is_super = excluded.is_super, is_public = excluded.is_public,
                traits = excluded.traits, change = excluded.change,
                view_change = excluded.view_change,
                changed_at = greatest(c.changed_at, excluded.changed_at), deleted_at = NULL
            WHERE c.deleted_at IS NOT NULL AND c.last_time IS NULL
            RETURNING id, url, seq, last_time, changed_at, log_change
            """,
            .text(record.url.rawValue), .text(record.name), .text(record.coverURL),
            .text(record.data), .text(record.customType), .int(record.createdAt.milliseconds),
            PostgresValue(record.createdBy?.rawValue),
            PostgresValue(new.distinctKey.map(PostgresStorage.key)), .bool(record.isSuper),
            .bool(record.isPublic), .text(record.traits.json), .int(now.milliseconds)
        ) { ChannelRow($0) }
    }
}

extension PostgresQuery where Output == (Int64, ChannelRecord) {
    static func lockedRecord(_ url: ChannelURL) -> PostgresQuery {
        PostgresQuery(
            """
            SELECT id, url, name, cover_url, data, custom_type, created_at, created_by,
                distinct_key IS NOT NULL, is_super, is_public, traits
            FROM channel WHERE url = $1 AND deleted_at IS NULL FOR NO KEY UPDATE
            """, .text(url.rawValue)
        ) { ($0.int64(0), ChannelRecord($0, from: 1)) }
    }

    /// The existing channels among URLs, in the order of the URLs.
    static func channelsOfPage(_ urls: [ChannelURL]) -> PostgresQuery {
        PostgresQuery(
            """
            SELECT c.id, c.url, c.name, c.cover_url, c.data, c.custom_type, c.created_at,
                c.created_by, c.distinct_key IS NOT NULL, c.is_super, c.is_public, c.traits
            FROM unnest($1::text[]) WITH ORDINALITY AS page (url, place)
            JOIN channel AS c ON c.url = page.url COLLATE "C" AND c.deleted_at IS NULL
            ORDER BY page.place
            """, .texts(urls.map(\.rawValue))
        ) { ($0.int64(0), ChannelRecord($0, from: 1)) }
    }
}

extension PostgresQuery where Output == ChannelRecord {
    static func channelsAfter(_ url: ChannelURL, _ limit: Int) -> PostgresQuery {
        PostgresQuery(
            """
            SELECT url, name, '', '', custom_type, created_at, created_by,
                distinct_key IS NOT NULL, is_super, is_public,
                split_part(split_part(traits, '"metadata":', 1), '"counters":', 1)
            FROM channel WHERE url > $1 AND deleted_at IS NULL ORDER BY url LIMIT $2
            """, .text(url.rawValue), .int(Int64(limit))
        ) { ChannelRecord($0, from: 0, isBrief: true) }
    }
}

extension PostgresQuery where Output == ChannelAccess {
    static func access(_ url: ChannelURL, _ user: UserID?) -> PostgresQuery {
        PostgresQuery(
            """
            SELECT c.url, c.name, c.cover_url, c.data, c.custom_type, c.created_at, c.created_by,
                c.distinct_key IS NOT NULL, c.is_super, c.is_public, c.traits,
                me.state, me.role, coalesce(me.traits, '{}')
            FROM channel AS c
            LEFT JOIN users AS u ON u.user_id = $2
            LEFT JOIN member AS me ON me.channel = c.id AND me.user_id = u.id
            WHERE c.url = $1 AND c.deleted_at IS NULL
            """, .text(url.rawValue), PostgresValue(user?.rawValue)
        ) { row in
            ChannelAccess(
                record: ChannelRecord(row, from: 0),
                state: MembershipState(rawValue: row.text(11)) ?? .none,
                role: Role(rawValue: row.text(12)) ?? .none,
                traits: MemberTraits(json: row.text(13)))
        }
    }
}

extension PostgresQuery where Output == NewestPlace {
    /// The newest live message of each joined channel of a user before a position.
    static func newestPlaces(of id: UserID, before end: Position) -> PostgresQuery {
        PostgresQuery(
            """
            SELECT c.url, m.created_at, m.id, me.traits
            FROM users AS u
            JOIN member AS me ON me.user_id = u.id AND me.state = 'joined'
            JOIN channel AS c ON c.id = me.channel
            CROSS JOIN LATERAL (
                SELECT created_at, id FROM message
                WHERE channel = c.id AND deleted_at IS NULL
                    AND (created_at, id) < ($2::bigint, $3::bigint)
                ORDER BY created_at DESC, id DESC LIMIT 1) AS m
            WHERE u.user_id = $1 ORDER BY c.url
            """, .text(id.rawValue), .int(end.createdAt.milliseconds),
            .int(end.messageID.rawValue)
        ) { row in
            NewestPlace(
                url: ChannelURL(row.text(0)),
                position: Position(
                    createdAt: Timestamp(milliseconds: row.int64(1)),
                    messageID: MessageID(row.int64(2))),
                traits: MemberTraits(json: row.text(3)))
        }
    }
}

extension PostgresQuery where Output == Int64 {
    /// The lowest number of a transaction that has not ended.
    static var unsettledChange: PostgresQuery {
        PostgresQuery("SELECT pg_snapshot_xmin(pg_current_snapshot())") { $0.int64(0) }
    }
}

extension PostgresQuery where Output == Int {
    /// The number of channels that a user has created, those deleted after a time included.
    static func createdChannels(_ creator: UserID, since start: Timestamp) -> PostgresQuery {
        PostgresQuery(
            """
            SELECT count(*) FROM channel WHERE created_by = $1
                AND coalesce(deleted_at, 9223372036854775807) > $2
            """, .text(creator.rawValue), .int(start.milliseconds)
        ) { Int($0.int64(0)) }
    }

    static func unreadTotal(of id: UserID, atMost limit: Int) -> PostgresQuery {
        PostgresQuery(
            """
            SELECT count(*) FROM (
                SELECT 1 FROM users AS u
                JOIN member AS me ON me.user_id = u.id AND me.state = 'joined' AND me.is_counted
                JOIN message AS m ON m.channel = me.channel AND m.created_at > me.last_read
                WHERE u.user_id = $1 AND m.is_counted AND m.deleted_at IS NULL
                    AND m.sender IS DISTINCT FROM u.id
                LIMIT $2) AS unread
            """, .text(id.rawValue), .int(Int64(limit))
        ) { Int($0.int64(0)) }
    }
}

/// The unread messages of a viewer in one channel.
struct UnreadRow: Sendable {
    let channel: Int64
    let unread: Int
    let mentions: Int
}

extension PostgresQuery where Output == UnreadRow {
    /// The newest unread messages of a viewer in each channel, up to a limit, and the mentions in
    /// them.
    static func unreadOfPage(
        _ viewer: UserID, _ page: [Int64], atMost limit: Int
    ) -> PostgresQuery {
        PostgresQuery(
            """
            SELECT me.channel, found.unread, found.mentions
            FROM users AS u
            JOIN member AS me ON me.channel = ANY ($2::bigint[]) AND me.user_id = u.id
            CROSS JOIN LATERAL (
                SELECT count(*) AS unread, count(*) FILTER (
                    WHERE m.mentions_all OR EXISTS (
                        SELECT 1 FROM mention AS n
                        WHERE n.channel = me.channel AND n.message = m.id AND n.user_id = $1)
                ) AS mentions
                FROM (
                    SELECT id, mentions_all FROM message
                    WHERE channel = me.channel AND created_at > me.last_read AND is_counted
                        AND deleted_at IS NULL AND sender IS DISTINCT FROM u.id
                    ORDER BY created_at DESC, id DESC LIMIT $3) AS m) AS found
            WHERE u.user_id = $1 AND me.state = 'joined'
            """, .text(viewer.rawValue), .ints(page), .int(Int64(limit))
        ) { row in
            UnreadRow(
                channel: row.int64(0), unread: Int(row.int64(1)), mentions: Int(row.int64(2)))
        }
    }
}

extension PostgresQuery where Output == (UserID, Int) {
    /// The number of a channel's messages that each of its joined members has not read, up to a
    /// limit.
    static func unreadOfMembers(
        _ url: ChannelURL, _ ids: [UserID], atMost limit: Int
    ) -> PostgresQuery {
        PostgresQuery(
            """
            SELECT u.user_id, (
                SELECT count(*) FROM (
                    SELECT 1 FROM message AS m
                    WHERE m.channel = me.channel AND m.created_at > me.last_read
                        AND m.is_counted AND m.deleted_at IS NULL
                        AND m.sender IS DISTINCT FROM u.id
                    LIMIT $3) AS counted)
            FROM users AS u
            JOIN member AS me ON me.user_id = u.id
                AND me.channel = (SELECT id FROM channel WHERE url = $1)
            WHERE u.user_id = ANY ($2::text[]) AND me.state = 'joined'
            """, .text(url.rawValue), .texts(ids.map(\.rawValue)), .int(Int64(limit))
        ) { (UserID($0.text(0)), Int($0.int64(1))) }
    }
}

extension PostgresQuery where Output == Void {
    static func lockCreator(_ creator: UserID) -> PostgresQuery {
        PostgresQuery(
            "SELECT pg_advisory_xact_lock(hashtextextended($1, 27))", .text(creator.rawValue))
    }

    static func updateChannel(
        _ id: Int64, _ record: ChannelRecord, _ now: Timestamp
    ) -> PostgresQuery {
        PostgresQuery(
            """
            UPDATE channel SET name = $2, cover_url = $3, data = $4, custom_type = $5,
                is_public = $6, traits = $7, change = pg_current_xact_id(),
                view_change = pg_current_xact_id(), changed_at = greatest(changed_at, $8)
            WHERE id = $1
            """,
            .int(id), .text(record.name), .text(record.coverURL), .text(record.data),
            .text(record.customType), .bool(record.isPublic), .text(record.traits.json),
            .int(now.milliseconds))
    }

    static func emptyChannel(_ id: Int64, _ now: Timestamp) -> PostgresQuery {
        PostgresQuery(
            """
            UPDATE member AS m SET role = 'none', traits = '{}', hidden = 'unhidden',
                is_counted = true, is_silenced = false, beginning = NULL, state = 'none',
                change = CASE m.state WHEN 'none' THEN m.change ELSE pg_current_xact_id() END,
                changed_at = CASE m.state WHEN 'none' THEN m.changed_at
                    ELSE greatest(c.changed_at, $2) END
            FROM channel AS c WHERE m.channel = $1 AND c.id = $1
            """, .int(id), .int(now.milliseconds))
    }

    /// Marks a channel as deleted; the change logs of its members refer to the row.
    ///
    /// `last_time` stays until all messages are removed.
    static func buryChannel(_ id: Int64, _ now: Timestamp) -> PostgresQuery {
        PostgresQuery(
            """
            UPDATE channel SET deleted_at = $2, distinct_key = NULL, name = '', data = '',
                cover_url = '', traits = '{}', change = pg_current_xact_id(),
                view_change = pg_current_xact_id(), changed_at = greatest(changed_at, $2)
            WHERE id = $1
            """, .int(id), .int(now.milliseconds))
    }
}
