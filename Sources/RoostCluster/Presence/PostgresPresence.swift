// SPDX-License-Identifier: Apache-2.0

internal import RoostExecutors
package import RoostModel
internal import RoostPostgres
package import RoostServer

/// The presence of users at the servers of a database: unlogged rows under a lease for each server.
///
/// A row is written when a user gets the first socket, and removed with the last one. The lease keeps
/// the rows alive, so an idle server writes one row every five seconds. After a promotion the tables
/// are empty, which the next renewal notices, and each server writes all of its rows again.
///
/// Nothing here has a timer: the owner calls `flush` about four times a second.
package final class PostgresPresence: PeerPresence {
    /// The time for which a server counts as alive without a renewal.
    static let lease: Duration = .seconds(15)
    private static let renewal: Duration = .seconds(5)
    /// The age up to which a count serves again.
    ///
    /// After a failure thousands of people enter a room again, and each entry tells the count.
    private static let countAge: Duration = .milliseconds(300)
    private static let countLimit = 1_000

    private struct State {
        /// The places with sockets at this server.
        var taken: Set<PresencePlace> = []
        /// The places whose rows may differ from `taken`.
        var changed: Set<PresencePlace> = []
        var lastRenewal: ContinuousClock.Instant?
        /// Whether the server ends; nothing is written after that.
        var hasLeft = false
        /// The counts of users elsewhere, with the moments of the answers.
        var counts: [ChannelURL: (count: Int, at: ContinuousClock.Instant)] = [:]
    }

    private let storage: PostgresStorage
    private let host: Int64
    private let name: String
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state = Guarded(State())

    /// Makes the presence of one server.
    ///
    /// - Parameters:
    ///   - storage: The database.
    ///   - host: A random number, another one at each start.
    ///   - name: The name for operators.
    ///   - now: A clock that neither jumps nor goes back.
    package init(
        _ storage: PostgresStorage, host: HostID, name: String,
        now: @escaping @Sendable () -> ContinuousClock.Instant
    ) {
        self.storage = storage
        self.host = Int64(bitPattern: host.rawValue)
        self.name = name
        self.now = now
    }

    // MARK: This server

    package func note(_ place: PresencePlace, isTaken: Bool) {
        state.withLock { state in
            if isTaken { state.taken.insert(place) } else { state.taken.remove(place) }
            state.changed.insert(place)
        }
    }

    /// Writes what has changed since the last call, and renews the lease if it is due.
    ///
    /// - Returns: The number of servers that are alive, this one included; nil if no lease was due.
    /// - Throws: An error after which the next call writes the same again.
    @discardableResult
    package func flush() async throws(StorageError) -> Int? {
        let now = now()
        let (changed, taken, isDue) = state.withLock { state in
            defer { state.changed = [] }
            guard !state.hasLeft else { return (Set<PresencePlace>(), Set<PresencePlace>(), false) }
            let isDue = state.lastRenewal.map { $0.duration(to: now) >= Self.renewal } ?? true
            return (state.changed, state.taken, isDue)
        }
        guard isDue || !changed.isEmpty else { return nil }
        do throws(StorageError) {
            let alive = try await write(changed, of: taken, isDue: isDue)
            // Any write renews the lease. Only the regular one removes the rows of dead servers.
            if isDue { state.withLock { $0.lastRenewal = now } }
            return alive
        } catch {
            state.withLock { $0.changed.formUnion(changed) }
            throw error
        }
    }

    private func write(
        _ changed: Set<PresencePlace>, of taken: Set<PresencePlace>, isDue: Bool
    ) async throws(StorageError) -> Int? {
        let (host, name, state) = (host, name, state)
        return try await storage.write(recognisesItself: true) { db async throws(PostgresError) in
            if try await db.first(.renewHost(host)) != nil {
                db.add(.removePresence(of: host, changed.subtracting(taken)))
                db.add(.addPresence(of: host, changed.intersection(taken)))
            } else {
                // The server may have left since the flush began; its rows would count for 15 s.
                guard !state.withLock({ $0.hasLeft }) else { return nil }
                db.add(.addHost(host, name))
                db.add(.removePresence(of: host))
                db.add(.addPresence(of: host, taken))
            }
            guard isDue else { return nil }
            db.add(.removeDeadHosts)
            return try await db.first(.livingHosts).map { Int(clamping: $0) }
        }
    }

    /// Removes the rows of this server, before it ends.
    package func leave() async {
        let hasRows = state.withLock { state in
            (state.taken, state.changed, state.hasLeft) = ([], [], true)
            return state.lastRenewal != nil
        }
        guard hasRows else { return }
        // The lease ends by itself if the database is away.
        let host = host
        _ = try? await storage.write(recognisesItself: true) { db async throws(PostgresError) in
            // The server's row first: this waits for a flush under way, whose rows are removed then.
            db.add(.removeHost(host))
            db.add(.removePresence(of: host))
        }
    }

    // MARK: The others

    package func isTaken(_ place: PresencePlace) async -> Bool {
        await ask(.isTaken(place, but: host))?.first ?? false
    }

    package func online(among ids: [UserID]) async -> Set<UserID> {
        Set(await ask(.online(among: ids, but: host)) ?? [])
    }

    package func participants(of url: ChannelURL) async -> [UserID] {
        await ask(.participants(of: url, but: host)) ?? []
    }

    package func counts(in urls: [ChannelURL]) async -> [ChannelURL: Int] {
        let now = now()
        var counts: [ChannelURL: Int] = [:]
        let unknown = state.withLock { state in
            urls.filter { url in
                guard let known = state.counts[url], known.at.duration(to: now) < Self.countAge
                else { return true }
                counts[url] = known.count
                return false
            }
        }
        guard !unknown.isEmpty,
            let rows = await ask(.participantCounts(in: unknown, but: host))
        else { return counts }
        let found = Dictionary(rows, uniquingKeysWith: max)
        state.withLock { state in
            if state.counts.count + unknown.count > Self.countLimit { state.counts = [:] }
            for url in unknown { state.counts[url] = (found[url, default: 0], now) }
        }
        return counts.merging(found) { $1 }
    }

    /// Asks the database; nil while it is away, when nobody is known to be elsewhere.
    private func ask<Row: Sendable>(_ query: PostgresQuery<Row>) async -> [Row]? {
        try? await storage.read { db async throws(PostgresError) in try await db.all(query) }
    }
}

