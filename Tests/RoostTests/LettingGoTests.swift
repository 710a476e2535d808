// SPDX-License-Identifier: Apache-2.0

import RoostExecutors
import RoostModel
import RoostStore
import RoostTestSupport
import Testing

@testable import Roost
@testable import RoostTestKit

/// The memory of a client after its last reference is gone.
struct LettingGoTests {
    /// An object that would keep others alive if it stayed.
    private struct Part: Sendable {
        let name: String
        private let look: @Sendable () -> Bool

        init(_ name: String, _ object: some AnyObject & Sendable) {
            self.name = name
            let reference = WeakReference(object)
            look = { reference.object != nil }
        }

        var isLeft: Bool { look() }
    }

    /// Makes a client do a little of everything, with a pending message at the end.
    private static func use(
        _ device: SimulatedWorld.Device, in world: SimulatedWorld, isClosed: Bool
    ) async throws -> [Part] {
        let alice = try await world.launch(device)
        try await alice.connect()
        let url = try await alice.createChannel(ChannelCreateParams(memberIDs: ["bob"])).url
        let timeline = try await alice.timeline(of: url)
        let list = try await alice.channelList()
        let states = await alice.connectionStates()
        try await alice.send("sent", to: url)
        await alice.waitUntilIdle()
        await device.network.cut()
        try await alice.send("waits", to: url)
        await world.pass(.seconds(3))
        let parts = [
            Part("client", alice), Part("engine", alice.engine),
            Part("timeline", timeline), Part("list", list), Part("store", alice.store.writer),
        ]
        #expect(parts.filter(\.isLeft).count == parts.count, "as long as somebody has it")
        if isClosed { await alice.close() }
        withExtendedLifetime(states) {}
        return parts
    }

    @Test(arguments: [true, false])
    func `a client without references is freed with all its parts, closed or not`(
        isClosed: Bool
    ) throws {
        try SimulatedWorld.play(seed: 1) { world in
            let device = world.device(of: "alice")
            let parts = try await Self.use(device, in: world, isClosed: isClosed)
            await world.pass()
            #expect(parts.filter(\.isLeft).map(\.name) == [])
        }
    }

    /// Returns the thread of a client with a folder that was opened and closed.
    private static func closedThread(
        in folder: TemporaryFolder
    ) async throws -> WeakReference<ThreadExecutor> {
        let client = try await ChatClient.open(
            Configuration(
                applicationID: "simulation", server: "http://127.0.0.1:1", userID: "alice",
                cache: .folder(folder.path)))
        let thread = WeakReference(client.engine.executor as? ThreadExecutor)
        #expect(thread.object != nil)
        await client.close()
        return thread
    }

    @Test(.timeLimit(.minutes(Patience.minutes)))
    func `the thread of a closed client with a folder ends`() async throws {
        let folder = try TemporaryFolder(inMemory: true)
        let thread = try await Self.closedThread(in: folder)
        // The last jobs of the client let go of it.
        while thread.object != nil { await Task.yield() }
    }

    @Test func `a reader of changes keeps its timeline open after the app drops it`() throws {
        try SimulatedWorld.play(seed: 1) { world in
            let alice = try await world.launch(world.device(of: "alice"))
            try await alice.connect()
            let url = try await alice.createChannel(ChannelCreateParams(memberIDs: ["bob"])).url
            let changes = try await alice.timeline(of: url).changes()
            let reading = Task(executorPreference: world.executor) {
                var texts: [String] = []
                for await change in changes { texts += change.inserted.map(\.text) }
                return texts
            }
            await world.pass()
            try await alice.send("kept", to: url)
            await world.pass()
            await alice.close()
            #expect(await reading.value.contains("kept"))
        }
    }

    @Test func `the streams of a client that is dropped without a close end`() throws {
        try SimulatedWorld.play(seed: 1) { world in
            let reading = try await Self.readers(of: world.device(of: "alice"), in: world)
            await world.pass()
            for reader in reading { await reader.value }
        }
    }

    /// Returns tasks that read the streams of a client, which is dropped on return.
    private static func readers(
        of device: SimulatedWorld.Device, in world: SimulatedWorld
    ) async throws -> [Task<Void, Never>] {
        let client = try await world.launch(device)
        try await client.connect()
        let (states, events) = (await client.connectionStates(), await client.outboxEvents())
        return [
            Task(executorPreference: world.executor) { for await _ in states {} },
            Task(executorPreference: world.executor) { for await _ in events {} },
        ]
    }

    @Test func `a simulated world that has ended is freed with its server`() throws {
        let parts = try SimulatedWorld.play(seed: 1) { world in
            let device = world.device(of: "alice")
            return try await Self.use(device, in: world, isClosed: false)
                + [Part("server", world.server), Part("executor", world.executor)]
        }
        #expect(parts.filter(\.isLeft).map(\.name) == [])
    }
}
