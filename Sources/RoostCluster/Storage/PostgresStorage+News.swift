// SPDX-License-Identifier: Apache-2.0

package import RoostModel
package import RoostPostgres
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
}

/// The result of a sweep.
package struct News: Sendable {
    package let channels: [ChannelNews]
    /// The number up to which all transactions have ended.
    package let settled: Int64
    /// The era of the numbers; nil if it is unknown.
    package let era: PostgresEra?
    /// The transactions whose changes were visible, as `pg_snapshot` writes them.
    package let snapshot: String?
}

/// The changes of a channel's log behind a place.
package struct LogNews: Sendable {
    package let changes: [LoggedChange]
    /// The number up to which the changes are complete.
    package let through: Int64
    /// Whether the log has no change behind that number.
    package let isWhole: Bool
    /// The era of the database that has answered; nil if it is unknown.
    package let era: PostgresEra?
}

/// The state of a database at the start of a server.
package struct LogBeginning: Sendable {
    /// The number up to which all transactions have ended.
    package let settled: Int64
    /// The era of the numbers; nil if it is unknown.
    package let era: PostgresEra?
    /// The transactions whose changes were visible, as `pg_snapshot` writes them.
    let snapshot: String?
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

    /// Returns the present state of the database, for a server that starts.
    package func beginning() async throws(StorageError) -> LogBeginning {
        try await read { db async throws(PostgresError) in
            let state = try await db.first(.beginning)
            return LogBeginning(
                settled: (state?.unsettled ?? 1) - 1, era: db.era, snapshot: state?.snapshot)
        }
    }

    /// Proves that all changes which were visible before the call outlive the death of the primary.
    ///
    /// A commit whose wait for a standby was given up is visible, although no standby may have it.
    ///
    /// - Parameter era: The era in which the changes were seen.
    /// - Throws: A failure of the storage; the changes may disappear then.
    package func confirm(in era: PostgresEra?) async throws(StorageError) {
        do throws(PostgresError) {
            guard try await pool.confirm() == era else { throw .changedPrimary }
        } catch {
            throw Self.failure(error)
        }
    }

    /// Returns the channels that transactions behind a number have changed.
    ///
    /// - Parameters:
    ///   - transaction: The number up to which all changes are known.
    ///   - snapshot: The state of an earlier answer of the same era, whose changes are left out;
    ///     nil for none. While an old transaction is open, they would come with each call.
    /// - Returns: The channels, and the state of the transactions at the same moment.
    /// - Throws: A failure of the storage.
    package func news(
        after transaction: Int64, unseenIn snapshot: String? = nil
    ) async throws(StorageError) -> News {
        try await read { db async throws(PostgresError) in
            var channels: [ChannelNews] = []
            var place = (change: transaction, id: Int64.max)
            var settled: Int64 = 0
            var present: String?
            // Many channels can have one transaction, so a page ends at a row.
            while true {
                let query: PostgresQuery<NewsRow> =
                    if let snapshot {
                        .news(after: place, unseenIn: snapshot, Self.newsLimit)
                    } else {
                        .news(after: place, Self.newsLimit)
                    }
                let (page, states) = try await db.all(query, .beginning)
                settled = (states.first?.unsettled ?? 1) - 1
                present = states.first?.snapshot
                channels += page.map(\.news)
                guard page.count == Self.newsLimit, let last = page.last else { break }
                place = (last.change, last.id)
            }
            return News(channels: channels, settled: settled, era: db.era, snapshot: present)
        }
    }

    /// Returns the changes of a channel's log.
    ///
    /// A message that was made and edited behind the start comes once, as it is now, at the place where
    /// it was made: those behind it refer to it. The other changes come at their own places.
    ///
    /// Behind a transaction, changes are left out that were visible when the server started. The
    /// oldest open transaction may be much older than they are, and no client was connected then.
    ///
    /// - Parameters:
    ///   - url: The channel.
    ///   - start: The place behind which changes are missing.
    ///   - beginning: The state at the start of the server; nil leaves out nothing.
    /// - Returns: The changes, in the order of their delivery.
    /// - Throws: A failure of the storage.
    package func changes(
        in url: ChannelURL, after start: LogStart, since beginning: LogBeginning? = nil
    ) async throws(StorageError) -> LogNews {
        try await read { db async throws(PostgresError) in
            let snapshot = start.snapshot(of: beginning, in: db.era)
            // The row of a deleted channel keeps its counter, and its messages for a time.
            let (channels, live) = try await db.all(.anyChannel(url), .channelRow(url))
            guard let channel = channels.first, !live.isEmpty else {
                return LogNews(
                    changes: [], through: channels.first?.seq ?? 0, isWhole: true, era: db.era)
            }
            var rows = try await db.all(
                .loggedChanges(channel.id, start, snapshot, Self.newsLimit))
            var through = channel.seq
            let isWhole = rows.count < Self.newsLimit
            if !isWhole, let last = rows.last {
                through = last.row.sequence
                // Made in this part of the log, and edited in a later one.
                rows += try await db.all(.editedLater(channel.id, start, snapshot, through))
            }
            rows.sort { $0.place < $1.place }
            let changes = rows.compactMap { row -> LoggedChange? in
                guard let message = row.row.readable.value else { return nil }
                return LoggedChange(
                    sequence: row.row.sequence, isNew: row.isNew, message: message,
                    previousID: row.previous, deletedAt: row.row.deletedAt)
            }
            leaveOut(rows.count - changes.count)
            return LogNews(changes: changes, through: through, isWhole: isWhole, era: db.era)
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
    /// The number of the change that made the message.
    let firstSequence: Int64

    /// The place of the change in the order of delivery.
    var place: Int64 { isNew ? firstSequence : row.sequence }

    init(_ cells: PostgresRow) throws(PostgresError) {
        row = StoredMessage(cells)
        isNew = cells.bool(9)
        previous = cells.optionalInt64(10).map { MessageID($0) }
        firstSequence = cells.int64(11)
    }
}

extension PostgresQuery where Output == LoggedRow {
    fileprivate static func loggedChanges(
        _ channel: Int64, _ start: LogStart, _ snapshot: String?, _ limit: Int
    ) -> PostgresQuery {
        let (sequence, transaction) = start.values
        return PostgresQuery(
            PostgresSQL(
                changesHead,
                """
                FROM start
                JOIN message AS m ON m.channel = $1 AND m.seq > start.seq
                    AND pg_visible_in_snapshot(m.change, $5::text::pg_snapshot) IS NOT TRUE
                LEFT JOIN users AS u ON u.id = m.sender
                LEFT JOIN LATERAL (
                    SELECT created_at, body, sender FROM message
                    WHERE channel = m.channel AND id = m.parent AND deleted_at IS NULL LIMIT 1
                ) AS p ON true
                LEFT JOIN users AS pu ON pu.id = p.sender
                ORDER BY m.seq LIMIT $4
                """),
            .int(channel), PostgresValue(sequence), .text(String(transaction)),
            .int(Int64(limit)), PostgresValue(snapshot)
        ) { row throws(PostgresError) in try LoggedRow(row) }
    }

    /// The messages that were made up to a number and changed behind it.
    fileprivate static func editedLater(
        _ channel: Int64, _ start: LogStart, _ snapshot: String?, _ through: Int64
    ) -> PostgresQuery {
        let (sequence, transaction) = start.values
        return PostgresQuery(
            PostgresSQL(
                changesHead,
                """
                FROM start
                JOIN message AS m ON m.channel = $1 AND m.seq > $4 AND m.first_seq <= $4
                    AND m.first_seq > start.seq
                    AND pg_visible_in_snapshot(m.change, $5::text::pg_snapshot) IS NOT TRUE
                LEFT JOIN users AS u ON u.id = m.sender
                LEFT JOIN LATERAL (
                    SELECT created_at, body, sender FROM message
                    WHERE channel = m.channel AND id = m.parent AND deleted_at IS NULL LIMIT 1
                ) AS p ON true
                LEFT JOIN users AS pu ON pu.id = p.sender
                ORDER BY m.seq
                """),
            .int(channel), PostgresValue(sequence), .text(String(transaction)), .int(through),
            PostgresValue(snapshot)
        ) { row throws(PostgresError) in try LoggedRow(row) }
    }

    private static var changesHead: StaticString {
        """
        WITH start AS (
            SELECT coalesce($2::bigint, (
                SELECT seq FROM message WHERE channel = $1 AND change <= $3::text::xid8
                ORDER BY seq DESC LIMIT 1), 0) AS seq)
        SELECT m.id, m.created_at, m.seq, m.deleted_at, m.body, u.body, p.created_at, p.body,
            pu.body, CASE WHEN $2::bigint IS NULL THEN m.first_change > $3::text::xid8
                    AND pg_visible_in_snapshot(m.first_change, $5::text::pg_snapshot) IS NOT TRUE
                ELSE m.first_seq > $2 END, (
                SELECT id FROM message
                WHERE channel = m.channel AND deleted_at IS NULL
                    AND (created_at, id) < (m.created_at, m.id)
                ORDER BY created_at DESC, id DESC LIMIT 1),
            m.first_seq
        """
    }
}

extension LogStart {
    /// The number of a change or nil, and the number of a transaction.
    fileprivate var values: (sequence: Int64?, transaction: Int64) {
        switch self {
        case .sequence(let number): (number, 0)
        case .transaction(let number): (nil, number)
        }
    }

    /// Returns the snapshot of a server's start; nil if it says nothing about the changes.
    ///
    /// A place in the log is exact by itself, and another era gives numbers of transactions again.
    fileprivate func snapshot(of beginning: LogBeginning?, in era: PostgresEra?) -> String? {
        guard case .transaction = self, let beginning, let own = beginning.era, own == era else {
            return nil
        }
        return beginning.snapshot
    }
}

extension PostgresQuery where Output == (unsettled: Int64, snapshot: String) {
    fileprivate static var beginning: PostgresQuery {
        PostgresQuery(
            """
            SELECT pg_snapshot_xmin(present), present::text FROM pg_current_snapshot() AS present
            """
        ) { ($0.int64(0), $0.text(1)) }
    }
}

private struct NewsRow: Sendable {
    let news: ChannelNews
    let change: Int64
    let id: Int64

    init(_ row: PostgresRow) {
        news = ChannelNews(
            url: ChannelURL(row.text(0)), sequence: row.int64(1), logChange: row.int64(2),
            viewChange: row.int64(3))
        change = row.int64(4)
        id = row.int64(5)
    }
}

extension PostgresQuery where Output == NewsRow {
    fileprivate static func news(
        after place: (change: Int64, id: Int64), _ limit: Int
    ) -> PostgresQuery {
        PostgresQuery(
            """
            SELECT url, seq, log_change, view_change, change, id FROM channel
            WHERE (change, id) > ($1::text::xid8, $2::bigint)
            ORDER BY change, id LIMIT $3
            """, .text(String(place.change)), .int(place.id), .int(Int64(limit))
        ) { NewsRow($0) }
    }

    /// The news that a snapshot does not show.
    ///
    /// They are the changes from its end on, and those of transactions that were open in it. Both
    /// are found in the index. A filter would look at each channel behind the place with each
    /// sweep, and with many channels for longer than a statement may take.
    fileprivate static func news(
        after place: (change: Int64, id: Int64), unseenIn snapshot: String, _ limit: Int
    ) -> PostgresQuery {
        // One comparison of rows is one place in the index. With a second one for the end of the
        // snapshot, the database would walk from the earlier place of both.
        PostgresQuery(
            """
            SELECT url, seq, log_change, view_change, change, id FROM (
                (SELECT url, seq, log_change, view_change, change, id FROM channel
                WHERE (change, id) > (
                    greatest($1::text::xid8, pg_snapshot_xmax($4::text::pg_snapshot)),
                    CASE WHEN $1::text::xid8 >= pg_snapshot_xmax($4::text::pg_snapshot)
                        THEN $2::bigint ELSE -1 END)
                ORDER BY change, id LIMIT $3)
                UNION ALL
                (SELECT url, seq, log_change, view_change, change, id FROM channel
                WHERE (change, id) > ($1::text::xid8, $2::bigint)
                    AND change = ANY (ARRAY(SELECT pg_snapshot_xip($4::text::pg_snapshot)))
                ORDER BY change, id LIMIT $3)
            ) AS unseen
            ORDER BY change, id LIMIT $3
            """, .text(String(place.change)), .int(place.id), .int(Int64(limit)), .text(snapshot)
        ) { NewsRow($0) }
    }
}

extension PostgresQuery where Output == ChannelRow {
    /// A channel, deleted or not.
    fileprivate static func anyChannel(_ url: ChannelURL) -> PostgresQuery {
        PostgresQuery(
            "SELECT id, url, seq, last_time, changed_at, log_change FROM channel WHERE url = $1",
            .text(url.rawValue)
        ) { ChannelRow($0) }
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
