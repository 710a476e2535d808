// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostServer
import RoostWire
import Testing

struct DocumentTests {
    private struct Scene {
        let fixture: ServerFixture
        let ann: ServerFixture.Device
        let bob: ServerFixture.Device
        let eve: ServerFixture.Device

        init(_ kind: StorageKind = .memory, isSuper: Bool = false) async throws {
            fixture = await ServerFixture(storage: try await kind.make())
            ann = try await fixture.connect("ann")
            bob = try await fixture.connect("bob")
            eve = try await fixture.connect("eve")
            var channel = CreateChannel(
                channelURL: "g", userIDs: ["ann", "bob"], operatorIDs: ["ann"])
            channel.isSuper = isSuper
            try await fixture.call(channel, as: ann)
            for device in [ann, bob, eve] { _ = device.inbox.takeText() }
        }

        func ask(
            _ method: String, _ path: String, _ device: ServerFixture.Device?
        ) async throws -> JSONValue {
            try await ask(method, path, "", device)
        }

        func ask(
            _ method: String, _ path: String, _ body: String,
            _ device: ServerFixture.Device?
        ) async throws -> JSONValue {
            var headers = RequestHeaders(sessionKey: device?.key)
            if device == nil { headers.apiToken = ServerFixture.apiToken }
            let request = try APIRequest(
                method: method, target: "/v3/" + path, body: Array(body.utf8))
            let answer = await fixture.server.respond(to: request, headers: headers)
            return try JSONValue(parsing: answer.body)
        }
    }

    // MARK: Storage

