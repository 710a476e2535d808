// SPDX-License-Identifier: Apache-2.0

internal import CRoostUV

/// The owner of a libuv handle: its memory, its registration and its end.
///
/// libuv may call back until the close callback has run. So an open handle keeps its owner alive,
/// and only that callback frees the memory.
///
/// - Invariant: Used on the loop's thread only; every entry asserts it. `@unchecked Sendable`
///   relies on that confinement, here and in the subclasses.
@safe package class LoopHandle: @unchecked Sendable {
    let loop: EventLoop
    /// The handle; nil once closing has begun.
    private(set) var raw: UnsafeMutablePointer<uv_handle_t>?

    /// Allocates a handle and lets `setUp` initialise it.
    ///
    /// - Throws: `.loopStopped`, or `.systemFailure` if libuv refuses.
    init(
        on loop: EventLoop, type: uv_handle_type,
        setUp: (UnsafeMutablePointer<uv_loop_t>, UnsafeMutablePointer<uv_handle_t>) -> CInt
    ) throws(SocketError) {
        loop.assertOnLoop()
        guard !loop.isStopping else { throw .loopStopped }
        self.loop = loop
        // SAFETY: the size is that of the type; freed by the close callback, or right here.
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: uv_handle_size(type), alignment: 16)
        let handle = unsafe memory.bindMemory(to: uv_handle_t.self, capacity: 1)
        let result = unsafe setUp(loop.loop, handle)
        guard result == 0 else {
            unsafe memory.deallocate()
            throw SocketError(
                .systemFailure, "The system refused a socket or timer (\(uvMessage(result))).")
        }
        unsafe raw = unsafe handle
        unsafe handle.pointee.data = unsafe Unmanaged.passRetained(self).toOpaque()
    }

    /// Begins to close the handle; repeated calls are harmless.
    ///
    /// None of the handle's own callbacks follows.
    package func close() {
        loop.assertOnLoop()
        guard let handle = unsafe raw else { return }
        unsafe raw = nil
        // SAFETY: the handle is open, and closed once because `raw` is nil from here on.
        unsafe uv_close(handle) { handle in
            guard let handle = unsafe handle, let context = unsafe handle.pointee.data else {
                return
            }
            unsafe Unmanaged<LoopHandle>.fromOpaque(context).release()
            unsafe UnsafeMutableRawPointer(handle).deallocate()
        }
    }

    /// Called once when the loop ends; a subclass tells its user, then closes.
    func loopWillStop() { close() }

    static func owner(of handle: UnsafeMutablePointer<uv_handle_t>) -> LoopHandle? {
        guard let context = unsafe handle.pointee.data else { return nil }
        // SAFETY: every handle with data was made by `init`, which retained its owner.
        return unsafe Unmanaged<LoopHandle>.fromOpaque(context).takeUnretainedValue()
    }

    /// Returns the owner of a handle in a callback, as the subclass that registered the callback.
    static func owner<Owner: LoopHandle>(
        _ type: Owner.Type, of handle: UnsafeMutableRawPointer?
    ) -> Owner? {
        guard let handle = unsafe handle else { return nil }
        // SAFETY: all handle types begin with the fields of `uv_handle_t`.
        return unsafe owner(of: handle.assumingMemoryBound(to: uv_handle_t.self)) as? Owner
    }
}
