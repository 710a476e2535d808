// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostSQLite
import RoostWire

extension ChannelRecord {
    /// Reads the eleven columns from `start` on; a brief record has the beginning of the traits.
    init(_ row: borrowing Row, from start: Int32, isBrief: Bool = false) {
        let traits = row.text(start + 10)
        self.init(
            url: ChannelURL(row.text(start)), name: row.text(start + 1),
            coverURL: row.text(start + 2), data: row.text(start + 3),
            customType: row.text(start + 4),
            createdAt: Timestamp(milliseconds: row.int64(start + 5)),
            createdBy: row.optionalText(start + 6).map { UserID($0) },
            isDistinct: row.int64(start + 7) != 0, isSuper: row.int64(start + 8) != 0,
            isPublic: row.int64(start + 9) != 0,
            traits: isBrief ? ChannelTraits(briefly: traits) : ChannelTraits(json: traits))
    }
}

extension Query where Input == ChannelURL, Output == Int64 {
    static var channelRow: Query {
        Query(
            sql: "SELECT id FROM channel WHERE url = ?1 AND deleted_at IS NULL",
            bind: { url, bindings in bindings.append(url.rawValue) },
            decode: { row in row.int64(0) })
    }
}

extension Query where Input == ChannelURL, Output == (Int64, ChannelRecord) {
    static var channel: Query {
        Query(
            sql: """
                SELECT id, url, name, cover_url, data, custom_type, created_at, created_by,
                    distinct_key IS NOT NULL, is_super, is_public, traits
                FROM channel WHERE url = ?1 AND deleted_at IS NULL
                """,
            bind: { url, bindings in bindings.append(url.rawValue) },
            decode: { row in (row.int64(0), ChannelRecord(row, from: 1)) })
    }
}

extension Query where Input == String, Output == (Int64, ChannelRecord) {
    /// The channels of a page, which is a JSON list of their URLs.
    static var channelsOfPage: Query {
        Query(
            sql: """
                SELECT c.id, c.url, c.name, c.cover_url, c.data, c.custom_type, c.created_at,
                    c.created_by, c.distinct_key IS NOT NULL, c.is_super, c.is_public,
                    c.traits
                FROM json_each(?1) AS page
                JOIN channel AS c ON c.url = page.value AND c.deleted_at IS NULL
                """,
            bind: { page, bindings in bindings.append(page) },
            decode: { row in (row.int64(0), ChannelRecord(row, from: 1)) })
    }
}

extension Query where Input == String, Output == (Int64, ChannelURL) {
    static var distinctChannel: Query {
        Query(
            sql: "SELECT id, url FROM channel WHERE distinct_key = ?1",
            bind: { key, bindings in bindings.append(key) },
            decode: { row in (row.int64(0), ChannelURL(row.text(1))) })
    }
}

extension Query where Input == (creator: UserID, start: Timestamp), Output == Int {
    /// The number of channels that a user has created, those deleted after a time included.
    static var createdChannels: Query {
        Query(
            sql: """
                SELECT count(*) FROM channel INDEXED BY channel_created
                WHERE created_by = ?1 AND coalesce(deleted_at, 9223372036854775807) > ?2
                """,
            bind: { input, bindings in
                bindings.append(input.creator.rawValue)
                bindings.append(input.start.milliseconds)
            },
            decode: { row in Int(row.int64(0)) })
    }
}

extension Query where Input == (new: NewChannel, change: ChangeStamp), Output == Int64 {
    static var insertChannel: Query {
        Query(
            sql: """
                INSERT INTO channel (url, name, cover_url, data, custom_type, created_at,
                    created_by, distinct_key, is_super, is_public, sequence, changed_at, traits)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)
                ON CONFLICT (url) DO UPDATE SET
                    name = excluded.name, cover_url = excluded.cover_url, data = excluded.data,
                    custom_type = excluded.custom_type, created_at = excluded.created_at,
                    created_by = excluded.created_by, distinct_key = excluded.distinct_key,
                    is_super = excluded.is_super, is_public = excluded.is_public,
                    sequence = excluded.sequence, changed_at = excluded.changed_at,
                    traits = excluded.traits, deleted_at = NULL
                RETURNING id
                """,
            bind: { input, bindings in
                let record = input.new.record
                bindings.append(record.url.rawValue)
                bindings.append(record.name)
                bindings.append(record.coverURL)
                bindings.append(record.data)
                bindings.append(record.customType)
                bindings.append(record.createdAt.milliseconds)
                bindings.append(record.createdBy?.rawValue)
                bindings.append(input.new.distinctKey)
                bindings.append(record.isSuper)
                bindings.append(record.isPublic)
                bindings.append(input.change.sequence)
                bindings.append(input.change.at)
                bindings.append(record.traits.json)
            },
            decode: { row in row.int64(0) })
    }
}

