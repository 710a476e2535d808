// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostStore

/// Keeps what the user wrote until the server has it, and obeys the outbox machine.
actor Outbox {
    /// What the outbox needs from above, handed in as functions so that it knows no engine.
    struct Surroundings: Sendable {
        /// Puts a message on the wire; throws when it certainly did not leave.
        let transmit: @Sendable (OutboxItem) async throws(RoostError) -> Void
        /// The unsent messages of a channel are not what they were.
        let changed: @Sendable (ChannelURL) async -> Void
    }

    private nonisolated let executor: any WorldExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor {
        // SAFETY: the executor is a constant of this actor and lives as long as it does.
        unsafe executor.asUnownedSerialExecutor()
    }

    private let world: World
    private let store: OutboxStore
    private var me: User
    private let surroundings: Surroundings
    private var machine = OutboxMachine()
    /// Everything unsent, in the order it was written.
    private var items: [OutboxItem] = []
    private var timers = Timers<Timer>()
    /// What the disk refused to write down, in order; nil takes the item out.
    private var owed: [(requestID: RequestID, state: UnsentState?)] = []

    private enum Timer: Hashable, Sendable {
        case acknowledgement(RequestID)
        case rest(ChannelURL)
        case owed
    }

    /// How long a disk that refused is left alone.
    private static let repairDelay = Duration.seconds(5)

    init(world: World, store: OutboxStore, me: User, surroundings: Surroundings) {
        self.world = world
        self.executor = world.executor
        self.store = store
        self.me = me
        self.surroundings = surroundings
    }

    /// Takes up what an earlier run left unsent.
    func start() async throws(RoostError) {
        do {
            items = try await store.items().items
        } catch {
            throw RoostError(error)
        }
        for item in items { _ = machine.handle(.queued(OutboxMachine.Item(item))) }
    }

    /// Writes a message down and queues it; when this returns it survives a crash.
    func append(
        _ params: UserMessageParams, to channel: ChannelURL
    ) async throws(RoostError) -> Message {
        let item: OutboxItem
        do {
            item = try await store.append(
                RequestID.random(world.entropy), to: channel, createdAt: world.wallTime(),
                content: .userMessage(params))
        } catch {
            throw RoostError(error)
        }
        // Two calls may come back from the disk in either order; the disk's order counts.
        items.insert(item, at: items.firstIndex { $0.sequence > item.sequence } ?? items.count)
        // The machine learns of it here, before anything else can come between.
        let effects = machine.handle(.queued(OutboxMachine.Item(item)))
        await surroundings.changed(channel)
        for effect in effects { await perform(effect) }
        return item.message(from: Sender(user: me))
    }

    /// Moves the machine, then does what it asks for.
    func receive(_ input: OutboxMachine.Input) async {
        for effect in machine.handle(input) { await perform(effect) }
    }

    /// The unsent messages of a channel, in the order they were written.
    func unsent(in channel: ChannelURL) -> [Message] {
        items.filter { $0.channel == channel }.map { item in
            var message = item.message(from: Sender(user: me))
            if let state = machine.item(item.requestID)?.state {
                message.delivery = .unsent(item.requestID, state)
            }
            return message
        }
    }

    /// Takes the name the server knows the user by; pending messages carry it from now on.
    func rename(to user: User) { me = user }

    /// Whether something is on its way or could leave at once.
    var isBusy: Bool { machine.isBusy }

    private func perform(_ effect: OutboxMachine.Effect) async {
        switch effect {
        case .transmit(let requestID):
            guard machine.isOnItsWay(requestID),
                let item = items.first(where: { $0.requestID == requestID })
            else { return }
            // On its own, so that one slow socket write keeps neither callers nor channels waiting;
            // it ends with the write.
            Task(executorPreference: executor) { await self.transmit(item) }
        case .armAckTimer(let requestID, let duration):
            guard machine.isOnItsWay(requestID) else { return }
            arm(.acknowledgement(requestID), for: duration, then: .ackTimedOut(requestID))
        case .disarmAckTimer(let requestID): timers.disarm(.acknowledgement(requestID))
        case .armRest(let channel, let duration):
            arm(.rest(channel), for: duration, then: .rested(channel))
        case .store(let requestID, let state): await note(state, of: requestID)
        case .remove(let requestID): await forget(requestID)
        }
    }

    private func transmit(_ item: OutboxItem) async {
        do throws(RoostError) {
            try await surroundings.transmit(item)
        } catch {
            await receive(.failed(item.requestID, error.code))
        }
    }

    private func arm(
        _ timer: Timer, for duration: Duration, then input: OutboxMachine.Input
    ) {
        timers.arm(timer, for: duration, in: world) { number in
            await self.fired(timer, number, input)
        }
    }

    private func fired(_ timer: Timer, _ number: Int, _ input: OutboxMachine.Input) async {
        guard timers.claim(timer, number) else { return }
        await receive(input)
    }

    private func note(_ state: UnsentState, of requestID: RequestID) async {
        guard let index = items.firstIndex(where: { $0.requestID == requestID }) else { return }
        let channel = items[index].channel
        await write(requestID, state)
        await surroundings.changed(channel)
    }

    private func forget(_ requestID: RequestID) async {
        guard let index = items.firstIndex(where: { $0.requestID == requestID }) else { return }
        let channel = items.remove(at: index).channel
        await write(requestID, nil)
        await surroundings.changed(channel)
    }

    /// Writes down what became of an item; a disk that refuses is asked again.
    ///
    /// Should the process end before, the item is sent again; its name makes that harmless.
    private func write(_ requestID: RequestID, _ state: UnsentState?) async {
        if owed.isEmpty, await isWritten(requestID, state) { return }
        owed.append((requestID, state))
        if owed.count == 1 { tryAgainLater() }
    }

    /// False when the disk refuses.
    private func isWritten(_ requestID: RequestID, _ state: UnsentState?) async -> Bool {
        do throws(StoreError) {
            if let state {
                try await store.update(requestID, state: state)
            } else {
                try await store.remove(requestID)
            }
            return true
        } catch {
            return error.kind == .closed  // Nothing can be written any more.
        }
    }

    private func tryAgainLater() {
        timers.arm(.owed, for: Self.repairDelay, in: world) { number in
            await self.tryAgain(number)
        }
    }

    private func tryAgain(_ number: Int) async {
        guard timers.claim(.owed, number) else { return }
        while let (requestID, state) = owed.first {
            guard await isWritten(requestID, state) else { return tryAgainLater() }
            owed.removeFirst()
        }
    }
}

extension OutboxMachine.Item {
    init(_ item: OutboxItem) {
        self.init(
            requestID: item.requestID, channel: item.channel, createdAt: item.createdAt,
            state: item.state)
    }
}

extension RequestID {
    /// A name nobody else makes: 128 random bits in hexadecimal.
    static func random(_ entropy: () -> UInt64) -> RequestID {
        func digits(_ number: UInt64) -> String {
            let text = String(number, radix: 16)
            return String(repeating: "0", count: 16 - text.count) + text
        }
        return RequestID(digits(entropy()) + digits(entropy()))
    }
}
