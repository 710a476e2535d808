// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostExecutors
import RoostTestKit
import RoostTestSupport
import Testing

/// A connection during the background, a change of the user, a refusal, or a fault without notice.
struct ConnectionLifeTests {
    private static func isUp(_ client: ChatClient) async -> Bool {
        await client.connectionState.name == "connected"
    }

    @Test
    func `in the background the socket is closed after a while, and reopened in the foreground`()
        throws
    {
        try SimulatedWorld.play(seed: 1) { world in
            let alice = try await world.launch(world.device(of: "alice"))
            let bob = try await world.launch(world.device(of: "bob"))
            try await alice.connect()
            try await bob.connect()
            let url = try await bob.createChannel(ChannelCreateParams(memberIDs: ["alice"])).url
            let timeline = try await alice.timeline(of: url)
            await alice.appMoved(toForeground: false)
            await world.pass(.seconds(29))
            #expect(await Self.isUp(alice), "a quick look elsewhere costs no connection")
            await world.pass(.seconds(2))
            #expect(await alice.connectionState.name == "reconnecting")
            try await bob.send("meanwhile", to: url)
            await world.pass(.seconds(600))
            #expect(await !Self.isUp(alice), "nothing is tried in the background")
            await alice.appMoved(toForeground: true)
            await world.pass()
            #expect(await Self.isUp(alice))
            #expect(await timeline.snapshot.messages.map(\.text) == ["meanwhile"])
        }
    }

    @Test func `after a push a client connects in the background for the allowed time`()
        throws
    {
        try SimulatedWorld.play(seed: 2) { world in
            let alice = try await world.launch(world.device(of: "alice"))
            await alice.appMoved(toForeground: false)
            try await alice.connect()
            #expect(await Self.isUp(alice))
            await world.pass(.seconds(31))
            #expect(await !Self.isUp(alice))

            try await alice.connect()
            await world.pass(.seconds(20))
            // Another push: its fetch is not ended by the end of the first stay.
            try await alice.connect()
            await world.pass(.seconds(20))
            #expect(await Self.isUp(alice))
            await world.pass(.seconds(11))
            #expect(await !Self.isUp(alice))
        }
    }

    @Test func `a half-open socket is found by a missing pong and replaced (scar 131)`() throws {
        try SimulatedWorld.play(seed: 5) { world in
            let phone = world.device(of: "alice")
            let pair = try await Pair(world, phone, world.device(of: "bob"))
            let timeline = try await pair.alice.timeline(of: pair.channel)
            await world.pass()
            let login = phone.network.lastLoginAt
            phone.network.weather.halfOpen = 1000
            try await pair.bob.send("unheard", to: pair.channel)
            await world.pass(.seconds(1))
            phone.network.weather = .calm
            // The network is up, and neither end notices that no frame crosses.
            #expect(await Self.isUp(pair.alice))
            #expect(await timeline.snapshot.messages.isEmpty)
            #expect(phone.network.lastLoginAt == login)
            // At most 15 s to the ping, 5 s to its time-out, and 2 s to the next attempt.
            await world.pass(.seconds(25))
            #expect(await Self.isUp(pair.alice))
            #expect(phone.network.lastLoginAt != login)
            #expect(await timeline.snapshot.messages.map(\.text) == ["unheard"])
        }
    }

    /// The work that a session's end interrupts.
    enum Work: CaseIterable, Sendable {
        case catchUp
        /// A message on its way to the server, and an acknowledgement on its way back.
        case message, acknowledgement
    }

