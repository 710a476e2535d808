// SPDX-License-Identifier: Apache-2.0

/// A value that several threads share under a system mutex.
///
/// Not `Synchronization.Mutex`: its slow path is in the standard library, which the thread
/// sanitizer does not see. The sanitizer then reports races on the guarded value.
///
/// - Invariant: `value` is touched inside `gate.locked` only. `@unchecked Sendable` rests on that.
package final class Guarded<Value>: @unchecked Sendable {
    private let gate = ThreadGate()
    private var value: Value

    package init(_ value: Value) { self.value = value }

    /// Runs a closure under the lock; the closure must neither wait nor take the lock again.
    package func withLock<T>(_ body: (inout Value) -> T) -> T {
        gate.locked { body(&value) }
    }
}