extension Query where Input == (url: ChannelURL, user: UserID?), Output == ChannelAccess {
    static var access: Query {
        Query(
            sql: """
                SELECT c.url, c.name, c.cover_url, c.data, c.custom_type, c.created_at,
                    c.created_by, c.distinct_key IS NOT NULL, c.is_super, c.is_public,
                    c.traits, me.state, me.role, coalesce(me.traits, '{}')
                FROM channel AS c
                LEFT JOIN user AS u ON u.user_id = ?2
                LEFT JOIN member AS me ON me.channel = c.id AND me.user = u.id
                WHERE c.url = ?1 AND c.deleted_at IS NULL
                """,
            bind: { input, bindings in
                bindings.append(input.url.rawValue)
                bindings.append(input.user?.rawValue)
            },
            decode: { row in
                ChannelAccess(
                    record: ChannelRecord(row, from: 0),
                    state: MembershipState(rawValue: row.text(11)) ?? .none,
                    role: Role(rawValue: row.text(12)) ?? .none,
                    traits: MemberTraits(json: row.text(13)))
            })
    }
}

extension Query where Input == (id: Int64, record: ChannelRecord), Output == Void {
    static var updateChannel: Query {
        Query(
            sql: """
                UPDATE channel SET name = ?2, cover_url = ?3, data = ?4, custom_type = ?5,
                    is_public = ?6, traits = ?7
                WHERE id = ?1
                """,
            bind: { input, bindings in
                bindings.append(input.id)
                bindings.append(input.record.name)
                bindings.append(input.record.coverURL)
                bindings.append(input.record.data)
                bindings.append(input.record.customType)
                bindings.append(input.record.isPublic)
                bindings.append(input.record.traits.json)
            })
    }
}

extension Query where Input == (after: ChannelURL, limit: Int), Output == ChannelRecord {
    static var channelsAfter: Query {
        Query(
            sql: """
                SELECT url, name, '', '', custom_type, created_at, created_by,
                    distinct_key IS NOT NULL, is_super, is_public,
                    -- Up to the metadata and the counters.
                    substr(traits, 1, min(
                        instr(traits || '"metadata":', '"metadata":'),
                        instr(traits || '"counters":', '"counters":')) - 1)
                FROM channel INDEXED BY channel_live
                WHERE url > ?1 AND deleted_at IS NULL ORDER BY url LIMIT ?2
                """,
            bind: { input, bindings in
                bindings.append(input.after.rawValue)
                bindings.append(input.limit)
            },
            decode: { row in ChannelRecord(row, from: 0, isBrief: true) })
    }
}

extension Query where Input == (id: Int64, at: Timestamp), Output == Void {
    /// Marks a channel as deleted; the change logs of its members refer to the row.
    static var buryChannel: Query {
        Query(
            sql: """
                UPDATE channel SET deleted_at = ?2, distinct_key = NULL, name = '', data = '',
                    cover_url = '', traits = '{}'
                WHERE id = ?1
                """,
            bind: { input, bindings in
                bindings.append(input.id)
                bindings.append(input.at.milliseconds)
            })
    }
}

extension Query where Input == (id: Int64, change: ChangeStamp), Output == Void {
    static var emptyChannel: Query {
        Query(
            sql: """
                UPDATE member SET role = 'none', traits = '{}', hidden = 'unhidden', is_counted = 1,
                    sequence = iif(state = 'none', sequence, ?2),
                    changed_at = iif(state = 'none', changed_at, ?3), state = 'none'
                WHERE channel = ?1
                """,
            bind: { input, bindings in
                bindings.append(input.id)
                bindings.append(input.change.sequence)
                bindings.append(input.change.at)
            })
    }
}

