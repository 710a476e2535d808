// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostCore
import RoostDiskSimulation
import RoostStore
import RoostTestKit
import RoostTestSupport
import Testing

/// An app's calls about the size of its cache.
struct CacheTests {
    private static func texts(_ timeline: Timeline) async -> [String] {
        await timeline.snapshot.messages.map(\.text)
    }

    /// A user in three channels of two messages each, who has opened the second, then the first.
    private struct Start {
        let client: ChatClient
        let channels: [ChannelURL]

        init(_ world: SimulatedWorld, _ device: SimulatedWorld.Device) async throws {
            client = try await world.launch(device)
            try await client.connect()
            var channels: [ChannelURL] = []
            for name in ["a", "b", "c"] {
                let params = ChannelCreateParams(memberIDs: [], name: name)
                let channel = try await client.createChannel(params).url
                try await client.send("one in \(name)", to: channel)
                try await client.send("two in \(name)", to: channel)
                await world.pass()
                channels.append(channel)
            }
            self.channels = channels
            for channel in [channels[1], channels[0]] {
                let timeline = try await client.timeline(of: channel)
                await world.pass()
                await timeline.close()
            }
            let never = try await client.timeline(of: channels[2])
            await never.close()
        }
    }

    @Test func `offline each channel has its first screen if configured`()
        throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        try SimulatedWorld.play(seed: 11) { world in
            let phone = world.device(of: "alice", folder: folder.path)
            var configuration = Configuration(
                applicationID: "simulation", server: "http://127.0.0.1:1", userID: "alice",
                cache: .folder(folder.path))
            configuration.cacheLimit.keptMessages = 5
            let client = try await ChatClient.open(
                configuration, world: world.surroundings(of: phone))
            try await client.connect()
            var channels: [ChannelURL] = []
            for name in ["a", "b"] {
                let params = ChannelCreateParams(memberIDs: [], name: name)
                let channel = try await client.createChannel(params).url
                for number in 1...20 { try await client.send("\(number) in \(name)", to: channel) }
                channels.append(channel)
            }
            await world.pass()
            for channel in channels {
                let timeline = try await client.timeline(of: channel)
                await world.pass()
                #expect(await timeline.snapshot.messages.count == 20)
                await timeline.close()
            }
            let trim = try await client.trimCache(downTo: ByteCount(bytes: 0))
            #expect(Set(trim.channels.map(\.url)) == Set(channels))
            await phone.network.cut()
            await world.pass()
            for (channel, name) in zip(channels, ["a", "b"]) {
                let timeline = try await client.timeline(of: channel)
                let shown = (16...20).map { "\($0) in \(name)" }
                #expect(await Self.texts(timeline) == shown)
                #expect(await timeline.snapshot.hasOlder)
                phone.network.restore()
                await world.pass(.seconds(60))
                while await timeline.snapshot.hasOlder { try await timeline.loadOlder() }
                #expect(await Self.texts(timeline) == (1...20).map { "\($0) in \(name)" })
                await phone.network.cut()
                await timeline.close()
            }
            await client.close()
        }
    }

    @Test func `the plan orders channels by their last opening and changes nothing (R122)`()
        throws
    {
        try SimulatedWorld.play(seed: 1) { world in
            let start = try await Start(world, world.device(of: "alice"))
            let open = try await start.client.timeline(of: start.channels[1])
            await world.pass()
            let plan = try await start.client.evictionPlan(downTo: ByteCount(bytes: 0))
            #expect(plan.channels.last?.url == start.channels[1])
            #expect(plan.channels.last?.isOpen == true)
            #expect(plan.channels.filter { $0.openedAt == nil }.isEmpty)
            #expect(plan.channels.map(\.cachedMessageCount) == plan.channels.map { _ in 2 })
            #expect(plan.sizeAfter < plan.sizeBefore)
            #expect(await Self.texts(open) == ["one in b", "two in b"])
            #expect(try await start.client.evictionPlan().channels == [])
            await start.client.close()
        }
    }

    @Test
    func `a trim spares pins and unsent messages, and an open timeline is filled again (R120)`()
        throws
    {
        let folder = try TemporaryFolder()
        try SimulatedWorld.play(seed: 2) { world in
            let device = world.device(of: "alice", folder: folder.path)
            let start = try await Start(world, device)
            try await start.client.pinCache(of: start.channels[0])
            let open = try await start.client.timeline(of: start.channels[1])
            await world.pass()
            let trim = try await start.client.trimCache(downTo: ByteCount(bytes: 0))
            #expect(!trim.channels.contains { $0.url == start.channels[0] })
            #expect(trim.channels.contains { $0.url == start.channels[1] })
            await world.pass()
            #expect(await Self.texts(open) == ["one in b", "two in b"])
            try await start.client.unpinCache(of: start.channels[0])
            await device.network.cut()
            try await start.client.send("later", to: start.channels[0])
            let again = try await start.client.trimCache(downTo: ByteCount(bytes: 0))
            #expect(again.channels.contains { $0.url == start.channels[0] })
            let offline = try await start.client.timeline(of: start.channels[0])
            #expect(await Self.texts(offline) == ["later"])
            #expect(try await start.client.cacheSize().bytes > 0)
            await start.client.close()
        }
    }

    @Test
    func `a cleared channel is fetched again, and clearing all keeps unsent messages (R129, R130)`()
        throws
    {
        try SimulatedWorld.play(seed: 3) { world in
            let device = world.device(of: "alice")
            let start = try await Start(world, device)
            let open = try await start.client.timeline(of: start.channels[2])
            await world.pass()
            try await start.client.clearCache(of: start.channels[2])
            await world.pass()
            #expect(await Self.texts(open) == ["one in c", "two in c"])
            await device.network.cut()
            await world.pass()
            try await start.client.clearCache(of: start.channels[2])
            await world.pass()
            #expect(await Self.texts(open) == [])
            try await start.client.send("later", to: start.channels[0])
            try await start.client.clearCache(includingUnsent: false)
            let offline = try await start.client.timeline(of: start.channels[0])
            #expect(await Self.texts(offline) == ["later"])
            #expect(try await start.client.channelList().snapshot.channels == [])
            try await start.client.clearCache(includingUnsent: true)
            await world.pass()
            #expect(await Self.texts(offline) == [])
            await start.client.close()
        }
    }

    @Test func `a clearing on a full disk deletes the downloaded files (scar 45, R129)`() throws {
        let folder = try TemporaryFolder(inMemory: true)
        let disk = SimulatedDisk(folder.path)
        try SimulatedWorld.play(seed: 12) { world in
            let start = try await Start(world, world.device(of: "alice", folder: folder.path))
            let (client, downloads) = (start.client, start.client.store.downloads)
            let address = "https://files/film.mp4"
            _ = try await downloads.begin(address)
            _ = try await downloads.write(
                [UInt8](repeating: 8, count: 5_000),
                behind: FileFetch.Part(total: 5_000, validator: "\"1\"", received: 0), of: address)
            await downloads.end(address)
            #expect(try await client.downloadsSize() == ByteCount(bytes: 5_000))
            disk.plan(SimulatedDisk.Fault(.write, code: 13, lasts: true))
            let error = await #expect(throws: RoostError.self) {
                try await client.clearCache(includingUnsent: false)
            }
            #expect(error?.code == .localDatabaseError)
            #expect(try await client.downloadsSize() == ByteCount(bytes: 0))
            disk.plan(nil)
            try await client.clearCache(includingUnsent: false)
            await client.close()
        }
    }

    @Test func `messages after a clearing are kept up to date (scar 2, R130)`() throws {
        try SimulatedWorld.play(seed: 5) { world in
            let device = world.device(of: "alice")
            let alice = try await world.launch(device)
            let bob = try await world.launch(world.device(of: "bob"))
            try await alice.connect()
            try await bob.connect()
            let url = try await bob.createChannel(
                ChannelCreateParams(memberIDs: ["alice"], name: "train")
            ).url
            await world.pass()
            let list = try await alice.channelList()
            await world.pass()
            try await alice.clearCache(includingUnsent: false)
            await world.pass()
            #expect(await list.snapshot.channels.map(\.name) == ["train"])
            #expect(await list.snapshot.hasMore == false)
            await list.close()
            try await bob.send("one", to: url)
            await world.pass()
            #expect(try await alice.channel(url).lastMessage?.text == "one")
            await device.network.cut()
            try await bob.send("two", to: url)
            await world.pass()
            device.network.restore()
            await world.pass(.seconds(60))
            #expect(try await alice.channel(url).lastMessage?.text == "two")
            await alice.close()
            await bob.close()
        }
    }

    @Test func `a list cleared during its fill is filled again`() throws {
        for delay in Sample.of(Array(0..<12), quick: 4) {
            try SimulatedWorld.play(seed: 60 + UInt64(delay)) { world in
                let alice = try await world.launch(world.device(of: "alice"))
                let bob = try await world.launch(world.device(of: "bob"))
                try await bob.connect()
                for number in 0..<130 {
                    _ = try await bob.createChannel(
                        ChannelCreateParams(memberIDs: ["alice"], name: "\(number)"))
                }
                try await alice.connect()
                await world.pass(.milliseconds(delay * 10))
                try await alice.clearCache(includingUnsent: false)
                await world.pass(.seconds(60))
                await alice.waitUntilIdle()
                let cached = try await alice.inspection().channels.count
                #expect(cached == 130, "delay \(delay)")
                await alice.close()
                await bob.close()
            }
        }
    }

    @Test func `a clearing during a suspension happens at the resumption (scar 49)`()
        throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        try SimulatedWorld.play(seed: 4) { world in
            let device = world.device(of: "alice", folder: folder.path)
            let start = try await Start(world, device)
            await device.network.cut()
            await world.pass()
            let client = start.client
            await client.suspend()
            let executor = world.executor
            let work = [
                Task(executorPreference: executor) { _ = try await client.evictionPlan() },
                Task(executorPreference: executor) {
                    _ = try await client.trimCache(downTo: ByteCount(bytes: 0))
                },
                Task(executorPreference: executor) {
                    try await client.clearCache(of: start.channels[0])
                },
                Task(executorPreference: executor) {
                    try await client.clearCache(includingUnsent: false)
                },
            ]
            await world.pass()
            try await client.resume()
            for task in work { try await task.value }
            for channel in start.channels {
                let timeline = try await client.timeline(of: channel)
                #expect(await Self.texts(timeline) == [])
            }
            #expect(try await client.channelList().snapshot.channels == [])
            await client.close()
        }
    }

    @Test func `a full clearing leaves no damaged file that a repair has put aside (scar 37)`()
        throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        try SimulatedWorld.play(seed: 9) { world in
            let client = try await Start(
                world, world.device(of: "alice", folder: folder.path)
            ).client
            let aside = ["cache", "outbox"].map { name in
                folder.file("simulation/alice/\(name).sqlite.damaged-1")
            }
            for path in aside {
                try FileManager.default.copyItem(
                    atPath: String(path.dropLast(".damaged-1".count)), toPath: path)
            }
            await client.disconnect()
            try await client.clearCache(includingUnsent: false)
            #expect(aside.map { FileManager.default.fileExists(atPath: $0) } == [false, true])
            try await client.clearCache(includingUnsent: true)
            #expect(aside.map { FileManager.default.fileExists(atPath: $0) } == [false, false])
            await client.close()
        }
    }

    @Test func `suspensions beside resumptions leave files and outbox in one state (scar 49)`()
        throws
    {
        let folder = try TemporaryFolder(inMemory: true)
        try SimulatedWorld.play(seed: 8) { world in
            let client = try await Start(
                world, world.device(of: "alice", folder: folder.path)
            ).client
            var random = SplitMix64(seed: 8)
            for round in 0..<30 {
                let moves = (0..<4).map { _ in random.next() % 2 == 0 }
                let work = moves.map { suspends in
                    Task(executorPreference: world.executor) {
                        if suspends {
                            await client.suspend()
                        } else {
                            _ = try? await client.resume()
                        }
                    }
                }
                for task in work { await task.value }
                let isClosed = client.store.suspensionsWhileOpen == nil
                #expect(
                    await client.presentHealth.isSuspended == isClosed, "round \(round): \(moves)")
            }
            try await client.resume()
            #expect(await !client.presentHealth.isSuspended)
            await client.close()
        }
    }
}
