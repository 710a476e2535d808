// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostServer
import RoostWire
import Testing

/// The calls of the platform and of moderators, and their events.
struct PlatformTests {
    private struct Scene {
        let fixture: ServerFixture
        let chief: ServerFixture.Device
        let guest: ServerFixture.Device

        init(_ kind: StorageKind = .memory) async throws {
            fixture = await ServerFixture(storage: try await kind.make())
            chief = try await fixture.connect("chief")
            guest = try await fixture.connect("guest")
            try await fixture.call(
                CreateChannel(
                    channelURL: "g", userIDs: ["chief", "guest"], operatorIDs: ["chief"]),
                as: chief)
            _ = try guest.inbox.take()
        }

        /// Makes a raw call; nil is the platform.
        @discardableResult
        func ask(
            _ method: APIRequest.Method, _ path: String, _ body: String = "",
            as device: ServerFixture.Device? = nil
        ) async throws -> JSONValue {
            var headers = RequestHeaders(sessionKey: device?.key)
            if device == nil { headers.apiToken = ServerFixture.apiToken }
            let request = try APIRequest(
                method: method.rawValue, target: "/v3/" + path, body: Array(body.utf8))
            let answer = await fixture.server.respond(to: request, headers: headers)
            return try JSONValue(parsing: answer.body)
        }

        func send(_ text: String, by device: ServerFixture.Device) async throws -> MessageID {
            await fixture.send(text, RequestID(text), to: "g", on: device)
            let log = try await fixture.server.log(of: "g")
            return try #require(log.last { $0.message.text == text }?.message.messageID)
        }

        func channel(for user: UserID) async throws -> GroupChannel {
            try await fixture.call(GetChannel(channelURL: "g", userID: user), as: nil)
        }
    }

    @Test(arguments: StorageKind.allCases)
    func `a reaction is published, is in the change log, and can be removed (R200)`(
        kind: StorageKind
    ) async throws {
        let scene = try await Scene(kind)
        let id = try await scene.send("x", by: scene.chief)
        let start = try await scene.fixture.call(
            MessageChangeLog(channelURL: "g", cursor: .since(.init(milliseconds: 0))),
            as: scene.guest
        ).next
        _ = try scene.guest.inbox.take()
        let path = "group_channels/g/messages/\(id.rawValue)/reactions"
        for device in [scene.guest, scene.chief] {
            try await scene.ask(.post, path, #"{"reaction":"heart"}"#, as: device)
        }
        let events = try scene.guest.inbox.take()
        #expect(events.count == 2)
        guard case .reaction(let first) = events.first, case .reaction(let second) = events.last
        else { throw ServerError(.internalServerError, "No reactions came.") }
        #expect(
            first.change.userID == "guest" && first.change.isAdded
                && first.change.updatedAt < second.change.updatedAt)
        let changes = try await scene.fixture.call(
            MessageChangeLog(channelURL: "g", cursor: .token(start)), as: scene.guest)
        #expect(changes.updated.first?.details.reactions?.first?.userIDs == ["guest", "chief"])
        #expect(changes.updated.first?.updatedAt == nil)
        for device in [scene.guest, scene.chief] {
            try await scene.ask(.delete, path + "?reaction=heart", as: device)
        }
        let left = try await scene.fixture.call(
            GetMessage(channelURL: "g", messageID: id), as: scene.guest)
        #expect(left.details.reactions == [])
    }

