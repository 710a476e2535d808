// SPDX-License-Identifier: Apache-2.0

import RoostServer
import RoostTransport

/// One WebSocket of a simulation, both ends of it.
actor SimulatedSocket: Socket {
    /// What the server hands over for the client.
    private struct Outlet: SessionOutlet {
        enum Item: Sendable {
            case frame(String)
            case end
        }

        let items: AsyncStream<Item>.Continuation

        func deliver(_ frame: String) { items.yield(.frame(frame)) }
        func close() { items.yield(.end) }
    }

    private nonisolated let executor: SimulatedExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor {
        // SAFETY: the executor is a constant of this actor and lives as long as it does.
        unsafe executor.asUnownedSerialExecutor()
    }

    private let server: ChatServer
    private let latency: @Sendable () -> Duration
    private var session: SessionID?
    private var arrived: [String] = []
    private var reader: CheckedContinuation<Void, Never>?
    private var toServer: AsyncStream<String>.Continuation?
    private var pumps: [Task<Void, Never>] = []
    private var hasEnded = false
    private var isBroken = false

    init(
        server: ChatServer, executor: SimulatedExecutor, latency: @escaping @Sendable () -> Duration
    ) {
        self.server = server
        self.executor = executor
        self.latency = latency
    }

    func connect(_ handshake: Handshake) async {
        let (downward, items) = AsyncStream.makeStream(of: Outlet.Item.self)
        let (upward, texts) = AsyncStream.makeStream(of: String.self)
        toServer = texts
        session = await server.connect(handshake, Outlet(items: items))
        // The pumps end with their streams, when the socket is closed or broken.
        pumps = [
            Task(executorPreference: executor) { await self.pump(down: downward) },
            Task(executorPreference: executor) { await self.pump(up: upward) },
        ]
    }

    private func pump(down items: AsyncStream<Outlet.Item>) async {
        for await item in items {
            guard (try? await executor.sleep(for: latency())) != nil, !isBroken else { return }
            switch item {
            case .frame(let text): arrived.append(text)
            case .end: hasEnded = true
            }
            wakeReader()
        }
    }

    private func pump(up texts: AsyncStream<String>) async {
        for await text in texts {
            guard (try? await executor.sleep(for: latency())) != nil, !isBroken, let session
            else { return }
            await server.receive(text, from: session)
        }
    }

    private func wakeReader() {
        reader?.resume()
        reader = nil
    }

    func send(_ text: String) async throws(TransportError) {
        if isBroken || hasEnded { throw TransportError(.lost, "The simulated socket is gone.") }
        toServer?.yield(text)
    }

    func receive() async throws(TransportError) -> String? {
        while arrived.isEmpty {
            if isBroken { throw TransportError(.lost, "The simulated link was cut.") }
            if hasEnded { return nil }
            if Task.isCancelled { throw TransportError(.cancelled, "The task was cancelled.") }
            await withTaskCancellationHandler {
                await withCheckedContinuation { reader = $0 }
            } onCancel: {
                // Ends at once: it only wakes the reader.
                Task(executorPreference: executor) { await self.wakeReader() }
            }
        }
        return arrived.removeFirst()
    }

    func close() async {
        hasEnded = true
        await leave()
    }

    /// The link is cut under the socket: nothing on its way arrives, and both ends find out.
    func `break`() async {
        isBroken = true
        arrived = []
        await leave()
    }

    private func leave() async {
        toServer?.finish()
        for pump in pumps { pump.cancel() }
        pumps = []
        wakeReader()
        if let session { await server.disconnect(session) }
        session = nil
    }
}
