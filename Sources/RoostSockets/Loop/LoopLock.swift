// SPDX-License-Identifier: Apache-2.0

internal import CRoostUV

/// A value that several threads share under a system mutex.
///
/// Not `Synchronization.Mutex`: its contended path lives in the standard library, out of the thread
/// sanitizer's sight, which then reports races on what it guards. This lock is the busiest of all.
///
/// - Invariant: `value` is touched between lock and unlock only. `@unchecked Sendable` rests on that.
@safe final class LoopLock<Value>: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<uv_mutex_t>
    private var value: Value

    init(_ value: Value) {
        self.value = value
        // SAFETY: allocated here, destroyed in `deinit`, and never moved in between.
        unsafe mutex = .allocate(capacity: 1)
        let result = unsafe uv_mutex_init(mutex)
        precondition(result == 0, "The system gives no mutex.")
    }

    deinit {
        // SAFETY: nobody holds the lock, as nobody holds a reference.
        unsafe uv_mutex_destroy(mutex)
        unsafe mutex.deallocate()
    }

    /// Runs a closure alone; it must neither wait nor take the lock again.
    func withLock<T>(_ body: (inout Value) -> T) -> T {
        // SAFETY: the mutex is initialised.
        unsafe uv_mutex_lock(mutex)
        defer { unsafe uv_mutex_unlock(mutex) }
        return body(&value)
    }
}
