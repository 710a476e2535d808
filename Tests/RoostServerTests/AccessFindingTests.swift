// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostServer
import RoostWire
import Testing

/// Ways around an access rule that reviews have found.
struct AccessFindingTests {
    private static func scene(_ who: Who) async throws -> AccessScene {
        let fixture = await ServerFixture()
        let host = try await fixture.connect("host")
        let peer = try await fixture.connect("peer")
        return try await AccessScene(who, fixture, host, peer, number: 1)
    }

    @Test func `a socket with an expired session gets EXPR as its last frame`()
        async throws
    {
        let scene = try await Self.scene(.expired)
        try await scene.ask(
            "POST", "group_channels/CHANNEL/messages",
            #"{"message_type":"MESG","message":"later","user_id":"peer"}"#)
        let heard = scene.device.inbox.takeText()
        #expect(heard.map { String($0.prefix(4)) } == ["EXPR"])
        #expect(scene.device.inbox.isClosed && !scene.peer.inbox.isClosed)
    }

    @Test func `a silent socket ends with its session`() async throws {
        let scene = try await Self.scene(.expired)
        await scene.fixture.server.endExpired()
        #expect(scene.device.inbox.takeText().map { String($0.prefix(4)) } == ["EXPR"])
        #expect(scene.device.inbox.isClosed && !scene.peer.inbox.isClosed)
    }

    @Test func `messages before a member's history are neither shown nor published (R200)`()
        async throws
    {
        let scene = try await Self.scene(.late)
        let message = "group_channels/CHANNEL/messages/FOREIGN"
        try await scene.ask("PUT", message, #"{"message":"secret"}"#)
        try await scene.ask(
            "POST", message + "/reactions", #"{"reaction":"secret","user_id":"peer"}"#)
        try await scene.ask("POST", message + "/pin")
        try await scene.ask(
            "POST", "group_channels/CHANNEL/messages",
            #"{"message_type":"MESG","message":"reply","user_id":"peer","parent_message_id":FOREIGN}"#
        )
        let heard = scene.device.inbox.takeText()
        #expect(heard.contains { $0.hasPrefix("MESG") && $0.contains("reply") })
        #expect(!heard.contains { $0.contains("secret") || $0.hasPrefix("MTHD") })
        let pins = heard.filter { $0.contains(#""cat":11300"#) }
        #expect(pins.count == 1 && !pins.contains { $0.contains("pinned_message_ids") })
        let headers = RequestHeaders(sessionKey: scene.device.key)
        for path in [
            "group_channels/CHANNEL",
            "group_channels/CHANNEL/messages?message_ts=0&next_limit=9&include_reply_type=all"
                + "&include_parent_message_info=true",
            "group_channels/CHANNEL/messages?message_ts=0&next_limit=9&parent_message_id=FOREIGN"
                + "&include_parent_message_info=true",
            "group_channels/CHANNEL/messages/changelogs?change_ts=0&include_reply_type=all"
                + "&include_parent_message_info=true",
            "search/messages?query=reply",
        ] {
            let request = try APIRequest(
                method: "GET", target: "/v3/" + scene.fill(path), body: [])
            let answer = await scene.fixture.server.respond(to: request, headers: headers)
            let text = String(decoding: answer.body, as: UTF8.self)
            #expect(answer.status == 200 && !text.contains("secret"), "\(path)")
        }
    }

    @Test(arguments: [Who.muted: Int64(900_041), .banned: 900_020, .frozenMember: 900_050])
    func `a scheduled message is judged when it is due, and keeps its refusal (R200)`(
        who: Who, code: Int64
    ) async throws {
        let scene = try await Self.scene(who)
        scene.fixture.world.advance(90_000_000)
        await scene.fixture.server.sendDue()
        let kept = try await scene.ask(
            "GET", "group_channels/CHANNEL/scheduled_messages/SCHEDULED")
        #expect(kept["scheduled_status"] == "failed")
        #expect(kept["error_code"]?.int == code)
    }

    @Test func `a deactivated user's scheduled message is not sent (R200)`() async throws {
        let scene = try await Self.scene(.deactivated)
        scene.fixture.world.advance(90_000_000)
        await scene.fixture.server.sendDue()
        let kept = try await scene.ask(
            "GET", "group_channels/CHANNEL/scheduled_messages/SCHEDULED")
        #expect(kept["scheduled_status"] == "failed" && kept["error_code"]?.int == 400_300)
    }

    @Test(arguments: StorageKind.allCases)
    func `a ban counts from its moment on, before its user is removed (R200)`(
        kind: StorageKind
    ) async throws {
        let storage = try await kind.make()
        let fixture = await ServerFixture(storage: storage)
        let ann = try await fixture.connect("ann")
        let eve = try await fixture.connect("eve")
        try await fixture.channel("c", of: ["ann", "eve"], by: ann)
        let now = fixture.world.now
        // Another host has joined the user again meanwhile.
        _ = try await storage.updateMember("eve", of: "c", now: now) { member in
            member.traits.ban = Restriction(startedAt: now)
        }
        let code = await refusal { () async throws(APIFailure) in
            try await fixture.call(CountMessages(channelURL: "c"), as: eve)
        }
        #expect(code == .notAMember)
    }

    @Test(arguments: StorageKind.allCases)
    func `a banned user does not come back by making a distinct channel again (R200)`(
        kind: StorageKind
    ) async throws {
        let fixture = await ServerFixture(storage: try await kind.make())
        let ann = try await fixture.connect("ann")
        let eve = try await fixture.connect("eve")
        try await fixture.channel("d", of: ["ann", "eve"], by: ann, isDistinct: true)
        let ban = try APIRequest(
            method: "POST", target: "/v3/group_channels/d/ban",
            body: Array(#"{"user_id":"eve"}"#.utf8))
        _ = await fixture.server.respond(
            to: ban, headers: RequestHeaders(apiToken: ServerFixture.apiToken))
        let code = await refusal { () async throws(APIFailure) in
            try await fixture.call(
                CreateChannel(userIDs: ["ann", "eve"], isDistinct: true), as: eve)
        }
        #expect(code == .notAMember)
        let page = try await fixture.call(ListMyChannels(userID: "eve"), as: eve)
        #expect(page.channels.isEmpty)
    }

    @Test(arguments: StorageKind.allCases)
    func `a banned user brings no former member back into a distinct channel (R200)`(
        kind: StorageKind
    ) async throws {
        let fixture = await ServerFixture(storage: try await kind.make())
        let ann = try await fixture.connect("ann")
        let cyd = try await fixture.connect("cyd")
        let eve = try await fixture.connect("eve")
        let trio = CreateChannel(
            channelURL: "d", userIDs: ["ann", "cyd", "eve"], isDistinct: true)
        try await fixture.call(trio, as: ann)
        try await fixture.call(LeaveChannel(channelURL: "d"), as: cyd)
        let ban = try APIRequest(
            method: "POST", target: "/v3/group_channels/d/ban",
            body: Array(#"{"user_id":"eve"}"#.utf8))
        _ = await fixture.server.respond(
            to: ban, headers: RequestHeaders(apiToken: ServerFixture.apiToken))
        _ = (ann.inbox.takeText(), cyd.inbox.takeText())
        let again = CreateChannel(userIDs: ["ann", "cyd", "eve"], isDistinct: true)
        let code = await refusal { () async throws(APIFailure) in
            try await fixture.call(again, as: eve)
        }
        #expect(code == .notAMember)
        let frames = ann.inbox.takeText() + cyd.inbox.takeText()
        #expect(frames.isEmpty)
        let page = try await fixture.call(ListMyChannels(userID: "cyd"), as: cyd)
        #expect(page.channels.isEmpty)
        // The platform has every right, but the ban stays.
        let made = try await fixture.call(again, as: nil)
        #expect(made.channel.members.map(\.id) == ["ann", "cyd"])
        // A member brings members back as before.
        try await fixture.call(LeaveChannel(channelURL: "d"), as: cyd)
        let back = try await fixture.call(again, as: ann)
        #expect(back.channel.members.map(\.id) == ["ann", "cyd"])
    }

    @Test(arguments: StorageKind.allCases)
    func `bans, mutes and counters reach no user whom the channel only invites or bans (R200)`(
        kind: StorageKind
    ) async throws {
        let scene = try await BudgetScene(try await kind.make())
        let (cyd, dan) = (
            try await scene.fixture.connect("cyd"), try await scene.fixture.connect("dan")
        )
        let eve = try await scene.fixture.connect("eve")
        try await scene.ask(
            "PUT", "users/cyd/channel_invitation_preference", #"{"auto_accept":false}"#, as: cyd)
        let place = "group_channels/g/"
        try await scene.ask(
            "POST", place + "invite", #"{"user_ids":["cyd","dan"]}"#, as: scene.ann)
        try await scene.ask("POST", place + "ban", #"{"user_id":"eve"}"#, as: scene.ann)
        for device in [scene.bob, cyd, dan, eve] { _ = device.inbox.takeText() }
        let counter = #"{"metacounter":{"sum":7}}"#
        let calls:
            [(String, String, String, ChannelEvent.Category, invited: [ChannelEvent.Category])] = [
                ("POST", "mute", #"{"user_id":"dan","description":"secret"}"#, .muted, []),
                ("DELETE", "mute/dan", "", .unmuted, []),
                ("POST", "metacounter", counter, .metaCountersChanged, []),
                ("DELETE", "metacounter/sum", "", .metaCountersChanged, []),
                // The client looks up the part of the channel that an invited user may see.
                (
                    "POST", "operators", #"{"operator_ids":["dan"]}"#, .operatorsChanged,
                    [.propertiesChanged]
                ),
                ("POST", "ban", #"{"user_id":"dan"}"#, .banned, [.propertiesChanged]),
                ("DELETE", "ban/dan", "", .unbanned, [.propertiesChanged]),
                (
                    "POST", "metadata", #"{"metadata":{"k":"v"}}"#, .metadataChanged,
                    [.metadataChanged]
                ),
                ("PUT", "freeze", #"{"freeze":true}"#, .frozen, [.frozen]),
            ]
        for (method, path, body, event, invited) in calls {
            try await scene.ask(method, place + path, body, as: scene.ann)
            #expect(try scene.bob.inbox.take().map(\.category) == [event], "\(path)")
            #expect(try cyd.inbox.take().compactMap(\.category) == invited, "\(path)")
            #expect(eve.inbox.takeText().isEmpty, "\(path)")
        }
    }

    @Test(arguments: StorageKind.allCases)
    func `a repeat of a banned sender is acknowledged without its thread and reactions (R200)`(
        kind: StorageKind
    ) async throws {
        let scene = try await BudgetScene(try await kind.make())
        await scene.fixture.send("x", "r", to: "g", on: scene.bob)
        let sent = try scene.bob.inbox.take().compactMap { $0.message?.message.messageID }
        let id = try #require(sent.first?.rawValue)
        let place = "group_channels/g/"
        try await scene.ask(
            "POST", place + "messages",
            #"{"message_type":"MESG","message":"y","parent_message_id":\#(id)}"#, as: scene.ann)
        try await scene.ask(
            "POST", place + "messages/\(id)/reactions", #"{"reaction":"smile"}"#, as: scene.ann)
        /// Sends the message again, by a call and by a command, and returns both answers.
        func repeated() async throws -> [String] {
            _ = scene.bob.inbox.takeText()
            let answer = try await scene.answer(
                "POST", place + "messages",
                #"{"message_type":"MESG","message":"x","req_id":"r"}"#, as: scene.bob)
            #expect(answer.status == 200)
            await scene.fixture.send("x", "r", to: "g", on: scene.bob)
            return [String(decoding: answer.body, as: UTF8.self)] + scene.bob.inbox.takeText()
        }
        func details(of answers: [String]) -> [Bool] {
            answers.map { $0.contains("smile") && $0.contains(#""reply_count":1"#) }
        }
        try await scene.ask("POST", place + "mute", #"{"user_id":"bob"}"#, as: scene.ann)
        #expect(details(of: try await repeated()) == [true, true], "a muted member still reads")
        try await scene.ask("POST", place + "ban", #"{"user_id":"bob"}"#, as: scene.ann)
        let answers = try await repeated()
        #expect(answers.count == 2)
        for answer in answers {
            #expect(answer.contains("\(id)"))
            #expect(!answer.contains("smile") && !answer.contains(#""ann""#), "\(answer)")
        }
    }

    @Test(arguments: StorageKind.allCases)
    func `a repeat from before a member's history is answered without its parent (R200)`(
        kind: StorageKind
    ) async throws {
        let scene = try await BudgetScene(try await kind.make())
        let parent = try await scene.ask(
            "POST", "group_channels/g/messages", #"{"message_type":"MESG","message":"secret"}"#,
            as: scene.ann)
        let id = try #require(parent["message_id"]?.int)
        var reply = MessageCommand(channelURL: "g", requestID: "r", content: .user(text: "x"))
        reply.parentID = MessageID(id)
        func answers() async -> [String] {
            _ = scene.bob.inbox.takeText()
            await scene.fixture.say(.message(reply), on: scene.bob)
            return scene.bob.inbox.takeText().filter { $0.hasPrefix("MESG") }
        }
        #expect(await answers().map { $0.contains("secret") } == [true])
        #expect(await answers().map { $0.contains("secret") } == [true])
        try await scene.ask("PUT", "group_channels/g/reset_user_history", "{}", as: scene.bob)
        #expect(await answers().map { $0.contains("secret") } == [false])
    }

    @Test(arguments: StorageKind.allCases)
    func `a public channel shows mutes and receipts to its members alone (R200)`(
        kind: StorageKind
    ) async throws {
        let scene = try await BudgetScene(try await kind.make())
        let (cyd, eve) = (
            try await scene.fixture.connect("cyd"), try await scene.fixture.connect("eve")
        )
        let place = "group_channels/g"
        try await scene.ask("PUT", place, #"{"is_public":true}"#, as: scene.ann)
        try await scene.ask(
            "PUT", "users/cyd/channel_invitation_preference", #"{"auto_accept":false}"#, as: cyd)
        try await scene.ask("POST", place + "/invite", #"{"user_ids":["cyd"]}"#, as: scene.ann)
        await scene.fixture.send("x", "r", to: "g", on: scene.ann)
        try await scene.ask(
            "POST", place + "/mute", #"{"user_id":"bob","description":"secret"}"#, as: scene.ann)
        let all = "show_member=true&show_read_receipt=true&show_delivery_receipt=true"
        for (device, isMember) in [(scene.ann, true), (cyd, false), (eve, false), (nil, true)] {
            for path in [place, "group_channels"] {
                let answer = try await scene.answer("GET", path + "?\(all)", as: device)
                let text = String(decoding: answer.body, as: UTF8.self)
                #expect(text.contains(#""user_id":"bob""#), "everybody sees the members")
                #expect(text.contains("secret") == isMember)
                #expect(text.contains(#""is_muted":true"#) == isMember)
                #expect(text.contains(#""read_receipt":{"#) == isMember)
            }
        }
    }
}