    @Test(arguments: StorageKind.allCases)
    func `documents keep their numbers, their order and their due times`(kind: StorageKind)
        async throws
    {
        let storage = try await kind.make()
        func moment(_ value: Int64) -> Timestamp { Timestamp(milliseconds: value) }
        let first = try await storage.addDocument(
            Document(.scheduled, of: "a", in: "g", dueAt: moment(20), body: ["n": 1]))
        let second = try await storage.addDocument(
            Document(.scheduled, of: "b", in: "h", dueAt: moment(10), body: ["n": 2]))
        let report = try await storage.addDocument(Document(.report, of: "a", body: ["n": 3]))
        #expect([first.id, second.id, report.id] == [1, 2, 3])
        #expect(try await storage.document(1, .scheduled) == first)
        #expect(try await storage.document(1, .report) == nil)
        #expect(
            try await storage.documents(.scheduled, among: [2, 3, 1, 2, 9]) == [first, second])
        func numbers(
            of owner: UserID? = nil, in url: ChannelURL? = nil, after id: Int64 = 0,
            limit: Int = 9
        ) async throws -> [Int64] {
            try await storage.documents(.scheduled, of: owner, in: url, after: id, limit: limit)
                .map(\.id)
        }
        #expect(try await numbers() == [1, 2])
        #expect(try await numbers(of: "b") == [2])
        #expect(try await numbers(in: "g") == [1])
        #expect(try await numbers(after: 1) == [2])
        #expect(try await numbers(limit: 1) == [1])
        func due(_ now: Int64, except channels: [ChannelURL] = []) async throws -> [Int64] {
            try await storage.dueDocuments(
                .scheduled, through: moment(now), except: channels, limit: 9
            ).map(\.id)
        }
        #expect(try await due(9).isEmpty)
        #expect(try await due(10) == [2])
        #expect(try await due(99) == [2, 1])
        #expect(try await due(99, except: ["g"]) == [2])
        let changed = try await storage.updateDocument(2, .scheduled) { document in
            document.dueAt = nil
            document.channelURL = "g"
            document.body["n"] = 4
        }
        #expect(changed?.body["n"] == 4)
        #expect(try await storage.document(2, .scheduled) == changed)
        #expect(try await due(99) == [1])
        let free = try await storage.addDocument(
            Document(.scheduled, of: "a", dueAt: moment(5), body: ["n": 5]))
        #expect(try await due(99) == [free.id, 1])
        #expect(try await due(99, except: ["g"]) == [free.id])
        #expect(try await due(99, except: ["", "h"]) == [1])
        #expect(try await storage.updateDocument(9, .scheduled) { _ in } == nil)
    }

    // MARK: Scheduled messages

    @Test(arguments: StorageKind.allCases)
    func `a scheduled message is sent when it is due, once, as its sender (protocol 3.7)`(
        kind: StorageKind
    ) async throws {
        let scene = try await Scene(kind)
        let now = scene.fixture.world.now.milliseconds
        let path = "group_channels/g/scheduled_messages"
        let made = try await scene.ask(
            "POST", path,
            #"{"message_type":"MESG","message":"later","scheduled_at":\#(now + 5_000)}"#, scene.ann)
        #expect(made["scheduled_status"] == "pending" && made["message"] == "later")
        let id = made["scheduled_message_id"]?.int ?? 0
        #expect(try await scene.ask("GET", "\(path)/\(id)", scene.bob)["code"] == 400_201)
        await scene.fixture.server.sendDue()
        #expect(try scene.bob.inbox.take().isEmpty)
        _ = try await scene.ask("PUT", "\(path)/\(id)", #"{"message":"later still"}"#, scene.ann)
        scene.fixture.world.advance(5_000)
        await scene.fixture.server.sendDue()
        await scene.fixture.server.sendDue()
        let heard = try scene.bob.inbox.take().compactMap(\.message)
        #expect(heard.map(\.message.text) == ["later still"])
        #expect(heard.first?.message.sender?.user.id == "ann")
        let sent = try await scene.ask("GET", "\(path)/\(id)", scene.ann)
        #expect(sent["scheduled_status"] == "sent")
        #expect(sent["message_id"]?.int == heard.first?.message.messageID?.rawValue)
        #expect(
            try await scene.ask("DELETE", "\(path)/\(id)", scene.ann)["code"] == 400_111,
            "what was sent cannot be called off")
    }

    @Test func `a scheduled message can be canceled, sent early, listed, and refused when due`()
        async throws
    {
        let scene = try await Scene()
        let due = scene.fixture.world.now.milliseconds + 5_000
        let path = "group_channels/g/scheduled_messages"
        func make(_ device: ServerFixture.Device, _ more: String = "") async throws -> JSONValue {
            try await scene.ask(
                "POST", path,
                #"{"message_type":"MESG","message":"m","scheduled_at":\#(due)\#(more)}"#, device)
        }
        for _ in 0..<3 { _ = try await make(scene.bob) }
        #expect(try await make(scene.eve)["code"] == 900_020)
        #expect(try await make(scene.bob, #","scheduled_at":1"#)["code"] == 400_111)
        #expect(
            try await make(scene.bob, #","message_type":"ADMM""#)["code"] == 400_108,
            "nobody speaks as the platform by waiting")
        _ = try await scene.ask("DELETE", path + "/1", scene.bob)
        let early = try await scene.ask("POST", path + "/2/send_now", scene.bob)
        #expect(early["scheduled_status"] == "sent")
        #expect(try scene.ann.inbox.take().compactMap(\.message).count == 1)
        let list = "scheduled_messages?channel_url=g"
        #expect(
            try await scene.ask("GET", list, scene.bob)["scheduled_messages"]?.array?
                .map { $0["scheduled_status"] } == ["canceled", "sent", "pending"])
        #expect(try await scene.ask("GET", list, scene.ann)["scheduled_messages"] == [])
        #expect(
            try await scene.ask("GET", "scheduled_messages/count?status=pending", scene.bob)
                == ["count": 1])
        try await scene.fixture.call(LeaveChannel(channelURL: "g"), as: scene.bob)
        scene.fixture.world.advance(10_000)
        await scene.fixture.server.sendDue()
        #expect(
            try await scene.ask("GET", "scheduled_messages?status=failed", scene.bob)[
                "scheduled_messages"]?.array?.count == 1)
    }

    // MARK: Polls

    @Test(arguments: StorageKind.allCases)
    func `a poll is sent, voted in, counted and closed, and its message shows it (protocol 4.8)`(
        kind: StorageKind
    ) async throws {
        let scene = try await Scene(kind)
        let poll = try await scene.ask(
            "POST", "polls", #"{"title":"Lunch?","options":["soup","bread"]}"#, scene.ann)
        let id = poll["id"]?.int ?? 0
        #expect(poll["options"]?.array?.map { $0["text"] } == ["soup", "bread"])
        #expect(try await scene.ask("GET", "polls/\(id)", scene.bob)["code"] == 400_201)
        await scene.fixture.server.receive(
            #"MESG{"channel_url":"g","message":"?","poll_id":\#(id),"req_id":"r"}"#,
            from: scene.ann.session)
        let message = try #require(try scene.bob.inbox.take().compactMap(\.message).first?.message)
        #expect(message.details.poll?.title == "Lunch?")
        _ = scene.ann.inbox.takeText()
        await scene.fixture.say(
            .vote(
                VoteCommand(channelURL: "g", pollID: PollID(id), optionIDs: [2], requestID: "v")),
            on: scene.bob)
        let answer = try #require(scene.bob.inbox.takeText().first)
        #expect(answer.hasPrefix(#"VOTE{"req_id":"v","channel_url":"g","channel_type":"group""#))
        #expect(answer.contains(#""voted_option_ids":[2]"#))
        let news = try #require(scene.ann.inbox.takeText().first)
        #expect(news.contains(#"{"option_id":2,"vote_count":1}"#))
        #expect(!news.contains("req_id") && !news.contains("voted_option_ids"))
        for (options, voter) in [("[1,2]", scene.ann), ("[7]", scene.ann)] {
            #expect(
                try await scene.ask(
                    "PUT", "polls/\(id)/vote", #"{"option_ids":\#(options)}"#, voter)["code"]
                    == 400_111)
        }
        // A value other than a list of numbers takes no vote back.
        for (body, code) in [
            ("{}", 400_105), (#"{"option_ids":["soup"]}"#, 400_101),
            (#"{"option_ids":[null]}"#, 400_101),
        ] {
            let refusal = try await scene.ask("PUT", "polls/\(id)/vote", body, scene.bob)
            #expect(refusal["code"]?.int == Int64(code))
        }
        #expect(
            try await scene.ask("PUT", "polls/\(id)/vote", #"{"option_ids":[1]}"#, scene.eve)[
                "code"] == 900_020)
        let again = try await scene.ask(
            "PUT", "polls/\(id)/vote", #"{"option_ids":[1]}"#, scene.bob)
        #expect(again["updated_vote_counts"]?.array?.map { $0["vote_count"] } == [1, 0])
        #expect(
            try await scene.ask("GET", "polls/\(id)/options/1/voters", scene.ann)["voters"]?[0]?[
                "user_id"] == "bob")
        #expect(try await scene.ask("PUT", "polls/\(id)/close", scene.bob)["code"] == 400_108)
        _ = scene.bob.inbox.takeText()
        _ = try await scene.ask("PUT", "polls/\(id)/close", scene.ann)
        #expect(scene.bob.inbox.takeText().first?.hasPrefix("PEDI{") == true)
        #expect(
            try await scene.ask("PUT", "polls/\(id)/vote", #"{"option_ids":[2]}"#, scene.bob)[
                "code"] == 400_111)
        let kept = try await scene.fixture.call(
            GetMessage(channelURL: "g", messageID: try #require(message.messageID)), as: scene.bob)
        #expect(kept.details.poll?.status == .closed)
        #expect(kept.details.poll?.options.map(\.voteCount) == [1, 0])
        #expect(kept.details.poll?.votedOptionIDs == [1])
        let anns = try await scene.fixture.call(
            MessageChangeLog(channelURL: "g", cursor: .since(Timestamp(milliseconds: 0))),
            as: scene.ann)
        #expect(anns.updated.map(\.details.poll?.votedOptionIDs) == [[]])
        let changes = try await scene.ask(
            "GET", "group_channels/g/polls/changelogs?change_ts=0", scene.bob)
        #expect(changes["updated"]?[0]?["voted_option_ids"] == [1])
        let next = changes["next"]?.string ?? ""
        let later = try await scene.ask(
            "GET", "group_channels/g/polls/changelogs?token=\(next)", scene.bob)
        #expect(later["updated"] == [] && later["next"] == .string(next))
        _ = try await scene.ask("DELETE", "polls/\(id)", scene.ann)
    }

    @Test(arguments: StorageKind.allCases)
    func `a poll is carried by one message, also after concurrent repeats (scar 117)`(
        kind: StorageKind
    ) async throws {
        let scene = try await Scene(kind)
        func makePoll() async throws -> Int64 {
            let poll = try await scene.ask(
                "POST", "polls", #"{"title":"Lunch?","options":["soup","bread"]}"#, scene.ann)
            return poll["id"]?.int ?? 0
        }
        func send(_ poll: Int64, _ request: String) async throws -> JSONValue {
            try await scene.ask(
                "POST", "group_channels/g/messages",
                #"{"message_type":"MESG","message":"?","poll_id":\#(poll)\#(request)}"#, scene.ann)
        }
        let id = try await makePoll()
        let first = try await send(id, #","req_id":"r""#)
        #expect(first["poll"]?["id"] == .int(id))
        // A repeat is the same message, even after the poll was removed.
        #expect(try await send(id, #","req_id":"r""#)["message_id"] == first["message_id"])
        for request in [#","req_id":"s""#, ""] {
            #expect(try await send(id, request)["code"] == 400_201)
        }
        let nameless = try await makePoll()
        #expect(try await send(nameless, "")["poll"]?["id"] == .int(nameless))
        #expect(try await send(nameless, "")["code"] == 400_201)
        // Of two concurrent messages, one carries the poll.
        let wanted = try await makePoll()
        _ = try scene.bob.inbox.take()
        async let one = send(wanted, #","req_id":"x""#)
        async let other = send(wanted, #","req_id":"y""#)
        let answers = try await [one, other]
        #expect(answers.count { $0["poll"]?["id"] == .int(wanted) } == 1)
        #expect(answers.count { $0["code"] == 400_201 } == 1)
        let told = try scene.bob.inbox.take().compactMap { $0.message?.message }
        #expect(told.map(\.details.poll?.id) == [PollID(wanted)])
        let log = try await scene.fixture.server.log(of: "g").map(\.message)
        #expect(log.count { $0.details.poll?.id.rawValue == wanted } == 1)
        #expect(log.count { $0.details.poll != nil } == 3)
    }

    @Test(arguments: StorageKind.allCases)
    func
        `a muted user neither votes nor edits, and added options have the limits of new ones (scar 117)`(
            kind: StorageKind
        ) async throws
    {
        let scene = try await Scene(kind)
        let options = JSONValue.array((1...99).map { .string("\($0)") }).text
        let poll = try await scene.ask(
            "POST", "polls", #"{"title":"Lunch?","options":\#(options)}"#, scene.bob)
        let path = "polls/\(poll["id"]?.int ?? 0)"
        let sent = try await scene.ask(
            "POST", "group_channels/g/messages",
            #"{"message_type":"MESG","message":"?","req_id":"r","poll_id":\#(poll["id"]?.int ?? 0)}"#,
            scene.bob)
        #expect(sent["poll"]?["id"] == poll["id"])
        for code in [nil, 400_111] as [JSONValue?] {
            let answer = try await scene.ask("POST", path + "/options", #"{"text":"x"}"#, scene.bob)
            #expect(answer["code"] == code)
        }
        let long = String(repeating: "x", count: 65_537)
        let data = try await scene.ask("PUT", path, #"{"data":{"text":"\#(long)"}}"#, scene.bob)
        #expect(data["code"] != nil)
        _ = try await scene.ask(
            "POST", "group_channels/g/mute", #"{"user_id":"bob","seconds":"60"}"#, scene.ann)
        for (call, body) in [("", #"{"title":"Dinner?"}"#), ("/vote", #"{"option_ids":[1]}"#)] {
            let answer = try await scene.ask("PUT", path + call, body, scene.bob)
            #expect(answer["code"] == 900_041)
        }
    }

    @Test(arguments: StorageKind.allCases)
    func `a repeated message completes the step that failed at first (scar 117)`(
        kind: StorageKind
    ) async throws {
        let storage = try await kind.make()
        let fixture = await ServerFixture(storage: storage)
        let ann = try await fixture.connect("ann")
        try await fixture.channel(of: ["ann"], by: ann)
        func ask(_ path: String, _ body: String) async throws -> JSONValue {
            let request = try APIRequest(
                method: "POST", target: "/v3/" + path, body: Array(body.utf8))
            let headers = RequestHeaders(sessionKey: ann.key)
            return try JSONValue(
                parsing: await fixture.server.respond(to: request, headers: headers).body)
        }
        let poll = try await ask("polls", #"{"title":"Lunch?","options":["soup"]}"#)["id"]?.int ?? 0
        let message =
            #"{"message_type":"MESG","message":"?","req_id":"r","poll_id":\#(poll)}"#
        let id = MessageID(
            try await ask("group_channels/g/messages", message)["message_id"]?.int ?? 0)
        // The storage failed before the message became the carrier.
        _ = try await storage.updateMessage(id, in: "g", now: fixture.world.now) {
            $0.details.poll?.messageID = nil
        }
        _ = try await ask("group_channels/g/messages", message)
        #expect(try await storage.message(id, in: "g")?.details.poll?.messageID == id)
    }

    @Test(arguments: StorageKind.allCases)
    func `a message in the log is answered in every state of its poll (scar 117)`(
        kind: StorageKind
    ) async throws {
        let storage = try await kind.make()
        let fixture = await ServerFixture(storage: storage)
        let ann = try await fixture.connect("ann")
        try await fixture.channel(of: ["ann"], by: ann)
        func ask(_ path: String, _ body: String) async throws -> JSONValue {
            let request = try APIRequest(
                method: "POST", target: "/v3/" + path, body: Array(body.utf8))
            let headers = RequestHeaders(sessionKey: ann.key)
            return try JSONValue(
                parsing: await fixture.server.respond(to: request, headers: headers).body)
        }
        func makePoll() async throws -> Int64 {
            try await ask("polls", #"{"title":"Lunch?","options":["soup"]}"#)["id"]?.int ?? 0
        }
        func send(_ request: String, _ poll: Int64?) async throws -> JSONValue {
            let poll = poll.map { #","poll_id":\#($0)"# } ?? ""
            return try await ask(
                "group_channels/g/messages",
                #"{"message_type":"MESG","message":"?","req_id":"\#(request)"\#(poll)}"#)
        }
        let poll = try await makePoll()
        let first = try await send("r", poll)
        // A document without the carrier's request.
        _ = try await storage.updateDocument(poll, .poll) { $0.body["request"] = nil }
        #expect(try await send("r", poll)["message_id"] == first["message_id"])
        #expect(try await send("r", poll)["poll"]?["id"] == .int(poll))
        // A second message is stored without the poll.
        let second = try await send("s", nil)
        #expect(try await send("s", poll)["message_id"] == second["message_id"])
        #expect(try await send("s", poll)["poll"] == nil)
        #expect(try await send("t", poll)["code"] == 400_201)
        // A poll that a logged message does not carry is free for another.
        let other = try await makePoll()
        #expect(try await send("s", other)["message_id"] == second["message_id"])
        #expect(try await send("u", other)["poll"]?["id"] == .int(other))
    }

    @Test func `a stored message with an empty list of votes denies no reader's vote (scar 117)`()
        async throws
    {
        let storage = try await StorageKind.sqlite.make()
        let fixture = await ServerFixture(storage: storage)
        let ann = try await fixture.connect("ann")
        try await fixture.channel(of: ["ann"], by: ann)
        await fixture.send("?", "r", to: "g", on: ann)
        let id = try #require(try await fixture.server.log(of: "g").first?.message.messageID)
        let kept = try await storage.updateMessage(id, in: "g", now: fixture.world.now) {
            $0.details.poll = Poll(id: 1)
            $0.details.poll?.votedOptionIDs = []
        }
        #expect(kept != nil)
        #expect(try await storage.message(id, in: "g")?.details.poll == Poll(id: 1))
    }

    @Test(arguments: StorageKind.allCases)
    func `options of a poll are read, renamed and removed, with their votes (scar 117)`(
        kind: StorageKind
    ) async throws {
        let scene = try await Scene(kind)
        let poll = try await scene.ask(
            "POST", "polls", #"{"title":"Lunch?","options":["soup","bread"]}"#, scene.ann)
        let id = poll["id"]?.int ?? 0
        await scene.fixture.server.receive(
            #"MESG{"channel_url":"g","message":"?","poll_id":\#(id),"req_id":"r"}"#,
            from: scene.ann.session)
        let path = "polls/\(id)/options/2"
        #expect(try await scene.ask("GET", path, scene.bob)["text"] == "bread")
        #expect(try await scene.ask("GET", "polls/\(id)/options/3", scene.bob)["code"] == 400_201)
        _ = try await scene.ask("PUT", "polls/\(id)/vote", #"{"option_ids":[2]}"#, scene.bob)
        #expect(
            try await scene.ask("PUT", path, #"{"text":"rice"}"#, scene.bob)["code"] == 400_108)
        _ = scene.bob.inbox.takeText()
        _ = try await scene.ask("PUT", path, #"{"text":"rice"}"#, scene.ann)
        guard case .poll(let event) = try scene.bob.inbox.take().first,
            case .edited(let renamed) = event.change
        else { throw ServerError(.internalServerError, "No edit of the poll was told.") }
        #expect(event.messageID != nil && renamed.options.map(\.text) == ["soup", "rice"])
        #expect(renamed.options.map(\.voteCount) == [0, 1])
        #expect(try await scene.ask("DELETE", path, scene.ann) == [:])
        let added = try await scene.ask(
            "POST", "polls/\(id)/options", #"{"text":"tea"}"#, scene.ann)
        #expect(added["options"]?.array?.map { $0["text"] } == ["soup", "tea"])
        #expect(added["options"]?.array?.map { $0["id"] } == [1, 3], "no number is used again")
        #expect(added["options"]?.array?.map { $0["vote_count"] } == [0, 0])
        #expect(added["voter_count"] == 0)
        // The creator of a poll has no rights in a channel after leaving it.
        _ = try await scene.fixture.call(LeaveChannel(channelURL: "g"), as: scene.ann)
        #expect(try await scene.ask("PUT", "polls/\(id)/close", scene.ann)["code"] == 900_020)
    }

    // MARK: Reports and blocks

    @Test func `a report keeps the reported text for the platform`() async throws {
        let scene = try await Scene()
        await scene.fixture.send("rude", "r", to: "g", on: scene.bob)
        let body =
            #"{"report_category":"harassing","report_description":"he is rude","reporting_user_id":"eve"}"#
        #expect(
            try await scene.ask("POST", "report/group_channels/g/messages/1", body, scene.ann)
                == [:])
        #expect(try await scene.ask("POST", "report/users/bob", body, scene.ann) == [:])
        #expect(
            try await scene.ask("POST", "report/group_channels/g", body, scene.eve)["code"]
                == 900_020)
        #expect(
            try await scene.ask(
                "POST", "report/users/bob", #"{"report_category":"dull"}"#, scene.ann)["code"]
                == 400_111)
        let logs = try await scene.ask("GET", "report", nil)["report_logs"]
        #expect(logs?.array?.count == 2)
        #expect(logs?[0]?["message"] == "rude" && logs?[0]?["offending_user_id"] == "bob")
        #expect(logs?[0]?["reporting_user_id"] == "ann", "the body does not change the reporter")
        #expect(try await scene.ask("GET", "report", scene.ann)["code"] == 400_108)
    }

    @Test
    func `a blocked user can neither write to the blocker nor be invited (protocol 5.1, 5.2)`()
        async throws
    {
        let scene = try await Scene()
        _ = try await scene.ask("POST", "users/bob/block", #"{"target_id":"ann"}"#, scene.bob)
        _ = scene.ann.inbox.takeText()
        await scene.fixture.send("hello?", "r", to: "g", on: scene.ann)
        #expect(try scene.ann.inbox.take().map { $0.error?.code.rawValue } == [900_080])
        await scene.fixture.send("hello", "r", to: "g", on: scene.bob)
        #expect(try scene.ann.inbox.take().compactMap(\.message).count == 1)
        try await scene.fixture.channel("h", of: ["ann", "eve"], by: scene.ann)
        #expect(
            await refusal { () async throws(APIFailure) in
                try await scene.fixture.call(
                    InviteMembers(channelURL: "h", userIDs: ["bob"]), as: scene.ann)
            }?.rawValue == 400_702)
        // In larger channels, blocked users are heard.
        try await scene.fixture.call(
            InviteMembers(channelURL: "g", userIDs: ["eve"]), as: scene.bob)
        _ = scene.bob.inbox.takeText()
        await scene.fixture.send("all", "r2", to: "g", on: scene.ann)
        #expect(try scene.bob.inbox.take().compactMap(\.message).count == 1)
    }

    @Test func `members of a super channel get member counts in place of entries (protocol 2.7)`()
        async throws
    {
        let scene = try await Scene(isSuper: true)
        try await scene.fixture.call(
            InviteMembers(channelURL: "g", userIDs: ["eve"]), as: scene.ann)
        let bobs = scene.bob.inbox.takeText()
        #expect(bobs.count == 1)
        #expect(
            bobs.first?.hasPrefix(
                #"MCNT{"group_channels":[{"channel_url":"g","member_count":3"#) == true)
        #expect(try scene.eve.inbox.take().compactMap(\.category) == [.invited, .joined])
        try await scene.fixture.call(LeaveChannel(channelURL: "g"), as: scene.eve)
        #expect(scene.bob.inbox.takeText().first?.contains(#""member_count":2"#) == true)
        #expect(try scene.eve.inbox.take().compactMap(\.category) == [.left])
    }
}
