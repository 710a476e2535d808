// SPDX-License-Identifier: Apache-2.0

internal import CRoostUV
internal import RoostExecutors

/// An address and port in the form of the system's calls.
struct SocketAddress: Sendable, Equatable {
    let bytes: [UInt8]

    /// Lends the address as the C type of `bind` and `connect`.
    func withPointer<T>(_ body: (UnsafePointer<sockaddr>, UInt32) -> T) -> T {
        // SAFETY: the bytes are a copy of a `sockaddr` of this length; an array's storage is
        // 16-byte aligned.
        unsafe bytes.withUnsafeBytes { buffer in
            guard let start = buffer.baseAddress else {
                preconditionFailure("A socket address is empty.")
            }
            return unsafe body(
                start.assumingMemoryBound(to: sockaddr.self), UInt32(buffer.count))
        }
    }
}

/// Name look-ups on threads of their own, never on the loop or the shared pool.
///
/// Not `uv_getaddrinfo`: libuv ends its threads in an exit handler. The handler waits for a look-up
/// in progress, and a look-up that begins after it aborts the process.
enum NameResolver {
    typealias Completion = @Sendable (Result<[SocketAddress], SocketError>) -> Void

    /// The threads; as many as libuv has by default, so that one dead name server delays few hosts.
    private static let threads = ThreadPool(name: "roost.names", width: 4)

    private static let table = Guarded(LookUpTable<Completion>())

    /// Looks a name up; `completion` runs on the loop's thread, exactly once.
    ///
    /// The system cannot interrupt a look-up: a caller that gives up ignores the answer.
    static func resolve(
        host: String, port: UInt16, on loop: EventLoop, completion: @escaping Completion
    ) {
        loop.assertOnLoop()
        guard !loop.isStopping else { return completion(.failure(.loopStopped)) }
        let caller: Completion = { result in
            loop.execute { completion(loop.isStopping ? .failure(.loopStopped) : result) }
        }
        let question = LookUpTable<Completion>.Question(host: host, port: port)
        let now = ContinuousClock.now
        guard let id = table.withLock({ $0.add(caller, asking: question, at: now) }) else { return }
        let isAccepted = threads.run { answer(id, addresses(of: host, port: port)) }
        guard !isAccepted else { return }
        answer(
            id,
            .failure(
                SocketError(
                    .systemFailure,
                    "The name \(host) could not be looked up: the system has no thread left; raise "
                        + "its limit.")))
    }

    /// Answers all callers of a look-up.
    private static func answer(_ id: Int, _ result: Result<[SocketAddress], SocketError>) {
        for caller in table.withLock({ $0.end(id) }) { caller(result) }
    }

    static func resolve(
        host: String, port: UInt16, on loop: EventLoop
    ) async throws(SocketError) -> [SocketAddress] {
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<[SocketAddress], SocketError>, Never>) in
            loop.execute {
                resolve(host: host, port: port, on: loop) { continuation.resume(returning: $0) }
            }
        }
        return try result.get()
    }

    /// Asks the system, and blocks the calling thread until it answers.
    private static func addresses(
        of host: String, port: UInt16
    ) -> Result<[SocketAddress], SocketError> {
        var hints = unsafe addrinfo()
        unsafe hints.ai_family = AF_UNSPEC
        unsafe hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        // SAFETY: the texts and the hints are valid during the call, which makes the list.
        let code = unsafe getaddrinfo(host, String(port), &hints, &list)
        guard code == 0, let first = unsafe list else {
            return .failure(error(code, host: host))
        }
        // SAFETY: the list is valid until it is freed, and its addresses are copied before.
        defer { unsafe freeaddrinfo(first) }
        var found: [SocketAddress] = []
        var next: UnsafeMutablePointer<addrinfo>? = unsafe first
        while let entry = unsafe next?.pointee {
            let bytes = unsafe UnsafeRawBufferPointer(
                start: entry.ai_addr, count: Int(entry.ai_addrlen))
            unsafe found.append(SocketAddress(bytes: Array(bytes)))
            unsafe next = unsafe entry.ai_next
        }
        return .success(found)
    }

    private static func error(_ code: CInt, host: String) -> SocketError {
        guard code != EAI_AGAIN else {
            return SocketError(
                .nameNotFound,
                "The name \(host) could not be looked up just now; check the network and try again."
            )
        }
        // SAFETY: the description is a static string, copied at once.
        let reason = unsafe gai_strerror(code).map { unsafe String(cString: $0) }
        return SocketError(
            .nameNotFound,
            "The host name \(host) is unknown (\(reason ?? "code \(code)")); check the spelling and "
                + "the network.")
    }
}
