// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostTransport
import RoostWire

/// Owns the one socket to the server and obeys the connection machine.
///
/// What happens is handed upward as values, one at a time and in order; the next frame is not read
/// before the last one was taken in, so that a burst waits in the network and not in memory.
actor Link {
    /// What the link tells its owner.
    enum News: Sendable {
        case online(LoginSuccess, LinkMachine.Epoch)
        case offline(LinkMachine.Refusal?)
        case event(ServerEvent, LinkMachine.Epoch)
        /// A frame that could not be read; the others of its kind go on.
        case malformed(WireError)
    }

    private nonisolated let executor: any WorldExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor {
        // SAFETY: the executor is a constant of this actor and lives as long as it does.
        unsafe executor.asUnownedSerialExecutor()
    }

    private let world: World
    private let address: ServerAddress
    private let configuration: Configuration
    private let journal: SyncJournal
    private var token: String?
    private let deliver: @Sendable (News) async -> Void

    private var machine = LinkMachine()
    private var login: LoginSuccess?
    private var socket: (any Socket)?
    /// Reads the present socket; cancelled when the machine closes it.
    private var reader: Task<Void, Never>?
    private var timers = Timers<LinkMachine.Timer>()

    init(
        world: World, address: ServerAddress, configuration: Configuration, journal: SyncJournal,
        deliver: @escaping @Sendable (News) async -> Void
    ) {
        self.world = world
        self.executor = world.executor
        self.address = address
        self.configuration = configuration
        self.journal = journal
        token = configuration.token
        self.deliver = deliver
    }

    var state: LinkMachine.State { machine.state }
    /// The key of the last login that was not refused since.
    var sessionKey: String? { login?.sessionKey }

    /// Moves the machine, then does what it asks for.
    func receive(_ input: LinkMachine.Input) async {
        let entropy = world.entropy()
        let effects = machine.handle(input, entropy: entropy)
        journal.note(
            .link(input.withoutWords, entropy: entropy), .link(machine.state, effects))
        for effect in effects { await perform(effect) }
    }

    /// Hands a command to the open socket.
    ///
    /// Returning means that it was queued, not that it arrived.
    func send(_ command: ClientCommand) async throws(RoostError) {
        guard case .online = machine.state, let socket else {
            throw RoostError(
                .connectionRequired, remedy: .retry, message: "There is no connection right now.")
        }
        do {
            try await socket.send(command.encoded)
        } catch {
            throw RoostError(
                .socketClosed, remedy: .retry, message: "The connection was lost while sending.",
                underlying: error)
        }
    }

    /// Gives the session up and logs in anew.
    func renewSession() async {
        login = nil
        await receive(.expired(machine.epoch))
    }

    private func perform(_ effect: LinkMachine.Effect) async {
        switch effect {
        case .openSocket(let epoch):
            reader = Task(executorPreference: executor) { await self.run(epoch) }
        case .closeSocket:
            reader?.cancel()
            reader = nil
            let closing = socket
            socket = nil
            // Ends by itself: a closing handshake has its own time limit.
            if let closing { Task(executorPreference: executor) { await closing.close() } }
        case .sendPing:
            // A ping that cannot be sent is found out by the pong that does not come.
            try? await socket?.send(
                ClientCommand.ping(
                    Ping(id: world.wallTime().milliseconds, isActive: machine.isInForeground)
                ).encoded)
        case .arm(let timer, let duration):
            timers.arm(timer, for: duration, in: world) { number in
                await self.fired(timer, number)
            }
        case .disarm(let timer): timers.disarm(timer)
        case .wentOnline(let epoch):
            if let login { await deliver(.online(login, epoch)) }
        case .wentOffline(let reason):
            await deliver(.offline(reason))
        }
    }

    private func fired(_ timer: LinkMachine.Timer, _ number: Int) async {
        guard timers.claim(timer, number) else { return }
        await receive(.fired(timer))
    }
}

// MARK: - One socket's life

extension Link {
    private func run(_ epoch: LinkMachine.Epoch) async {
        do {
            let socket = try await world.sockets.open(request())
            guard machine.epoch == epoch, !Task.isCancelled else { return await socket.close() }
            self.socket = socket
            await receive(.opened(epoch))
            while let text = try await socket.receive() {
                for part in ServerEvent.decodeAll(text) { await take(part, epoch) }
            }
            await receive(.lost(epoch, .closed))
        } catch {
            await receive(.lost(epoch, LinkMachine.Loss(error)))
        }
    }

    private func take(_ part: Result<ServerEvent, WireError>, _ epoch: LinkMachine.Epoch) async {
        guard machine.epoch == epoch else { return }  // The socket was given up meanwhile.
        await receive(.received(epoch))
        switch part {
        case .failure(let error): await deliver(.malformed(error))
        case .success(.login(.success(let login))):
            self.login = login
            await receive(.loginSucceeded(epoch, LinkMachine.Settings(login)))
        case .success(.login(.failure(let error, nil))), .success(.error(let error, nil)):
            login = nil  // Whatever was refused is not shown again.
            await receive(
                .loginRefused(epoch, .init(code: error.code, message: error.message)))
        case .success(.busy(let event)):
            await receive(.busy(epoch, retryAfter: event.retryAfter))
        case .success(let event): await deliver(.event(event, epoch))
        }
    }

    /// Takes another token for the next login.
    func use(token: String?) { self.token = token }

    /// The first connection names the user; later ones show the session key (`docs/protocol` 2.1).
    ///
    /// Neither key nor token stands in the URL, where logs would keep them (scar 39).
    private func request() -> SocketRequest {
        var query = [
            QueryItem("p", "Roost"), QueryItem("ai", configuration.applicationID),
            QueryItem("active", machine.isInForeground ? "1" : "0"),
        ]
        var headers: [(name: String, value: String)] = []
        if let key = login?.sessionKey {
            headers.append((name: "SENDBIRD-WS-AUTH", value: key))
        } else {
            query.append(QueryItem("user_id", configuration.userID.rawValue))
            if let token {
                headers.append((name: "SENDBIRD-WS-TOKEN", value: token))
            }
        }
        return SocketRequest(
            url: address.webSocket + "/?" + QueryItem.text(query), headers: headers,
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

extension LinkMachine.Settings {
    init(_ login: LoginSuccess) {
        self.init(
            pingInterval: login.pingInterval, pongTimeout: login.pongTimeout,
            backoff: Backoff(
                interval: login.reconnect.interval, maxInterval: login.reconnect.maximumInterval,
                multiplier: login.reconnect.multiplier,
                retryCount: login.reconnect.tryLimit ?? -1),
            backgroundStay: login.backgroundStay)
    }
}
