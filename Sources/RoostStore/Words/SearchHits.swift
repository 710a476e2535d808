// SPDX-License-Identifier: Apache-2.0

internal import RoostModel
package import RoostSQLite

/// A request to the index.
package struct SearchRequest: Equatable, Sendable {
    package enum Order: Equatable, Sendable {
        /// By falling message ID, which within a channel is the order of time.
        case newest
        /// By the rarity of the words and their number in the message, then newest first; reads
        /// every message that has the words.
        case relevance
    }

    package var query: SearchQuery
    package var order: Order
    /// The rows of the channels to search; nil for all.
    package var channelRows: [Int64]?
    /// The rows of the senders to search; nil for all messages, including those without a sender.
    package var senderRows: [Int64]?
    /// In milliseconds, both ends included.
    package var from: Int64
    package var through: Int64
    /// The last hit of the page before.
    package var after: SearchHit?
    package var limit: Int

    package init(
        _ query: SearchQuery, order: Order = .newest, channelRows: [Int64]? = nil,
        senderRows: [Int64]? = nil, from: Int64 = .min, through: Int64 = .max,
        after: SearchHit? = nil, limit: Int = 20
    ) {
        self.query = query
        self.order = order
        self.channelRows = channelRows
        self.senderRows = senderRows
        self.from = from
        self.through = through
        self.after = after
        self.limit = limit
    }
}

/// A message that contains the words.
package struct SearchHit: Hashable, Sendable {
    package let messageID: Int64
    package let channelRow: Int64
    package let createdAt: Int64
    /// The score, better if smaller; 0 when newest first.
    ///
    /// The score changes when other messages are added or deleted. Pages by relevance may then
    /// repeat or omit a hit.
    package let score: Double
}

extension SearchRequest {
    /// Beyond this number of channels, the index returns all hits and the channels are compared
    /// afterwards.
    private static let tagLimit = 64

    /// Returns the hits of one page, best or newest first; none for an empty query.
    ///
    /// The connection must have the index and the messages, either one in an attached database. The
    /// order by relevance also needs a function (`Connection.defineRelevance`).
    package func hits(in connection: Connection) throws(SQLiteError) -> [SearchHit] {
        guard canFind else { return [] }
        let statement = order == .newest ? newestStatement : .bestHits
        return try statement.map { statement throws(SQLiteError) in
            try connection.all(statement, self)
        } ?? []
    }

    /// The statement for newest first; nil when there can be no hit.
    ///
    /// Its rows are those of `RowResolver.message`, so a hit needs no further statement.
    var newestStatement: Query<SearchRequest, SearchHit>? {
        guard canFind else { return nil }
        return senderRows == nil ? .newestHits : .newestHitsOfSenders
    }

    private var canFind: Bool {
        !query.isEmpty && limit > 0 && channelRows?.isEmpty != true && senderRows?.isEmpty != true
    }

    fileprivate func bind(_ bindings: inout Bindings) {
        let areTagged = (channelRows?.count ?? 0) <= Self.tagLimit
        bindings.append(query.expression(inChannels: areTagged ? channelRows : nil))
        bindings.append(areTagged ? nil : channelRows?.jsonArray)
        bindings.append(senderRows?.jsonArray)
        bindings.append(from)
        bindings.append(through)
        bindings.append(limit)
        // The row number follows the order of the index, so newer rows are not read.
        bindings.append(after?.messageID ?? .max)
    }
}

extension Query where Input == SearchRequest, Output == SearchHit {
    // CROSS JOIN makes SQLite walk the index and look up the messages, never the other way round.
    // The bounds of the row number exclude the highest number, which no message has.

    // The rows of newest first have the columns of `RowResolver.message`.

    /// Without senders, `message_by_id` contains every compared column.
    static let newestHits = Query(
        sql: """
            SELECT m.channel_id, m.created_at, m.message_id, m.payload
            FROM message_text AS t CROSS JOIN message AS m ON m.message_id = t.rowid
            WHERE t.message_text MATCH ?1
                AND t.rowid < ?7
                AND (?2 IS NULL OR m.channel_id IN (SELECT value FROM json_each(?2)))
                AND m.created_at BETWEEN ?4 AND ?5
            ORDER BY t.rowid DESC
            LIMIT ?6
            """,
        bind: { request, bindings in request.bind(&bindings) },
        decode: { row in SearchHit(ofMessage: row) })

    static let newestHitsOfSenders = Query(
        sql: """
            SELECT m.channel_id, m.created_at, m.message_id, m.payload
            FROM message_text AS t CROSS JOIN message AS m ON m.message_id = t.rowid
            WHERE t.message_text MATCH ?1
                AND t.rowid < ?7
                AND (?2 IS NULL OR m.channel_id IN (SELECT value FROM json_each(?2)))
                AND m.sender_id IN (SELECT value FROM json_each(?3))
                AND m.created_at BETWEEN ?4 AND ?5
            ORDER BY t.rowid DESC
            LIMIT ?6
            """,
        bind: { request, bindings in request.bind(&bindings) },
        decode: { row in SearchHit(ofMessage: row) })

    static let bestHits = Query(
        sql: """
            SELECT id, channel_id, created_at, score FROM (
                SELECT m.message_id AS id, m.channel_id, m.created_at,
                    relevance(message_text) AS score
                FROM message_text AS t CROSS JOIN message AS m ON m.message_id = t.rowid
                WHERE t.message_text MATCH ?1
                    AND (?2 IS NULL OR m.channel_id IN (SELECT value FROM json_each(?2)))
                    AND (?3 IS NULL OR m.sender_id IN (SELECT value FROM json_each(?3)))
                    AND m.created_at BETWEEN ?4 AND ?5
            )
            WHERE score > ?8 OR score = ?8 AND id < ?7
            ORDER BY score, id DESC
            LIMIT ?6
            """,
        bind: { request, bindings in
            request.bind(&bindings)
            bindings.append(request.after?.score ?? -Double.greatestFiniteMagnitude)
        },
        decode: { row in SearchHit(ranked: row) })
}

extension SearchHit {
    /// A hit of newest first, from the columns of its message.
    init(ofMessage row: borrowing Row) {
        self.init(
            messageID: row.int64(2), channelRow: row.int64(0), createdAt: row.int64(1), score: 0)
    }

    fileprivate init(ranked row: borrowing Row) {
        self.init(
            messageID: row.int64(0), channelRow: row.int64(1), createdAt: row.int64(2),
            score: row.double(3))
    }
}
