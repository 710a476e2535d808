// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostExecutors
import RoostModel
import RoostTransport
import RoostWire

/// Opens the socket to the server, reads it, and writes to it.
///
/// The next frame is read only after the machine has applied the last one, so a burst waits in the
/// network and not in memory.
final class SocketPerformer: Sendable {
    private let transport: any SocketTransport
    private let address: ServerAddress
    private let applicationID: String
    private let userID: UserID
    private let appVersion: String?
    private let feed: InputFeed
    private let token: Guarded<String?>
    private let provider: (@Sendable () async throws -> String?)?
    /// The current socket, from its opening on.
    private let line = Guarded<SocketLine?>(nil)

    init(
        _ transport: any SocketTransport, _ address: ServerAddress,
        _ configuration: Configuration, _ feed: InputFeed
    ) {
        self.transport = transport
        self.address = address
        applicationID = configuration.applicationID
        userID = configuration.userID
        appVersion = configuration.appVersion
        token = Guarded(configuration.token)
        provider = configuration.tokenProvider
        self.feed = feed
    }

    /// Sets the token of the next login.
    func use(token: String?) { self.token.withLock { $0 = token } }

    /// Asks the app for the token of the next login, and reports the answer.
    func askToken(for epoch: LinkMachine.Epoch) {
        let refused = token.withLock { $0 }
        // The machine limits the wait; a late answer is of an earlier epoch.
        Task(executorPreference: feed.executor) {
            let answer: LinkMachine.TokenAnswer
            do {
                let token = try await self.provider?()
                // A token that the app has set meanwhile is the newer one.
                if let token { self.token.withLock { if $0 == refused { $0 = token } } }
                answer = token == nil ? .denied : .given
            } catch {
                answer = .failed
            }
            await self.feed.give(.link(.token(epoch, answer)))
        }
    }

    /// Opens a socket and reads frames until it closes.
    func open(_ epoch: LinkMachine.Epoch, sessionKey: String?, isInForeground: Bool) {
        let request = request(sessionKey: sessionKey, isInForeground: isInForeground)
        let line = SocketLine()
        self.line.withLock { $0 = line }
        // The task ends with the socket.
        line.reader = Task(executorPreference: feed.executor) {
            await self.read(request, epoch, line)
        }
    }

    func close() {
        let line = line.withLock { line in
            defer { line = nil }
            return line
        }
        guard let socket = line?.close() else { return }
        // The task ends by itself: a closing handshake has a time limit.
        Task(executorPreference: feed.executor) { await socket.close() }
    }

    private func read(
        _ request: SocketRequest, _ epoch: LinkMachine.Epoch, _ line: SocketLine
    ) async {
        let loss: LinkMachine.Loss
        var wasOpen = false
        do {
            let socket = try await transport.open(request)
            wasOpen = true
            guard line.begin(socket) else { return await socket.close() }
            await feed.give(.link(.opened(epoch)))
            while let text = try await socket.receive() {
                for part in ServerEvent.decodeAll(text) { await take(part, epoch) }
            }
            loss = .closed
        } catch {
            loss = LinkMachine.Loss(error, wasOpen: wasOpen)
        }
        line.end()
        await feed.give(.link(.lost(epoch, loss)))
    }

    private func take(_ part: Result<ServerEvent, WireError>, _ epoch: LinkMachine.Epoch) async {
        switch part {
        case .success(let event): await feed.giveAndWait { .frame($0, event, epoch) }
        // A malformed frame proves the connection all the same; later frames are read.
        case .failure: await feed.give(.link(.received(epoch)))
        }
    }

    /// Sends a frame, and reports the end to the operation that waits for it, if there is one.
    ///
    /// The end means that the frame was queued, not that it arrived.
    func send(_ command: ClientCommand, for id: SyncMachine.OperationID?) {
        // A socket write ends with the connection.
        Task(executorPreference: feed.executor) {
            let result = await Result { () async throws(RoostError) in
                try await self.send(command)
            }
            let end = id.map { SyncMachine.Input.reply($0, .sent(result.failure)) }
            await self.feed.give(end ?? .frameSent)
        }
    }

    private func send(_ command: ClientCommand) async throws(RoostError) {
        guard let socket = line.withLock({ $0?.socket }) else { throw .notConnected }
        do {
            try await socket.send(command.encoded)
        } catch {
            throw RoostError(
                .socketClosed, remedy: .retry, message: "The connection was lost while sending.",
                underlying: error)
        }
    }

    /// Returns the request of a connection.
    ///
    /// The first connection names the user; later ones send the session key (`docs/protocol` 2.1).
    ///
    /// Neither key nor token is part of the URL, which logs would keep (scar 39).
    private func request(sessionKey: String?, isInForeground: Bool) -> SocketRequest {
        var query = [
            QueryItem("p", "Roost"), QueryItem("ai", applicationID),
            QueryItem("active", isInForeground ? "1" : "0"),
        ]
        if let appVersion { query.append(QueryItem("av", appVersion)) }
        var headers: [(name: String, value: String)] = []
        if let sessionKey {
            headers.append((name: "SENDBIRD-WS-AUTH", value: sessionKey))
        } else {
            query.append(QueryItem("user_id", userID.rawValue))
            if let token = token.withLock({ $0 }) {
                headers.append((name: "SENDBIRD-WS-TOKEN", value: token))
            }
        }
        return SocketRequest(
            url: address.webSocket + "/?" + QueryItem.text(query), headers: headers,
            subprotocols: [], timeLimit: LinkMachine.loginTimeout)
    }
}

/// One socket, from the request for it to its end.
private final class SocketLine: Sendable {
    private struct State {
        var socket: (any Socket)?
        var reader: Task<Void, Never>?
        var isClosed = false
    }

    private let state = Guarded(State())

    /// The open socket; nil before and after.
    var socket: (any Socket)? { state.withLock { $0.socket } }

    /// The task that reads the socket; it is canceled when the line is closed.
    var reader: Task<Void, Never>? {
        get { state.withLock { $0.reader } }
        set { state.withLock { $0.reader = newValue } }
    }

    /// Takes the open socket.
    ///
    /// - Returns: False if the line was closed before.
    func begin(_ socket: any Socket) -> Bool {
        state.withLock { state in
            if !state.isClosed { state.socket = socket }
            return !state.isClosed
        }
    }

    /// Notes the end of the socket.
    func end() { state.withLock { $0.socket = nil } }

    /// Closes the line and ends its reading.
    ///
    /// - Returns: The socket to close, if it is open.
    func close() -> (any Socket)? {
        let (socket, reader) = state.withLock { state in
            defer { (state.socket, state.reader, state.isClosed) = (nil, nil, true) }
            return (state.socket, state.reader)
        }
        reader?.cancel()
        return socket
    }
}

extension LinkMachine.Loss {
    /// Translates the error that ended a socket, or that kept it from opening.
    init(_ error: TransportError, wasOpen: Bool) {
        switch error.kind {
        case .untrusted: self = .untrusted(error.message)
        // A socket that never opened was not closed; the message says what is in the way.
        case .lost where !wasOpen: self = .unreachable(error.message)
        case .lost, .answerTooLarge, .cancelled: self = .closed
        case .unreachable: self = .unreachable(error.message)
        case .timedOut, .refused: self = .notOpened(error.message)
        case .invalidURL: self = .unusable(error.message)
        }
    }
}
