// SPDX-License-Identifier: Apache-2.0

internal import RoostModel
internal import RoostSQLite

// Pages of a channel: one statement for each index and each direction.
//
// The planner has no statistics and would walk the channel although another index is shorter, so
// each statement names its index. The columns are those of `RowResolver.message`, then those of
// `RowFilter`. There is no LIMIT: the reader stops when it has enough rows, because the filter
// drops rows on the way.

extension Query where Input == MessageStretch, Output == Void {
    // The two queries of every timeline. They compare times only, because comparing positions takes
    // as many steps as reading a row. At both ends they may return messages of the same time
    // outside the stretch, which `MessageStretch.contains` filters out.

    /// The messages of a stretch's moments, oldest first.
    static let oldestPage = Query(
        sql: """
            SELECT ?1, created_at, message_id, payload FROM message WHERE channel_id = ?1 AND created_at BETWEEN ?2 AND ?3
            ORDER BY created_at, message_id
            """,
        bind: { stretch, bindings in stretch.bindMoments(&bindings) })

    /// The messages of a stretch's moments, newest first.
    static let newestPage = Query(
        sql: """
            SELECT ?1, created_at, message_id, payload FROM message WHERE channel_id = ?1 AND created_at BETWEEN ?2 AND ?3
            ORDER BY created_at DESC, message_id DESC
            """,
        bind: { stretch, bindings in stretch.bindMoments(&bindings) })

    /// The messages of a stretch, oldest first.
    static let oldestMessages = Query(
        sql: """
            SELECT channel_id, created_at, message_id, payload, sender_id, custom_type_id,
                parent_id, kind, is_reply_to_channel
            FROM message
            WHERE channel_id = ?1
                AND (created_at, message_id) >= (?2, ?3) AND (created_at, message_id) <= (?4, ?5)
            ORDER BY created_at, message_id
            """,
        bind: { stretch, bindings in stretch.bind(&bindings) })

    /// The messages of a stretch, newest first.
    static let newestMessages = Query(
        sql: """
            SELECT channel_id, created_at, message_id, payload, sender_id, custom_type_id,
                parent_id, kind, is_reply_to_channel
            FROM message
            WHERE channel_id = ?1
                AND (created_at, message_id) >= (?2, ?3) AND (created_at, message_id) <= (?4, ?5)
            ORDER BY created_at DESC, message_id DESC
            """,
        bind: { stretch, bindings in stretch.bind(&bindings) })

    /// The messages of one custom type, oldest first.
    static let oldestOfCustomType = Query(
        sql: """
            SELECT channel_id, created_at, message_id, payload, sender_id, custom_type_id,
                parent_id, kind, is_reply_to_channel
            FROM message INDEXED BY message_by_custom_type
            WHERE channel_id = ?1 AND custom_type_id = ?6
                AND (created_at, message_id) >= (?2, ?3) AND (created_at, message_id) <= (?4, ?5)
            ORDER BY created_at, message_id
            """,
        bind: { stretch, bindings in stretch.bindKeyed(&bindings) })

    /// The messages of one custom type, newest first.
    static let newestOfCustomType = Query(
        sql: """
            SELECT channel_id, created_at, message_id, payload, sender_id, custom_type_id,
                parent_id, kind, is_reply_to_channel
            FROM message INDEXED BY message_by_custom_type
            WHERE channel_id = ?1 AND custom_type_id = ?6
                AND (created_at, message_id) >= (?2, ?3) AND (created_at, message_id) <= (?4, ?5)
            ORDER BY created_at DESC, message_id DESC
            """,
        bind: { stretch, bindings in stretch.bindKeyed(&bindings) })

    /// The messages of one kind that is not a user's text, oldest first.
    static let oldestOfKind = Query(
        sql: """
            SELECT channel_id, created_at, message_id, payload, sender_id, custom_type_id,
                parent_id, kind, is_reply_to_channel
            FROM message INDEXED BY message_by_kind
            WHERE channel_id = ?1 AND kind = ?6 AND kind <> 1
                AND (created_at, message_id) >= (?2, ?3) AND (created_at, message_id) <= (?4, ?5)
            ORDER BY created_at, message_id
            """,
        bind: { stretch, bindings in stretch.bindKeyed(&bindings) })

