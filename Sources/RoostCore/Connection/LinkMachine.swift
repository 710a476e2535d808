// SPDX-License-Identifier: Apache-2.0

// The states of a connection, as a machine without I/O.
//
// Each socket gets an epoch. An input with another epoch than the present one comes from an
// abandoned socket and changes nothing (scar 134). `SyncState.perform` carries the effects out, in
// order.

import RoostModel

/// The decisions when to open a socket, when a socket counts as dead, and when to retry.
package struct LinkMachine: Equatable, Codable, Sendable {
    /// The number of a socket; grows with each socket of a link.
    package typealias Epoch = Int

    package enum State: Equatable, Codable, Sendable {
        /// No connection is requested.
        case idle
        /// The socket is being opened; the attempt counts from 1.
        case opening(attempt: Int)
        /// The socket is open; the login is not answered yet.
        case authenticating(attempt: Int)
        /// The server has refused the token, and the app was asked for another.
        case awaitingToken(attempt: Int, Refusal)
        case online(awaitsPong: Bool)
        /// Waits before the next attempt.
        case backingOff(attempt: Int)
        /// Waits for a network before the next attempt.
        case awaitingNetwork(attempt: Int)
        /// The app is in the background and the socket is closed; the foreground opens another.
        case asleep
        /// The server refused, or the retries ended; only the app can continue.
        case refused(Refusal)
    }

    package enum Timer: Hashable, Codable, Sendable, CaseIterable {
        case login
        case ping
        case pong
        case retry
        /// The time for which a socket stays open in the background.
        case background
        /// The time limit for the app's answer with a token.
        case token
        /// The time after which a connection counts as a success.
        case proof
    }

    package enum Input: Equatable, Codable, Sendable {
        case connect
        case disconnect
        case networkChanged(isUp: Bool)
        case appMoved(toForeground: Bool)
        case opened(Epoch)
        case loginSucceeded(Epoch, Settings)
        case loginRefused(Epoch, Refusal)
        /// The server is overloaded and names a pause.
        case busy(Epoch, retryAfter: Duration)
        case received(Epoch)
        /// The acknowledgement of a command is overdue: the socket may be dead.
        case answerMissing(Epoch)
        /// The session key is no longer valid: log in again.
        case expired(Epoch)
        case lost(Epoch, Loss)
        /// The app's answer to `askToken`.
        case token(Epoch, TokenAnswer)
        case fired(Timer)
    }

    package enum Effect: Equatable, Sendable {
        case openSocket(Epoch)
        case closeSocket
        case sendPing
        /// Asks the app for another token.
        case askToken(Epoch)
        /// Replaces a running timer of the same kind.
        case arm(Timer, Duration)
        case disarm(Timer)
        case wentOnline(Epoch)
        /// A connection or an attempt has ended; without a reason the app has ended it.
        case wentOffline(reason: Refusal?)
    }

    package internal(set) var state = State.idle
    package private(set) var epoch: Epoch = 0
    package private(set) var settings = Settings.standard
    package private(set) var isInForeground = true
    package private(set) var isNetworkUp = true
    /// The number of attempts up to the present connection; 0 once it has lasted for `proofTime`.
    private var triesBeforeOnline = 0
    /// The time limit for the app's answer with a token; nil if the app has no source of tokens.
    private let tokenWait: Duration?
    /// Whether the app has given a token since the last accepted login or request to connect: a
    /// second refusal is final.
    private var hasRenewedToken = false

    package init(tokenWait: Duration? = nil) { self.tokenWait = tokenWait }

    /// Moves to the next state and returns the effects for the shell, in order.
    ///
    /// The entropy is a fresh random number, used only for the jitter of waits.
    package mutating func handle(_ input: Input, entropy: UInt64) -> [Effect] {
        if let epoch = input.epoch, epoch != self.epoch { return [] }
        return switch input {
        case .connect: connect()
        case .disconnect: disconnect()
        case .networkChanged(let isUp): networkChanged(isUp: isUp)
        case .appMoved(let toForeground): appMoved(toForeground: toForeground)
        case .opened: opened()
        case .loginSucceeded(_, let settings): loginSucceeded(settings)
        case .loginRefused(_, let refusal): refused(refusal, entropy)
        case .busy(_, let wait): busy(wait, entropy)
        case .received: received()
        case .answerMissing: probe()
        case .expired: expired(entropy)
        case .lost(_, let loss): lost(loss, entropy)
        case .token(_, let answer): tokenAnswered(answer, entropy)
        case .fired(let timer): fired(timer, entropy)
        }
    }
}

