// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostServer
import RoostWire
import Testing

struct InvitationTests {
    private let blocked = RoostError.Code(400_702)
    private let blocking = RoostError.Code(400_701)

    @Test(arguments: StorageKind.allCases)
    func `a new channel invites users who do not accept invitations automatically`(
        kind: StorageKind
    ) async throws {
        let scene = try await BudgetScene(try await kind.make())
        let dan = try await scene.fixture.connect("dan")
        try await scene.ask(
            "PUT", "users/bob/channel_invitation_preference", #"{"auto_accept":false}"#,
            as: scene.bob)
        _ = (scene.ann.inbox.takeText(), scene.bob.inbox.takeText())
        let made = try await scene.fixture.call(
            CreateChannel(channelURL: "new", userIDs: ["ann", "bob", "dan"]), as: scene.ann)
        #expect(made.channel.members.map(\.id) == ["ann", "bob", "dan"])
        #expect(made.channel.members.map(\.state) == [.joined, .invited, .joined])
        #expect(try scene.bob.inbox.take().compactMap(\.category) == [.invited, .joined])
        #expect(try dan.inbox.take().compactMap(\.category) == [.invited, .joined])
        let seen = try await scene.fixture.call(
            GetChannel(channelURL: "new", isInternal: true), as: scene.bob)
        #expect(seen.myState == .invited && seen.inviter?.id == "ann")
        await scene.fixture.send("hi", "r", to: "new", on: scene.bob)
        #expect(
            try scene.bob.inbox.take().first?.error?.code == RoostError.Code(900_023),
            "an invited user does not write")
    }

    @Test(arguments: StorageKind.allCases)
    func `an invited user's list does not depend on hidden messages`(
        kind: StorageKind
    ) async throws {
        let scene = try await BudgetScene(try await kind.make())
        try await scene.ask(
            "PUT", "users/bob/channel_invitation_preference", #"{"auto_accept":false}"#,
            as: scene.bob)
        func urls(_ query: String) async throws -> [String] {
            let list = try await scene.ask(
                "GET", "users/bob/my_group_channels?" + query, as: scene.bob)
            return (list["channels"]?.array ?? []).compactMap { $0["channel_url"]?.string }
        }
        for (channel, isPublic) in [("secret", false), ("open", true)] {
            var new = CreateChannel(channelURL: ChannelURL(channel), userIDs: ["ann", "bob"])
            new.isPublic = isPublic
            try await scene.fixture.call(new, as: scene.ann)
            scene.fixture.world.advance(1_000)
        }
        await scene.fixture.send("seen", "r-1", to: "g", on: scene.ann)
        for channel in ["open", "secret"] as [ChannelURL] {
            scene.fixture.world.advance(1_000)
            await scene.fixture.send("hidden", "r-2", to: channel, on: scene.ann)
        }
        let byMessage = "order=latest_last_message&show_empty="
        #expect(try await urls(byMessage + "false") == ["open", "g"])
        #expect(try await urls(byMessage + "true") == ["open", "g", "secret"])
        let changes = try await scene.ask(
            "GET", "users/bob/my_group_channels/changelogs?change_ts=0&show_empty=false",
            as: scene.bob)
        let updated = (changes["updated"]?.array ?? []).compactMap { $0["channel_url"]?.string }
        #expect(Set(updated) == ["open", "g"])
        try await scene.fixture.call(JoinChannel(channelURL: "secret"), as: scene.bob)
        #expect(try await urls(byMessage + "false") == ["secret", "open", "g"])
    }

    @Test(arguments: StorageKind.allCases)
    func `an existing distinct channel invites a former member who does not accept automatically`(
        kind: StorageKind
    ) async throws {
        let scene = try await BudgetScene(try await kind.make())
        let pair = CreateChannel(userIDs: ["ann", "bob"], isDistinct: true)
        let url = try await scene.fixture.call(pair, as: scene.ann).channel.url
        try await scene.fixture.call(LeaveChannel(channelURL: url), as: scene.bob)
        try await scene.ask(
            "PUT", "users/bob/channel_invitation_preference", #"{"auto_accept":false}"#,
            as: scene.bob)
        let again = try await scene.fixture.call(pair, as: scene.ann)
        #expect(!again.isCreated && again.channel.url == url)
        #expect(again.channel.members.first { $0.id == "bob" }?.state == .invited)
    }

    @Test(arguments: StorageKind.allCases)
    func `a user who blocks or is blocked cannot be brought into a new channel`(
        kind: StorageKind
    ) async throws {
        let scene = try await BudgetScene(try await kind.make())
        let pair = CreateChannel(userIDs: ["ann", "bob"], isDistinct: true)
        let url = try await scene.fixture.call(pair, as: scene.ann).channel.url
        try await scene.ask("POST", "users/bob/block", #"{"target_id":"ann"}"#, as: scene.bob)
        let fresh = CreateChannel(channelURL: "new", userIDs: ["ann", "bob"])
        #expect(
            await refusal { () async throws(APIFailure) in
                try await scene.fixture.call(fresh, as: scene.ann)
            } == blocked)
        #expect(
            await refusal { () async throws(APIFailure) in
                try await scene.fixture.call(fresh, as: scene.bob)
            } == blocking)
        #expect(try await scene.code("GET", "group_channels/new", as: nil) == 400_201)
        // Both are members of the distinct channel already.
        #expect(try await scene.fixture.call(pair, as: scene.ann).channel.url == url)
        try await scene.fixture.call(LeaveChannel(channelURL: url), as: scene.bob)
        #expect(
            await refusal { () async throws(APIFailure) in
                try await scene.fixture.call(pair, as: scene.ann)
            } == blocked)
        // The platform has every right.
        try await scene.fixture.call(fresh, as: nil)
    }
}
