// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostServer
import RoostWire
import Testing

/// Everything that is accepted can be delivered: frames, rows and answers stay within a client's
/// limits.
struct WeightTests {
    private let messages = "group_channels/g/messages"

    /// Returns the largest accepted number, between an accepted and a refused one.
    private func largest(
        in range: Range<Int>, _ isAccepted: (Int) async throws -> Bool
    ) async throws -> Int {
        var (low, high) = (range.lowerBound, range.upperBound)
        while high - low > 1 {
            let middle = (low + high) / 2
            if try await isAccepted(middle) { low = middle } else { high = middle }
        }
        return low
    }

    private func text(_ bytes: Int, _ letter: Character = "x") -> String {
        String(repeating: letter, count: bytes)
    }

    /// Gives a user the most metadata that the server accepts.
    private func burden(_ device: ServerFixture.Device, _ id: String, in scene: BudgetScene)
        async throws
    {
        _ = try await largest(in: 1..<65_536) { bytes in
            let body = #"{"metadata":{"k":"\#(text(bytes))"},"upsert":true}"#
            return try await scene.code("PUT", "users/\(id)/metadata", body, as: device) == nil
        }
    }

    private func send(
        _ text: String, _ more: String = "", in scene: BudgetScene, as device: ServerFixture.Device
    ) async throws -> APIResponse {
        try await scene.answer(
            "POST", messages, #"{"message_type":"MESG","message":"\#(text)"\#(more)}"#, as: device)
    }

    @Test func `the weights add up to the limit of a client`() {
        let page = (ServerLimits.pageMessages + 2) * ServerLimits.messageBytes
        #expect(page <= ServerLimits().answerBytes)
        #expect(ServerLimits.contentBytes >= ServerLimits().textBytes + 1_024)
        #expect(ServerLimits.messageBytes < WireLimits.frameBytes / 4)
        #expect(2 * ServerLimits.channelBytes < WireLimits.frameBytes)
        #expect(ServerLimits().operators * (ServerLimits.userBytes + 512) < WireLimits.frameBytes)
        #expect(ServerLimits().queriedUsers * ServerLimits.userBytes < ServerLimits().answerBytes)
        let row =
            ServerLimits.memberBytes + ServerLimits.channelBytes + ServerLimits.messageBytes
            + 2 * ServerLimits().members * (ServerLimits().idBytes + 24)
        #expect(row < WireLimits.answerBytes)
        #expect(JSONReader.contentDepth + JSONReader.wrappingDepth < WireLimits.nestingDepth)
    }

    @Test(arguments: StorageKind.allCases)
    func `the heaviest user is small enough for every message`(kind: StorageKind) async throws {
        let scene = try await BudgetScene(try await kind.make())
        try await burden(scene.ann, "ann", in: scene)
        let user = try await scene.answer("GET", "users/ann", as: scene.bob).body.count
        #expect(user <= ServerLimits.userBytes + 64 && user > ServerLimits.userBytes - 256)
        for body in [
            #"{"nickname":"\#(text(2_000))"}"#, #"{"profile_url":"\#(text(2_000))"}"#,
            #"{"preferred_languages":["\#(text(2_000))"]}"#,
        ] {
            #expect(try await scene.code("PUT", "users/ann", body, as: scene.ann) == 400_110)
        }
        let escaped = text(700, "\u{1}").replacing("\u{1}", with: "\\u0001")
        let body = #"{"nickname":"\#(escaped)"}"#
        #expect(
            try await scene.code("PUT", "users/bob", body, as: scene.bob) == 400_110,
            "an escape counts as it is written")
        #expect(
            try await scene.code("DELETE", "users/ann/metadata/k", as: scene.ann) == nil)
        #expect(
            try await scene.code("PUT", "users/ann", #"{"nickname":"Ann"}"#, as: scene.ann) == nil)
    }

