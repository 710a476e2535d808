// SPDX-License-Identifier: Apache-2.0

import RoostHost
import RoostModel
import RoostSockets
import RoostTestSupport
import RoostWire
import Testing

/// The faults of calls, on real sockets.
@Suite(.timeLimit(.minutes(Patience.minutes)))
struct ChaosAnswerTests {
    private static let list = "/v3/users/ann/my_group_channels"

    @Test func `a failed call is not made, and the next one is`() async throws {
        try await ChaosScene.run([.init(.httpError, user: "ann", nth: 1)]) { scene in
            let (_, key) = try await scene.logIn("ann")
            let body: JSONValue = ["metadata": ["color": "red"]]
            let target = "/v3/users/ann/metadata"
            let failed = try await scene.ask(target, key: key, method: "POST", body)
            #expect([500, 502, 503].contains(failed.status))
            #expect(try await scene.platform("GET", target).body == [:])
            #expect(try await scene.ask(target, key: key, method: "POST", body).status == 200)
        }
    }

    @Test func `a lost answer belongs to a call that was made`() async throws {
        try await ChaosScene.run([.init(.lostAnswer, user: "ann", nth: 1)]) { scene in
            let (_, key) = try await scene.logIn("ann")
            let target = "/v3/users/ann/metadata"
            let lost = try await scene.ask(
                target, key: key, method: "POST", ["metadata": ["color": "red"]])
            #expect(lost.status == 504)
            #expect(try await scene.platform("GET", target).body["color"] == "red")
        }
    }

    @Test func `a busy server names the time of the next call`() async throws {
        try await ChaosScene.run([.init(.busyCall, user: "ann", nth: 2)]) { scene in
            let (_, key) = try await scene.logIn("ann")
            #expect(try await scene.ask(Self.list, key: key).status == 200)
            let busy = try await scene.ask(Self.list, key: key)
            #expect(busy.status == 400)
            #expect(busy.code == 500_910)
            #expect((1...3).contains(Int(busy.headers["Retry-After"] ?? "") ?? 0))
            #expect(try await scene.ask(Self.list, key: key).status == 200)
        }
    }

    @Test func `a slow page is older than its arrival`() async throws {
        try await ChaosScene.run([.init(.slowPage, user: "ann", nth: 1)], delayMS: 500) { scene in
            let (ann, key) = try await scene.logIn("ann")
            let start = ContinuousClock.now
            async let page = scene.ask(
                "/v3/group_channels/\(ChaosScene.channel)/messages?message_ts=9007199254740991"
                    + "&prev_limit=10", key: key)
            // The socket is not slow.
            #expect(try await ann.acknowledgementsUntilPong() == [])
            let answer = try await page
            #expect(answer.status == 200)
            #expect(start.duration(to: .now) >= .milliseconds(500))
        }
    }

    @Test func `a list of short pages is complete`() async throws {
        let faults = (1...20).map { ChaosPlan.FixedFault(.shortPage, user: "ann", nth: $0) }
        try await ChaosScene.run(faults) { scene in
            let (_, key) = try await scene.logIn("ann")
            for number in 1...6 { try await scene.addChannel("c\(number)") }
            var (found, token, pages) = ([String](), "", 0)
            repeat {
                let page = try await scene.ask(
                    "\(Self.list)?show_empty=true&limit=5&token=\(token)", key: key)
                let channels = page.body["channels"]?.array ?? []
                #expect((1..<5).contains(channels.count), "a page is shorter than asked for")
                found += channels.compactMap { $0["channel_url"]?.string }
                token = page.body["next"]?.string ?? ""
                pages += 1
            } while !token.isEmpty && pages < 20
            #expect(found.count == 7)
            #expect(Set(found) == Set((1...6).map { "c\($0)" } + [ChaosScene.channel]))
        }
    }

    @Test func `a history of short pages is complete`() async throws {
        let faults = (1...20).map { ChaosPlan.FixedFault(.shortPage, user: "ann", nth: $0) }
        try await ChaosScene.run(faults) { scene in
            let (ann, key) = try await scene.logIn("ann")
            let names = (1...9).map { "m\($0)" }
            for name in names { try await ann.send(name) }
            for name in names { #expect(try await ann.nextAcknowledgement() == name) }
            var (found, moment, pages) = ([String](), Int64(1), 0)
            var hasNext = true
            while hasNext, pages < 20 {
                let page = try await scene.ask(
                    "/v3/group_channels/\(ChaosScene.channel)/messages?message_ts=\(moment)"
                        + "&prev_limit=0&next_limit=4&checking_has_next=true", key: key)
                let messages = page.body["messages"]?.array ?? []
                #expect((1..<4).contains(messages.count), "a page is shorter than asked for")
                found += messages.compactMap { $0["message"]?.string }
                moment = messages.last?["created_at"]?.int ?? .max
                hasNext = page.body["has_next"] == true
                pages += 1
            }
            #expect(found == names)
        }
    }

    @Test func `a step of the clock changes the time of a list`() async throws {
        try await ChaosScene.run([.init(.clockStep, user: "ann", nth: 3)]) { scene in
            let (_, key) = try await scene.logIn("ann")
            var times: [Int64] = []
            for _ in 0..<3 {
                times.append(
                    try #require(try await scene.ask(Self.list, key: key).body["ts"]?.int))
            }
            #expect(times[1] <= times[0] - 900)
            #expect(times[2] >= times[0])
        }
    }

    @Test func `calls of the platform and of operators have no faults`() async throws {
        let kinds: [ChaosKind] = [.httpError, .busyCall, .lostAnswer]
        let faults = (1...10).flatMap { nth in
            kinds.map { ChaosPlan.FixedFault($0, nth: nth) }
        }
        try await ChaosScene.run(faults) { scene in
            for target in ["/v3/users/ann", "/health", "/ready", "/metrics"] {
                let answer = try await scene.platform("GET", target)
                #expect(answer.status == 200)
            }
        }
    }
}
