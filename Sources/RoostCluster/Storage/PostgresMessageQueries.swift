// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostPostgres
import RoostServer
import RoostWire

/// A message with the number of its channel.
struct MessageRow: Sendable {
    let channel: Int64
    let message: StoredMessage
}

extension StoredMessage {
    /// Reads the nine columns of `MessageRow.query`.
    init(_ row: PostgresRow) {
        self.init(
            id: row.int64(0), sequence: row.int64(2),
            deletedAt: row.optionalInt64(3).map { Timestamp(milliseconds: $0) },
            text: Text(
                createdAt: Timestamp(milliseconds: row.int64(1)), body: row.text(4),
                senderBody: row.optionalText(5)),
            parent: row.optionalInt64(6).map { createdAt in
                Text(
                    createdAt: Timestamp(milliseconds: createdAt), body: row.text(7),
                    senderBody: row.optionalText(8))
            })
    }

    func message() throws(PostgresError) -> Message {
        do throws(WireError) {
            return try decoded()
        } catch {
            throw .malformed("message \(id)", because: error.description)
        }
    }
}

extension MessageRow {
    /// The start of all queries for these rows.
    ///
    /// The limit lets the database look each parent up. It expected few rows otherwise, and read the whole
    /// channel for a page.
    static let query: StaticString = """
        SELECT m.id, m.created_at, m.seq, m.deleted_at, m.body, u.body, p.created_at, p.body,
            pu.body, m.channel
        FROM message AS m LEFT JOIN users AS u ON u.id = m.sender
        LEFT JOIN LATERAL (
            SELECT created_at, body, sender FROM message
            WHERE channel = m.channel AND id = m.parent AND deleted_at IS NULL LIMIT 1) AS p ON true
        LEFT JOIN users AS pu ON pu.id = p.sender
        """
}

extension PostgresQuery where Output == StoredMessage {
    static func message(_ channel: Int64, _ id: MessageID) -> PostgresQuery {
        PostgresQuery(
            PostgresSQL(MessageRow.query, "WHERE m.channel = $1 AND m.id = $2"),
            .int(channel), .int(id.rawValue)
        ) { StoredMessage($0) }
    }

    static func changesAfter(_ channel: Int64, _ seq: Int64, _ limit: Int) -> PostgresQuery {
        PostgresQuery(
            PostgresSQL(
                MessageRow.query,
                "WHERE m.channel = $1 AND m.seq > $2 ORDER BY m.seq LIMIT $3"),
            .int(channel), .int(seq), .int(Int64(limit))
        ) { StoredMessage($0) }
    }

    /// The changes after the last one before a moment.
    ///
    /// Later changes have later times, up to the margin in the moment, so each row of `place` leaves half
    /// of the numbers out.
    static func changesSince(
        _ channel: Int64, _ moment: Timestamp, _ limit: Int
    ) -> PostgresQuery {
        PostgresQuery(
            PostgresSQL(
                MessageRow.query,
                """
                WHERE m.channel = $1 AND m.seq > (
                    WITH RECURSIVE place (low, high) AS (
                        SELECT 0::bigint, seq FROM channel WHERE id = $1
                        UNION ALL
                        SELECT
                            CASE WHEN known.changed_at >= $2 THEN low ELSE middle.seq END,
                            CASE WHEN known.changed_at >= $2 THEN known.seq - 1 ELSE high END
                        FROM place
                        CROSS JOIN LATERAL (SELECT (low + high + 1) / 2 AS seq) AS middle
                        LEFT JOIN LATERAL (
                            SELECT seq, changed_at FROM message
                            WHERE channel = $1 AND seq > low AND seq <= middle.seq
                            ORDER BY seq DESC LIMIT 1) AS known ON true
                        WHERE low < high)
                    SELECT low FROM place WHERE low >= high)
                ORDER BY m.seq LIMIT $3
                """), .int(channel), .int(moment.milliseconds), .int(Int64(limit))
        ) { StoredMessage($0) }
    }