    @Test(arguments: StorageKind.allCases)
    func `the heaviest message stays within its weight after every change`(kind: StorageKind)
        async throws
    {
        let scene = try await BudgetScene(try await kind.make())
        for (device, id) in [(scene.ann, "ann"), (scene.bob, "bob")] {
            try await burden(device, id, in: scene)
        }
        let parent = try await send(text(65_536), in: scene, as: scene.ann)
        #expect(parent.status == 200)
        let id = try JSONValue(parsing: parent.body)["message_id"]?.int ?? 0
        let bytes = try await largest(in: 1..<65_536) { bytes in
            let more = #","data":"\#(text(bytes))","parent_message_id":\#(id)"#
            return try await send(text(65_536), more, in: scene, as: scene.bob).status == 200
        }
        #expect(bytes > 1_024)
        // All further additions to a message.
        for number in 0..<30 {
            for target in [id, id + 1] {
                _ = try await scene.answer(
                    "POST", "\(messages)/\(target)/reactions",
                    #"{"reaction":"\#(number)\#(text(90))"}"#, as: scene.bob)
            }
        }
        let grown = #"{"message":"\#(text(65_536))","data":"\#(text(1_400))"}"#
        #expect(try await scene.code("PUT", "\(messages)/\(id)", grown, as: scene.ann) != nil)
        try await scene.ask(
            "PUT", "\(messages)/\(id)", #"{"data":"\#(text(64))"}"#, as: scene.ann)
        try await scene.ask("POST", "\(messages)/\(id)/pin", as: scene.ann)
        let page = try await scene.fixture.call(
            ListMessages(
                channelURL: "g", anchor: .time(.distantFuture), previousLimit: 200, nextLimit: 0,
                filter: MessageFilter(replyType: .all)), as: scene.bob)
        #expect(page.messages.count > 2)
        let rows = try await scene.ask(
            "GET", messages + "?message_ts=9999999999999&prev_limit=200&include_reply_type=all",
            as: scene.bob)["messages"]?.array
        for row in rows ?? [] {
            #expect(row.text.utf8.count <= ServerLimits.messageBytes)
        }
        guard case .user(let shown)? = page.messages.last?.details.parentPreview?.content else {
            Issue.record("The reply shows no parent.")
            return
        }
        #expect(shown.count > 100, "a long parent shows how it begins")
        for frame in try scene.takeFrames() {
            #expect(frame.utf8.count <= WireLimits.frameBytes)
        }
    }

    @Test func `a message of four megabytes is refused in every form`() async throws {
        let scene = try await BudgetScene()
        let values = (0..<100).map { _ in "\"\(text(2_000))\"" }.joined(separator: ",")
        for more in [
            #","extended_message":{"a":"\#(text(3_000_000))"}"#,
            #","sorted_metaarray":[{"key":"k","value":[\#(values)]}]"#,
            #","sorted_metaarray":[{"key":"k","value":[],"note":"\#(text(80_000))"}]"#,
            #","mentioned_message_template":"\#(text(80_000))""#,
            #","apple_critical_alert_options":{"name":"\#(text(80_000))"}"#,
        ] {
            let answer = try await send("x", more, in: scene, as: scene.ann)
            #expect(answer.errorCode?.rawValue == 400_110)
        }
        #expect(
            try await send(text(30_000).replacing("x", with: "\\u0001"), in: scene, as: scene.ann)
                .errorCode?.rawValue == 400_110)
        let type = #","url":"u","file_type":"\#(text(3_000))""#
        let file = #"{"message_type":"FILE"\#(type)}"#
        #expect(try await scene.code("POST", messages, file, as: scene.ann) == 400_110)
        #expect(try scene.takeFrames().isEmpty)
    }

    @Test func `a channel's metadata is bounded as a whole, and each frame of it can be read`()
        async throws
    {
        let scene = try await BudgetScene()
        for key in 0..<7 {
            let body = #"{"metadata":{"\#(key)":"\#(text(60_000))"},"upsert":true}"#
            let code = try await scene.code(
                "PUT", "group_channels/g/metadata", body, as: scene.ann)
            #expect(code == (key < 4 ? nil : 400_110))
        }
        let counter = #"{"metacounter":{"\#(text(2_000))":1},"upsert":true}"#
        let code = try await scene.code(
            "PUT", "group_channels/g/metacounter", counter, as: scene.ann)
        #expect(code == nil)
        let data = #"{"data":"\#(text(60_000))"}"#
        #expect(try await scene.code("PUT", "group_channels/g", data, as: scene.ann) == 400_110)
        let frames = try scene.takeFrames()
        #expect(!frames.isEmpty)
        #expect(frames.allSatisfy { $0.utf8.count <= WireLimits.frameBytes })
        let open = #"{"channel_url":"o","data":"\#(text(60_000, "\u{7F}"))"}"#
        #expect(try await scene.code("POST", "open_channels", open, as: scene.ann) == nil)
    }

    @Test func `an invitation of many large users comes in readable frames`()
        async throws
    {
        let scene = try await BudgetScene()
        let names = (0..<300).map { "\"u\($0)\"" }
        for name in names {
            let body =
                #"{"user_id":\#(name),"nickname":"","metadata":{"k":"\#(text(3_900))"}}"#
            try await scene.ask("POST", "users", body, as: nil)
        }
        let body = #"{"user_ids":[\#(names.joined(separator: ","))]}"#
        try await scene.ask("POST", "group_channels/g/invite", body, as: scene.ann)
        let frames = scene.bob.inbox.takeText()
        #expect(frames.allSatisfy { $0.utf8.count <= WireLimits.frameBytes })
        var joined: [UserID] = []
        for event in try frames.flatMap({ try ServerEvent.decodeAll($0).map { try $0.get() } }) {
            guard case .channel(let event) = event, case .joined(let members, _) = event.content
            else { continue }
            joined += members.map(\.id)
        }
        #expect(joined.count == 300 && Set(joined).count == 300)
    }

    @Test func `a page whose newer side is too large ends early with has_next`() async throws {
        let scene = try await BudgetScene { $0.limits.answerBytes = 30_000 }
        var anchor: Int64 = 0
        for number in 0..<40 {
            scene.fixture.world.advance(1)
            if number == 20 { anchor = scene.fixture.world.now.milliseconds }
            await scene.fixture.send(text(700), RequestID("\(number)"), to: "g", on: scene.ann)
        }
        let page = try await scene.fixture.call(
            ListMessages(
                channelURL: "g", anchor: .time(Timestamp(milliseconds: anchor)),
                previousLimit: 20, nextLimit: 20), as: scene.bob)
        let older = page.messages.filter { $0.createdAt.milliseconds < anchor }
        #expect(older.count == 20, "a short older side would mean the start of history")
        let newer = page.messages.count - older.count
        #expect(newer > 0 && newer < 19 && page.hasNext == true)
        let side = MessageGap.Side(
            start: .init(milliseconds: 0), end: .init(milliseconds: 9_000_000_000_000),
            cachedCount: 0)
        let gap = try await scene.fixture.call(
            MessageGap(channelURL: "g", previous: side, next: nil), as: scene.bob)
        #expect(gap.isHuge, "a gap is answered as a whole or not at all")
    }

    @Test func `the longest page of the heaviest messages fits into an answer`() async throws {
        let scene = try await BudgetScene()
        try await burden(scene.ann, "ann", in: scene)
        for number in 0..<201 {
            await scene.fixture.send(
                text(65_536), RequestID("\(number)"), to: "g", on: scene.ann)
        }
        let path = "\(messages)?message_ts=9999999999999&prev_limit=200&next_limit=0"
        let answer = try await scene.answer("GET", path, as: scene.bob)
        #expect(answer.body.count <= WireLimits.answerBytes)
        #expect(answer.body.count > 13_000_000)
    }

    @Test(arguments: StorageKind.allCases)
    func `a list of heavy channels ends early, and its tokens lead to all channels`(
        kind: StorageKind
    ) async throws {
        let scene = try await BudgetScene(try await kind.make()) {
            $0.limits.answerBytes = 50_000
        }
        let count = 30
        for number in 0..<count {
            let body =
                #"{"channel_url":"c\#(number)","user_ids":["bob"],"is_public":true,"#
                + #""data":"\#(text(4_000))"}"#
            try await scene.ask("POST", "group_channels", body, as: scene.ann)
            try await scene.ask(
                "POST", "open_channels",
                #"{"channel_url":"o\#(number)","data":"\#(text(4_000))"}"#, as: scene.ann)
        }
        for (path, letter) in [
            ("users/ann/my_group_channels", "c"), ("group_channels", "c"), ("open_channels", "o"),
        ] {
            var (urls, token, pages) = ([String](), "", 0)
            repeat {
                let target = "\(path)?limit=100&show_empty=true&token="
                let answer = try await scene.answer(
                    "GET", target + PercentEncoding.encode(token), as: scene.ann)
                #expect(answer.body.count <= 60_000)
                let value = try JSONValue(parsing: answer.body)
                urls += (value["channels"]?.array ?? []).compactMap { $0["channel_url"]?.string }
                token = value["next"]?.string ?? ""
                pages += 1
            } while !token.isEmpty && pages < 10
            #expect(pages > 1 && urls.count == Set(urls).count, "\(path)")
            let wanted = (0..<count).map { "\(letter)\($0)" }
            #expect(Set(urls).isSuperset(of: wanted), "\(path)")
        }
        var cursor = ChangeLogCursor.since(Timestamp(milliseconds: 0))
        var (changed, hasMore) = ([ChannelURL](), true)
        while hasMore, changed.count <= 2 * count {
            let changes = try await scene.fixture.call(
                ChannelChangeLog(userID: "ann", cursor: cursor), as: scene.ann)
            changed += changes.updated.map(\.url)
            (cursor, hasMore) = (.token(changes.next), changes.hasMore)
        }
        #expect(changed.count == count + 1 && Set(changed).count == count + 1)
    }
}
