// SPDX-License-Identifier: Apache-2.0

package import RoostNATS
package import RoostServer
package import RoostSockets
internal import RoostWire

/// The settings of the fan-out over a bus.
package struct NATSFanOutSettings: Sendable {
    /// The connection; `subject` is set by the fan-out.
    package var connection: NATSSettings
    /// The ID of the application, whose hosts share notices.
    package var application: String
    /// The name of this host for the operators of others; longer ones are cut after 255 bytes.
    package var hostName: String
    /// The time after which a host without heartbeats counts as gone.
    package var silence: Duration = .seconds(3)

    /// Makes settings with the usual limits.
    package init(addresses: [String], application: String, hostName: String) {
        connection = NATSSettings(addresses, subject: "")
        connection.name = "roost " + hostName
        self.application = application
        self.hostName = hostName
    }
}

/// The counts of a fan-out since its start, for metrics.
package struct BusCounts: Equatable, Sendable {
    package var sent: UInt64 = 0
    package var received: UInt64 = 0
    /// Messages that did not leave this host, because a queue was full or the bus was gone.
    package var refused: UInt64 = 0
    /// Messages that could not be decoded.
    package var undecodable: UInt64 = 0
    /// Messages that other hosts sent and this one knows that it did not get.
    package var missed: UInt64 = 0
}

