// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostServer
import Testing

/// The contract of every storage for tokens and sessions.
struct CredentialContractTests {
    private func at(_ offset: Int64) -> Timestamp { Timestamp(milliseconds: 1_000_000 + offset) }

    private func kept(_ name: String) -> KeptSecret {
        KeptSecret(salt: "salt of \(name)", hash: "hash of \(name)")
    }

    private func make(_ kind: StorageKind) async throws -> any Storage {
        let storage = try await kind.make()
        for id in ["a", "b"] as [UserID] { try await storage.addUser(User(id: id)) }
        return storage
    }

    @Test(arguments: StorageKind.allCases)
    func `a token is found by its number and its user`(
        kind: StorageKind
    ) async throws {
        let storage = try await make(kind)
        #expect(try await storage.token(nil, of: "a") == UserToken())
        #expect(try await storage.token(1, of: "nobody") == UserToken())
        let ending = try #require(
            try await storage.addToken(kept("one"), for: "a", expiresAt: at(5), limit: 9))
        #expect(try await storage.token(nil, of: "a") == UserToken(isNeeded: true))
        let lasting = try #require(
            try await storage.addToken(kept("two"), for: "a", expiresAt: nil, limit: 9))
        #expect(ending.number != lasting.number)
        let first = TokenRecord(number: ending.number, kept: kept("one"), expiresAt: at(5))
        let second = TokenRecord(number: lasting.number, kept: kept("two"), expiresAt: nil)
        #expect(try await storage.token(ending.number, of: "a").record == first)
        #expect(try await storage.token(lasting.number, of: "a").record == second)
        #expect(try await storage.token(nil, of: "a").record == second)
        #expect(try await storage.token(ending.number, of: "b") == UserToken())
        #expect(
            try await storage.addToken(kept("x"), for: "nobody", expiresAt: nil, limit: 9) == nil)
    }

    @Test(arguments: StorageKind.allCases)
    func `a token and its sessions end in one step`(kind: StorageKind) async throws {
        let storage = try await make(kind)
        func open(_ token: Int64?, _ user: UserID = "a") async throws -> Int64? {
            try await storage.openSession(
                kept("s"), for: user, by: token, expiresAt: nil, limit: 9)?.number
        }
        let without = try #require(try await open(nil))
        let other = try #require(try await open(nil, "b"))
        let old = try #require(
            try await storage.addToken(kept("old"), for: "a", expiresAt: nil, limit: 9))
        #expect(old.ended == [without])
        #expect(try await open(nil) == nil, "a user with a token needs one")
        #expect(try await open(old.number, "b") == nil, "the token of another user")
        let one = try #require(try await open(old.number))
        let two = try #require(try await open(old.number))
        let ending = try #require(
            try await storage.addToken(kept("e"), for: "a", expiresAt: at(5), limit: 9))
        #expect(ending.ended.isEmpty)
        let three = try #require(try await open(ending.number))
        let new = try #require(
            try await storage.addToken(kept("new"), for: "a", expiresAt: nil, limit: 9))
        #expect(new.ended == [one, two])
        for number in [without, one, two] { #expect(try await storage.session(number) == nil) }
        for number in [other, three] { #expect(try await storage.session(number) != nil) }
        #expect(try await open(old.number) == nil, "the token is gone")
        #expect(try await storage.token(old.number, of: "a").record == nil)
        try await storage.closeSessions(of: "a")
        #expect(try await storage.session(three) == nil)
        #expect(try await storage.token(ending.number, of: "a").record == nil)
        #expect(try await storage.token(nil, of: "a").record?.number == new.number)
        let four = try #require(try await open(new.number))
        #expect(four > three, "no number comes again")
        _ = try await storage.deleteUser("a", now: at(1))
        #expect(try await storage.session(four) == nil)
        #expect(try await storage.token(new.number, of: "a") == UserToken(isNeeded: true))
        #expect(try await open(new.number) == nil)
        #expect(try await storage.session(other)?.userID == "b")
    }

    @Test(arguments: StorageKind.allCases)
    func `a deactivation ends all sessions in one step`(kind: StorageKind) async throws {
        let storage = try await make(kind)
        let lasting = try #require(
            try await storage.addToken(kept("l"), for: "a", expiresAt: nil, limit: 9)
        ).number
        let ending = try #require(
            try await storage.addToken(kept("e"), for: "a", expiresAt: at(5), limit: 9)
        ).number
        func open(_ token: Int64?, _ user: UserID = "a") async throws -> Int64? {
            try await storage.openSession(
                kept("s"), for: user, by: token, expiresAt: nil, limit: 9)?.number
        }
        let one = try #require(try await open(lasting))
        let other = try #require(try await open(nil, "b"))
        try await storage.updateUser("a") { $0.user.nickname = "A" }
        #expect(try await storage.session(one) != nil)
        try await storage.updateUser("a") { $0.user.isActive = false }
        #expect(try await storage.session(one) == nil)
        #expect(try await storage.token(ending, of: "a").record == nil)
        #expect(try await open(lasting) == nil)
        try await storage.updateUser("a") { $0.user.isActive = true }
        #expect(try await storage.session(one) == nil, "it does not come back")
        #expect(try await open(lasting) != nil)
        #expect(try await storage.session(other) != nil)
    }

    @Test(arguments: StorageKind.allCases)
    func `the oldest sessions and tokens end at the limit`(kind: StorageKind) async throws {
        let storage = try await make(kind)
        var tokens: [Int64] = []
        var sessions: [Int64] = []
        for index in 0..<5 {
            let token = try #require(
                try await storage.addToken(
                    kept("\(index)"), for: "a", expiresAt: at(100 - Int64(index)), limit: 3))
            #expect(token.ended == (index < 3 ? [] : [sessions[index - 3]]))
            tokens.append(token.number)
            let session = try #require(
                try await storage.openSession(
                    kept("s"), for: "a", by: token.number, expiresAt: nil, limit: 9))
            sessions.append(session.number)
        }
        for (index, number) in tokens.enumerated() {
            #expect(try await (storage.token(number, of: "a").record == nil) == (index < 2))
        }
        let next = try await storage.openSession(
            kept("s"), for: "a", by: tokens[4], expiresAt: nil, limit: 2)
        #expect(next?.ended == [sessions[2], sessions[3]])
    }

    @Test(arguments: StorageKind.allCases)
    func `ended sessions and tokens are deleted in bounded parts`(kind: StorageKind) async throws {
        let storage = try await make(kind)
        let token = try #require(
            try await storage.addToken(kept("t"), for: "a", expiresAt: at(10), limit: 9)
        ).number
        for _ in 0..<5 {
            _ = try await storage.openSession(
                kept("s"), for: "a", by: token, expiresAt: at(10), limit: 9)
        }
        let lasting = try #require(
            try await storage.addToken(kept("l"), for: "a", expiresAt: nil, limit: 9)
        ).number
        let live = try #require(
            try await storage.openSession(
                kept("s"), for: "a", by: lasting, expiresAt: at(11), limit: 9)
        ).number
        #expect(try await storage.forgetEnded(by: at(9), limit: 9) == 0)
        #expect(try await storage.forgetEnded(by: at(10), limit: 3) == 3)
        #expect(try await storage.token(token, of: "a").record != nil, "sessions name it still")
        #expect(try await storage.forgetEnded(by: at(10), limit: 3) == 3)
        #expect(try await storage.token(token, of: "a").record == nil)
        #expect(try await storage.forgetEnded(by: at(10), limit: 3) == 0)
        #expect(try await storage.session(live) != nil)
        #expect(try await storage.token(lasting, of: "a").record != nil)
    }
}
