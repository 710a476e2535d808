// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostServer
import RoostWire
import Testing

/// Channels without their members.
struct BriefStateTests {
    private static let extras = ChannelExtras(
        members: false, readReceipts: false, deliveryReceipts: false)

    @Test(arguments: StorageKind.allCases)
    func `a view without members is the same whether the others were read or not`(
        kind: StorageKind
    ) async throws {
        let storage = try await kind.make()
        let now = Timestamp(seconds: 1_000)
        for id in ["maker", "ann", "bob", "cy", "stranger"] {
            try await storage.addUser(User(id: UserID(id), nickname: id.uppercased()))
        }
        for url: ChannelURL in ["g", "h"] {
            let record = ChannelRecord(url: url, createdAt: now, createdBy: "maker")
            _ = try await storage.createChannel(
                NewChannel(record: record, members: ["maker", "ann", "bob"]), now: now)
            _ = try await storage.addMembers(
                ["cy"], as: .invited, inviter: url == "g" ? "ann" : "maker", to: url, now: now)
            _ = try await storage.append(
                StorageContractTests.draft("text", from: "ann", to: url),
                now: now.advanced(by: 1))
        }
        _ = try await storage.removeMember("maker", from: "h", now: now)
        for viewer: UserID? in ["maker", "ann", "bob", "cy", "stranger", nil] {
            let urls: [ChannelURL] = ["h", "none", "g"]
            let whole = try await storage.channelStates(urls, viewer: viewer)
            let brief = try await storage.channelStates(urls, viewer: viewer, withMembers: false)
            #expect(brief.map(\.record.url) == ["h", "g"])
            #expect(brief.map(\.tally?.members) == [3, 4] && brief.map(\.tally?.joined) == [2, 3])
            #expect(brief.allSatisfy { $0.members.count <= 3 })
            #expect(
                brief.map { $0.view(for: viewer, Self.extras, at: now) }
                    == whole.map { $0.view(for: viewer, Self.extras, at: now) })
        }
        let invited = try await storage.channelStates(["g"], viewer: "cy", withMembers: false)
        #expect(invited.first?.view(for: "cy", Self.extras, at: now).inviter?.nickname == "ANN")
    }

    @Test func `lists, unread filters and counts read no members that they do not show`()
        async throws
    {
        let storage = HookedStorage(try await StorageKind.memory.make())
        let scene = try await BudgetScene(storage)
        scene.fixture.world.advance(1)
        await scene.fixture.send("text", "r", to: "g", on: scene.bob)
        let own = "users/ann/my_group_channels?show_empty=true"
        for (path, needsMembers) in [
            (own, false), (own + "&unread_filter=unread_message", false),
            (own + "&show_member=true", true), (own + "&show_read_receipt=true", true),
            (own + "&members_include_in=bob", true),
            ("users/ann/my_group_channels/changelogs?change_ts=0", false),
            ("group_channels/g", false), ("group_channels", false),
            ("group_channels?members_nickname_contains=bob", true),
            ("users/ann/unread_message_count", false), ("users/ann/unread_channel_count", false),
            ("users/ann/unread_item_count", false),
        ] {
            _ = storage.takeCounts()
            let isOfPlatform = path.hasPrefix("group_channels")
            let answer = try await scene.answer("GET", path, as: isOfPlatform ? nil : scene.ann)
            #expect(answer.errorCode == nil, "\(path)")
            let counts = storage.takeCounts()
            #expect((counts["membersOfStates"] != nil) == needsMembers, "\(path): \(counts)")
            #expect(counts["channelStates"] != nil, "\(path): \(counts)")
        }
        let channels = try await scene.ask("GET", own, as: scene.ann)["channels"]?.array
        #expect(channels?.first?["member_count"]?.int == 2)
        #expect(channels?.first?["unread_message_count"]?.int == 1)
    }
}
