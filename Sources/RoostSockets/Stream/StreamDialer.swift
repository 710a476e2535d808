// SPDX-License-Identifier: Apache-2.0

/// One attempt to open a stream: the host's addresses in turn, then TLS.
package actor StreamDialer {
    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe loop.asUnownedSerialExecutor()
    }

    package typealias Report = @Sendable (Result<ByteStream, SocketError>) -> Void

    private let loop: EventLoop
    private let url: SocketURL
    private let tls: TLSContext?
    /// The receiver of the result; nil before `dial`, and once it was called or cancelled.
    private var report: Report?
    /// The addresses that were not tried yet, the next one last.
    private var addresses: [SocketAddress] = []
    /// The stream to the present address, until it is open.
    private var stream: ByteStream?
    /// The timer of one address, so that an address that drops packets leaves time for the next.
    private var deadline: LoopTimer?
    /// The timer of all addresses together.
    private var end: LoopTimer?
    /// The error to report if no address is left: the most precise one, and of equals the last.
    private var lastError: SocketError?

    /// Creates a dialer; a nil `tls` opens the stream without TLS.
    package init(_ url: SocketURL, tls: TLSContext?, on loop: EventLoop) {
        self.url = url
        self.tls = tls
        self.loop = loop
    }

    /// Returns the context for a URL; nil for a plain one.
    ///
    /// A nil `tls` means the system's trusted certificates.
    static func context(
        for url: SocketURL, _ tls: TLSContext?
    ) throws(SocketError) -> TLSContext? {
        guard url.isSecure else { return nil }
        if let tls { return tls }
        return try TLSContext.systemTrust.get()
    }

    /// Starts the attempt; the report comes once, on the loop's thread, unless `cancel` comes
    /// first.
    ///
    /// The receiver of the report owns the stream, sets its `onEvent` at once, and closes it.
    /// `timeLimit` covers all addresses; the look-up of the name does not count.
    package func dial(timeLimit: Duration, then report: @escaping Report) {
        self.report = report
        do throws(SocketError) {
            deadline = try LoopTimer(on: loop) { [weak self] in
                self?.assumeIsolated { $0.fail($0.timeOutError) }
            }
            end = try LoopTimer(on: loop) { [weak self] in
                self?.assumeIsolated {
                    $0.addresses = []
                    $0.fail($0.timeOutError)
                }
            }
        } catch {
            return finish(.failure(error))
        }
        NameResolver.resolve(host: url.host, port: url.port, on: loop) { [self] result in
            assumeIsolated { $0.didResolve(result, timeLimit: timeLimit) }
        }
    }

    /// Ends the attempt without a report; nothing stays open.
    package func cancel() {
        report = nil
        stream?.close()
        stream = nil
        deadline?.close()
        end?.close()
    }

    private func didResolve(_ result: Result<[SocketAddress], SocketError>, timeLimit: Duration) {
        guard report != nil else { return }  // Cancelled meanwhile.
        switch result {
        case .failure(let error): finish(.failure(error))
        case .success(let found):
            addresses = found.reversed()
            end?.start(after: timeLimit)
            tryNextAddress()
        }
    }

    /// The time that an address gets although others wait: enough for TCP and TLS over a network
    /// with a second's delay.
    private static let patience: Duration = .seconds(3)

    /// Returns the time for the next of several addresses.
    ///
    /// It is an equal share, and more if the share is too short for a slow network: a host with many
    /// addresses is reached by a few patient attempts, and by none of many hasty ones. Half of the
    /// time always stays for the others.
    static func share(of timeLeft: Duration, among count: Int) -> Duration {
        max(timeLeft / max(1, count), min(patience, timeLeft / 2))
    }

    private func tryNextAddress() {
        stream?.close()
        stream = nil
        guard let address = addresses.popLast() else {
            return finish(.failure(lastError ?? timeOutError))
        }
        do throws(SocketError) {
            var machine: TLSStream?
            if let tls { machine = try TLSStream(tls, serverName: url.host) }
            let tcp = try TCPStream(on: loop)
            let stream = ByteStream(tcp, tls: machine, on: loop)
            stream.onEvent = { [weak self] event in self?.assumeIsolated { $0.handle(event) } }
            self.stream = stream
            deadline?.start(
                after: Self.share(of: end?.timeLeft ?? .zero, among: addresses.count + 1))
            tcp.connect(to: address)
        } catch {
            finish(.failure(error))
        }
    }

    private func handle(_ event: ByteStream.Event) {
        switch event {
        case .opened:
            guard let stream else { return }
            self.stream = nil
            finish(.success(stream))
        case .bytes, .drained, .ended: return  // Impossible before `.opened`.
        case .failed(let error): fail(error)
        }
    }

    /// Tries the next address after a failure to connect, or reports the error.
    private func fail(_ error: SocketError) {
        switch error.kind {
        // A proxy without a server behind it cuts the handshake.
        case .refused, .unreachable, .timedOut, .connectionLost, .tlsFailure:
            let named = SocketError(
                error.kind, "No connection to \(url.peer). \(error.message)")
            if Self.precision(of: error) >= (lastError.map(Self.precision) ?? 0) {
                lastError = named
            }
            tryNextAddress()
        default: finish(.failure(error))
        }
    }

    /// Returns the rank of an error among those of several addresses.
    ///
    /// A peer that answers without TLS says more than a refusal, and a refusal more than silence.
    private static func precision(of error: SocketError) -> Int {
        switch error.kind {
        case .tlsFailure: 2
        case .refused: 1
        default: 0
        }
    }

    private var timeOutError: SocketError { .timedOut(url.peer) }

    private func finish(_ result: Result<ByteStream, SocketError>) {
        let report = report
        cancel()
        report?(result)
    }
}

extension SocketError {
    static func timedOut(_ peer: String) -> SocketError {
        SocketError(
            .timedOut, "\(peer) did not answer in time; check the network and try again.")
    }
}
