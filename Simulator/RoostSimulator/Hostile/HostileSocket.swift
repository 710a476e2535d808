// SPDX-License-Identifier: Apache-2.0

import RoostTestKit
import RoostTransport

/// A socket of a hostile server: it changes the frames of an honest socket and adds invented ones.
actor HostileSocket: Socket {
    private nonisolated let executor: SimulatedExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor {
        // SAFETY: the executor is a constant of this actor and lives as long as it does.
        unsafe executor.asUnownedSerialExecutor()
    }

    private let socket: any Socket
    private let server: HostileServer
    private var arrived: [String] = []
    private var failure: TransportError?
    private var hasEnded = false
    private var reader: CheckedContinuation<Void, Never>?
    private var pumps: [Task<Void, Never>] = []

    init(over socket: any Socket, server: HostileServer) {
        self.socket = socket
        self.server = server
        executor = server.executor
    }

    /// Starts to pass frames on; `close` ends that.
    func begin() {
        pumps = [
            Task(executorPreference: executor) { await self.pump() },
            Task(executorPreference: executor) { await self.invent() },
        ]
    }

    private func pump() async {
        while !hasEnded {
            let text: String?
            do throws(TransportError) {
                text = try await socket.receive()
            } catch {
                failure = error
                return end()
            }
            guard let text else { return end() }
            let (frames, ends) = server.frames(replacing: text)
            arrived += frames
            if ends {
                end()
                return await socket.close()
            }
            wakeReader()
        }
    }

    /// Adds invented frames, up to twenty a second.
    private func invent() async {
        while !hasEnded, (try? await executor.sleep(for: .milliseconds(50))) != nil {
            guard server.mood != nil else { continue }
            // The limit ends the frames to a reader that does not read.
            guard arrived.count < 100, let frame = server.invention() else { continue }
            arrived.append(frame)
            wakeReader()
        }
    }

    private func end() {
        hasEnded = true
        wakeReader()
    }

    private func wakeReader() {
        reader?.resume()
        reader = nil
    }

    func send(_ text: String) async throws(TransportError) {
        if let mood = server.mood, mood.strikes(.lostFrames) { return }
        try await socket.send(text)
    }

    func receive() async throws(TransportError) -> String? {
        while arrived.isEmpty {
            if let failure { throw failure }
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
        end()
        for pump in pumps { pump.cancel() }
        pumps = []
        await socket.close()
    }
}
