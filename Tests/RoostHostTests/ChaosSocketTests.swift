// SPDX-License-Identifier: Apache-2.0

import RoostHost
import RoostModel
import RoostSockets
import RoostTestSupport
import RoostWire
import Testing

/// The faults of sockets, on real sockets.
@Suite(.timeLimit(.minutes(Patience.minutes)))
struct ChaosSocketTests {
    @Test func `a late acknowledgement is passed by a later one`() async throws {
        try await ChaosScene.run(
            [.init(.lateAcknowledgement, user: "ann", nth: 1)], delayMS: 400
        ) { scene in
            let ann = try await scene.logIn("ann").client
            try await ann.send("one")
            try await ann.send("two")
            #expect(try await ann.nextAcknowledgement() == "two")
            #expect(try await ann.nextAcknowledgement() == "one")
            #expect(try await scene.texts() == ["one", "two"])
        }
    }

    @Test func `a lost acknowledgement loses no message, and a repeat gets its answer`()
        async throws
    {
        try await ChaosScene.run([.init(.lostAcknowledgement, user: "ann", nth: 2)]) { scene in
            let ann = try await scene.logIn("ann").client
            for name in ["one", "two", "three"] { try await ann.send(name) }
            #expect(try await ann.nextAcknowledgement() == "one")
            #expect(try await ann.nextAcknowledgement() == "three")
            try await ann.send("two")
            #expect(try await ann.nextAcknowledgement() == "two")
            #expect(try await scene.texts() == ["one", "two", "three"])
        }
    }

    @Test func `a repeated acknowledgement comes twice`() async throws {
        try await ChaosScene.run([.init(.repeatedAcknowledgement, user: "ann", nth: 1)]) { scene in
            let ann = try await scene.logIn("ann").client
            try await ann.send("one")
            let first = try await ann.next()
            #expect(first.requestID == "one")
            #expect(try await ann.next() == first)
            #expect(try await ann.acknowledgementsUntilPong() == [])
            #expect(try await scene.texts() == ["one"])
        }
    }

    @Test func `a half-open socket stays open and is silent in both directions`() async throws {
        try await ChaosScene.run([.init(.halfOpen, user: "ann", nth: 2)]) { scene in
            let ann = try await scene.logIn("ann").client
            let bob = try await scene.logIn("bob").client
            try await ann.send("one")
            #expect(try await ann.nextAcknowledgement() == "one")
            // The server stores the message, and the socket falls silent with its answer.
            try await ann.send("two")
            while try await bob.next()["message"] != "two" {}
            try await ann.send("three")
            try await ann.ping()
            let silence = Task { try await ann.connection.receive() }
            // The rest of the server goes on: another socket of the user does all that.
            let again = try await scene.logIn("ann").client
            try await again.send("four")
            #expect(try await again.nextAcknowledgement() == "four")
            #expect(try await scene.texts() == ["one", "two", "four"])
            silence.cancel()
            let error = await #expect(throws: SocketError.self) { try await silence.value }
            #expect(error?.kind == .cancelled, "the socket is open, and nothing came")
        }
    }

