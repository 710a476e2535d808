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
    private let start: @Sendable (String, @escaping @Sendable () -> Void) -> Bool

    /// Creates a pool without threads.
    ///
    /// - Parameters:
    ///   - name: The threads' name; Linux shows 15 bytes of it.
    ///   - width: The greatest number of threads; further work waits.
    ///   - start: Starts a thread that runs a closure; false if the system has none left.
    package init(
        name: String, width: Int,
        start: @escaping @Sendable (String, @escaping @Sendable () -> Void) -> Bool = {
            ThreadPool.detachThread($0, $1)
        }
    ) {
        precondition(width > 0, "A pool needs a thread.")
        self.name = name
        self.width = width
        self.start = start
    }

    /// Runs a closure on a thread of the pool; the caller does not wait.
    ///
    /// - Returns: False if the pool has no thread and the system none left; the closure will not
    ///   run.
    package func run(_ work: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            if state.threads < width, start(name, { self.serve() }) { state.threads += 1 }
            guard state.threads > 0 else { return false }
            state.waiting.append(work)
            return true
        }
    }

    /// Starts a thread that ends by itself.
    ///
    /// - Returns: False if the system has none left.
    package static func detachThread(
        _ name: String, _ body: @escaping @Sendable () -> Void
    ) -> Bool {
        guard let thread = OSThread(name: name, body: body) else { return false }
        thread.detach()
        return true
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
