// SPDX-License-Identifier: Apache-2.0

// A world without disk, socket, task or thread: the clients' machines, a store in memory and a model
// of the server. Every effect of a machine becomes an event of the world's queue, and every event is
// a call of a function. So a run costs a small part of a full world's, and finds mistakes of the
// decisions; the full worlds find those of the store and of the shell.

import RoostCore
import RoostModel
import RoostServer
import RoostTestKit
import RoostWire

/// A simulation of the clients' decisions, drawn from a seed.
package final class CoreWorld {
    /// An event on its way.
    ///
    /// Inputs and frames are large, and a queue moves its events often, so each is behind a reference.
    indirect enum Event {
        /// An input of a device's machine.
        case input(SyncMachine.Input)
        /// Work on a device's disk.
        case disk(SyncMachine.Effect)
        case fired(MachineTimer, Int)
        case paused(SyncMachine.OperationID, Int)
        case overdue(SyncMachine.OperationID, Int)
        /// A request arrives at the server.
        case request(SyncMachine.OperationID?, ServerQuestion, RequestFate)
        case opening(LinkMachine.Epoch, sessionKey: String?)
        /// A frame arrives at the device.
        case frame(connection: Int, ServerEvent)
        case release(connection: Int)
        /// The socket ends on the device.
        case end(connection: Int, LinkMachine.Loss)
        /// A frame arrives at the server.
        case command(connection: Int, ClientCommand)
        case hangUp(connection: Int)
        case crash
        case restart(connects: Bool)
    }

    /// The fate of a request on its way.
    struct RequestFate {
        var isAnswerLost = true
        /// The end of the caller's time limit.
        var limit = Int64.max
    }

    struct Scheduled {
        let device: Int
        let run: Int
        let event: Event
    }

    let seed: UInt64
    let mix: ActionMix
    let shape: WorldShape
    let random: SimulatedRandom
    let trace: TraceRecorder?
    var server: ModelServer
    var devices: [CoreDevice] = []
    var channels: [ChannelURL] = []
    var made = MadeChanges()
    /// The time since the beginning, in microseconds.
    private(set) var now: Int64 = 0
    /// The error of the server's clock, in milliseconds.
    var serverClockError: Int64 = 0 {
        didSet { if serverClockError < oldValue { hasClockGoneBack = true } }
    }
    private(set) var hasClockGoneBack = false
    private var queue = EventQueue<Scheduled>()
    private(set) var step = 0
    var lastNumber = 0
    var lastConnection = 0
    /// The number of machine inputs so far; equal numbers mean equal runs.
    var inputs = 0
    /// The operations that the present input has ended.
    var finished: [(SyncMachine.OperationID, Outcome)] = []
    var isFinishing = false
    /// A broken invariant found inside an event.
    var violation: Violation?
    private var plantedFault: PlantedFault?

    init(seed: UInt64, _ shape: WorldShape, keepsTrace: Bool) {
        self.seed = seed
        mix = ActionMix(seed: seed, of: shape.actions)
        self.shape = shape
        random = SimulatedRandom(seed: seed)
        server = ModelServer()
        plantedFault = shape.plantedFault
        trace = keepsTrace ? TraceRecorder() : nil
    }

    /// Runs one simulation.
    ///
    /// - Parameters:
    ///   - seed: The seed of all random choices.
    ///   - shape: The size of the world.
    ///   - steps: The steps to take, of those that the seed draws; nil takes all.
    ///   - keepsTrace: Whether every action is recorded.
    /// - Returns: The result; a broken invariant is a `failure`.
    package static func run(
        seed: UInt64, _ shape: WorldShape = .core, keeping steps: Set<Int>? = nil,
        keepsTrace: Bool = false
    ) -> RunReport {
        let executor = SimulatedExecutor()
        do {
            return try executor.run {
                // Other servers may have messages of equal times.
                let storage = MemoryStorage(on: executor, spacesTimes: seed % 3 > 0)
                return await live(seed, shape, steps, keepsTrace, on: storage)
            }
        } catch {
            return RunReport(seed: seed, steps: 0, work: 0, failure: "\(error)")
        }
    }

    /// The world lives where its storage does, so every call of the storage is a plain call.
    private static func live(
        _ seed: UInt64, _ shape: WorldShape, _ kept: Set<Int>?, _ keepsTrace: Bool,
        on storage: isolated MemoryStorage
    ) -> RunReport {
        let world = CoreWorld(seed: seed, shape, keepsTrace: keepsTrace)
        var failure: String?
        do throws(Violation) {
            try world.begin(on: storage)
            while world.step < shape.steps {
                if kept?.contains(world.step) ?? true { try world.takeStep(on: storage) }
                world.step += 1
                if world.step % shape.stepsToRest == 0, world.step < shape.steps {
                    try world.comeToRest(isEnd: false, on: storage)
                }
            }
            try world.comeToRest(isEnd: true, on: storage)
        } catch {
            failure = error.sentence
        }
        return RunReport(
            seed: seed, steps: world.step, work: world.inputs,
            duration: .microseconds(world.now),
            failure: failure.map {
                "step \(world.step), \(Duration.microseconds(world.now)): \($0)"
            },
            trace: world.trace?.lines ?? [])
    }

    private func begin(on storage: isolated MemoryStorage) throws(Violation) {
        for index in 0..<shape.users {
            storage.addUser(User(id: user(index), nickname: "\(user(index))"))
        }
        for index in 0..<shape.apps {
            devices.append(CoreDevice(index, user(index % shape.users)))
            start(devices[index], connects: true)
        }
        for _ in 0..<shape.channels { createElsewhere(by: user(0), on: storage) }
    }

    /// Takes a step; all its chance comes from the seed and the number of the step, so the other
    /// steps of a run do not change it.
    private func takeStep(on storage: isolated MemoryStorage) throws(Violation) {
        random.restart(seed: seed, step: step)
        let pause = random.pause()
        let (action, device) = (mix.draw(random), devices[random.pick(devices.count)])
        try pass(pause, on: storage)
        try checkNow(on: storage)
        // Events during the pause have drawn numbers too.
        random.restart(seed: ~seed, step: step)
        note("* \(action) \(device.name)")
        try perform(action, device, on: storage)
        try plantedFault?.note(action)
    }

    // MARK: Time

    func schedule(_ event: Event, _ device: CoreDevice, after delay: Duration = .zero) {
        schedule(event, device, at: now + delay.microseconds)
    }

    func schedule(_ event: Event, _ device: CoreDevice, at time: Int64) {
        queue.schedule(
            Scheduled(device: device.number, run: device.run, event: event), at: max(now, time))
    }

    /// Lets virtual time pass.
    func pass(_ duration: Duration, on storage: isolated MemoryStorage) throws(Violation) {
        let end = now + duration.microseconds
        while let time = queue.nextTime, time <= end, let next = queue.removeFirst() {
            now = time
            handle(next.event, devices[next.event.device], on: storage)
            if let violation { throw violation }
        }
        now = end
    }

    private func handle(
        _ scheduled: Scheduled, _ device: CoreDevice, on storage: isolated MemoryStorage
    ) {
        var event = scheduled.event
        if !event.isServers {
            guard scheduled.run == device.run else { return }
            if device.isSuspended {
                device.held.append(event)
                return
            }
        } else if scheduled.run != device.run,
            case .request(_, let question, let fate) = event
        {
            // The process that would get the answer has ended; the next one uses its numbers again.
            event = .request(nil, question, fate)
        }
        handle(event, device, on: storage)
        guard let left = device.eventsToCrash, scheduled.run == device.run else { return }
        device.eventsToCrash = left - 1
        if left == 0 { crash(device) }
    }

    /// The server's time.
    var serverTime: Timestamp {
        Timestamp(milliseconds: SimulatedWorld.beginningMS + now / 1_000 + serverClockError)
    }

    // MARK: Help

    func user(_ index: Int) -> UserID { UserID("u\(index)") }

    func number() -> Int {
        lastNumber += 1
        return lastNumber
    }

    func note(_ line: @autoclosure () -> String) {
        trace?.append("\(step) \(Duration.microseconds(now)) \(line())")
    }
}

extension CoreWorld.Event {
    /// Whether the event happens outside the device, so that it does not need its process.
    var isServers: Bool {
        switch self {
        case .request, .command, .hangUp, .restart: true
        case .input, .disk, .fired, .paused, .overdue, .opening, .frame, .release, .end, .crash:
            false
        }
    }
}

extension Duration {
    var microseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
    }
}

extension WorldShape {
    /// Many short runs find more than few long ones.
    package static let core = {
        var shape = WorldShape()
        shape.steps = 60
        return shape
    }()
}
