// SPDX-License-Identifier: Apache-2.0

package import RoostModel
import RoostPostgres
package import RoostServer

extension PostgresStorage {
    package func token(_ number: Int64?, of id: UserID) async throws(StorageError) -> UserToken {
        try await read { db async throws(PostgresError) in
            // Deleted users count too, so that a new user of their ID needs a token.
            guard let (user, isNeeded) = try await db.first(.tokenNeed(id)) else {
                return UserToken()
            }
            let record = try await db.first(
                number.map { .token($0, of: user) } ?? .lastingToken(of: user))
            return UserToken(isNeeded: isNeeded, record: record)
        }
    }

    package func addToken(
        _ kept: KeptSecret, for id: UserID, expiresAt: Timestamp?, limit: Int
    ) async throws(StorageError) -> AddedCredential? {
        try await write { db async throws(PostgresError) in
            guard let user = try await db.first(.lockedUser(id))?.id else { return nil }
            let gone =
                if expiresAt == nil {
                    try await db.first(.lastingToken(of: user)).map { [$0.number] } ?? []
                } else {
                    try await db.all(.tokensBeyond(of: user, limit - 1))
                }
            let (ended, number) = try await db.all(
                .endSessions(of: user, ofTokens: gone), .addToken(user, kept, expiresAt))
            db.add(PostgresQuery("DELETE FROM token WHERE id = ANY ($1::bigint[])", .ints(gone)))
            db.add(
                PostgresQuery("UPDATE users SET needs_token = true WHERE id = $1", .int(user)))
            return AddedCredential(number: number.first ?? 0, ended: ended.sorted())
        }
    }

    package func openSession(
        _ kept: KeptSecret, for id: UserID, by token: Int64?, expiresAt: Timestamp?, limit: Int
    ) async throws(StorageError) -> AddedCredential? {
        try await write { db async throws(PostgresError) in
            guard let row = try await db.first(.lockedUser(id)), row.user.isActive else {
                return nil
            }
            let user = row.id
            if let token {
                guard try await db.first(.token(token, of: user)) != nil else { return nil }
            } else {
                guard try await db.first(.tokenNeed(id))?.isNeeded == false else { return nil }
            }
            let (ended, number) = try await db.all(
                .endSessionsBeyond(of: user, limit - 1),
                .addSession(user, token, kept, expiresAt))
            return AddedCredential(number: number.first ?? 0, ended: ended.sorted())
        }
    }

    package func session(_ number: Int64) async throws(StorageError) -> SessionRecord? {
        try await read { db async throws(PostgresError) in try await db.first(.session(number)) }
    }

    package func closeSessions(of id: UserID) async throws(StorageError) {
        try await write { db async throws(PostgresError) in
            guard let user = try await db.first(.lockedUser(id))?.id else { return }
            db.closeSessions(ofUser: user)
        }
    }

    package func forgetEnded(by moment: Timestamp, limit: Int) async throws(StorageError) -> Int {
        try await write(recognisesItself: true) { db async throws(PostgresError) in
            db.add(PostgresMark.forgetOld)
            let sessions = try await db.all(.forgetEndedSessions(moment, limit))
            let tokens = try await db.all(.forgetEndedTokens(moment, limit))
            return sessions.count + tokens.count
        }
    }
}

extension PostgresQuery where Output == (user: Int64, isNeeded: Bool) {
    fileprivate static func tokenNeed(_ id: UserID) -> PostgresQuery {
        PostgresQuery(
            "SELECT id, needs_token FROM users WHERE user_id = $1", .text(id.rawValue)
        ) { ($0.int64(0), $0.bool(1)) }
    }
}

extension PostgresQuery where Output == TokenRecord {
    private static func read(_ row: PostgresRow) -> TokenRecord {
        TokenRecord(
            number: row.int64(0), kept: KeptSecret(salt: row.text(1), hash: row.text(2)),
            expiresAt: row.optionalInt64(3).map { Timestamp(milliseconds: $0) })
    }

    fileprivate static func token(_ number: Int64, of user: Int64) -> PostgresQuery {
        PostgresQuery(
            "SELECT id, salt, hash, expires_at FROM token WHERE id = $1 AND user_id = $2",
            .int(number), .int(user)
        ) { read($0) }
    }

