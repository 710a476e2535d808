// SPDX-License-Identifier: Apache-2.0

import RoostExecutors
import RoostModel
import RoostServer
import RoostWire
import Testing

/// Rare calls: marks as unread, threads, invitations, blocks and pictures.
struct RareCallTests {
    private struct Pair {
        let fixture: ServerFixture
        let ann: ServerFixture.Device
        let bob: ServerFixture.Device

        init(
            _ storage: (any Storage)? = nil, files: (any FileStore)? = nil,
            configure: (inout ChatServer.Configuration) -> Void = { _ in }
        ) async throws {
            fixture = await ServerFixture(storage: storage, files: files, configure: configure)
            ann = try await fixture.connect("ann")
            bob = try await fixture.connect("bob")
        }

        func ask(
            _ method: String, _ path: String, _ body: String = "",
            as device: ServerFixture.Device?
        ) async throws -> JSONValue {
            let request = try APIRequest(
                method: method, target: "/v3/" + path, body: Array(body.utf8))
            return try await answer(request, as: device)
        }

        func answer(
            _ request: APIRequest, as device: ServerFixture.Device?
        ) async throws -> JSONValue {
            var headers = RequestHeaders(sessionKey: device?.key)
            if device == nil { headers.apiToken = ServerFixture.apiToken }
            headers.host = "chat.example"
            let answer = await fixture.server.respond(to: request, headers: headers)
            return try JSONValue(parsing: answer.body)
        }
    }

