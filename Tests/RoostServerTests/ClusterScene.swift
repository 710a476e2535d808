// SPDX-License-Identifier: Apache-2.0

import RoostCluster
import RoostExecutors
import RoostModel
import RoostPostgres
import RoostServer
import RoostSockets
import RoostTestSupport
import RoostWire
import Synchronization
import Testing

/// A bus between the servers of a test, which loses and delays notices on request.
final class TestBus: Sendable {
    enum Fate: Sendable {
        case arrives
        case isLost
        /// Arrives with the next call of `release`.
        case waits
    }

    private struct State {
        var ends: [End] = []
        var waiting: [(notice: Notice, from: Int)] = []
        var fate: @Sendable (Notice) -> Fate = { _ in .arrives }
        var isConnected = true
        var passesOrders = true
    }

    private let state = Mutex(State())

    /// Sets what happens to the notices from now on.
    func setFate(_ fate: @escaping @Sendable (Notice) -> Fate) {
        state.withLock { $0.fate = fate }
    }

    /// Loses all orders from now on.
    func obeysNobody() { state.withLock { $0.passesOrders = false } }

    /// Breaks the bus, or repairs it.
    func connect(_ isConnected: Bool) { state.withLock { $0.isConnected = isConnected } }

    var isConnected: Bool { state.withLock { $0.isConnected } }

    /// Delivers the waiting notices, the last one first.
    func releaseBackwards() async {
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        for item in waiting.reversed() { await deliver(item.notice, from: item.from) }
    }

    func makeEnd() -> End {
        state.withLock { state in
            let end = End(self, state.ends.count)
            state.ends.append(end)
            return end
        }
    }

    fileprivate func send(_ notice: Notice, from number: Int) async {
        let fate = state.withLock { state in
            guard state.isConnected else { return Fate.isLost }
            let fate = state.fate(notice)
            if fate == .waits { state.waiting.append((notice, number)) }
            return fate
        }
        if fate == .arrives { await deliver(notice, from: number) }
    }

    private func deliver(_ notice: Notice, from number: Int) async {
        for end in state.withLock({ $0.ends }) where end.number != number {
            await end.receive(notice)
        }
    }

    fileprivate func tell(_ order: PeerOrder, from number: Int) async {
        guard state.withLock({ $0.isConnected && $0.passesOrders }) else { return }
        for end in state.withLock({ $0.ends }) where end.number != number {
            await end.receive(order)
        }
    }

    /// The bus as one server has it.
    final class End: Bus {
        fileprivate let number: Int
        private let bus: TestBus
        private let deliver = Mutex<(@Sendable (Notice) async -> Void)?>(nil)
        private let handler = Mutex<(@Sendable (PeerOrder) async -> Void)?>(nil)

        fileprivate init(_ bus: TestBus, _ number: Int) {
            self.bus = bus
            self.number = number
        }

        var isConnected: Bool { bus.isConnected }

        func subscribe(_ deliver: @escaping @Sendable (Notice) async -> Void) async {
            self.deliver.withLock { $0 = deliver }
        }

        func obey(_ handler: @escaping @Sendable (PeerOrder) async -> Void) async {
            self.handler.withLock { $0 = handler }
        }

        func publish(_ notice: Notice) async {
            await receive(notice)
            await bus.send(notice, from: number)
        }

        func tell(_ order: PeerOrder) async { await bus.tell(order, from: number) }

        fileprivate func receive(_ notice: Notice) async {
            await deliver.withLock { $0 }?(notice)
        }

        fileprivate func receive(_ order: PeerOrder) async {
            await handler.withLock { $0 }?(order)
        }
    }
}

/// Several servers on one database and one bus, with a clock that the test moves.
struct ClusterScene {
    let bus = TestBus()
    let servers: [ServerFixture]
    let fanOuts: [ClusterFanOut]
    let presences: [PostgresPresence]
    /// The storage of each server, for steps of the test before its calls.
    let storages: [HookedStorage]
    /// The database, for what only a failure does to it.
    let pool: PostgresPool
    private final class Shared: Sendable {
        let now = Mutex(ContinuousClock.now)
    }
    private let shared = Shared()

