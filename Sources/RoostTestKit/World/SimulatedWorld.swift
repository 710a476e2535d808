// SPDX-License-Identifier: Apache-2.0

package import Roost
package import RoostModel
package import RoostServer
import RoostStore
package import RoostTransport
import RoostWire
import Synchronization

/// A server and any number of devices, from one seed, on one thread, in virtual time.
package final class SimulatedWorld: Sendable {
    /// One device of one user: its link, and the disk that outlives a restart of the app.
    package struct Device: Sendable {
        package let userID: UserID
        package let network: SimulatedNetwork
        /// The error of the device's clock, which may change at any time.
        package let clockError: ClockError
        let cache: Configuration.Cache
        let pageSize: Int
        let protection: Protection
    }

    /// The difference between a device's clock and the world's time.
    package final class ClockError: Sendable {
        private let state = Mutex(Int64(0))

        package var milliseconds: Int64 {
            get { state.withLock { $0 } }
            set { state.withLock { $0 = newValue } }
        }
    }

    /// A client with its process, so that it can be ended as by a crash.
    package struct Launched: Sendable {
        package let client: ChatClient
        package let process: SimulatedProcess
        package let line: SimulatedLine

        /// Ends a stopped process and closes its files in their present state.
        package func bury() async {
            await line.die()
            await process.bury { [store = client.store] in await store.close() }
            // The client continues without effect, so it is ended.
            await client.disconnect()
        }
    }

    /// The beginning of virtual time, chosen so that it looks like a time in traces.
    package static let beginningMS: Int64 = 1_700_000_000_000

    package let executor: SimulatedExecutor
    package let random: SimulatedRandom
    package let server: ChatServer
    package let storage: MemoryStorage
    /// The error of the server's clock.
    package let serverClockError: ClockError

    /// - Parameters:
    ///   - seed: The seed of all random choices.
    ///   - executor: The thread and the time of the world.
    ///   - spacesTimes: Whether no two messages of a channel have one time, as in our server.
    package init(seed: UInt64, on executor: SimulatedExecutor, spacesTimes: Bool = true) async {
        self.executor = executor
        let random = SimulatedRandom(seed: seed)
        self.random = random
        storage = MemoryStorage(on: executor, spacesTimes: spacesTimes)
        let clockError = ClockError()
        serverClockError = clockError
        let salts = SimulatedRandom(seed: ~seed)
        var configuration = ChatServer.Configuration(
            applicationID: "simulation", apiToken: Self.apiToken)
        // The clients' own server, so that they may download its files without encryption.
        configuration.publicAddress = Self.address
        // A world has more logins than a user has devices.
        configuration.limits.keysPerUser = .max
        server = await ChatServer(
            configuration, storage: storage,
            files: MemoryFileStore(on: executor), fanOut: InProcessFanOut(on: executor),
            world: ServerWorld(
                now: { Self.wallTime(executor, clockError) }, entropy: { random.next() },
                salt: { salts.next() }, digest: { "plain:" + $0 }),
            on: executor)
    }

    /// The address of the server, as clients know it.
    static let address = "http://127.0.0.1:1"
    /// The token of the platform.
    static let apiToken = "platform"

    /// Runs a story in a new world and returns its result.
    ///
    /// All clocks of the world show the same time; the course depends on the seed alone.
    package static func play<Value: Sendable>(
        seed: UInt64, jobLimit: Int = SimulatedExecutor.jobLimit,
        _ story: @escaping @Sendable (SimulatedWorld) async throws -> Value
    ) throws -> Value {
        let executor = SimulatedExecutor(jobLimit: jobLimit)
        return try executor.run {
            try await story(await SimulatedWorld(seed: seed, on: executor))
        }
    }

    /// Makes a device for a user; with a folder its disk is real and outlives `ChatClient.close`.
    package func device(
        of userID: UserID, folder: String? = nil, pageSize: Int = 40,
        protection: Protection = .none
    ) -> Device {
        Device(
            userID: userID, network: SimulatedNetwork(to: server, on: executor, random),
            clockError: ClockError(), cache: folder.map { .folder($0) } ?? .memory,
            pageSize: pageSize, protection: protection)
    }

    /// Starts the app on a device; `between` may wrap its network.
    package func launch(
        _ device: Device,
        between: @Sendable (any HTTPTransport) -> any HTTPTransport = { $0 },
        configure: (inout Configuration) -> Void = { _ in }
    ) async throws(RoostError) -> ChatClient {
        let process = SimulatedProcess(on: executor)
        return try await start(device, process, between: between, configure: configure).client
    }

    /// Starts the app on a device, as a process that can be stopped at any moment.
    package func start(
        _ device: Device, _ process: SimulatedProcess,
        between: @Sendable (any HTTPTransport) -> any HTTPTransport = { $0 },
        configure: (inout Configuration) -> Void = { _ in }
    ) async throws(RoostError) -> Launched {
        let line = SimulatedLine(over: device.network)
        var configuration = Configuration(
            applicationID: "simulation", server: Self.address, userID: device.userID,
            cache: device.cache, protection: device.protection, pageSize: device.pageSize)
        configure(&configuration)
        let client = try await ChatClient.open(
            configuration,
            world: surroundings(of: device, process, line, http: between(line)))
        return Launched(client: client, process: process, line: line)
    }

    /// Lets virtual time pass; by default as much as a request and some hundred frames of a socket
    /// need in calm weather.
    package func pass(_ duration: Duration = .seconds(5)) async {
        // A story is never cancelled.
        try? await executor.sleep(for: duration)
    }

    /// Lets the server send the scheduled messages that are due, as its host does every second.
    package func sendDue() async { await server.sendDue() }

    /// Returns whether the server has a channel.
    func hasChannel(_ url: ChannelURL) async -> Bool {
        await !storage.channelRecords([url]).isEmpty
    }

    /// Returns the server's messages of a channel, oldest first, without deleted ones.
    package func log(of channel: ChannelURL) async throws -> [Message] {
        try await server.log(of: channel).filter { $0.deletedAt == nil }.map(\.message)
    }

    /// Returns the bytes of an uploaded file by its address; nil if there are none.
    package func file(at url: String) async throws -> [UInt8]? {
        let path = url.drop { $0 != "/" }.dropFirst(2).drop { $0 != "/" }
        guard let (id, file) = try await server.file(at: String(path)) else { return nil }
        return try await server.files?.read(id, 0..<file.byteCount)
    }

    /// Returns the request IDs of all messages that a channel's log ever had, deleted ones
    /// included.
    package func requestIDs(of channel: ChannelURL) async throws -> [RequestID] {
        try await server.log(of: channel).compactMap(\.message.requestID)
    }

    /// Returns the time of a clock.
    static func wallTime(_ executor: SimulatedExecutor, _ error: ClockError) -> Timestamp {
        let (seconds, attoseconds) = executor.now.components
        let passed = seconds * 1000 + attoseconds / 1_000_000_000_000_000
        return Timestamp(milliseconds: beginningMS + passed + error.milliseconds)
    }
}
