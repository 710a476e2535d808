// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostServer
import RoostWire
import Testing

/// The access of every kind of caller to every route, call and command.
struct AccessTests {
    /// Returns the name of a call with a type of its own; a new case does not compile without a
    /// name.
    private static func name(of call: APICall) -> String {
        switch call {
        case .createChannel: "POST group_channels"
        case .getChannel: "GET group_channels/*"
        case .updateChannel: "PUT group_channels/*"
        case .inviteMembers: "POST group_channels/*/invite"
        case .joinChannel: "PUT group_channels/*/join"
        case .leaveChannel: "PUT group_channels/*/leave"
        case .listMyChannels: "GET users/*/my_group_channels"
        case .channelChangeLog: "GET users/*/my_group_channels/changelogs"
        case .listMessages: "GET group_channels/*/messages"
        case .messageChangeLog: "GET group_channels/*/messages/changelogs"
        case .messageGap: "GET group_channels/*/messages_gap"
        case .sendMessage: "POST group_channels/*/messages"
        case .getMessage: "GET group_channels/*/messages/*"
        case .editMessage: "PUT group_channels/*/messages/*"
        case .deleteMessage: "DELETE group_channels/*/messages/*"
        case .markAsRead: "PUT group_channels/*/messages/mark_as_read"
        case .createUser: "POST users"
        case .listUsers: "GET users"
        case .refreshSessionKey: "POST users/*/session_key"
        case .unlisted: "GET sdk/settings"
        }
    }

    @Test func `every route has a row in the table, and every row has a route (R200)`() throws {
        let rows = Set(AccessTable.rows.map(\.name))
        let routes = Set(Route.all.map { "\($0.method.rawValue) \($0.pattern.text)" })
        #expect(routes.subtracting(rows).isEmpty)
        // The other rows are calls with a type of their own.
        for row in AccessTable.rows where !routes.contains(row.name) {
            let parts = row.name.split(separator: " ").map(String.init)
            let path = row.path.replacing("FOREIGN", with: "1").replacing("MESSAGE", with: "1")
                .replacing("WORD", with: "1")
            let request = try APIRequest(
                method: parts[0], target: "/v3/" + path,
                body: Array(row.body.replacing("FOREIGN", with: "1").utf8))
            let call = try APICall(decoding: request)
            let pattern = APICall.pattern(of: request) ?? "sdk/settings"
            #expect(row.name == "\(parts[0]) \(pattern)")
            let name = row.name.replacing("open_channels", with: "group_channels")
                .replacing("sdk/group", with: "group").replacing("accept", with: "join")
            #expect(Self.name(of: call) == name)
        }
    }

    @Test(arguments: Who.allCases)
    func `every call admits exactly its callers (R200)`(who: Who) async throws {
        let fixture = await ServerFixture()
        let host = try await fixture.connect("host")
        let peer = try await fixture.connect("peer")
        var number = 0
        var unused: AccessScene?
        for row in AccessTable.rows {
            number += 1
            let scene: AccessScene
            if let kept = unused {
                scene = kept
            } else {
                scene = try await AccessScene(who, fixture, host, peer, number: number)
                try await scene.ask(
                    "PUT", "users/peer/metadata/known", #"{"value":"v","upsert":true}"#)
            }
            if let before = row.before {
                try await scene.ask(before.method, before.path, before.body)
            }
            let method = String(row.name.prefix { $0 != " " })
            let code = try await scene.code(method, row.path, row.body)
            #expect(
                (code == row.code) == row.admitted.contains(who),
                "\(who): \(method) \(row.path) \(row.body) answered \(code ?? 200)")
            // A call that reads or is refused leaves the scene to the next row.
            let isUnchanged = row.before == nil && (method == "GET" || code != nil)
            unused = isUnchanged ? scene : nil
        }
    }

    // MARK: Commands

    /// The commands of a socket; a new case does not compile without a name.
    private enum Command: CaseIterable {
        case ping, message, edit, editForeign, read, readThread, typingStart, typingEnd
        case acknowledge, refresh, enter, exit, vote, unknown