    /// Starts servers.
    ///
    /// - Parameters:
    ///   - count: Their number.
    ///   - own: The database; nil for that of all tests, which no test may harm.
    ///   - patience: The longest wait for the database; nil for that of a real server.
    ///   - configure: A change of the servers' settings.
    /// - Throws: A failure of the database.
    init(
        servers count: Int = 2, on own: PostgresServer? = nil, patience: Duration? = nil,
        configure: (inout ChatServer.Configuration) -> Void = { _ in }
    ) async throws {
        let loop = try PostgresStorage.testLoop()
        var configuration = try await PostgresStorage.testConfiguration()
        if let own { configuration.address = own.address }
        if let patience { configuration.patience = patience }
        try await PostgresMigrator(PostgresPool(configuration, on: loop)).migrate()
        var (servers, fanOuts) = ([ServerFixture](), [ClusterFanOut]())
        var presences: [PostgresPresence] = []
        var storages: [HookedStorage] = []
        pool = PostgresPool(configuration, on: loop)
        let shared = shared
        for number in 0..<count {
            let storage = try await PostgresStorage(PostgresPool(configuration, on: loop))
            let fanOut = try await ClusterFanOut(
                storage, bus: bus.makeEnd(), on: loop, now: { shared.now.withLock { $0 } })
            let presence = PostgresPresence(
                storage, host: HostID(rawValue: UInt64.max - UInt64(number)), name: "host\(number)",
                now: { shared.now.withLock { $0 } })
            presences.append(presence)
            let hooked = HookedStorage(storage)
            storages.append(hooked)
            let server = await ServerFixture(
                storage: hooked, fanOut: fanOut, peers: presence, seed: UInt64(number) + 1,
                configure: configure)
            await fanOut.serve(server.server)
            servers.append(server)
            fanOuts.append(fanOut)
        }
        self.servers = servers
        self.fanOuts = fanOuts
        self.presences = presences
        self.storages = storages
    }

    /// Moves the clock.
    func advance(_ duration: Duration) { shared.now.withLock { $0 += duration } }

    /// Lets every server write who is there.
    func flush() async throws {
        for presence in presences { try await presence.flush() }
        // Counts serve again for a moment.
        advance(.milliseconds(300))
    }

    /// Waits until the transactions of other tests on the database have ended.
    ///
    /// Changes are news up to the first open transaction. One that a test keeps open is waited for
    /// during 200 looks only.
    func passTransactions() async throws {
        func read(_ query: PostgresQuery<Int64>) async throws -> Int64 {
            try await pool.read { db async throws(PostgresError) in try await db.first(query) } ?? 0
        }
        let newest = PostgresQuery("SELECT pg_snapshot_xmax(pg_current_snapshot())") { $0.int64(0) }
        let oldest = PostgresQuery("SELECT pg_snapshot_xmin(pg_current_snapshot())") { $0.int64(0) }
        let end = try await read(newest)
        var looks = 0
        while try await read(oldest) < end, looks < 200 { looks += 1 }
    }

    /// Lets every server look for what it missed, as its timers would within a second.
    func settle() async {
        for _ in 0..<3 {
            for fanOut in fanOuts {
                await fanOut.sweep()
                await fanOut.report()
                advance(.milliseconds(60))
                await fanOut.tick()
            }
        }
    }
}

extension ClusterScene {
    /// Two servers, with Ann at the first and Bob at the second, both in the channel "g".
    static func withAnnAndBob(
        on database: PostgresServer? = nil, patience: Duration? = nil,
        configure: (inout ChatServer.Configuration) -> Void = { _ in }
    ) async throws -> (ClusterScene, ann: ServerFixture.Device, bob: ServerFixture.Device) {
        let scene = try await ClusterScene(
            on: database, patience: patience, configure: configure)
        let bob = try await scene.servers[1].connect("bob")
        let ann = try await scene.servers[0].connect("ann")
        try await scene.servers[0].channel(of: ["ann", "bob"], by: ann)
        await scene.settle()
        _ = try (ann.inbox.take(), bob.inbox.take())
        return (scene, ann, bob)
    }

    /// The texts of the messages that a device has received since the last call.
    static func texts(_ device: ServerFixture.Device) throws -> [String] {
        try device.inbox.take().compactMap { $0.message?.message.text }
    }
}
