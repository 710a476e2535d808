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
        /// The disk refused: the message is safe where it was, but its state could not be noted.
        let storageFailed: @Sendable (RoostError) async -> Void
    }

    private nonisolated let executor: any WorldExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor {
        // SAFETY: the executor is a constant of this actor and lives as long as it does.
        unsafe executor.asUnownedSerialExecutor()
    }

    private let world: World
    private let store: OutboxStore
    private let me: UserID
    private let surroundings: Surroundings
    private var machine = OutboxMachine()
    /// Everything unsent, in the order it was written.
    private var items: [OutboxItem] = []
    private var timers = Timers<Timer>()

    private enum Timer: Hashable, Sendable {
        case acknowledgement(RequestID)
        case rest(ChannelURL)
    }

    init(world: World, store: OutboxStore, me: UserID, surroundings: Surroundings) {
        self.world = world
        self.executor = world.executor
        self.store = store
        self.me = me
        self.surroundings = surroundings
    }

    /// Takes up what an earlier run left unsent.
    func start() async throws(RoostError) {
        do {
            items = try await store.items()
        } catch {
            throw RoostError(error)
        }
        for item in items { _ = machine.handle(.queued(OutboxMachine.Item(item))) }
    }

    /// Writes a message down and queues it; when this returns it survives a crash.
    func append(
        _ params: UserMessageParams, to channel: ChannelURL
    ) async throws(RoostError) -> Message {
        let item = OutboxItem(
            requestID: RequestID.random(world.entropy), channel: channel,
            createdAt: world.wallTime(), content: .user(params))
        let stored: OutboxItem
        do {
            stored = try await store.append(item)
        } catch {
            throw RoostError(error)
        }
        items.append(stored)
        items.sort { $0.sequence < $1.sequence }
        await surroundings.changed(channel)
        await receive(.queued(OutboxMachine.Item(stored)))
        return stored.message(from: me)
    }

    /// Moves the machine, then does what it asks for.
    func receive(_ input: OutboxMachine.Input) async {
        for effect in machine.handle(input) { await perform(effect) }
    }

    /// The unsent messages of a channel, in the order they were written.
    func unsent(in channel: ChannelURL) -> [Message] {
        items.filter { $0.channel == channel }.map { $0.message(from: me) }
    }

    func contains(_ requestID: RequestID) -> Bool { machine.item(requestID) != nil }

    /// Whether something is on its way or could leave at once.
    var isBusy: Bool { machine.isBusy }

    private func perform(_ effect: OutboxMachine.Effect) async {
        switch effect {
        case .transmit(let requestID):
            guard let item = items.first(where: { $0.requestID == requestID }) else { return }
            do {
                try await surroundings.transmit(item)
            } catch {
                await receive(.failed(requestID, error.code))
            }
        case .armAckTimer(let requestID, let duration):
            arm(.acknowledgement(requestID), for: duration, then: .ackTimedOut(requestID))
        case .disarmAckTimer(let requestID): timers.disarm(.acknowledgement(requestID))
        case .armRest(let channel, let duration):
            arm(.rest(channel), for: duration, then: .rested(channel))
        case .store(let requestID, let state): await note(state, of: requestID)
        case .remove(let requestID): await forget(requestID)
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
        items[index].state = state
        let channel = items[index].channel
        do {
            try await store.update(requestID, state: state)
        } catch {
            await surroundings.storageFailed(RoostError(error))
        }
        await surroundings.changed(channel)
    }

    private func forget(_ requestID: RequestID) async {
        guard let index = items.firstIndex(where: { $0.requestID == requestID }) else { return }
        let channel = items.remove(at: index).channel
        do {
            try await store.remove(requestID)
        } catch {
            // It stays on disk and is sent again after a restart; its name makes that harmless.
            await surroundings.storageFailed(RoostError(error))
        }
        await surroundings.changed(channel)
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