    fileprivate static func lastingToken(of user: Int64) -> PostgresQuery {
        PostgresQuery(
            """
            SELECT id, salt, hash, expires_at FROM token
            WHERE user_id = $1 AND expires_at IS NULL
            """, .int(user)
        ) { read($0) }
    }
}

extension PostgresQuery where Output == SessionRecord {
    fileprivate static func session(_ number: Int64) -> PostgresQuery {
        PostgresQuery(
            """
            SELECT u.user_id, s.salt, s.hash, s.expires_at
            FROM session AS s JOIN users AS u ON u.id = s.user_id WHERE s.id = $1
            """, .int(number)
        ) { row in
            SessionRecord(
                userID: UserID(row.text(0)),
                kept: KeptSecret(salt: row.text(1), hash: row.text(2)),
                expiresAt: row.optionalInt64(3).map { Timestamp(milliseconds: $0) })
        }
    }
}

extension PostgresQuery where Output == Int64 {
    /// Finds all tokens of a user that have an end, except the newest.
    fileprivate static func tokensBeyond(of user: Int64, _ limit: Int) -> PostgresQuery {
        PostgresQuery(
            """
            SELECT id FROM token WHERE user_id = $1 AND expires_at IS NOT NULL
            ORDER BY id DESC OFFSET $2
            """, .int(user), .int(Int64(limit))
        ) { $0.int64(0) }
    }

    /// Ends the sessions of tokens, and those without a token.
    fileprivate static func endSessions(
        of user: Int64, ofTokens tokens: [Int64]
    ) -> PostgresQuery {
        PostgresQuery(
            """
            DELETE FROM session
            WHERE user_id = $1 AND (token IS NULL OR token = ANY ($2::bigint[])) RETURNING id
            """, .int(user), .ints(tokens)
        ) { $0.int64(0) }
    }

    /// Ends all sessions of a user except the newest.
    fileprivate static func endSessionsBeyond(of user: Int64, _ limit: Int) -> PostgresQuery {
        PostgresQuery(
            """
            DELETE FROM session WHERE id IN (
                SELECT id FROM session WHERE user_id = $1 ORDER BY id DESC OFFSET $2)
            RETURNING id
            """, .int(user), .int(Int64(limit))
        ) { $0.int64(0) }
    }

    fileprivate static func addToken(
        _ user: Int64, _ kept: KeptSecret, _ end: Timestamp?
    ) -> PostgresQuery {
        PostgresQuery(
            """
            INSERT INTO token (user_id, salt, hash, expires_at) VALUES ($1, $2, $3, $4)
            RETURNING id
            """, .int(user), .text(kept.salt), .text(kept.hash),
            PostgresValue(end?.milliseconds)
        ) { $0.int64(0) }
    }

    fileprivate static func addSession(
        _ user: Int64, _ token: Int64?, _ kept: KeptSecret, _ end: Timestamp?
    ) -> PostgresQuery {
        PostgresQuery(
            """
            INSERT INTO session (user_id, token, salt, hash, expires_at)
            VALUES ($1, $2, $3, $4, $5) RETURNING id
            """, .int(user), PostgresValue(token), .text(kept.salt), .text(kept.hash),
            PostgresValue(end?.milliseconds)
        ) { $0.int64(0) }
    }

    fileprivate static func forgetEndedSessions(
        _ moment: Timestamp, _ limit: Int
    ) -> PostgresQuery {
        PostgresQuery(
            """
            DELETE FROM session WHERE id IN (
                SELECT id FROM session WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2
                FOR UPDATE SKIP LOCKED)
            RETURNING id
            """, .int(moment.milliseconds), .int(Int64(limit))
        ) { $0.int64(0) }
    }

    /// Deletes ended tokens; a token stays as long as it has sessions.
    fileprivate static func forgetEndedTokens(
        _ moment: Timestamp, _ limit: Int
    ) -> PostgresQuery {
        PostgresQuery(
            """
            DELETE FROM token WHERE id IN (
                SELECT id FROM token
                WHERE expires_at <= $1
                    AND NOT EXISTS (SELECT 1 FROM session WHERE session.token = token.id)
                ORDER BY expires_at LIMIT $2 FOR UPDATE SKIP LOCKED)
            RETURNING id
            """, .int(moment.milliseconds), .int(Int64(limit))
        ) { $0.int64(0) }
    }
}