        /// The callers whom the protocol admits.
        var admitted: Set<Who> {
            let sockets = Set(Who.allCases).subtracting([.platform, .deactivated])
            let live = sockets.subtracting([.expired])
            let readers = live.subtracting([.stranger, .invited, .banned])
            let speakers = readers.subtracting([.muted, .frozenMember])
            switch self {
            // A ping keeps the socket open for the renewal of a session.
            case .ping: return sockets
            // These users need no token; the one with the expired session has logged in with one.
            case .refresh, .unknown: return live
            case .message, .typingStart, .typingEnd: return speakers
            case .edit, .vote: return speakers.subtracting([.late])
            case .editForeign: return []
            case .read: return readers
            case .readThread, .acknowledge: return readers.subtracting([.late])
            case .enter: return live.subtracting([.banned])
            case .exit: return readers
            }
        }

        func command(_ scene: AccessScene) -> ClientCommand {
            let channel = ChannelURL(scene.fill("CHANNEL"))
            let room = ChannelURL(scene.fill("ROOM"))
            let foreign = MessageID(scene.id("FOREIGN"))
            func edit(_ name: String) -> ClientCommand {
                .edit(
                    EditCommand(
                        channelURL: channel, messageID: MessageID(scene.id(name)),
                        requestID: "r", text: "y"))
            }
            return switch self {
            case .ping: .ping(Ping(id: 1))
            case .message:
                .message(
                    MessageCommand(
                        channelURL: channel, requestID: "r", content: .user(text: "x")))
            case .edit: edit("MESSAGE")
            case .editForeign: edit("FOREIGN")
            case .read: .read(channel, "r")
            case .readThread: .readThread(channel, parentID: foreign, "r")
            case .typingStart: .typingStart(channel, time: scene.fixture.world.now)
            case .typingEnd: .typingEnd(channel, time: scene.fixture.world.now)
            case .acknowledge: .messageAcknowledgement(channel, foreign)
            case .refresh:
                .refreshSession(SessionRefresh(requestID: "r", token: nil, isExpiring: false))
            case .enter: .enter(room, "r")
            case .exit: .exit(room, "r")
            case .vote:
                .vote(
                    VoteCommand(
                        channelURL: channel, pollID: PollID(scene.id("THEIRS")),
                        optionIDs: [1], requestID: "r"))
            case .unknown: .unknown(Frame.Command(rawValue: "ABCD"), "r")
            }
        }
    }

    /// Returns the case of a command.
    private static func name(of command: ClientCommand) -> Command {
        switch command {
        case .ping: .ping
        case .message: .message
        case .edit: .edit
        case .read: .read
        case .readThread: .readThread
        case .typingStart: .typingStart
        case .typingEnd: .typingEnd
        case .messageAcknowledgement: .acknowledge
        case .refreshSession: .refresh
        case .enter: .enter
        case .exit: .exit
        case .vote: .vote
        case .unknown: .unknown
        }
    }

