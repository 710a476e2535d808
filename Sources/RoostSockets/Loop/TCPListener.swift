// SPDX-License-Identifier: Apache-2.0

internal import CRoostUV

/// A listening socket that accepts only while it is told to.
///
/// libuv's own listener answers a full descriptor table by accepting and closing whoever comes, and
/// calls back in a loop when even that fails. This one polls and accepts by itself, so that at a
/// limit it simply waits, and clients wait in the kernel's backlog.
@safe final class TCPListener: LoopHandle, @unchecked Sendable {
    /// Called on the loop's thread with a descriptor that the callee owns.
    var onConnection: (@Sendable (CInt) -> Void)?
    /// The port it is bound to, also when port 0 asked for a free one.
    let port: UInt16
    private let descriptor: CInt
    private var resumeTimer: LoopTimer?
    private var isAccepting = false

    /// Long enough for the table to change, short enough for a waiting client.
    static let backOff: Duration = .milliseconds(100)
    /// The kernel caps it at `net.core.somaxconn`; a reconnect storm should fit.
    static let backlog: CInt = 1_024
    /// Others get their turn after this many.
    static let acceptsPerTurn = 64

    /// Binds and listens.
    ///
    /// - Throws: `.addressInUse`, `.permissionDenied`, or `.systemFailure`.
    init(
        bindingTo address: SocketAddress, named host: String, port wanted: UInt16,
        on loop: EventLoop
    ) throws(SocketError) {
        // SAFETY: the address is lent to one call.
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

    /// Begins or goes on accepting.
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
            case ECONNABORTED, EINTR: continue  // That client has left; the next may be there.
            default:  // EMFILE, ENFILE, ENOBUFS, ENOMEM: asking again at once would only spin.
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
