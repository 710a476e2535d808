// SPDX-License-Identifier: Apache-2.0

package import RoostExecutors
package import RoostModel
package import RoostSQLite
import RoostWire

/// A storage in one SQLite database; each call is one transaction on the actor's own thread.
package actor SQLiteStorage: Storage {
    private nonisolated let executor: any SerialExecutor
    private let connection: Connection
    /// The pages of the write-ahead log that start a checkpoint.
    private let logLimit: Int
    /// The pages that start the next checkpoint; more after a reader has outlasted the wait.
    private var nextEmptying: Int
    let bounds: StorageBounds
    private nonisolated let unreadable = Guarded(0)

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        // SAFETY: the actor keeps its executor.
        unsafe executor.asUnownedSerialExecutor()
    }

    /// Opens or creates the database and migrates it to the newest schema.
    ///
    /// - Parameters:
    ///   - location: The file, or memory.
    ///   - durability: The faults that an acknowledged message survives.
    ///   - logLimit: The pages of 4 KiB of the write-ahead log while readers overlap.
    ///   - bounds: The rows that a call reads at most.
    ///   - executor: The thread of every call; SQLite blocks, so it must not be the shared pool.
    /// - Throws: An error if the file cannot be opened, is another database, or belongs to a newer
    ///   release.
    package init(
        _ location: DatabaseLocation, durability: ConnectionOptions.Durability = .powerLoss,
        logLimit: Int = 8_000, bounds: StorageBounds = StorageBounds(),
        on executor: ThreadExecutor
    ) async throws(StorageError) {
        self.executor = executor
        self.logLimit = logLimit
        self.bounds = bounds
        nextEmptying = logLimit
        do {
            var options = ConnectionOptions()
            options.durability = durability
            options.applicationID = SQLiteSchema.applicationID
            connection = try Connection(location, options)
            try SQLiteSchema.migrator.migrate(connection)
        } catch {
            throw StorageError(
                "The server's database could not be opened; check its folder, rights and space.",
                underlying: error)
        }
    }

    /// Runs a transaction that writes.
    @discardableResult
    func write<T>(
        _ body: (Connection) throws(SQLiteError) -> T
    ) throws(StorageError) -> T {
        do throws(SQLiteError) {
            defer { boundLog() }
            return try connection.transaction { () throws(SQLiteError) in try body(connection) }
        } catch {
            throw Self.failure(error)
        }
    }

    /// Truncates the write-ahead log after overlapping readers, such as a backup, kept it from
    /// restarting.
    private func boundLog() {
        let pages = connection.logPages
        guard pages >= nextEmptying else {
            if pages < logLimit { nextEmptying = logLimit }
            return
        }
        // After a failure the log keeps its content, and the next wait for the reader comes later.
        let isEmpty = (try? connection.emptyLog(patienceMS: 50)) ?? false
        nextEmptying = isEmpty ? logLimit : pages + logLimit
    }

    /// Runs a read at one state of the database.
    func read<T>(
        _ body: (Connection) throws(SQLiteError) -> T
    ) throws(StorageError) -> T {
        do throws(SQLiteError) {
            return try connection.snapshot { () throws(SQLiteError) in try body(connection) }
        } catch {
            throw Self.failure(error)
        }
    }

    package nonisolated var unreadableCount: Int { unreadable.withLock { $0 } }

    /// Returns the values of readable rows, and counts the others.
    func readable<Value>(_ rows: [Readable<Value>]) -> [Value] {
        let values = rows.compactMap(\.value)
        leaveOut(rows.count - values.count)
        return values
    }

    /// Counts unreadable rows.
    nonisolated func leaveOut(_ count: Int) { unreadable.withLock { $0 += count } }

    static func failure(_ error: SQLiteError) -> StorageError {
        StorageError(
            "The server's database refused a call; check the disk's space and health.",
            underlying: error)
    }
}

extension SQLiteStorage {
    package func prove() throws(StorageError) {
        try write { db throws(SQLiteError) in try db.rewriteHeader() }
    }
}

// MARK: - Users

extension SQLiteStorage {
    package func user(_ id: UserID) throws(StorageError) -> User? {
        try read { db throws(SQLiteError) in try db.first(.user, id)?.user }
    }

    package func users(_ ids: [UserID]) throws(StorageError) -> [User] {
        try read { db throws(SQLiteError) in
            var rows: [Readable<UserRow>] = []
            for id in ids {
                if let row = try db.first(.readableUser, id) { rows.append(row) }
            }
            return readable(rows).map(\.user)
        }
    }

    package func users(after id: UserID?, limit: Int) throws(StorageError) -> [User] {
        try read { db throws(SQLiteError) in
            var users: [User] = []
            var last = id ?? UserID("")
            // An unreadable row makes no page short, because a short page is the last.
            while users.count < limit {
                let rows = try db.all(.usersAfter, (last, limit))
                users += readable(rows.map(\.row)).map(\.user)
                guard rows.count == limit, let end = rows.last?.id else { break }
                last = end
            }
            return Array(users.prefix(limit))
        }
    }

    @discardableResult
    package func addUser(_ user: User) throws(StorageError) -> Bool {
        try write { db throws(SQLiteError) in try db.execute(.addUser, user) > 0 }
    }

    package func userRecord(_ id: UserID) throws(StorageError) -> UserRecord? {
        try read { db throws(SQLiteError) in try db.record(id)?.1 }
    }

    package func userRecords(_ ids: [UserID]) throws(StorageError) -> [UserRecord] {
        try read { db throws(SQLiteError) in
            var rows: [Readable<UserRecord>] = []
            for id in ids {
                guard let row = try db.first(.readableUser, id) else { continue }
                guard let user = row.value else {
                    rows.append(Readable(value: nil))
                    continue
                }
                let traits = try db.first(.userTraits, user.id) ?? UserTraits()
                rows.append(Readable(value: UserRecord(user: user.user, traits: traits)))
            }
            return readable(rows)
        }
    }

