// SPDX-License-Identifier: Apache-2.0

// The connection: the connection machine, the frames of the socket, and the consequences of a login
// or a loss.

package import RoostModel
package import RoostWire

/// The state of the connection; the session is a separate part, which ends with the socket.
package struct Link: Codable, Sendable {
    package internal(set) var machine: LinkMachine
    /// The last login; nil once the server has refused its key, or the app has logged out.
    package internal(set) var login: LoginSuccess?
    /// The epoch of the socket of the last login.
    package var loginEpoch: LinkMachine.Epoch?
    /// The reason of the last loss, until the next login.
    package internal(set) var lastFailure: RoostError?
    /// The number of logouts; a request from before the last one may be of another user.
    var logouts = 0
    /// Whether the last attempt to connect found no way to the server, or the server asked for a
    /// pause.
    private var isUnreachable = false

    package init(tokenWait: Duration? = nil) { machine = LinkMachine(tokenWait: tokenWait) }

    package var state: LinkMachine.State { machine.state }
    /// The key of the last login; it outlives its socket.
    package var sessionKey: String? { login?.sessionKey }

    /// Whether a socket, the answer to a login or the app's token is awaited.
    package var isConnecting: Bool {
        switch state {
        case .opening, .authenticating, .awaitingToken: true
        case .idle, .online, .backingOff, .awaitingNetwork, .asleep, .refused: false
        }
    }

    /// Whether a login answer is awaited.
    fileprivate var isLoggingIn: Bool {
        switch state {
        case .opening, .authenticating: true
        case .awaitingToken, .idle, .online, .backingOff, .awaitingNetwork, .asleep, .refused: false
        }
    }

    /// The error of a call that needs a connection and has none.
    ///
    /// After a refusal for good it has the message and the remedy of the refusal, because a retry
    /// of the call cannot help.
    package var absence: RoostError {
        guard case .refused(let refusal) = state else { return .notConnected }
        let reason = RoostError(refusal)
        let isOfServer = refusal.code.endsSession && refusal.code != .untrustedServer
        return RoostError(
            .connectionRequired, remedy: reason.remedy,
            message: "There is no connection: "
                + (isOfServer ? "the server refused the login: " : "the client gave up: ")
                + refusal.message, underlying: reason)
    }

    /// Whether requests may reach the server.
    package var hasNetwork: Bool {
        switch state {
        case .awaitingNetwork, .idle, .refused: false
        case .opening, .authenticating, .awaitingToken, .online, .backingOff, .asleep: true
        }
    }

    /// Whether files can be sent without a socket: the client is about to connect, has the key of a
    /// login, and the network is not known to be down.
    ///
    /// In the background no attempt begins, and none after the app has disconnected.
    package var takesFiles: Bool {
        guard sessionKey != nil, machine.isNetworkUp, !isUnreachable else { return false }
        switch state {
        case .opening, .authenticating, .backingOff: return true
        case .idle, .awaitingToken, .online, .awaitingNetwork, .asleep, .refused: return false
        }
    }

    /// Notes whether an attempt to connect finds a way to the server.
    fileprivate mutating func note(_ input: LinkMachine.Input) {
        switch input {
        case .lost(let epoch, .unreachable) where epoch == machine.epoch,
            .busy(let epoch, _) where epoch == machine.epoch:
            isUnreachable = true
        case .lost(let epoch, _) where epoch == machine.epoch: isUnreachable = false
        case .opened, .networkChanged(isUp: true): isUnreachable = false
        default: break
        }
    }
}

/// A call to connect, which ends with the first outcome.
package struct Connecting: SyncOperation {
    private enum State: Equatable, Codable, Sendable { case beginning, waiting }

    private var state = State.beginning

    package init() {}

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        switch (state, reply) {
        case (.beginning, .begin):
            // After closing, no call would end the connection again.
            if sync.isClosed { return .fail(.clientClosed) }
            let wasOnline = sync.session != nil
            // The present connection may be about to end, in the background.
            sync.drive(.connect)
            if wasOnline { return .end(.done) }
            if sync.session == nil { sync.publishConnection() }
            if case .awaitingNetwork = sync.link.state {
                sync.wakeAll(.connection, .noNetwork)
                return .fail(.noNetwork)
            }
            state = .waiting
            return .need(.wait(.connection))
        case (.waiting, .woken(nil)): return .end(.done)
        default: return .fail(reply)
        }
    }
}

extension SyncState {
    /// Gives the connection machine an input, and performs its effects.
    mutating func drive(_ input: LinkMachine.Input) {
        let entropy = random.next()
        link.note(input)
        let effects = link.machine.handle(input, entropy: entropy)
        for effect in effects { perform(effect) }
        noteWayOfFiles()
    }

    private mutating func perform(_ effect: LinkMachine.Effect) {
        switch effect {
        case .openSocket(let epoch):
            step.notices.append(
                .openSocket(
                    epoch, sessionKey: link.login?.sessionKey,
                    isInForeground: link.machine.isInForeground))
        case .closeSocket: step.notices.append(.closeSocket)
        case .sendPing:
            // A lost ping shows as a missing answer.
            send(.ping(Ping(id: now.milliseconds, isActive: link.machine.isInForeground)))
        case .askToken(let epoch): step.notices.append(.askToken(epoch))
        case .arm(let timer, let duration): arm(.link(timer), for: duration)
        case .disarm(let timer): disarm(.link(timer))
        case .wentOnline(let epoch): if let login = link.login { connect(login, epoch) }
        case .wentOffline(let reason):
            if session != nil { notes.connectionSince = now }
            disconnect()
            link.lastFailure = reason.map { RoostError($0) }
            // Without a reason the app ended the connection, and the end of its call is published.
            if reason != nil { publishConnection() }
            if let failure = link.lastFailure { wakeAll(.connection, failure) }
        }
    }

