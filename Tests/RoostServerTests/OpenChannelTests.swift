// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostServer
import RoostWire
import Testing

/// A server with an open channel "o" of the operator Ann, and two users outside it.
private struct Plaza {
    let fixture: ServerFixture
    let ann: ServerFixture.Device
    let bob: ServerFixture.Device
    let eve: ServerFixture.Device

    init(
        storage: (any Storage)? = nil,
        configure: (inout ChatServer.Configuration) -> Void = { _ in }
    ) async throws {
        fixture = await ServerFixture(storage: storage, configure: configure)
        ann = try await fixture.connect("ann")
        bob = try await fixture.connect("bob")
        eve = try await fixture.connect("eve")
        #expect(try await ask("POST", "open_channels", #"{"channel_url":"o"}"#, ann)["name"] == "")
    }

    func ask(
        _ method: String, _ path: String, _ device: ServerFixture.Device?
    ) async throws -> JSONValue {
        try await ask(method, path, "", device)
    }

    func ask(
        _ method: String, _ path: String, _ body: String, _ device: ServerFixture.Device?
    ) async throws -> JSONValue {
        var headers = RequestHeaders(sessionKey: device?.key)
        if device == nil { headers.apiToken = ServerFixture.apiToken }
        let request = try APIRequest(
            method: method, target: "/v3/" + path, body: Array(body.utf8))
        let answer = await fixture.server.respond(to: request, headers: headers)
        return try JSONValue(parsing: answer.body)
    }

    func enter(_ devices: ServerFixture.Device...) async {
        for device in devices { await fixture.say(.enter("o", "in"), on: device) }
        for device in devices { _ = device.inbox.takeText() }
    }
}

struct OpenChannelTests {
    @Test(arguments: StorageKind.allCases)
    func `an unknown operator refuses the creation and the change of a channel as a whole`(
        kind: StorageKind
    ) async throws {
        let plaza = try await Plaza(storage: try await kind.make())
        let body = #"{"channel_url":"p","operator_ids":["ann","nobody"]}"#
        let refusal = try await plaza.ask("POST", "open_channels", body, plaza.ann)
        #expect(refusal["code"] == 400_201, "\(refusal)")
        let again = #"{"channel_url":"p","operator_ids":["ann"]}"#
        #expect(try await plaza.ask("POST", "open_channels", again, plaza.ann)["code"] == nil)
        let change = #"{"name":"new","operator_ids":["nobody"]}"#
        let refused = try await plaza.ask("PUT", "open_channels/o", change, plaza.ann)
        #expect(refused["code"] == 400_201, "\(refused)")
        let kept = try await plaza.ask("GET", "open_channels/o", plaza.ann)
        #expect(kept["name"] == "")
        let list = try await plaza.ask("GET", "open_channels/o/operators", plaza.ann)
        #expect("\(list)".contains("ann"), "\(list)")
    }

    @Test(arguments: StorageKind.allCases)
    func `an entry returns the number of participants and is published to them (protocol 2.7)`(
        kind: StorageKind
    ) async throws {
        let plaza = try await Plaza(storage: try await kind.make())
        await plaza.enter(plaza.ann)
        await plaza.fixture.say(.enter("o", "r"), on: plaza.bob)
        let answer = try #require(plaza.bob.inbox.takeText().first)
        #expect(
            answer.hasPrefix(
                #"ENTR{"req_id":"r","channel_url":"o","channel_type":"open","participant_count":2"#)
        )
        let news = try #require(plaza.ann.inbox.takeText().first)
        #expect(news.hasPrefix(#"SYEV{"cat":10102,"channel_url":"o","channel_type":"open""#))
        #expect(news.contains(#""user_id":"bob""#) && news.contains(#""participant_count":2"#))
        #expect(plaza.eve.inbox.takeText().isEmpty)
        await plaza.fixture.say(.exit("o", "r2"), on: plaza.bob)
        #expect(plaza.bob.inbox.takeText().first?.contains(#""participant_count":1"#) == true)
        #expect(plaza.ann.inbox.takeText().first?.contains(#""cat":10103"#) == true)
    }

