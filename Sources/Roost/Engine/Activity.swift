// SPDX-License-Identifier: Apache-2.0

/// Counts what a client has under way, so that a caller can wait until nothing is.
struct Activity {
    private var count = 0
    private var waiters: [CheckedContinuation<Void, Never>] = []

    var isIdle: Bool { count == 0 }

    mutating func begin() { count += 1 }

    mutating func end() {
        precondition(count > 0, "Something ended that never began.")
        count -= 1
        guard count == 0 else { return }
        let waiters = self.waiters
        self.waiters = []
        for waiter in waiters { waiter.resume() }
    }

    mutating func wait(_ waiter: CheckedContinuation<Void, Never>) {
        if isIdle { waiter.resume() } else { waiters.append(waiter) }
    }
}