    /// The messages of one kind that is not a user's text, newest first.
    static let newestOfKind = Query(
        sql: """
            SELECT channel_id, created_at, message_id, payload, sender_id, custom_type_id,
                parent_id, kind, is_reply_to_channel
            FROM message INDEXED BY message_by_kind
            WHERE channel_id = ?1 AND kind = ?6 AND kind <> 1
                AND (created_at, message_id) >= (?2, ?3) AND (created_at, message_id) <= (?4, ?5)
            ORDER BY created_at DESC, message_id DESC
            """,
        bind: { stretch, bindings in stretch.bindKeyed(&bindings) })

    /// The replies to one message, oldest first.
    static let oldestOfParent = Query(
        sql: """
            SELECT channel_id, created_at, message_id, payload, sender_id, custom_type_id,
                parent_id, kind, is_reply_to_channel
            FROM message INDEXED BY message_by_parent
            WHERE channel_id = ?1 AND parent_id = ?6
                AND (created_at, message_id) >= (?2, ?3) AND (created_at, message_id) <= (?4, ?5)
            ORDER BY created_at, message_id
            """,
        bind: { stretch, bindings in stretch.bindKeyed(&bindings) })

    /// The replies to one message, newest first.
    static let newestOfParent = Query(
        sql: """
            SELECT channel_id, created_at, message_id, payload, sender_id, custom_type_id,
                parent_id, kind, is_reply_to_channel
            FROM message INDEXED BY message_by_parent
            WHERE channel_id = ?1 AND parent_id = ?6
                AND (created_at, message_id) >= (?2, ?3) AND (created_at, message_id) <= (?4, ?5)
            ORDER BY created_at DESC, message_id DESC
            """,
        bind: { stretch, bindings in stretch.bindKeyed(&bindings) })
}

extension Query where Input == (channelRow: Int64, parent: MessageID), Output == Int64 {
    /// Whether a reply to a message is cached; runs at every edit, and almost always returns no.
    static let replyOfParent = Query(
        sql: """
            SELECT message_id FROM message INDEXED BY message_by_parent
            WHERE channel_id = ?1 AND parent_id = ?2 LIMIT 1
            """,
        bind: { input, bindings in
            bindings.append(input.channelRow)
            bindings.append(input.parent.rawValue)
        },
        decode: { row in row.int64(0) })
}

extension Query
where Input == (before: Position, limit: Int), Output == Void {
    /// Messages of other users that mention the user, in all channels, newest first.
    static let mentions = Query(
        sql: """
            SELECT channel_id, created_at, message_id, payload FROM message
            WHERE mentions_me = 1 AND (created_at, message_id) < (?1, ?2)
            ORDER BY created_at DESC, message_id DESC LIMIT ?3
            """,
        bind: { input, bindings in
            bindings.append(input.before)
            bindings.append(input.limit)
        })
}

extension Query
where
    Input == (channelRow: Int64, since: Timestamp, place: Position, limit: Int), Output == Void
{
    /// Messages edited after a moment, or at the moment and behind a position, in the order of
    /// their edits.
    static let edited = Query(
        sql: """
            SELECT channel_id, created_at, message_id, payload FROM message
            WHERE channel_id = ?1 AND updated_at >= ?2
                AND (updated_at, created_at, message_id) > (?2, ?3, ?4)
            ORDER BY updated_at, created_at, message_id LIMIT ?5
            """,
        bind: { input, bindings in
            bindings.append(input.channelRow)
            bindings.append(input.since.milliseconds)
            bindings.append(input.place)
            bindings.append(input.limit)
        })
}

extension MessageStretch {
    fileprivate func bind(_ bindings: inout Bindings) {
        bindings.append(channelRow)
        bindings.append(lower)
        bindings.append(upper)
    }

    fileprivate func bindMoments(_ bindings: inout Bindings) {
        bindings.append(channelRow)
        bindings.append(lower.createdAt.milliseconds)
        bindings.append(upper.createdAt.milliseconds)
    }

