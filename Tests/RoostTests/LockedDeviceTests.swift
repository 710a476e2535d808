// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostDiskSimulation
import RoostStore
import RoostTestKit
import RoostTestSupport
import Testing

/// A connection that is up while the disk cannot be written, as on a locked device.
struct LockedDeviceTests {
    /// SQLite's error for a file that the system has closed.
    private static let locked = SimulatedDisk.Fault(.write, code: 778, lasts: true)

    private static func texts(_ timeline: Timeline) async -> [String] {
        await timeline.snapshot.messages.map(\.text)
    }

    @Test func `messages that arrive while the device is locked are stored later (scar 47)`()
        throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        let disk = SimulatedDisk(folder.path)
        try SimulatedWorld.play(seed: 47) { world in
            let device = world.device(of: "alice", folder: folder.path)
            let alice = try await world.launch(device)
            let bob = try await world.launch(world.device(of: "bob"))
            try await alice.connect()
            try await bob.connect()
            let channel = try await alice.createChannel(
                ChannelCreateParams(memberIDs: ["bob"], name: "a")
            ).url
            try await bob.send("one", to: channel)
            await world.pass()
            let timeline = try await alice.timeline(of: channel)
            let list = try await alice.channelList()
            await world.pass()
            #expect(await Self.texts(timeline) == ["one"])

            disk.plan(Self.locked)
            for text in ["two", "three"] { try await bob.send(text, to: channel) }
            await world.pass(.seconds(600))
            #expect(await Self.texts(timeline) == ["one"])
            #expect("\(await alice.connectionState)" == "connected")
            disk.plan(nil)
            await world.pass(.seconds(60))
            #expect(await Self.texts(timeline) == ["one", "two", "three"])
            #expect(await list.snapshot.channels.first?.lastMessage?.text == "three")
            #expect(await list.snapshot.channels.first?.unreadMessageCount == 3)
            await alice.close()
            await bob.close()

            let again = try await world.launch(device)
            #expect(again.storageReport == [])
            #expect(
                await Self.texts(try await again.timeline(of: channel)) == [
                    "one", "two", "three",
                ])
            await again.close()
        }
    }

    @Test func `a catch-up that the disk refuses waits for the disk (scar 47)`() throws {
        let folder = try TemporaryFolder(inMemory: true)
        let disk = SimulatedDisk(folder.path)
        try SimulatedWorld.play(seed: 48) { world in
            let device = world.device(of: "alice", folder: folder.path)
            let alice = try await world.launch(device)
            let bob = try await world.launch(world.device(of: "bob"))
            try await alice.connect()
            try await bob.connect()
            let channel = try await alice.createChannel(
                ChannelCreateParams(memberIDs: ["bob"], name: "a")
            ).url
            try await bob.send("one", to: channel)
            let timeline = try await alice.timeline(of: channel)
            await world.pass()
            await device.network.cut()
            await world.pass()
            for text in ["two", "three"] { try await bob.send(text, to: channel) }
            await world.pass()
            disk.plan(Self.locked)
            device.network.restore()
            await world.pass(.seconds(600))
            #expect(await Self.texts(timeline) == ["one"])
            disk.plan(nil)
            await world.pass(.seconds(60))
            #expect(await Self.texts(timeline) == ["one", "two", "three"])
            await alice.close()
            await bob.close()
        }
    }
}