    package func updateUser(
        _ id: UserID, _ change: @Sendable (inout UserRecord) -> Void
    ) throws(StorageError) -> UserRecord? {
        try write { db throws(SQLiteError) in
            guard let (row, before) = try db.record(id) else { return nil }
            var record = before
            change(&record)
            try db.execute(.updateUser, (row, record))
            if record.traits.blocked != before.traits.blocked {
                try db.setBlocks(of: id, record.traits.blocked)
            }
            if record.traits.preferences != before.traits.preferences {
                try db.setDevices(of: id, record.traits.devices)
            }
            if !record.user.isActive { try db.closeSessions(ofUser: row) }
            return record
        }
    }

    package func blockers(
        of id: UserID, after: UserID?, limit: Int
    ) throws(StorageError) -> [User] {
        try read { db throws(SQLiteError) in
            readable(try db.all(.blockers, (id, after ?? UserID(""), limit))).map(\.user)
        }
    }

    package func deviceOwners(
        _ kind: String, _ token: String, after id: UserID?, limit: Int
    ) throws(StorageError) -> [UserID] {
        try read { db throws(SQLiteError) in
            try db.all(.deviceOwners, (kind, token, id ?? UserID(""), limit))
        }
    }

    package func noteActivity(
        of ids: [UserID], on day: Int, forgettingBefore first: Int
    ) throws(StorageError) {
        try write { db throws(SQLiteError) in
            try db.execute(.forgetActivity, first)
            for id in ids { try db.execute(.noteActivity, (day, id)) }
        }
    }

    package func activeUsers(from first: Int, through last: Int) throws(StorageError) -> Int {
        try read { db throws(SQLiteError) in try db.first(.activeUsers, (first, last)) ?? 0 }
    }

    package func deleteUser(
        _ id: UserID, now: Timestamp
    ) throws(StorageError) -> [ChannelURL]? {
        try write { db throws(SQLiteError) in
            guard let user = try db.first(.user, id) else { return nil }
            let places = try db.all(.channelsOfUser, user.id)
            for (channel, _) in places {
                let change = try db.nextChange(now)
                try db.execute(.removeMember, (channel, user.id, change))
                try db.touch(channel, change)
            }
            try db.execute(.endRoles, user.id)
            try db.execute(.removeDocumentsOfUser, id)
            try db.execute(.closeSessions, user.id)
            try db.execute(.deleteTokens, user.id)
            try db.setBlocks(of: id, [])
            try db.setDevices(of: id, [:])
            try db.execute(.buryUser, (user.id, now))
            return places.map(\.1)
        }
    }
}

extension Connection {
    fileprivate func record(_ id: UserID) throws(SQLiteError) -> (Int64, UserRecord)? {
        guard let row = try first(.user, id) else { return nil }
        let traits = try first(.userTraits, row.id) ?? UserTraits()
        return (row.id, UserRecord(user: row.user, traits: traits))
    }
}

/// A user with the number of the row.
struct UserRow: Sendable {
    let id: Int64
    let user: User

    init(id: Int64, body: String) throws(SQLiteError) {
        self.id = id
        do throws(WireError) {
            user = try User(stored: body)
        } catch {
            throw .malformed("user \(id)", because: error.description)
        }
    }
}

extension Readable {
    /// Reads a row; a failure does not reach other rows.
    init(_ read: () throws(SQLiteError) -> Value) {
        do throws(SQLiteError) {
            self.init(value: try read())
        } catch {
            self.init(value: nil)
        }
    }
}

extension Query where Input == UserID, Output == UserRow {
    static var user: Query {
        Query(
            sql: "SELECT id, body FROM user WHERE user_id = ?1 AND deleted_at IS NULL",
            bind: { id, bindings in bindings.append(id.rawValue) },
            decode: { row throws(SQLiteError) in
                try UserRow(id: row.int64(0), body: row.text(1))
            })
    }
}

extension Query where Input == UserID, Output == Readable<UserRow> {
    fileprivate static var readableUser: Query {
        Query(
            sql: "SELECT id, body FROM user WHERE user_id = ?1 AND deleted_at IS NULL",
            bind: { id, bindings in bindings.append(id.rawValue) },
            decode: { row in
                Readable { () throws(SQLiteError) in
                    try UserRow(id: row.int64(0), body: row.text(1))
                }
            })
    }
}

extension Query
where
    Input == (after: UserID, limit: Int), Output == (id: UserID, row: Readable<UserRow>)
{
    fileprivate static var usersAfter: Query {
        Query(
            sql: """
                SELECT id, body, user_id FROM user WHERE user_id > ?1 AND deleted_at IS NULL
                ORDER BY user_id LIMIT ?2
                """,
            bind: { input, bindings in
                bindings.append(input.after.rawValue)
                bindings.append(input.limit)
            },
            decode: { row in
                let read = Readable { () throws(SQLiteError) in
                    try UserRow(id: row.int64(0), body: row.text(1))
                }
                return (UserID(row.text(2)), read)
            })
    }
}

extension Query where Input == User, Output == Void {
    fileprivate static var addUser: Query {
        Query(
            sql: """
                INSERT INTO user (user_id, body) VALUES (?1, ?2)
                ON CONFLICT (user_id) DO UPDATE SET body = excluded.body, deleted_at = NULL
                WHERE deleted_at IS NOT NULL
                """,
            bind: { user, bindings in
                bindings.append(user.id.rawValue)
                bindings.append(user.storedBody)
            })
    }
}
