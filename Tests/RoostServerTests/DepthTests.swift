// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostExecutors
import RoostModel
import RoostSQLite
import RoostServer
import RoostWire
import Testing

/// Nested values, and unreadable stored rows.
struct DepthTests {
    private let messages = "group_channels/g/messages"

    /// The fields of calls that are stored as any JSON.
    private static let keptFields = [
        #""extended_message":VALUE"#, #""thumbnails":[{"url":"u","x":VALUE}]"#,
        #""files":[{"url":"u","x":VALUE}]"#,
        #""mentioned_message_template":VALUE"#, #""apple_critical_alert_options":{"x":VALUE}"#,
        #""sorted_metaarray":[{"key":"k","value":["v"],"x":VALUE}]"#, #""unknown":VALUE"#,
    ]

    @Test(arguments: keptFields)
    func `the deepest accepted message can be read in every answer and frame`(field: String)
        async throws
    {
        let scene = try await BudgetScene()
        let later = scene.fixture.world.now.milliseconds + 1_000
        func body(_ depth: Int, _ more: String = "") -> String {
            let value = field.replacing("VALUE", with: JSONValue.nested(depth))
            return #"{"message_type":"MESG","message":"x",\#(value)\#(more)}"#
        }
        var deepest = 0
        for depth in stride(from: 130, to: 0, by: -1) {
            let code = try await scene.code("POST", messages, body(depth), as: scene.ann)
            if code == nil {
                deepest = depth
                break
            }
        }
        #expect((50..<70).contains(deepest))
        let frame = "MESG" + body(deepest, #","channel_url":"g","req_id":"f""#)
        await scene.fixture.server.receive(frame, from: scene.ann.session)
        let deeper = "MESG" + body(deepest + 1, #","channel_url":"g","req_id":"d""#)
        await scene.fixture.server.receive(deeper, from: scene.ann.session)
        #expect(
            try scene.takeFrames().contains { $0.hasPrefix("EROR") }, "a frame has the same limit")
        let log = try await scene.fixture.server.log(of: "g").map(\.message)
        let first = try #require(log.first?.messageID).rawValue
        for more in [#","parent_message_id":\#(first)"#, #","is_reply_to_channel":true"#] {
            try await scene.ask("POST", messages, body(deepest, more), as: scene.ann)
        }
        try await scene.ask("POST", "\(messages)/\(first)/pin", as: scene.ann)
        #expect(
            try await scene.code(
                "POST", "group_channels/g/scheduled_messages",
                body(deepest, #","scheduled_at":\#(later)"#), as: scene.ann) == nil)
        // The client's own decoders.
        let bob = scene.bob
        let channels = try await scene.fixture.call(ListMyChannels(userID: "bob"), as: bob)
        #expect(channels.channels.first?.lastMessage != nil)
        try await scene.fixture.call(
            ChannelChangeLog(userID: "bob", cursor: .since(.init(milliseconds: 0))), as: bob)
        try await scene.fixture.call(GetChannel(channelURL: "g"), as: bob)
        let page = try await scene.fixture.call(
            ListMessages(
                channelURL: "g", anchor: .time(.distantFuture), previousLimit: 50, nextLimit: 0,
                filter: MessageFilter(replyType: .all)), as: bob)
        #expect(page.messages.count == 4)
        let side = MessageGap.Side(
            start: .init(milliseconds: 0), end: .init(milliseconds: 9_000_000_000_000),
            cachedCount: 0)
        let gap = try await scene.fixture.call(
            MessageGap(channelURL: "g", previous: side, next: nil), as: bob)
        #expect(!gap.previous.messages.isEmpty)
        try await scene.fixture.call(
            MessageChangeLog(channelURL: "g", cursor: .since(.init(milliseconds: 0))), as: bob)
        let found = try await scene.ask("GET", "search/messages?query=x", as: bob)
        #expect(found["results"]?.array?.count == 4)
        let scheduled = try await scene.ask("GET", "scheduled_messages", as: scene.ann)
        #expect(scheduled["scheduled_messages"]?.array?.count == 1)
        scene.fixture.world.advance(2_000)
        await scene.fixture.server.sendDue()
        #expect(try !scene.takeFrames().isEmpty)
    }

    @Test(arguments: StorageKind.allCases)
    func `every accepted message is readable for a client, and every unreadable one is refused`(
        kind: StorageKind
    )
        async throws
    {
        let scene = try await BudgetScene(try await kind.make())
        var accepted = 0
        for field in [
            #""thumbnails":[[1]]"#, #""files":[7]"#, #""files":[{"x":1}]"#,
            #""thumbnails":{"a":1}"#,
        ] {
            for type in ["MESG", "FILE"] {
                let fields = #""message":"x","url":"u","req_id":"r",\#(field)"#
                let body = #"{"message_type":"\#(type)",\#(fields)}"#
                let code = try await scene.code("POST", messages, body, as: scene.ann)
                let frame = type + #"{"channel_url":"g",\#(fields)}"#
                await scene.fixture.server.receive(frame, from: scene.ann.session)
                _ = try scene.takeFrames()
                if field.contains("[[") { #expect(code != nil) }
                if code == nil { accepted += 1 }
            }
        }
        let page = try await scene.fixture.call(
            ListMessages(
                channelURL: "g", anchor: .time(.distantFuture), previousLimit: 50, nextLimit: 0),
            as: scene.bob)
        #expect(page.messages.count == (accepted == 0 ? 0 : 1), "all have one request ID")
    }

    @Test(arguments: StorageKind.allCases)
    func `deeply nested settings leave a user's other settings readable`(kind: StorageKind)
        async throws
    {
        let scene = try await BudgetScene(try await kind.make())
        try await scene.ask("POST", "users/ann/block", #"{"target_id":"bob"}"#, as: scene.ann)
        for depth in [126, 100, 60, 50] {
            _ = try await scene.answer(
                "PUT", "users/ann/push_preference",
                #"{"dnd_schedules":\#(JSONValue.nested(depth))}"#, as: scene.ann)
            let blocked = try await scene.ask("GET", "users/ann/block", as: scene.ann)
            #expect(blocked["users"]?.array?.count == 1, "depth \(depth)")
        }
        let settings = try await scene.ask("GET", "users/ann/push_preference", as: scene.ann)
        #expect(settings["dnd_schedules"]?.array != nil)
    }

    @Test func `an unreadable row is counted and does not hide other rows`()
        async throws
    {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("roost-\(ProcessInfo.processInfo.globallyUniqueString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let location = DatabaseLocation.file(folder.appendingPathComponent("server.sqlite").path)
        let storage = try await SQLiteStorage(
            location, on: ThreadExecutor(name: "storage"))
        let scene = try await BudgetScene(storage)
        let later = scene.fixture.world.now.milliseconds + 1_000
        for number in 0..<60 {
            await scene.fixture.send("\(number)", RequestID("\(number)"), to: "g", on: scene.ann)
            try await scene.ask(
                "POST", "group_channels/g/scheduled_messages",
                #"{"message_type":"MESG","message":"s\#(number)","scheduled_at":\#(later)}"#,
                as: scene.ann)
        }
        let unreadable = try await scene.fixture.connect("c")
        _ = try await scene.fixture.connect("d")
        try await scene.ask(
            "POST", "group_channels/g/invite", #"{"user_ids":["c","d"]}"#, as: scene.ann)
        // It is due first, and its sender cannot be read.
        try await scene.ask(
            "POST", "group_channels/g/scheduled_messages",
            #"{"message_type":"MESG","message":"of c","scheduled_at":\#(later - 500)}"#,
            as: unreadable)
        let other = try Connection(location)
        try other.executeScript(
            """
            UPDATE document SET body = '{' WHERE id <= 55;
            UPDATE message SET body = '[' WHERE id IN (30, 60);
            UPDATE user SET body = '{}' WHERE user_id = 'c';
            """)
        let scheduled = try await scene.ask("GET", "scheduled_messages?limit=100", as: scene.ann)
        #expect(scheduled["scheduled_messages"]?.array?.count == 5)
        let page = try await scene.fixture.call(
            ListMessages(
                channelURL: "g", anchor: .time(.distantFuture), previousLimit: 50, nextLimit: 0),
            as: scene.bob)
        #expect(page.messages.count == 50, "a page is filled with the messages before")
        let channels = try await scene.fixture.call(ListMyChannels(userID: "bob"), as: scene.bob)
        #expect(channels.channels.first?.members.map(\.id) == ["ann", "bob", "d"])
        let users = try await scene.ask("GET", "users?limit=3", as: nil)
        #expect(users["users"]?.array?.compactMap { $0["user_id"]?.string } == ["ann", "bob", "d"])
        _ = try await scene.fixture.call(
            MessageChangeLog(channelURL: "g", cursor: .since(.init(milliseconds: 0))),
            as: scene.bob)
        #expect(await scene.fixture.server.metrics.unreadable > 0)
        scene.fixture.world.advance(2_000)
        await scene.fixture.server.sendDue()
        let texts = try await scene.fixture.call(
            ListMessages(
                channelURL: "g", anchor: .time(.distantFuture), previousLimit: 5, nextLimit: 0),
            as: scene.bob
        ).messages.map(\.text)
        #expect(texts == (55..<60).map { "s\($0)" }, "messages behind unreadable rows are sent")
    }
}
