// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostExecutors
import RoostTestKit
import Testing

/// The origin of each change of a list.
struct ChangeOriginTests {
    /// A recorder of a collection's changes.
    private struct ChangeRecorder<Element: ListElement> {
        let recorded = Guarded([ListDiff<Element>]())

        init(_ changes: AsyncStream<ListDiff<Element>>, _ world: SimulatedWorld) {
            Task(executorPreference: world.executor) { [recorded] in
                for await change in changes { recorded.withLock { $0.append(change) } }
            }
        }

        /// Returns the origins of all changes since the last call.
        func take(_ world: SimulatedWorld) async -> [Set<ChangeOrigin>] {
            await world.pass()
            return recorded.withLock { changes in
                defer { changes = [] }
                return changes.map(\.origins)
            }
        }
    }

    @Test func `a change is live, caught up, paged or by the user`() throws {
        try SimulatedWorld.play(seed: 5) { world in
            let phone = world.device(of: "alice")
            let alice = try await world.launch(phone)
            let bob = try await world.launch(world.device(of: "bob"))
            try await alice.connect()
            try await bob.connect()
            let url = try await alice.createChannel(
                ChannelCreateParams(memberIDs: ["bob"], name: "talk")
            ).url
            for number in 1...60 { try await bob.send("\(number)", to: url) }
            await world.pass()
            let timeline = try await alice.timeline(of: url)
            await alice.waitUntilIdle()
            let recorder = ChangeRecorder(await timeline.changes(), world)

            try await bob.send("live", to: url)
            #expect(await recorder.take(world) == [[.event]])
            try await alice.send("mine", to: url)
            #expect(await recorder.take(world) == [[.local], [.answer]])

            await phone.network.cut()
            await world.pass()
            try await bob.send("missed", to: url)
            try await bob.edit(
                try #require(await timeline.snapshot.messages.dropLast().last?.messageID),
                in: url, text: "edited")
            await world.pass()
            phone.network.restore()
            try await alice.connect()
            #expect(await Set(recorder.take(world)) == [[.changeLog], [.catchUp]])

            #expect(try await timeline.loadOlder() > 0)
            let paged = await recorder.take(world)
            #expect(!paged.isEmpty && paged.allSatisfy { $0.isSubset(of: [.disk, .page]) })
            try await alice.clearCache(of: url)
            #expect(await recorder.take(world).first == [.upkeep])
        }
    }

    @Test func `an own read mark has the origin of this user, another device's is live`() throws {
        try SimulatedWorld.play(seed: 6) { world in
            let phone = try await world.launch(world.device(of: "alice"))
            let tablet = try await world.launch(world.device(of: "alice"))
            let bob = try await world.launch(world.device(of: "bob"))
            for client in [phone, tablet, bob] { try await client.connect() }
            let url = try await bob.createChannel(ChannelCreateParams(memberIDs: ["alice"])).url
            let list = try await phone.channelList()
            let recorder = ChangeRecorder(await list.changes(), world)
            for (reader, origin) in [(phone, ChangeOrigin.answer), (tablet, .event)] {
                try await bob.send("news", to: url)
                await world.pass()
                #expect(await list.snapshot.channels.map(\.unreadMessageCount) == [1])
                _ = await recorder.take(world)
                try await reader.markAsReadNow(url, awaitingServer: true)
                #expect(await recorder.take(world).first == [origin])
                #expect(await list.snapshot.channels.map(\.unreadMessageCount) == [0])
            }
        }
    }

    @Test func `changes that a read overtakes keep their own origins`() throws {
        // The delay between the message and the read decides whether the read contains it.
        for delay in 0..<8 {
            try SimulatedWorld.play(seed: 7) { world in
                let device = world.device(of: "alice")
                let alice = try await world.launch(device)
                let bob = try await world.launch(world.device(of: "bob"))
                try await alice.connect()
                try await bob.connect()
                let url = try await bob.createChannel(
                    ChannelCreateParams(memberIDs: ["alice"])
                ).url
                try await bob.send("first", to: url)
                await world.pass()
                let list = try await alice.channelList()
                let timeline = try await alice.timeline(of: url)
                await alice.waitUntilIdle()
                let (channels, messages) = (
                    ChangeRecorder(await list.changes(), world),
                    ChangeRecorder(await timeline.changes(), world)
                )
                device.network.observe { line in
                    guard line.hasPrefix("<< MESG") else { return }
                    Task(executorPreference: world.executor) {
                        for _ in 0..<delay { await Task.yield() }
                        async let isMoved: Void? = try? timeline.jump(to: .distantFuture)
                        async let added = try? list.loadMore()
                        _ = await (isMoved, added)
                    }
                }
                try await bob.send("live", to: url)
                await world.pass()
                let told = messages.recorded.withLock { $0 }.filter { !$0.inserted.isEmpty }
                #expect(told.map { $0.origins.contains(.event) } == [true])
                let changed = channels.recorded.withLock { $0 }.filter { !$0.isEmpty }
                #expect(changed.first?.origins.contains(.event) == true)
            }
        }
    }
}
