// SPDX-License-Identifier: Apache-2.0

internal import CRoostUV

/// A TCP connection: incoming bytes as events, outgoing bytes through a queue.
@safe final class TCPStream: LoopHandle, @unchecked Sendable {
    enum Event: Sendable {
        case connected
        case bytes([UInt8])
        /// All written bytes are with the kernel.
        case drained
        /// The peer sends no more bytes.
        case ended
        /// The last event; the stream must be closed.
        case failed(SocketError)
    }

    /// The handler of events, called on the loop's thread.
    ///
    /// `close` removes it, so that no event follows.
    var onEvent: (@Sendable (Event) -> Void)?
    /// The number of bytes that the kernel has not taken yet.
    var queuedByteCount: Int {
        guard let raw = unsafe raw else { return 0 }
        // SAFETY: the handle is open.
        return unsafe uv_stream_get_write_queue_size(roost_uv_stream(raw))
    }
    private var isReading = false

    init(on loop: EventLoop) throws(SocketError) {
        // SAFETY: `handle` has the size of a TCP handle.
        try unsafe super.init(on: loop, type: UV_TCP) { loop, handle in
            unsafe uv_tcp_init(loop, roost_uv_tcp(handle))
        }
    }

    /// Takes over a descriptor that `TCPListener` accepted; closes it on failure.
    convenience init(adopting descriptor: CInt, on loop: EventLoop) throws(SocketError) {
        do throws(SocketError) {
            try self.init(on: loop)
        } catch {
            _ = CRoostUV.close(descriptor)
            throw error
        }
        guard let raw = unsafe raw else { return }
        // SAFETY: the handle is open; on success it owns the descriptor.
        let result = unsafe uv_tcp_open(roost_uv_tcp(raw), descriptor)
        if result != 0 {
            _ = CRoostUV.close(descriptor)
            close()
            throw SocketError(
                .systemFailure, "An accepted connection is unusable (\(uvMessage(result))).")
        }
        setOptions()
    }

    /// Disables Nagle's algorithm, because chat messages are small and urgent, and detects a dead
    /// peer within minutes.
    private func setOptions() {
        guard let raw = unsafe raw else { return }
        // SAFETY: the handle is open.
        unsafe uv_tcp_nodelay(roost_uv_tcp(raw), 1)
        unsafe uv_tcp_keepalive(roost_uv_tcp(raw), 1, 60)
    }

    /// Connects; `.connected` or `.failed` follows.
    func connect(to address: SocketAddress) {
        guard let raw = unsafe raw else { return }
        let request = UnsafeMutablePointer<uv_connect_t>.allocate(capacity: 1)
        // SAFETY: libuv copies the address. The request lives until its one callback, which frees
        // it, and the handle it names keeps this object alive until then.
        let result = unsafe address.withPointer { address, _ in
            unsafe uv_tcp_connect(request, roost_uv_tcp(raw), address) { request, status in
                guard let request = unsafe request else { return }
                let stream = unsafe LoopHandle.owner(TCPStream.self, of: request.pointee.handle)
                unsafe request.deallocate()
                stream?.didConnect(status)
            }
        }
        if result != 0 {
            unsafe request.deallocate()
            didConnect(result)
        }
    }

    private func didConnect(_ status: CInt) {
        guard status == 0 else { return fail(status) }
        setOptions()
        onEvent?(.connected)
    }

    func startReading() {
        guard let raw = unsafe raw, !isReading else { return }
        isReading = true
        // SAFETY: the loop's buffer outlives every handle; a read ends before the next begins.
        let result = unsafe uv_read_start(
            roost_uv_stream(raw),
            { handle, _, buffer in
                guard let stream = unsafe LoopHandle.owner(TCPStream.self, of: handle) else {
                    return
                }
                let target = unsafe stream.loop.readBuffer
                unsafe buffer?.pointee.base = unsafe target.baseAddress?.assumingMemoryBound(
                    to: CChar.self)
                unsafe buffer?.pointee.len = target.count
            },
            { handle, count, _ in
                unsafe LoopHandle.owner(TCPStream.self, of: handle)?.didRead(count)
            })
        if result != 0 { fail(result) }
    }

    /// Stops reading; further bytes stay in the kernel, which makes the peer wait.
    func stopReading() {
        guard let raw = unsafe raw, isReading else { return }
        isReading = false
        // SAFETY: the handle is open.
        unsafe uv_read_stop(roost_uv_stream(raw))
    }