    @Test(arguments: StorageKind.allCases)
    func `a mark as unread restores the count on all sockets of the reader (protocol 3.11)`(
        kind: StorageKind
    ) async throws {
        let pair = try await Pair(try await kind.make())
        let second = try await pair.fixture.connect("bob")
        try await pair.fixture.channel(of: ["ann", "bob"], by: pair.ann)
        for text in ["1", "2", "3"] {
            pair.fixture.world.advance(10)
            await pair.fixture.send(text, RequestID(text), to: "g", on: pair.ann)
        }
        let log = try await pair.fixture.server.log(of: "g").map(\.message)
        try await pair.fixture.call(MarkAsRead(channelURL: "g"), as: pair.bob)
        for device in [pair.ann, pair.bob, second] { _ = try device.inbox.take() }
        let call = MarkAsRead(channelURL: "g", unreadFrom: log[1].messageID, uniqueID: "mine")
        let answer = try await pair.fixture.call(call, as: pair.bob)
        #expect(answer.unreadMessageCount == 2 && answer.totalUnreadCount == 2)
        #expect(answer.isExcluded && answer.uniqueID == "mine")
        #expect(answer.timestamp.milliseconds == log[1].createdAt.milliseconds - 1)
        let heard = second.inbox.takeText()
        #expect(heard.map { String($0.prefix(4)) } == ["READ", "SYEV"])
        #expect(heard[0].contains(#""is_excluded":true,"unique_id":"mine""#))
        #expect(heard[1].contains(#""cat":11000"#) && heard[1].contains(#""unique_id":"mine""#))
        #expect(pair.ann.inbox.takeText().isEmpty, "other members keep the receipt that they have")
        let count = try await pair.ask("GET", "users/bob/unread_message_count", as: pair.bob)
        #expect(count["unread_count"] == 2)
        let later = MarkAsRead(channelURL: "g", unreadFrom: log[2].messageID)
        let same = try await pair.fixture.call(later, as: pair.bob)
        #expect(same.unreadMessageCount == 2 && same.timestamp == answer.timestamp)
        let first = try #require(log[0].messageID)
        _ = try await pair.ask("DELETE", "group_channels/g/messages/\(first)", as: pair.ann)
        let deleted = try await pair.ask(
            "PUT", "group_channels/g/messages/mark_as_read",
            #"{"is_excluded":true,"message_id":\#(first)}"#, as: pair.bob)
        #expect(deleted["code"]?.int == Int64(RoostError.Code.messageNotFound.rawValue))
        let none = try await pair.ask(
            "PUT", "group_channels/g/messages/mark_as_read",
            #"{"is_excluded":true,"message_id":99}"#, as: pair.bob)
        #expect(none["code"]?.int == Int64(RoostError.Code.messageNotFound.rawValue))
        let nameless = try await pair.ask(
            "PUT", "group_channels/g/messages/mark_as_read", #"{"is_excluded":true}"#, as: pair.bob)
        #expect(nameless["code"]?.int == Int64(RoostError.Code.parameterMissing.rawValue))
    }

    @Test(arguments: StorageKind.allCases)
    func `a member with reset history sees later messages only, in every answer (protocol 3.3)`(
        kind: StorageKind
    ) async throws {
        let pair = try await Pair(try await kind.make())
        try await pair.fixture.channel(of: ["ann", "bob"], by: pair.ann)
        await pair.fixture.send("before", "1", to: "g", on: pair.ann)
        let old = try #require(try await pair.fixture.server.log(of: "g").last?.message.messageID)
        pair.fixture.world.advance(10)
        _ = try await pair.ask(
            "PUT", "group_channels/g/reset_user_history", #"{"user_id":"bob"}"#, as: nil)
        pair.fixture.world.advance(10)
        await pair.fixture.send("after", "2", to: "g", on: pair.ann)
        let hidden = try await pair.ask(
            "PUT", "group_channels/g/messages/mark_as_read",
            #"{"is_excluded":true,"message_id":\#(old)}"#, as: pair.bob)
        #expect(hidden["code"]?.int == Int64(RoostError.Code.messageNotFound.rawValue))
        let list = "group_channels/g/messages?message_ts=9999999999999&prev_limit=9&next_limit=0"
        for (device, texts) in [(pair.ann, ["before", "after"]), (pair.bob, ["after"])] {
            let page = try await pair.ask("GET", list, as: device)
            let seen = page["messages"]?.array?.map { $0["message"]?.string }
            #expect(seen == texts)
        }
        let one = try await pair.ask("GET", "group_channels/g/messages/\(old)", as: pair.bob)
        #expect(one["error"] == true)
        let changes = try await pair.ask(
            "GET", "group_channels/g/messages/changelogs?change_ts=1", as: pair.bob)
        #expect(changes["updated"]?.array?.count == 1)
    }

    @Test
    func
        `a banned user can neither join, be invited nor be added until the ban ends (protocol 3.4)`()
        async throws
    {
        let pair = try await Pair()
        _ = try await pair.ask(
            "POST", "group_channels",
            #"{"channel_url":"g","user_ids":["ann","bob"],"operator_ids":["ann"],"is_public":true}"#,
            as: nil)
        _ = try await pair.ask(
            "POST", "group_channels/g/ban", #"{"user_id":"bob"}"#, as: pair.ann)
        let join = try await pair.ask("PUT", "group_channels/g/join", "{}", as: pair.bob)
        #expect(join["code"] == 400_750)
        let invitation = try await pair.ask(
            "POST", "group_channels/g/invite", #"{"user_ids":["bob"]}"#, as: pair.ann)
        #expect(invitation["code"] == 400_750)
        _ = try await pair.ask("DELETE", "group_channels/g/ban/bob", as: pair.ann)
        let again = try await pair.ask("PUT", "group_channels/g/join", "{}", as: pair.bob)
        #expect(again["channel_url"] == "g")
    }

    @Test func `reading a thread is acknowledged, and the channel stays unread (protocol 2.7)`()
        async throws
    {
        let pair = try await Pair()
        try await pair.fixture.channel(of: ["ann", "bob"], by: pair.ann)
        pair.fixture.world.advance(10)
        await pair.fixture.send("root", "1", to: "g", on: pair.ann)
        let id = try #require(try await pair.fixture.server.log(of: "g").last?.message.messageID)
        for device in [pair.ann, pair.bob] { _ = try device.inbox.take() }
        await pair.fixture.say(.readThread("g", parentID: id, "r"), on: pair.bob)
        let answer = try #require(pair.bob.inbox.takeText().first)
        #expect(answer.hasPrefix(#"READ{"req_id":"r","channel_url":"g""#))
        #expect(answer.contains(#""parent_message_id":\#(id.rawValue)"#))
        #expect(pair.ann.inbox.takeText().isEmpty)
        let count = try await pair.ask("GET", "users/bob/unread_message_count", as: pair.bob)
        #expect(count["unread_count"] == 1)
        let eve = try await pair.fixture.connect("eve")
        await pair.fixture.say(.readThread("g", parentID: id, "r"), on: eve)
        #expect(try eve.inbox.take().map { $0.error?.code } == [.notAMember])
        await pair.fixture.say(.readThread("g", parentID: 99, "r"), on: pair.bob)
        #expect(try pair.bob.inbox.take().map { $0.error?.code } == [.messageNotFound])
    }

    @Test
    func `an accepted invitation is published once, beside the entry (protocol 2.8)`()
        async throws
    {
        let pair = try await Pair { $0.acceptsInvitations = false }
        try await pair.fixture.channel(of: ["ann"], by: pair.ann)
        try await pair.fixture.call(
            InviteMembers(channelURL: "g", userIDs: ["bob"]), as: pair.ann)
        _ = try pair.ann.inbox.take()
        let accepted = try await pair.ask("PUT", "group_channels/g/accept", "{}", as: pair.bob)
        #expect(accepted["channel_url"] == "g")
        #expect(try pair.ann.inbox.take().map(\.category) == [.joined, .invitationAccepted])
    }

    @Test(arguments: StorageKind.allCases)
    func `the blockers of a user are listed in pages until they unblock (protocol 3.1)`(
        kind: StorageKind
    ) async throws {
        let pair = try await Pair(try await kind.make())
        for name in ["cid", "dan", "eve"] { _ = try await pair.fixture.connect(UserID(name)) }
        for name in ["bob", "cid", "dan"] {
            _ = try await pair.ask("POST", "users/\(name)/block", #"{"target_id":"ann"}"#, as: nil)
        }
        _ = try await pair.ask("POST", "users/eve/block", #"{"target_id":"bob"}"#, as: nil)
        _ = try await pair.ask("DELETE", "users/cid/block/ann", as: nil)
        _ = try await pair.ask("POST", "users/cid/block", #"{"target_id":"eve"}"#, as: nil)
        var names: [JSONValue?] = []
        var token = ""
        repeat {
            let page = try await pair.ask(
                "GET", "users/ann/block?list=blocking_me&limit=1&token=\(token)", as: pair.ann)
            names += page["users"]?.array?.map { $0["user_id"] } ?? []
            token = page["next"]?.string ?? ""
        } while !token.isEmpty
        #expect(names == ["bob", "dan"])
        _ = try await pair.ask("DELETE", "users/bob", as: nil)
        let rest = try await pair.ask("GET", "users/ann/block?list=blocking_me", as: pair.ann)
        #expect(rest["users"]?.array?.map { $0["user_id"] } == ["dan"])
        let mine = try await pair.ask("GET", "users/dan/block", as: nil)
        #expect(mine["users"]?.array?.map { $0["user_id"] } == ["ann"])
    }

    @Test
    func `a user named twice in one call is blocked once, and nobody blocks oneself`() async throws
    {
        let pair = try await Pair()
        let answer = try await pair.ask(
            "POST", "users/ann/block", #"{"user_ids":["bob","ann","bob"]}"#, as: pair.ann)
        #expect(answer["users"]?.array?.map { $0["user_id"] } == ["bob"])
        let mine = try await pair.ask("GET", "users/ann/block", as: pair.ann)
        #expect(mine["users"]?.array?.map { $0["user_id"] } == ["bob"])
    }

    @Test(arguments: StorageKind.allCases)
    func `two calls that leave all channels at once both succeed`(kind: StorageKind) async throws {
        let pair = try await Pair(try await kind.make())
        for url in 1...20 {
            try await pair.fixture.channel(
                ChannelURL("g\(url)"), of: ["ann", "bob"], by: pair.ann)
        }
        async let first = pair.ask("PUT", "users/ann/my_group_channels/leave", "{}", as: pair.ann)
        async let second = pair.ask("PUT", "users/ann/my_group_channels/leave", "{}", as: pair.ann)
        for answer in [try await first, try await second] { #expect(answer["error"] == nil) }
        let left = try await pair.ask("GET", "users/ann/my_group_channels", as: pair.ann)
        #expect(left["channels"]?.array?.isEmpty == true)
    }

    @Test(arguments: [
        ("POST", "users", "user_id", "u", "profile"),
        ("PUT", "users/ann", "nickname", "A", "profile"),
        ("POST", "group_channels", "user_ids", "ann", "cover"),
        ("PUT", "group_channels/g", "name", "G", "cover"),
        ("POST", "open_channels", "channel_url", "p", "cover"),
        ("PUT", "open_channels/o", "name", "O", "cover"),
    ])
    func `a picture comes with the call that it belongs to (protocol 3.0)`(
        method: String, path: String, field: String, value: String, kind: String
    ) async throws {
        let store = MemoryFileStore(on: ThreadExecutor(name: "files"))
        let pair = try await Pair(files: store)
        try await pair.fixture.channel(of: ["ann"], by: pair.ann)
        _ = try await pair.ask("POST", "open_channels", #"{"channel_url":"o"}"#, as: pair.ann)
        let request = try APIRequest(
            method: method, target: "/v3/" + path,
            body: Array(
                ("--B\r\nContent-Disposition: form-data; name=\"\(field)\"\r\n\r\n\(value)\r\n"
                    + "--B\r\nContent-Disposition: form-data; name=\"\(kind)_file\"; "
                    + "filename=\"a.png\"\r\nContent-Type: image/png\r\n\r\nPIXELS\r\n--B--\r\n")
                    .utf8),
            contentType: "multipart/form-data; boundary=B")
        let answer = try await pair.answer(request, as: nil)
        let url = try #require(answer[kind + "_url"]?.string, "\(answer)")
        let prefix = "http://chat.example"
        #expect(url.hasPrefix(prefix + "/files/") && url.hasSuffix("/a.png"))
        let (id, file) = try #require(
            try await pair.fixture.server.file(at: String(url.dropFirst(prefix.count))))
        #expect(file == StoredFile(type: "image/png", byteCount: 6))
        #expect(await store.read(id, 0..<6) == Array("PIXELS".utf8))
        #expect(await store.begunCount == 0)
    }
}
