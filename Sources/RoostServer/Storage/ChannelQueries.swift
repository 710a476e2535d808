// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostSQLite
import RoostWire

extension ChannelRecord {
    /// Reads the ten columns from `start` on.
    fileprivate init(_ row: borrowing Row, from start: Int32) {
        self.init(
            url: ChannelURL(row.text(start)), name: row.text(start + 1),
            coverURL: row.text(start + 2), data: row.text(start + 3),
            customType: row.text(start + 4),
            createdAt: Timestamp(milliseconds: row.int64(start + 5)),
            createdBy: row.optionalText(start + 6).map { UserID($0) },
            isDistinct: row.int64(start + 7) != 0, isSuper: row.int64(start + 8) != 0,
            isPublic: row.int64(start + 9) != 0)
    }
}

extension Query where Input == ChannelURL, Output == Int64 {
    static var channelRow: Query {
        Query(
            sql: "SELECT id FROM channel WHERE url = ?1",
            bind: { url, bindings in bindings.append(url.rawValue) },
            decode: { row in row.int64(0) })
    }
}

extension Query where Input == ChannelURL, Output == (Int64, ChannelRecord) {
    static var channel: Query {
        Query(
            sql: """
                SELECT id, url, name, cover_url, data, custom_type, created_at, created_by,
                    distinct_key IS NOT NULL, is_super, is_public
                FROM channel WHERE url = ?1
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
                    c.created_by, c.distinct_key IS NOT NULL, c.is_super, c.is_public
                FROM json_each(?1) AS page JOIN channel AS c ON c.url = page.value
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

extension Query where Input == (new: NewChannel, change: ChangeStamp), Output == Int64 {
    static var insertChannel: Query {
        Query(
            sql: """
                INSERT INTO channel (url, name, cover_url, data, custom_type, created_at,
                    created_by, distinct_key, is_super, is_public, sequence, changed_at)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
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
                    me.state, me.role
                FROM channel AS c
                LEFT JOIN user AS u ON u.user_id = ?2
                LEFT JOIN member AS me ON me.channel = c.id AND me.user = u.id
                WHERE c.url = ?1
                """,
            bind: { input, bindings in
                bindings.append(input.url.rawValue)
                bindings.append(input.user?.rawValue)
            },
            decode: { row in
                ChannelAccess(
                    record: ChannelRecord(row, from: 0),
                    state: MembershipState(rawValue: row.text(10)) ?? .none,
                    role: Role(rawValue: row.text(11)) ?? .none, messageOffset: nil)
            })
    }
}

extension Query where Input == (id: Int64, change: ChannelPropertyChange), Output == Void {
    static var updateChannel: Query {
        Query(
            sql: """
                UPDATE channel SET name = coalesce(?2, name), cover_url = coalesce(?3, cover_url),
                    data = coalesce(?4, data), custom_type = coalesce(?5, custom_type)
                WHERE id = ?1
                """,
            bind: { input, bindings in
                bindings.append(input.id)
                bindings.append(input.change.name)
                bindings.append(input.change.coverURL)
                bindings.append(input.change.data)
                bindings.append(input.change.customType)
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

extension Query where Input == UserID, Output == ChannelListing {
    static var listings: Query {
        Query(
            sql: """
                SELECT c.url, c.name, c.cover_url, c.data, c.custom_type, c.created_at,
                    c.created_by, c.distinct_key IS NOT NULL, c.is_super, c.is_public, me.state,
                    (SELECT created_at FROM message
                     WHERE channel = c.id AND is_counted = 1 AND deleted_at IS NULL
                     ORDER BY created_at DESC, id DESC LIMIT 1),
                    iif(me.state = 'none', me.sequence, c.sequence),
                    iif(me.state = 'none', me.changed_at, c.changed_at)
                FROM user AS u
                JOIN member AS me ON me.user = u.id
                JOIN channel AS c ON c.id = me.channel
                WHERE u.user_id = ?1 ORDER BY c.url
                """,
            bind: { id, bindings in bindings.append(id.rawValue) },
            decode: { row in
                ChannelListing(
                    record: ChannelRecord(row, from: 0),
                    state: MembershipState(rawValue: row.text(10)) ?? .none,
                    lastMessageAt: row.optionalInt64(11).map { Timestamp(milliseconds: $0) },
                    changeSequence: row.int64(12),
                    changedAt: Timestamp(milliseconds: row.int64(13)))
            })
    }
}

extension Query where Input == String, Output == (Int64, MessageRow) {
    /// The newest counted message of each channel of a page, which is a JSON list of row numbers.
    static var lastMessagesOfPage: Query {
        Query(
            sql: """
                SELECT m.id, m.created_at, m.sequence, m.deleted_at, m.body, u.body, m.channel
                FROM json_each(?1) AS page
                JOIN message AS m ON m.id = (
                    SELECT id FROM message
                    WHERE channel = page.value AND is_counted = 1 AND deleted_at IS NULL
                    ORDER BY created_at DESC, id DESC LIMIT 1)
                LEFT JOIN user AS u ON u.id = m.sender
                """,
            bind: { page, bindings in bindings.append(page) },
            decode: { row in (row.int64(6), MessageRow(row)) })
    }
}

/// What a viewer has not read of one channel.
struct UnreadRow: Sendable {
    let channel: Int64
    let unread: Int
    let mentions: Int
}

extension Query where Input == (viewer: UserID, page: String), Output == UnreadRow {
    static var unreadOfPage: Query {
        Query(
            sql: """
                SELECT m.channel, count(*), count(*) FILTER (
                    WHERE m.mentions_all = 1 OR EXISTS (
                        SELECT 1 FROM mention WHERE message = m.id AND user_id = ?1))
                FROM json_each(?2) AS page
                JOIN user AS u ON u.user_id = ?1
                JOIN member AS me ON me.channel = page.value AND me.user = u.id
                JOIN message AS m ON m.channel = page.value AND m.created_at > me.last_read
                WHERE me.state = 'joined' AND m.is_counted = 1 AND m.deleted_at IS NULL
                    AND m.sender IS NOT u.id
                GROUP BY m.channel
                """,
            bind: { input, bindings in
                bindings.append(input.viewer.rawValue)
                bindings.append(input.page)
            },
            decode: { row in
                UnreadRow(
                    channel: row.int64(0), unread: Int(row.int64(1)), mentions: Int(row.int64(2)))
            })
    }
}

extension Query where Input == UserID, Output == Int {
    static var unreadTotal: Query {
        Query(
            sql: """
                SELECT count(*)
                FROM user AS u
                JOIN member AS me ON me.user = u.id AND me.state = 'joined'
                JOIN message AS m ON m.channel = me.channel AND m.created_at > me.last_read
                WHERE u.user_id = ?1 AND m.is_counted = 1 AND m.deleted_at IS NULL
                    AND m.sender IS NOT u.id
                """,
            bind: { id, bindings in bindings.append(id.rawValue) },
            decode: { row in Int(row.int64(0)) })
    }
}
