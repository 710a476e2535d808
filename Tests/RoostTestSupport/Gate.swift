// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A gate that opens once and resumes all earlier and later waits.
///
/// It uses a `pthread_mutex_t`, because the thread sanitizer cannot see the contended path of
/// `Mutex`.
/// - Invariant: `isOpen` and `waiters` are used under the mutex only.
@safe package final class Gate: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private var isOpen = false
    private var waiters: [CheckedContinuation<Void, Never>] = []

    package init() {
        // SAFETY: allocated above, destroyed in `deinit`.
        _ = unsafe pthread_mutex_init(mutex, nil)
    }

    deinit {
        _ = unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
    }

    private func withLock<T>(_ body: () -> T) -> T {
        _ = unsafe pthread_mutex_lock(mutex)
        defer { _ = unsafe pthread_mutex_unlock(mutex) }
        return body()
    }

    package func open() {
        let waiters = withLock {
            isOpen = true
            defer { self.waiters = [] }
            return self.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    package func wait() async {
        await withCheckedContinuation { continuation in
            let isOpen = withLock {
                if !self.isOpen { waiters.append(continuation) }
                return self.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }
}

/// A thread for calls that block, so that no pool is delayed.
package enum Thread {
    private final class Work {
        let run: () -> Void
        init(_ run: @escaping () -> Void) { self.run = run }
    }

    package static func run(_ work: @escaping @Sendable () -> Void) {
        // SAFETY: the thread takes over the one reference.
        let context = unsafe Unmanaged.passRetained(Work(work)).toOpaque()
        var thread = pthread_t()
        let result = unsafe pthread_create(
            &thread, nil,
            { context in
                guard let context = unsafe context else { return nil }
                unsafe Unmanaged<Work>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, context)
        precondition(result == 0, "No thread for a test.")
        pthread_detach(thread)
    }
}
