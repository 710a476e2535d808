// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostServer
import RoostWire
import Testing

/// The contract of every storage for the users of one channel.
struct MemberContractTests {
    static let start = StorageContractTests.start

    private func at(_ offset: Int64) -> Timestamp { Self.start.advanced(by: offset) }

    private func make(_ kind: StorageKind, users: [UserID]) async throws -> any Storage {
        let storage = try await kind.make()
        for id in users { try await storage.addUser(User(id: id, nickname: "N\(id)")) }
        _ = try await storage.createChannel(
            StorageContractTests.channel("g", users), now: Self.start)
        return storage
    }

    // MARK: History

    @Test(arguments: StorageKind.allCases)
    func `one step hides the history from all members and moves no later beginning back`(
        kind: StorageKind
    ) async throws {
        let storage = try await make(kind, users: ["plain", "muted", "early", "late", "gone"])
        try await storage.addUser(User(id: "guest"))
        _ = try await storage.addMembers(
            ["guest"], as: .invited, inviter: "plain", to: "g", now: Self.start)
        _ = try await storage.append(StorageContractTests.draft("x", from: "plain"), now: at(5))
        // The text of a note may look like a part of the traits.
        let mute = Restriction(startedAt: Self.start, note: "a\u{0}\"offset\":7}")
        _ = try await storage.updateMember("muted", of: "g", now: at(6)) { $0.traits.mute = mute }
        for (id, offset) in [("early", at(1)), ("late", at(50))] {
            _ = try await storage.updateMember(UserID(id), of: "g", now: at(7)) { member in
                member.traits.messageOffset = offset
                member.traits.pushTrigger = .off
                member.lastRead = offset
            }
        }
        _ = try await storage.removeMember("gone", from: "g", now: at(8))
        let before = try #require(try await storage.listings(of: "plain").first)
        #expect(try await storage.forgetHistory(of: "g", through: at(20), now: at(30)))
        let members = try await storage.memberRecords(of: "g")
        let offsets = members.map { "\($0.user.id) \($0.traits.messageOffset ?? Self.start)" }
        #expect(
            offsets == [
                "plain \(at(20))", "muted \(at(20))", "early \(at(20))", "late \(at(50))",
                "gone \(Self.start)", "guest \(at(20))",
            ])
        for member in members where member.state != .none {
            #expect(member.lastRead == (member.user.id == "late" ? at(50) : at(20)))
        }
        #expect(members[1].traits.mute == mute)
        #expect(members[2].traits.pushTrigger == .off && members[3].traits.pushTrigger == .off)
        #expect(members[5].traits.inviter == "plain" && members[5].state == .invited)
        #expect(try await storage.unreadTotal(of: "early") == 0)
        let audience = try await storage.audienceMembers(of: "g")
        #expect(audience.first { $0.id == "muted" }?.beginning == at(20))
        // The change logs of the members show the channel.
        let after = try #require(try await storage.listings(of: "plain").first)
        #expect(after.changeSequence > before.changeSequence)
        #expect(after.lastMessageAt == nil)
        // A second step replaces the offset, and the other traits stay.
        #expect(try await storage.forgetHistory(of: "g", through: at(60), now: at(61)))
        let again = try await storage.memberRecords(of: "g")
        #expect(again[1].traits.messageOffset == at(60) && again[1].traits.mute == mute)
        #expect(again[3].traits.messageOffset == at(60))
        #expect(try await !storage.forgetHistory(of: "none", through: at(60), now: at(61)))
    }

    @Test func `a reset for all members is one change of the storage and one event`() async throws {
        let storage = HookedStorage(try await StorageKind.memory.make())
        let scene = try await BudgetScene(storage)
        await scene.fixture.send("before", "1", to: "g", on: scene.bob)
        let sent = try #require(try await storage.log(of: "g").last).message
        _ = (storage.takeCounts(), try scene.takeFrames())
        let answer = try await scene.ask(
            "PUT", "group_channels/g/reset_user_history", #"{"reset_all":true}"#, as: scene.ann)
        #expect(answer["ts_message_offset"]?.int == sent.createdAt.milliseconds)
        let counts = storage.takeCounts()
        #expect(counts["forgetHistory"] == 1 && counts["updateMember"] == nil, "\(counts)")
        for device in [scene.ann, scene.bob] {
            #expect(try device.inbox.take().map(\.category) == [.propertiesChanged])
        }
        scene.fixture.world.advance(10)
        await scene.fixture.send("after", "2", to: "g", on: scene.bob)
        for device in [scene.ann, scene.bob] {
            let page = try await scene.ask(
                "GET",
                "group_channels/g/messages?message_ts=9999999999999&prev_limit=9&next_limit=0",
                as: device)
            #expect(page["messages"]?.array?.map { $0["message"] } == ["after"])
        }
    }
}