    /// Whether the caller's command has had its effect.
    private func isAdmitted(_ command: Command, _ scene: AccessScene) async throws -> Bool {
        _ = scene.peer.inbox.takeText()
        let said = command.command(scene)
        #expect(Self.name(of: said) == command || command == .editForeign)
        await scene.fixture.say(said, on: scene.device)
        let answers = scene.device.inbox.takeText()
        let news = scene.peer.inbox.takeText()
        return switch command {
        case .typingStart, .typingEnd: news.contains { $0.contains(#""cat":1090"#) }
        case .acknowledge: news.contains { $0.hasPrefix("DLVR") }
        case .ping: answers.contains { $0.hasPrefix("PONG") }
        case .unknown: answers.contains { $0.contains("400920") }
        default:
            answers.contains { $0.contains(#""req_id":"r""#) && !$0.hasPrefix("EROR") }
        }
    }

    @Test(arguments: Who.allCases.filter { $0 != .platform && $0 != .nobody })
    func `every command admits exactly its callers (R200)`(
        who: Who
    ) async throws {
        let fixture = await ServerFixture()
        let host = try await fixture.connect("host")
        let peer = try await fixture.connect("peer")
        var number = 0
        for command in Command.allCases {
            number += 1
            let scene = try await AccessScene(who, fixture, host, peer, number: number)
            let isAdmitted = try await isAdmitted(command, scene)
            #expect(isAdmitted == command.admitted.contains(who), "\(who): \(command)")
        }
    }

    // MARK: Access codes

    @Test(arguments: StorageKind.allCases)
    func `a public channel with an access code shows outsiders what they need to join it (R200)`(
        kind: StorageKind
    ) async throws {
        let club = try await Club(kind)
        let view = try await club.ask("GET", "group_channels/club", as: club.stranger)
        #expect(view["name"] == "Club" && view["is_access_code_required"] == true)
        #expect(view["member_count"] == 2)
        #expect(view["last_message"] == nil || view["last_message"] == .null)
        #expect(view["members"]?.array?.isEmpty ?? true)
        #expect(!view.text.contains("secret") && !view.text.contains("host"))
        let listed = try await club.ask(
            "GET", "group_channels?show_member=true&show_metadata=true", as: club.stranger)
        #expect(listed["channels"]?[0]?["name"] == "Club")
        #expect(!listed.text.contains("secret") && !listed.text.contains("host"))
        for question in ["members_include_in=host", "metadata_key=k", "members_nickname=Hosty"] {
            let found = try await club.ask(
                "GET", "group_channels?\(question)", as: club.stranger)
            #expect(found["channels"] == [], "\(question)")
        }
        for code in ["", #","access_code":"guess""#] {
            let refused = try await club.ask(
                "PUT", "group_channels/club/join", #"{"user_id":"stranger"\#(code)}"#,
                as: club.stranger)
            #expect(refused["code"] == 400_108)
        }
        let joined = try await club.ask(
            "PUT", "group_channels/club/join",
            #"{"user_id":"stranger","access_code":"1234"}"#, as: club.stranger)
        #expect(joined["last_message"]?["message"] == "secret words")
        #expect(joined["members"]?.array?.count == 3)
    }

    @Test(arguments: StorageKind.allCases)
    func `a public channel hides itself from users whom it has banned (R200)`(
        kind: StorageKind
    ) async throws {
        let club = try await Club(kind, code: "")
        let before = try await club.ask("GET", "group_channels/club", as: club.stranger)
        #expect(before["last_message"]?["message"] == "secret words")
        try await club.ask("POST", "group_channels/club/ban", #"{"user_id":"stranger"}"#)
        let after = try await club.ask("GET", "group_channels/club", as: club.stranger)
        #expect(after["code"] == 900_020)
        let listed = try await club.ask("GET", "group_channels", as: club.stranger)
        #expect(listed["channels"] == [])
        let join = try await club.ask(
            "PUT", "group_channels/club/join", #"{"user_id":"stranger"}"#, as: club.stranger)
        #expect(join["code"] == 400_750)
    }

    @Test
    func `only members find messages of a channel (R200)`() async throws {
        let fixture = await ServerFixture()
        let host = try await fixture.connect("host")
        let peer = try await fixture.connect("peer")
        for (who, count) in [
            (Who.member, 4), (.chief, 4), (.late, 0), (.stranger, 0), (.invited, 0),
        ] {
            let scene = try await AccessScene(who, fixture, host, peer, number: 0)
            let request = try APIRequest(
                method: "GET", target: "/v3/search/messages?query=x", body: [])
            let answer = await fixture.server.respond(
                to: request, headers: RequestHeaders(sessionKey: scene.device.key))
            #expect(try JSONValue(parsing: answer.body)["results"]?.array?.count == count, "\(who)")
        }
    }
}

/// A public channel "club" of "host" and "friend", and a user outside it.
private struct Club {
    let fixture: ServerFixture
    let stranger: ServerFixture.Device

    init(_ kind: StorageKind, code: String = "1234") async throws {
        fixture = await ServerFixture(storage: try await kind.make())
        let host = try await fixture.connect("host", extra: [QueryItem("nickname", "Hosty")])
        _ = try await fixture.connect("friend")
        stranger = try await fixture.connect("stranger")
        try await ask(
            "POST", "group_channels",
            #"""
            {"channel_url":"club","name":"Club","data":"secret data","user_ids":["host","friend"],
            "operator_ids":["host"],"is_public":true,"access_code":"\#(code)"}
            """#, as: host)
        try await ask(
            "POST", "group_channels/club/metadata", #"{"metadata":{"k":"secret"}}"#, as: host)
        await fixture.send("secret words", "r", to: "club", on: host)
    }

    @discardableResult
    func ask(
        _ method: String, _ path: String, _ body: String = "",
        as device: ServerFixture.Device? = nil
    ) async throws -> JSONValue {
        var headers = RequestHeaders(sessionKey: device?.key)
        if device == nil { headers.apiToken = ServerFixture.apiToken }
        let request = try APIRequest(
            method: method, target: "/v3/" + path, body: Array(body.utf8))
        let answer = await fixture.server.respond(to: request, headers: headers)
        return try JSONValue(parsing: answer.body)
    }
}
