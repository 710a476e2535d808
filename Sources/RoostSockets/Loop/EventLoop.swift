// SPDX-License-Identifier: Apache-2.0

internal import CRoostUV
internal import RoostExecutors
internal import Synchronization

// The loop is one thread that runs libuv, and an executor. An actor on this executor runs on that
// thread, so it uses its sockets without locks and wake-ups: a read callback, the actor's reaction
// and the resulting write are one turn. A dispatch queue beside the loop would cost two thread
// switches per message.
//
// One turn: jobs -> flushes (each stream writes once) -> poll -> callbacks.

/// A thread that waits for sockets and timers, and runs the actors on its executor.
///
/// It lives until `shutdown()`; dropping the last reference does not end the thread. Work without
/// suspension delays every connection on the loop, so long computations belong elsewhere.
///
/// - Invariant: After `init` everything but `inbox` and `threadToken` is used on the loop's thread
///   only. `@unchecked Sendable` relies on that confinement.
@safe package final class EventLoop: @unchecked Sendable {
    /// The work that other threads hand over; the only state shared between threads.
    struct Inbox {
        enum Entry {
            case job(UnownedJob)
            case work(@Sendable () -> Void)
        }
        /// The phases: `running` wakes the thread; `stopping` lets it find work by itself;
        /// `stopped` needs another thread, because an actor may be called after its loop has ended.
        enum Phase { case running, stopping, stopped }

        var entries: [Entry] = []
        var phase = Phase.running
        var isAwake = false
        var isJoined = false
        var shutdownWaiters: [CheckedContinuation<Void, Never>] = []
    }

    let inbox = Guarded(Inbox())
    let threadToken = Atomic<UInt>(0)
    let loop: UnsafeMutablePointer<uv_loop_t>
    let waker: UnsafeMutablePointer<uv_async_t>
    let turnStart: UnsafeMutablePointer<uv_prepare_t>
    private var thread = uv_thread_t()

    /// The streams with bytes to write, in the order in which they got them.
    var flushes: [ByteStream] = []
    var isStopping = false
    /// The buffer for all reads, which never overlap.
    let readBuffer: UnsafeMutableRawBufferPointer
    /// The size of the buffer: 64 KiB, as libuv suggests, and as one `read` takes from a full
    /// socket buffer.
    static let readBufferSize = 65_536

    private init() {
        // SAFETY: freed with this object; the thread keeps it, and libuv is done before.
        unsafe loop = .allocate(capacity: 1)
        unsafe waker = .allocate(capacity: 1)
        unsafe turnStart = .allocate(capacity: 1)
        unsafe readBuffer = .allocate(byteCount: Self.readBufferSize, alignment: 16)
    }

    deinit {
        // SAFETY: the thread has ended or was never there, so nothing uses the memory.
        unsafe loop.deallocate()
        unsafe waker.deallocate()
        unsafe turnStart.deallocate()
        unsafe readBuffer.deallocate()
    }

    /// Starts a loop on a thread of its own.
    ///
    /// - Throws: `.systemFailure` if the system grants no descriptors or no thread.
    package static func start() throws(SocketError) -> EventLoop {
        let eventLoop = EventLoop()
        // SAFETY: the memory is that of the object. The trampolines find it through `data`, and the
        // thread's own reference keeps it alive until its last line.
        unsafe try check(uv_loop_init(eventLoop.loop))
        let context = unsafe Unmanaged.passRetained(eventLoop)
        unsafe eventLoop.loop.pointee.data = unsafe context.toOpaque()
        do throws(SocketError) {
            try eventLoop.startThread()
        } catch {
            eventLoop.closeWithoutThread()
            unsafe context.release()
            throw error
        }
        return eventLoop
    }

    /// Opens the loop's own handles and starts the thread, which takes over the retained reference
    /// in `data`.
    private func startThread() throws(SocketError) {
        // SAFETY: the loop is initialised and runs nowhere yet.
        unsafe try Self.check(uv_async_init(loop, waker, { _ in }))
        // A handle without data tells `stopHandles` that it has no `LoopHandle`.
        unsafe waker.pointee.data = nil
        unsafe try Self.check(uv_prepare_init(loop, turnStart))
        unsafe turnStart.pointee.data = nil
        unsafe uv_prepare_start(turnStart) { handle in
            guard let loop = unsafe handle?.pointee.loop else { return }
            unsafe EventLoop.of(loop).runTurn()
        }
        unsafe try Self.check(
            uv_thread_create(
                &thread,
                { context in
                    guard let context = unsafe context else { return }
                    unsafe Unmanaged<EventLoop>.fromOpaque(context).takeRetainedValue().runThread()
                }, loop.pointee.data))
    }

    /// Closes a loop whose thread could not be started.
    private func closeWithoutThread() {
        // SAFETY: no thread uses the loop, and it has no handles but its own.
        unsafe uv_walk(
            loop, { handle, _ in if let handle = unsafe handle { unsafe uv_close(handle, nil) } },
            nil)
        unsafe uv_run(loop, UV_RUN_DEFAULT)
        unsafe uv_loop_close(loop)
    }

    private static func check(_ result: CInt) throws(SocketError) {
        guard result != 0 else { return }
        throw SocketError(
            .systemFailure,
            "No event loop could be started (\(uvMessage(result))); raise the limits on open files "
                + "and threads.")
    }

    /// Ends the loop: closes every handle, fails waiting calls, and joins the thread.
    ///
    /// Connections are cut without a close frame; shut servers down first. Repeated calls are
    /// harmless. A name look-up in progress ends later, with `.loopStopped`.
    ///
    /// - Precondition: Not called on the loop's own thread, which cannot join itself.
    @concurrent
    package func shutdown() async {
        precondition(!isOnLoop, "An event loop cannot be shut down from its own thread.")
        execute { [self] in stopHandles() }
        await withCheckedContinuation { continuation in
            let isStopped = inbox.withLock { inbox in
                if inbox.phase == .stopped { return true }
                inbox.shutdownWaiters.append(continuation)
                return false
            }
            if isStopped { continuation.resume() }
        }
        let mustJoin = inbox.withLock { inbox in
            defer { inbox.isJoined = true }
            return !inbox.isJoined
        }
        // SAFETY: joined once; the thread is past its last line of work, so this takes
        // microseconds.
        var finished = thread
        if mustJoin { unsafe uv_thread_join(&finished) }
    }

    /// Runs a closure on the loop's thread, after all earlier ones.
    package func execute(_ work: @escaping @Sendable () -> Void) {
        hand(over: .work(work))
    }

    /// Runs a closure on the loop's thread and returns its result.
    func run<T: Sendable>(
        _ work: @escaping @Sendable () throws(SocketError) -> T
    ) async throws(SocketError) -> T {
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<T, SocketError>, Never>) in
            execute {
                do throws(SocketError) {
                    continuation.resume(returning: .success(try work()))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        return try result.get()
    }

    /// Whether the caller runs on the loop's thread.
    package var isOnLoop: Bool {
        threadToken.load(ordering: .acquiring) == UInt(roost_uv_thread_token())
    }

    func assertOnLoop() {
        precondition(isOnLoop, "A socket was touched outside the thread of its event loop.")
    }

    static func of(_ loop: UnsafeMutablePointer<uv_loop_t>) -> EventLoop {
        guard let context = unsafe loop.pointee.data else {
            preconditionFailure("A libuv loop has lost its owner.")
        }
        // SAFETY: the thread keeps the object alive as long as libuv can call back.
        return unsafe Unmanaged<EventLoop>.fromOpaque(context).takeUnretainedValue()
    }

    /// Schedules a stream's `flush` once, at the end of this turn.
    func flushAtEndOfTurn(_ stream: ByteStream) {
        assertOnLoop()
        flushes.append(stream)
    }
}

// MARK: The thread

extension EventLoop {
    private func runThread() {
        threadToken.store(UInt(roost_uv_thread_token()), ordering: .releasing)
        // SAFETY: all handles were created in `start`; after `uv_loop_close` nothing calls back.
        _ = roost_uv_block_sigpipe()
        unsafe uv_run(loop, UV_RUN_DEFAULT)
        unsafe precondition(uv_loop_close(loop) == 0, "A handle outlived its event loop.")
        flushes = []
        drainAfterStop()
    }

    /// Runs the remaining work until there is none and the phase can become `stopped`.
    private func drainAfterStop() {
        while true {
            let (batch, waiters) = inbox.withLock {
                inbox -> ([Inbox.Entry], [CheckedContinuation<Void, Never>]) in
                defer { inbox.entries = [] }
                guard inbox.entries.isEmpty else { return (inbox.entries, []) }
                inbox.phase = .stopped
                inbox.isAwake = false
                // The system gives the token to a later thread, which is none of this loop.
                threadToken.store(0, ordering: .releasing)
                defer { inbox.shutdownWaiters = [] }
                return ([], inbox.shutdownWaiters)
            }
            guard batch.isEmpty else {
                for entry in batch { run(entry) }
                continue
            }
            for waiter in waiters { waiter.resume() }
            return
        }
    }

    /// Runs late work on a new thread, because an actor on this executor may be called long after
    /// the shutdown.
    func drainOnNewThread() {
        let context = unsafe Unmanaged.passRetained(self).toOpaque()
        var late = uv_thread_t()
        // SAFETY: the thread owns the reference it is given. It is not joined, because no call
        // waits for it; `isAwake` ensures that there is one at a time.
        let result = unsafe uv_thread_create(
            &late,
            { context in
                guard let context = unsafe context else { return }
                let loop = unsafe Unmanaged<EventLoop>.fromOpaque(context).takeRetainedValue()
                loop.threadToken.store(UInt(roost_uv_thread_token()), ordering: .releasing)
                loop.drainAfterStop()
            }, context)
        precondition(result == 0, "No thread for the last work of a stopped event loop.")
        pthread_detach(late)
    }

    /// The time after which jobs wait for the sockets.
    private static let turnNanoseconds: UInt64 = 10_000_000

    /// Runs jobs until none is left, then lets each stream write its bytes.
    ///
    /// The sockets have their turn after at most 64 rounds and ten milliseconds, so that jobs that
    /// create jobs cannot delay them. They also have it once the kernel takes no more bytes of a
    /// stream: only their turn empties its queue.
    func runTurn() {
        let end = uv_hrtime() + Self.turnNanoseconds
        for _ in 0..<64 {
            let batch = inbox.withLock { inbox -> [Inbox.Entry] in
                if inbox.entries.isEmpty { inbox.isAwake = false }
                defer { inbox.entries = [] }
                return inbox.entries
            }
            if batch.isEmpty && flushes.isEmpty { return }
            for entry in batch { run(entry) }
            let streams = flushes
            flushes = []
            var isBlocked = false
            for stream in streams {
                stream.flush()
                if stream.queuedByteCount > 0 { isBlocked = true }
            }
            if isBlocked || uv_hrtime() > end { break }
        }
        // SAFETY: on the loop's thread while the loop runs, so the handle is open.
        if !isStopping { unsafe uv_async_send(waker) }
    }

    private func run(_ entry: Inbox.Entry) {
        switch entry {
        case .job(let job):
            // Not `isolatedTo:taskExecutor:`: a task without a preference would be on the wrong
            // task executor at every `await` and be enqueued again, on the same actor or not.
            unsafe job.runSynchronously(on: asUnownedSerialExecutor())
        case .work(let work): work()
        }
    }

    /// Closes every handle; the thread ends when the last one is closed.
    private func stopHandles() {
        guard !isStopping, inbox.withLock({ $0.phase }) == .running else { return }
        isStopping = true
        inbox.withLock { $0.phase = .stopping }
        // SAFETY: on the loop's thread while the loop runs; `waker` and `turnStart` have no data.
        unsafe uv_walk(
            loop,
            { handle, _ in
                guard let handle = unsafe handle, unsafe uv_is_closing(handle) == 0 else { return }
                if let owner = unsafe LoopHandle.owner(of: handle) {
                    owner.loopWillStop()
                } else {
                    unsafe uv_close(handle, nil)
                }
            }, nil)
    }
}