    @Test(arguments: Work.allCases)
    func `a session that expires during a catch-up or a send loses nothing (scar 132)`(
        work: Work
    ) throws {
        try SimulatedWorld.play(seed: 6) { world in
            let phone = world.device(of: "alice")
            let pair = try await Pair(world, phone, world.device(of: "bob"))
            try await pair.alice.send("before", to: pair.channel)
            let timeline = try await pair.alice.timeline(of: pair.channel)
            await world.pass()
            let lines = Guarded<[String]>([])
            func count(_ prefix: String) -> Int {
                lines.withLock { $0.count { $0.hasPrefix(prefix) } }
            }
            if work == .catchUp { await phone.network.cut() }
            phone.network.observe { line in lines.withLock { $0.append(line) } }
            phone.network.setDelay(.seconds(1))
            var expected = ["before"]
            switch work {
            case .catchUp:
                for number in 1...100 { try await pair.bob.send("\(number)", to: pair.channel) }
                await pair.bob.waitUntilIdle()
                expected += (1...100).map(String.init)
                lines.withLock { $0 = [] }
                phone.network.restore()
                await world.wait { count("-> GET") > 0 }
            case .message:
                try await pair.bob.send("event", to: pair.channel)
                await world.pass(.milliseconds(500))
                try await pair.alice.send("mine", to: pair.channel)
                expected += ["event", "mine"]
            case .acknowledgement:
                try await pair.alice.send("mine", to: pair.channel)
                await world.pass(.milliseconds(500))
                try await pair.bob.send("event", to: pair.channel)
                // The user's own message is still on its slow way.
                expected += ["event", "mine"]
            }
            let login = phone.network.lastLoginAt
            phone.network.weather.expiry = 1000
            await world.wait { count("!! session expires") > 0 }
            phone.network.weather = .calm
            phone.network.setDelay(nil)
            // The session ends at the moment that the case names.
            #expect(count(">> MESG") == (work == .acknowledgement ? 1 : 0))
            let shown = await timeline.snapshot.messages.map(\.status)
            #expect(shown.count(where: { $0 == .pending }) == (work == .catchUp ? 0 : 1))
            await world.pass(.seconds(60))
            #expect(phone.network.lastLoginAt != login)
            let log = try await world.log(of: pair.channel)
            #expect(log.map(\.text) == expected)
            #expect(await timeline.snapshot.messages.map(\.messageID) == log.map(\.messageID))
            #expect(await pair.alice.unsentMessages().isEmpty)
        }
    }

    /// The state of the first client when the second takes over.
    enum Moment: CaseIterable, Sendable {
        case beforeConnecting, whileConnecting, online, whileSending, offline, asleep, disconnected
    }

    @Test(arguments: Moment.allCases, [true, false])
    func `another user takes over at any moment without seeing data of the first (scars 34, 129)`(
        moment: Moment, closesFirst: Bool
    ) throws {
        let folder = try TemporaryFolder()
        try SimulatedWorld.play(seed: 4) { world in
            let phone = world.device(of: "alice", folder: folder.path)
            let carol = try await world.launch(world.device(of: "carol"))
            try await carol.connect()
            let alices = try await carol.createChannel(
                ChannelCreateParams(memberIDs: ["alice"], name: "alice's")
            ).url
            let bobs = try await carol.createChannel(
                ChannelCreateParams(memberIDs: ["bob"], name: "bob's")
            ).url
            let alice = try await world.launch(phone)
            let connecting = Task(executorPreference: world.executor) {
                if moment != .beforeConnecting { try? await alice.connect() }
            }
            if moment != .whileConnecting { await connecting.value }
            switch moment {
            case .beforeConnecting, .whileConnecting, .online: break
            case .whileSending: try await alice.send("hers", to: alices)
            case .offline: await phone.network.cut()
            case .asleep:
                await alice.appMoved(toForeground: false)
                await world.pass(.seconds(40))
            case .disconnected: await alice.disconnect()
            }
            if closesFirst { await alice.close() }

            // The same folder, as in an app that keeps all its users in one.
            phone.network.restore()
            let bob = try await world.launch(world.device(of: "bob", folder: folder.path))
            try await bob.connect()
            let list = try await bob.channelList()
            try await bob.send("his", to: bobs)
            if !closesFirst { await alice.close() }
            try await carol.send("to alice", to: alices)
            await world.pass()
            #expect(await list.snapshot.channels.map(\.name) == ["bob's"])
            #expect(try await bob.unsentItems().isEmpty)
            let seen = try await carol.timeline(of: bobs)
            await world.pass()
            let written = await seen.snapshot.messages
            #expect(written.map(\.text) == ["his"])
            #expect(written.map(\.sender?.user.id) == ["bob"])
            // No data of the first user are lost.
            let again = try await world.launch(phone)
            try await again.connect()
            await again.waitUntilIdle()
            let hers = try await again.timeline(of: alices)
            await world.pass()
            let texts = await hers.snapshot.messages.map(\.text)
            #expect(texts.filter { $0 == "hers" }.count == (moment == .whileSending ? 1 : 0))
            #expect(texts.contains("to alice"))
        }
    }
}
