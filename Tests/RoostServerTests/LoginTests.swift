// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostServer
import RoostWire
import Testing

struct LoginTests {
    private func connect(
        _ handshake: Handshake, to fixture: ServerFixture
    ) async throws -> (result: LoginResult, inbox: Inbox) {
        let inbox = Inbox()
        let session = await fixture.server.connect(handshake, inbox)
        let events = try inbox.take()
        guard events.count == 1, case .login(let result) = events[0] else {
            throw ServerError(.internalServerError, "The first frame was no login.")
        }
        if case .success = result {
            #expect(session != nil)
            #expect(!inbox.isClosed)
        } else {
            #expect(session == nil)
            #expect(inbox.isClosed)
        }
        return (result, inbox)
    }

    private func code(_ result: LoginResult) -> RoostError.Code? {
        if case .failure(let error, _) = result { error.code } else { nil }
    }

    private func query(_ items: [(String, String)]) -> [QueryItem] {
        items.map { QueryItem($0.0, $0.1) }
    }

    static let application = QueryItem("ai", "APP")

    @Test(arguments: ["query", "header", "encoded header", "subprotocol"])
    func `a token is read from every place that clients use (R193)`(
        place: String
    ) async throws {
        let fixture = await ServerFixture { $0.requiresToken = true }
        let made = try await fixture.call(
            CreateUser(userID: "u", issuesAccessToken: true), as: nil)
        let token = try #require(made.accessToken)
        func handshake(_ token: String) -> Handshake {
            var handshake = Handshake(query: [Self.application, QueryItem("user_id", "u")])
            switch place {
            case "query": handshake.query.append(QueryItem("access_token", token))
            case "header": handshake.headers.socketToken = token
            case "encoded header":
                handshake.headers.socketToken =
                    "%" + String(token.utf8.first ?? 0, radix: 16) + token.dropFirst()
            default:
                handshake.subprotocols = [PercentEncoding.encode(#"{"token":"\#(token)"}"#)]
                #expect(handshake.acceptedSubprotocol == handshake.subprotocols[0])
            }
            return handshake
        }
        let good = try await connect(handshake(token), to: fixture)
        #expect(code(good.result) == nil)
        let bad = try await connect(handshake("wrong"), to: fixture)
        #expect(code(bad.result) == .tokenInvalid)
    }

    @Test(arguments: ["query", "header", "subprotocol"])
    func `a session key alone identifies a user who connects again`(place: String) async throws {
        let fixture = await ServerFixture()
        let key = try await fixture.connect("u").key
        func handshake(_ key: String) -> Handshake {
            var handshake = Handshake(query: [Self.application])
            switch place {
            case "query": handshake.query.append(QueryItem("key", key))
            case "header": handshake.headers.socketAuth = key
            default: handshake.subprotocols = [PercentEncoding.encode(#"{"auth":"\#(key)"}"#)]
            }
            return handshake
        }
        let good = try await connect(handshake(key), to: fixture)
        guard case .success(let login) = good.result else {
            Issue.record("The key was refused.")
            return
        }
        #expect(login.user.id == "u")
        #expect(login.sessionKey == key)
        let bad = try await connect(handshake("unknown"), to: fixture)
        #expect(code(bad.result) == .sessionKeyNotFound)
    }

    @Test(arguments: ["null", "undefined", ""])
    func `a token of null or undefined counts as missing`(token: String) async throws {
        let fixture = await ServerFixture()
        let items = [
            Self.application, QueryItem("user_id", "u"), QueryItem("access_token", token),
        ]
        let handshake = Handshake(query: items, subprotocols: ["%7B%7D"])
        #expect(handshake.acceptedSubprotocol == "%7B%7D")
        #expect(code(try await connect(handshake, to: fixture).result) == nil)
    }

    @Test
    func `a refused login gets a frame with the error's number`() async throws {
        let open = await ServerFixture()
        let wrongApplication = Handshake(query: query([("ai", "OTHER"), ("user_id", "u")]))
        #expect(code(try await connect(wrongApplication, to: open).result) == .applicationNotFound)
        let nobody = Handshake(query: [Self.application])
        #expect(code(try await connect(nobody, to: open).result) == .parameterMissing)
        let user = Handshake(query: [Self.application, QueryItem("user_id", "u")])
        let strict = await ServerFixture { $0.requiresToken = true }
        #expect(code(try await connect(user, to: strict).result) == .tokenInvalid)
        let closed = await ServerFixture { $0.createsUsers = false }
        #expect(code(try await connect(user, to: closed).result) == .userNotFound)
        #expect(await closed.server.sessionCount == 0)
    }

    @Test
    func `a login's nickname becomes the user's`() async throws {
        let fixture = await ServerFixture()
        _ = try await fixture.connect("u", extra: [QueryItem("nickname", "First")])
        _ = try await fixture.connect("u", extra: [QueryItem("nickname", "Second")])
        let users = try await fixture.call(ListUsers(), as: nil).users
        #expect(users.map(\.nickname) == ["Second"])
    }

    @Test
    func `a session key is renewed over the socket and over REST`() async throws {
        let fixture = await ServerFixture()
        let device = try await fixture.connect("u")
        let refresh = SessionRefresh(requestID: "r", token: nil, isExpiring: true)
        await fixture.say(.refreshSession(refresh), on: device)
        guard case .login(.refreshed("r", let first, _)) = try device.inbox.take().first else {
            Issue.record("No new key came.")
            return
        }
        let second = try await fixture.call(RefreshSessionKey(userID: "u"), as: device).sessionKey
        for key in [first, second, device.key] {
            let handshake = Handshake(query: [Self.application, QueryItem("key", key)])
            #expect(code(try await connect(handshake, to: fixture).result) == nil)
        }
        #expect(Set([first, second, device.key]).count == 3)
    }

    @Test
    func `REST without a valid key or token is refused with 401`() async throws {
        let fixture = await ServerFixture()
        for headers in [
            RequestHeaders(), RequestHeaders(sessionKey: "x"), RequestHeaders(apiToken: "x"),
        ] {
            let response = await fixture.raw(ListUsers(), headers)
            #expect(response.status == 401)
        }
        let names = ["session-key": "k", "API-TOKEN": "t"]
        let headers = RequestHeaders { name in
            names.first { $0.key.lowercased() == name.lowercased() }?.value
        }
        #expect(headers == RequestHeaders(sessionKey: "k", apiToken: "t"))
    }

    @Test func `a clock that goes back puts no change before an earlier login (scar 2)`()
        async throws
    {
        let fixture = await ServerFixture()
        let alice = try await fixture.connect("alice")
        fixture.world.advance(3_600_000)
        let loginAt = fixture.server.world.now()
        fixture.world.advance(-3_600_000)
        try await fixture.call(
            CreateChannel(channelURL: "c", userIDs: ["alice"], name: "later"), as: alice)
        let changes = try await fixture.call(
            ChannelChangeLog(userID: "alice", cursor: .since(loginAt), showsEmpty: true), as: alice)
        #expect(changes.updated.map(\.url) == ["c"])
    }
}
