// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostSQLite

extension Query where Input == Int64, Output == UserTraits {
    static var userTraits: Query {
        Query(
            sql: "SELECT traits FROM user WHERE id = ?1",
            bind: { id, bindings in bindings.append(id) },
            decode: { row in UserTraits(json: row.text(0)) })
    }
}

extension Query where Input == (id: Int64, record: UserRecord), Output == Void {
    static var updateUser: Query {
        Query(
            sql: "UPDATE user SET body = ?2, traits = ?3 WHERE id = ?1",
            bind: { input, bindings in
                bindings.append(input.id)
                bindings.append(input.record.user.storedBody)
                bindings.append(input.record.traits.json)
            })
    }
}

extension Query where Input == Int64, Output == (Int64, ChannelURL) {
    static var channelsOfUser: Query {
        Query(
            sql: """
                SELECT c.id, c.url FROM member AS m JOIN channel AS c ON c.id = m.channel
                WHERE m.user = ?1 AND m.state <> 'none' ORDER BY c.url
                """,
            bind: { id, bindings in bindings.append(id) },
            decode: { row in (row.int64(0), ChannelURL(row.text(1))) })
    }
}

extension Query where Input == Int64, Output == Void {
    static var closeSessions: Query {
        Query(
            sql: "DELETE FROM session WHERE user = ?1",
            bind: { id, bindings in bindings.append(id) })
    }
}

extension Query where Input == (id: Int64, at: Timestamp), Output == Void {
    /// Marks a user as deleted and keeps the name for old messages; a new user of the ID starts
    /// without data.
    static var buryUser: Query {
        Query(
            sql: "UPDATE user SET deleted_at = ?2, traits = '{}' WHERE id = ?1",
            bind: { input, bindings in
                bindings.append(input.id)
                bindings.append(input.at.milliseconds)
            })
    }
}

extension Query
where Input == (id: UserID, after: UserID, limit: Int), Output == Readable<UserRow> {
    static var blockers: Query {
        Query(
            sql: """
                SELECT u.id, u.body FROM block AS b
                CROSS JOIN user AS u ON u.user_id = b.blocker
                WHERE b.blocked = ?1 AND b.blocker > ?2 ORDER BY b.blocker LIMIT ?3
                """,
            bind: { input, bindings in
                bindings.append(input.id.rawValue)
                bindings.append(input.after.rawValue)
                bindings.append(input.limit)
            },
            decode: { row in
                Readable { () throws(SQLiteError) in
                    try UserRow(id: row.int64(0), body: row.text(1))
                }
            })
    }
}

extension Query where Input == UserID, Output == Void {
    fileprivate static var forgetBlocks: Query {
        Query(
            sql: "DELETE FROM block WHERE blocker = ?1",
            bind: { id, bindings in bindings.append(id.rawValue) })
    }
}

extension Query where Input == (blocker: UserID, blocked: UserID), Output == Void {
    fileprivate static var addBlock: Query {
        Query(
            sql: "INSERT OR IGNORE INTO block (blocked, blocker) VALUES (?2, ?1)",
            bind: { input, bindings in
                bindings.append(input.blocker.rawValue)
                bindings.append(input.blocked.rawValue)
            })
    }
}

extension Connection {
    func setBlocks(of id: UserID, _ blocked: [UserID]) throws(SQLiteError) {
        try execute(.forgetBlocks, id)
        for other in blocked { try execute(.addBlock, (id, other)) }
    }
}

// MARK: - Activity

extension Query where Input == (day: Int, user: UserID), Output == Void {
    static var noteActivity: Query {
        Query(
            sql: """
                INSERT OR IGNORE INTO activity (day, user)
                SELECT ?1, id FROM user WHERE user_id = ?2 AND deleted_at IS NULL
                """,
            bind: { input, bindings in
                bindings.append(input.day)
                bindings.append(input.user.rawValue)
            })
    }
}

extension Query where Input == Int, Output == Void {
    static var forgetActivity: Query {
        Query(
            sql: "DELETE FROM activity WHERE day < ?1",
            bind: { day, bindings in bindings.append(day) })
    }
}

extension Query where Input == (first: Int, last: Int), Output == Int {
    static var activeUsers: Query {
        Query(
            sql: "SELECT count(DISTINCT user) FROM activity WHERE day BETWEEN ?1 AND ?2",
            bind: { input, bindings in
                bindings.append(input.first)
                bindings.append(input.last)
            },
            decode: { row in Int(row.int64(0)) })
    }
}

// MARK: - Devices

extension Query
where Input == (kind: String, token: String, after: UserID, limit: Int), Output == UserID {
    static var deviceOwners: Query {
        Query(
            sql: """
                SELECT user_id FROM device WHERE kind = ?1 AND token = ?2 AND user_id > ?3
                ORDER BY user_id LIMIT ?4
                """,
            bind: { input, bindings in
                bindings.append(input.kind)
                bindings.append(input.token)
                bindings.append(input.after.rawValue)
                bindings.append(input.limit)
            },
            decode: { row in UserID(row.text(0)) })
    }
}

extension Query where Input == UserID, Output == Void {
    fileprivate static var clearDevices: Query {
        Query(
            sql: "DELETE FROM device WHERE user_id = ?1",
            bind: { id, bindings in bindings.append(id.rawValue) })
    }
}

extension Query where Input == (user: UserID, kind: String, token: String), Output == Void {
    fileprivate static var addDevice: Query {
        Query(
            sql: "INSERT OR IGNORE INTO device (kind, token, user_id) VALUES (?2, ?3, ?1)",
            bind: { input, bindings in
                bindings.append(input.user.rawValue)
                bindings.append(input.kind)
                bindings.append(input.token)
            })
    }
}

extension Connection {
    /// Replaces the copy of a user's devices.
    func setDevices(of id: UserID, _ devices: [String: [String]]) throws(SQLiteError) {
        try execute(.clearDevices, id)
        for (kind, tokens) in devices {
            for token in tokens { try execute(.addDevice, (id, kind, token)) }
        }
    }
}
