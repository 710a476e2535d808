// SPDX-License-Identifier: Apache-2.0

/// Lets one task of an actor through at a time, in the order they came.
///
/// An actor's own isolation ends at each `await`; what must not interleave across one goes through here.
struct Turnstile {
    private(set) var isTaken = false
    private var waiters: [CheckedContinuation<Void, Never>] = []

    /// Resumes the task now, or when everybody before it has left.
    mutating func enter(_ waiter: CheckedContinuation<Void, Never>) {
        if isTaken {
            waiters.append(waiter)
        } else {
            isTaken = true
            waiter.resume()
        }
    }

    mutating func leave() {
        precondition(isTaken, "Nobody is inside.")
        if waiters.isEmpty { isTaken = false } else { waiters.removeFirst().resume() }
    }
}
