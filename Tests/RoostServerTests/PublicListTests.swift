// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostServer
import RoostWire
import Testing

struct PublicListTests {
    private struct Row {
        let query: String
        let member: [String]
        var stranger: [String]?
        var platform: [String]?
    }

    private static let all = ["coded", "empty", "frozen", "invited", "joined", "other"]

    private static let rows = [
        Row(query: "", member: all),
        Row(query: "show_empty=true&show_frozen=true&public_membership_mode=all", member: all),
        Row(
            query: "show_empty=false", member: ["frozen", "invited", "joined", "other"],
            platform: ["coded", "frozen", "invited", "joined", "other"]),
        Row(query: "show_frozen=false", member: all.filter { $0 != "frozen" }),
        Row(
            query: "public_membership_mode=joined", member: ["joined"], stranger: [],
            platform: all),
        Row(
            query: "member_state_filter=joined_only", member: ["joined"], stranger: [],
            platform: all),
        Row(
            query: "member_state_filter=invited_only", member: ["invited"], stranger: [],
            platform: all),
        Row(query: "members_include_in=bob", member: ["invited", "joined"]),
    ]

    @Test(arguments: StorageKind.allCases)
    func `the list of public channels obeys each condition for each viewer (R197, scar 104)`(
        kind: StorageKind
    ) async throws {
        let scene = try await BudgetScene(try await kind.make())
        let eve = try await scene.fixture.connect("eve")
        for name in ["joined"] + Self.all.filter({ $0 != "joined" }) {
            var new = CreateChannel(
                channelURL: ChannelURL(name),
                userIDs: ["invited", "joined"].contains(name) ? ["ann", "bob"] : ["ann"],
                operatorIDs: ["ann"])
            new.isPublic = true
            new.options.accessCode = name == "coded" ? "open" : nil
            try await scene.fixture.call(new, as: scene.ann)
            if name == "joined" {
                try await scene.ask(
                    "PUT", "users/bob/channel_invitation_preference",
                    #"{"auto_accept":false}"#, as: scene.bob)
            }
            guard name != "empty" else { continue }
            await scene.fixture.send("hi", RequestID(name), to: ChannelURL(name), on: scene.ann)
        }
        try await scene.ask(
            "PUT", "group_channels/frozen/freeze", #"{"freeze":true}"#, as: scene.ann)
        func urls(_ query: String, _ device: ServerFixture.Device?) async throws -> [String] {
            let page = try await scene.ask(
                "GET", "group_channels?limit=100&public_mode=public&" + query, as: device)
            return (page["channels"]?.array ?? []).compactMap { $0["channel_url"]?.string }
        }
        for row in Self.rows {
            #expect(try await urls(row.query, scene.bob).sorted() == row.member, "\(row.query)")
            #expect(
                try await urls(row.query, eve).sorted() == row.stranger ?? row.member,
                "\(row.query), a stranger")
            #expect(
                try await urls(row.query, nil).sorted() == row.platform ?? row.member,
                "\(row.query), the platform")
        }
    }
}
