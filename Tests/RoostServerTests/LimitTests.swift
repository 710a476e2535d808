// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostServer
import RoostWire
import Synchronization
import Testing

struct LimitTests {
    private func at(_ milliseconds: Int64) -> Timestamp { Timestamp(milliseconds: milliseconds) }

    @Test func `servers that share the rates allow the whole rate together`() async throws {
        let fixture = await ServerFixture { $0.userRate = Rate(burst: 60, perSecond: 10) }
        let ann = try await fixture.connect("ann")
        await fixture.server.shareRates(among: 3)
        func allowed() async -> Int {
            var count = 0
            for _ in 0..<100 {
                let answer = await fixture.raw(
                    ListMyChannels(userID: "ann"), RequestHeaders(sessionKey: ann.key))
                count += answer.status == 200 ? 1 : 0
            }
            return count
        }
        let first = await allowed()
        #expect((19...20).contains(first))
        fixture.world.advance(3_000)
        #expect(await allowed() == 10)
        await fixture.server.shareRates(among: 1_000_000)
        fixture.world.advance(60_000)
        // However many servers there are, each allows some calls, and frames cost one.
        #expect(await allowed() == 20)
        fixture.world.advance(60_000)
        for number in 0..<60 {
            await fixture.send("\(number)", RequestID("r\(number)"), to: "none", on: ann)
        }
        #expect(try ann.inbox.take().count { $0.error?.code == .rateLimited } == 0)
    }

