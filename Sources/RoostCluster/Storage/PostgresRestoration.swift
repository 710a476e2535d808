// SPDX-License-Identifier: Apache-2.0

package import RoostPostgres

/// The return of a database from a dump.
///
/// A dump takes the numbers of transactions along as values, while a new database server counts from its
/// own beginning. They would all lie in its future: every sweep would find every channel changed, and
/// clients would get the whole history as new messages. Restored into the same database server, a dump
/// would give the numbers of messages and changes again that were given after it.
package struct PostgresRestoration: Sendable {
    private let pool: PostgresPool

    package init(_ pool: PostgresPool) { self.pool = pool }

    /// Refuses a database that has come from a dump.
    ///
    /// - Throws: An error that names the remedy.
    func checkIsDone() async throws(PostgresError) {
        let isMissing = try await pool.read { db async throws(PostgresError) in
            try await db.first(.comesFromDump)
        }
        if isMissing == true { throw .fromDump }
    }

    /// Lets the numbers of transactions begin anew, as one transaction.
    ///
    /// Tokens of channel lists stay valid, also those that were given after the dump; a client is
    /// told of all channels of its user once. Tokens of message logs are refused, because their era
    /// has ended. No message gets a number that a lost one had. A database that shows no sign of a
    /// dump is treated alike, such as a copy of an earlier moment: to begin anew without need costs
    /// time, and clients read the logs again.
    ///
    /// - Throws: A sentence if servers run, or the database's timeline lies before that of its messages.
    package func run() async throws(PostgresError) {
        try await pool.write { db async throws(PostgresError) in
            db.add(.workLong)
            if try await db.first(.hasLivingHosts) == true { throw .served }
            if let timeline = try await db.first(.lastTimeline), timeline > db.timeline {
                throw .timeline(timeline, db.timeline)
            }
            for statement in Self.statements { db.add(PostgresQuery(statement)) }
        }
    }

    private static let statements: [PostgresSQL] = [
        .once(
            """
            UPDATE server SET message_table = 'message'::regclass::oid,
                change_base = change_base + 1000000000000 + greatest(
                    0, (SELECT max(change::text::bigint) FROM channel),
                    (SELECT max(change::text::bigint) FROM member))
            """),
        .once("SELECT setval('message_number', nextval('message_number') + 1000000000)"),
        .once(
            """
            UPDATE channel SET change = '0', log_change = '0', view_change = '0',
                seq = seq + 1000000000
            """),
        .once("UPDATE member SET change = '0'"),
        .once("UPDATE message SET change = '0', first_change = '0'"),
        .once("DELETE FROM era"), .once("DELETE FROM host"), .once("DELETE FROM presence"),
    ]
}

extension PostgresQuery where Output == Bool {
    /// Whether a visible row has a number that no transaction had yet, or the table of messages is not
    /// the noted one.
    fileprivate static var comesFromDump: PostgresQuery {
        PostgresQuery(
            """
            SELECT EXISTS (
                SELECT 1 FROM channel WHERE change >= pg_snapshot_xmax(pg_current_snapshot()))
            OR EXISTS (SELECT 1 FROM server WHERE message_table <> 'message'::regclass::oid)
            """
        ) { $0.bool(0) }
    }

    fileprivate static var hasLivingHosts: PostgresQuery {
        PostgresQuery("SELECT EXISTS (SELECT 1 FROM host WHERE alive_until > now())") { $0.bool(0) }
    }
}

extension PostgresQuery where Output == Int64 {
    /// The timeline of the newest message.
    fileprivate static var lastTimeline: PostgresQuery {
        PostgresQuery("SELECT coalesce(max(id), 0) >> 42 FROM message") { $0.int64(0) }
    }
}

extension PostgresError {
    fileprivate static let fromDump = PostgresError(
        .rejected,
        "The database comes from a dump, so its numbers of transactions and messages do not go on from "
            + "the last ones. Run once, before any server: roost migrate --restored --database ...")

    fileprivate static let served = PostgresError(
        .rejected,
        "Servers use the database, or did so in the last 15 seconds. Stop them, and run the command again."
    )

    fileprivate static func timeline(_ messages: Int64, _ own: Int64) -> PostgresError {
        PostgresError(
            .rejected,
            "The newest messages have numbers of timeline \(messages), and the database is on \(own), so "
                + "new ones would have lower numbers. Each promotion of a standby raises the timeline: "
                + "promote one as often as is missing, or restore a copy of pg_basebackup.")
    }
}
