// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// The access tokens and sessions of users.
///
/// A secret comes here in its stored form only, so a copy of the storage does not help to log in.
/// No number is used twice. The sessions of a token end with it, in the same step.
package protocol CredentialStorage: Sendable {
    /// Returns one of a user's tokens, and whether the user needs one; the user need not exist.
    ///
    /// The number nil finds the user's token without an end.
    func token(_ number: Int64?, of id: UserID) async throws(StorageError) -> UserToken
    /// Gives a user a token; from then on the user needs one to log in.
    ///
    /// A token without an end replaces the previous one. Of tokens with an end, the oldest end
    /// beyond `limit`. The sessions of a token that ends, and those that were opened without a
    /// token, end in the same step.
    ///
    /// - Returns: The token's number and the sessions that ended; nil if there is no such user.
    func addToken(
        _ kept: KeptSecret, for id: UserID, expiresAt: Timestamp?, limit: Int
    ) async throws(StorageError) -> AddedCredential?
    /// Opens a session under the stored form of its key; beyond `limit`, at least 1, the oldest
    /// ones end.
    ///
    /// `token` is the number of the login's token, nil for none. A session without an end is valid
    /// for ever; the caller checks the end.
    ///
    /// - Returns: The session's number and the sessions that ended; nil if there is no such active
    ///   user, if the token has ended, or if the user needs a token and none is named.
    func openSession(
        _ kept: KeptSecret, for id: UserID, by token: Int64?, expiresAt: Timestamp?, limit: Int
    ) async throws(StorageError) -> AddedCredential?
    func session(_ number: Int64) async throws(StorageError) -> SessionRecord?
    /// Ends all sessions of a user and all tokens that have an end.
    func closeSessions(of id: UserID) async throws(StorageError)
    /// Deletes sessions and tokens that ended at or before a moment, at most `limit` of each.
    ///
    /// - Returns: The number of deleted sessions and tokens.
    @discardableResult
    func forgetEnded(by moment: Timestamp, limit: Int) async throws(StorageError) -> Int
}

/// A token of a user, and whether the user needs one.
package struct UserToken: Equatable, Sendable {
    /// Whether a token was ever given to the user, so that a login needs one.
    package var isNeeded = false
    /// The token with the number; nil if there is none.
    package var record: TokenRecord?

    package init(isNeeded: Bool = false, record: TokenRecord? = nil) {
        self.isNeeded = isNeeded
        self.record = record
    }
}

package struct TokenRecord: Equatable, Sendable {
    package var number: Int64
    package var kept: KeptSecret
    package var expiresAt: Timestamp?

    package init(number: Int64, kept: KeptSecret, expiresAt: Timestamp?) {
        self.number = number
        self.kept = kept
        self.expiresAt = expiresAt
    }

    func isOver(at now: Timestamp) -> Bool { expiresAt.map { $0 <= now } ?? false }
}

package struct SessionRecord: Equatable, Sendable {
    package var userID: UserID
    package var kept: KeptSecret
    package var expiresAt: Timestamp?

    package init(userID: UserID, kept: KeptSecret, expiresAt: Timestamp?) {
        self.userID = userID
        self.kept = kept
        self.expiresAt = expiresAt
    }

    func isOver(at now: Timestamp) -> Bool { expiresAt.map { $0 <= now } ?? false }
}

/// A new token or session.
package struct AddedCredential: Equatable, Sendable {
    package var number: Int64
    /// The numbers of the sessions that ended in the same step.
    package var ended: [Int64]

    package init(number: Int64, ended: [Int64]) {
        self.number = number
        self.ended = ended
    }
}

// MARK: - In memory

/// The tokens and sessions of a `MemoryStorage`.
struct MemoryCredentials {
    private struct Token {
        let user: UserID
        let record: TokenRecord
    }

    private struct Session {
        let token: Int64?
        let record: SessionRecord
    }

    private var tokens: [Int64: Token] = [:]
    private var sessions: [Int64: Session] = [:]
    private var lastNumber: Int64 = 0
    /// The users who were ever given a token, deleted ones included.
    private var guarded: Set<UserID> = []

    func token(_ number: Int64?, of id: UserID) -> UserToken {
        let record: TokenRecord? =
            if let number { tokens[number].flatMap { $0.user == id ? $0.record : nil } } else {
                tokens.values.first { $0.user == id && $0.record.expiresAt == nil }?.record
            }
        return UserToken(isNeeded: guarded.contains(id), record: record)
    }

    mutating func addToken(
        _ kept: KeptSecret, for id: UserID, expiresAt: Timestamp?, limit: Int
    ) -> AddedCredential {
        let mine = tokens.filter { $0.value.user == id }.keys.sorted(by: >)
        let gone: [Int64] =
            if expiresAt == nil {
                mine.filter { tokens[$0]?.record.expiresAt == nil }
            } else {
                Array(mine.filter { tokens[$0]?.record.expiresAt != nil }.dropFirst(limit - 1))
            }
        let ended = endSessions { session in
            session.record.userID == id && session.token.map(gone.contains) ?? true
        }
        for number in gone { tokens[number] = nil }
        lastNumber += 1
        guarded.insert(id)
        tokens[lastNumber] = Token(
            user: id, record: TokenRecord(number: lastNumber, kept: kept, expiresAt: expiresAt))
        return AddedCredential(number: lastNumber, ended: ended)
    }

    mutating func openSession(
        _ kept: KeptSecret, for id: UserID, by token: Int64?, expiresAt: Timestamp?, limit: Int
    ) -> AddedCredential? {
        if let token {
            guard tokens[token]?.user == id else { return nil }
        } else {
            guard !guarded.contains(id) else { return nil }
        }
        let mine = sessions.filter { $0.value.record.userID == id }.keys.sorted(by: >)
        let ended = Array(mine.dropFirst(limit - 1)).sorted()
        for number in ended { sessions[number] = nil }
        lastNumber += 1
        sessions[lastNumber] = Session(
            token: token,
            record: SessionRecord(userID: id, kept: kept, expiresAt: expiresAt))
        return AddedCredential(number: lastNumber, ended: ended)
    }

    func session(_ number: Int64) -> SessionRecord? { sessions[number]?.record }

    mutating func closeSessions(of id: UserID) {
        _ = endSessions { $0.record.userID == id }
        tokens = tokens.filter { $0.value.user != id || $0.value.record.expiresAt == nil }
    }

    mutating func forget(_ id: UserID) {
        _ = endSessions { $0.record.userID == id }
        tokens = tokens.filter { $0.value.user != id }
    }

    mutating func forgetEnded(by moment: Timestamp, limit: Int) -> Int {
        let overSessions = sessions.filter { $0.value.record.isOver(at: moment) }.keys.sorted()
        for number in overSessions.prefix(limit) { sessions[number] = nil }
        let used = Set(sessions.values.compactMap(\.token))
        let overTokens = tokens.filter { entry in
            entry.value.record.isOver(at: moment) && !used.contains(entry.key)
        }.keys.sorted()
        for number in overTokens.prefix(limit) { tokens[number] = nil }
        return min(limit, overSessions.count) + min(limit, overTokens.count)
    }

    private mutating func endSessions(where isEnded: (Session) -> Bool) -> [Int64] {
        let ended = sessions.filter { isEnded($0.value) }.keys.sorted()
        for number in ended { sessions[number] = nil }
        return ended
    }
}