    /// Whether a position is in the stretch.
    func contains(_ place: Position) -> Bool { lower <= place && place <= upper }

    fileprivate func bindKeyed(_ bindings: inout Bindings) {
        bind(&bindings)
        bindings.append(key)
    }
}

/// A filter with the numbers of rows, so that a row is tested before its payload is read.
struct RowFilter: Sendable {
    private let kind: ContentTag?
    /// Nil in the set means messages without a custom type.
    private let customTypes: Set<Int64?>?
    private let senders: Set<Int64>?
    private let replyType: MessageFilter.ReplyType
    private let parent: Int64?
    /// Whether the filter matches everything, so the columns that it tests need not exist.
    private let matchesAll: Bool

    /// Looks up the names in the filter.
    ///
    /// - Returns: Nil if no message can match, because no row has a name of the filter.
    init?(
        _ filter: MessageFilter, customTypeRow: (String) throws(SQLiteError) -> Int64?,
        senderRow: (UserID) throws(SQLiteError) -> Int64?
    ) throws(SQLiteError) {
        kind =
            switch filter.kind {
            case .all: nil
            case .user: .user
            case .file: .file
            case .admin: .admin
            }
        var types: Set<Int64?>?
        if let names = filter.customTypes {
            var rows: Set<Int64?> = []
            for name in names {
                let row = try customTypeRow(name)
                if row != nil || name.isEmpty { rows.insert(row) }
            }
            if rows.isEmpty { return nil }
            types = rows
        }
        customTypes = types
        var senders: Set<Int64>?
        if let ids = filter.senderIDs {
            var rows: Set<Int64> = []
            for id in ids {
                if let row = try senderRow(id) { rows.insert(row) }
            }
            if rows.isEmpty { return nil }
            senders = rows
        }
        self.senders = senders
        replyType = filter.parentID == nil ? filter.replyType : .all
        parent = filter.parentID?.rawValue
        matchesAll = filter == .everything
    }

    /// Tests a row of one of the statements above.
    func matches(_ row: borrowing Row) -> Bool {
        if matchesAll { return true }
        if let kind, row.int64(7) != Int64(kind.rawValue) { return false }
        if let customTypes, !customTypes.contains(row.optionalInt64(5)) { return false }
        if let senders {
            guard let sender = row.optionalInt64(4), senders.contains(sender) else { return false }
        }
        if let parent { return row.optionalInt64(6) == parent }
        switch replyType {
        case .all: return true
        case .none: return row.isNull(6)
        case .onlyReplyToChannel: return row.isNull(6) || row.int64(8) == 1
        }
    }

    /// Returns the statement that reads the fewest other rows, and its key.
    func statement(
        newestFirst: Bool
    ) -> (query: Query<MessageStretch, Void>, key: Int64) {
        if matchesAll { return (newestFirst ? .newestPage : .oldestPage, 0) }
        if let parent { return (newestFirst ? .newestOfParent : .oldestOfParent, parent) }
        if let customTypes, customTypes.count == 1, let type = customTypes.first ?? nil {
            return (newestFirst ? .newestOfCustomType : .oldestOfCustomType, type)
        }
        if let kind, kind != .user {
            return (newestFirst ? .newestOfKind : .oldestOfKind, Int64(kind.rawValue))
        }
        return (newestFirst ? .newestMessages : .oldestMessages, 0)
    }
}

/// The time of a message's edit.
struct MessageEditRow: Sendable {
    let place: Position
    let editedAt: Timestamp?
}

extension Query where Input == MessageStretch, Output == MessageEditRow {
    /// The positions and edits of a stretch, oldest first.
    static let messageEdits = Query(
        sql: """
            SELECT created_at, message_id, updated_at FROM message
            WHERE channel_id = ?1
                AND (created_at, message_id) >= (?2, ?3) AND (created_at, message_id) <= (?4, ?5)
            ORDER BY created_at, message_id
            """,
        bind: { stretch, bindings in stretch.bind(&bindings) },
        decode: { row in
            MessageEditRow(
                place: Position(row, column: 0),
                editedAt: row.optionalInt64(2).map { Timestamp(milliseconds: $0) })
        })
}
