// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostServer
import RoostWire
import Synchronization
import Testing

extension ServerFixture {
    /// Makes a call of the platform.
    @discardableResult
    func platform(
        _ method: APIRequest.Method, _ path: String, _ body: String = "{}"
    ) async throws -> JSONValue {
        let request = try APIRequest(
            method: method.rawValue, target: "/v3/" + path, body: Array(body.utf8))
        let answer = await server.respond(
            to: request, headers: RequestHeaders(apiToken: Self.apiToken))
        return try JSONValue(parsing: answer.body)
    }

    /// Gives a user another token without an end.
    func lastingToken(of user: UserID) async throws -> String {
        let answer = try await platform(.put, "users/\(user)", #"{"issue_access_token":true}"#)
        return try #require(answer["access_token"]?.string)
    }

    /// Gives a user a token that ends after a number of milliseconds.
    func endingToken(of user: UserID, after milliseconds: Int64 = 1_000) async throws -> String {
        let end = world.now.milliseconds + milliseconds
        let answer = try await platform(.post, "users/\(user)/token", #"{"expires_at":\#(end)}"#)
        return try #require(answer["token"]?.string)
    }

    /// Opens a socket and returns its first events.
    func enter(
        _ user: UserID? = nil, token: String? = nil, key: String? = nil, from peer: String? = nil
    ) async throws -> (event: ServerEvent, inbox: Inbox, session: SessionID?) {
        var handshake = Handshake(query: [QueryItem("ai", "APP")])
        if let user { handshake.query.append(QueryItem("user_id", user.rawValue)) }
        if let token { handshake.query.append(QueryItem("access_token", token)) }
        if let key { handshake.query.append(QueryItem("key", key)) }
        handshake.headers.peer = peer
        let inbox = Inbox()
        let session = await server.connect(handshake, inbox)
        return (try #require(try inbox.take().first), inbox, session)
    }

    /// Returns the reason of a refused login; nil for success.
    func refusal(
        _ user: UserID? = nil, token: String? = nil, key: String? = nil
    ) async throws -> RoostError.Code? {
        switch try await enter(user, token: token, key: key).event {
        case .login(.failure(let error, _)): error.code
        case .busy: .rateLimited
        default: nil
        }
    }

    /// Opens a socket; the login must succeed.
    func device(_ user: UserID, token: String?) async throws -> Device {
        let (event, inbox, session) = try await enter(user, token: token)
        guard case .login(.success(let login)) = event else {
            throw ServerError(.internalServerError, "The login was refused: \(event)")
        }
        return Device(inbox: inbox, session: try #require(session), key: login.sessionKey)
    }

    /// Returns whether a session key is accepted by a call.
    func answers(key: String) async -> Bool {
        await raw(ListUsers(), RequestHeaders(sessionKey: key)).status == 200
    }

    /// Returns the ways in which a text is accepted as a credential.
    func ways(of text: String, users: [UserID]) async throws -> [String] {
        var ways: [String] = []
        for user in users {
            if try await refusal(user, token: text) == nil { ways.append("token of \(user)") }
            let renewal = await raw(
                RefreshSessionKey(userID: user), RequestHeaders(accessToken: text))
            if renewal.status == 200 { ways.append("token of \(user), by REST") }
        }
        if try await refusal(key: text) == nil { ways.append("key") }
        if await answers(key: text) { ways.append("key, by REST") }
        if await raw(ListUsers(), RequestHeaders(apiToken: text)).status == 200 {
            ways.append("API token")
        }
        return ways
    }
}

struct TokenTests {
    private static let users: [UserID] = ["ann", "bob"]

    private func fixture(
        _ kind: StorageKind = .memory,
        configure: (inout ChatServer.Configuration) -> Void = { _ in }
    ) async throws -> (ServerFixture, any Storage) {
        let storage = try await kind.make()
        for user in Self.users { try await storage.addUser(User(id: user)) }
        return (await ServerFixture(storage: storage, configure: configure), storage)
    }

    // MARK: Stored forms

    @Test(arguments: StorageKind.allCases)
    func `stored forms open no session, alone or combined`(
        kind: StorageKind
    ) async throws {
        let (fixture, storage) = try await fixture(kind) { $0.requiresToken = true }
        let lasting = try await fixture.lastingToken(of: "ann")
        let ending = try await fixture.endingToken(of: "bob")
        let device = try await fixture.device("ann", token: lasting)
        let other = try await fixture.device("bob", token: ending)
        var texts: [String] = []
        func add(_ secret: String, _ kept: KeptSecret?) throws {
            let (number, kept) = (try #require(NumberedSecret(secret)).number, try #require(kept))
            #expect(!secret.contains(kept.salt) && !secret.contains(kept.hash))
            for part in [kept.hash, kept.salt, kept.salt + kept.hash, kept.hash + kept.salt] {
                texts += [part, String(part.prefix(40)), String(part.suffix(40))]
                texts.append(NumberedSecret(number: number, secret: part).text)
                texts.append(NumberedSecret(number: number, secret: String(part.prefix(40))).text)
                for prefix in ["key:", "token:", "session:", "plain:"] {
                    texts.append(prefix + part)
                }
            }
            texts += [TestWorld.digest(secret), TestWorld.digest("key:" + secret)]
        }
        for (user, token) in [("ann", lasting), ("bob", ending)] as [(UserID, String)] {
            let number = NumberedSecret(token)?.number
            try add(token, try await storage.token(number, of: user).record?.kept)
        }
        for key in [device.key, other.key] {
            let number = try #require(NumberedSecret(key)).number
            try add(key, try await storage.session(number)?.kept)
        }
        for text in texts {
            #expect(try await fixture.ways(of: text, users: Self.users).isEmpty, "\(text)")
        }
        #expect(texts.count > 80)
    }

    @Test(arguments: StorageKind.allCases)
    func `a stored form fits a secret of its own kind only`(kind: StorageKind) async throws {
        let (fixture, _) = try await fixture(kind) { $0.requiresToken = true }
        let lasting = try await fixture.lastingToken(of: "ann")
        let ending = try await fixture.endingToken(of: "bob")
        let (event, _, _) = try await fixture.enter("ann", token: lasting)
        guard case .login(.success(let login)) = event else {
            Issue.record("The token was refused.")
            return
        }
        let ways = { try await fixture.ways(of: $0, users: Self.users) }
        #expect(try await ways(lasting) == ["token of ann", "token of ann, by REST"])
        #expect(try await ways(ending) == ["token of bob", "token of bob, by REST"])
        #expect(try await ways(login.sessionKey) == ["key", "key, by REST"])
        #expect(try await ways(ServerFixture.apiToken) == ["API token"])
        #expect(!login.fileKey.isEmpty && login.fileKey != login.sessionKey)
        #expect(try await ways(login.fileKey) == [], "messages send it to any server")
        let secret = try #require(NumberedSecret(login.sessionKey)).secret
        #expect(try await ways(secret) == [], "a key without its number")
        let moved = NumberedSecret(number: 1, secret: String(lasting.suffix(40))).text
        #expect(try await ways(String(moved.dropFirst()) + "0") == [])
    }

    @Test func `stored forms of equal secrets differ`() {
        let world = TestWorld(seed: 3).world
        var parts: Set<String> = []
        for _ in 0..<200 {
            for kind in [KeptSecret.Kind.accessToken, .sessionKey] {
                let kept = world.keep("equal", as: kind)
                #expect(parts.insert(kept.salt).inserted && parts.insert(kept.hash).inserted)
                #expect(world.matches("equal", kept, as: kind))
                #expect(!world.matches("Equal", kept, as: kind))
                let other: KeptSecret.Kind = kind == .sessionKey ? .accessToken : .sessionKey
                #expect(!world.matches("equal", kept, as: other))
            }
        }
        #expect(!world.matches("equal", nil, as: .accessToken))
    }

    @Test func `an empty API token opens nothing`() async {
        let fixture = await ServerFixture { $0.apiToken = "" }
        #expect(await fixture.raw(ListUsers(), RequestHeaders(apiToken: "")).status == 401)
    }

    /// A collection of bytes that counts its reads.
    private struct CountedBytes: Collection {
        final class Count: Sendable {
            let reads = Mutex(0)
        }

        let bytes: [UInt8]
        let counter = Count()
        var startIndex: Int { 0 }
        var endIndex: Int { bytes.count }
        func index(after index: Int) -> Int { index + 1 }
        subscript(index: Int) -> UInt8 {
            counter.reads.withLock { $0 += 1 }
            return bytes[index]
        }
    }

    @Test func `a constant-time comparison reads every byte`() {
        let bytes = (0..<64).map { UInt8($0) }
        for place in 0..<64 {
            for bit in 0..<8 {
                var other = bytes
                other[place] ^= 1 << UInt8(bit)
                let (left, right) = (CountedBytes(bytes: bytes), CountedBytes(bytes: other))
                #expect(!ConstantTime.areEqual(left, right))
                #expect(left.counter.reads.withLock { $0 } == 64)
                #expect(right.counter.reads.withLock { $0 } == 64)
            }
        }
        #expect(ConstantTime.areEqual(bytes, bytes))
        #expect(!ConstantTime.areEqual(bytes, bytes.dropLast()))
        #expect(ConstantTime.areEqual([UInt8](), [UInt8]()))
    }

    @Test func `a key has a single reading`() throws {
        for number in [1, 255, Int64.max] {
            let key = NumberedSecret(number: number, secret: String(repeating: "f", count: 40))
            #expect(NumberedSecret(key.text) == key)
        }
        let secret = String(repeating: "f", count: 40)
        for text in [
            "", secret, "0" + secret, "01" + secret, "-1" + secret, "+1" + secret, "A" + secret,
            "8000000000000000" + secret, "11111111111111111" + secret, " " + secret,
        ] {
            #expect(NumberedSecret(text) == nil, "\(text)")
        }
    }

    // MARK: Tokens that end

    @Test func `a failure of the storage while sessions end closes a new socket, not its session`()
        async throws
    {
        let storage = HookedStorage(try await StorageKind.memory.make())
        let fixture = await ServerFixture(storage: storage)
        let bob = try await fixture.connect("bob")
        // Bob's session ends while Ann's is being opened, and the look at hers fails.
        storage.before("unreadTotal") {
            await fixture.server.expireTokens(of: "bob")
            storage.refuse("session")
        }
        let inbox = Inbox()
        let handshake = Handshake(query: [QueryItem("ai", "APP"), QueryItem("user_id", "ann")])
        _ = await fixture.server.connect(handshake, inbox)
        #expect(bob.inbox.isClosed)
        let frames = try inbox.take()
        guard case .login(.success(let login)) = frames.first else {
            Issue.record("The first frame was no login.")
            return
        }
        #expect(frames.count == 1, "no frame says that the session has ended")
        #expect(inbox.isClosed)
        #expect(await fixture.server.sessionCount == 0)
        #expect(await fixture.answers(key: login.sessionKey))
    }

    @Test(arguments: StorageKind.allCases)
    func `a replaced token ends its sessions and sockets`(
        kind: StorageKind
    ) async throws {
        let (fixture, _) = try await fixture(kind)
        let before = try await fixture.device("ann", token: nil)
        let old = try await fixture.lastingToken(of: "ann")
        #expect(before.inbox.isClosed, "the socket of a login without a token")
        let device = try await fixture.device("ann", token: old)
        let ending = try await fixture.endingToken(of: "ann")
        let other = try await fixture.device("ann", token: ending)
        let bob = try await fixture.device("bob", token: nil)
        let renewed = try RefreshSessionKey.decode(
            await fixture.raw(RefreshSessionKey(userID: "ann"), RequestHeaders(accessToken: old)))
        let new = try await fixture.lastingToken(of: "ann")
        #expect(device.inbox.isClosed)
        let word = try device.inbox.take().last
        #expect(word == .expired(reason: 400_309, expiresIn: 0))
        for key in [before.key, device.key, renewed.sessionKey] {
            #expect(await !fixture.answers(key: key))
            #expect(try await fixture.refusal(key: key) == .sessionKeyExpired)
        }
        #expect(try await fixture.refusal("ann", token: old) == .tokenInvalid)
        for key in [other.key, bob.key] { #expect(await fixture.answers(key: key)) }
        #expect(!other.inbox.isClosed && !bob.inbox.isClosed)
        #expect(try await fixture.refusal("ann", token: new) == nil)
    }

    @Test(arguments: StorageKind.allCases)
    func `a user with a first token always needs one`(kind: StorageKind) async throws {
        let (fixture, _) = try await fixture(kind)
        #expect(try await fixture.refusal("ann") == nil)
        _ = try await fixture.endingToken(of: "ann")
        #expect(try await fixture.refusal("ann") == .tokenInvalid, "it counts")
        fixture.world.advance(2_000)
        #expect(try await fixture.refusal("ann") == .tokenInvalid, "it has ended")
        fixture.world.advance(30 * 86_400_000)
        await fixture.server.forgetEndedSessions()
        #expect(try await fixture.refusal("ann") == .tokenInvalid, "it is forgotten")
        _ = try await fixture.endingToken(of: "ann")
        try await fixture.platform(.delete, "users/ann/token")
        #expect(try await fixture.refusal("ann") == .tokenInvalid, "it was revoked")
        try await fixture.platform(.delete, "users/ann")
        #expect(try await fixture.refusal("ann") == .tokenInvalid, "the name is not a stranger's")
        let made = try await fixture.call(
            CreateUser(userID: "ann", issuesAccessToken: true), as: nil)
        #expect(try await fixture.refusal("ann") == .tokenInvalid)
        #expect(try await fixture.refusal("ann", token: made.accessToken) == nil)
        #expect(try await fixture.refusal("bob") == nil)
    }

    @Test(arguments: [true, false])
    func `no session is opened for a user who does not exist or is deactivated`(
        requiresToken: Bool
    ) async throws {
        let (fixture, _) = try await fixture { $0.requiresToken = requiresToken }
        let headers = RequestHeaders(apiToken: ServerFixture.apiToken)
        let answer = await fixture.raw(RefreshSessionKey(userID: "nobody"), headers)
        #expect(answer.status == 400)
        let code = try JSONValue(parsing: answer.body)["code"]?.int
        #expect(code == (requiresToken ? 400_302 : 400_301))
        let token = try await fixture.lastingToken(of: "ann")
        try await fixture.platform(.put, "users/ann", #"{"is_active":false}"#)
        let renewal = await fixture.raw(
            RefreshSessionKey(userID: "ann"), RequestHeaders(accessToken: token))
        #expect(try JSONValue(parsing: renewal.body)["code"]?.int == 400_300)
        #expect(try await fixture.platform(.post, "users/nobody/token")["code"]?.int == 400_201)
    }

    @Test(arguments: StorageKind.allCases)
    func `a user has a bounded number of keys and tokens, and the oldest end first`(
        kind: StorageKind
    ) async throws {
        let (fixture, _) = try await fixture(kind) {
            $0.limits.keysPerUser = 3
            $0.limits.tokensPerUser = 2
        }
        var devices: [ServerFixture.Device] = []
        for _ in 0..<5 { devices.append(try await fixture.device("bob", token: nil)) }
        #expect(devices.map(\.inbox.isClosed) == [true, true, false, false, false])
        for (index, device) in devices.enumerated() {
            #expect(await fixture.answers(key: device.key) == (index > 1))
        }
        var tokens: [String] = []
        for _ in 0..<4 { tokens.append(try await fixture.endingToken(of: "ann")) }
        for (index, token) in tokens.enumerated() {
            let refusal = try await fixture.refusal("ann", token: token)
            #expect(refusal == (index < 2 ? .tokenInvalid : nil))
        }
    }

    @Test func `a login during a revocation leaves no socket without a session`() async throws {
        let (fixture, _) = try await fixture(.sqlite)
        for round in 0..<50 {
            async let entered = fixture.enter("bob")
            for _ in 0..<round % 7 { await Task.yield() }
            try await fixture.platform(.delete, "users/bob/token")
            let (event, inbox, _) = try await entered
            guard case .login(.success(let login)) = event else { continue }
            #expect(await fixture.answers(key: login.sessionKey) == !inbox.isClosed)
        }
    }

    @Test func `a login with a nickname does not undo a concurrent deactivation`() async throws {
        let (fixture, storage) = try await fixture(.sqlite)
        for round in 0..<50 {
            try await storage.updateUser("bob") { $0.user.isActive = true }
            var handshake = Handshake(query: [QueryItem("ai", "APP"), QueryItem("user_id", "bob")])
            handshake.query.append(QueryItem("nickname", "\(round)"))
            let (named, inbox) = (handshake, Inbox())
            async let entered = fixture.server.connect(named, inbox)
            for _ in 0..<round % 9 { await Task.yield() }
            try await fixture.platform(.put, "users/bob", #"{"is_active":false}"#)
            _ = await entered
            #expect(try await storage.user("bob")?.isActive == false)
            #expect(inbox.isClosed)
        }
    }

    // MARK: Failures

    @Test(arguments: [true, false])
    func `the refusal of a wrong token is the same for every user ID`(requiresToken: Bool)
        async throws
    {
        let (fixture, _) = try await fixture { $0.requiresToken = requiresToken }
        _ = try await fixture.lastingToken(of: "ann")
        var answers: Set<String> = []
        for user in ["ann", "bob", "nobody"] as [UserID] {
            for token in ["wrong", String(repeating: "1", count: 41)] {
                let inbox = Inbox()
                let handshake = Handshake(query: [
                    QueryItem("ai", "APP"), QueryItem("user_id", user.rawValue),
                    QueryItem("access_token", token),
                ])
                #expect(await fixture.server.connect(handshake, inbox) == nil)
                answers.formUnion(inbox.takeText())
                let renewal = await fixture.raw(
                    RefreshSessionKey(userID: user), RequestHeaders(accessToken: token))
                answers.insert(String(decoding: renewal.body, as: UTF8.self))
            }
        }
        #expect(answers.count == 2, "one frame and one answer: \(answers)")
    }

    @Test func `a missing token is refused by the policy, in the same words for every user`()
        async throws
    {
        let (fixture, _) = try await fixture { $0.requiresToken = true }
        _ = try await fixture.lastingToken(of: "ann")
        var messages: Set<String> = []
        for user in ["ann", "nobody"] as [UserID] {
            guard case .login(.failure(let error, _)) = try await fixture.enter(user).event else {
                Issue.record("a login without a token")
                continue
            }
            #expect(error.code == .tokenInvalid)
            messages.insert(error.message)
        }
        #expect(messages.count == 1)
        #expect(messages.first?.hasPrefix("No access token was given") == true, "\(messages)")
    }

    @Test func `a login without a token hears that none was given, whatever the policy says`()
        async throws
    {
        let (fixture, _) = try await fixture { $0.requiresToken = false }
        _ = try await fixture.lastingToken(of: "ann")
        guard case .login(.failure(let error, _)) = try await fixture.enter("ann").event else {
            Issue.record("a login without a token")
            return
        }
        #expect(error.code == .tokenInvalid)
        #expect(error.message.hasPrefix("No access token was given"), "\(error.message)")
    }

    @Test func `failed logins of strangers delay strangers only`() async throws {
        let (fixture, _) = try await fixture {
            $0.failedLoginRate = Rate(burst: 5, perSecond: 1)
        }
        let token = try await fixture.lastingToken(of: "ann")
        var waits = 0
        for _ in 0..<20 {
            let event = try await fixture.enter("ann", token: "wrong", from: "stranger").event
            if case .busy = event { waits += 1 }
        }
        #expect(waits == 15)
        for address in ["home", "stranger"] {
            let (event, _, session) = try await fixture.enter("ann", token: token, from: address)
            #expect(session != nil, "a right token opens: \(event)")
        }
        let (event, _, _) = try await fixture.enter("ann", token: "old", from: "elsewhere")
        guard case .login(.failure(let error, _)) = event else {
            Issue.record("A first failure is to be told apart: \(event)")
            return
        }
        #expect(error.code == .tokenInvalid)
        fixture.world.advance(60_000)
        await fixture.server.dropIdle()
        let later = try await fixture.enter("ann", token: "wrong", from: "stranger").event
        if case .busy = later { Issue.record("Time pays for failures.") }
    }
}