extension Query where Input == (channel: Int64, change: ChangeStamp), Output == Void {
    static var touchChannel: Query {
        Query(
            sql: "UPDATE channel SET sequence = ?2, changed_at = ?3 WHERE id = ?1",
            bind: { input, bindings in
                bindings.append(input.channel)
                bindings.append(input.change.sequence)
                bindings.append(input.change.at)
            })
    }
}

extension Query where Input == String, Output == (Int64, MessageRow) {
    /// The newest counted message of each channel of a page, which is a JSON list of row numbers.
    static var lastMessagesOfPage: Query {
        Query(
            sql: SQL(
                MessageRow.query,
                """
                WHERE m.id IN (
                    SELECT (
                        SELECT id FROM message
                        WHERE channel = page.value AND is_counted = 1 AND deleted_at IS NULL
                        ORDER BY created_at DESC, id DESC LIMIT 1)
                    FROM json_each(?1) AS page)
                """),
            bind: { page, bindings in bindings.append(page) },
            decode: { row in (row.int64(9), MessageRow(row)) })
    }
}

extension Query
where
    Input == (viewer: UserID, channel: Int64, limit: Int), Output == (unread: Int, mentions: Int)
{
    /// The newest unread messages of a viewer in a channel, up to a limit, and the mentions in them.
    static var unread: Query {
        Query(
            sql: """
                SELECT count(*), count(*) FILTER (
                    WHERE mentions_all = 1 OR EXISTS (
                        SELECT 1 FROM mention AS n WHERE n.message = id AND n.user_id = ?1))
                FROM (
                    SELECT m.id AS id, m.mentions_all AS mentions_all FROM user AS u
                    JOIN member AS me ON me.channel = ?2 AND me.user = u.id
                    JOIN message AS m ON m.channel = ?2 AND m.created_at > me.last_read
                    WHERE u.user_id = ?1 AND me.state = 'joined' AND m.is_counted = 1
                        AND m.deleted_at IS NULL AND m.sender IS NOT u.id
                    ORDER BY m.created_at DESC, m.id DESC LIMIT ?3)
                """,
            bind: { input, bindings in
                bindings.append(input.viewer.rawValue)
                bindings.append(input.channel)
                bindings.append(input.limit)
            },
            decode: { row in (Int(row.int64(0)), Int(row.int64(1))) })
    }
}

extension Query
where Input == (url: ChannelURL, ids: String, limit: Int), Output == (UserID, Int) {
    /// The number of a channel's messages that each joined member of a list has not read, up to a
    /// limit.
    ///
    /// The joins keep their order; otherwise the list would be read once for each member.
    static var unreadOfMembers: Query {
        Query(
            sql: """
                SELECT u.user_id, (
                    SELECT count(*) FROM (
                        SELECT 1 FROM message AS m
                        WHERE m.channel = me.channel AND m.created_at > me.last_read
                            AND m.is_counted = 1 AND m.deleted_at IS NULL
                            AND m.sender IS NOT u.id
                        LIMIT ?3))
                FROM json_each(?2) AS wanted
                CROSS JOIN user AS u ON u.user_id = wanted.value
                CROSS JOIN member AS me ON me.user = u.id
                    AND me.channel = (SELECT id FROM channel WHERE url = ?1)
                WHERE me.state = 'joined'
                """,
            bind: { input, bindings in
                bindings.append(input.url.rawValue)
                bindings.append(input.ids)
                bindings.append(input.limit)
            },
            decode: { row in (UserID(row.text(0)), Int(row.int64(1))) })
    }
}

extension Query where Input == (user: UserID, limit: Int), Output == Int {
    /// The number of a user's unread messages, up to a limit.
    ///
    /// SQLite uses a partial index only if the query has the condition of the index in its words.
    static var unreadTotal: Query {
        Query(
            sql: """
                SELECT count(*) FROM (
                    SELECT 1 FROM user AS u
                    JOIN member AS me INDEXED BY member_present
                        ON me.user = u.id AND me.state = 'joined' AND me.is_counted = 1
                        AND me.state <> 'none'
                    JOIN message AS m
                        ON m.channel = me.channel AND m.created_at > me.last_read
                    WHERE u.user_id = ?1 AND m.is_counted = 1 AND m.deleted_at IS NULL
                        AND m.sender IS NOT u.id
                    LIMIT ?2)
                """,
            bind: { input, bindings in
                bindings.append(input.user.rawValue)
                bindings.append(input.limit)
            },
            decode: { row in Int(row.int64(0)) })
    }
}