    static func log(_ url: ChannelURL) -> PostgresQuery {
        PostgresQuery(
            PostgresSQL(
                MessageRow.query,
                """
                WHERE m.channel = (SELECT id FROM channel WHERE url = $1 AND deleted_at IS NULL)
                ORDER BY m.created_at, m.id
                """), .text(url.rawValue)
        ) { StoredMessage($0) }
    }

    /// A page of the log before a position, newest first.
    static func log(_ url: ChannelURL, before place: Position, _ limit: Int) -> PostgresQuery {
        PostgresQuery(
            PostgresSQL(
                MessageRow.query,
                """
                WHERE m.channel = (SELECT id FROM channel WHERE url = $1 AND deleted_at IS NULL)
                    AND (m.created_at, m.id) < ($2::bigint, $3::bigint)
                ORDER BY m.created_at DESC, m.id DESC LIMIT $4
                """), .text(url.rawValue), .int(place.createdAt.milliseconds),
            .int(place.messageID.rawValue), .int(Int64(limit))
        ) { StoredMessage($0) }
    }

    /// A page of a channel or of a thread, from either end of a range.
    static func page(
        _ url: ChannelURL, _ range: PositionRange, _ filter: MessageFilter, newestFirst: Bool,
        _ limit: Int
    ) -> PostgresQuery {
        let sql: PostgresSQL =
            switch (filter.parentID == nil, newestFirst) {
            case (true, false): oldestMessages
            case (true, true): newestMessages
            case (false, false): oldestReplies
            case (false, true): newestReplies
            }
        return PostgresQuery(sql, values: filter.values(url, range) + [.int(Int64(limit))]) {
            StoredMessage($0)
        }
    }
}

extension MessageFilter {
    /// The arguments $1 to $9 of pages and counts.
    func values(_ url: ChannelURL, _ range: PositionRange) -> [PostgresValue] {
        [
            .text(url.rawValue), .int(range.after.createdAt.milliseconds),
            .int(range.after.messageID.rawValue), .int(range.before.createdAt.milliseconds),
            .int(range.before.messageID.rawValue), .text(kind.rawValue),
            // The bits of the places of messages that are in the page; see `Message.replyNumber`.
            .int(parentID?.rawValue ?? (replyType == .all ? 3 : replyType == .none ? 0 : 2)),
            customTypes.map { .texts($0) } ?? .null,
            senderIDs.map { .texts($0.map(\.rawValue)) } ?? .null,
        ]
    }
}

private let oldestMessages = PostgresSQL(
    MessageRow.query,
    """
    WHERE m.channel = (SELECT id FROM channel WHERE url = $1 AND deleted_at IS NULL)
        AND m.is_reply & ~($7::bigint::int) = 0
        AND (m.created_at, m.id) > ($2::bigint, $3::bigint)
        AND (m.created_at, m.id) < ($4::bigint, $5::bigint)
        AND m.deleted_at IS NULL AND ($6 = '' OR m.kind = $6)
        AND ($8::text[] IS NULL OR m.custom_type = ANY ($8::text[]))
        AND ($9::text[] IS NULL OR u.user_id = ANY ($9::text[]))
    ORDER BY m.created_at, m.id LIMIT $10
    """)

private let newestMessages = PostgresSQL(
    MessageRow.query,
    """
    WHERE m.channel = (SELECT id FROM channel WHERE url = $1 AND deleted_at IS NULL)
        AND m.is_reply & ~($7::bigint::int) = 0
        AND (m.created_at, m.id) > ($2::bigint, $3::bigint)
        AND (m.created_at, m.id) < ($4::bigint, $5::bigint)
        AND m.deleted_at IS NULL AND ($6 = '' OR m.kind = $6)
        AND ($8::text[] IS NULL OR m.custom_type = ANY ($8::text[]))
        AND ($9::text[] IS NULL OR u.user_id = ANY ($9::text[]))
    ORDER BY m.created_at DESC, m.id DESC LIMIT $10
    """)