extension PostgresQuery where Output == Void {
    fileprivate static func addHost(_ host: Int64, _ name: String) -> PostgresQuery {
        PostgresQuery(
            """
            INSERT INTO host VALUES ($1, $2, now() + interval '15 s')
            ON CONFLICT (id) DO UPDATE SET alive_until = excluded.alive_until
            """, .int(host), .text(name))
    }

    fileprivate static func removeHost(_ host: Int64) -> PostgresQuery {
        PostgresQuery("DELETE FROM host WHERE id = $1", .int(host))
    }

    fileprivate static func removePresence(of host: Int64) -> PostgresQuery {
        PostgresQuery("DELETE FROM presence WHERE host = $1", .int(host))
    }

    fileprivate static func removePresence(
        of host: Int64, _ places: Set<PresencePlace>
    ) -> PostgresQuery {
        let list = Array(places)
        return PostgresQuery(
            """
            DELETE FROM presence p USING unnest($2::text[], $3::text[]) AS gone (user_id, room)
            WHERE p.host = $1 AND p.user_id = gone.user_id AND p.room = gone.room
            """, .int(host), .texts(list.map(\.user.rawValue)), .texts(list.map(\.roomText)))
    }

    fileprivate static func addPresence(
        of host: Int64, _ places: Set<PresencePlace>
    ) -> PostgresQuery {
        let list = Array(places)
        return PostgresQuery(
            """
            INSERT INTO presence SELECT $1, * FROM unnest($2::text[], $3::text[])
            ON CONFLICT DO NOTHING
            """, .int(host), .texts(list.map(\.user.rawValue)), .texts(list.map(\.roomText)))
    }

