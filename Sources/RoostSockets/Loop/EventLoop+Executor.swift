// SPDX-License-Identifier: Apache-2.0

internal import CRoostUV
internal import RoostExecutors

extension EventLoop: SerialExecutor, TaskExecutor {
    package func enqueue(_ job: consuming ExecutorJob) {
        hand(over: .job(UnownedJob(job)))
    }

    package func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        unsafe UnownedSerialExecutor(ordinary: self)
    }

    package func asUnownedTaskExecutor() -> UnownedTaskExecutor {
        unsafe UnownedTaskExecutor(ordinary: self)
    }

    /// Makes `assumeIsolated` work inside a libuv callback, where no Swift task runs.
    package func checkIsolated() { assertOnLoop() }

    package func isIsolatingCurrentContext() -> Bool? { isOnLoop }

    /// Adds work to the inbox, and wakes the thread only if it may be asleep.
    func hand(over entry: Inbox.Entry) {
        let needsThread = inbox.withLock { inbox -> Bool in
            inbox.entries.append(entry)
            switch inbox.phase {
            case .stopping: return false
            case .stopped:
                defer { inbox.isAwake = true }
                return !inbox.isAwake
            case .running:
                // SAFETY: under the lock, because the phase leaves `running` before the handle
                // closes.
                if !inbox.isAwake && !isOnLoop { unsafe uv_async_send(waker) }
                // On the loop's own thread the start of the next turn drains the inbox before it
                // polls.
                inbox.isAwake = true
                return false
            }
        }
        if needsThread { drainOnNewThread() }
    }
}

/// Returns libuv's description of a result code.
func uvMessage(_ code: CInt) -> String {
    // SAFETY: libuv returns a static string for known codes, which is copied at once.
    guard let text = unsafe uv_strerror(code) else { return "code \(code)" }
    return unsafe String(cString: text)
}