    @Test
    func
        `a message in an open channel reaches the sockets inside only, and a group channel's path does not find it`()
        async throws
    {
        let plaza = try await Plaza()
        await plaza.enter(plaza.ann, plaza.bob)
        await plaza.fixture.send("hello", "r", to: "o", on: plaza.eve)
        #expect(try plaza.eve.inbox.take().map { $0.error?.code } == [.notAMember])
        await plaza.fixture.send("hello", "r", to: "o", on: plaza.bob)
        for device in [plaza.ann, plaza.bob] {
            let text = device.inbox.takeText()
            #expect(text.count == 1)
            #expect(text.first?.contains(#""channel_type":"open""#) == true)
        }
        #expect(plaza.eve.inbox.takeText().isEmpty)
        let page = try await plaza.ask(
            "GET", "open_channels/o/messages?message_ts=0&next_limit=9", plaza.eve)
        #expect(page["messages"]?[0]?["message"] == "hello")
        #expect(page["messages"]?[0]?["channel_type"] == "open")
        let id = page["messages"]?[0]?["message_id"]?.int ?? 0
        for path in ["group_channels/o", "group_channels/o/messages/\(id)", "open_channels/none"] {
            #expect(try await plaza.ask("GET", path, plaza.ann)["error"] == true, "\(path)")
        }
        _ = try await plaza.ask(
            "POST", "open_channels/o/messages/\(id)/reactions", #"{"reaction":"x"}"#, plaza.bob)
        _ = try await plaza.ask("DELETE", "open_channels/o/messages/\(id)", plaza.bob)
        let heard = plaza.ann.inbox.takeText()
        #expect(heard.map { String($0.prefix(4)) } == ["MRCT", "DELM"])
        #expect(heard.allSatisfy { $0.contains(#""channel_type":"open""#) })
        #expect(
            try await plaza.ask("GET", "users/ann/my_group_channels?show_empty=true", plaza.ann)[
                "channels"] == [])
    }

    @Test func `a participant stays until the user's last socket has left`() async throws {
        let plaza = try await Plaza()
        let second = try await plaza.fixture.connect("bob")
        await plaza.enter(plaza.ann, plaza.bob, second)
        func names() async throws -> [JSONValue?] {
            let page = try await plaza.ask("GET", "open_channels/o/participants", plaza.eve)
            return page["participants"]?.array?.map { $0["user_id"] } ?? []
        }
        #expect(try await names() == ["ann", "bob"])
        await plaza.fixture.server.disconnect(second.session)
        #expect(try await names() == ["ann", "bob"])
        _ = plaza.ann.inbox.takeText()
        await plaza.fixture.server.disconnect(plaza.bob.session)
        #expect(try await names() == ["ann"])
        #expect(plaza.ann.inbox.takeText().first?.contains(#""cat":10103"#) == true)
    }

