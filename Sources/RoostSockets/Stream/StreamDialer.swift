// SPDX-License-Identifier: Apache-2.0

/// One attempt to open a stream: the name's addresses in turn, then TLS.
actor StreamDialer {
    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe loop.asUnownedSerialExecutor()
    }

    typealias Report = @Sendable (Result<ByteStream, SocketError>) -> Void

    private let loop: EventLoop
    private let url: SocketURL
    private let tls: TLSContext?
    private var report: Report?
    private var addresses: [SocketAddress] = []
    private var stream: ByteStream?
    /// For one address, so that one that swallows packets leaves time for the next.
    private var deadline: LoopTimer?
    private var timePerAddress: Duration = .zero
    private var lastError: SocketError?

    /// Prepares a dialer; a nil `tls` opens the stream in the clear.
    init(_ url: SocketURL, tls: TLSContext?, on loop: EventLoop) {
        self.url = url
        self.tls = tls
        self.loop = loop
    }

    /// Returns the context that a URL needs; nil for a plain one.
    ///
    /// A nil `tls` trusts what the system trusts.
    static func context(
        for url: SocketURL, _ tls: TLSContext?
    ) throws(SocketError) -> TLSContext? {
        guard url.isSecure else { return nil }
        if let tls { return tls }
        return try TLSContext.systemTrust.get()
    }

    /// Begins; the report comes once, on the loop's thread, unless `cancel` comes first.
    ///
    /// The receiver of the report owns the stream, sets its `onEvent` at once, and closes it in the end.
    /// `timeLimit` is divided among the addresses.
    func dial(timeLimit: Duration, then report: @escaping Report) {
        self.report = report
        do throws(SocketError) {
            deadline = try LoopTimer(on: loop) { [weak self] in
                self?.assumeIsolated { $0.fail($0.timeOutError) }
            }
        } catch {
            return finish(.failure(error))
        }
        NameResolver.resolve(host: url.host, port: url.port, on: loop) { [self] result in
            assumeIsolated { $0.didResolve(result, timeLimit: timeLimit) }
        }
    }

    /// Gives up: nothing is reported any more, nothing stays open.
    func cancel() {
        report = nil
        stream?.close()
        stream = nil
        deadline?.close()
    }

    private func didResolve(_ result: Result<[SocketAddress], SocketError>, timeLimit: Duration) {
        guard report != nil else { return }  // Given up in the meantime.
        switch result {
        case .failure(let error): finish(.failure(error))
        case .success(let found):
            addresses = found.reversed()
            timePerAddress = timeLimit / max(1, found.count)
            tryNextAddress()
        }
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
            deadline?.start(after: timePerAddress)
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
        case .bytes, .drained, .ended: return  // None comes before the stream is open.
        case .failed(let error): fail(error)
        }
    }

    /// Another address may help where none was reached.
    private func fail(_ error: SocketError) {
        switch error.kind {
        case .refused, .unreachable, .timedOut, .connectionLost:
            let named = SocketError(
                error.kind, "No connection to \(url.peer). \(error.message)")
            // "Refused" says more than the other address's "no way there".
            if lastError?.kind != .refused { lastError = named }
            tryNextAddress()
        default: finish(.failure(error))
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
