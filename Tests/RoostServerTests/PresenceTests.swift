// SPDX-License-Identifier: Apache-2.0

import RoostCluster
import RoostModel
import RoostPostgres
import RoostServer
import RoostTestSupport
import RoostWire
import Synchronization
import Testing

/// The users of one server as the other servers of the database see them.
@Suite(.timeLimit(.minutes(Patience.minutes)))
struct PresenceTests {
    private static func isOnline(_ id: String, at server: ServerFixture) async throws -> Bool {
        let answer = try await platformCall("GET", "/users/\(id)", at: server)
        return answer["is_online"]?.bool ?? false
    }

    /// Makes a call as the platform and returns the object of the answer.
    private static func platformCall(
        _ method: String, _ path: String, _ body: String = "", at server: ServerFixture,
        key: String? = nil
    ) async throws -> JSONValue {
        let request = try APIRequest(
            method: method, target: "/v3" + path, body: Array(body.utf8),
            contentType: "application/json")
        var headers = RequestHeaders(sessionKey: key)
        if key == nil { headers.apiToken = ServerFixture.apiToken }
        let response = await server.server.respond(to: request, headers: headers)
        return try JSONValue(parsing: response.body)
    }

    private static func count(at server: ServerFixture) async throws -> Int64? {
        try await platformCall("GET", "/open_channels/hall", at: server)["participant_count"]?.int
    }

    /// Two servers with an open channel; Ann is at the first one, Bob at the second.
    private static func start() async throws -> (
        ClusterScene, ann: ServerFixture.Device, bob: ServerFixture.Device
    ) {
        let scene = try await ClusterScene()
        let ann = try await scene.servers[0].connect("ann")
        let bob = try await scene.servers[1].connect("bob")
        _ = try await platformCall(
            "POST", "/open_channels", #"{"channel_url":"hall","name":"Hall"}"#, at: scene.servers[0]
        )
        return (scene, ann, bob)
    }

    @Test func `a user is online for all servers from the first socket to the last`() async throws {
        let (scene, ann, _) = try await Self.start()
        let second = try await scene.servers[0].connect("ann")
        try await scene.flush()
        #expect(try await Self.isOnline("ann", at: scene.servers[1]))
        #expect(try await Self.isOnline("bob", at: scene.servers[0]))
        await scene.servers[0].server.disconnect(ann.session)
        try await scene.flush()
        #expect(try await Self.isOnline("ann", at: scene.servers[1]))
        await scene.servers[0].server.disconnect(second.session)
        try await scene.flush()
        #expect(try await Self.isOnline("ann", at: scene.servers[1]) == false)
    }

    @Test func `an open channel counts the users of all servers, each once`() async throws {
        let (scene, ann, bob) = try await Self.start()
        let elsewhere = try await scene.servers[1].connect("ann")
        await scene.servers[0].say(.enter("hall", "e1"), on: ann)
        await scene.servers[1].say(.enter("hall", "e2"), on: bob)
        await scene.servers[1].say(.enter("hall", "e3"), on: elsewhere)
        try await scene.flush()
        #expect(try await Self.count(at: scene.servers[0]) == 2)
        #expect(try await Self.count(at: scene.servers[1]) == 2)
        let list = try await Self.platformCall("GET", "/open_channels", at: scene.servers[0])
        #expect(list["channels"]?[0]?["participant_count"]?.int == 2)
        let inside = try await Self.platformCall(
            "GET", "/open_channels/hall/participants", at: scene.servers[0])
        let ids = (inside["participants"]?.array ?? []).compactMap { $0["user_id"]?.string }
        #expect(ids.sorted() == ["ann", "bob"])
        await scene.servers[1].say(.exit("hall", "x"), on: bob)
        try await scene.flush()
        #expect(try await Self.count(at: scene.servers[0]) == 1)
    }

    @Test func `a call may reach another server than the caller's socket`() async throws {
        let (scene, ann, bob) = try await Self.start()
        let body = #"{"message_type":"MESG","user_id":"ann","message":"by REST"}"#
        let path = "/open_channels/hall/messages"
        let early = try await Self.platformCall(
            "POST", path, body, at: scene.servers[1], key: ann.key)
        #expect(early["error"]?.bool == true)
        await scene.servers[0].say(.enter("hall", "e1"), on: ann)
        await scene.servers[1].say(.enter("hall", "e2"), on: bob)
        try await scene.flush()
        let sent = try await Self.platformCall(
            "POST", path, body, at: scene.servers[1], key: ann.key)
        #expect(sent["message"]?.string == "by REST")
    }

