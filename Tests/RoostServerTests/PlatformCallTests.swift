// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostServer
import RoostWire
import Testing

/// Logins by REST, marks of blocked users, and the small calls of the platform.
struct PlatformCallTests {
    /// A server with "ann", "bob" and "eve"; "ann" and "bob" are the members of "g".
    struct Scene {
        let fixture: ServerFixture
        let ann: ServerFixture.Device
        let bob: ServerFixture.Device
        let eve: ServerFixture.Device

        init(
            _ storage: (any Storage)? = nil,
            configure: (inout ChatServer.Configuration) -> Void = { _ in }
        ) async throws {
            fixture = await ServerFixture(storage: storage, configure: configure)
            ann = try await fixture.connect("ann")
            bob = try await fixture.connect("bob")
            eve = try await fixture.connect("eve")
            try await fixture.channel(of: ["ann", "bob"], by: ann)
            for device in [ann, bob, eve] { _ = device.inbox.takeText() }
        }

        /// Makes a raw call; nil is the platform.
        @discardableResult
        func ask(
            _ method: APIRequest.Method, _ path: String, _ body: String = "",
            as device: ServerFixture.Device? = nil
        ) async throws -> JSONValue {
            var headers = RequestHeaders(sessionKey: device?.key)
            if device == nil { headers.apiToken = ServerFixture.apiToken }
            return try await ask(method, path, body, headers)
        }

        func ask(
            _ method: APIRequest.Method, _ path: String, _ body: String, _ headers: RequestHeaders,
            of other: ServerFixture? = nil
        ) async throws -> JSONValue {
            let request = try APIRequest(
                method: method.rawValue, target: "/v3/" + path, body: Array(body.utf8))
            let answer = await (other ?? fixture).server.respond(to: request, headers: headers)
            return try JSONValue(parsing: answer.body)
        }
    }

    // MARK: Blocked users

