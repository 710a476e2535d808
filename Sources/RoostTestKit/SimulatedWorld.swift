// SPDX-License-Identifier: Apache-2.0

package import Roost
package import RoostModel
import RoostServer
import RoostWire

/// A server and any number of devices, from one seed, on one thread, in virtual time.
package final class SimulatedWorld: Sendable {
    /// One device of one user: its link, and the disk that outlives a restart of the app.
    package struct Device: Sendable {
        package let userID: UserID
        package let network: SimulatedNetwork
        let cache: Configuration.Cache
        let pageSize: Int
        let protection: Protection
    }

    /// Virtual time begins here, so that it looks like a time in traces.
    private static let beginningMS: Int64 = 1_700_000_000_000

    package let executor: SimulatedExecutor
    private let random: SimulatedRandom
    private let server: ChatServer

    private init(seed: UInt64, on executor: SimulatedExecutor) async {
        self.executor = executor
        let random = SimulatedRandom(seed: seed)
        self.random = random
        server = await ChatServer(
            ChatServer.Configuration(applicationID: "simulation"),
            storage: MemoryStorage(on: executor),
            fanOut: InProcessFanOut(on: executor),
            world: ServerWorld(
                now: { Self.wallTime(executor) }, entropy: { random.next() }), on: executor)
    }

    /// Plays a story in a fresh world and returns what it returns.
    ///
    /// All clocks of the world show the same time; what happens when depends on the seed alone.
    package static func play<Value: Sendable>(
        seed: UInt64, _ story: @escaping @Sendable (SimulatedWorld) async throws -> Value
    ) throws -> Value {
        let executor = SimulatedExecutor()
        return try executor.run {
            try await story(await SimulatedWorld(seed: seed, on: executor))
        }
    }

    /// A device for a user; with a folder its disk is real and outlives `ChatClient.close`.
    package func device(
        of userID: UserID, folder: String? = nil, pageSize: Int = 40,
        protection: Protection = .none
    ) -> Device {
        Device(
            userID: userID, network: SimulatedNetwork(to: server, on: executor, random),
            cache: folder.map { .folder($0) } ?? .memory, pageSize: pageSize,
            protection: protection)
    }

    /// Starts the app on a device.
    package func launch(_ device: Device) async throws(RoostError) -> ChatClient {
        try await ChatClient.open(
            Configuration(
                applicationID: "simulation", server: "http://127.0.0.1:1", userID: device.userID,
                cache: device.cache, protection: device.protection, pageSize: device.pageSize),
            world: World(
                http: device.network, sockets: device.network, clock: executor,
                wallTime: { [executor] in Self.wallTime(executor) },
                entropy: { [random] in random.next() }, executor: executor,
                storeExecutor: SimulatedLane(of: executor)))
    }

    /// Lets virtual time pass: long enough by default for everything on its way to arrive.
    package func pass(_ duration: Duration = .seconds(5)) async {
        // A story is never cancelled.
        try? await executor.sleep(for: duration)
    }

    /// What the server holds of a channel, oldest first, deleted messages left out.
    package func log(of channel: ChannelURL) async throws -> [Message] {
        try await server.log(of: channel).filter { $0.deletedAt == nil }.map(\.message)
    }

    /// The request IDs of everything a channel's log ever took, deleted messages included.
    package func requestIDs(of channel: ChannelURL) async throws -> [RequestID] {
        try await server.log(of: channel).compactMap(\.message.requestID)
    }

    private static func wallTime(_ executor: SimulatedExecutor) -> Timestamp {
        let (seconds, attoseconds) = executor.now.components
        return Timestamp(
            milliseconds: beginningMS + seconds * 1000 + attoseconds / 1_000_000_000_000_000)
    }
}
