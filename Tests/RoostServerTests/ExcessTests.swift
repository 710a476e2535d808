// SPDX-License-Identifier: Apache-2.0

import RoostExecutors
import RoostModel
import RoostServer
import RoostWire
import Synchronization
import Testing

/// Users and strangers who ask for more than their part of a server.
struct ExcessTests {
    @Test(arguments: [(members: 10, textBytes: 1), (members: 2, textBytes: 4_000)])
    func `other work has its turn while a batch of messages goes out`(
        members: Int, textBytes: Int
    ) async throws {
        let fixture = await ServerFixture()
        var devices: [ServerFixture.Device] = []
        for number in 0..<members {
            devices.append(try await fixture.connect(UserID("u\(number)")))
        }
        let watcher = TurnWatcher(on: fixture.executor)
        let handshake = Handshake(query: [QueryItem("ai", "APP"), QueryItem("user_id", "bob")])
        _ = try #require(await fixture.server.connect(handshake, watcher))
        let users = (0..<members).map { UserID("u\($0)") } + ["bob"]
        try await fixture.channel(of: users, by: devices[0])
        let texts = (0..<256).map { "\($0) " + String(repeating: "x", count: textBytes) }
        // The commands of one frame are queued together, so they are one batch.
        let commands = texts.map { text in
            let message = MessageCommand(
                channelURL: "g", requestID: RequestID(text.prefix { $0 != " " }.description),
                content: .user(text: text))
            return ClientCommand.message(message).encoded.filter { $0 != "\n" } + "\n"
        }
        await fixture.server.receive(commands.joined(), from: devices[0].session)
        let turn = watcher.turn
        #expect(watcher.messages == 256)
        #expect(turn.map { $0 < 256 } == true, "\(String(describing: turn))")
        let received = try devices[1].inbox.take().compactMap(\.message).map(\.message.text)
        #expect(received == texts, "the order stays")
    }

    @Test func `a socket that goes on over its rate is closed`() async throws {
        let fixture = await ServerFixture { $0.userRate = Rate(burst: 4, perSecond: 1) }
        let (ann, bob) = (try await fixture.connect("ann"), try await fixture.connect("bob"))
        // Three are accepted, and a thousand are answered with the order to wait.
        for number in 0..<1_003 {
            await fixture.send("x", RequestID("r\(number)"), to: "none", on: ann)
        }
        #expect(!ann.inbox.isClosed)
        let refused = try ann.inbox.take().count { $0.error?.code == .rateLimited }
        #expect(refused == 1_000)
        await fixture.send("x", "last", to: "none", on: ann)
        #expect(ann.inbox.isClosed && !bob.inbox.isClosed)
        #expect(await fixture.server.sessionCount == 1)
        fixture.world.advance(10_000)
        _ = try await fixture.connect("ann")
    }

    @Test func `unreadable frames over the rate close their socket too`() async throws {
        let fixture = await ServerFixture { $0.userRate = Rate(burst: 4, perSecond: 1) }
        let ann = try await fixture.connect("ann")
        for _ in 0..<1_003 { await fixture.server.take("nonsense", from: ann.session) }
        #expect(!ann.inbox.isClosed)
        await fixture.server.take("nonsense", from: ann.session)
        #expect(ann.inbox.isClosed)
    }

    @Test func `a client that is refused now and then stays`() async throws {
        let fixture = await ServerFixture { $0.userRate = Rate(burst: 4, perSecond: 1) }
        let ann = try await fixture.connect("ann")
        for number in 0..<3_000 {
            if number.isMultiple(of: 10) { fixture.world.advance(1_000) }
            await fixture.send("x", RequestID("r\(number)"), to: "none", on: ann)
        }
        #expect(!ann.inbox.isClosed)
    }

    @Test func `a refused socket opens no session, and so ends none`() async throws {
        let fixture = await ServerFixture {
            $0.limits.sessionsPerUser = 1
            $0.limits.keysPerUser = 1
        }
        let first = try await fixture.connect("ann")
        let inbox = Inbox()
        let handshake = Handshake(
            query: [
                QueryItem("ai", "APP"), QueryItem("user_id", "ann"), QueryItem("nickname", "A"),
            ])
        #expect(await fixture.server.connect(handshake, inbox) == nil)
        #expect(inbox.takeText().first?.contains("400500") == true)
        #expect(!first.inbox.isClosed)
        let page = try await fixture.call(
            ListUsers(query: UserQuery(ids: ["ann"])), as: first)
        #expect(page.users.first?.nickname == "", "a refused login writes nothing")
    }

