// SPDX-License-Identifier: Apache-2.0

import RoostExecutors
import RoostModel
import RoostServer
import RoostTestSupport
import RoostWire
import Testing

/// The bounds of the objects that one user can leave on the server.
struct UserLimitTests {
    private static let tooMany = 400_203

    @Test(arguments: StorageKind.allCases)
    func `a user creates a bounded number of channels, and a deleted one makes room after a month`(
        kind: StorageKind
    ) async throws {
        let scene = try await BudgetScene(try await kind.make()) { $0.limits.createdChannels = 3 }
        let two = try await scene.code(
            "POST", "group_channels", #"{"user_ids":[],"channel_url":"g2"}"#, as: scene.ann)
        let open = try await scene.code(
            "POST", "open_channels", #"{"channel_url":"o3"}"#, as: scene.ann)
        #expect(two == nil && open == nil)
        let more = #"{"user_ids":["bob"],"channel_url":"g4"}"#
        #expect(
            try await scene.code("POST", "group_channels", more, as: scene.ann) == Self.tooMany)
        #expect(
            try await scene.code("POST", "open_channels", #"{"channel_url":"o4"}"#, as: scene.ann)
                == Self.tooMany)
        #expect(
            try await scene.code(
                "POST", "group_channels", #"{"user_ids":["ann"],"channel_url":"b1"}"#,
                as: scene.bob) == nil, "each user has a limit of their own")
        #expect(try await scene.code("DELETE", "group_channels/g", as: scene.ann) == nil)
        scene.fixture.world.advance(StorageRules.deletionPeriod - 1)
        #expect(
            try await scene.code("POST", "group_channels", more, as: scene.ann) == Self.tooMany,
            "the rows of a deleted channel stay")
        scene.fixture.world.advance(1)
        #expect(try await scene.code("POST", "group_channels", more, as: scene.ann) == nil)
        #expect(
            try await scene.code(
                "POST", "group_channels", #"{"user_ids":["ann"],"channel_url":"p1"}"#, as: nil)
                == nil, "the platform has no limit")
    }

    @Test(arguments: StorageKind.allCases)
    func `a user at the limit can open an existing distinct channel`(
        kind: StorageKind
    ) async throws {
        let scene = try await BudgetScene(try await kind.make()) { $0.limits.createdChannels = 2 }
        let pair = CreateChannel(userIDs: ["ann", "bob"], isDistinct: true)
        let url = try await scene.fixture.call(pair, as: scene.ann).channel.url
        #expect(try await scene.fixture.call(pair, as: scene.ann).channel.url == url)
    }

    @Test(arguments: StorageKind.allCases)
    func `a user makes a bounded number of reports`(kind: StorageKind) async throws {
        let scene = try await BudgetScene(try await kind.make()) { $0.limits.reports = 2 }
        let report = #"{"report_category":"spam","offending_user_id":"bob"}"#
        for code in [nil, nil, Self.tooMany] {
            #expect(
                try await scene.code("POST", "report/group_channels/g", report, as: scene.ann)
                    == code)
        }
        #expect(
            try await scene.code("POST", "report/group_channels/g", report, as: scene.bob) == nil)
    }

    @Test func `a call creates a bounded number of unknown users`() async throws {
        let scene = try await BudgetScene { $0.limits.newUsers = 2 }
        func create(_ ids: [String]) async throws -> Int? {
            let list = ids.map { "\"\($0)\"" }.joined(separator: ",")
            return try await scene.code(
                "POST", "group_channels", #"{"user_ids":[\#(list)]}"#, as: scene.ann)
        }
        #expect(try await create(["bob", "n1", "n2", "n3"]) == Self.tooMany)
        #expect(try await create(["bob", "n1", "n2"]) == nil)
        #expect(try await create(["bob", "n1", "n2", "n3"]) == nil, "two of them are known now")
    }

    @Test(arguments: StorageKind.allCases)
    func `a user creates a bounded number of polls`(kind: StorageKind) async throws {
        let scene = try await BudgetScene(try await kind.make()) { $0.limits.createdPolls = 2 }
        let poll = #"{"title":"t","options":["a"]}"#
        for code in [nil, nil, Self.tooMany] {
            #expect(try await scene.code("POST", "polls", poll, as: scene.ann) == code)
        }
        #expect(try await scene.code("POST", "polls", poll, as: scene.bob) == nil)
    }

    @Test(arguments: StorageKind.allCases)
    func `a new scheduled message removes the oldest finished ones beyond the limit`(
        kind: StorageKind
    ) async throws {
        let scene = try await BudgetScene(try await kind.make()) {
            $0.limits.finishedScheduledMessages = 2
        }
        func schedule(_ device: ServerFixture.Device) async throws -> Int64 {
            let due = scene.fixture.world.now.milliseconds + 60_000
            let answer = try await scene.ask(
                "POST", "group_channels/g/scheduled_messages",
                #"{"message_type":"MESG","message":"x","scheduled_at":\#(due)}"#, as: device)
            return try #require(answer["scheduled_message_id"]?.int)
        }
        func known(_ device: ServerFixture.Device) async throws -> [Int64] {
            let list = try await scene.ask("GET", "scheduled_messages?limit=100", as: device)
            return (list["scheduled_messages"]?.array ?? []).compactMap {
                $0["scheduled_message_id"]?.int
            }
        }
        var ids: [Int64] = []
        let other = try await schedule(scene.bob)
        for _ in 0..<4 {
            ids.append(try await schedule(scene.ann))
            scene.fixture.world.advance(60_001)
            await scene.fixture.server.sendDue()
        }
        let waiting = try await schedule(scene.ann)
        #expect(try await known(scene.ann) == Array(ids.suffix(2)) + [waiting])
        #expect(try await known(scene.bob) == [other], "the messages of another user stay")
        #expect(
            try await scene.fixture.server.log(of: "g").count == 5, "sent messages stay in the log")
        let next = try await schedule(scene.ann)
        #expect(next > waiting, "no number is used twice")
    }

    private static func form(_ bytes: Int) -> APIRequest? {
        let text = String(repeating: "x", count: bytes)
        let body =
            "--B\r\nContent-Disposition: form-data; name=\"file\"; filename=\"f\"\r\n\r\n"
            + text + "\r\n--B--\r\n"
        return try? APIRequest(
            method: "POST", target: "/v3/storage/file", body: Array(body.utf8),
            contentType: "multipart/form-data; boundary=B")
    }

    @Test(arguments: StorageKind.allCases)
    func `a user uploads a bounded number of files and bytes`(kind: StorageKind) async throws {
        let files = MemoryFileStore(on: ThreadExecutor(name: "files"))
        let fixture = await ServerFixture(storage: try await kind.make(), files: files) {
            $0.limits.uploadedFiles = 3
            $0.limits.uploadedBytes = 1_000
        }
        let (ann, bob) = (try await fixture.connect("ann"), try await fixture.connect("bob"))
        func upload(_ bytes: Int, _ device: ServerFixture.Device?) async throws -> Int? {
            var headers = RequestHeaders(sessionKey: device?.key)
            if device == nil { headers.apiToken = ServerFixture.apiToken }
            let request = try #require(Self.form(bytes))
            return await fixture.server.respond(to: request, headers: headers).errorCode?.rawValue
        }
        #expect(try await upload(600, ann) == nil)
        #expect(try await upload(600, ann) == Self.tooMany, "too many bytes")
        #expect(try await upload(100, ann) == nil)
        #expect(try await upload(100, ann) == nil)
        #expect(try await upload(1, ann) == Self.tooMany, "too many files")
        #expect(try await upload(600, bob) == nil)
        #expect(try await upload(2_000, nil) == nil, "the platform has no limit")
        #expect(await files.count == 5)
        #expect(await files.begunCount == 0, "a refused file is dropped")
    }

    @Test(arguments: StorageKind.allCases)
    func `the picture of a refused call does not count among the user's files`(
        kind: StorageKind
    ) async throws {
        let files = MemoryFileStore(on: ThreadExecutor(name: "files"))
        let storage = try await kind.make()
        let fixture = await ServerFixture(storage: storage, files: files)
        let ann = try await fixture.connect("ann")
        let body =
            "--B\r\nContent-Disposition: form-data; name=\"profile_file\"; filename=\"f\"\r\n\r\nx"
            + "\r\n--B--\r\n"
        for (user, count) in [("bob", 0), ("ann", 1)] {
            let request = try APIRequest(
                method: "PUT", target: "/v3/users/\(user)", body: Array(body.utf8),
                contentType: "multipart/form-data; boundary=B")
            let answer = await fixture.server.respond(
                to: request, headers: RequestHeaders(sessionKey: ann.key))
            #expect((answer.status == 200) == (count == 1))
            let traits = try #require(try await storage.userRecord("ann")).traits
            #expect(traits.uploadedFiles == count && traits.uploadedBytes == Int64(count))
        }
    }

    @Test(arguments: StorageKind.allCases)
    func `a block and its end are published once, however often they are called`(
        kind: StorageKind
    ) async throws {
        let scene = try await BudgetScene(try await kind.make())
        let eve = try await scene.fixture.connect("eve")
        func heard() throws -> [Int] {
            try scene.bob.inbox.take().compactMap { event in
                if case .user(let category, _) = event { category } else { nil }
            }
        }
        for ids in [#"["bob"]"#, #"["bob"]"#, #"["ann","bob"]"#] {
            let body = #"{"user_ids":\#(ids)}"#
            #expect(try await scene.code("POST", "users/eve/block", body, as: eve) == nil)
        }
        #expect(try heard() == [20_001])
        for _ in 0..<2 {
            #expect(try await scene.code("DELETE", "users/eve/block/bob", as: eve) == nil)
        }
        #expect(try heard() == [20_000])
    }

    @Test(arguments: StorageKind.allCases)
    func `a ban of a user who is not in the channel is kept, and not published to that user`(
        kind: StorageKind
    ) async throws {
        let scene = try await BudgetScene(try await kind.make())
        let eve = try await scene.fixture.connect("eve")
        try await scene.ask("PUT", "group_channels/g", #"{"is_public":true}"#, as: scene.ann)
        try await scene.ask("POST", "open_channels", #"{"channel_url":"o"}"#, as: scene.ann)
        _ = (scene.bob.inbox.takeText(), eve.inbox.takeText())
        let ban = #"{"user_id":"eve","description":"words"}"#
        for place in ["group_channels/g", "open_channels/o"] {
            try await scene.ask("POST", place + "/ban", ban, as: scene.ann)
            try await scene.ask("DELETE", place + "/ban/eve", as: scene.ann)
            try await scene.ask("POST", place + "/ban", ban, as: scene.ann)
            #expect(eve.inbox.takeText().isEmpty, "\(place)")
        }
        try await scene.ask("POST", "open_channels/o/mute", ban, as: scene.ann)
        #expect(eve.inbox.takeText().isEmpty)
        #expect(
            try scene.bob.inbox.take().map(\.category) == [.banned, .unbanned, .banned],
            "the members hear of each")
        #expect(try await scene.code("PUT", "group_channels/g/join", "{}", as: eve) == 400_750)
        let member = #"{"user_id":"bob"}"#
        try await scene.ask("POST", "group_channels/g/ban", member, as: scene.ann)
        #expect(try scene.bob.inbox.take().map(\.category) == [.banned])
    }
}
