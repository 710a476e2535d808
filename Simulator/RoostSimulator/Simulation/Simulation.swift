// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostCore
import RoostDiskSimulation
import RoostModel
import RoostServer
import RoostStore
import RoostTestKit
import Synchronization

/// A simulation of some users on some devices, drawn from a seed, with all faults, and with every
/// invariant of the engine checked at each step.
///
/// The engine, the store and the server's core are the real ones. At the beginning of each step all
/// jobs have run and only timers are left, so the checked state is at rest.
package actor Simulation {
    /// The size of a simulated world.
    package struct Shape: Hashable, Sendable {
        package var apps = 3
        package var users = 2
        package var channels = 3
        package var steps = 2_000
        package var pageSize = 6

        package init() {}
    }

    /// The result of a seed.
    package struct Report: Sendable {
        package let seed: UInt64
        package let steps: Int
        /// The number of jobs of all actors; equal numbers mean equal runs.
        package let jobs: Int
        package let duration: Duration
        /// The broken invariant; nil if all held.
        package let failure: String?
        /// Every action and every fault, if a trace was requested.
        package let trace: [String]
    }

    nonisolated let executor: SimulatedExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        // SAFETY: the executor is a constant of this actor and lives as long as it does.
        unsafe executor.asUnownedSerialExecutor()
    }

    let world: SimulatedWorld
    let shape: Shape
    let random: SimulatedRandom
    let folder: String
    /// Nil without a request for a trace.
    private let trace: TraceBook?
    private(set) var step = 0
    var apps: [SimulatedApp] = []
    /// The clients of processes that have crashed.
    var crashed: [ChatClient] = []
    var channels: [ChannelURL] = []
    var lastNumber = 0
    /// Calls that have not returned, by number, with their app, name and start.
    var pendingCalls: [Int: (app: Int, name: String, since: Duration)] = [:]
    private var violation: Violation?
    /// The session key of each user for calls outside the apps.
    var keysElsewhere: [UserID: String] = [:]
    /// The request IDs that the server accepted from other clients.
    var sentElsewhere: [RequestID] = []

    private init(
        _ world: SimulatedWorld, seed: UInt64, _ shape: Shape, folder: String, keepsTrace: Bool
    ) {
        self.world = world
        executor = world.executor
        self.shape = shape
        self.folder = folder
        trace = keepsTrace ? TraceBook() : nil
        random = SimulatedRandom(seed: seed ^ 0x5EED_0F_11FE)
    }

    /// Runs one simulation.
    ///
    /// - Parameters:
    ///   - seed: The seed of all random choices.
    ///   - shape: The size of the world.
    ///   - folder: An empty folder for the devices' disks.
    ///   - keepsTrace: Whether every action is recorded.
    /// - Returns: The result; a broken invariant is a `failure`.
    package static func run(
        seed: UInt64, _ shape: Shape = Shape(), folder: String, keepsTrace: Bool = false
    ) -> Report {
        let executor = SimulatedExecutor()
        let outcome = Result<Report, any Error> {
            try executor.run {
                // Other servers may have messages of equal times.
                let world = await SimulatedWorld(
                    seed: seed, on: executor, spacesTimes: seed % 3 > 0)
                let simulation = Simulation(
                    world, seed: seed, shape, folder: folder, keepsTrace: keepsTrace)
                return await simulation.live(seed)
            }
        }
        switch outcome {
        case .success(let report): return report
        case .failure(let error):
            return Report(
                seed: seed, steps: 0, jobs: executor.jobsRun, duration: executor.now,
                failure: "\(error)", trace: [])
        }
    }

    /// The number of steps between two rests.
    ///
    /// Later connections repair many faults, so rests come early enough to find them.
    private static let stepsToRest = 100

    private func live(_ seed: UInt64) async -> Report {
        var failure: String?
        do {
            try await begin(seed)
            while step < shape.steps {
                try await takeStep()
                step += 1
                if step % Self.stepsToRest == 0 { try await comeToRest(isEnd: false) }
            }
            try await comeToRest(isEnd: true)
        } catch let violation as Violation {
            failure = "step \(step), \(executor.now): \(violation.sentence)"
        } catch {
            failure = "step \(step), \(executor.now): the simulation itself failed: \(error)"
        }
        for app in apps { await end(app) }
        // Tasks that wait for them would wait for ever and never be freed.
        for client in crashed { await client.close() }
        if failure == nil, let pending = pendingCalls.values.map(\.name).min() {
            failure = "A call never returned: \(pending)"
        }
        return Report(
            seed: seed, steps: step, jobs: executor.jobsRun, duration: executor.now,
            failure: failure, trace: trace?.lines ?? [])
    }

    /// The key of sealed disks.
    private static let storageKey = [UInt8](repeating: 7, count: 32)

    private func begin(_ seed: UInt64) async throws {
        for index in 0..<shape.users {
            let id = user(index)
            await world.storage.saveUser(User(id: id, nickname: "\(id)"))
            keysElsewhere[id] = await world.sessionKey(of: id)
        }
        for index in 0..<shape.apps {
            let device = world.device(
                of: user(index % shape.users), folder: "\(folder)/\(index)",
                pageSize: shape.pageSize,
                protection: seed % 5 == 4 && index == 0 ? try .key(Self.storageKey) : .none)
            let app = SimulatedApp(
                index, device, SimulatedDisk("\(folder)/\(index)"),
                SimulatedProcess(on: executor))
            apps.append(app)
            if let trace {
                device.network.observe { [executor, name = app.name] line in
                    trace.append("    \(executor.now) \(name) \(line)")
                }
            }
            try await start(app)
        }
        for _ in 0..<shape.channels { try await createElsewhere(by: user(0)) }
        for app in apps { connect(app) }
    }

    func user(_ index: Int) -> UserID { UserID("u\(index)") }

    private func takeStep() async throws {
        let pause: Int64 =
            switch random.next() % 16 {
            case 0: 0
            case 1...13: Int64(random.next() % 120)
            default: Int64(random.next() % 2_000)
            }
        await pass(.milliseconds(pause))
        try await checkNow()
        if pick(6) == 0 {
            let deed = WriteDeed.allCases[pick(WriteDeed.allCases.count)]
            return await perform(deed, apps[pick(apps.count)])
        }
        let deed = Deed.urn[pick(Deed.urn.count)]
        try await perform(deed, apps[pick(apps.count)])
    }

    // MARK: Help

    func pick(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }

    func pick<Element>(of elements: [Element]) -> Element? {
        elements.isEmpty ? nil : elements[pick(elements.count)]
    }

    func pass(_ duration: Duration) async {
        // A simulation is never cancelled.
        try? await executor.sleep(for: duration)
    }

    func note(_ line: @autoclosure () -> String) {
        trace?.append("\(step) \(executor.now) \(line())")
    }

    /// Records a broken invariant found between two steps.
    func report(_ violation: Violation) { self.violation = self.violation ?? violation }

    func throwViolation() throws {
        if let violation { throw violation }
    }

    /// Makes a call as an app does, and waits for it in another task.
    func call(
        _ app: SimulatedApp, _ name: String, atMost limit: Int = 12,
        _ work: @escaping @Sendable (ChatClient) async throws -> Void
    ) {
        guard let client = app.client, pendingCalls.count < limit else { return }
        lastNumber += 1
        let number = lastNumber
        pendingCalls[number] = (app.number, "\(app.name) \(name)", executor.now)
        note("\(app.name) \(name)")
        // The call is observed by way of `pendingCalls`.
        Task(executorPreference: executor) {
            var outcome = "done"
            do { try await work(client) } catch { outcome = "\(error)" }
            await self.ended(number, outcome)
        }
    }

    private func ended(_ number: Int, _ outcome: String) {
        guard let call = pendingCalls.removeValue(forKey: number) else {
            return report(Violation(sentence: "A call returned twice."))
        }
        note("  \(call.name): \(outcome)")
    }
}

/// The lines of a trace, from any part.
final class TraceBook: Sendable {
    private let state = Mutex<[String]>([])

    var lines: [String] { state.withLock { $0 } }

    func append(_ line: String) { state.withLock { $0.append(line) } }
}
