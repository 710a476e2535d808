// SPDX-License-Identifier: Apache-2.0

internal import RoostExecutors
internal import RoostSockets

/// A message of the bus, or a change of the connection.
package enum NATSEvent: Hashable, Sendable {
    case message([UInt8])
    /// The first connection came about after the opening.
    case connected
    case disconnected
    /// Messages of the time in between are lost.
    case reconnected
    /// The consumer was too slow, so this many events were dropped behind the earlier ones.
    ///
    /// Changes of the connection count among them. A loss of messages is certain or likely.
    case overflow(UInt64)
    /// The bus refused something, such as the right to use a subject, in its words.
    case failure(String)
}

/// The hand-over from the connection to the consumer, in the order of the events.
final class Mailbox: Sendable {
    private struct State {
        var queue: BoundedQueue<NATSEvent>
        var dropped: UInt64 = 0
        var isConnected = false
        var maxPayload = 0
    }

    private let state: Guarded<State>
    private let loop: EventLoop
    private let deliver: @Sendable ([NATSEvent]) async -> Void

    init(
        _ settings: NATSSettings, on loop: EventLoop,
        deliver: @escaping @Sendable ([NATSEvent]) async -> Void
    ) {
        state = Guarded(State(queue: BoundedQueue(settings.incomingLimit)))
        self.loop = loop
        self.deliver = deliver
    }

    var isConnected: Bool { state.withLock { $0.isConnected } }

    /// The most bytes of a message; zero before the first connection.
    var maxPayload: Int { state.withLock { $0.maxPayload } }

    func setConnected(_ isConnected: Bool, maxPayload: Int? = nil) {
        state.withLock { state in
            state.isConnected = isConnected
            if let maxPayload { state.maxPayload = maxPayload }
        }
    }

    /// Takes an event on any thread, and returns at once.
    func post(_ event: NATSEvent, bytes: Int = 0) {
        let startsDrain = state.withLock { state in
            switch state.queue.add([event], bytes: bytes) {
            case .added(let startsDrain): return startsDrain
            case .refused:
                if !state.queue.isClosed { state.dropped &+= 1 }
                return false
            }
        }
        if startsDrain { Task(executorPreference: loop) { await self.drain() } }
    }

    /// Drops the waiting events; a batch that the consumer has already is its own affair.
    func close() {
        state.withLock { state in
            state.queue.close()
            state.isConnected = false
        }
    }

    private func drain() async {
        while let batch = take() { await deliver(batch) }
    }

    /// Returns all waiting events, with the drops after them; nil ends the drain.
    private func take() -> [NATSEvent]? {
        state.withLock { state in
            guard var batch = state.queue.take() else { return nil }
            if state.dropped > 0 { batch.append(.overflow(state.dropped)) }
            state.dropped = 0
            return batch
        }
    }
}