/// Fan-out among the servers of several hosts, over a bus that may lose messages.
///
/// A notice reaches the servers of this host directly, as in `InProcessFanOut`, whether or not
/// there is a bus. It reaches other hosts at most once, in the order of publishing. A suspected
/// loss is reported to a handler, which reads from the database what did not arrive.
///
/// Nothing here has a timer: the owner calls `beat()` about four times a second.
package actor NATSFanOut: FanOut {
    private nonisolated let loop: EventLoop
    private let settings: NATSFanOutSettings
    private let subject: BusSubject
    /// The number of this host, drawn at its start.
    package nonisolated let host: HostID
    private let now: @Sendable () -> ContinuousClock.Instant
    private let onLoss: @Sendable (Loss) async -> Void
    private let onSignal: @Sendable (Signal, HostID) async -> Void
    private let log: @Sendable (LogLine) -> Void

    private var subscribers: [@Sendable (Notice) async -> Void] = []
    /// The deliveries since the loop has had its turn.
    private var delivered = DeliveryWork()
    private var connection: NATSConnection?
    private var lastNumber: UInt64 = 0
    private var ledger: HostLedger
    private var assembler = PartAssembler()
    private var losses = LossQueue()
    private var isReporting = false
    private var localRefusals: UInt64 = 0
    private var reportedRefusals: UInt64 = 0
    private var tally = BusCounts()

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        // SAFETY: the actor keeps its loop.
        unsafe loop.asUnownedSerialExecutor()
    }

    /// Makes a fan-out that reaches this host only, until `open`.
    ///
    /// - Parameters:
    ///   - settings: The addresses of the bus, and limits.
    ///   - host: A random number, another one at each start; a repeated one hides losses.
    ///   - loop: The thread of this actor, of its socket and of the handlers' first steps.
    ///   - now: A clock that neither jumps nor goes back.
    ///   - onLoss: Takes one loss after the other. Losses of a kind that come meanwhile are joined.
    ///   - onSignal: Takes the signals of other hosts in order. Later messages wait for it.
    ///   - log: Takes lines about losses.
    package init(
        _ settings: NATSFanOutSettings, host: HostID, on loop: EventLoop,
        now: @escaping @Sendable () -> ContinuousClock.Instant,
        onLoss: @escaping @Sendable (Loss) async -> Void,
        onSignal: @escaping @Sendable (Signal, HostID) async -> Void = { _, _ in },
        log: @escaping @Sendable (LogLine) -> Void = { _ in }
    ) {
        let subject = BusSubject(application: settings.application)
        var settings = settings
        settings.connection.subject = subject.all
        self.settings = settings
        self.subject = subject
        self.host = host
        self.loop = loop
        self.now = now
        self.onLoss = onLoss
        self.onSignal = onSignal
        self.log = log
        ledger = HostLedger(own: host, silence: settings.silence)
    }

    /// Connects to the bus.
    ///
    /// - Throws: A sentence for the operator. With `startsDisconnected` an unreachable bus is no
    ///   error, and the connection comes about later.
    package func open() async throws(NATSError) {
        guard connection == nil else { return }
        let opened = try await NATSConnection.open(settings.connection, on: loop) {
            [weak self] events in await self?.receive(events)
        }
        connection = opened
    }

    /// Ends the connection to the bus after the messages so far; this host's servers stay
    /// subscribed.
    ///
    /// The other hosts learn that this one leaves: its silence would look like a bus in two parts.
    package func close() async {
        guard let connection else { return }
        signal(Signal(name: Self.farewell, bytes: []))
        self.connection = nil
        await connection.close()
        localRefusals &+= connection.refusedCount
    }

    /// Whether a server of the bus is connected.
    package var isConnected: Bool { connection?.isConnected ?? false }

    /// The live hosts, this one first; their number divides limits that hold for all hosts
    /// together.
    package var hosts: [HostInfo] {
        [HostInfo(id: host, name: settings.hostName, lastHeard: now())] + ledger.hosts
    }

    package var counts: BusCounts {
        var counts = tally
        counts.refused = refusals
        return counts
    }

    /// The name of the signal of a host that leaves.
    private static let farewell = "bye"

    private var refusals: UInt64 { localRefusals &+ (connection?.refusedCount ?? 0) }

    // MARK: Sending

    package func subscribe(_ deliver: @escaping @Sendable (Notice) async -> Void) {
        subscribers.append(deliver)
    }

    package func publish(_ notice: Notice) async {
        // The bus first: nothing suspends before it, so the order on the bus is that of the calls.
        send(.notice(notice), to: subject.of(notice))
        for deliver in subscribers { await deliver(notice) }
    }

    /// Sends a signal to all other hosts, in order with the notices; no handler of this host gets
    /// it.
    package func signal(_ signal: Signal) {
        send(.signal(signal), to: subject.of(signal.name.utf8))
    }

    private func send(_ content: BusContent, to subject: String) {
        guard let connection else { return }
        let first = lastNumber
        let messages = BusPart.messages(
            of: content, from: host, after: &lastNumber, limit: connection.maxPayload)
        guard !messages.isEmpty else {
            // The number stays unused, so the other hosts see a hole.
            lastNumber &+= 1
            localRefusals &+= 1
            return
        }
        if connection.publish(messages, to: subject) { tally.sent &+= lastNumber &- first }
    }

    /// Sends the heartbeat, and looks for hosts that have fallen silent.
    ///
    /// The owner calls it every 250 ms or so: a lost message is noticed after that time at the
    /// latest.
    package func beat() async {
        let now = now()
        for loss in ledger.beat(at: now) { note(loss) }
        assembler.keepOnly(Set(ledger.hosts.map(\.id)))
        let refusals = refusals
        if refusals > reportedRefusals {
            note(Loss(.refusal, of: host, count: refusals - reportedRefusals))
            reportedRefusals = refusals
        }
        guard isConnected else { return }
        send(.heartbeat(name: heartbeatName), to: subject.of("heartbeat".utf8))
    }

    /// Waits until the bus has all messages so far, such as before the end of the process.
    ///
    /// - Returns: Whether it answered in time.
    @discardableResult
    package func flush(within time: Duration) async -> Bool {
        await connection?.flush(within: time) ?? false
    }

    /// The name with at most as many bytes as a heartbeat may carry.
    private var heartbeatName: String {
        var name = Substring(settings.hostName)
        while name.utf8.count > BusPart.nameLimit { name.removeLast() }
        return String(name)
    }

    // MARK: Receiving

    private func receive(_ events: [NATSEvent]) async {
        delivered = DeliveryWork()
        for event in events {
            switch event {
            case .message(let bytes): await receive(bytes)
            case .connected, .reconnected: note(Loss(.reconnection))
            case .disconnected: note(Loss(.disconnection))
            case .overflow(let count): note(Loss(.slowConsumer, count: count))
            case .failure(let text):
                log(LogLine(.error, "bus_failure", [.init("message", .string(text))]))
            }
            guard delivered.isPortion() else { continue }
            await Task.yield()
            delivered = DeliveryWork()
        }
    }

    private func receive(_ bytes: [UInt8]) async {
        guard let part = BusPart(bytes) else { return refuse(from: nil) }
        guard part.host != host else { return }
        tally.received &+= 1
        let now = now()
        if part.kind == BusPart.Kind.heartbeat {
            guard case .heartbeat(let name)? = BusContent(kind: part.kind, part.bytes) else {
                return refuse(from: part.host)
            }
            let losses = ledger.heartbeat(last: part.number, name: name, from: part.host, at: now)
            return losses.forEach(note)
        }
        let (isInOrder, losses) = ledger.message(part.number, from: part.host, at: now)
        losses.forEach(note)
        guard isInOrder else { return }
        switch assembler.add(part) {
        case .unfinished: return
        case .broken: refuse(from: part.host)
        case .content(let kind, let bytes): await deliver(kind, bytes, from: part.host)
        }
    }

    private func deliver(_ kind: UInt8, _ bytes: ArraySlice<UInt8>, from host: HostID) async {
        // A newer version's kind asks nothing of this one.
        guard kind == BusPart.Kind.notice || kind == BusPart.Kind.signal else { return }
        switch BusContent(kind: kind, bytes) {
        case .notice(let notice):
            for deliver in subscribers { await deliver(notice) }
            delivered.add(notice)
        case .signal(let signal) where signal.name == Self.farewell: note(ledger.leave(host))
        case .signal(let signal): await onSignal(signal, host)
        case .heartbeat, nil: refuse(from: host)
        }
    }

    private func refuse(from host: HostID?) {
        tally.undecodable &+= 1
        note(Loss(.undecodable, of: host, count: 1))
    }

    // MARK: Losses

    private func note(_ loss: Loss) {
        if loss.reason == .hole || loss.reason == .lateMeeting { tally.missed &+= loss.count }
        losses.add(loss)
        guard !isReporting else { return }
        isReporting = true
        Task(executorPreference: loop) { await self.report() }
    }

    /// Hands the losses to the handler, one after the other.
    private func report() async {
        while let loss = losses.next() {
            let isExpected = [.lateMeeting, .reconnection, .departure].contains(loss.reason)
            log(
                LogLine(
                    isExpected ? .info : .warning, "bus_loss",
                    [
                        .init("reason", .string("\(loss.reason)")),
                        .init("messages", .int(Int64(clamping: loss.count))),
                    ]))
            await onLoss(loss)
        }
        isReporting = false
    }
}
