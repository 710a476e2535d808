// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// A lock with a condition to wait for, which `Synchronization` does not offer.
///
/// Unchecked, because both pointers are fixed and the system's functions may be called from any
/// thread.
@safe final class ThreadGate: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    init() {
        // SAFETY: here and below: both were allocated above, never move, and are freed in `deinit`.
        let codes = unsafe (
            pthread_mutex_init(mutex, nil), pthread_cond_init(condition, nil)
        )
        precondition(codes == (0, 0), "The system refused a lock: it is out of memory.")
    }

    deinit {
        unsafe pthread_cond_destroy(condition)
        unsafe pthread_mutex_destroy(mutex)
        unsafe condition.deallocate()
        unsafe mutex.deallocate()
    }

    func locked<T>(_ body: () -> T) -> T {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return body()
    }

    /// Releases the lock until another thread calls `signal`, or spuriously; only inside `locked`.
    func wait() {
        unsafe pthread_cond_wait(condition, mutex)
    }

    /// Wakes the one waiting thread.
    ///
    /// The call belongs after `locked` rather than inside, where the woken thread would find the
    /// lock taken and sleep again. After `locked` the caller has to keep a reference to this
    /// object: another thread may drop the last other one.
    func signal() {
        unsafe pthread_cond_signal(condition)
    }
}
