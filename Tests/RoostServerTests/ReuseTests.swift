// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostServer
import RoostWire
import Testing

/// URLs and IDs that are used again after their channel or user was deleted.
struct ReuseTests {
    private static let start = Timestamp(milliseconds: 1_000_000)

    private static func channel(_ url: ChannelURL, of users: [UserID]) -> NewChannel {
        NewChannel(
            record: ChannelRecord(url: url, createdAt: Timestamp(seconds: 1_000)), members: users)
    }

    private static func document(
        _ kind: Document.Kind, in url: ChannelURL?, dueAt: Timestamp? = nil
    ) -> Document {
        Document(kind, of: "a", in: url, dueAt: dueAt, body: ["changed": 5])
    }

    @Test(arguments: StorageKind.allCases)
    func `a channel with the URL of a deleted one has none of its roles, bans and settings`(
        kind: StorageKind
    ) async throws {
        let storage = try await kind.make()
        for id in ["a", "b", "c"] as [UserID] { try await storage.addUser(User(id: id)) }
        _ = try await storage.createChannel(Self.channel("g", of: ["a"]), now: Self.start)
        for id in ["b", "c"] as [UserID] {
            // Roles and bans of users who are no members, as in open channels.
            _ = try await storage.updateMember(id, of: "g", now: Self.start) { member in
                member.role = .operator
                member.traits.ban = Restriction(startedAt: Self.start)
                member.traits.pushTrigger = .off
            }
        }
        #expect(try await storage.deleteChannel("g", now: Self.start))
        let again = try await storage.createChannel(
            Self.channel("g", of: ["c"]), now: Self.start)
        #expect(again == .done(CreatedChannel(url: "g", isCreated: true, joined: ["c"])))
        for id in ["a", "b", "c"] as [UserID] {
            let access = try #require(try await storage.access(to: "g", of: id))
            #expect(access.role == .none && access.traits == MemberTraits(), "\(id)")
            #expect((access.state == .joined) == (id == "c"), "\(id)")
        }
    }

    @Test(arguments: StorageKind.allCases)
    func `a deleted channel's polls and waiting messages are in no channel, its reports stay`(
        kind: StorageKind
    ) async throws {
        let storage = try await kind.make()
        try await storage.addUser(User(id: "a"))
        _ = try await storage.createChannel(Self.channel("g", of: ["a"]), now: Self.start)
        let later = Timestamp(milliseconds: 9_000_000)
        let poll = try await storage.addDocument(Self.document(.poll, in: "g"))
        let waiting = try await storage.addDocument(
            Self.document(.scheduled, in: "g", dueAt: later))
        let elsewhere = try await storage.addDocument(
            Self.document(.scheduled, in: "h", dueAt: later))
        let report = try await storage.addDocument(Self.document(.report, in: "g"))
        #expect(try await storage.deleteChannel("g", now: Self.start))
        #expect(try await storage.document(poll.id, .poll)?.channelURL == nil)
        let polls = try await storage.documents(
            .poll, in: "g", changedAfter: (at: 0, id: 0), limit: 9)
        #expect(polls == [])
        let due = try await storage.dueDocuments(
            .scheduled, through: Self.start, except: [], limit: 9)
        #expect(due.map(\.id) == [waiting.id] && due.first?.channelURL == nil)
        #expect(try await storage.document(elsewhere.id, .scheduled) == elsewhere)
        #expect(try await storage.document(report.id, .report) == report)
    }

    @Test(arguments: StorageKind.allCases)
    func `a new user of a deleted ID has no role and nothing that waits, but stays banned`(
        kind: StorageKind
    ) async throws {
        let storage = try await kind.make()
        try await storage.addUser(User(id: "a", nickname: "Old"))
        _ = try await storage.createChannel(Self.channel("g", of: []), now: Self.start)
        _ = try await storage.updateMember("a", of: "g", now: Self.start) { member in
            member.role = .operator
            member.traits.ban = Restriction(startedAt: Self.start)
        }
        let kept = try await storage.addDocument(Self.document(.poll, in: "g"))
        let draft = try await storage.addDocument(Self.document(.poll, in: nil))
        let waiting = try await storage.addDocument(
            Self.document(.scheduled, in: "g", dueAt: Self.start))
        _ = try await storage.deleteUser("a", now: Self.start)
        #expect(try await storage.addUser(User(id: "a", nickname: "New")))
        #expect(try await storage.user("a")?.nickname == "New")
        let access = try #require(try await storage.access(to: "g", of: "a"))
        #expect(access.role == .none && access.traits.ban != nil)
        #expect(try await storage.document(kept.id, .poll) == kept)
        #expect(try await storage.document(draft.id, .poll) == nil)
        #expect(try await storage.document(waiting.id, .scheduled) == nil)
    }

    @Test(arguments: StorageKind.allCases)
    func `a user who is added twice stays as the first call made it`(
        kind: StorageKind
    ) async throws {
        let storage = try await kind.make()
        #expect(try await storage.addUser(User(id: "a", nickname: "Ada")))
        #expect(try await !storage.addUser(User(id: "a")))
        #expect(try await storage.user("a")?.nickname == "Ada")
    }

    @Test(arguments: StorageKind.allCases)
    func `a channel is not created under a URL that is taken`(kind: StorageKind) async throws {
        let storage = try await kind.make()
        for id in ["a", "b"] as [UserID] { try await storage.addUser(User(id: id)) }
        _ = try await storage.createChannel(Self.channel("g", of: ["a"]), now: Self.start)
        let second = try await storage.createChannel(
            Self.channel("g", of: ["b"]), now: Self.start)
        #expect(second == .taken)
        #expect(try await storage.memberIDs(of: "g") == ["a"])
    }
}
