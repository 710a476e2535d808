// SPDX-License-Identifier: Apache-2.0

internal import RoostSockets

/// The decisions of one connection to the bus, which reconnects for ever.
///
/// A value without sockets or clock: `NATSLink` runs its effects. There is one timer; each `wait`
/// replaces the earlier one.
struct NATSMachine: Sendable {
    enum Input: Sendable {
        case start
        /// TCP is connected.
        case dialed
        /// TLS is established and verified.
        case secured
        /// Bytes came, before their frames; a sign of life.
        case heard
        case frame(NATSFrame)
        /// The server's bytes do not follow the protocol.
        case violation(String)
        /// The attempt or the connection has failed.
        case failed(SocketError)
        /// The server has taken no bytes for the time of a write.
        case stalled
        case timer
        /// A ping that a caller waits for was written.
        case asked(UInt64)
        case close
    }

    enum Effect: Hashable, Sendable {
        case dial(NATSAddress, within: Duration)
        /// Begin TLS on the connection.
        case secure(NATSAddress)
        case write([UInt8])
        /// Close the connection, or end the attempt.
        case drop
        case wait(Duration)
        /// Take messages again; the most bytes of one are given.
        case resume(maxPayload: Int)
        /// Hold messages back.
        case hold
        case deliver(NATSEvent)
        /// The opening has ended, with an error or without one.
        case opened(NATSError?)
        /// The server has read everything before a caller's ping.
        case answered(UInt64)
    }

    enum Phase: Hashable, Sendable {
        case idle
        /// TCP is on its way.
        case dialing
        /// The server has to describe itself.
        case greeting
        case securing
        /// The server has to accept the login and the subscription.
        case joining
        case connected
        /// Each address has failed once more.
        case pausing
        case closed
    }

    private enum Ping: Hashable, Sendable {
        case life
        case caller(UInt64)
    }

    private let settings: NATSSettings
    private let named: [NATSAddress]
    /// The other servers of the cluster, as the last server has named them.
    private var told: [NATSAddress] = []
    private(set) var phase = Phase.idle
    private var current: NATSAddress
    /// The number of addresses of this round that have failed.
    private var failures = 0
    /// The number of pauses since the last connection that lasted.
    private var rounds = 0
    private var isOpened = false
    private var wasConnected = false
    /// The most telling failure of this round.
    private var failure: NATSError?
    /// The last refusal that was delivered, so that it is reported once.
    private var toldRefusal: NATSError?
    /// The errors of this connection that were delivered.
    private var toldErrors: Set<String> = []
    private var info = NATSServerInfo()
    private var hasInfo = false
    /// The pings without an answer, the oldest first.
    private var pings: [Ping] = []
    /// The number of ping intervals without any byte.
    private var silentIntervals = 0
    /// Whether the connection has lasted for a ping interval.
    ///
    /// One that ends earlier is followed by a pause, so a server that drops everyone is not asked
    /// without end.
    private var hasLasted = false

    /// Makes a machine.
    ///
    /// - Throws: `.invalid` if there is no address, or one that cannot be used.
    init(_ settings: NATSSettings) throws(NATSError) {
        guard NATSRequest.isSubject(settings.subject) else {
            throw NATSError(.invalid, "The subject of the bus is empty, too long or has spaces.")
        }
        var named: [NATSAddress] = []
        for text in settings.addresses {
            guard let address = NATSAddress(text) else { throw .badAddress(text) }
            if !named.contains(where: { $0.hasSamePlace(as: address) }) { named.append(address) }
        }
        guard let first = named.first else { throw .noAddress }
        self.settings = settings
        self.named = named
        current = first
    }

    /// The addresses in the order of the attempts.
    private var addresses: [NATSAddress] {
        named + told.filter { one in !named.contains { $0.hasSamePlace(as: one) } }
    }

    mutating func handle(_ input: Input) -> [Effect] {
        guard phase != .closed else { return [] }
        switch (input, phase) {
        case (.start, .idle): return attempt(named[0])
        case (.dialed, .dialing):
            phase = .greeting
            return []
        case (.secured, .securing): return join()
        case (.heard, _):
            silentIntervals = 0
            return []
        case (.frame(let frame), .greeting), (.frame(let frame), .joining),
            (.frame(let frame), .connected):
            return handle(frame)
        case (.violation(let text), .greeting), (.violation(let text), .joining),
            (.violation(let text), .connected):
            return fail(.violation(text, at: shown))
        // Such as the refusal of a full server, which does not wait for TLS.
        case (.violation, .securing): return fail(.unreachable(shown))
        case (.failed(let error), _) where error.kind == .loopStopped: return close()
        case (.failed(let error), .dialing), (.failed(let error), .greeting),
            (.failed(let error), .securing), (.failed(let error), .joining),
            (.failed(let error), .connected):
            return fail(.failed(error, at: shown))
        case (.stalled, .connected): return fail(.unreachable(shown))
        case (.timer, _): return timer()
        case (.asked(let id), .connected):
            pings.append(.caller(id))
            return []
        case (.close, _): return close()
        default: return []
        }
    }

    private var shown: [String] { settings.addresses }

    // MARK: Attempts

    private mutating func attempt(_ address: NATSAddress) -> [Effect] {
        current = address
        phase = .dialing
        hasInfo = false
        let share = settings.connectTime / max(1, addresses.count)
        let time = max(.milliseconds(300), share)
        // The look-up of a name and the answers of the server count, so the timer runs beside.
        return [.dial(address, within: time), .wait(time)]
    }

    private mutating func join() -> [Effect] {
        phase = .joining
        return [.write(NATSRequest.joining(settings, current))]
    }

