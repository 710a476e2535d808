// SPDX-License-Identifier: Apache-2.0

/// Lets one task of an actor through at a time, in the order they came.
///
/// An actor's own isolation ends at each `await`; what must not interleave across one goes through here.
struct Turnstile {
    private var isTaken = false
    private var waiters: [() -> Void] = []

    /// Resumes the task now, or when all tasks before it have left.
    mutating func enter(_ waiter: CheckedContinuation<Void, Never>) {
        enter { waiter.resume() }
    }

    /// Calls a closure now, or when all tasks before it have left; its place is taken at once.
    mutating func enter(_ begin: @escaping () -> Void) {
        if isTaken {
            waiters.append(begin)
        } else {
            isTaken = true
            begin()
        }
    }

    mutating func leave() {
        precondition(isTaken, "A turn is given back that was not taken.")
        if waiters.isEmpty { isTaken = false } else { waiters.removeFirst()() }
    }
}