    /// A server that was frozen for so long writes all of its rows again.
    fileprivate static var removeDeadHosts: PostgresQuery {
        PostgresQuery(
            """
            WITH dead AS (
                DELETE FROM host WHERE id IN (
                    SELECT id FROM host WHERE alive_until < now() - interval '60 s'
                    FOR UPDATE SKIP LOCKED)
                RETURNING id)
            DELETE FROM presence WHERE host IN (SELECT id FROM dead)
            """)
    }
}

extension PostgresQuery where Output == Int64 {
    fileprivate static var livingHosts: PostgresQuery {
        PostgresQuery("SELECT count(*) FROM host WHERE alive_until > now()") { $0.int64(0) }
    }

    fileprivate static func renewHost(_ host: Int64) -> PostgresQuery {
        PostgresQuery(
            "UPDATE host SET alive_until = now() + interval '15 s' WHERE id = $1 RETURNING id",
            .int(host)
        ) { $0.int64(0) }
    }
}

extension PostgresQuery where Output == Bool {
    fileprivate static func isTaken(_ place: PresencePlace, but host: Int64) -> PostgresQuery {
        PostgresQuery(
            """
            SELECT EXISTS (
                SELECT 1 FROM presence p JOIN host h ON h.id = p.host
                WHERE p.user_id = $1 AND p.room = $2 AND p.host <> $3 AND h.alive_until > now())
            """, .text(place.user.rawValue), .text(place.roomText), .int(host)
        ) { $0.bool(0) }
    }
}

extension PostgresQuery where Output == UserID {
    fileprivate static func online(among ids: [UserID], but host: Int64) -> PostgresQuery {
        PostgresQuery(
            """
            SELECT DISTINCT p.user_id FROM presence p JOIN host h ON h.id = p.host
            WHERE p.user_id = ANY ($1::text[]) AND p.room = '' AND p.host <> $2
                AND h.alive_until > now()
            """, .texts(ids.map(\.rawValue)), .int(host)
        ) { UserID($0.text(0)) }
    }

    fileprivate static func participants(
        of url: ChannelURL, but host: Int64
    ) -> PostgresQuery {
        PostgresQuery(
            """
            SELECT DISTINCT p.user_id FROM presence p JOIN host h ON h.id = p.host
            WHERE p.room = $1 AND p.room <> '' AND p.host <> $2 AND h.alive_until > now()
            ORDER BY p.user_id LIMIT 20000
            """, .text(url.rawValue), .int(host)
        ) { UserID($0.text(0)) }
    }
}

extension PostgresQuery where Output == (ChannelURL, Int) {
    /// The users who are at this server too are in its own count.
    ///
    /// The index of rooms needs the condition that a room has a name.
    fileprivate static func participantCounts(
        in urls: [ChannelURL], but host: Int64
    ) -> PostgresQuery {
        PostgresQuery(
            """
            SELECT p.room, count(DISTINCT p.user_id) FROM presence p JOIN host h ON h.id = p.host
            LEFT JOIN LATERAL (
                SELECT true AS is_here FROM presence
                WHERE host = $2 AND user_id = p.user_id AND room = p.room LIMIT 1) AS own ON true
            WHERE p.room = ANY ($1::text[]) AND p.room <> '' AND p.host <> $2
                AND h.alive_until > now() AND own.is_here IS NULL
            GROUP BY p.room
            """, .texts(urls.map(\.rawValue)), .int(host)
        ) { (ChannelURL($0.text(0)), Int(clamping: $0.int64(1))) }
    }
}

extension PresencePlace {
    /// The room as a text; no open channel has an empty URL.
    fileprivate var roomText: String { room?.rawValue ?? "" }
}
