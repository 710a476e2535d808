// SPDX-License-Identifier: Apache-2.0

internal import CRoostUV

/// A watch over the socket of another library, such as a database driver's.
///
/// The library keeps the descriptor and closes it after `stop()`. Every call is on the loop's thread.
@safe package final class SocketWatch: @unchecked Sendable {
    private let handle: PollHandle

    /// Makes a watch, which reports nothing before the first `wait`.
    ///
    /// - Parameters:
    ///   - descriptor: The socket; it must not block.
    ///   - loop: The loop whose thread calls.
    ///   - action: The reaction to a socket that can be read or written, or has failed. It must not
    ///     keep the owner of the watch alive.
    /// - Throws: `.loopStopped`, or `.systemFailure` if the descriptor cannot be watched.
    package init(
        _ descriptor: CInt, on loop: EventLoop, _ action: @escaping @Sendable () -> Void
    ) throws(SocketError) {
        handle = try PollHandle(descriptor, on: loop, action)
    }

    /// Waits until the socket can be read, or also until it can be written.
    ///
    /// - Returns: False if the watch has stopped, as after the end of the loop.
    @discardableResult
    package func wait(forWriting: Bool) -> Bool { handle.wait(forWriting: forWriting) }

    /// Ends the watch; repeated calls are harmless.
    package func stop() { handle.close() }
}

/// A libuv handle that polls a foreign descriptor.
@safe private final class PollHandle: LoopHandle, @unchecked Sendable {
    private let action: @Sendable () -> Void

    init(
        _ descriptor: CInt, on loop: EventLoop, _ action: @escaping @Sendable () -> Void
    ) throws(SocketError) {
        self.action = action
        // SAFETY: `handle` has the size of a poll handle.
        try unsafe super.init(on: loop, type: UV_POLL) { loop, handle in
            unsafe uv_poll_init(loop, roost_uv_poll(handle), descriptor)
        }
    }

    func wait(forWriting: Bool) -> Bool {
        guard let raw = unsafe raw else { return false }
        let events = CInt(UV_READABLE.rawValue | (forWriting ? UV_WRITABLE.rawValue : 0))
        // SAFETY: the handle is open, because `raw` is set. An error wakes the owner too, whose next
        // call of the library finds it.
        return unsafe uv_poll_start(
            roost_uv_poll(raw), events,
            { handle, _, _ in unsafe LoopHandle.owner(PollHandle.self, of: handle)?.action() }) == 0
    }
}
