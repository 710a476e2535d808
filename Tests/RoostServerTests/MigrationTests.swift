// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostServer
import RoostWire
import Testing

/// The import of old messages.
struct MigrationTests {
    private typealias Scene = PlatformCallTests.Scene

    private static func text(
        _ text: String, at time: Int64, from id: String = "ann", _ more: String = ""
    ) -> String {
        #"{"message_type":"MESG","user_id":"\#(id)","message":"\#(text)","#
            + #""timestamp":\#(time)\#(more)}"#
    }

    private static func body(_ messages: [String], _ more: String = "") -> String {
        #"{"messages":[\#(messages.joined(separator: ","))]\#(more)}"#
    }

    @Test(arguments: StorageKind.allCases)
    func `old messages come into the log in order, with their own times and kinds (protocol 3.7)`(
        kind: StorageKind
    ) async throws {
        let scene = try await Scene(try await kind.make())
        let answer = try await scene.ask(
            .post, "migration/g",
            Self.body([
                Self.text("second", at: 2_000, from: "bob", #","data":"d","custom_type":"t""#),
                Self.text("first", at: 1_000, #","mentioned_user_ids":["bob"]"#),
                #"{"message_type":"ADMM","message":"third","timestamp":"3000"}"#,
                #"{"message_type":"FILE","user_id":"eve","url":"http://f","timestamp":4000}"#,
            ]))
        #expect(answer == [:])
        let log = try await scene.fixture.server.log(of: "g").map(\.message)
        #expect(log.map(\.createdAt.milliseconds) == [1_000, 2_000, 3_000, 4_000])
        #expect(log.map(\.content.kind) == ["MESG", "MESG", "ADMM", "FILE"])
        // A former member, or a user who never was one, keeps the messages of another system.
        #expect(log.map(\.sender?.user.id) == ["ann", "bob", nil, "eve"])
        #expect(log[0].mention.userIDs == ["bob"])
        #expect(log[1].data == "d" && log[1].customType == "t")
        let page = try await scene.ask(
            .get,
            "group_channels/g/messages?message_ts=2000&include=true&prev_limit=1&next_limit=1",
            as: scene.bob)
        let texts = page["messages"]?.array?.map { $0["message"]?.string }
        #expect(texts == ["first", "second", "third"])
    }

    @Test(arguments: StorageKind.allCases)
    func `a client learns of imported messages from events, changes and gaps (protocol 3.8, 3.9)`(
        kind: StorageKind
    ) async throws {
        let scene = try await Scene(try await kind.make())
        let old = try await scene.ask(.post, "migration/g", Self.body([Self.text("a", at: 1_000)]))
        #expect(old == [:])
        for device in [scene.ann, scene.bob] { _ = device.inbox.takeText() }
        scene.fixture.world.advance(5_000)
        // Both clients know the log up to this moment.
        let token = try await scene.fixture.call(
            MessageChangeLog(channelURL: "g", cursor: .since(.init(milliseconds: 0))), as: scene.bob
        ).next
        let login = scene.fixture.world.now
        scene.fixture.world.advance(5_000)
        try await scene.ask(
            .post, "migration/g",
            Self.body([Self.text("b", at: 2_000), Self.text("c", at: 2_000)]))
        let log = try await scene.fixture.server.log(of: "g").map(\.message)
        // Pages go by time, so no two messages have one.
        #expect(log.map(\.createdAt.milliseconds) == [1_000, 2_000, 2_001])
        let events = try scene.bob.inbox.take()
        let news = events.compactMap(\.message)
        #expect(news.map(\.message.text) == ["b", "c"])
        #expect(news.map(\.previousMessageID) == [log[0].messageID, log[1].messageID])
        #expect(events.last?.category == .propertiesChanged)
        #expect(try scene.eve.inbox.take().isEmpty)
        for cursor in [ChangeLogCursor.token(token), .since(login)] {
            let changes = try await scene.fixture.call(
                MessageChangeLog(channelURL: "g", cursor: cursor), as: scene.bob)
            #expect(changes.updated.map(\.text) == ["b", "c"])
        }
        let gap = try await scene.ask(
            .get,
            "group_channels/g/messages_gap?prev_start_ts=1000&prev_end_ts=1000&prev_cache_count=1"
                + "&next_start_ts=1000&next_end_ts=9007199254740991&next_cache_count=1",
            as: scene.bob)
        let found = gap["next_messages"]?.array?.map { $0["message"]?.string }
        #expect(found == ["a", "b", "c"])
    }

    @Test(arguments: StorageKind.allCases)
    func `an import that is not later than the log changes nothing (protocol 3.7)`(
        kind: StorageKind
    ) async throws {
        let scene = try await Scene(try await kind.make())
        await scene.fixture.send("new", "1", to: "g", on: scene.ann)
        let end = try #require(try await scene.fixture.server.log(of: "g").last).message
        let id = try #require(end.messageID)
        scene.fixture.world.advance(100)
        for device in [scene.ann, scene.bob] { _ = device.inbox.takeText() }
        let time = end.createdAt.milliseconds
        func refused(_ times: [Int64]) async throws -> Bool {
            let body = Self.body(times.map { Self.text("x", at: $0) })
            let answer = try await scene.ask(.post, "migration/g", body)
            return answer["code"]?.int == Int64(RoostError.Code.invalidValue.rawValue)
        }
        #expect(try await refused([1_000]))
        #expect(try await refused([time + 1, time]))
        try await scene.fixture.call(DeleteMessage(channelURL: "g", messageID: id), as: scene.ann)
        for device in [scene.ann, scene.bob] { _ = device.inbox.takeText() }
        // A client that has deleted the message knows the stretch before it as complete.
        #expect(try await refused([time - 1]))
        #expect(try await scene.fixture.server.log(of: "g").count == 1)
        #expect(scene.bob.inbox.takeText().isEmpty)
        #expect(try await !refused([time + 1]))
        // So the repeat of an import whose answer was lost imports nothing twice.
        #expect(try await refused([time + 1]))
        #expect(try await scene.fixture.server.log(of: "g").count == 2)
    }

    @Test(arguments: StorageKind.allCases)
    func `an import with a request ID twice, or a known one, is refused as a whole (protocol 3.7)`(
        kind: StorageKind
    ) async throws {
        let scene = try await Scene(try await kind.make())
        func put(_ ids: [String], from time: Int64) async throws -> Int64? {
            let messages = ids.enumerated().map { place, id in
                Self.text("m", at: time + Int64(place), #","dedup_id":"\#(id)""#)
            }
            return try await scene.ask(.post, "migration/g", Self.body(messages))["code"]?.int
        }
        func count() async throws -> Int { try await scene.fixture.server.log(of: "g").count }
        let duplicate = Int64(RoostError.Code.duplicate.rawValue)
        #expect(try await put(["a", "b", "a"], from: 1_000) == duplicate)
        #expect(try await count() == 0)
        // An empty ID is none.
        #expect(try await put(["", "", "a"], from: 1_000) == nil)
        #expect(try await count() == 3)
        #expect(try await put(["b", "a"], from: 5_000) == duplicate)
        #expect(try await count() == 3)
    }

    @Test(arguments: StorageKind.allCases)
    func `a live message follows an import, and an import unhides no channel (protocol 3.7)`(
        kind: StorageKind
    ) async throws {
        let scene = try await Scene(try await kind.make())
        try await scene.ask(.put, "group_channels/g/hide", #"{"user_id":"bob"}"#)
        let now = scene.fixture.world.now.milliseconds
        let dated = Self.text("old", at: now, #","dedup_id":"r""#)
        try await scene.ask(.post, "migration/g", Self.body([dated]))
        let hidden = try await scene.ask(.get, "group_channels/g", as: scene.bob)
        #expect(hidden["is_hidden"] == true)
        await scene.fixture.send("live", "2", to: "g", on: scene.ann)
        await scene.fixture.send("again", "r", to: "g", on: scene.ann)
        let log = try await scene.fixture.server.log(of: "g").map(\.message)
        #expect(log.map(\.text) == ["old", "live"])
        #expect(log.map(\.createdAt.milliseconds) == [now, now + 1])
        let shown = try await scene.ask(.get, "group_channels/g", as: scene.bob)
        #expect(shown["is_hidden"] == false)
    }

    @Test(
        arguments: StorageKind.allCases,
        [("", 0), (#","update_read_ts":true"#, 0), (#","rewind_read_ts":true"#, 2)])
    func `an import moves the members' read marks as the call says (protocol 3.7)`(
        kind: StorageKind, wanted: (flags: String, unread: Int64)
    ) async throws {
        let scene = try await Scene(try await kind.make())
        let messages = [Self.text("a", at: 1_000), Self.text("b", at: 2_000)]
        try await scene.ask(.post, "migration/g", Self.body(messages, wanted.flags))
        let count = try await scene.ask(.get, "users/bob/unread_message_count", as: scene.bob)
        #expect(count["unread_count"]?.int == wanted.unread)
        let sender = try await scene.ask(.get, "users/ann/unread_message_count", as: scene.ann)
        #expect(sender["unread_count"] == 0)
    }

    @Test(arguments: StorageKind.allCases)
    func
        `an import after the members' marks is unread unless it raises them (protocol 3.7)`(
            kind: StorageKind
        ) async throws
    {
        let scene = try await Scene(try await kind.make())
        func unread() async throws -> Int64? {
            try await scene.ask(.get, "users/bob/unread_message_count", as: scene.bob)[
                "unread_count"]?.int
        }
        var now = scene.fixture.world.now.milliseconds
        scene.fixture.world.advance(1_000)
        try await scene.ask(.post, "migration/g", Self.body([Self.text("a", at: now + 10)]))
        #expect(try await unread() == 1)
        try await scene.ask(
            .post, "migration/g",
            Self.body([Self.text("b", at: now + 20)], #","update_read_ts":true"#))
        #expect(try await unread() == 0)
        try await scene.ask(.put, "group_channels/g/messages/mark_as_read", as: scene.bob)
        now += 500
        // Both flags: the mark moves to the last imported message, back or forth.
        try await scene.ask(
            .post, "migration/g",
            Self.body(
                [Self.text("c", at: now)], #","update_read_ts":true,"rewind_read_ts":"true""#))
        #expect(try await unread() == 0)
        let channel = try await scene.ask(.get, "group_channels/g", as: scene.bob)
        #expect(channel["user_last_read"]?.int == now)
    }

    @Test(arguments: StorageKind.allCases)
    func `an imported reply is in its parent's thread (protocol 3.7)`(
        kind: StorageKind
    ) async throws {
        let scene = try await Scene(try await kind.make())
        try await scene.ask(.post, "migration/g", Self.body([Self.text("root", at: 1_000)]))
        let root = try #require(try await scene.fixture.server.log(of: "g").last?.message.messageID)
        try await scene.ask(
            .post, "migration/g",
            Self.body([
                Self.text("r1", at: 2_000, from: "bob", #","parent_message_id":\#(root.rawValue)"#),
                Self.text("r2", at: 3_000, from: "bob", #","parent_message_id":\#(root.rawValue)"#),
            ]))
        let parent = try await scene.fixture.call(
            GetMessage(channelURL: "g", messageID: root), as: scene.ann)
        #expect(parent.details.threadInfo?.replyCount == 2)
        #expect(parent.details.threadInfo?.lastRepliedAt?.milliseconds == 3_000)
    }

    @Test(arguments: [
        ("g", "{}", 400_105), ("g", #"{"messages":[]}"#, 400_105),
        ("g", #"{"messages":"x"}"#, 400_105), ("g", #"{"messages":[1]}"#, 400_403),
        ("g", #"{"messages":[{"message_type":"MESG","user_id":"ann","message":"x"}]}"#, 400_105),
        ("g", #"{"messages":[{"message_type":"MESG","message":"x","timestamp":1}]}"#, 400_105),
        ("g", #"{"messages":[{"message":"x","user_id":"ann","timestamp":1}]}"#, 400_105),
        ("g", body([text("x", at: 0)]), 400_111), ("g", body([text("x", at: -1)]), 400_111),
        ("g", body([text("x", at: .max)]), 400_111),
        ("g", body([text("x", at: 1_800_000_000_000)]), 400_111),
        ("g", body([text("x", at: 1, from: "nobody")]), 400_201),
        ("g", body([text("x", at: 1, #","poll_id":1"#)]), 400_111),
        ("g", body([text("x", at: 1, #","parent_message_id":99"#)]), 900_300),
        ("g", body([text(String(repeating: "x", count: 70_000), at: 1)]), 400_110),
        (
            "g",
            body([text("x", at: 1, #","dedup_id":"\#(String(repeating: "x", count: 3_000))""#)]),
            400_110
        ),
        ("g", body(Array(repeating: text("x", at: 1), count: 101)), 400_203),
        ("none", body([text("x", at: 1)]), 400_201),
        ("g", #"{"messages":[{"message_type":"BRDM","message":"x","timestamp":1}]}"#, 400_111),
    ])
    func `one bad message refuses the whole import (protocol 3.7)`(
        url: String, body: String, code: Int64
    ) async throws {
        let scene = try await Scene()
        // A good message comes first.
        let good = Self.text("good", at: 1) + ","
        let mixed = body.replacing("[{", with: "[\(good){", maxReplacements: 1)
        for text in [body, mixed] {
            let answer = try await scene.ask(.post, "migration/\(url)", text)
            #expect(answer["code"]?.int == code, "\(answer)")
        }
        #expect(try await scene.fixture.server.log(of: "g").isEmpty)
        #expect(scene.bob.inbox.takeText().isEmpty)
    }

    @Test func `members cannot import, and open channels take imports (protocol 3.7)`()
        async throws
    {
        let scene = try await Scene()
        let body = Self.body([Self.text("x", at: 1_000)])
        let member = try await scene.ask(.post, "migration/g", body, as: scene.ann)
        #expect(member["code"]?.int == Int64(RoostError.Code.notAuthorized.rawValue))
        try await scene.ask(.post, "open_channels", #"{"channel_url":"o"}"#)
        await scene.fixture.say(.enter("o", "e"), on: scene.bob)
        _ = scene.bob.inbox.takeText()
        #expect(try await scene.ask(.post, "migration/o", body) == [:])
        let frames = scene.bob.inbox.takeText()
        #expect(frames.count == 1 && frames[0].contains(#""channel_type":"open""#))
    }

    @Test(arguments: StorageKind.allCases)
    func `a storage imports all messages or none, and ends each mark where the flags say`(
        kind: StorageKind
    ) async throws {
        let storage = try await kind.make()
        for id in ["a", "b"] { try await storage.addUser(User(id: UserID(id))) }
        _ = try await storage.createChannel(
            StorageContractTests.channel("g", ["a", "b"]), now: StorageContractTests.start)
        func draft(_ text: String, _ time: Int64) -> Message {
            var message = StorageContractTests.draft(text)
            message.createdAt = Timestamp(milliseconds: time)
            return message
        }
        func put(_ messages: [Message], _ marks: ImportMarks) async throws -> ImportOutcome {
            try await storage.importMessages(
                messages, into: "g", marks, now: StorageContractTests.start)
        }
        #expect(try await put([], ImportMarks()) == .imported([]))
        let first = try await put([draft("x", 10), draft("y", 10)], ImportMarks(rewinds: true))
        guard case .imported(let appended) = first else { throw StorageError("\(first)") }
        #expect(appended.map(\.message.createdAt.milliseconds) == [10, 11])
        #expect(appended.map(\.previousID) == [nil, appended[0].message.messageID])
        #expect(try await storage.unreadCounts(in: "g", of: ["b"]) == ["b": 2])
        #expect(
            try await put([draft("z", 11)], ImportMarks(raises: true))
                == .tooOld(Timestamp(milliseconds: 11)))
        #expect(try await storage.log(of: "g").count == 2)
        #expect(try await storage.unreadCounts(in: "g", of: ["b"]) == ["b": 2])
        _ = try await put([draft("z", 12)], ImportMarks(raises: true))
        #expect(try await storage.unreadCounts(in: "g", of: ["b"]) == ["b": 0])
        let marks = try await storage.memberRecords(of: "g").map(\.lastRead?.milliseconds)
        #expect(marks == [12, 12])
        // The change has the present time, or a client would not find it since its last login.
        let changes = try await storage.messageChanges(
            in: "g", after: .time(StorageContractTests.start), limit: 9)
        #expect(changes.changes.count == 3)
        let none = try await storage.importMessages(
            [draft("x", 1)], into: "none", ImportMarks(), now: StorageContractTests.start)
        #expect(none == .notFound)
    }
}