    @Test
    func `open channels keep banned users out, mute users, and freeze for operators`()
        async throws
    {
        let plaza = try await Plaza()
        await plaza.enter(plaza.ann, plaza.bob)
        #expect(
            try await plaza.ask("POST", "open_channels/o/mute", #"{"user_id":"ann"}"#, plaza.bob)[
                "code"] == 400108)
        _ = try await plaza.ask("POST", "open_channels/o/mute", #"{"user_id":"bob"}"#, plaza.ann)
        #expect(try plaza.bob.inbox.take().map(\.category) == [.muted])
        await plaza.fixture.send("x", "r", to: "o", on: plaza.bob)
        #expect(try plaza.bob.inbox.take().map { $0.error?.code.rawValue } == [900_041])
        _ = try await plaza.ask("POST", "open_channels/o/ban", #"{"user_id":"bob"}"#, plaza.ann)
        #expect(try plaza.bob.inbox.take().map(\.category) == [.banned])
        await plaza.fixture.send("for ann", "r", to: "o", on: plaza.ann)
        #expect(plaza.bob.inbox.takeText().isEmpty)
        await plaza.fixture.say(.enter("o", "r"), on: plaza.bob)
        #expect(try plaza.bob.inbox.take().map { $0.error?.code.rawValue } == [900_100])
        #expect(
            try await plaza.ask("GET", "open_channels/o/messages?message_ts=0", plaza.bob)["code"]
                == 900_100)
        let frozen = try await plaza.ask(
            "PUT", "open_channels/o/freeze", #"{"freeze":true}"#, plaza.ann)
        #expect(frozen["freeze"] == true && frozen["participant_count"] == 1)
        await plaza.enter(plaza.eve)
        await plaza.fixture.send("x", "r", to: "o", on: plaza.eve)
        #expect(try plaza.eve.inbox.take().map { $0.error?.code } == [.channelFrozen])
        _ = try await plaza.ask("DELETE", "open_channels/o", plaza.ann)
        #expect(plaza.eve.inbox.takeText().first?.contains(#""cat":12000"#) == true)
        #expect(try await plaza.ask("GET", "open_channels/o", plaza.ann)["error"] == true)
    }
    @Test
    func `each socket gets the event of a mute once, inside and outside of the channel`()
        async throws
    {
        let plaza = try await Plaza()
        let outside = try await plaza.fixture.connect("bob")
        await plaza.enter(plaza.ann, plaza.bob)
        _ = (plaza.ann.inbox.takeText(), plaza.bob.inbox.takeText())
        for (method, path, category) in [
            ("POST", "mute", .muted), ("DELETE", "mute/bob", .unmuted),
        ] as [(String, String, ChannelEvent.Category)] {
            _ = try await plaza.ask(
                method, "open_channels/o/" + path, #"{"user_id":"bob"}"#, plaza.ann)
            for device in [plaza.ann, plaza.bob, outside] {
                #expect(try device.inbox.take().map(\.category) == [category])
            }
            #expect(plaza.eve.inbox.takeText().isEmpty)
        }
    }

    @Test func `a change of the operators is published to the participants`() async throws {
        let plaza = try await Plaza()
        await plaza.enter(plaza.eve)
        _ = try await plaza.ask(
            "PUT", "open_channels/o", #"{"operator_ids":["bob"]}"#, plaza.ann)
        let heard = try plaza.eve.inbox.take()
        #expect(heard.map(\.category) == [.operatorsChanged, .propertiesChanged])
        guard case .inOpenChannel(.channel(let event)) = heard.first,
            case .operators(let users) = event.content
        else { throw ServerError(.internalServerError, "No change of operators was published.") }
        #expect(users.map(\.id) == ["bob"])
        _ = try await plaza.ask("PUT", "open_channels/o", #"{"name":"new"}"#, plaza.bob)
        #expect(try plaza.eve.inbox.take().map(\.category) == [.propertiesChanged])
    }

    @Test func `the list of participants shows mutes (protocol 3.5)`() async throws {
        let plaza = try await Plaza()
        await plaza.enter(plaza.ann, plaza.bob)
        func mutes() async throws -> [JSONValue?] {
            let page = try await plaza.ask("GET", "open_channels/o/participants", plaza.eve)
            return page["participants"]?.array?.map { $0["is_muted"] } ?? []
        }
        #expect(try await mutes() == [false, false])
        _ = try await plaza.ask(
            "POST", "open_channels/o/mute", #"{"user_id":"bob","seconds":"60"}"#, plaza.ann)
        #expect(try await mutes() == [false, true])
        plaza.fixture.world.advance(61_000)
        #expect(try await mutes() == [false, false])
    }

    @Test func `participants are listed in the order of entry, also after many exits`()
        async throws
    {
        let plaza = try await Plaza()
        var devices: [ServerFixture.Device] = []
        for number in 0..<9 {
            devices.append(try await plaza.fixture.connect(UserID("u\(number)")))
            await plaza.enter(devices[number])
        }
        for number in [1, 2, 3, 4, 5, 6] {
            await plaza.fixture.say(.exit("o", "out"), on: devices[number])
        }
        await plaza.fixture.server.disconnect(devices[0].session)
        await plaza.enter(devices[4], devices[2], devices[4])
        let page = try await plaza.ask("GET", "open_channels/o/participants", plaza.eve)
        #expect(
            page["participants"]?.array?.map { $0["user_id"] } == ["u7", "u8", "u4", "u2"])
        #expect(
            try await plaza.ask("GET", "open_channels/o", plaza.eve)["participant_count"] == 4)
        _ = try await plaza.ask("DELETE", "open_channels/o", plaza.ann)
        await plaza.fixture.server.disconnect(devices[7].session)
    }

    @Test func `a list of open channels reads each channel and all operators once`() async throws {
        let storage = HookedStorage(try await StorageKind.memory.make())
        let scene = try await BudgetScene(storage)
        for number in 0..<5 {
            try await scene.ask(
                "POST", "open_channels", #"{"channel_url":"o\#(number)"}"#, as: scene.ann)
        }
        _ = storage.takeCounts()
        let list = try await scene.ask("GET", "open_channels", as: scene.ann)
        #expect(list["channels"]?.array?.count == 5)
        let counts = storage.takeCounts()
        #expect(counts["access"] == nil && counts["operators"] == 1, "\(counts)")
        #expect(counts["memberRecords"] == nil, "\(counts)")
        for channel in list["channels"]?.array ?? [] {
            #expect(channel["operators"]?.array?.map { $0["user_id"] } == ["ann"])
        }
    }

    @Test func `the sockets in a channel and the channels of a socket have limits`() async throws {
        let plaza = try await Plaza {
            $0.limits.participants = 2
            $0.limits.roomsPerSession = 1
        }
        _ = try await plaza.ask("POST", "open_channels", #"{"channel_url":"p"}"#, plaza.ann)
        await plaza.enter(plaza.ann, plaza.bob)
        func codes(_ url: ChannelURL, _ device: ServerFixture.Device) async throws -> [Int?] {
            _ = device.inbox.takeText()
            await plaza.fixture.say(.enter(url, "in"), on: device)
            return try device.inbox.take().map { $0.error?.code.rawValue }
        }
        #expect(try await codes("o", plaza.eve) == [900_400])
        #expect(try await codes("o", plaza.bob) == [nil], "a repeated entry is answered")
        #expect(try await codes("p", plaza.bob) == [400_203])
        await plaza.fixture.say(.exit("o", "out"), on: plaza.bob)
        #expect(try await codes("p", plaza.bob) == [nil])
        #expect(try await codes("o", plaza.eve) == [nil])
    }
}
