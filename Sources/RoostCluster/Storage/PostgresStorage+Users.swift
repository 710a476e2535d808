// SPDX-License-Identifier: Apache-2.0

package import RoostModel
import RoostPostgres
package import RoostServer
import RoostWire

/// A user with the number of the row.
struct UserRow: Sendable {
    let id: Int64
    let user: User
    let traits: UserTraits

    var record: UserRecord { UserRecord(user: user, traits: traits) }

    /// Reads the number, the public data and the traits.
    init(_ row: PostgresRow, from start: Int = 0) throws(PostgresError) {
        id = row.int64(start)
        user = try User(row, start + 1)
        traits = UserTraits(json: row.text(start + 2))
    }
}

extension User {
    /// Reads a column with a user's public data.
    init(_ row: PostgresRow, _ column: Int) throws(PostgresError) {
        do throws(WireError) {
            try self.init(stored: row.text(column))
        } catch {
            throw .malformed("a user", because: error.description)
        }
    }
}

extension Readable {
    /// Reads a row; a failure does not reach other rows.
    init(_ read: () throws(PostgresError) -> Value) {
        do throws(PostgresError) {
            self.init(value: try read())
        } catch {
            self.init(value: nil)
        }
    }
}

extension PostgresStorage {
    package func user(_ id: UserID) async throws(StorageError) -> User? {
        try await read { db async throws(PostgresError) in try await db.first(.user(id))?.user }
    }

    package func users(_ ids: [UserID]) async throws(StorageError) -> [User] {
        try await userRecords(ids).map(\.user)
    }

    package func users(after id: UserID?, limit: Int) async throws(StorageError) -> [User] {
        var users: [User] = []
        var last = id ?? UserID("")
        // An unreadable row makes no page short, because a short page is the last.
        while users.count < limit {
            let from = last
            let rows = try await read { db async throws(PostgresError) in
                try await db.all(.usersAfter(from, limit))
            }
            users += readable(rows.map(\.row)).map(\.user)
            guard rows.count == limit, let end = rows.last?.id else { break }
            last = end
        }
        return Array(users.prefix(limit))
    }

    @discardableResult
    package func addUser(_ user: User) async throws(StorageError) -> Bool {
        try await write { db async throws(PostgresError) in
            try await db.first(.addUser(user)) ?? false
        }
    }

    package func userRecord(_ id: UserID) async throws(StorageError) -> UserRecord? {
        try await read { db async throws(PostgresError) in try await db.first(.user(id))?.record }
    }

    package func userRecords(_ ids: [UserID]) async throws(StorageError) -> [UserRecord] {
        let rows = try await read { db async throws(PostgresError) in
            try await db.all(.readableUsers(ids))
        }
        return readable(rows).map(\.record)
    }

    package func updateUser(
        _ id: UserID, _ change: @Sendable (inout UserRecord) -> Void
    ) async throws(StorageError) -> UserRecord? {
        try await write { db async throws(PostgresError) in
            guard let row = try await db.first(.lockedUser(id)) else { return nil }
            let before = row.record
            var record = before
            change(&record)
            db.add(.updateUser(row.id, record))
            if record.traits.blocked != before.traits.blocked {
                db.setBlocks(of: id, record.traits.blocked)
            }
            if record.traits.preferences != before.traits.preferences {
                db.setDevices(of: id, record.traits.devices)
            }
            if !record.user.isActive { db.closeSessions(ofUser: row.id) }
            return record
        }
    }

    package func blockers(
        of id: UserID, after: UserID?, limit: Int
    ) async throws(StorageError) -> [User] {
        let rows = try await read { db async throws(PostgresError) in
            try await db.all(.blockers(of: id, after ?? UserID(""), limit))
        }
        return readable(rows).map(\.user)
    }

    package func noteActivity(
        of ids: [UserID], on day: Int, forgettingBefore first: Int
    ) async throws(StorageError) {
        try await write { db async throws(PostgresError) in
            db.add(PostgresQuery("DELETE FROM activity WHERE day < $1", .int(Int64(first))))
            db.add(.noteActivity(day, ids))
        }
    }

    package func activeUsers(
        from first: Int, through last: Int
    ) async throws(StorageError) -> Int {
        try await read { db async throws(PostgresError) in
            try await db.first(.activeUsers(first, last)) ?? 0
        }
    }

    package func deviceOwners(
        _ kind: String, _ token: String, after id: UserID?, limit: Int
    ) async throws(StorageError) -> [UserID] {
        try await read { db async throws(PostgresError) in
            try await db.all(.deviceOwners(kind, token, id ?? UserID(""), limit))
        }
    }