    mutating func publishConnection() {
        step.notices.append(.connection(link.state, link.lastFailure))
    }

    /// Drops the session key and logs in again.
    mutating func renewSession() {
        link.login = nil
        drive(.expired(link.machine.epoch))
    }

    /// Handles a refused key: the session is renewed, unless a later login has replaced the key
    /// already.
    mutating func renewSession(after error: RoostError, asked epoch: LinkMachine.Epoch?) {
        guard error.code.endsSessionKey, link.login != nil, epoch == link.loginEpoch else { return }
        renewSession()
    }

    /// Disconnects on request of the app.
    mutating func giveUpConnection() {
        let wasIdle = link.state == .idle
        link.lastFailure = nil
        forgetMuteTimers()
        drive(.disconnect)
        wakeAll(.connection, .connectionGivenUp)
        if !wasIdle { publishConnection() }
    }

    /// Disconnects for good: the next login presents user and token, and enters no open channel.
    mutating func logOut() {
        rooms = OpenRooms()
        link.login = nil
        link.logouts += 1
        giveUpConnection()
    }

    /// Returns the session key of a request; nil if the server would refuse it.
    package func sessionKey(for credentials: Credentials) -> String? {
        switch credentials {
        case .connection: session?.login.sessionKey
        case .lastLogin: link.sessionKey
        }
    }

    /// Ends the connection, the downloads, the collections and the waits, because the app closes
    /// the client.
    ///
    /// Later calls have to end by themselves.
    mutating func close() {
        isClosed = true
        giveUpConnection()
        for id in downloads.keys.sorted() { end(id, .canceled) }
        for id in timelines.ids { close(id) }
        for id in lists.ids { close(id) }
        for id in inboxes.ids { close(id) }
        finishOutbox()
    }

    /// Takes the login's part in a frame; returns the event that is left to apply.
    mutating func takeFrame(_ event: ServerEvent, _ epoch: LinkMachine.Epoch) -> ServerEvent? {
        // The socket may have been abandoned meanwhile.
        guard link.machine.epoch == epoch else { return nil }
        drive(.received(epoch))
        switch event {
        case .login(.success(let login)):
            // After a logout the answer may be on its way, and its key must not come back.
            guard link.isLoggingIn else { return nil }
            link.login = login
            link.loginEpoch = epoch
            drive(.loginSucceeded(epoch, LinkMachine.Settings(login)))
        case .login(.failure(let error, nil)), .error(let error, nil): take(error, epoch)
        case .busy(let event): drive(.busy(epoch, retryAfter: event.retryAfter))
        case .pong:
            failUnanswered()
            return isPresent(epoch) ? event : nil
        default:
            guard isPresent(epoch), !takeRoomEvent(event) else { return nil }
            return event
        }
        return nil
    }

    /// Takes an error that answers no command: the refusal of a login, or the end of the session.
    private mutating func take(_ error: ServerError, _ epoch: LinkMachine.Epoch) {
        if isPresent(epoch), !error.code.endsSession {
            // Any other error leaves a live connection and its key as they are.
            if error.code.endsSessionKey { renewSession() }
            return
        }
        // A refused key is not sent again.
        link.login = nil
        drive(.loginRefused(epoch, .init(code: error.code, message: error.message)))
    }

    /// Begins a session: every open collection is caught up.
    private mutating func connect(_ login: LoginSuccess, _ epoch: LinkMachine.Epoch) {
        begin(login, epoch)
        notes.connectionSince = now
        link.lastFailure = nil
        hasConnected = true
        // An old name on disk does no harm; the next login brings the new one.
        start(.storing(Storing([.users([login.user])], from: .answer)))
        fillIndex()
        outbox.me = login.user
        beginBudgetWatch()
        for channel in timelines.channels { moveOutbox(.hold(channel)) }
        // A running catch-up restarts.
        for channel in timelines.channels { catchUp(channel, .ifNeeded) }
        catchUpChannels()
        fillHoles()
        beginInboxSession()
        start(.outbox(.turn(OutboxTurn())))
        returnToRooms()
        publishConnection()
        wakeAll(.connection, nil)
        wakeDownloads()
    }

    private mutating func disconnect() {
        session = nil
        forgetTyping()
        failAnswers()
        endOutboxSession()
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

extension RoostError {
    package init(_ refusal: LinkMachine.Refusal) {
        // While the link retries by itself, the only remedy is to wait.
        let remedy = Self.remedy(of: refusal.code)
        self.init(
            refusal.code, remedy: refusal.isFinal ? (remedy == .retry ? .none : remedy) : .retry,
            message: refusal.message)
    }

    fileprivate static let noNetwork = RoostError(
        .networkError, remedy: .retry,
        message: "The device has no network; the client connects when it is back.")

    package static let clientClosed = RoostError(
        .localDatabaseError, remedy: .none,
        message: "This client is closed: open another one with `ChatClient.open(_:)`.")

    fileprivate static let connectionGivenUp = RoostError(
        .connectionCanceled, remedy: .none, message: "The client was disconnected.")
}
