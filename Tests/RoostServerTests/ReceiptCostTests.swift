// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostServer
import RoostWire
import Testing

/// The reads that receipts and typing cost the storage.
struct ReceiptCostTests {
    @Test func `a typing frame reads no list of members but its audience`() async throws {
        let storage = HookedStorage(try await StorageKind.memory.make())
        let scene = try await BudgetScene(storage)
        _ = storage.takeCounts()
        await scene.fixture.say(.typingStart("g", time: scene.fixture.world.now), on: scene.ann)
        #expect(!scene.bob.inbox.takeText().isEmpty)
        let counts = storage.takeCounts()
        #expect(counts["memberIDs"] == nil, "\(counts)")
        #expect(counts["someMemberIDs"] == 1 && counts["audienceMembers"] == 1, "\(counts)")
    }

    @Test(arguments: [100, 101])
    func `typing in a super channel of more than a hundred members reads no members of it`(
        count: Int
    ) async throws {
        let storage = HookedStorage(try await StorageKind.memory.make())
        let scene = try await BudgetScene(storage)
        let ids = (2..<count).map { UserID("u\($0)") }
        for id in ids { _ = try await storage.addUser(User(id: id)) }
        try await scene.fixture.call(
            CreateChannel(channelURL: "s", userIDs: ["ann", "bob"] + ids, isSuper: true),
            as: scene.ann)
        let body = #"{"user_ids":["ann"]}"#
        for isFrame in [true, false] {
            _ = (scene.bob.inbox.takeText(), storage.takeCounts())
            if isFrame {
                await scene.fixture.say(
                    .typingStart("s", time: scene.fixture.world.now), on: scene.ann)
            } else {
                try await scene.ask("POST", "group_channels/s/typing", body, as: nil)
            }
            #expect(scene.bob.inbox.takeText().isEmpty == (count > 100))
            #expect(storage.takeCounts()["audienceMembers"] == (count > 100 ? nil : 1))
        }
    }

    @Test(arguments: StorageKind.allCases)
    func `a few members are read without the others, and only joined and invited ones`(
        kind: StorageKind
    ) async throws {
        let storage = try await kind.make()
        let scene = try await BudgetScene(storage)
        for name in ["cy", "dan"] { _ = try await scene.fixture.connect(UserID(name)) }
        let now = scene.fixture.world.now
        _ = try await storage.addMembers(
            ["cy", "dan"], as: .joined, inviter: nil, to: "g", now: now)
        #expect(try await storage.someMemberIDs(of: "g", atMost: 3).count == 3)
        for name in ["cy", "dan"] {
            _ = try await storage.removeMember(UserID(name), from: "g", now: now)
        }
        #expect(Set(try await storage.someMemberIDs(of: "g", atMost: 3)) == ["ann", "bob"])
        #expect(try await storage.someMemberIDs(of: "none", atMost: 3).isEmpty)
    }

    @Test func `logins and read marks count unread messages up to a limit`() async throws {
        let storage = HookedStorage(try await StorageKind.memory.make())
        let scene = try await BudgetScene(storage)
        await scene.fixture.say(.read("g", "read"), on: scene.ann)
        #expect(storage.unreadLimits.count > 2)
        #expect(Set(storage.unreadLimits) == [StorageRules.unreadLimit])
    }

    @Test(arguments: [false, true])
    func `members receive a mark before the unread messages are counted`(
        isUnread: Bool
    ) async throws {
        let storage = HookedStorage(try await StorageKind.memory.make())
        let scene = try await BudgetScene(storage)
        let sent = try await scene.ask(
            "POST", "group_channels/g/messages",
            #"{"message_type":"MESG","user_id":"bob","message":"hi"}"#, as: nil)
        let id = try #require(sent["message_id"]?.int)
        _ = try scene.takeFrames()
        let heard = Inbox()
        storage.before("unreadTotal") {
            // A message is marked as unread for oneself.
            let inbox = isUnread ? scene.ann.inbox : scene.bob.inbox
            for frame in inbox.takeText() { heard.deliver(frame) }
        }
        if isUnread {
            try await scene.ask(
                "PUT", "group_channels/g/messages/mark_as_read",
                #"{"user_id":"ann","message_id":\#(id),"is_excluded":true}"#, as: scene.ann)
        } else {
            await scene.fixture.say(.read("g", "read"), on: scene.ann)
        }
        let frames = heard.takeText()
        #expect(frames.contains { $0.hasPrefix("READ") }, "\(frames)")
    }
}
