// SPDX-License-Identifier: Apache-2.0

import RoostExecutors
import RoostModel
import RoostServer
import RoostTransport
import RoostWire

/// Both ends of one WebSocket of a simulation.
///
/// The frames of one direction cross one after the other: the delay of a frame begins when the
/// frame before it has arrived.
actor SimulatedSocket: Socket {
    /// The server's outlet for frames to the client.
    private struct Outlet: SessionOutlet {
        enum Item: Sendable {
            case frame(String)
            case end
        }

        let items: AsyncStream<Item>.Continuation
        let onWay: Guarded<Int>

        func deliver(_ frame: String) { put(.frame(frame)) }
        func close() { put(.end) }

        private func put(_ item: Item) {
            onWay.withLock { $0 += 1 }
            items.yield(item)
        }
    }

    private nonisolated let executor: SimulatedExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor {
        // SAFETY: the executor is a constant of this actor and lives as long as it does.
        unsafe executor.asUnownedSerialExecutor()
    }

    private let server: ChatServer
    private nonisolated let network: SimulatedNetwork
    private nonisolated let onWay = Guarded(0)
    /// The number of frames in both directions that have not arrived yet; without meaning after the
    /// end of the socket.
    nonisolated var framesOnWay: Int { onWay.withLock { $0 } }

    private var session: SessionID?
    private var arrived: [String] = []
    private var reader: CheckedContinuation<Void, Never>?
    private var toServer: AsyncStream<String>.Continuation?
    private var pumps: [Task<Void, Never>] = []
    private var hasEnded = false
    private var isBroken = false
    /// Whether no frame crosses although both ends believe in the socket.
    private var isHalfOpen = false
    /// A frame that the next frame of another channel overtakes.
    private var overtaken: String?
    private var sessionKey: String?

    init(server: ChatServer, network: SimulatedNetwork) {
        self.server = server
        self.network = network
        executor = network.executor
    }

    func connect(_ handshake: Handshake) async {
        let (downward, items) = AsyncStream.makeStream(of: Outlet.Item.self)
        let (upward, texts) = AsyncStream.makeStream(of: String.self)
        toServer = texts
        session = await server.connect(handshake, Outlet(items: items, onWay: onWay))
        // The pumps end with their streams, when the socket is closed or broken.
        pumps = [
            Task(executorPreference: executor) { await self.pump(down: downward) },
            Task(executorPreference: executor) { await self.pump(up: upward) },
        ]
    }

    /// Answers the login without the server, and ends.
    func refuse(_ event: ServerEvent) {
        arrived.append(event.encoded)
        hasEnded = true
    }

    // MARK: Downward

    private func pump(down items: AsyncStream<Outlet.Item>) async {
        for await item in items {
            defer { onWay.withLock { $0 -= 1 } }
            guard (try? await executor.sleep(for: network.latency())) != nil, !isBroken else {
                return
            }
            switch item {
            case .frame(let text): await take(text)
            case .end:
                arrive(nil)
                hasEnded = true
                wakeReader()
            }
        }
    }

    private func take(_ text: String) async {
        if isHalfOpen { return }
        let isLogin = text.hasPrefix("LOGI")
        if isLogin {
            sessionKey = text.field("key")
            network.noteLogin()
        }
        if isLogin || network.isCalm { return arrive(text) }
        if network.happens(\.halfOpen, "half-open socket") {
            isHalfOpen = true
            return
        }
        if network.happens(\.cutFrame, "cut frame") {
            arrived.append(cut(text))
            wakeReader()
            hasEnded = true
            return await leave()
        }
        if text.isMessage || text.isEdit, text.field("req_id") != nil,
            network.happens(\.lostAcknowledgement, "lost acknowledgement")
        {
            network.noteLostFrame()
            return
        }
        guard let channel = text.field("channel_url") else { return arrive(text) }
        if let waiting = overtaken {
            overtaken = nil
            let isOther = waiting.field("channel_url") != channel
            for frame in isOther ? [text, waiting] : [waiting, text] { arrive(frame) }
        } else if network.happens(\.overtakenFrame, "overtaken frame") {
            overtaken = text
            // It arrives late if no frame overtakes it.
            Task(executorPreference: executor) {
                try? await self.executor.sleep(for: .milliseconds(300))
                await self.release(text)
            }
        } else {
            arrive(text)
            if network.happens(\.repeatedFrame, "repeated frame") { arrive(text) }
        }
    }

    private func release(_ text: String) {
        guard overtaken == text, !isBroken else { return }
        arrive(nil)
    }

    /// Delivers a frame to the client, after a delayed one.
    private func arrive(_ text: String?) {
        if let waiting = overtaken {
            overtaken = nil
            arrived.append(waiting)
        }
        if let text {
            network.trace("<< \(text)")
            arrived.append(text)
        }
        wakeReader()
        if let sessionKey, network.happens(\.expiry, "session expires over the socket") {
            network.expire(sessionKey)
            arrived.append(ServerEvent.expired(reason: nil, expiresIn: nil).encoded)
        }
    }

    private func cut(_ text: String) -> String {
        String(text.prefix(Int(network.random.next() % UInt64(text.count + 1))))
    }

    // MARK: Upward

    private func pump(up texts: AsyncStream<String>) async {
        for await text in texts {
            defer { onWay.withLock { $0 -= 1 } }
            guard (try? await executor.sleep(for: network.latency())) != nil, !isBroken, let session
            else { return }
            if isHalfOpen { continue }
            network.trace(">> \(text)")
            if network.happens(\.halfOpen, "half-open socket") {
                isHalfOpen = true
                continue
            }
            if text.isMessage, let error = refusal() {
                let request = text.field("req_id").map { RequestID($0) }
                arrive(ServerEvent.error(error, acknowledges: request).encoded)
                continue
            }
            if network.happens(\.cutFrame, "cut frame upward") {
                await server.receive(cut(text), from: session)
                return await self.break()
            }
            await server.receive(text, from: session)
            if text.isMessage, network.happens(\.repeatedFrame, "repeated send") {
                await server.receive(text, from: session)
            }
        }
    }

    /// Returns the error of a message that the simulated server does not take; nil if it does.
    private func refusal() -> ServerError? {
        if network.happens(\.refusedMessage, "refused message") {
            return ServerError(.channelFrozen, "The simulated server refuses the message.")
        }
        if network.happens(\.limitedMessage, "limited message") {
            return ServerError(.rateLimited, "The simulated server asks for a pause.")
        }
        return nil
    }

    private func wakeReader() {
        reader?.resume()
        reader = nil
    }

    func send(_ text: String) async throws(TransportError) {
        if isBroken || hasEnded { throw TransportError(.lost, "The simulated socket is gone.") }
        guard let toServer else { return }
        onWay.withLock { $0 += 1 }
        toServer.yield(text)
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

    /// Cuts the link under the socket: frames on their way are lost, and both ends learn of it.
    func `break`() async {
        isBroken = true
        arrived = []
        await leave()
    }

    private func leave() async {
        network.forget(self)
        toServer?.finish()
        for pump in pumps { pump.cancel() }
        pumps = []
        wakeReader()
        if let session { await server.disconnect(session) }
        session = nil
    }
}

extension String {
    /// Whether a frame is a message of a user.
    fileprivate var isMessage: Bool { hasPrefix("MESG") || hasPrefix("FILE") }

    /// Whether a frame is an edit of one.
    fileprivate var isEdit: Bool { hasPrefix("MEDI") || hasPrefix("FEDI") }

    /// Returns the first text field of this name in a frame's JSON.
    fileprivate func field(_ name: String) -> String? {
        let key = Array("\"\(name)\":\"".utf8)
        let bytes = Array(utf8)
        guard bytes.count > key.count else { return nil }
        let start = (0..<bytes.count - key.count).first { start in
            bytes[start] == key[0] && bytes[start..<start + key.count].elementsEqual(key)
        }
        guard let start else { return nil }
        return String(
            decoding: bytes[(start + key.count)...].prefix { $0 != UInt8(ascii: "\"") },
            as: UTF8.self)
    }
}
