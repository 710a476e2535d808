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
    nonisolated let executor: SimulatedExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        // SAFETY: the executor is a constant of this actor and lives as long as it does.
        unsafe executor.asUnownedSerialExecutor()
    }

    let seed: UInt64
    let mix: ActionMix
    let world: SimulatedWorld
    let shape: WorldShape
    let random: SimulatedRandom
    let folder: String
    /// Nil without a request for a trace.
    private let trace: TraceRecorder?
    private(set) var step = 0
    var apps: [SimulatedApp] = []
    /// The clients of processes that have crashed.
    var crashed: [ChatClient] = []
    var channels: [ChannelURL] = []
    /// The users with the channels that they have left at some time.
    var departures: Set<String> = []
    var lastNumber = 0
    /// Whether the server's clock has gone back.
    var hasClockGoneBack = false
    /// Calls that have not returned, by number.
    var pendingCalls: [Int: PendingCall] = [:]
    private var violation: Violation?
    private var plantedFault: PlantedFault?
    /// The session key of each user for calls outside the apps.
    var keysElsewhere: [UserID: String] = [:]
    /// The request IDs that the server accepted from other clients.
    var sentElsewhere: [RequestID] = []

    private init(
        _ world: SimulatedWorld, seed: UInt64, _ shape: WorldShape, folder: String, keepsTrace: Bool
    ) {
        self.world = world
        executor = world.executor
        self.shape = shape
        plantedFault = shape.plantedFault
        self.folder = folder
        trace = keepsTrace ? TraceRecorder() : nil
        self.seed = seed
        mix = ActionMix(seed: seed, of: shape.actions)
        random = SimulatedRandom(seed: seed)
    }

    /// Runs one simulation.
    ///
    /// - Parameters:
    ///   - seed: The seed of all random choices.
    ///   - shape: The size of the world.
    ///   - steps: The steps to take, of those that the seed draws; nil takes all.
    ///   - folder: An empty folder for the devices' disks.
    ///   - keepsTrace: Whether every action is recorded.
    /// - Returns: The result; a broken invariant is a `failure`.
    package static func run(
        seed: UInt64, _ shape: WorldShape = WorldShape(), keeping steps: Set<Int>? = nil,
        folder: String, keepsTrace: Bool = false
    ) -> RunReport {
        let executor = SimulatedExecutor()
        let outcome = Result<RunReport, any Error> {
            try executor.run {
                // Other servers may have messages of equal times.
                let world = await SimulatedWorld(
                    seed: seed, on: executor, spacesTimes: seed % 3 > 0)
                let simulation = Simulation(
                    world, seed: seed, shape, folder: folder, keepsTrace: keepsTrace)
                return await simulation.live(steps)
            }
        }
        switch outcome {
        case .success(let report): return report
        case .failure(let error):
            return RunReport(
                seed: seed, steps: 0, work: executor.jobsRun, duration: executor.now,
                failure: "\(error)")
        }
    }

    private func live(_ kept: Set<Int>?) async -> RunReport {
        var failure: String?
        do {
            try await begin()
            while step < shape.steps {
                if kept?.contains(step) ?? true { try await takeStep() }
                step += 1
                if step % shape.stepsToRest == 0 { try await comeToRest(isEnd: false) }
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
        return RunReport(
            seed: seed, steps: step, work: executor.jobsRun, duration: executor.now,
            failure: failure, trace: trace?.lines ?? [])
    }

    /// The key of sealed disks.
    private static let storageKey = [UInt8](repeating: 7, count: 32)

    private func begin() async throws {
        for index in 0..<shape.users {
            let id = user(index)
            await world.storage.addUser(User(id: id, nickname: "\(id)"))
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

    /// Takes a step; its chance comes from the seed and the number of the step.
    private func takeStep() async throws {
        random.restart(seed: seed, step: step)
        world.random.restart(seed: ~seed, step: step)
        await pass(random.pause())
        try await checkNow()
        let action = mix.draw(random)
        try await perform(action, apps[pick(apps.count)])
        try plantedFault?.note(action)
    }

    // MARK: Help

    func pick(_ count: Int) -> Int { random.pick(count) }

    func pick<Element>(of elements: [Element]) -> Element? { random.pick(of: elements) }

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
        _ app: SimulatedApp, _ name: String, atMost limit: Int = 12, isTimed: Bool = true,
        _ work: @escaping @Sendable (ChatClient) async throws -> Void
    ) {
        guard let client = app.client, pendingCalls.count < limit else { return }
        lastNumber += 1
        let number = lastNumber
        pendingCalls[number] = PendingCall(
            app: app.number, name: "\(app.name) \(name)", since: executor.now, isTimed: isTimed)
        note("\(app.name) \(name)")
        // The call is observed by way of `pendingCalls`.
        Task(executorPreference: executor) {
            var outcome = "done"
            do { try await work(client) } catch { outcome = "\(error)" }
            await self.ended(number, outcome)
        }
    }

    private func ended(_ number: Int, _ outcome: String) {
        guard let call = takeCall(number) else {
            return report(Violation(sentence: "A call returned twice."))
        }
        note("  \(call.name): \(outcome)")
    }

    /// Removes a call that has returned, and checks its time.
    func takeCall(_ number: Int) -> PendingCall? {
        guard let call = pendingCalls.removeValue(forKey: number) else { return nil }
        do throws(Violation) { try check(call) } catch { report(error) }
        return call
    }
}

/// A call of an app that has not returned.
struct PendingCall {
    let app: Int
    let name: String
    var since: Duration
    /// Whether the call has to return in a stated time while the client is connected.
    var isTimed = true
}

/// The lines of a trace, from any part.
final class TraceRecorder: Sendable {
    private let state = Mutex<[String]>([])

    var lines: [String] { state.withLock { $0 } }

    func append(_ line: String) { state.withLock { $0.append(line) } }
}
