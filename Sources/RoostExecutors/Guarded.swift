// SPDX-License-Identifier: Apache-2.0

/// A value that several threads share under a system mutex.
///
/// Not `Synchronization.Mutex`: its contended path lives in the standard library, out of the thread
/// sanitizer's sight, which then reports races on what it guards.
///
/// - Invariant: `value` is touched inside `gate.locked` only. `@unchecked Sendable` rests on that.
package final class Guarded<Value>: @unchecked Sendable {
    private let gate = ThreadGate()
    private var value: Value

    package init(_ value: Value) { self.value = value }

    /// Runs a closure alone; it must neither wait nor take the lock again.
    package func withLock<T>(_ body: (inout Value) -> T) -> T {
        gate.locked { body(&value) }
    }
}