    /// The presence of another server where everybody but Bob is, with the number of questions.
    private final class OtherServer: PeerPresence {
        let questions = Mutex(0)

        func note(_ place: PresencePlace, isTaken: Bool) {}
        func isTaken(_ place: PresencePlace) async -> Bool {
            await online(among: [place.user]).contains(place.user)
        }
        func online(among ids: [UserID]) async -> Set<UserID> {
            questions.withLock { $0 += 1 }
            return Set(ids).subtracting(["bob"])
        }
        func participants(of url: ChannelURL) async -> [UserID] { [] }
        func counts(in urls: [ChannelURL]) async -> [ChannelURL: Int] { [:] }
    }

    /// The presence of another server, which answers at once until it is slow, and then when a gate
    /// opens.
    private final class SlowServer: PeerPresence {
        let gate = Gate()
        let isSlow = Mutex(false)

        func note(_ place: PresencePlace, isTaken: Bool) {}
        func isTaken(_ place: PresencePlace) async -> Bool {
            if isSlow.withLock({ $0 }) { await gate.wait() }
            return false
        }
        func online(among ids: [UserID]) async -> Set<UserID> { [] }
        func participants(of url: ChannelURL) async -> [UserID] { [] }
        func counts(in urls: [ChannelURL]) async -> [ChannelURL: Int] { [:] }
    }