// MARK: - What each input does in each state

extension LinkMachine {
    private mutating func connect() -> [Effect] {
        // Work in the background, as after a push, may use a socket for the whole allowed time from
        // now on, with any rest of an earlier stay.
        let stay = isInForeground ? [] : [Effect.arm(.background, settings.backgroundStay)]
        switch state {
        case .idle, .asleep, .refused:
            hasRenewedToken = false
            return stay + open(attempt: 1)
        // A new request of the app ends the wait.
        case .backingOff(let attempt): return stay + [.disarm(.retry)] + open(attempt: attempt)
        case .awaitingNetwork(let attempt): return stay + open(attempt: attempt)
        case .awaitingToken:
            // The app may have set a token with this call.
            hasRenewedToken = false
            return stay + [.disarm(.token)] + open(attempt: 1)
        case .opening, .authenticating, .online: return stay
        }
    }

    private mutating func disconnect() -> [Effect] {
        defer { state = .idle }
        switch state {
        case .idle, .asleep, .refused: return []
        case .opening, .authenticating:
            return [.disarm(.login), .closeSocket, .wentOffline(reason: nil)]
        case .awaitingToken: return [.disarm(.token), .wentOffline(reason: nil)]
        case .online:
            return stopHeartbeat() + [.closeSocket, .wentOffline(reason: nil)]
        case .backingOff: return [.disarm(.retry)]
        case .awaitingNetwork: return []
        }
    }

    private mutating func networkChanged(isUp: Bool) -> [Effect] {
        let hasChanged = isNetworkUp != isUp
        isNetworkUp = isUp
        // Systems repeat their reports. Only a changed network ends a wait.
        guard hasChanged else { return [] }
        switch state {
        case .awaitingNetwork: return open(attempt: 1)
        case .backingOff where isUp: return [.disarm(.retry)] + open(attempt: 1)
        case .backingOff(let attempt):
            state = .awaitingNetwork(attempt: attempt)
            return [.disarm(.retry)]
        // A socket may outlive a change of network; the heartbeat detects its end (scar 131).
        case .online where isUp: return probe()
        case .idle, .opening, .authenticating, .awaitingToken, .online, .asleep, .refused: return []
        }
    }

    private mutating func appMoved(toForeground: Bool) -> [Effect] {
        let hasMoved = isInForeground != toForeground
        isInForeground = toForeground
        guard hasMoved else { return [] }
        guard toForeground else {
            return state.wantsConnection ? [.arm(.background, settings.backgroundStay)] : []
        }
        let stay: [Effect] = [.disarm(.background)]
        switch state {
        case .asleep: return stay + open(attempt: 1)
        // A user looks at the screen now, so the wait ends; the count of failures stays.
        case .backingOff(let attempt): return stay + [.disarm(.retry)] + open(attempt: attempt)
        // The system may have cut the socket without notice.
        case .online: return stay + probe()
        case .idle, .opening, .authenticating, .awaitingToken, .awaitingNetwork, .refused:
            return stay
        }
    }