private let oldestReplies = PostgresSQL(
    MessageRow.query,
    """
    WHERE m.channel = (SELECT id FROM channel WHERE url = $1 AND deleted_at IS NULL)
        AND m.parent = $7
        AND (m.created_at, m.id) > ($2::bigint, $3::bigint)
        AND (m.created_at, m.id) < ($4::bigint, $5::bigint)
        AND m.deleted_at IS NULL AND ($6 = '' OR m.kind = $6)
        AND ($8::text[] IS NULL OR m.custom_type = ANY ($8::text[]))
        AND ($9::text[] IS NULL OR u.user_id = ANY ($9::text[]))
    ORDER BY m.created_at, m.id LIMIT $10
    """)

private let newestReplies = PostgresSQL(
    MessageRow.query,
    """
    WHERE m.channel = (SELECT id FROM channel WHERE url = $1 AND deleted_at IS NULL)
        AND m.parent = $7
        AND (m.created_at, m.id) > ($2::bigint, $3::bigint)
        AND (m.created_at, m.id) < ($4::bigint, $5::bigint)
        AND m.deleted_at IS NULL AND ($6 = '' OR m.kind = $6)
        AND ($8::text[] IS NULL OR m.custom_type = ANY ($8::text[]))
        AND ($9::text[] IS NULL OR u.user_id = ANY ($9::text[]))
    ORDER BY m.created_at DESC, m.id DESC LIMIT $10
    """)

extension PostgresQuery where Output == MessageRow {
    /// The newest counted message of each channel of a page.
    static func lastMessagesOfPage(_ page: [Int64]) -> PostgresQuery {
        PostgresQuery(
            """
            SELECT m.id, m.created_at, m.seq, m.deleted_at, m.body, u.body, p.created_at, p.body,
                pu.body, m.channel
            FROM unnest($1::bigint[]) AS page (channel)
            CROSS JOIN LATERAL (
                SELECT * FROM message
                WHERE channel = page.channel AND is_counted AND deleted_at IS NULL
                ORDER BY created_at DESC, id DESC LIMIT 1) AS m
            LEFT JOIN users AS u ON u.id = m.sender
            LEFT JOIN LATERAL (
                SELECT created_at, body, sender FROM message
                WHERE channel = m.channel AND id = m.parent AND deleted_at IS NULL LIMIT 1
            ) AS p ON true
            LEFT JOIN users AS pu ON pu.id = p.sender
            """, .ints(page)
        ) { MessageRow(channel: $0.int64(9), message: StoredMessage($0)) }
    }
}

/// A message of a request, with the place of the request in the question.
struct KnownRequest: Sendable {
    let place: Int
    let message: StoredMessage
    /// The live message before it.
    let previous: MessageID?
}

extension PostgresQuery where Output == KnownRequest {
    /// The stored messages among requests, which are named by channel, sender and request.
    static func known(_ requests: [RequestName]) -> PostgresQuery {
        PostgresQuery(
            """
            SELECT m.id, m.created_at, m.seq, m.deleted_at, m.body, u.body, p.created_at, p.body,
                pu.body, wanted.place, (
                    SELECT id FROM message
                    WHERE channel = m.channel AND deleted_at IS NULL
                        AND (created_at, id) < (m.created_at, m.id)
                    ORDER BY created_at DESC, id DESC LIMIT 1)
            FROM unnest($1::bigint[], $2::bigint[], $3::text[])
                WITH ORDINALITY AS wanted (channel, sender, request_key, place)
            JOIN message AS m ON m.channel = wanted.channel AND m.sender = wanted.sender
                AND m.request_key = wanted.request_key COLLATE "C"
            LEFT JOIN users AS u ON u.id = m.sender
            LEFT JOIN LATERAL (
                SELECT created_at, body, sender FROM message
                WHERE channel = m.channel AND id = m.parent AND deleted_at IS NULL LIMIT 1
            ) AS p ON true
            LEFT JOIN users AS pu ON pu.id = p.sender
            """, .ints(requests.map(\.channel)), .ints(requests.map(\.sender)),
            .texts(requests.map(\.key.rawValue))
        ) { row in
            KnownRequest(
                place: Int(row.int64(9)) - 1, message: StoredMessage(row),
                previous: row.optionalInt64(10).map { MessageID($0) })
        }
    }
}