    package func deleteUser(
        _ id: UserID, now: Timestamp
    ) async throws(StorageError) -> [ChannelURL]? {
        try await write { db async throws(PostgresError) in
            guard let user = try await db.first(.endingUser(id)) else { return nil }
            let places = try await db.all(.lockedChannels(ofUser: user.id))
            db.add(.leaveAll(user.id, places.map(\.0), now))
            db.add(.touchAll(places.map(\.0), now))
            db.add(
                PostgresQuery(
                    "UPDATE member SET role = 'none' WHERE user_id = $1 AND role <> 'none'",
                    .int(user.id)))
            db.add(.removeDocuments(of: id))
            db.add(PostgresQuery("DELETE FROM session WHERE user_id = $1", .int(user.id)))
            db.add(PostgresQuery("DELETE FROM token WHERE user_id = $1", .int(user.id)))
            db.setBlocks(of: id, [])
            db.setDevices(of: id, [:])
            db.add(.buryUser(user.id, now))
            return places.map(\.1).sorted()
        }
    }
}

extension PostgresTransaction {
    func setBlocks(of id: UserID, _ blocked: [UserID]) {
        add(PostgresQuery("DELETE FROM block WHERE blocker = $1", .text(id.rawValue)))
        guard !blocked.isEmpty else { return }
        add(
            PostgresQuery(
                """
                INSERT INTO block (blocked, blocker) SELECT other, $1 FROM unnest($2::text[]) AS other
                ON CONFLICT DO NOTHING
                """, .text(id.rawValue), .texts(blocked.map(\.rawValue))))
    }

    /// Replaces the copy of a user's devices.
    func setDevices(of id: UserID, _ devices: [String: [String]]) {
        add(PostgresQuery("DELETE FROM device WHERE user_id = $1", .text(id.rawValue)))
        let pairs = devices.flatMap { kind, tokens in
            tokens.map { (kind, PostgresStorage.key($0)) }
        }
        guard !pairs.isEmpty else { return }
        add(
            PostgresQuery(
                """
                INSERT INTO device (kind, token, user_id)
                SELECT kind, token, $1 FROM unnest($2::text[], $3::text[]) AS new (kind, token)
                ON CONFLICT DO NOTHING
                """, .text(id.rawValue), .texts(pairs.map(\.0)), .texts(pairs.map(\.1))))
    }

    /// Ends all sessions of a user and all tokens that have an end.
    func closeSessions(ofUser row: Int64) {
        add(PostgresQuery("DELETE FROM session WHERE user_id = $1", .int(row)))
        add(
            PostgresQuery(
                "DELETE FROM token WHERE user_id = $1 AND expires_at IS NOT NULL", .int(row)))
    }
}

extension PostgresQuery where Output == UserRow {
    static func user(_ id: UserID) -> PostgresQuery {
        PostgresQuery(
            "SELECT id, body, traits FROM users WHERE user_id = $1 AND deleted_at IS NULL",
            .text(id.rawValue)
        ) { row throws(PostgresError) in try UserRow(row) }
    }

    /// A user whose row stays as it is until the end of the transaction.
    static func lockedUser(_ id: UserID) -> PostgresQuery {
        PostgresQuery(
            """
            SELECT id, body, traits FROM users WHERE user_id = $1 AND deleted_at IS NULL
            FOR NO KEY UPDATE
            """, .text(id.rawValue)
        ) { row throws(PostgresError) in try UserRow(row) }
    }
}

extension PostgresQuery where Output == UserRow {
    /// A user whom no call lets into a channel until the end of the transaction.
    fileprivate static func endingUser(_ id: UserID) -> PostgresQuery {
        PostgresQuery(
            """
            SELECT id, body, traits FROM users WHERE user_id = $1 AND deleted_at IS NULL FOR UPDATE
            """, .text(id.rawValue)
        ) { row throws(PostgresError) in try UserRow(row) }
    }
}

extension PostgresQuery where Output == Readable<UserRow> {
    /// The existing users among IDs, in the order of the IDs.
    static func readableUsers(_ ids: [UserID]) -> PostgresQuery {
        PostgresQuery(
            """
            SELECT u.id, u.body, u.traits
            FROM unnest($1::text[]) WITH ORDINALITY AS wanted (user_id, place)
            JOIN users AS u ON u.user_id = wanted.user_id COLLATE "C" AND u.deleted_at IS NULL
            ORDER BY wanted.place
            """, .texts(ids.map(\.rawValue))
        ) { row in Readable { () throws(PostgresError) in try UserRow(row) } }
    }

    static func blockers(of id: UserID, _ after: UserID, _ limit: Int) -> PostgresQuery {
        PostgresQuery(
            """
            SELECT u.id, u.body, u.traits FROM block AS b JOIN users AS u ON u.user_id = b.blocker
            WHERE b.blocked = $1 AND b.blocker > $2 ORDER BY b.blocker LIMIT $3
            """, .text(id.rawValue), .text(after.rawValue), .int(Int64(limit))
        ) { row in Readable { () throws(PostgresError) in try UserRow(row) } }
    }
}