    @Test func `logins that open a session count towards the rate of their user`() async throws {
        let fixture = await ServerFixture { $0.userRate = Rate(burst: 2, perSecond: 1) }
        func come(_ query: [QueryItem]) async -> String? {
            let inbox = Inbox()
            let handshake = Handshake(query: [QueryItem("ai", "APP")] + query)
            _ = await fixture.server.connect(handshake, inbox)
            return inbox.takeText().first.map { String($0.prefix(4)) }
        }
        let ann = try await fixture.connect("ann")
        #expect(await come([QueryItem("user_id", "ann")]) == "LOGI")
        #expect(await come([QueryItem("user_id", "ann")]) == "BUSY")
        #expect(await come([QueryItem("key", ann.key)]) == "LOGI", "it has its session")
        #expect(await come([QueryItem("user_id", "bob")]) == "LOGI")
    }

    @Test func `a user has a bounded number of calls under way, until their answers have left`()
        async throws
    {
        let fixture = await ServerFixture { $0.limits.callsAtOnce = 2 }
        let (ann, bob) = (try await fixture.connect("ann"), try await fixture.connect("bob"))
        var answers: [CallUnderWay] = []
        func call(as device: ServerFixture.Device?) async -> RoostError.Code? {
            let call = fixture.server.beginCall()
            var headers = RequestHeaders(sessionKey: device?.key)
            if device == nil { headers.apiToken = ServerFixture.apiToken }
            headers.call = call
            let answer = await fixture.raw(ListUsers(query: UserQuery(ids: ["ann"])), headers)
            if answer.errorCode == nil { answers.append(call) }
            return answer.errorCode
        }
        func codes(of count: Int, as device: ServerFixture.Device?) async -> [RoostError.Code?] {
            var codes: [RoostError.Code?] = []
            for _ in 0..<count { codes.append(await call(as: device)) }
            return codes
        }
        let full = await codes(of: 3, as: ann)
        #expect(full == [nil, nil, .rateLimited])
        let others = await codes(of: 1, as: bob)
        #expect(others == [nil])
        let platform = await codes(of: 4, as: nil)
        #expect(platform == [nil, nil, nil, nil], "the platform has no limit")
        answers.removeFirst()
        let next = await codes(of: 2, as: ann)
        #expect(next == [nil, .rateLimited])
        #expect(await fixture.server.metrics.limited == 2)
        answers = []
        let afterwards = await codes(of: 1, as: ann)
        #expect(afterwards == [nil])
    }

    @Test func `a large body is admitted for its sender, once for the whole call`() async throws {
        let fixture = await ServerFixture { $0.limits.callsAtOnce = 1 }
        let ann = try await fixture.connect("ann")
        for key in [nil, "1.wrong", "nonsense"] {
            await #expect(throws: ServerError.self) {
                try await fixture.server.admit(RequestHeaders(sessionKey: key))
            }
        }
        try await fixture.server.admit(RequestHeaders(apiToken: ServerFixture.apiToken))
        var headers = RequestHeaders(sessionKey: ann.key)
        let call = fixture.server.beginCall()
        headers.call = call
        try await fixture.server.admit(headers)
        let answer = await fixture.raw(ListUsers(query: UserQuery(ids: ["ann"])), headers)
        #expect(answer.status == 200, "the call has its place already")
        var second = headers
        second.call = fixture.server.beginCall()
        let refused = second
        await #expect(throws: ServerError.self) { try await fixture.server.admit(refused) }
    }
}

/// A socket that notes when other work of its server has a turn after the first message.
private final class TurnWatcher: SessionOutlet {
    private let executor: ThreadExecutor
    private let state = Mutex((messages: 0, turn: Int?.none))

    init(on executor: ThreadExecutor) { self.executor = executor }

    /// The number of messages so far.
    var messages: Int { state.withLock { $0.messages } }
    /// The number of messages before the turn.
    var turn: Int? { state.withLock { $0.turn } }

    func deliver(_ frame: String) {
        guard frame.hasPrefix("MESG") else { return }
        let count = state.withLock { state in
            state.messages += 1
            return state.messages
        }
        guard count == 1 else { return }
        Task(executorPreference: executor) {
            self.state.withLock { $0.turn = $0.messages }
        }
    }

    func close() {}
}
