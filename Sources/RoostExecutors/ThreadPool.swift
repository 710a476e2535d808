// SPDX-License-Identifier: Apache-2.0

/// A few threads for calls that block; they start with the work and end when none is left.
///
/// No exit handler waits for them: a process ends although a call blocks.
package final class ThreadPool: Sendable {
    private struct State {
        var waiting: [@Sendable () -> Void] = []
        var threads = 0
    }

    private let name: String
    private let width: Int
    private let state = Guarded(State())

    /// Creates a pool without threads.
    ///
    /// - Parameters:
    ///   - name: The threads' name; Linux shows 15 bytes of it.
    ///   - width: The greatest number of threads; further work waits.
    package init(name: String, width: Int) {
        precondition(width > 0, "A pool needs a thread.")
        self.name = name
        self.width = width
    }

    /// Runs a closure on a thread of the pool; the caller does not wait.
    package func run(_ work: @escaping @Sendable () -> Void) {
        let needsThread = state.withLock { state in
            state.waiting.append(work)
            guard state.threads < width else { return false }
            state.threads += 1
            return true
        }
        if needsThread { OSThread(name: name) { self.serve() }.detach() }
    }

    private func serve() {
        while let work = next() { work() }
    }

    /// Returns the oldest work; nil ends the calling thread.
    private func next() -> (@Sendable () -> Void)? {
        state.withLock { state in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.threads -= 1
            return nil
        }
    }
}
