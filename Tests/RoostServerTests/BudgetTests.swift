// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostServer
import RoostWire
import Testing

/// The bounds of lists in a call, and of the cost of an answer.
struct BudgetTests {
    private func list(_ count: Int, _ element: (Int) -> String) -> String {
        "[" + (0..<count).map { "\"\(element($0))\"" }.joined(separator: ",") + "]"
    }

    @Test func `a user ID that is repeated a thousand times is answered once`() async throws {
        let scene = try await BudgetScene()
        let names = Array(repeating: "bob", count: 1_000).joined(separator: ",")
        let users = try await scene.ask("GET", "users?user_ids=" + names, as: scene.ann)["users"]
        #expect(users?.array?.count == 1)
        let repeated = Array(repeating: "user_ids=bob", count: 1_000).joined(separator: "&")
        let others = try await scene.ask("GET", "users?" + repeated, as: scene.ann)["users"]
        #expect(others?.array?.count == 1)
    }

    @Test func `every list of a call becomes a set in the order of first occurrence`() throws {
        let body = #"{"a":["x","y","x",1,"1"],"b":"x, y,x","c":[]}"#
        let fields = try RequestFields(
            APIRequest(
                .post, [], query: [.init("d", "q"), .init("d", "p"), .init("d", "q")],
                body: Array(body.utf8)), pathParts: [])
        #expect(try fields.list("a") == ["x", "y", "1"])
        #expect(try fields.list("b") == ["x", "y"])
        #expect(try fields.list("c") == [])
        #expect(try fields.list("d") == ["q", "p"])
        #expect(try fields.list("none", "b") == ["x", "y"])
        #expect(try fields.list("none") == nil)
        #expect(try fields.users("a") == ["x", "y", "1"])
        // The names of two users, spelt with other code points of the same letters.
        let twins = try RequestFields(query: [QueryItem("a", "jos\u{E9},jose\u{301}")])
        #expect(try fields.users("a")?.count == 3 && twins.users("a")?.count == 2)
    }