    private mutating func greet(_ info: NATSServerInfo) -> [Effect] {
        guard !hasInfo else { return [] }
        hasInfo = true
        note(info)
        guard info.protocolNumber >= 1 else {
            return fail(
                NATSError(
                    .tooOld,
                    "The bus at \(NATSError.names(shown)) is too old; install nats-server 2.2 or "
                        + "later."))
        }
        guard info.maxPayload >= Self.smallestPayload else {
            return fail(
                NATSError(
                    .invalid,
                    "The bus at \(NATSError.names(shown)) takes messages of \(info.maxPayload) bytes "
                        + "only; raise max_payload of nats-server to \(Self.smallestPayload) at least."
                ))
        }
        if current.isSecure {
            guard info.requiresTLS || info.offersTLS else { return fail(.tls(shown)) }
            phase = .securing
            return [.secure(current)]
        }
        guard !info.requiresTLS else { return fail(.tls(shown)) }
        return join()
    }

    /// The smallest limit of messages that is of use; the parts of a notice have a header each.
    private static let smallestPayload = 1_024

    private mutating func note(_ info: NATSServerInfo) {
        self.info = info
        if !info.places.isEmpty { told = info.places.compactMap(current.moved) }
    }

    /// Ends an attempt or the connection, and begins the next attempt or a pause.
    private mutating func fail(_ error: NATSError) -> [Effect] {
        var effects: [Effect] = [.drop]
        let next = following(current)
        if phase == .connected {
            effects.append(.hold)
            if error.kind != .unreachable { effects.append(.deliver(.failure(error.message))) }
            effects.append(.deliver(.disconnected))
            (failures, failure, pings) = (0, nil, [])
            return effects + (hasLasted ? attempt(next) : pause())
        }
        failures += 1
        if failure.map({ $0.weight < error.weight }) ?? true { failure = error }
        guard failures >= addresses.count else { return effects + attempt(next) }
        return effects + endRound(failure ?? error)
    }

    private mutating func endRound(_ error: NATSError) -> [Effect] {
        var effects: [Effect] = []
        if !isOpened {
            guard settings.startsDisconnected, error.kind == .unreachable else {
                return close(error)
            }
            isOpened = true
            effects.append(.opened(nil))
        } else if error.kind != .unreachable, toldRefusal != error {
            toldRefusal = error
            effects.append(.deliver(.failure(error.message)))
        }
        (failures, failure) = (0, nil)
        return effects + pause()
    }

    private mutating func pause() -> [Effect] {
        phase = .pausing
        rounds = min(rounds + 1, 10)
        return [.wait(min(settings.longestPause, .milliseconds(50 << rounds)))]
    }

    /// The address after another one in the round.
    private func following(_ address: NATSAddress) -> NATSAddress {
        let all = addresses
        guard let index = all.firstIndex(where: { $0.hasSamePlace(as: address) }) else {
            return all[0]
        }
        return all[(index + 1) % all.count]
    }

    // MARK: The connection

    private mutating func handle(_ frame: NATSFrame) -> [Effect] {
        switch (frame, phase) {
        case (.info(let info), .greeting): return greet(info)
        case (_, .greeting):
            guard case .error(let text) = frame else {
                return fail(.violation("The server does not describe itself first.", at: shown))
            }
            return fail(.refusal(text, at: shown))
        case (.info(let info), .connected):
            note(info)
            return [.resume(maxPayload: info.maxPayload)]
        case (.info(let info), _):
            note(info)
            return []
        case (.ping, _): return [.write(NATSRequest.pong)]
        case (.pong, .joining): return connect()
        case (.pong, _): return answer()
        case (.message(let bytes), .connected): return [.deliver(.message(bytes))]
        case (.message, _): return []
        case (.error(let text), .joining):
            if NATSError.isAboutRights(text) { return [.deliver(.failure(text))] }
            return fail(.refusal(text, at: shown))
        // The server closes behind an error that ends the connection.
        case (.error(let text), _):
            // A missing right is told by the server with each message.
            guard toldErrors.count < 16, toldErrors.insert(text).inserted else { return [] }
            return [.deliver(.failure(text))]
        }
    }

    private mutating func connect() -> [Effect] {
        phase = .connected
        (failures, failure, toldRefusal) = (0, nil, nil)
        (pings, silentIntervals, hasLasted, toldErrors) = ([], 0, false, [])
        defer { (isOpened, wasConnected) = (true, true) }
        let resume = Effect.resume(maxPayload: info.maxPayload)
        let report: Effect =
            if !isOpened {
                .opened(nil)
            } else {
                .deliver(wasConnected ? .reconnected : .connected)
            }
        return [resume, report, .wait(settings.pingInterval)]
    }

    private mutating func answer() -> [Effect] {
        guard !pings.isEmpty, case .caller(let id) = pings.removeFirst() else { return [] }
        return [.answered(id)]
    }

    private mutating func timer() -> [Effect] {
        switch phase {
        case .idle, .closed: return []
        case .pausing: return attempt(following(current))
        case .dialing, .greeting, .securing, .joining: return fail(.unreachable(shown))
        case .connected:
            (hasLasted, rounds) = (true, 0)
            silentIntervals += 1
            guard silentIntervals < 3 else { return fail(.unreachable(shown)) }
            guard pings.isEmpty else { return [.wait(settings.pingInterval)] }
            pings.append(.life)
            return [.write(NATSRequest.ping), .wait(settings.pingInterval)]
        }
    }

    private mutating func close(_ error: NATSError = .closed) -> [Effect] {
        defer { (isOpened, phase) = (true, .closed) }
        return [.drop, .hold] + (isOpened ? [] : [.opened(error)])
    }
}