extension PostgresQuery where Output == (id: UserID, row: Readable<UserRow>) {
    static func usersAfter(_ id: UserID, _ limit: Int) -> PostgresQuery {
        PostgresQuery(
            """
            SELECT id, body, traits, user_id FROM users WHERE user_id > $1 AND deleted_at IS NULL
            ORDER BY user_id LIMIT $2
            """, .text(id.rawValue), .int(Int64(limit))
        ) { row in
            (UserID(row.text(3)), Readable { () throws(PostgresError) in try UserRow(row) })
        }
    }
}

extension PostgresQuery where Output == UserID {
    static func deviceOwners(
        _ kind: String, _ token: String, _ after: UserID, _ limit: Int
    ) -> PostgresQuery {
        PostgresQuery(
            """
            SELECT user_id FROM device WHERE kind = $1 AND token = $2 AND user_id > $3
            ORDER BY user_id LIMIT $4
            """, .text(kind), .text(PostgresStorage.key(token)), .text(after.rawValue),
            .int(Int64(limit))
        ) { UserID($0.text(0)) }
    }
}

extension PostgresQuery where Output == Int {
    fileprivate static func activeUsers(_ first: Int, _ last: Int) -> PostgresQuery {
        PostgresQuery(
            "SELECT count(DISTINCT user_id) FROM activity WHERE day BETWEEN $1 AND $2",
            .int(Int64(first)), .int(Int64(last))
        ) { Int($0.int64(0)) }
    }
}

extension PostgresQuery where Output == (Int64, ChannelURL) {
    /// The channels of a user, locked in the order of their numbers.
    static func lockedChannels(ofUser user: Int64) -> PostgresQuery {
        PostgresQuery(
            """
            SELECT c.id, c.url FROM member AS m JOIN channel AS c ON c.id = m.channel
            WHERE m.user_id = $1 AND m.state <> 'none' ORDER BY c.id FOR NO KEY UPDATE OF c
            """, .int(user)
        ) { ($0.int64(0), ChannelURL($0.text(1))) }
    }
}

extension PostgresQuery where Output == Bool {
    /// Answers only if the user was created.
    fileprivate static func addUser(_ user: User) -> PostgresQuery {
        PostgresQuery(
            """
            INSERT INTO users (user_id, body) VALUES ($1, $2)
            ON CONFLICT (user_id) DO UPDATE SET body = excluded.body, deleted_at = NULL
                WHERE users.deleted_at IS NOT NULL
            RETURNING true
            """, .text(user.id.rawValue), .text(user.storedBody)
        ) { $0.bool(0) }
    }
}

extension PostgresQuery where Output == Void {
    fileprivate static func updateUser(_ id: Int64, _ record: UserRecord) -> PostgresQuery {
        PostgresQuery(
            "UPDATE users SET body = $2, traits = $3 WHERE id = $1", .int(id),
            .text(record.user.storedBody), .text(record.traits.json))
    }

    /// Marks a user as deleted and keeps the name for old messages.
    fileprivate static func buryUser(_ id: Int64, _ now: Timestamp) -> PostgresQuery {
        PostgresQuery(
            "UPDATE users SET deleted_at = $2, traits = '{}' WHERE id = $1", .int(id),
            .int(now.milliseconds))
    }

    fileprivate static func noteActivity(_ day: Int, _ ids: [UserID]) -> PostgresQuery {
        PostgresQuery(
            """
            INSERT INTO activity (day, user_id)
            SELECT $1, id FROM users WHERE user_id = ANY ($2::text[]) AND deleted_at IS NULL
            ON CONFLICT DO NOTHING
            """, .int(Int64(day)), .texts(ids.map(\.rawValue)))
    }

    fileprivate static func leaveAll(
        _ user: Int64, _ channels: [Int64], _ now: Timestamp
    ) -> PostgresQuery {
        PostgresQuery(
            """
            UPDATE member AS m SET state = 'none', role = 'none', change = pg_current_xact_id(),
                changed_at = greatest(c.changed_at, $3)
            FROM channel AS c
            WHERE m.user_id = $1 AND m.channel = ANY ($2::bigint[]) AND c.id = m.channel
            """, .int(user), .ints(channels), .int(now.milliseconds))
    }

    /// Records a change of channels that every member can see; their rows are locked.
    static func touchAll(_ channels: [Int64], _ now: Timestamp) -> PostgresQuery {
        PostgresQuery(
            """
            UPDATE channel SET change = pg_current_xact_id(),
                view_change = pg_current_xact_id(), changed_at = greatest(changed_at, $2)
            WHERE id = ANY ($1::bigint[])
            """, .ints(channels), .int(now.milliseconds))
    }
}