    @Test(arguments: [
        ("POST", "users/ann/block", "user_ids"), ("POST", "group_channels", "user_ids"),
        ("POST", "group_channels/g/invite", "user_ids"),
        ("POST", "group_channels/g/operators", "operator_ids"),
        ("PUT", "users/ann", "preferred_languages"),
        ("PUT", "users/ann/mark_as_read_all", "channel_urls"),
        ("DELETE", "group_channels/g/messages/1/sorted_metaarray", "keys"),
    ])
    func `a list of more than 10,000 names is refused before it is built`(
        method: String, path: String, name: String
    ) async throws {
        let scene = try await BudgetScene()
        await scene.fixture.send("x", "r", to: "g", on: scene.ann)
        let names = list(20_000) { "\($0)" }
        #expect(
            try await scene.code(method, path, "{\"\(name)\":\(names)}", as: scene.ann) == 400_203)
        let text = (0..<20_000).map { "\($0)" }.joined(separator: ",")
        #expect(
            try await scene.code(method, path, "{\"\(name)\":\"\(text)\"}", as: scene.ann)
                == 400_203)
    }

    @Test(arguments: StorageKind.allCases)
    func `a list of blocked users is stored as a whole or refused as a whole`(
        kind: StorageKind
    ) async throws {
        let scene = try await BudgetScene(try await kind.make()) { $0.limits.blockedUsers = 3 }
        for name in ["c", "d", "e"] { _ = try await scene.fixture.connect(UserID(name)) }
        let path = "users/ann/block"
        let refused = try await scene.code(
            "POST", path, #"{"user_ids":["bob","nobody"]}"#, as: scene.ann)
        #expect(refused == 400_201)
        #expect(try await scene.ask("GET", path, as: scene.ann)["users"]?.array?.isEmpty == true)
        try await scene.ask("POST", path, #"{"user_ids":["bob","c","bob","ann"]}"#, as: scene.ann)
        #expect(try await scene.ask("GET", path, as: scene.ann)["users"]?.array?.count == 2)
        #expect(
            try await scene.code("POST", path, #"{"user_ids":["d","e"]}"#, as: scene.ann) == 400_203
        )
        #expect(
            try await scene.code("POST", path, #"{"user_ids":["d","c"]}"#, as: scene.ann) == nil)
    }

    @Test func `mentioned users are a set, and their number is bounded`() async throws {
        let scene = try await BudgetScene()
        let many = list(2_000) { _ in "bob" }
        let message = try await scene.ask(
            "POST", "group_channels/g/messages",
            #"{"message_type":"MESG","message":"x","mentioned_user_ids":\#(many)}"#, as: scene.ann)
        #expect(message["mentioned_users"]?.array?.count == 1)
        let different = list(101) { "u\($0)" }
        #expect(
            try await scene.code(
                "POST", "group_channels/g/messages",
                #"{"message_type":"MESG","message":"x","mentioned_user_ids":\#(different)}"#,
                as: scene.ann) == 400_203)
        let id = message["message_id"]?.int ?? 0
        let edited = try await scene.ask(
            "PUT", "group_channels/g/messages/\(id)",
            #"{"message":"y","mentioned_user_ids":\#(many)}"#, as: scene.ann)
        #expect(edited["mentioned_users"]?.array?.count == 1)
    }

    @Test func `the last meta array of a key replaces the others`() async throws {
        let scene = try await BudgetScene()
        let message = try await scene.ask(
            "POST", "group_channels/g/messages",
            #"{"message_type":"MESG","message":"x","metaarray":{"k":["1"],"l":["2"],"k":["3"]}}"#,
            as: scene.ann)
        let arrays = message["sorted_metaarray"]?.array ?? []
        #expect(arrays.map { $0["key"] } == ["k", "l"])
        #expect(arrays.map { $0["value"]?[0] } == ["3", "2"])
    }

    @Test(arguments: StorageKind.allCases)
    func `collections of a user are bounded`(kind: StorageKind) async throws {
        let scene = try await BudgetScene(try await kind.make()) { configuration in
            configuration.limits.devices = 3
            configuration.limits.languages = 2
            configuration.limits.scheduledMessages = 2
        }
        for number in 0..<5 {
            try await scene.ask(
                "POST", "users/ann/push/gcm", #"{"gcm_reg_token":"t\#(number)"}"#, as: scene.ann)
        }
        let tokens = try await scene.ask("GET", "users/ann/push/gcm", as: scene.ann)["tokens"]
        #expect(tokens == ["t2", "t3", "t4"], "a new device takes the oldest one's place")
        let long = String(repeating: "t", count: 2_049)
        #expect(
            try await scene.code(
                "POST", "users/ann/push/gcm", #"{"gcm_reg_token":"\#(long)"}"#, as: scene.ann)
                == 400_110)
        let languages = #"{"preferred_languages":["a","b","c"]}"#
        #expect(try await scene.code("PUT", "users/ann", languages, as: scene.ann) == 400_203)
        let settings = String(repeating: "x", count: 140_000)
        #expect(
            try await scene.code(
                "PUT", "users/ann/push_preference", #"{"dnd_schedules":["\#(settings)"]}"#,
                as: scene.ann) == 400_110)
        let later = scene.fixture.world.now.milliseconds + 1_000
        let draft = #"{"message_type":"MESG","message":"x","scheduled_at":\#(later)}"#
        let path = "group_channels/g/scheduled_messages"
        let first = try await scene.ask("POST", path, draft, as: scene.ann)
        try await scene.ask("POST", path, draft, as: scene.ann)
        #expect(try await scene.code("POST", path, draft, as: scene.ann) == 400_203)
        let id = first["scheduled_message_id"]?.int ?? 0
        try await scene.ask("DELETE", "\(path)/\(id)", as: scene.ann)
        #expect(try await scene.code("POST", path, draft, as: scene.ann) == nil)
    }

    @Test func `collections of a channel are bounded`() async throws {
        let scene = try await BudgetScene { configuration in
            configuration.limits.operators = 2
            configuration.limits.members = 3
        }
        for name in ["c", "d"] { _ = try await scene.fixture.connect(UserID(name)) }
        #expect(
            try await scene.code(
                "POST", "group_channels/g/invite", #"{"user_ids":["c","d"]}"#, as: scene.ann)
                == 400_203)
        #expect(
            try await scene.code(
                "POST", "group_channels/g/invite", #"{"user_ids":["c"]}"#, as: scene.ann) == nil)
        #expect(
            try await scene.code(
                "POST", "group_channels/g/operators", #"{"operator_ids":["bob","c"]}"#,
                as: scene.ann) == 400_203)
        #expect(
            try await scene.code(
                "POST", "group_channels/g/operators", #"{"operator_ids":["bob"]}"#,
                as: scene.ann) == nil)
        #expect(
            try await scene.code(
                "DELETE", "group_channels/g/operators", #"{"operator_ids":["ann","bob","c"]}"#,
                as: scene.ann) == 400_203)
        let kept = try await scene.ask("GET", "group_channels/g/operators", as: scene.ann)
        #expect(kept["operators"]?.array?.count == 2)
        let open = #"{"channel_url":"o","operator_ids":["ann","bob","c"]}"#
        #expect(try await scene.code("POST", "open_channels", open, as: scene.ann) == 400_203)
    }

    @Test(arguments: StorageKind.allCases)
    func `a poll has a bounded number of voters`(kind: StorageKind) async throws {
        let scene = try await BudgetScene(try await kind.make()) { $0.limits.voters = 1 }
        let poll = try await scene.ask(
            "POST", "polls", #"{"title":"t","options":["a","b"]}"#, as: scene.ann)
        let id = poll["id"]?.int ?? 0
        try await scene.ask(
            "POST", "group_channels/g/messages",
            #"{"message_type":"MESG","message":"x","poll_id":\#(id)}"#, as: scene.ann)
        let vote = #"{"option_ids":[1,1]}"#
        #expect(try await scene.code("PUT", "polls/\(id)/vote", vote, as: scene.ann) == nil)
        #expect(try await scene.code("PUT", "polls/\(id)/vote", vote, as: scene.bob) != nil)
        #expect(try await scene.code("PUT", "polls/\(id)/vote", vote, as: scene.ann) == nil)
    }

    @Test func `a command counts before it is decoded, readable or not`() async throws {
        let scene = try await BudgetScene { $0.userRate = Rate(burst: 5, perSecond: 1) }
        scene.fixture.world.advance(10_000)
        for text in ["MESG{", "nonsense", "MESG[]", "XXXX{]"] {
            await scene.fixture.server.receive(text, from: scene.ann.session)
        }
        await scene.fixture.send("1", "r1", to: "g", on: scene.ann)
        _ = scene.ann.inbox.takeText()
        await scene.fixture.send("2", "r2", to: "g", on: scene.ann)
        #expect(try scene.ann.inbox.take().map { $0.error?.code } == [.rateLimited])
    }

    @Test func `a long command counts as several, and pings have a bounded allowance`()
        async throws
    {
        let scene = try await BudgetScene { $0.userRate = Rate(burst: 4, perSecond: 1) }
        scene.fixture.world.advance(10_000)
        let long = String(repeating: " ", count: 3 * 65_536)
        await scene.fixture.server.receive("XXXX{}" + long, from: scene.ann.session)
        await scene.fixture.send("1", "r1", to: "g", on: scene.ann)
        #expect(try scene.ann.inbox.take().map { $0.error?.code } == [.rateLimited])
        for _ in 0..<100 { await scene.fixture.say(.ping(Ping(id: 1)), on: scene.bob) }
        #expect(scene.bob.inbox.takeText().count == 64, "60 pings are free, 4 count")
        await scene.fixture.send("1", "r1", to: "g", on: scene.bob)
        #expect(try scene.bob.inbox.take().map { $0.error?.code } == [.rateLimited])
    }
    // MARK: Frames of many commands

    @Test func `a text frame is read up to its 256th command`() async throws {
        let scene = try await BudgetScene()
        let text = String(repeating: "PING{\"id\":1}\n", count: 300)
        await scene.fixture.server.take(text, from: scene.ann.session)
        #expect(try scene.ann.inbox.take().count == 256)
    }

    @Test func `unreadable commands beyond the rate end the reading of their frame`() async throws {
        let scene = try await BudgetScene { $0.userRate = Rate(burst: 5, perSecond: 1) }
        func answers(afterUnreadable count: Int) async throws -> Int {
            scene.fixture.world.advance(60_000)
            let text = String(repeating: "a\n", count: count) + "PING{\"id\":1}\n"
            await scene.fixture.server.take(text, from: scene.ann.session)
            return try scene.ann.inbox.take().count
        }
        #expect(try await answers(afterUnreadable: 4) == 1)
        #expect(try await answers(afterUnreadable: 20) == 0)
    }

    @Test func `bytes outside of commands count for the sender's rate`() async throws {
        let scene = try await BudgetScene { $0.userRate = Rate(burst: 5, perSecond: 1) }
        scene.fixture.world.advance(60_000)
        let text = "PING{\"id\":1}\n" + String(repeating: "\n", count: 200_000)
        var counts: [Int] = []
        for _ in 0..<2 {
            await scene.fixture.server.take(text, from: scene.ann.session)
            counts.append(try scene.ann.inbox.take().count)
        }
        #expect(counts == [1, 0])
    }
}