    @Test(arguments: StorageKind.allCases)
    func `members and lists of blocked users say whom the asker blocks (protocol 4.1)`(
        kind: StorageKind
    ) async throws {
        let scene = try await Scene(try await kind.make())
        func marks(_ value: JSONValue?) -> [String: Bool] {
            var marks: [String: Bool] = [:]
            for user in value?.array ?? [] {
                marks[user["user_id"]?.string ?? ""] = user["is_blocked_by_me"]?.bool ?? false
            }
            return marks
        }
        let channel = "group_channels/g?show_member=true"
        let list = "users/ann/my_group_channels?show_member=true&show_empty=true"
        let before = try await scene.ask(.get, channel, as: scene.ann)
        #expect(marks(before["members"]) == ["ann": false, "bob": false])
        try await scene.ask(.post, "users/ann/block", #"{"target_id":"bob"}"#, as: scene.ann)
        let one = try await scene.ask(.get, channel, as: scene.ann)
        let all = try await scene.ask(.get, list, as: scene.ann)
        let members = try await scene.ask(.get, "group_channels/g/members", as: scene.ann)
        for answer in [one["members"], all["channels"]?[0]?["members"], members["members"]] {
            #expect(marks(answer) == ["ann": false, "bob": true])
        }
        let other = try await scene.ask(.get, channel, as: scene.bob)
        let neutral = try await scene.ask(.get, channel)
        for answer in [other, neutral] {
            #expect(marks(answer["members"]) == ["ann": false, "bob": false])
        }
        let blocked = try await scene.ask(.get, "users/ann/block", as: scene.ann)
        #expect(marks(blocked["users"]) == ["bob": true])
        let blockers = "users/bob/block?list=blocking_me"
        #expect(
            marks(try await scene.ask(.get, blockers, as: scene.bob)["users"]) == ["ann": false])
        try await scene.ask(.post, "users/bob/block", #"{"target_id":"ann"}"#, as: scene.bob)
        #expect(marks(try await scene.ask(.get, blockers, as: scene.bob)["users"]) == ["ann": true])
        try await scene.ask(.delete, "users/ann/block/bob", as: scene.ann)
        let after = try await scene.ask(.get, channel, as: scene.ann)
        #expect(marks(after["members"]) == ["ann": false, "bob": false])
    }

    // MARK: Logins

    @Test(arguments: StorageKind.allCases, ["login", "authentication"])
    func `a login by REST answers as LOGI, and its key makes calls (protocol 3.1)`(
        kind: StorageKind, word: String
    ) async throws {
        let scene = try await Scene(try await kind.make())
        let token = try await scene.ask(
            .put, "users/ann", #"{"issue_access_token":true}"#)["access_token"]?.string
        let login = try await scene.ask(
            .post, "users/ann/\(word)", #"{"app_id":"APP","include_logi":true}"#,
            RequestHeaders(accessToken: token))
        #expect(login["user_id"] == "ann" && login["ping_interval"] == 15)
        #expect(login["ekey"] != login["key"] && login["unread_cnt"]?["all"] == 0)
        let key = try #require(login["key"]?.string)
        let mine = try await scene.ask(
            .get, "users/ann/unread_message_count", "", RequestHeaders(sessionKey: key))
        #expect(mine["unread_count"] == 0)
        try await scene.ask(.delete, "users/ann/token")
        let over = try await scene.ask(
            .get, "users/ann/unread_message_count", "", RequestHeaders(sessionKey: key))
        #expect(over["error"] == true)
    }

    @Test func `a login by REST is refused like that of a socket (protocol 3.1)`() async throws {
        let storage = try await StorageKind.memory.make()
        let scene = try await Scene(storage)
        let strict = await ServerFixture(storage: storage) { $0.createsUsers = false }
        let token = try await scene.ask(
            .put, "users/ann", #"{"issue_access_token":true}"#)["access_token"]?.string
        try await scene.ask(.put, "users/eve", #"{"is_active":false}"#)
        let long = String(repeating: "x", count: 300)
        let cases: [(id: String, app: String, token: String?, code: RoostError.Code)] = [
            ("ann", "APP", nil, .tokenInvalid), ("ann", "APP", "1.wrong", .tokenInvalid),
            ("bob", "APP", token, .tokenInvalid), ("ann", "OTHER", token, .applicationNotFound),
            ("ann", "", token, .applicationNotFound), ("eve", "APP", nil, .userDeactivated),
            ("stranger", "APP", nil, .userNotFound), (long, "APP", nil, RoostError.Code(400_305)),
        ]
        for (id, app, token, code) in cases {
            let body = #"{"app_id":"\#(app)"}"#
            let answer = try await scene.ask(
                .post, "users/\(id)/login", body, RequestHeaders(accessToken: token), of: strict)
            #expect(answer["code"]?.int == Int64(code.rawValue), "\(id) \(app): \(answer)")
            #expect(answer["key"] == nil)
            let inbox = Inbox()
            let query = [
                QueryItem("ai", app), QueryItem("user_id", id),
                QueryItem("access_token", token ?? ""),
            ]
            #expect(await strict.server.connect(Handshake(query: query), inbox) == nil)
            #expect(inbox.takeText().first?.contains("\"code\":\(code.rawValue)") == true)
        }
    }

    @Test func `wrong tokens by REST count as failed logins of the user (protocol 3.1)`()
        async throws
    {
        let scene = try await Scene { $0.failedLoginRate = Rate(burst: 3, perSecond: 1) }
        try await scene.ask(.put, "users/ann", #"{"issue_access_token":true}"#)
        var codes: [Int64?] = []
        for _ in 0..<5 {
            codes.append(
                try await scene.ask(
                    .post, "users/ann/login", "{}", RequestHeaders(accessToken: "1.x"))["code"]?
                    .int)
        }
        #expect(codes.first == Int64(RoostError.Code.tokenInvalid.rawValue))
        #expect(codes.last == Int64(RoostError.Code.rateLimited.rawValue))
    }

    @Test(arguments: ["[]", "{", #"{"app_id":{"a":1}}"#, #"{"nickname":"LONG"}"#])
    func `a hostile login body opens no session (protocol 3.1)`(body: String) async throws {
        let scene = try await Scene()
        let text = body.replacing("LONG", with: String(repeating: "x", count: 3_000))
        let answer = try await scene.ask(.post, "users/bob/login", text, RequestHeaders())
        // An object instead of a text is no text, so it names no application.
        #expect((answer["error"] == true) == !body.contains("app_id"))
    }

    // MARK: Devices

    @Test(arguments: StorageKind.allCases)
    func `the platform finds and removes a device of several users by its token (protocol 3.14)`(
        kind: StorageKind
    ) async throws {
        let scene = try await Scene(try await kind.make())
        func owners(_ path: String = "gcm/a:b%2Fc") async throws -> JSONValue? {
            try await scene.ask(.get, "push/device_tokens/\(path)")["user_ids"]
        }
        func register(_ id: String, _ kind: String, _ token: String) async throws {
            let name = kind == "gcm" ? "gcm_reg_token" : "\(kind)_device_token"
            try await scene.ask(
                .post, "users/\(id)/push/\(kind)", #"{"\#(name)":"\#(token)"}"#)
        }
        for id in ["bob", "ann", "eve"] { try await register(id, "gcm", "a:b/c") }
        try await register("ann", "gcm", "other")
        try await register("ann", "apns", "a:b/c")
        let answer = try await scene.ask(.get, "push/device_tokens/gcm/a:b%2Fc")
        #expect(answer == ["user_id": "ann", "user_ids": ["ann", "bob", "eve"]])
        try await scene.ask(.delete, "users/bob/push/gcm", as: scene.bob)
        try await scene.ask(.delete, "users/eve")
        #expect(try await owners() == ["ann"])
        try await register("bob", "gcm", "a:b/c")
        #expect(try await scene.ask(.delete, "push/device_tokens/gcm/a:b%2Fc") == [:])
        #expect(try await owners() == nil)
        #expect(try await owners("gcm/other") == ["ann"])
        #expect(try await owners("apns/a:b%2Fc") == ["ann"])
        let left = try await scene.ask(.get, "users/ann/push/gcm", as: scene.ann)
        #expect(left["tokens"] == ["other"])
        #expect(try await scene.ask(.delete, "push/device_tokens/gcm/a:b%2Fc") == [:])
    }

    @Test(arguments: StorageKind.allCases)
    func `a device of many users is removed from all of them (protocol 3.14)`(
        kind: StorageKind
    ) async throws {
        let storage = try await kind.make()
        let scene = try await Scene(storage)
        for number in 0..<201 {
            let id = UserID("u\(number)")
            try await storage.addUser(User(id: id))
            try await storage.updateUser(id) {
                $0.traits.preferences["devices"] = ["gcm": ["t"]]
            }
        }
        #expect(try await storage.deviceOwners("gcm", "t", after: nil, limit: 500).count == 201)
        #expect(try await storage.deviceOwners("gcm", "t", after: "u98", limit: 500) == ["u99"])
        let some = try await scene.ask(.get, "push/device_tokens/gcm/t")
        #expect(some["user_ids"]?.array?.count == 100)
        try await scene.ask(.delete, "push/device_tokens/gcm/t")
        #expect(try await storage.deviceOwners("gcm", "t", after: nil, limit: 500).isEmpty)
    }

    @Test(arguments: [
        ("gcm/none", RoostError.Code.notFound), ("web/t", .invalidValue),
        ("gcm/%27%20OR%201=1", .notFound), ("gcm/%00", .notFound),
        ("gcm/" + String(repeating: "x", count: 9_000), .notFound),
    ])
    func `no device answers to a name that is none (protocol 3.14)`(
        path: String, code: RoostError.Code
    ) async throws {
        let scene = try await Scene(try await StorageKind.sqlite.make())
        try await scene.ask(.post, "users/ann/push/gcm", #"{"gcm_reg_token":"t"}"#)
        let answer = try await scene.ask(.get, "push/device_tokens/\(path)")
        #expect(answer["code"]?.int == Int64(code.rawValue))
    }

    // MARK: Small calls

    @Test func `the emoji are found by category and by key (protocol 3.14)`() async throws {
        let scene = try await Scene()
        let all = try await scene.ask(.get, "emoji_categories", as: scene.ann)
        let category = try await scene.ask(.get, "emoji_categories/1", as: scene.ann)
        #expect(all["emoji_categories"]?[0] == category)
        let emoji = try await scene.ask(.get, "emojis/heart", as: scene.ann)
        #expect(emoji == ["key": "heart", "url": ""])
        #expect(category["emojis"]?.array?.contains(emoji) == true)
        for path in ["emoji_categories/2", "emoji_categories/01", "emojis/none", "emojis/%00"] {
            let none = try await scene.ask(.get, path, as: scene.ann)
            #expect(none["code"]?.int == Int64(RoostError.Code.notFound.rawValue), "\(path)")
        }
    }

    @Test
    func
        `screenshots and choices of thread pushes are acknowledged only (protocol 3.3, 3.7)`()
        async throws
    {
        let scene = try await Scene()
        await scene.fixture.send("root", "1", to: "g", on: scene.ann)
        let log = try await scene.fixture.server.log(of: "g")
        let id = try #require(log.last?.message.messageID).rawValue
        for device in [scene.ann, scene.bob] { _ = device.inbox.takeText() }
        let push = "group_channels/g/messages/\(id)/thread_push"
        let shot = "group_channels/g/screenshot"
        #expect(try await scene.ask(.post, shot, as: scene.bob) == [:])
        #expect(try await scene.ask(.post, shot, #"{"user_id":"bob"}"#) == [:])
        #expect(try await scene.ask(.put, push, #"{"push_enabled":false}"#, as: scene.bob) == [:])
        #expect(scene.ann.inbox.takeText().isEmpty && scene.bob.inbox.takeText().isEmpty)
        let outsider = try await scene.ask(.post, shot, as: scene.eve)
        #expect(outsider["code"]?.int == Int64(RoostError.Code.notAMember.rawValue))
        let nameless = try await scene.ask(.post, shot)
        #expect(nameless["code"]?.int == Int64(RoostError.Code.parameterMissing.rawValue))
        for (body, code) in [
            ("{}", RoostError.Code.parameterMissing),
            (#"{"push_enabled":"maybe"}"#, RoostError.Code(400_104)),
        ] {
            let refused = try await scene.ask(.put, push, body, as: scene.bob)
            #expect(refused["code"]?.int == Int64(code.rawValue), "\(refused)")
        }
        let none = try await scene.ask(
            .put, "group_channels/g/messages/99/thread_push", #"{"push_enabled":true}"#,
            as: scene.bob)
        #expect(none["code"]?.int == Int64(RoostError.Code.messageNotFound.rawValue))
    }
}