    @Test func `the end of a session in an open channel holds up no delivery`() async throws {
        let other = SlowServer()
        let server = await ServerFixture(peers: other)
        let (ann, bob) = (try await server.connect("ann"), try await server.connect("bob"))
        _ = try await server.connect("cleo")
        let end = server.world.now.milliseconds + 1_000
        let token = try await Self.platformCall(
            "POST", "/users/cleo/token", #"{"expires_at":\#(end)}"#, at: server)
        let cleo = try await server.connect(
            "cleo", extra: [QueryItem("access_token", token["token"]?.string ?? "")])
        _ = try await Self.platformCall(
            "POST", "/open_channels", #"{"channel_url":"hall","name":"Hall"}"#, at: server)
        for device in [ann, cleo] { await server.say(.enter("hall", "e"), on: device) }
        try await server.channel(of: ["ann", "bob", "cleo"], by: ann)
        _ = (try bob.inbox.take(), try cleo.inbox.take(), try ann.inbox.take())
        server.world.advance(1_000)
        other.isSlow.withLock { $0 = true }
        // The exit is published when the other server has answered.
        _ = try await Self.platformCall(
            "POST", "/group_channels/g/messages",
            #"{"message_type":"MESG","user_id":"ann","message":"hi"}"#, at: server)
        #expect(cleo.inbox.isClosed)
        #expect(try bob.inbox.take().contains { $0.message?.message.text == "hi" })
        #expect(try !ann.inbox.take().contains { $0.category == .exited })
        other.gate.open()
        try await Self.until { try ann.inbox.take().contains { $0.category == .exited } }
    }

    @Test func `an order of another server ends sockets without waiting for their exits`()
        async throws
    {
        let (bus, other) = (TestBus(), SlowServer())
        let (here, there) = (bus.makeEnd(), bus.makeEnd())
        let server = await ServerFixture(fanOut: here, peers: other)
        let (ann, bob) = (try await server.connect("ann"), try await server.connect("bob"))
        _ = try await Self.platformCall(
            "POST", "/open_channels", #"{"channel_url":"hall","name":"Hall"}"#, at: server)
        for device in [ann, bob] { await server.say(.enter("hall", "e"), on: device) }
        _ = try ann.inbox.take()
        other.isSlow.withLock { $0 = true }
        // All messages of the bus wait for this call, and the exit for an answer.
        await there.tell(.expel("bob", frame: ""))
        #expect(bob.inbox.isClosed)
        #expect(try !ann.inbox.take().contains { $0.category == .exited })
        other.gate.open()
        try await Self.until { try ann.inbox.take().contains { $0.category == .exited } }
    }

    /// Lets other work go on until a condition holds; the suite's time limit is the end.
    private static func until(_ condition: () throws -> Bool) async throws {
        while try !condition() { await Task.yield() }
    }

    @Test func `a list of named users asks once who is online elsewhere`() async throws {
        let other = OtherServer()
        let server = await ServerFixture(peers: other)
        for name in ["ann", "bob", "cleo", "dan"] {
            let device = try await server.connect(UserID(name))
            if name != "ann" { await server.server.disconnect(device.session) }
        }
        let list = try await Self.platformCall(
            "GET", "/users?user_ids=ann,bob,cleo,dan", at: server)
        let states = (list["users"]?.array ?? []).map { $0["is_online"]?.bool }
        #expect(states == [true, false, true, true])
        #expect(other.questions.withLock { $0 } == 1)
    }

    @Test func `a list of named users says who is online at any server`() async throws {
        let (scene, _, _) = try await Self.start()
        try await scene.flush()
        let list = try await Self.platformCall(
            "GET", "/users?user_ids=ann,bob", at: scene.servers[0])
        let states = (list["users"]?.array ?? []).map { $0["is_online"]?.bool }
        #expect(states == [true, true])
    }

    @Test func `after a promotion, which empties the tables, all is written again`() async throws {
        let (scene, ann, _) = try await Self.start()
        await scene.servers[0].say(.enter("hall", "e1"), on: ann)
        try await scene.flush()
        try await scene.run("TRUNCATE host, presence")
        #expect(try await Self.isOnline("ann", at: scene.servers[1]) == false)
        scene.advance(.seconds(5))
        try await scene.flush()
        #expect(try await Self.isOnline("ann", at: scene.servers[1]))
        #expect(try await Self.count(at: scene.servers[1]) == 1)
    }

    @Test func `a server that died takes its users along when its lease ends`() async throws {
        let (scene, _, _) = try await Self.start()
        try await scene.flush()
        try await scene.run("UPDATE host SET alive_until = alive_until - interval '16 s'")
        scene.advance(.seconds(5))
        // The second server is alive, the first one is not.
        try await scene.presences[1].flush()
        #expect(try await Self.isOnline("ann", at: scene.servers[1]) == false)
        #expect(try await Self.isOnline("bob", at: scene.servers[0]))
        try await scene.run(
            "UPDATE host SET alive_until = alive_until - interval '60 s' WHERE name = 'host0'")
        scene.advance(.seconds(5))
        try await scene.presences[1].flush()
        #expect(try await scene.rowCount() == 1)
        // It was frozen only, and comes back.
        try await scene.presences[0].flush()
        #expect(try await Self.isOnline("ann", at: scene.servers[1]))
    }

    @Test func `a user who leaves at one server stays inside at another`() async throws {
        let (scene, ann, bob) = try await Self.start()
        let elsewhere = try await scene.servers[1].connect("ann")
        await scene.servers[1].say(.enter("hall", "e1"), on: bob)
        await scene.servers[0].say(.enter("hall", "e2"), on: ann)
        try await scene.flush()
        _ = try bob.inbox.take()
        await scene.servers[1].say(.enter("hall", "e3"), on: elsewhere)
        try await scene.flush()
        await scene.servers[0].say(.exit("hall", "x"), on: ann)
        // Neither a second entry nor an exit is told.
        #expect(bob.inbox.takeText().filter { $0.contains("\"ann\"") } == [])
        try await scene.flush()
        await scene.servers[1].say(.exit("hall", "x2"), on: elsewhere)
        #expect(bob.inbox.takeText().count { $0.contains("\"ann\"") } == 1)
    }

    @Test func `a busy server removes the rows of dead ones too`() async throws {
        let (scene, _, _) = try await Self.start()
        try await scene.flush()
        try await scene.run(
            "UPDATE host SET alive_until = alive_until - interval '76 s' WHERE name = 'host0'")
        for number in 0..<12 {
            scene.advance(.milliseconds(500))
            _ = try await scene.servers[1].connect(UserID("guest\(number)"))
            try await scene.presences[1].flush()
        }
        #expect(try await scene.rowCount() == 13)
    }

    @Test func `a server that ends leaves no rows`() async throws {
        let (scene, _, _) = try await Self.start()
        try await scene.flush()
        #expect(try await scene.rowCount() == 2)
        for presence in scene.presences { await presence.leave() }
        #expect(try await scene.rowCount() == 0)
    }
}

extension ClusterScene {
    /// Runs a statement as a failure or the passing of time would.
    fileprivate func run(_ sql: PostgresSQL) async throws {
        try await pool.write { db async throws(PostgresError) in db.add(PostgresQuery(sql)) }
    }

    fileprivate func rowCount() async throws -> Int64? {
        try await pool.read { db async throws(PostgresError) in
            try await db.first(PostgresQuery("SELECT count(*) FROM presence") { $0.int64(0) })
        }
    }
}
