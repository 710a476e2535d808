// SPDX-License-Identifier: Apache-2.0

package import RoostModel
import RoostSQLite

extension SQLiteStorage {
    package func token(_ number: Int64?, of id: UserID) throws(StorageError) -> UserToken {
        try read { db throws(SQLiteError) in
            guard let (user, isNeeded) = try db.first(.tokenNeed, id) else { return UserToken() }
            let record =
                if let number {
                    try db.first(.token, (number, user))
                } else {
                    try db.first(.lastingToken, user)
                }
            return UserToken(isNeeded: isNeeded, record: record)
        }
    }

    package func addToken(
        _ kept: KeptSecret, for id: UserID, expiresAt: Timestamp?, limit: Int
    ) throws(StorageError) -> AddedCredential? {
        try write { db throws(SQLiteError) in
            guard let user = try db.first(.user, id)?.id else { return nil }
            let gone =
                if expiresAt == nil {
                    try db.first(.lastingToken, user).map { [$0.number] } ?? []
                } else {
                    try db.all(.tokensBeyond, (user, limit - 1))
                }
            var ended = try db.all(.endSessionsWithoutToken, user)
            for number in gone {
                ended += try db.all(.endSessionsOfToken, number)
                try db.execute(.deleteToken, number)
            }
            try db.execute(.requireToken, user)
            let number = try db.first(.addToken, (user, kept, expiresAt)) ?? 0
            return AddedCredential(number: number, ended: ended.sorted())
        }
    }

    package func openSession(
        _ kept: KeptSecret, for id: UserID, by token: Int64?, expiresAt: Timestamp?, limit: Int
    ) throws(StorageError) -> AddedCredential? {
        try write { db throws(SQLiteError) in
            guard let row = try db.first(.user, id), row.user.isActive else { return nil }
            let user = row.id
            if let token {
                guard try db.first(.token, (token, user)) != nil else { return nil }
            } else {
                guard try db.first(.tokenNeed, id)?.isNeeded == false else { return nil }
            }
            let ended = try db.all(.endSessionsBeyond, (user, limit - 1))
            let number = try db.first(.addSession, (user, token, kept, expiresAt)) ?? 0
            return AddedCredential(number: number, ended: ended.sorted())
        }
    }

    package func session(_ number: Int64) throws(StorageError) -> SessionRecord? {
        try read { db throws(SQLiteError) in try db.first(.session, number) }
    }

    package func closeSessions(of id: UserID) throws(StorageError) {
        try write { db throws(SQLiteError) in
            guard let user = try db.first(.user, id)?.id else { return }
            try db.closeSessions(ofUser: user)
        }
    }

    package func forgetEnded(by moment: Timestamp, limit: Int) throws(StorageError) -> Int {
        try write { db throws(SQLiteError) in
            let sessions = try db.all(.forgetEndedSessions, (moment, limit))
            return try sessions.count + db.all(.forgetEndedTokens, (moment, limit)).count
        }
    }
}

extension Connection {
    /// Ends all sessions of a user and all tokens that have an end.
    func closeSessions(ofUser row: Int64) throws(SQLiteError) {
        try execute(.closeSessions, row)
        try execute(.deleteEndingTokens, row)
    }
}

// MARK: - Tokens

private func decodeToken(_ row: borrowing Row) -> TokenRecord {
    TokenRecord(
        number: row.int64(0), kept: KeptSecret(salt: row.text(1), hash: row.text(2)),
        expiresAt: row.optionalInt64(3).map { Timestamp(milliseconds: $0) })
}

extension Query where Input == UserID, Output == (user: Int64, isNeeded: Bool) {
    /// Deleted users count too, so that a new user of their ID needs a token.
    fileprivate static var tokenNeed: Query {
        Query(
            sql: "SELECT id, needs_token FROM user WHERE user_id = ?1",
            bind: { id, bindings in bindings.append(id.rawValue) },
            decode: { row in (row.int64(0), row.int64(1) != 0) })
    }
}

extension Query where Input == (number: Int64, user: Int64), Output == TokenRecord {
    static var token: Query {
        Query(
            sql: "SELECT id, salt, hash, expires_at FROM token WHERE id = ?1 AND user = ?2",
            bind: { input, bindings in
                bindings.append(input.number)
                bindings.append(input.user)
            },
            decode: { row in decodeToken(row) })
    }
}

extension Query where Input == Int64, Output == TokenRecord {
    static var lastingToken: Query {
        Query(
            sql: """
                SELECT id, salt, hash, expires_at FROM token
                WHERE user = ?1 AND expires_at IS NULL
                """,
            bind: { user, bindings in bindings.append(user) },
            decode: { row in decodeToken(row) })
    }
}

extension Query where Input == (user: Int64, limit: Int), Output == Int64 {
    /// Finds all tokens of a user that have an end, except the newest.
    static var tokensBeyond: Query {
        Query(
            sql: """
                SELECT id FROM token WHERE user = ?1 AND expires_at IS NOT NULL
                ORDER BY id DESC LIMIT -1 OFFSET ?2
                """,
            bind: { input, bindings in
                bindings.append(input.user)
                bindings.append(input.limit)
            },
            decode: { row in row.int64(0) })
    }

