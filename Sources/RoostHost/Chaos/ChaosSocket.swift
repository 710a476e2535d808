// SPDX-License-Identifier: Apache-2.0

import RoostExecutors
import RoostModel
import RoostServer
import RoostSockets
import RoostWire

/// One socket of a server with faults, between the server and the connection.
///
/// It is used on the event loop's thread only, as the plain outlet is.
struct ChaosSocket: SessionOutlet {
    private struct Owner {
        var user: String
        var key: String?
        /// Whether the socket is half-open, so that its frames are no occasions any more.
        var isSilent = false
    }

    private let connection: WebSocketConnection
    private let layer: ChaosLayer
    private let number: Int
    private let owner: Guarded<Owner>

    /// Serves a socket from its login to its end.
    static func serve(
        _ connection: WebSocketConnection, _ handshake: Handshake, by server: ChatServer,
        _ layer: ChaosLayer
    ) async {
        let socket = ChaosSocket(connection, handshake, layer)
        guard socket.admits(handshake),
            let session = await server.connect(handshake, socket)
        else { return }
        // A broken connection ends the session as a closed one does.
        reading: while let message = try? await connection.receive() {
            guard case .text(let text) = message else { continue }
            // One by one, so that each command is an occasion. By bytes, because CR and LF together
            // are one character.
            for bytes in text.utf8.split(separator: UInt8(ascii: "\n"))
            where !bytes.allSatisfy({ $0 <= 0x20 }) {
                let line = String(Substring(bytes))
                guard await socket.take(line, in: session, server) else { break reading }
            }
        }
        await server.disconnect(session)
    }

    private init(
        _ connection: WebSocketConnection, _ handshake: Handshake, _ layer: ChaosLayer
    ) {
        self.connection = connection
        self.layer = layer
        number = layer.nextSocket()
        let key = handshake.sessionKey
        owner = Guarded(
            Owner(user: layer.user(of: key) ?? handshake.userID?.rawValue ?? "", key: key))
    }

    private var user: String { owner.withLock { $0.user } }

    private func decide(
        _ occasion: ChaosOccasion, _ command: String? = nil, _ requestID: String? = nil
    ) -> ChaosHarm? {
        layer.decide(
            occasion, of: user,
            ChaosTarget(socket: number, command: command, requestID: requestID))
    }

    // MARK: From the client

    /// Decides about a login; a refused one gets its frame, and the socket ends.
    private func admits(_ handshake: Handshake) -> Bool {
        if layer.isEnded(handshake.sessionKey) {
            post(ServerEvent.login(.failure(.endedByChaos, acknowledges: nil)).encoded)
            return false
        }
        guard case .busy(let seconds)? = decide(.login) else { return true }
        let busy = BusyEvent(
            retryAfter: .seconds(seconds), reason: RoostError.Code.rateLimited.rawValue,
            message: "Too many requests; wait before the next one.")
        post(ServerEvent.busy(busy).encoded)
        return false
    }

    /// Takes a command; returns false if the socket ends with it.
    private func take(
        _ line: String, in session: SessionID, _ server: ChatServer
    ) async -> Bool {
        let command = String(line.prefix(4))
        if command != Frame.Command.ping.rawValue {
            if layer.isEnded(owner.withLock({ $0.key })) {
                post(
                    ServerEvent.expired(
                        reason: RoostError.Code.sessionKeyExpired.rawValue, expiresIn: 0
                    ).encoded)
                return false
            }
            let requestID = ChaosFrame(line).requestID
            if case .restart(let hasFrame, let isAfterwards)? = decide(
                .command, command, requestID)
            {
                if isAfterwards { await server.take(line, from: session) }
                await layer.endSockets(withCloseFrame: hasFrame)
                return false
            }
        }
        await server.take(line, from: session)
        return true
    }

    // MARK: To the client

    func deliver(_ text: String) {
        if owner.withLock({ $0.isSilent }) { return }
        let frame = ChaosFrame(text)
        if let (user, key) = frame.login { return greet(user, key, frame, text) }
        guard frame.mayFail else { return post(text) }
        if let key = frame.newKey { learn(key, of: user) }
        if decide(.frame, frame.command, frame.requestID) != nil {
            owner.withLock { $0.isSilent = true }
            return connection.assumeIsolated { $0.fallSilent() }
        }
        guard let requestID = frame.requestID else { return post(text) }
        switch decide(.acknowledgement, frame.command, requestID) {
        case .delay(let time): layer.later(time) { [connection] in connection.postFrame(text) }
        case .loss: return
        case .repetition:
            post(text)
            post(text)
        case nil, .silence, .restart, .busy, .status, .endOfSession, .endOfTokens, .cut, .step:
            post(text)
        }
    }

    func close() { connection.assumeIsolated { $0.post(.normal) } }
    func refuse() { connection.assumeIsolated { $0.post(.policyViolation) } }
    func ping() { connection.assumeIsolated { $0.postPing() } }
    var heardCount: Int { connection.assumeIsolated { $0.heardCount } }

    private func greet(_ user: String, _ key: String, _ frame: ChaosFrame, _ text: String) {
        learn(key, of: user)
        guard case .step(let step)? = decide(.time, frame.command),
            let earlier = frame.withLogin(earlierBy: step)
        else { return post(text) }
        post(earlier)
    }

    private func learn(_ key: String, of user: String) {
        layer.learn(key, of: user)
        owner.withLock { $0 = Owner(user: user, key: key) }
    }

    private func post(_ text: String) { connection.postFrame(text) }
}

extension WebSocketConnection {
    /// Sends a frame from the event loop's thread.
    fileprivate nonisolated func postFrame(_ text: String) { assumeIsolated { $0.post(text) } }
}