    private mutating func fallAsleep() -> [Effect] {
        let reason = Refusal(
            code: .socketClosed,
            message: "The app is in the background; the client connects when it returns.")
        defer { state = .asleep }
        switch state {
        case .opening, .authenticating:
            return [.disarm(.login), .closeSocket, .wentOffline(reason: reason)]
        case .awaitingToken:
            // The next login asks the app again, which may answer by then.
            hasRenewedToken = false
            return [.disarm(.token), .wentOffline(reason: reason)]
        case .online:
            return stopHeartbeat() + [.closeSocket, .wentOffline(reason: reason)]
        case .backingOff: return [.disarm(.retry)]
        case .idle, .awaitingNetwork, .asleep, .refused: return []
        }
    }

    private mutating func opened() -> [Effect] {
        switch state {
        case .opening(let attempt):
            state = .authenticating(attempt: attempt)
            return []
        case .idle, .authenticating, .awaitingToken, .online, .backingOff, .awaitingNetwork,
            .asleep, .refused:
            return []
        }
    }

    private mutating func loginSucceeded(_ settings: Settings) -> [Effect] {
        switch state {
        case .opening(let attempt), .authenticating(let attempt):
            self.settings = settings
            state = .online(awaitsPong: false)
            triesBeforeOnline = attempt
            hasRenewedToken = false
            return [
                .disarm(.login), .arm(.ping, settings.pingInterval),
                .arm(.proof, Self.proofTime), .wentOnline(epoch),
            ]
        case .idle, .awaitingToken, .online, .backingOff, .awaitingNetwork, .asleep, .refused:
            return []
        }
    }

    private mutating func refused(_ refusal: Refusal, _ entropy: UInt64) -> [Effect] {
        switch state {
        case .opening(let attempt), .authenticating(let attempt):
            let close: [Effect] = [.disarm(.login), .closeSocket]
            guard refusal.code.endsSession else {
                return close + retry(attempt + 1, reason: refusal, entropy)
            }
            if refusal.code == .tokenInvalid, let tokenWait, !hasRenewedToken {
                return close + askToken(attempt, refusal, for: tokenWait)
            }
            state = .refused(refusal.final)
            return close + [.wentOffline(reason: refusal.final)]
        case .online:
            guard refusal.code.endsSession else { return [] }
            state = .refused(refusal.final)
            return stopHeartbeat() + [.closeSocket, .wentOffline(reason: refusal.final)]
        case .idle, .awaitingToken, .backingOff, .awaitingNetwork, .asleep, .refused: return []
        }
    }

    private mutating func askToken(
        _ attempt: Int, _ refusal: Refusal, for wait: Duration
    ) -> [Effect] {
        hasRenewedToken = true
        // The epoch ends with its socket, so that late inputs of it are recognised.
        epoch += 1
        state = .awaitingToken(attempt: attempt, refusal)
        return [.arm(.token, wait), .askToken(epoch)]
    }

    private mutating func tokenAnswered(_ answer: TokenAnswer, _ entropy: UInt64) -> [Effect] {
        guard case .awaitingToken(let attempt, let refusal) = state else { return [] }
        switch answer {
        case .given: return [.disarm(.token)] + open(attempt: attempt)
        case .denied:
            state = .refused(refusal.final)
            return [.disarm(.token), .wentOffline(reason: refusal.final)]
        case .failed:
            hasRenewedToken = false
            return [.disarm(.token)] + retry(attempt + 1, reason: .tokenOverdue, entropy)
        }
    }

    private mutating func busy(_ wait: Duration, _ entropy: UInt64) -> [Effect] {
        let reason = Refusal(
            code: .delayedConnecting, message: "The server is busy and named a later time.")
        let attempt: Int
        switch state {
        case .opening(let present), .authenticating(let present): attempt = present + 1
        case .online: attempt = triesBeforeOnline + 1
        case .idle, .awaitingToken, .backingOff, .awaitingNetwork, .asleep, .refused: return []
        }
        let stop = stopHeartbeat() + [.disarm(.login), .closeSocket]
        state = .backingOff(attempt: attempt)
        // Never earlier than the named pause; the jitter is added to it (scar 133).
        let wait = settings.backoff.busyWait(wait, beforeAttempt: attempt, entropy: entropy)
        return stop + [.wentOffline(reason: reason), .arm(.retry, wait)]
    }