    /// Ends all sessions of a user except the newest.
    static var endSessionsBeyond: Query {
        Query(
            sql: """
                DELETE FROM session WHERE id IN (
                    SELECT id FROM session WHERE user = ?1 ORDER BY id DESC LIMIT -1 OFFSET ?2)
                RETURNING id
                """,
            bind: { input, bindings in
                bindings.append(input.user)
                bindings.append(input.limit)
            },
            decode: { row in row.int64(0) })
    }
}

extension Query where Input == (user: Int64, kept: KeptSecret, end: Timestamp?), Output == Int64 {
    static var addToken: Query {
        Query(
            sql: """
                INSERT INTO token (user, salt, hash, expires_at) VALUES (?1, ?2, ?3, ?4)
                RETURNING id
                """,
            bind: { input, bindings in
                bindings.append(input.user)
                bindings.append(input.kept.salt)
                bindings.append(input.kept.hash)
                bindings.append(input.end?.milliseconds)
            },
            decode: { row in row.int64(0) })
    }
}

extension Query where Input == Int64, Output == Void {
    fileprivate static var requireToken: Query {
        Query(
            sql: "UPDATE user SET needs_token = 1 WHERE id = ?1",
            bind: { user, bindings in bindings.append(user) })
    }

    fileprivate static var deleteToken: Query {
        Query(
            sql: "DELETE FROM token WHERE id = ?1",
            bind: { number, bindings in bindings.append(number) })
    }

    fileprivate static var deleteEndingTokens: Query {
        Query(
            sql: "DELETE FROM token WHERE user = ?1 AND expires_at IS NOT NULL",
            bind: { user, bindings in bindings.append(user) })
    }

    static var deleteTokens: Query {
        Query(
            sql: "DELETE FROM token WHERE user = ?1",
            bind: { user, bindings in bindings.append(user) })
    }
}

// MARK: - Sessions

extension Query where Input == Int64, Output == Int64 {
    static var endSessionsOfToken: Query {
        Query(
            sql: "DELETE FROM session WHERE token = ?1 RETURNING id",
            bind: { token, bindings in bindings.append(token) },
            decode: { row in row.int64(0) })
    }

    static var endSessionsWithoutToken: Query {
        Query(
            sql: "DELETE FROM session WHERE user = ?1 AND token IS NULL RETURNING id",
            bind: { user, bindings in bindings.append(user) },
            decode: { row in row.int64(0) })
    }
}

extension Query
where Input == (user: Int64, token: Int64?, kept: KeptSecret, end: Timestamp?), Output == Int64 {
    fileprivate static var addSession: Query {
        Query(
            sql: """
                INSERT INTO session (user, token, salt, hash, expires_at)
                VALUES (?1, ?2, ?3, ?4, ?5) RETURNING id
                """,
            bind: { input, bindings in
                bindings.append(input.user)
                bindings.append(input.token)
                bindings.append(input.kept.salt)
                bindings.append(input.kept.hash)
                bindings.append(input.end?.milliseconds)
            },
            decode: { row in row.int64(0) })
    }
}

extension Query where Input == Int64, Output == SessionRecord {
    static var session: Query {
        Query(
            sql: """
                SELECT user_id, salt, hash, expires_at
                FROM session JOIN user ON user.id = session.user WHERE session.id = ?1
                """,
            bind: { number, bindings in bindings.append(number) },
            decode: { row in
                SessionRecord(
                    userID: UserID(row.text(0)),
                    kept: KeptSecret(salt: row.text(1), hash: row.text(2)),
                    expiresAt: row.optionalInt64(3).map { Timestamp(milliseconds: $0) })
            })
    }
}

extension Query where Input == (moment: Timestamp, limit: Int), Output == Int64 {
    static var forgetEndedSessions: Query {
        Query(
            sql: """
                DELETE FROM session WHERE id IN (
                    SELECT id FROM session WHERE expires_at <= ?1 ORDER BY expires_at LIMIT ?2)
                RETURNING id
                """,
            bind: { input, bindings in
                bindings.append(input.moment.milliseconds)
                bindings.append(input.limit)
            },
            decode: { row in row.int64(0) })
    }

    /// Deletes ended tokens; a token stays as long as it has sessions.
    static var forgetEndedTokens: Query {
        Query(
            sql: """
                DELETE FROM token WHERE id IN (
                    SELECT id FROM token
                    WHERE expires_at <= ?1
                        AND NOT EXISTS (SELECT 1 FROM session WHERE session.token = token.id)
                    ORDER BY expires_at LIMIT ?2)
                RETURNING id
                """,
            bind: { input, bindings in
                bindings.append(input.moment.milliseconds)
                bindings.append(input.limit)
            },
            decode: { row in row.int64(0) })
    }
}