    @Test(arguments: [true, false], [true, false])
    func `a restart ends all sockets, and the command before it may be lost`(
        hasFrame: Bool, isCarriedOut: Bool
    ) async throws {
        let fault = ChaosPlan.FixedFault(.restart, user: "ann", nth: 2)
        let wanted = ChaosHarm.restart(closeFrame: hasFrame, isAfterwards: isCarriedOut)
        let seed = try #require(
            (0..<UInt64(100)).first { seed in
                var plan = ChaosPlan(seed: seed)
                plan.faults = [fault]
                var machine = ChaosMachine(plan)
                _ = machine.decide(.command, of: "ann")
                return machine.decide(.command, of: "ann")?.harm == wanted
            })
        try await ChaosScene.run([fault], seed: seed) { scene in
            let ann = try await scene.logIn("ann").client
            let bob = try await scene.logIn("bob").client
            try await ann.send("one")
            #expect(try await ann.nextAcknowledgement() == "one")
            try await ann.send("two")
            #expect(await ann.end() == (hasFrame ? 1001 : nil))
            #expect(await bob.end() == (hasFrame ? 1001 : nil))
            let again = try await scene.logIn("ann").client
            try await again.send("two")
            #expect(try await again.nextAcknowledgement() == "two")
            #expect(try await scene.texts() == ["one", "two"])
        }
    }

    @Test func `each command of a message is an occasion, also behind CR and LF`() async throws {
        try await ChaosScene.run([.init(.restart, user: "ann", nth: 2)]) { scene in
            let ann = try await scene.logIn("ann").client
            let commands = ["one", "two"].map { name -> String in
                let fields: JSONValue = [
                    "req_id": .string(name), "channel_url": .string(ChaosScene.channel),
                    "message": .string(name),
                ]
                return "MESG\(fields.text)"
            }
            try await ann.connection.send(commands.joined(separator: "\r\n"))
            // The second command ends the socket, so the answer to the ping does not come.
            let heard = try? await ann.acknowledgementsUntilPong()
            #expect(heard == nil)
        }
    }

    @Test func `a busy server asks for a pause and lets the next login in`() async throws {
        try await ChaosScene.run([.init(.busyLogin, user: "ann", nth: 1)]) { scene in
            let refused = try await scene.connect("user_id=ann")
            let frame = try await refused.next()
            #expect(frame.command == "BUSY")
            #expect((1...3).contains(frame["retry_after"]?.int ?? 0))
            _ = await refused.end()
            _ = try await scene.logIn("ann")
        }
    }

    @Test func `an expired session ends at calls, commands and logins, and a login opens another`()
        async throws
    {
        try await ChaosScene.run([.init(.expiredSession, user: "ann", nth: 2)]) { scene in
            let (ann, key) = try await scene.logIn("ann")
            let target = "/v3/users/ann/my_group_channels"
            #expect(try await scene.ask(target, key: key).status == 200)
            for _ in 0..<2 {
                let answer = try await scene.ask(target, key: key)
                #expect(answer.status == 401)
                #expect(answer.code == 400_309)
            }
            try await ann.send("lost")
            let end = try await ann.next()
            #expect(end.command == "EXPR")
            #expect(end["reason"] == 400_309)
            _ = await ann.end()
            let refused = try await scene.connect("key=\(key)")
            #expect(try await refused.next()["code"] == 400_309)
            _ = await refused.end()
            let (again, next) = try await scene.logIn("ann")
            try await again.send("one")
            #expect(try await again.nextAcknowledgement() == "one")
            #expect(try await scene.ask(target, key: next).status == 200)
            #expect(try await scene.texts() == ["one"])
        }
    }

    @Test func `an expired token ends its sessions, and another token is let in`() async throws {
        try await ChaosScene.run(
            [.init(.expiredToken, user: "ann", nth: 1)], requiresToken: true
        ) { scene in
            func token() async throws -> String {
                try #require(
                    try await scene.platform("POST", "/v3/users/ann/token", [:]).body["token"]?
                        .string)
            }
            let first = try await token()
            let ann = try await scene.connect("user_id=ann&access_token=\(first)")
            let key = try #require(try await ann.next()["key"]?.string)
            let answer = try await scene.ask("/v3/users/ann/my_group_channels", key: key)
            #expect(answer.code == 400_309)
            #expect(try await ann.next().command == "EXPR")
            _ = await ann.end()
            let refused = try await scene.connect("user_id=ann&access_token=\(first)")
            #expect(try await refused.next()["code"] == 400_302)
            let again = try await scene.connect("user_id=ann&access_token=\(try await token())")
            #expect(try await again.next()["key"]?.string != nil)
        }
    }

    @Test func `a step of the clock changes the time of a login and no message's time`()
        async throws
    {
        try await ChaosScene.run([.init(.clockStep, user: "ann", nth: 2)]) { scene in
            var times: [Int64] = []
            for name in ["one", "two", "three"] {
                let ann = try await scene.connect("user_id=ann")
                times.append(try #require(try await ann.next()["login_ts"]?.int))
                try await ann.send(name)
                #expect(try await ann.nextAcknowledgement() == name)
            }
            #expect(times[1] <= times[0] - 900)
            #expect(times[2] >= times[0])
            #expect(try await scene.texts() == ["one", "two", "three"])
        }
    }
}
