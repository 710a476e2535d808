// SPDX-License-Identifier: Apache-2.0

internal import CRoostUV

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

/// Name look-ups on libuv's own threads, never on the loop or the shared pool.
enum NameResolver {
    typealias Completion = @Sendable (Result<[SocketAddress], SocketError>) -> Void

    /// Looks a name up; `completion` runs on the loop's thread, exactly once.
    ///
    /// The system cannot interrupt a look-up: a caller that gives up ignores the answer.
    static func resolve(
        host: String, port: UInt16, on loop: EventLoop, completion: @escaping Completion
    ) {
        loop.assertOnLoop()
        guard !loop.isStopping else { return completion(.failure(.loopStopped)) }
        // SAFETY: request and context live until the one callback, which frees both.
        let request = UnsafeMutablePointer<uv_getaddrinfo_t>.allocate(capacity: 1)
        let context = Context(host: host, completion: completion)
        unsafe request.pointee.data = unsafe Unmanaged.passRetained(context).toOpaque()
        var hints = unsafe addrinfo()
        unsafe hints.ai_family = AF_UNSPEC
        unsafe hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        let result = unsafe uv_getaddrinfo(
            loop.loop, request, { unsafe NameResolver.finish($0, status: $1, list: $2) }, host,
            String(port), &hints)
        if result != 0 { unsafe finish(request, status: result, list: nil) }
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

    private final class Context: Sendable {
        let host: String
        let completion: Completion
        init(host: String, completion: @escaping Completion) {
            self.host = host
            self.completion = completion
        }
    }

    private static func finish(
        _ request: UnsafeMutablePointer<uv_getaddrinfo_t>?, status: CInt,
        list: UnsafeMutablePointer<addrinfo>?
    ) {
        guard let request = unsafe request, let data = unsafe request.pointee.data else { return }
        // SAFETY: called once per request, with the context that `resolve` retained.
        let context = unsafe Unmanaged<Context>.fromOpaque(data).takeRetainedValue()
        unsafe request.deallocate()
        var addresses: [SocketAddress] = []
        var next = unsafe list
        while let entry = unsafe next?.pointee {
            let bytes = unsafe UnsafeRawBufferPointer(
                start: entry.ai_addr, count: Int(entry.ai_addrlen))
            unsafe addresses.append(SocketAddress(bytes: Array(bytes)))
            unsafe next = unsafe entry.ai_next
        }
        unsafe uv_freeaddrinfo(list)
        guard status == 0, !addresses.isEmpty else {
            return context.completion(.failure(error(status, host: context.host)))
        }
        context.completion(.success(addresses))
    }

    private static func error(_ status: CInt, host: String) -> SocketError {
        switch status {
        case UV_EAI_AGAIN.rawValue:
            SocketError(
                .nameNotFound,
                "The name \(host) could not be looked up just now; check the network and try again."
            )
        case UV_ECANCELED.rawValue: .loopStopped
        default:
            SocketError(
                .nameNotFound,
                "The host name \(host) is unknown (\(uvMessage(status))); check the spelling and the "
                    + "network.")
        }
    }
}