    private mutating func received() -> [Effect] {
        guard case .online(let awaitsPong) = state else { return [] }
        state = .online(awaitsPong: false)
        return (awaitsPong ? [.disarm(.pong)] : []) + [.arm(.ping, settings.pingInterval)]
    }

    /// Pings a connection that may be dead, unless the answer to a ping is awaited.
    private mutating func probe() -> [Effect] {
        guard case .online(awaitsPong: false) = state else { return [] }
        return ping()
    }

    private mutating func expired(_ entropy: UInt64) -> [Effect] {
        guard case .online = state else { return [] }
        let reason = Refusal(
            code: .sessionKeyExpired, message: "The session has expired; a new one is being opened."
        )
        return stopHeartbeat() + [.closeSocket]
            + retry(triesBeforeOnline + 1, reason: reason, entropy)
    }

    private mutating func lost(_ loss: Loss, _ entropy: UInt64) -> [Effect] {
        switch state {
        case .opening(let attempt), .authenticating(let attempt):
            return [.disarm(.login)] + retry(attempt + 1, reason: loss.refusal, entropy)
        case .online:
            return stopHeartbeat()
                + retry(triesBeforeOnline + 1, reason: loss.refusal, entropy)
        case .idle, .awaitingToken, .backingOff, .awaitingNetwork, .asleep, .refused: return []
        }
    }

    private mutating func fired(_ timer: Timer, _ entropy: UInt64) -> [Effect] {
        switch (timer, state) {
        case (.login, .opening(let attempt)), (.login, .authenticating(let attempt)):
            let reason = Refusal(
                code: .loginTimeout, message: "The server did not answer the login in time.")
            return [.closeSocket] + retry(attempt + 1, reason: reason, entropy)
        case (.ping, .online(awaitsPong: false)): return ping()
        case (.pong, .online(awaitsPong: true)):
            let close: [Effect] = [.disarm(.ping), .disarm(.proof), .closeSocket]
            return close + retry(triesBeforeOnline + 1, reason: Loss.closed.refusal, entropy)
        case (.proof, .online):
            triesBeforeOnline = 0
            return []
        case (.retry, .backingOff(let attempt)): return open(attempt: attempt)
        case (.token, .awaitingToken): return tokenAnswered(.failed, entropy)
        case (.background, _):
            return state.wantsConnection && !isInForeground ? fallAsleep() : []
        case (.login, _), (.ping, _), (.pong, _), (.retry, _), (.proof, _), (.token, _):
            return []  // The timer outlived its state.
        }
    }

    private mutating func open(attempt: Int) -> [Effect] {
        guard isNetworkUp else {
            state = .awaitingNetwork(attempt: attempt)
            return []
        }
        epoch += 1
        state = .opening(attempt: attempt)
        return [.arm(.login, Self.loginTimeout), .openSocket(epoch)]
    }

    private mutating func ping() -> [Effect] {
        state = .online(awaitsPong: true)
        return [.sendPing, .arm(.pong, settings.pongTimeout)]
    }

    private mutating func retry(
        _ attempt: Int, reason: Refusal, _ entropy: UInt64
    ) -> [Effect] {
        // The epoch ends with its socket, so that late inputs of it are recognised.
        epoch += 1
        let delay = settings.backoff.delay(beforeAttempt: attempt, entropy: entropy)
        guard let delay, reason.code != .untrustedServer, reason.code != .invalidURL else {
            state = .refused(reason.final)
            return [.wentOffline(reason: reason.final)]
        }
        guard isNetworkUp else {
            state = .awaitingNetwork(attempt: attempt)
            return [.wentOffline(reason: reason)]
        }
        state = .backingOff(attempt: attempt)
        return [.wentOffline(reason: reason), .arm(.retry, delay)]
    }

    private func stopHeartbeat() -> [Effect] { [.disarm(.ping), .disarm(.pong), .disarm(.proof)] }
}