    private func didRead(_ count: Int) {
        switch count {
        case 0: return  // No bytes are available yet.
        case 1...:
            // SAFETY: `count` bytes of the buffer were just written, and are copied at once.
            let bytes = unsafe Array(loop.readBuffer[..<count])
            onEvent?(.bytes(bytes))
        case Int(UV_EOF.rawValue):
            stopReading()
            onEvent?(.ended)
        default: fail(CInt(clamping: count))
        }
    }

    /// Writes the bytes that the kernel takes at once, and queues a copy of the rest.
    func write(_ bytes: [UInt8]) {
        guard let raw = unsafe raw, !bytes.isEmpty else { return }
        // SAFETY: the array is valid during the call; bytes that it does not take are copied into
        // memory owned by the write request until its callback.
        unsafe bytes.withUnsafeBufferPointer { bytes in
            var rest = unsafe bytes[...]
            if queuedByteCount == 0 {
                var buffer = unsafe uv_buf_t(
                    base: UnsafeMutablePointer(mutating: bytes.baseAddress).map {
                        unsafe UnsafeMutableRawPointer($0).assumingMemoryBound(to: CChar.self)
                    }, len: bytes.count)
                let taken = unsafe uv_try_write(roost_uv_stream(raw), &buffer, 1)
                if taken >= 0 {
                    unsafe rest = unsafe bytes[Int(taken)...]
                } else if taken != UV_EAGAIN.rawValue {
                    return fail(taken)
                }
            }
            if unsafe !rest.isEmpty { unsafe queue(UnsafeBufferPointer(rebasing: rest), on: raw) }
        }
    }

    private func queue(
        _ bytes: UnsafeBufferPointer<UInt8>, on raw: UnsafeMutablePointer<uv_handle_t>
    ) {
        // SAFETY: request and copy are freed by the callback, which libuv makes once, also on
        // close.
        let request = UnsafeMutablePointer<uv_write_t>.allocate(capacity: 1)
        let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
        _ = unsafe copy.initialize(from: bytes)
        unsafe request.pointee.data = UnsafeMutableRawPointer(copy.baseAddress)
        var buffer = unsafe uv_buf_t(
            base: copy.baseAddress.map {
                unsafe UnsafeMutableRawPointer($0).assumingMemoryBound(to: CChar.self)
            }, len: copy.count)
        let result = unsafe uv_write(request, roost_uv_stream(raw), &buffer, 1) { request, status in
            guard let request = unsafe request else { return }
            let stream = unsafe LoopHandle.owner(TCPStream.self, of: request.pointee.handle)
            unsafe request.pointee.data?.deallocate()
            unsafe request.deallocate()
            stream?.didWrite(status)
        }
        if result != 0 {
            unsafe copy.deallocate()
            unsafe request.deallocate()
            fail(result)
        }
    }

    private func didWrite(_ status: CInt) {
        guard unsafe raw != nil else { return }  // Closing has cancelled the writes.
        guard status == 0 else { return fail(status) }
        if queuedByteCount == 0 { onEvent?(.drained) }
    }

    /// Ends the sending half behind the queued bytes.
    func finishWriting() {
        guard let raw = unsafe raw else { return }
        // SAFETY: the request is freed by its one callback, or here if there will be none.
        let request = UnsafeMutablePointer<uv_shutdown_t>.allocate(capacity: 1)
        let result = unsafe uv_shutdown(request, roost_uv_stream(raw)) { request, _ in
            unsafe request?.deallocate()
        }
        if result != 0 { unsafe request.deallocate() }
    }

    private func fail(_ code: CInt) {
        stopReading()
        onEvent?(.failed(.tcp(code)))
    }

    override func close() {
        onEvent = nil
        super.close()
    }

    override func loopWillStop() {
        onEvent?(.failed(.loopStopped))
        close()
    }
}

extension SocketError {
    /// Translates a failed connect, read or write; the caller adds host and port.
    static func tcp(_ code: CInt) -> SocketError {
        switch code {
        case UV_ECONNREFUSED.rawValue:
            SocketError(.refused, "Nothing listens there; check the port and that the server runs.")
        case UV_ENETUNREACH.rawValue, UV_EHOSTUNREACH.rawValue, UV_EADDRNOTAVAIL.rawValue:
            SocketError(.unreachable, "The host cannot be reached; check the network.")
        case UV_ETIMEDOUT.rawValue:
            SocketError(.timedOut, "The host did not answer; check the network.")
        case UV_ECONNRESET.rawValue, UV_EPIPE.rawValue, UV_ECONNABORTED.rawValue:
            SocketError(.connectionLost, "The peer cut the connection; connect again.")
        default:
            SocketError(
                .connectionLost, "The connection broke (\(uvMessage(code))); connect again.")
        }
    }
}
