// SPDX-License-Identifier: Apache-2.0

internal import RoostModel
internal import RoostSQLite

/// A channel as stored; its payload refers to users by the numbers of their rows.
struct StoredChannel: Sendable {
    let row: Int64
    let url: ChannelURL
    let createdAt: Timestamp
    /// Nil when only the URL is known.
    let payload: [UInt8]?
}

/// A page of a channel list.
struct ChannelPage: Sendable {
    /// The place before the page, by the key of `ChannelOrder`.
    let lastMessageAt: Timestamp
    let createdAt: Timestamp
    let url: ChannelURL
    let filter: ChannelFilter
    /// The row of the one custom type of the filter; nil if the filter names none or several.
    let customTypeRow: Int64?
}

/// The values that a commit writes for a channel.
struct ChannelEntry: Sendable {
    let row: Int64
    let channel: GroupChannel
    let customTypeRow: Int64?
    let payload: [UInt8]
}

/// The values of a channel that a commit reads before it writes messages into the channel.
struct ChannelRow: Sendable {
    let row: Int64
    /// Nothing at or before this moment is visible.
    let cut: Timestamp?
}

extension Query where Input == ChannelURL, Output == ChannelRow {
    static let channelRow = Query(
        sql: "SELECT id, cut_at FROM channel WHERE url = ?1",
        bind: { url, bindings in bindings.append(url.rawValue) },
        decode: { row in
            ChannelRow(
                row: row.int64(0),
                cut: row.optionalInt64(1).map { Timestamp(milliseconds: $0) })
        })
}

extension Query where Input == Int64, Output == ChannelURL {
    static let channelURL = Query(
        sql: "SELECT url FROM channel WHERE id = ?1",
        bind: { row, bindings in bindings.append(row) },
        decode: { row in ChannelURL(row.text(0)) })
}

extension Query where Input == ChannelURL, Output == StoredChannel {
    static let channelByURL = Query(
        sql: "SELECT id, url, created_at, payload FROM channel WHERE url = ?1",
        bind: { url, bindings in bindings.append(url.rawValue) },
        decode: { row in StoredChannel(row) })
}

extension Query where Input == Void, Output == ChannelURL {
    /// Returns the URL of every channel with a row.
    static let channelURLs = Query(sql: "SELECT url FROM channel ORDER BY url") { row in
        ChannelURL(row.text(0))
    }
}

extension Query where Input == ChannelURL, Output == Int64 {
    /// Inserts a row for a channel of which only the URL is known.
    ///
    /// Its times are zero, so an eviction takes the channel for one of 1970.
    static let insertChannel = Query(
        sql: """
            INSERT INTO channel (url, created_at, last_message_at, membership)
            VALUES (?1, 0, 0, 0) RETURNING id
            """,
        bind: { url, bindings in bindings.append(url.rawValue) },
        decode: { row in row.int64(0) })
}

extension Query where Input == ChannelEntry, Output == Void {
    static let updateChannel = Query(
        sql: """
            UPDATE channel SET created_at = ?2, last_message_at = ?3, membership = ?4,
                custom_type_id = ?5, flags = ?6, payload = ?7
            WHERE id = ?1
            """,
        bind: { entry, bindings in
            bindings.append(entry.row)
            bindings.append(entry.channel.createdAt.milliseconds)
            bindings.append(
                (entry.channel.lastMessage?.createdAt ?? .distantPast).milliseconds)
            bindings.append(Int64(MembershipTag(entry.channel.myState).rawValue))
            bindings.append(entry.customTypeRow)
            bindings.append(ChannelFlags(of: entry.channel).rawValue)
            bindings.append(entry.payload)
        })
}

extension Query where Input == Int64, Output == Void {
    /// Deletes all fields of a channel but its URL, as `insertChannel` leaves them.
    static let blankChannel = Query(
        sql: """
            UPDATE channel SET created_at = 0, last_message_at = 0, membership = 0,
                custom_type_id = NULL, flags = 0, cut_at = NULL, payload = NULL
            WHERE id = ?1
            """,
        bind: { row, bindings in bindings.append(row) })

    /// Deletes a channel with its messages and coverage.
    static let deleteChannel = Query(
        sql: "DELETE FROM channel WHERE id = ?1",
        bind: { row, bindings in bindings.append(row) })
}

// The order of both lists is that of `ChannelSortKey`. The first comparison of each lets the index
// start at the page, the rest decides among equal times. There is no LIMIT: the reader stops when
// it has enough rows, because it filters by fields of the payload on the way.

extension Query where Input == ChannelPage, Output == StoredChannel {
    static let channelsByLastMessage = Query(
        sql: """
            SELECT id, url, created_at, payload FROM channel
            WHERE membership > 0 AND last_message_at <= ?1 AND last_message_at >= ?4
                AND (last_message_at < ?1 OR created_at < ?2 OR (created_at = ?2 AND url > ?3))
                AND flags & ?5 = ?6 AND (?7 IS NULL OR membership = ?7)
                AND (?8 IS NULL OR custom_type_id = ?8)
            ORDER BY last_message_at DESC, created_at DESC, url
            """,
        bind: { page, bindings in page.bind(&bindings) },
        decode: { row in StoredChannel(row) })

    static let channelsByCreation = Query(
        sql: """
            SELECT id, url, created_at, payload FROM channel
            WHERE membership > 0 AND created_at <= ?2
                AND (created_at < ?2 OR url > ?3) AND last_message_at >= ?4
                AND flags & ?5 = ?6 AND (?7 IS NULL OR membership = ?7)
                AND (?8 IS NULL OR custom_type_id = ?8)
            ORDER BY created_at DESC, url
            """,
        bind: { page, bindings in page.bind(&bindings) },
        decode: { row in StoredChannel(row) })
}

extension StoredChannel {
    init(_ row: borrowing Row) {
        self.init(
            row: row.int64(0), url: ChannelURL(row.text(1)),
            createdAt: Timestamp(milliseconds: row.int64(2)), payload: row.optionalBytes(3))
    }

    /// Returns the channel, with its users looked up; nil when only its URL is known.
    func channel(user: (Int64) -> User) throws(SQLiteError) -> GroupChannel? {
        guard let payload else { return nil }
        var channel = GroupChannel(url: url, createdAt: createdAt)
        do throws(PayloadError) {
            try ChannelPayload.read(payload.span, into: &channel, user: user)
        } catch {
            throw error.asSQLiteError(reading: "a channel")
        }
        return channel
    }
}

extension ChannelPage {
    fileprivate func bind(_ bindings: inout Bindings) {
        bindings.append(lastMessageAt.milliseconds)
        bindings.append(createdAt.milliseconds)
        bindings.append(url.rawValue)
        bindings.append(filter.includesEmpty ? Int64.min : Int64.min + 1)
        let (mask, value) = filter.flags
        bindings.append(mask.rawValue)
        bindings.append(value.rawValue)
        bindings.append(filter.membership.map { Int64(MembershipTag($0).rawValue) })
        bindings.append(customTypeRow)
    }
}
