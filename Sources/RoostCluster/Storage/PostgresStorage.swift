// SPDX-License-Identifier: Apache-2.0

import RoostExecutors
import RoostModel
package import RoostPostgres
package import RoostServer
import RoostSockets
import RoostWire

/// A storage in a PostgreSQL database, which several servers may share.
///
/// The order of a channel comes from the lock of its row: each change of its messages and members
/// holds it. Nothing orders two channels, so they do not wait for each other.
///
/// A call that meets a lost connection is repeated, at the present primary, as long as the patience of
/// the pool lasts.
package final class PostgresStorage: Storage {
    let pool: PostgresPool
    /// The margin of change logs that begin at a time, in milliseconds.
    ///
    /// Clocks of several servers differ, and a commit may become visible later than its time.
    let clockMargin: Int64
    /// The number that change logs add to the numbers of transactions.
    let changeBase: Int64
    let places = PlaceLedger()
    /// The most messages of a deleted channel that one transaction removes.
    let removalStep: Int
    let bounds: StorageBounds
    let remains = Guarded(ChannelRemains())
    private let unreadable = Guarded(0)

    /// Opens a database of the newest schema.
    ///
    /// - Parameters:
    ///   - pool: The sessions; the caller closes them.
    ///   - clockMargin: The most by which the clocks of the servers differ, with the longest commit, in
    ///     milliseconds.
    ///   - removalStep: The most messages of a deleted channel that one transaction removes.
    ///   - bounds: The rows that a call reads at most.
    /// - Throws: An error that names the remedy if the database cannot be reached, was not migrated,
    ///   belongs to a newer version, or comes from a dump.
    package init(
        _ pool: PostgresPool, clockMargin: Int64 = 60_000, removalStep: Int = 10_000,
        bounds: StorageBounds = StorageBounds()
    ) async throws(StorageError) {
        self.pool = pool
        self.clockMargin = clockMargin
        self.removalStep = removalStep
        self.bounds = bounds
        do throws(PostgresError) {
            try await PostgresMigrator(pool).checkIsCurrent()
            try await PostgresRestoration(pool).checkIsDone()
            let server = try await pool.read { db async throws(PostgresError) in
                try await db.first(.server)
            }
            guard server?.isImporting != true else { throw PostgresError.importing }
            changeBase = server?.changeBase ?? 0
        } catch {
            throw Self.failure(error)
        }
    }

    /// Returns the place of the change that a notice shows, if this server made it of late.
    package func place(of notice: Notice) -> LogPlace? {
        notice.subject.flatMap { name in
            notice.isOfThread ? places.takeThread(of: name) : places.place(of: name)
        }
    }

    package var unreadableCount: Int { unreadable.withLock { $0 } }

    /// Returns the values of readable rows, and counts the others.
    func readable<Value>(_ rows: [Readable<Value>]) -> [Value] {
        let values = rows.compactMap(\.value)
        leaveOut(rows.count - values.count)
        return values
    }

    /// Counts unreadable rows.
    func leaveOut(_ count: Int) {
        if count > 0 { unreadable.withLock { $0 += count } }
    }

    /// Runs reads at one state of the database.
    func read<T: Sendable>(
        _ body: @Sendable (PostgresTransaction) async throws(PostgresError) -> T
    ) async throws(StorageError) -> T {
        do throws(PostgresError) {
            return try await pool.read(body)
        } catch {
            throw Self.failure(error)
        }
    }

    /// Runs a transaction that writes; the body may run several times, and takes effect once.
    ///
    /// - Parameters:
    ///   - recognisesItself: Whether the body finds its own effects, or has the same effect again.
    ///   - body: The work.
    /// - Returns: The result of the work.
    /// - Throws: A failure of the database, or of the way to it; the transaction may have taken
    ///   effect only if its message says so.
    @discardableResult
    func write<T: Sendable>(
        recognisesItself: Bool = false,
        _ body: @Sendable (PostgresTransaction) async throws(PostgresError) -> T
    ) async throws(StorageError) -> T {
        do throws(PostgresError) {
            return try await pool.write(recognisesItself: recognisesItself, body)
        } catch {
            throw Self.failure(error)
        }
    }

    static func failure(_ error: PostgresError) -> StorageError {
        StorageError(error.message, underlying: error)
    }

    /// Returns a text of at most 128 bytes that stands for a text of any length, and for no other.
    static func key(_ text: String) -> String {
        // A short text that looks like a hash could stand for the long text as well.
        text.utf8.count <= 128 && text.utf8.first != 2 ? text : "\u{2}" + Digest.sha256(text)
    }

    package func prove() async throws(StorageError) {
        try await write(recognisesItself: true) { db async throws(PostgresError) in
            db.add(.prove)
        }
    }
}

extension PostgresQuery where Output == Void {
    fileprivate static var prove: PostgresQuery {
        PostgresQuery(
            """
            INSERT INTO proof VALUES (1, now()) ON CONFLICT (id) DO UPDATE SET at = excluded.at
            """)
    }
}

extension PostgresQuery where Output == (changeBase: Int64, isImporting: Bool) {
    fileprivate static var server: PostgresQuery {
        PostgresQuery(
            """
            SELECT change_base, EXISTS (SELECT 1 FROM import WHERE finished_at IS NULL) FROM server
            """
        ) { ($0.int64(0), $0.bool(1)) }
    }
}

extension PostgresError {
    fileprivate static let importing = PostgresError(
        .rejected,
        "The import of an embedded server's data into the database has not ended. Run roost import "
            + "again with the same folder; it goes on where it was.")
}
