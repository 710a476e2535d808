// SPDX-License-Identifier: Apache-2.0

package import RoostModel
import RoostPostgres
package import RoostServer

/// A channel that has changed.
package struct ChannelNews: Equatable, Sendable {
    package let url: ChannelURL
    /// The number of the last change of a message.
    package let sequence: Int64
    /// The transaction of the last change of a message.
    package let logChange: Int64
    /// The transaction of the last other change that a member can see.
    package let viewChange: Int64

    package init(url: ChannelURL, sequence: Int64, logChange: Int64, viewChange: Int64) {
        self.url = url
        self.sequence = sequence
        self.logChange = logChange
        self.viewChange = viewChange
    }

    /// The later of both transactions.
    package var change: Int64 { max(logChange, viewChange) }
}

/// The changes of a channel's log behind a place.
package struct LogNews: Sendable {
    package let changes: [LoggedChange]
    /// The number up to which the changes are complete.
    package let through: Int64

    package init(changes: [LoggedChange], through: Int64) {
        self.changes = changes
        self.through = through
    }
}

/// The beginning of changes that a server has not delivered.
package enum LogStart: Equatable, Sendable {
    /// Behind the change of a number.
    case sequence(Int64)
    /// Behind the changes of transactions up to a number.
    case transaction(Int64)
}

extension PostgresStorage {
    /// The most channels of one sweep, and the most changes of one reading.
    package static let newsLimit = 1_000

    /// Returns the number up to which all transactions have ended.
    package func settledTransaction() async throws(StorageError) -> Int64 {
        try await read { db async throws(PostgresError) in
            (try await db.first(.unsettledChange) ?? 1) - 1
        }
    }

    /// Returns the channels that transactions behind a number have changed.
    ///
    /// - Parameter transaction: The number up to which all changes are known.
    /// - Returns: The channels, the longest unchanged first, and the number up to which the list is
    ///   complete. With `newsLimit` channels, that is the number of the last one less one.
    /// - Throws: A failure of the storage.
    package func news(
        after transaction: Int64
    ) async throws(StorageError) -> (channels: [ChannelNews], through: Int64) {
        try await read { db async throws(PostgresError) in
            let (channels, unsettled) = try await db.all(
                .news(after: transaction, Self.newsLimit), .unsettledChange)
            let settled = (unsettled.first ?? 1) - 1
            guard channels.count == Self.newsLimit, let last = channels.last?.change else {
                return (channels, max(transaction, settled))
            }
            return (channels, max(transaction, min(settled, last - 1)))
        }
    }

    /// Returns the changes of a channel's log, in the order of their numbers.
    package func changes(
        in url: ChannelURL, after start: LogStart
    ) async throws(StorageError) -> LogNews {
        try await read { db async throws(PostgresError) in
            guard let channel = try await db.first(.channelRow(url)) else {
                return LogNews(changes: [], through: .max)
            }
            let rows = try await db.all(.loggedChanges(channel.id, start, Self.newsLimit))
            let through =
                rows.count == Self.newsLimit ? rows.last?.row.sequence : channel.seq
            let changes = rows.compactMap { row -> LoggedChange? in
                guard let message = row.row.readable.value else { return nil }
                return LoggedChange(
                    sequence: row.row.sequence, isNew: row.isNew, message: message,
                    previousID: row.previous, deletedAt: row.row.deletedAt)
            }
            leaveOut(rows.count - changes.count)
            return LogNews(changes: changes, through: through ?? channel.seq)
        }
    }

    /// Returns the users who left channels by transactions behind a number.
    package func leavers(
        of url: ChannelURL, after transaction: Int64
    ) async throws(StorageError) -> [UserID] {
        try await read { db async throws(PostgresError) in
            try await db.all(.leavers(of: url, after: transaction))
        }
    }

    /// Returns the session keys among numbers that have ended.
    package func endedSessions(among numbers: [Int64]) async throws(StorageError) -> Set<Int64> {
        let live = try await read { db async throws(PostgresError) in
            try await db.all(.liveSessions(among: numbers))
        }
        return Set(numbers).subtracting(live)
    }
}

private struct LoggedRow: Sendable {
    let row: StoredMessage
    let isNew: Bool
    let previous: MessageID?
}

extension PostgresQuery where Output == LoggedRow {
    fileprivate static func loggedChanges(
        _ channel: Int64, _ start: LogStart, _ limit: Int
    ) -> PostgresQuery {
        let (sequence, transaction): (Int64?, Int64) =
            switch start {
            case .sequence(let number): (number, 0)
            case .transaction(let number): (nil, number)
            }
        return PostgresQuery(
            """
            WITH start AS (
                SELECT coalesce($2::bigint, (
                    SELECT seq FROM message WHERE channel = $1 AND change <= $3::text::xid8
                    ORDER BY seq DESC LIMIT 1), 0) AS seq)
            SELECT m.id, m.created_at, m.seq, m.deleted_at, m.body, u.body, p.created_at, p.body,
                pu.body, m.first_seq > start.seq, (
                    SELECT id FROM message
                    WHERE channel = m.channel AND deleted_at IS NULL
                        AND (created_at, id) < (m.created_at, m.id)
                    ORDER BY created_at DESC, id DESC LIMIT 1)
            FROM start
            JOIN message AS m ON m.channel = $1 AND m.seq > start.seq
            LEFT JOIN users AS u ON u.id = m.sender
            LEFT JOIN message AS p
                ON p.channel = m.channel AND p.id = m.parent AND p.deleted_at IS NULL
            LEFT JOIN users AS pu ON pu.id = p.sender
            ORDER BY m.seq LIMIT $4
            """,
            .int(channel), PostgresValue(sequence), .text(String(transaction)),
            .int(Int64(limit))
        ) { row in
            LoggedRow(
                row: StoredMessage(row), isNew: row.bool(9),
                previous: row.optionalInt64(10).map { MessageID($0) })
        }
    }
}

extension PostgresQuery where Output == ChannelNews {
    fileprivate static func news(after transaction: Int64, _ limit: Int) -> PostgresQuery {
        PostgresQuery(
            """
            SELECT url, seq, log_change, view_change FROM channel WHERE change > $1::text::xid8
            ORDER BY change, id LIMIT $2
            """, .text(String(transaction)), .int(Int64(limit))
        ) { row in
            ChannelNews(
                url: ChannelURL(row.text(0)), sequence: row.int64(1), logChange: row.int64(2),
                viewChange: row.int64(3))
        }
    }
}

extension PostgresQuery where Output == UserID {
    fileprivate static func leavers(
        of url: ChannelURL, after transaction: Int64
    ) -> PostgresQuery {
        PostgresQuery(
            """
            SELECT u.user_id FROM channel AS c
            JOIN member AS m ON m.channel = c.id AND m.state = 'none'
                AND m.change > $2::text::xid8
            JOIN users AS u ON u.id = m.user_id
            WHERE c.url = $1
            """, .text(url.rawValue), .text(String(transaction))
        ) { UserID($0.text(0)) }
    }
}

extension PostgresQuery where Output == Int64 {
    fileprivate static func liveSessions(among numbers: [Int64]) -> PostgresQuery {
        PostgresQuery(
            "SELECT id FROM session WHERE id = ANY ($1::bigint[])", .ints(numbers)
        ) { $0.int64(0) }
    }
}