extension PostgresQuery where Output == Int64 {
    /// Numbers for new messages; they grow, also over a change of the primary.
    ///
    /// Stored requests among those of the messages take no number.
    static func messageNumbers(
        _ count: Int, without requests: [RequestName], _ timeline: Int64
    ) -> PostgresQuery {
        PostgresQuery(
            """
            SELECT ($2::bigint << 42) | nextval('message_number')
            FROM generate_series(1, $1::bigint - (
                SELECT count(*) FROM unnest($3::bigint[], $4::bigint[], $5::text[])
                    AS wanted (channel, sender, request_key)
                JOIN message AS m ON m.channel = wanted.channel AND m.sender = wanted.sender
                    AND m.request_key = wanted.request_key COLLATE "C"))
            """, .int(Int64(count)), .int(timeline), .ints(requests.map(\.channel)),
            .ints(requests.map(\.sender)), .texts(requests.map(\.key.rawValue))
        ) { $0.int64(0) }
    }
}

extension PostgresQuery where Output == (Int64, MessageID) {
    /// The newest live message of each channel.
    static func lastLive(_ channels: [Int64]) -> PostgresQuery {
        PostgresQuery(
            """
            SELECT wanted.channel, m.id
            FROM unnest($1::bigint[]) AS wanted (channel)
            CROSS JOIN LATERAL (
                SELECT id FROM message WHERE channel = wanted.channel AND deleted_at IS NULL
                ORDER BY created_at DESC, id DESC LIMIT 1) AS m
            """, .ints(channels)
        ) { ($0.int64(0), MessageID($0.int64(1))) }
    }
}

extension PostgresQuery where Output == Void {
    /// Stores the present state of a message and of its channel's counter.
    static func replaceMessage(
        _ channel: Int64, _ id: Int64, _ message: Message, _ edits: MadeEdits, _ seq: Int64,
        _ now: Timestamp, deletedAt: Timestamp?
    ) -> PostgresQuery {
        PostgresQuery(
            """
            UPDATE message SET custom_type = $3, mentions_all = $4, seq = $5,
                change = pg_current_xact_id(),
                changed_at = (SELECT greatest(changed_at, $6) FROM channel WHERE id = $1),
                deleted_at = $7, body = $8
            WHERE channel = $1 AND id = $2
            """,
            .int(channel), .int(id), .text(message.customType),
            .bool(message.mention.kind == .channel), .int(seq), .int(now.milliseconds),
            PostgresValue(deletedAt?.milliseconds), .text(message.storedBody(edits)))
    }

    static func countChange(_ channel: Int64, _ seq: Int64, _ now: Timestamp) -> PostgresQuery {
        PostgresQuery(
            """
            UPDATE channel SET seq = $2, change = pg_current_xact_id(),
                log_change = pg_current_xact_id(), changed_at = greatest(changed_at, $3)
            WHERE id = $1
            """, .int(channel), .int(seq), .int(now.milliseconds))
    }

    static func clearMentions(_ channel: Int64, _ message: Int64) -> PostgresQuery {
        PostgresQuery(
            "DELETE FROM mention WHERE channel = $1 AND message = $2", .int(channel),
            .int(message))
    }

    static func addMentions(
        _ channels: [Int64], _ messages: [Int64], _ users: [UserID]
    ) -> PostgresQuery {
        PostgresQuery(
            """
            INSERT INTO mention (channel, message, user_id)
            SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[]) ON CONFLICT DO NOTHING
            """, .ints(channels), .ints(messages), .texts(users.map(\.rawValue)))
    }
}

extension PostgresQuery where Output == Position {
    static func positions(of ids: [MessageID], in url: ChannelURL) -> PostgresQuery {
        PostgresQuery(
            """
            SELECT m.created_at, m.id FROM unnest($2::bigint[]) AS wanted (id)
            CROSS JOIN LATERAL (
                SELECT * FROM message WHERE id = wanted.id AND channel = (
                    SELECT id FROM channel WHERE url = $1 AND deleted_at IS NULL) OFFSET 0) AS m
            """, .text(url.rawValue), .ints(ids.map(\.rawValue))
        ) { row in
            let moment = Timestamp(milliseconds: row.int64(0))
            return Position(createdAt: moment, messageID: MessageID(row.int64(1)))
        }
    }
}
