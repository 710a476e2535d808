// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostTestKit
import RoostTestSupport
import Testing

/// A connection during the background, a change of the user, or a refusal.
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
