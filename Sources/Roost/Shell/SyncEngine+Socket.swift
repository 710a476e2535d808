// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostTransport
import RoostWire

// The socket to the server. The next frame is read only after the machine has applied the last one,
// so a burst waits in the network and not in memory.

extension SyncEngine {
    /// Opens a socket and reads frames until it closes.
    func openSocket(_ epoch: LinkMachine.Epoch, sessionKey: String?, isInForeground: Bool) {
        let request = request(sessionKey: sessionKey, isInForeground: isInForeground)
        socketReader = Task(executorPreference: executor) { await self.readSocket(request, epoch) }
    }

    func closeSocket() {
        socketReader?.cancel()
        socketReader = nil
        let closing = socket
        socket = nil
        // The task ends by itself: a closing handshake has a time limit.
        if let closing { Task(executorPreference: executor) { await closing.close() } }
    }

    private func readSocket(_ request: SocketRequest, _ epoch: LinkMachine.Epoch) async {
        do {
            let socket = try await world.sockets.open(request)
            guard sync.link.machine.epoch == epoch, !Task.isCancelled else {
                return await socket.close()
            }
            self.socket = socket
            receive(.link(.opened(epoch)))
            while let text = try await socket.receive() {
                for part in ServerEvent.decodeAll(text) { await take(part, epoch) }
            }
            receive(.link(.lost(epoch, .closed)))
        } catch {
            receive(.link(.lost(epoch, LinkMachine.Loss(error))))
        }
    }

    private func take(_ part: Result<ServerEvent, WireError>, _ epoch: LinkMachine.Epoch) async {
        switch part {
        case .success(let event):
            lastOperation += 1
            let id = SyncMachine.OperationID(lastOperation)
            _ = await withCheckedContinuation { waiter in
                operationWaiters[id] = waiter
                receive(.frame(id, event, epoch))
            }
        case .failure:
            // A malformed frame proves the connection all the same; later frames are read.
            guard sync.link.machine.epoch == epoch else { return }
            receive(.link(.received(epoch)))
        }
    }

    /// Hands a frame to the open socket.
    ///
    /// The return means that the frame was queued, not that it arrived.
    func send(_ command: ClientCommand) async throws(RoostError) {
        guard case .online = sync.link.state, let socket else { throw .notConnected }
        do {
            try await socket.send(command.encoded)
        } catch {
            throw RoostError(
                .socketClosed, remedy: .retry, message: "The connection was lost while sending.",
                underlying: error)
        }
    }

    /// Sets the token of the next login.
    func use(token: String?) { self.token = token }

    /// Returns the request of a connection.
    ///
    /// The first connection names the user; later ones send the session key (`docs/protocol` 2.1).
    ///
    /// Neither key nor token is part of the URL, which logs would keep (scar 39).
    private func request(sessionKey: String?, isInForeground: Bool) -> SocketRequest {
        var query = [
            QueryItem("p", "Roost"), QueryItem("ai", configuration.applicationID),
            QueryItem("active", isInForeground ? "1" : "0"),
        ]
        var headers: [(name: String, value: String)] = []
        if let sessionKey {
            headers.append((name: "SENDBIRD-WS-AUTH", value: sessionKey))
        } else {
            query.append(QueryItem("user_id", configuration.userID.rawValue))
            if let token { headers.append((name: "SENDBIRD-WS-TOKEN", value: token)) }
        }
        return SocketRequest(
            url: api.address.webSocket + "/?" + QueryItem.text(query), headers: headers,
            subprotocols: [], timeLimit: LinkMachine.loginTimeout)
    }
}

extension LinkMachine.Loss {
    init(_ error: TransportError) {
        switch error.kind {
        case .untrusted: self = .untrusted(error.message)
        case .lost, .cancelled: self = .closed
        case .unreachable, .timedOut, .refused: self = .unreachable(error.message)
        case .invalidURL: self = .unusable(error.message)
        }
    }
}