    @Test func `a rate allows a burst, then a number per second, and returns the wait`() {
        var limiter = RateLimiter<Int>(Rate(burst: 3, perSecond: 2))
        for _ in 0..<3 { #expect(limiter.take(1, at: at(0)) == nil) }
        #expect(limiter.take(1, at: at(0)) == .milliseconds(500))
        #expect(limiter.take(2, at: at(0)) == nil, "each has a debt of their own")
        #expect(limiter.take(1, at: at(499)) == .milliseconds(1))
        #expect(limiter.take(1, at: at(500)) == nil)
        #expect(limiter.take(1, at: at(500)) == .milliseconds(500))
        for _ in 0..<3 { #expect(limiter.take(1, at: at(1_000_000)) == nil) }
        #expect(limiter.take(1, at: at(1_000_000)) != nil, "a long rest saves up one burst")
        #expect(limiter.take(1, at: at(999_000)) != nil, "a clock that goes back pays nothing")
    }

    @Test func `work that is noted afterwards delays the next requests, also beyond a burst`() {
        var limiter = RateLimiter<Int>(Rate(burst: 4, perSecond: 1))
        for _ in 0..<4 { #expect(limiter.take(1, at: at(0)) == nil) }
        limiter.note(1, at: at(0), count: 2)
        #expect(limiter.take(1, at: at(2_000)) == .milliseconds(1_000))
        #expect(limiter.take(1, at: at(3_000)) == nil)
        limiter.note(2, at: at(0), count: 9)
        #expect(limiter.take(2, at: at(0)) == .milliseconds(1_000), "the most is one burst")
    }

    @Test func `a key without debt is forgotten`() {
        var limiter = RateLimiter<Int>(Rate(burst: 2, perSecond: 1))
        for key in 0..<1_000 { _ = limiter.take(key, at: at(0)) }
        _ = limiter.take(0, at: at(0))
        limiter.forgetIdle(at: at(1_000))
        #expect(limiter.count == 1)
        limiter.forgetIdle(at: at(2_000))
        #expect(limiter.count == 0)
    }

    @Test func `a wait is rounded up to whole seconds`() {
        #expect(Duration.milliseconds(1).wholeSecondsUp == 1)
        #expect(Duration.seconds(2).wholeSecondsUp == 2)
        #expect(Duration.zero.wholeSecondsUp == 0)
    }

    @Test func `a user's rate counts sockets and calls together, without pings`()
        async throws
    {
        let fixture = await ServerFixture { $0.userRate = Rate(burst: 5, perSecond: 1) }
        let ann = try await fixture.connect("ann")
        try await fixture.channel(of: ["ann"], by: ann)
        for _ in 0..<50 { await fixture.say(.ping(Ping(id: 1)), on: ann) }
        await fixture.send("1", "r1", to: "g", on: ann)
        await fixture.send("2", "r2", to: "g", on: ann)
        try await fixture.call(GetChannel(channelURL: "g"), as: ann)
        _ = try ann.inbox.take()
        await fixture.send("3", "r3", to: "g", on: ann)
        #expect(try ann.inbox.take().map { $0.error?.code } == [.rateLimited])
        let response = await fixture.raw(
            GetChannel(channelURL: "g"), RequestHeaders(sessionKey: ann.key))
        #expect(response.errorCode == .rateLimited)
        #expect(response.status == 400, "of other answers some clients do not read the code")
        #expect(response.retryAfter == .seconds(1))
        fixture.world.advance(1_000)
        await fixture.send("3", "r3", to: "g", on: ann)
        #expect(try ann.inbox.take().compactMap(\.message).map(\.message.text) == ["3"])
        #expect(await fixture.server.metrics.limited == 2)
    }

    @Test(arguments: [1, 10])
    func `a call costs as much as its body and its names, and never more than a burst`(
        servers: Int
    ) async throws {
        let fixture = await ServerFixture {
            $0.userRate = Rate(burst: 40, perSecond: 1)
            $0.limits.newUsers = 10_000
        }
        let ann = try await fixture.connect("ann")
        await fixture.server.shareRates(among: servers)
        func create(_ count: Int, data: Int = 0) async -> RoostError.Code? {
            var call = CreateChannel(userIDs: (0..<count).map { UserID("u\($0)") })
            call.data = String(repeating: "x", count: data)
            return await fixture.raw(call, RequestHeaders(sessionKey: ann.key)).errorCode
        }
        func rest() { fixture.world.advance(60_000) }
        if servers == 1 {
            #expect(await create(1_500) == nil, "a call and 15 times 100 names cost 16 of 40")
            #expect(await create(1_500) == nil)
            #expect(await create(1_500) == .rateLimited)
            #expect(await create(1) == nil)
            rest()
            for _ in 0..<3 { #expect(await create(1, data: 200_000) == .valueLength) }
            #expect(await create(1) == nil, "a body of twelve times 16 KiB costs 13 of 40")
            #expect(await create(1) == .rateLimited)
        }
        // A user at rest can make the largest call, which has half a burst for its names.
        for _ in 0..<2 {
            rest()
            #expect(await create(4_000) == nil)
        }
        #expect(await create(4_000) == .rateLimited)
    }

    @Test func `messages of others use up no part of a user's rate`() async throws {
        let fixture = await ServerFixture { $0.userRate = Rate(burst: 4, perSecond: 1) }
        let (ann, bob) = (try await fixture.connect("ann"), try await fixture.connect("bob"))
        try await fixture.channel(of: ["ann", "bob"], by: ann)
        await fixture.send("1", "r1", to: "g", on: bob)
        let received = try ann.inbox.take().compactMap(\.message).map(\.message)
        let id = try #require(received.first?.messageID)
        _ = try bob.inbox.take()
        for _ in 0..<2_000 { await fixture.say(.messageAcknowledgement("g", id), on: ann) }
        // Several devices acknowledge one message; the others learn of it once.
        let receipts = try bob.inbox.take().filter { event in
            if case .delivered = event { true } else { false }
        }
        #expect(receipts.count == 1)
        await fixture.send("2", "r2", to: "g", on: ann)
        #expect(try ann.inbox.take().contains { $0.message?.message.text == "2" })
    }

    @Test func `an address with too many logins gets BUSY, not the end of its session`()
        async throws
    {
        let fixture = await ServerFixture { $0.addressRate = Rate(burst: 2, perSecond: 1) }
        func come(from peer: String?) async -> [String] {
            let inbox = Inbox()
            var headers = RequestHeaders()
            headers.peer = peer
            _ = await fixture.server.connect(
                Handshake(
                    query: [QueryItem("ai", "APP"), QueryItem("user_id", "u")], headers: headers),
                inbox)
            return inbox.takeText()
        }
        for _ in 0..<2 { #expect(await come(from: "1").first?.hasPrefix("LOGI") == true) }
        #expect(
            await come(from: "1") == [
                #"BUSY{"retry_after":1,"reason_code":500910,"message":"Too many requests; "#
                    + #"wait before the next one."}"# + "\n"
            ])
        #expect(await come(from: "2").first?.hasPrefix("LOGI") == true)
        #expect(await come(from: nil).first?.hasPrefix("LOGI") == true)
    }

    @Test func `a socket beyond the user's limit is refused until another one ends`() async throws {
        let fixture = await ServerFixture { $0.limits.sessionsPerUser = 1 }
        let first = try await fixture.connect("ann")
        let inbox = Inbox()
        let handshake = Handshake(
            query: [QueryItem("ai", "APP"), QueryItem("user_id", "ann")])
        #expect(await fixture.server.connect(handshake, inbox) == nil)
        #expect(inbox.takeText().first?.contains("400500") == true)
        let metrics = await fixture.server.metrics
        #expect(metrics.overLimit == 1 && metrics.refusedLogins == 1)
        _ = try await fixture.connect("bob")
        await fixture.server.disconnect(first.session)
        _ = try await fixture.connect("ann")
    }

    @Test func `a socket beyond the limit of its named address is refused until another one ends`()
        async throws
    {
        let fixture = await ServerFixture { $0.limits.sessionsPerAddress = 1 }
        let first = try #require(try await fixture.enter("ann", from: "1.1.1.1").session)
        let (refusal, inbox, none) = try await fixture.enter("bob", from: "1.1.1.1")
        #expect(none == nil && inbox.isClosed)
        guard case .login(.failure(let error, _)) = refusal else {
            Issue.record("a second socket of the address")
            return
        }
        #expect(error.code.rawValue == 400_500 && error.message.contains("address"))
        let metrics = await fixture.server.metrics
        #expect(metrics.overLimit == 1 && metrics.refusedLogins == 1)
        for address in ["2.2.2.2", nil, nil] {
            #expect(try await fixture.enter("bob", from: address).session != nil)
        }
        await fixture.server.disconnect(first)
        #expect(try await fixture.enter("bob", from: "1.1.1.1").session != nil)
    }

    @Test(arguments: [
        ("POST", "group_channels", #"{"channel_url":"LONG"}"#, 400_110),
        ("POST", "group_channels", #"{"user_ids":["LONG"]}"#, 400_305),
        ("POST", "group_channels", #"{"user_ids":["a","b","c","d"]}"#, 400_203),
        ("POST", "group_channels", #"{"name":"LONG"}"#, 400_110),
        ("PUT", "group_channels/g", #"{"data":"LONG"}"#, 400_110),
        ("POST", "users", #"{"user_id":"LONG","nickname":""}"#, 400_305),
        ("POST", "users", #"{"user_id":"u","nickname":"LONG"}"#, 400_110),
        ("PUT", "users/ann", #"{"nickname":"LONG"}"#, 400_110),
        ("POST", "users/ann/metadata", #"{"metadata":{"a":"","b":"","c":"","d":""}}"#, 400_203),
        ("POST", "group_channels/g/metadata", #"{"metadata":{"LONG":""}}"#, 400_110),
        ("POST", "group_channels/g/metadata", #"{"metadata":{"k":"LONG"}}"#, 400_110),
        ("POST", "group_channels/g/metacounter", #"{"metacounter":{"LONG":1}}"#, 400_110),
        (
            "POST", "group_channels/g/metacounter",
            #"{"metacounter":{"a":1,"b":1,"c":1,"d":1}}"#, 400_203
        ),
        (
            "POST", "group_channels/g/messages",
            #"{"message_type":"MESG","user_id":"ann","message":"LONG"}"#, 400_110
        ),
        (
            "POST", "group_channels/g/messages",
            #"{"message_type":"MESG","user_id":"ann","message":"","custom_type":"LONG"}"#, 400_110
        ),
        ("PUT", "group_channels/g/messages/1", #"{"message":"LONG"}"#, 400_110),
        ("POST", "group_channels", #"{"name":"HUGE"}"#, 400_110),
    ])
    func `whatever somebody names has a limit, and the error says so`(
        method: String, path: String, body: String, code: Int
    ) async throws {
        let fixture = await ServerFixture { configuration in
            configuration.limits.idBytes = 40
            configuration.limits.nameBytes = 40
            configuration.limits.textBytes = 40
            configuration.limits.entries = 3
            configuration.limits.users = 3
            configuration.limits.bodyBytes = 200
        }
        let ann = try await fixture.connect("ann")
        try await fixture.channel(of: ["ann"], by: ann)
        await fixture.send("x", "r", to: "g", on: ann)
        func answer(_ count: Int) async throws -> APIResponse {
            let text = body.replacing("LONG", with: String(repeating: "x", count: count))
                .replacing("HUGE", with: String(repeating: "x", count: 5 * count))
            let request = try APIRequest(
                method: method, target: "/v3/" + path, body: Array(text.utf8))
            return await fixture.server.respond(
                to: request, headers: RequestHeaders(apiToken: ServerFixture.apiToken))
        }
        #expect(try await answer(41).errorCode?.rawValue == code)
        #expect(await fixture.server.metrics.overLimit == 1)
        if body.contains("LONG") { #expect(try await answer(30).errorCode?.rawValue != code) }
    }

    @Test func `a command of a socket beyond a limit is counted, another refusal is not`()
        async throws
    {
        let fixture = await ServerFixture { $0.limits.textBytes = 40 }
        let ann = try await fixture.connect("ann")
        try await fixture.channel(of: ["ann"], by: ann)
        await fixture.send(String(repeating: "x", count: 41), "r1", to: "g", on: ann)
        #expect(await fixture.server.metrics.overLimit == 1)
        await fixture.send("x", "r2", to: "nowhere", on: ann)
        let metrics = await fixture.server.metrics
        #expect(metrics.overLimit == 1 && metrics.limited == 0)
        #expect(metrics.text.contains("\nroost_over_limit_total 1\n"))
    }

    @Test func `the log has events without names and texts`() async throws {
        let lines = Mutex<[LogLine]>([])
        let fixture = await ServerFixture(log: { line in lines.withLock { $0.append(line) } })
        let ann = try await fixture.connect("ann-the-user")
        try await fixture.channel("the-channel", of: ["ann-the-user"], by: ann)
        await fixture.send("the words", "r1", to: "the-channel", on: ann)
        try await fixture.call(GetChannel(channelURL: "the-channel"), as: ann)
        _ = await refusal {
            () async throws(APIFailure) in
            try await fixture.call(GetChannel(channelURL: "no-channel"), as: ann)
        }
        let text = lines.withLock { $0 }.map { $0.text(at: "T") }.joined(separator: "\n")
        for secret in ["ann-the-user", "the-channel", "no-channel", "the words", ann.key] {
            #expect(!text.contains(secret))
        }
        #expect(
            text.contains(
                #"{"at":"T","level":"info","event":"call","method":"GET","#
                    + #""call":"group_channels/*","status":400,"ms":0,"code":400201}"#))
        #expect(text.contains(#""event":"login"}"#))
    }
}
