// SPDX-License-Identifier: Apache-2.0

internal import CRoostUV

/// A listening socket that accepts on demand only.
///
/// If the descriptor table is full, libuv's own listener accepts and closes connections, and calls
/// back in a loop if even that fails. This one polls and accepts by itself: at a limit it waits,
/// and clients wait in the kernel's backlog.
@safe final class TCPListener: LoopHandle, @unchecked Sendable {
    /// The handler of a new descriptor, called on the loop's thread; it owns the descriptor.
    var onConnection: (@Sendable (CInt) -> Void)?
    /// The bound port, also if a free one was asked for.
    let port: UInt16
    private let descriptor: CInt
    private var resumeTimer: LoopTimer?
    private var isAccepting = false

    /// The wait before the next accept with a full descriptor table.
    static let backOff: Duration = .milliseconds(100)
    /// The length of the backlog, for a storm of reconnects; the kernel caps it at
    /// `net.core.somaxconn`.
    static let backlog: CInt = 1_024
    /// The number of accepts after which other handles get their turn.
    static let acceptsPerTurn = 64

    /// Binds and listens.
    ///
    /// - Throws: `.addressInUse`, `.permissionDenied`, or `.systemFailure`.
    init(
        bindingTo address: SocketAddress, named host: String, port wanted: UInt16,
        on loop: EventLoop
    ) throws(SocketError) {
        // SAFETY: the address is valid during the call.
        let descriptor = unsafe address.withPointer { address, length in
            unsafe roost_uv_listen(address, socklen_t(length), Self.backlog)
        }
        guard descriptor >= 0 else { throw Self.bindError(descriptor, host: host, port: wanted) }
        self.descriptor = descriptor
        port = UInt16(clamping: roost_uv_bound_port(descriptor))
        do throws(SocketError) {
            // SAFETY: `handle` has the size of a poll handle; the descriptor is ours.
            try unsafe super.init(on: loop, type: UV_POLL) { loop, handle in
                unsafe uv_poll_init(loop, roost_uv_poll(handle), descriptor)
            }
        } catch {
            _ = CRoostUV.close(descriptor)
            throw error
        }
        let timer = try LoopTimer(on: loop) { [weak self] in self?.resume() }
        resumeTimer = timer
    }

    /// Starts or continues accepting.
    func resume() {
        guard let raw = unsafe raw, !isAccepting else { return }
        isAccepting = true
        // SAFETY: the handle is open.
        unsafe uv_poll_start(roost_uv_poll(raw), CInt(UV_READABLE.rawValue)) { handle, _, _ in
            unsafe LoopHandle.owner(TCPListener.self, of: handle)?.acceptWaiting()
        }
    }

    /// Stops accepting; clients wait in the backlog.
    func pause() {
        resumeTimer?.stop()
        guard let raw = unsafe raw, isAccepting else { return }
        isAccepting = false
        // SAFETY: the handle is open.
        unsafe uv_poll_stop(roost_uv_poll(raw))
    }

    private func acceptWaiting() {
        for _ in 0..<Self.acceptsPerTurn where isAccepting {
            let accepted = roost_uv_accept(descriptor)
            switch -accepted {
            case ...0: onConnection?(accepted)
            case EAGAIN: return
            case ECONNABORTED, EINTR: continue  // This client has left; there may be others.
            default:  // EMFILE, ENFILE, ENOBUFS, ENOMEM: an immediate retry would only spin.
                pause()
                resumeTimer?.start(after: Self.backOff)
                return
            }
        }
    }

    override func close() {
        guard unsafe raw != nil else { return }
        pause()
        onConnection = nil
        resumeTimer?.close()
        super.close()
        // SAFETY: libuv has stopped watching the descriptor, which `uv_poll_t` does not own.
        _ = CRoostUV.close(descriptor)
    }

    private static func bindError(_ code: CInt, host: String, port: UInt16) -> SocketError {
        switch -code {
        case EADDRINUSE:
            SocketError(
                .addressInUse,
                "Port \(port) on \(host) is taken by another program; stop it or choose another "
                    + "port.")
        case EACCES, EPERM:
            SocketError(
                .permissionDenied,
                "Port \(port) on \(host) may not be used by this account; choose a port above 1023."
            )
        case EADDRNOTAVAIL:
            SocketError(
                .systemFailure, "This machine has no address \(host); listen on one of its own.")
        default:
            SocketError(
                .systemFailure,
                "Listening on \(host):\(port) failed (\(uvMessage(code))); free some descriptors.")
        }
    }
}