    @Test(arguments: StorageKind.allCases)
    func `a removal of a reaction that is not there changes nothing and comes before any addition`(
        kind: StorageKind
    ) async throws {
        let scene = try await Scene(kind)
        let id = try await scene.send("x", by: scene.chief)
        let log = MessageChangeLog(channelURL: "g", cursor: .since(.init(milliseconds: 0)))
        let before = try await scene.fixture.call(log, as: scene.guest)
        _ = try scene.guest.inbox.take()
        let path = "group_channels/g/messages/\(id.rawValue)/reactions"
        let removed = try await scene.ask(.delete, path + "?reaction=heart", as: scene.guest)
        #expect(try scene.guest.inbox.take().isEmpty)
        let after = try await scene.fixture.call(log, as: scene.guest)
        #expect(after.updated.count == before.updated.count && after.next == before.next)
        let added = try await scene.ask(.post, path, #"{"reaction":"heart"}"#, as: scene.guest)
        let times = [removed, added].map { $0["updated_at"]?.int }
        #expect(try #require(times[0]) < #require(times[1]))
        let again = try await scene.ask(.delete, path + "?reaction=heart", as: scene.chief)
        #expect(again["updated_at"]?.int == times[1])
        let left = try await scene.fixture.call(
            GetMessage(channelURL: "g", messageID: id), as: scene.guest)
        #expect(left.details.reactions?.first?.userIDs == ["guest"])
    }

    @Test(arguments: StorageKind.allCases)
    func `a thread counts its live replies and publishes each change (R200)`(
        kind: StorageKind
    ) async throws {
        let scene = try await Scene(kind)
        let root = try await scene.send("root", by: scene.chief)
        _ = try scene.chief.inbox.take()
        for text in ["a", "b"] {
            try await scene.ask(
                .post, "group_channels/g/messages",
                #"{"message_type":"MESG","message":"\#(text)","parent_message_id":\#(root.rawValue)}"#,
                as: scene.guest)
        }
        let threads = try scene.chief.inbox.take().compactMap { event in
            if case .thread(let thread) = event { thread } else { nil }
        }
        #expect(threads.map(\.parentID) == [root, root])
        let reply = try #require(try await scene.fixture.server.log(of: "g").last?.message)
        #expect(reply.details.parentPreview?.content == .user(text: "root"))
        let replyID = try #require(reply.messageID)
        try await scene.fixture.call(
            DeleteMessage(channelURL: "g", messageID: replyID), as: scene.guest)
        let parent = try await scene.fixture.call(
            GetMessage(channelURL: "g", messageID: root), as: scene.guest)
        #expect(parent.details.threadInfo?.replyCount == 1)
        #expect(parent.details.threadInfo?.mostReplies.map(\.id) == ["guest"])
        let nested = try await scene.ask(
            .post, "group_channels/g/messages",
            #"{"message_type":"MESG","message":"c","parent_message_id":\#(replyID.rawValue)}"#,
            as: scene.guest)
        #expect(nested["code"]?.int == 900_300)
    }

    @Test
    func `a frozen channel takes messages of operators only, and a mute ends by itself (R200)`()
        async throws
    {
        let scene = try await Scene()
        func say(_ text: String, _ device: ServerFixture.Device) async throws -> Int64? {
            try await scene.ask(
                .post, "group_channels/g/messages",
                #"{"message_type":"MESG","message":"\#(text)"}"#, as: device)["code"]?.int
        }
        try await scene.ask(.put, "group_channels/g/freeze", #"{"freeze":true}"#, as: scene.chief)
        #expect(try scene.guest.inbox.take().contains { $0.category == .frozen })
        #expect(try await say("1", scene.guest) == 900_050)
        #expect(try await say("2", scene.chief) == nil)
        try await scene.ask(
            .put, "group_channels/g/freeze", #"{"freeze":"False"}"#, as: scene.chief)
        #expect(try await say("3", scene.guest) == nil)
        try await scene.ask(
            .post, "group_channels/g/mute", #"{"user_id":"guest","seconds":"5"}"#, as: scene.chief)
        #expect(try await scene.channel(for: "guest").isMuted)
        #expect(try await say("4", scene.guest) == 900_041)
        scene.fixture.world.advance(5_000)
        #expect(try await !scene.channel(for: "guest").isMuted)
        #expect(try await say("5", scene.guest) == nil)
    }

    @Test func `a member hides a channel from the own list only, the platform from all lists`()
        async throws
    {
        let scene = try await Scene()
        let body = #"{"user_id":"guest","should_hide_all":true}"#
        for (device, isLeft) in [(scene.guest, true), (nil, false)] {
            try await scene.ask(.put, "group_channels/g/hide", body, as: device)
            let list = try await scene.fixture.call(
                ListMyChannels(userID: "chief", showsEmpty: true), as: scene.chief)
            #expect(list.channels.map(\.url) == (isLeft ? ["g"] : []))
        }
    }

    @Test func `a public channel that must not be found is listed for the platform only`()
        async throws
    {
        let scene = try await Scene()
        for (url, isFound) in [("open", true), ("secret", false)] {
            try await scene.ask(
                .post, "group_channels",
                #"{"channel_url":"\#(url)","user_ids":["chief"],"is_public":true,"#
                    + #""is_discoverable":\#(isFound)}"#)
        }
        for (device, expected) in [(scene.guest, ["open"]), (nil, ["open", "secret"])] {
            let answer = try await scene.ask(
                .get, "group_channels?public_mode=public&show_empty=true", as: device)
            let urls = answer["channels"]?.array?.compactMap { $0["channel_url"]?.string }
            #expect(urls == expected)
        }
    }

    @Test(arguments: StorageKind.allCases)
    func `a hidden channel has no unread count, and a message unhides it (R200)`(
        kind: StorageKind
    ) async throws {
        let scene = try await Scene(kind)
        _ = try await scene.send("before", by: scene.chief)
        for (flag, isBack) in [("true", true), ("false", false)] {
            try await scene.ask(
                .put, "group_channels/g/hide",
                #"{"allow_auto_unhide":\#(flag),"hide_previous_messages":true}"#, as: scene.guest)
            #expect(try await scene.channel(for: "guest").lastMessage == nil)
            let list = ListMyChannels(userID: "guest")
            #expect(try await scene.fixture.call(list, as: scene.guest).channels.isEmpty)
            _ = try await scene.send("after \(flag)", by: scene.chief)
            let shown = try await scene.fixture.call(list, as: scene.guest).channels
            #expect(shown.map(\.lastMessage?.text) == (isBack ? ["after \(flag)"] : []))
            let total = try await scene.ask(
                .get, "users/guest/unread_message_count", as: scene.guest)["unread_count"]
            #expect(total == (isBack ? 1 : 0))
        }
    }

    @Test(arguments: StorageKind.allCases)
    func
        `a deleted channel leaves its members' lists by their change logs and frees its URL (R196)`(
            kind: StorageKind
        ) async throws
    {
        let scene = try await Scene(kind)
        _ = try await scene.send("secret", by: scene.chief)
        let log = ChannelChangeLog(userID: "guest", cursor: .since(.init(milliseconds: 0)))
        let start = try await scene.fixture.call(log, as: scene.guest).next
        try await scene.ask(.delete, "group_channels/g", as: scene.chief)
        #expect(try scene.guest.inbox.take().contains { $0.category == .deleted })
        let changes = try await scene.fixture.call(
            ChannelChangeLog(userID: "guest", cursor: .token(start)), as: scene.guest)
        #expect(changes.deleted == ["g"])
        try await scene.fixture.channel(of: ["guest"], by: scene.guest)
        #expect(try await scene.fixture.server.log(of: "g").isEmpty)
        let again = try await scene.fixture.call(
            ChannelChangeLog(userID: "guest", cursor: .token(changes.next)), as: scene.guest)
        #expect(again.deleted.isEmpty)
        let outside = try await scene.fixture.call(
            ChannelChangeLog(userID: "chief", cursor: .since(.init(milliseconds: 0))),
            as: scene.chief)
        #expect(outside.deleted == ["g"])
    }

    @Test(arguments: StorageKind.allCases)
    func `a token ends at its time, and a revoked user's sockets are closed`(
        kind: StorageKind
    ) async throws {
        let scene = try await Scene(kind)
        let end = scene.fixture.world.now.milliseconds + 1_000
        let token = try #require(
            try await scene.ask(
                .post, "users/guest/token", #"{"expires_at":\#(end)}"#)["token"]?.string)
        let device = try await scene.fixture.connect(
            "guest", extra: [QueryItem("access_token", token)])
        #expect(try await scene.ask(.get, "group_channels/g", as: device)["code"] == nil)
        scene.fixture.world.advance(1_000)
        #expect(try await scene.ask(.get, "group_channels/g", as: device)["code"] == 400_309)
        await scene.fixture.send("late", "late", to: "g", on: device)
        #expect(try device.inbox.take().first?.error?.code == .sessionKeyExpired)
        let inbox = Inbox()
        let again = Handshake(
            query: [
                QueryItem("ai", "APP"), QueryItem("user_id", "guest"),
                QueryItem("access_token", token),
            ])
        #expect(await scene.fixture.server.connect(again, inbox) == nil)
        try await scene.ask(.delete, "users/guest/token")
        #expect(scene.guest.inbox.isClosed)
        #expect(try await scene.ask(.get, "group_channels/g", as: scene.guest)["code"] == 400_309)
    }

    @Test
    func `a socket that is silent for two pings is closed, and an active one stays`()
        async throws
    {
        let scene = try await Scene()
        let patience: Int64 = 35_000
        scene.fixture.world.advance(patience)
        await scene.fixture.server.receive("PING{\"id\":1}", from: scene.guest.session)
        await scene.fixture.server.dropIdle()
        #expect(!scene.chief.inbox.isClosed)
        scene.fixture.world.advance(1)
        await scene.fixture.server.dropIdle()
        #expect(scene.chief.inbox.isClosed && !scene.guest.inbox.isClosed)
        #expect(await scene.fixture.server.sessionCount == 1)
    }
}
