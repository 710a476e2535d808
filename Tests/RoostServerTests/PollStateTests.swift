// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostServer
import RoostWire
import Testing

struct PollStateTests {
    /// Makes a poll of Ann in the channel "g" and returns its number and its message.
    private static func poll(
        in scene: BudgetScene, _ more: String = ""
    ) async throws -> (id: Int64, message: Int64) {
        let poll = try await scene.ask(
            "POST", "polls", #"{"title":"Lunch?","options":["soup","bread"]\#(more)}"#,
            as: scene.ann)
        let id = try #require(poll["id"]?.int, "\(poll)")
        let sent = try await scene.ask(
            "POST", "group_channels/g/messages",
            #"{"message_type":"MESG","message":"lunch?","poll_id":\#(id)}"#, as: scene.ann)
        _ = (scene.ann.inbox.takeText(), scene.bob.inbox.takeText())
        return (id, try #require(sent["message_id"]?.int, "\(sent)"))
    }

    @Test(arguments: StorageKind.allCases)
    func `messages show a poll that has ended by its time as closed`(
        kind: StorageKind
    ) async throws {
        let scene = try await BudgetScene(try await kind.make())
        let end = scene.fixture.world.now.seconds + 60
        let poll = try await Self.poll(in: scene, #","close_at":\#(end)"#)
        let messages = "group_channels/g/messages"
        func statuses() async throws -> [JSONValue?] {
            var statuses: [JSONValue?] = []
            for device in [scene.bob, nil] {
                let list = try await scene.ask(
                    "GET", messages + "?message_ts=0&next_limit=9", as: device)
                statuses.append(list["messages"]?[0]?["poll"]?["status"])
                let changes = try await scene.ask(
                    "GET", messages + "/changelogs?change_ts=0", as: device)
                statuses.append(changes["updated"]?[0]?["poll"]?["status"])
                let single = try await scene.ask(
                    "GET", messages + "/\(poll.message)", as: device)
                statuses.append(single["poll"]?["status"])
                let found = try await scene.ask(
                    "GET", "search/messages?channel_url=g&query=lunch", as: device)
                statuses.append(found["results"]?[0]?["poll"]?["status"])
                let channel = try await scene.ask("GET", "group_channels/g", as: device)
                statuses.append(channel["last_message"]?["poll"]?["status"])
            }
            return statuses
        }
        #expect(try await statuses() == Array(repeating: "open", count: 10))
        scene.fixture.world.advance(61_000)
        #expect(try await statuses() == Array(repeating: "closed", count: 10))
    }

    @Test func `polls are read a few at a time, in pages of messages, lists and change logs`()
        async throws
    {
        let storage = HookedStorage(try await StorageKind.memory.make())
        let scene = try await BudgetScene(storage)
        var ids: [Int64] = []
        for _ in 0..<12 {
            scene.fixture.world.advance(10)
            ids.append(try await Self.poll(in: scene).id)
        }
        let pages =
            "group_channels/g/messages?message_ts=9999999999999&prev_limit=50&next_limit=0"
        for (path, field) in [
            (pages, "messages"), ("polls?channel_url=g&limit=20", "polls"),
            ("group_channels/g/polls/changelogs?change_ts=0", "updated"),
        ] {
            _ = storage.takeCounts()
            let answer = try await scene.ask("GET", path, as: scene.bob)
            let found = (answer[field]?.array ?? []).compactMap { row in
                (row["poll"] ?? row)["id"]?.int
            }
            #expect(found == ids, "\(path)")
            // A poll may have thousands of voters.
            let counts = storage.takeCounts()
            #expect(counts["documents"] ?? 0 >= 3, "\(path): \(counts)")
        }
    }

    @Test(arguments: StorageKind.allCases)
    func `the claim of a message whose server has ended expires after a time`(
        kind: StorageKind
    ) async throws {
        let storage = try await kind.make()
        let scene = try await BudgetScene(storage)
        let made = try await scene.ask(
            "POST", "polls", #"{"title":"Lunch?","options":["soup","bread"]}"#, as: scene.ann)
        let id = try #require(made["id"]?.int)
        let begun = scene.fixture.world.now.milliseconds
        _ = try await storage.updateDocument(id, .poll) { document in
            document.channelURL = "g"
            document.body["claim"] = 5
            document.body["claimed_at"] = .int(begun)
        }
        let path = "group_channels/g/messages"
        let body = #"{"message_type":"MESG","message":"lunch?","poll_id":\#(id)}"#
        scene.fixture.world.advance(300_000)
        #expect(try await scene.code("POST", path, body, as: scene.ann) == 400_201)
        scene.fixture.world.advance(1_000)
        let sent = try await scene.ask("POST", path, body, as: scene.ann)
        #expect(sent["message_id"]?.int != nil, "\(sent)")
        // The message carries the poll now, so no time gives it free.
        scene.fixture.world.advance(400_000)
        #expect(try await scene.code("POST", path, body, as: scene.ann) == 400_201)
    }

    @Test(arguments: StorageKind.allCases)
    func `a voter who takes the vote back makes room for another`(
        kind: StorageKind
    ) async throws {
        let scene = try await BudgetScene(try await kind.make()) { $0.limits.voters = 1 }
        let poll = try await Self.poll(in: scene)
        func vote(_ options: String, as device: ServerFixture.Device) async throws -> Int? {
            try await scene.code(
                "PUT", "polls/\(poll.id)/vote", #"{"option_ids":[\#(options)]}"#, as: device)
        }
        #expect(try await vote("1", as: scene.bob) == nil)
        #expect(try await vote("2", as: scene.ann) == 400_111)
        #expect(try await vote("2", as: scene.bob) == nil, "a voter may change the vote")
        #expect(try await vote("", as: scene.bob) == nil)
        #expect(try await vote("2", as: scene.ann) == nil)
        #expect(try await vote("1", as: scene.bob) == 400_111)
        // A removed option takes its votes along.
        #expect(
            try await scene.code("DELETE", "polls/\(poll.id)/options/2", as: scene.ann) == nil)
        #expect(try await vote("1", as: scene.bob) == nil)
    }

    @Test(arguments: StorageKind.allCases)
    func `a closed poll refuses a repeated vote and an empty one, and publishes neither`(
        kind: StorageKind
    ) async throws {
        let scene = try await BudgetScene(try await kind.make())
        let poll = try await Self.poll(in: scene)
        let path = "polls/\(poll.id)"
        func vote(_ options: String, as device: ServerFixture.Device) async throws -> Int? {
            try await scene.code(
                "PUT", path + "/vote", #"{"option_ids":[\#(options)]}"#, as: device)
        }
        for _ in 0..<2 { #expect(try await vote("1", as: scene.bob) == nil) }
        #expect(try await scene.code("PUT", path + "/close", as: scene.ann) == nil)
        _ = try scene.takeFrames()
        #expect(try await vote("1", as: scene.bob) == 400_111)
        #expect(try await vote("", as: scene.ann) == 400_111)
        #expect(try scene.takeFrames().isEmpty)
    }

    @Test(arguments: StorageKind.allCases)
    func `a closed poll can be deleted, and refuses every other change`(
        kind: StorageKind
    ) async throws {
        let scene = try await BudgetScene(try await kind.make())
        let poll = try await Self.poll(in: scene)
        let path = "polls/\(poll.id)"
        #expect(try await scene.code("PUT", path + "/close", as: scene.ann) == nil)
        #expect(
            try await scene.code("PUT", path, #"{"title":"Dinner?"}"#, as: scene.ann) == 400_111)
        #expect(try await scene.code("PUT", path + "/close", as: scene.ann) == 400_111)
        _ = try scene.takeFrames()
        #expect(try await scene.code("DELETE", path, as: scene.ann) == nil)
        #expect(try !scene.takeFrames().isEmpty, "the members hear of it")
        #expect(try await scene.code("DELETE", path, as: scene.ann) == 400_111)
    }

    @Test func `a change of a poll that another server has closed meanwhile is refused`()
        async throws
    {
        let storage = HookedStorage(try await StorageKind.memory.make())
        let scene = try await BudgetScene(storage)
        let poll = try await Self.poll(in: scene)
        let other = await ServerFixture(storage: storage.base, seed: 8)
        storage.before("updateDocument") {
            var headers = RequestHeaders()
            headers.apiToken = ServerFixture.apiToken
            let closing = APIRequest(.put, ["polls", "\(poll.id)", "close"])
            let answer = await other.server.respond(to: closing, headers: headers)
            #expect(answer.status == 200)
        }
        _ = try scene.takeFrames()
        let code = try await scene.code(
            "POST", "polls/\(poll.id)/options", #"{"text":"late"}"#, as: scene.ann)
        #expect(code == 400_111)
        #expect(try scene.takeFrames().isEmpty)
    }

    @Test(arguments: StorageKind.allCases)
    func `the change log of polls reads one page after its token, and splits no moment`(
        kind: StorageKind
    ) async throws {
        let storage = try await kind.make()
        let scene = try await BudgetScene(storage)
        var ids: [Int64] = []
        for number in 0..<150 {
            let moment: Int64 = number < 99 ? 5 : number < 102 ? 6 : 7
            let document = Document(
                .poll, of: "ann", in: number == 0 ? "h" : "g", body: ["changed": .int(moment)])
            ids.append(try await storage.addDocument(document).id)
        }
        ids.removeFirst()
        func page(_ place: String) async throws -> JSONValue {
            try await scene.ask(
                "GET", "group_channels/g/polls/changelogs?\(place)", as: scene.ann)
        }
        func numbers(_ page: JSONValue) -> [Int64?]? {
            page["updated"]?.array?.map { $0["id"]?.int }
        }
        let first = try await page("change_ts=0")
        #expect(numbers(first) == Array(ids[..<101]))
        #expect(first["has_more"] == true && first["next"] == "p6")
        // A change moves a poll to the end of the log.
        let moved = try await storage.updateDocument(ids[0], .poll) { $0.body["changed"] = 9 }
        #expect(moved != nil)
        let second = try await page("token=p6")
        #expect(numbers(second) == ids[101...] + [ids[0]])
        #expect(second["has_more"] == false && second["next"] == "p9")
        let slice = try await storage.documents(
            .poll, in: "g", changedAfter: (5, ids[97]), limit: 2)
        #expect(slice.map(\.id) == [ids[98], ids[99]])
    }

    @Test(arguments: StorageKind.allCases)
    func `two voters with canonically equivalent IDs have a vote each`(
        kind: StorageKind
    ) async throws {
        let scene = try await BudgetScene(try await kind.make())
        let poll = try await Self.poll(in: scene)
        let ids: [UserID] = ["jos\u{E9}", "jose\u{301}"]
        var devices: [ServerFixture.Device] = []
        for id in ids { devices.append(try await scene.fixture.connect(id)) }
        try await scene.fixture.call(
            InviteMembers(channelURL: "g", userIDs: ids), as: scene.ann)
        func vote(_ options: String, as device: ServerFixture.Device) async throws -> JSONValue? {
            try await scene.ask(
                "PUT", "polls/\(poll.id)/vote", #"{"option_ids":[\#(options)]}"#, as: device)
        }
        for (device, option) in zip(devices, ["1", "2"]) { _ = try await vote(option, as: device) }
        func voters() async throws -> [[String?]] {
            var voters: [[String?]] = []
            for option in 1...2 {
                let list = try await scene.ask(
                    "GET", "polls/\(poll.id)/options/\(option)/voters", as: scene.ann)
                voters.append(list["voters"]?.array?.map { $0["user_id"]?.string } ?? [])
            }
            return voters
        }
        let both = try await voters()
        #expect(both.map(\.count) == [1, 1])
        for (id, names) in zip(ids, both) {
            #expect(names.first??.utf8.elementsEqual(id.rawValue.utf8) == true)
        }
        for (device, option) in zip(devices, [Int64(1), 2]) {
            let message = try await scene.ask(
                "GET", "group_channels/g/messages/\(poll.message)", as: device)
            #expect(message["poll"]?["voted_option_ids"] == [.int(option)])
        }
        _ = try await vote("", as: devices[1])
        #expect(try await voters().map(\.count) == [1, 0])
    }

    @Test func `votes of one moment at two servers are both in the message`() async throws {
        let base = try await StorageKind.memory.make()
        let storage = HookedStorage(base)
        let scene = try await BudgetScene(storage)
        let other = await ServerFixture(storage: base, seed: 8)
        let poll = try await Self.poll(in: scene)
        let request = try APIRequest(
            method: "PUT", target: "/v3/polls/\(poll.id)/vote",
            body: Array(#"{"option_ids":[1]}"#.utf8))
        // Ann's vote is stored; before the message has it, Bob's is stored and in the message.
        storage.before("updateMessage") {
            _ = await other.server.respond(
                to: request, headers: RequestHeaders(sessionKey: scene.bob.key))
        }
        _ = await scene.fixture.server.respond(
            to: request, headers: RequestHeaders(sessionKey: scene.ann.key))
        let message = try await scene.ask(
            "GET", "group_channels/g/messages/\(poll.message)", as: scene.ann)
        #expect(message["poll"]?["options"]?[0]?["vote_count"] == 2)
    }
    @Test(arguments: [false, true])
    func `a change of a poll before its message is known to all servers reaches the members`(
        isRemoval: Bool
    ) async throws {
        let base = try await StorageKind.memory.make()
        let storage = HookedStorage(base)
        let scene = try await BudgetScene(storage)
        let other = await ServerFixture(storage: base, seed: 8)
        let poll = try await scene.ask(
            "POST", "polls", #"{"title":"Lunch?","options":["soup","bread"]}"#, as: scene.ann)
        let id = try #require(poll["id"]?.int)
        let key = scene.ann.key
        // The message is stored; before its poll names it, another server changes the poll.
        storage.before("append") {
            storage.before("updateDocument") {
                let request = try? APIRequest(
                    method: isRemoval ? "DELETE" : "PUT",
                    target: "/v3/polls/\(id)" + (isRemoval ? "" : "/close"), body: [])
                guard let request else { return }
                let answer = await other.server.respond(
                    to: request, headers: RequestHeaders(sessionKey: key))
                #expect(answer.status == 200)
            }
        }
        let sent = try await scene.ask(
            "POST", "group_channels/g/messages",
            #"{"message_type":"MESG","message":"lunch?","poll_id":\#(id)}"#, as: scene.ann)
        let told = try scene.bob.inbox.take().compactMap { event -> PollEvent? in
            if case .poll(let event) = event { event } else { nil }
        }
        #expect(told.map(\.messageID?.rawValue) == [sent["message_id"]?.int])
        guard case .edited(let shown)? = told.first?.change else {
            Issue.record("No member was told of the poll.")
            return
        }
        #expect(shown.status == (isRemoval ? .removed : .closed))
    }

    @Test func `a poll that is sent is announced by its message alone`() async throws {
        let scene = try await BudgetScene(try await StorageKind.memory.make())
        let poll = try await scene.ask(
            "POST", "polls", #"{"title":"Lunch?","options":["soup","bread"]}"#, as: scene.ann)
        let id = try #require(poll["id"]?.int)
        try await scene.ask(
            "POST", "group_channels/g/messages",
            #"{"message_type":"MESG","message":"lunch?","poll_id":\#(id)}"#, as: scene.ann)
        let told = try scene.bob.inbox.take()
        #expect(told.contains { $0.message != nil })
        #expect(!told.contains { if case .poll = $0 { true } else { false } })
    }
}
