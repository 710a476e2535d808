// SPDX-License-Identifier: Apache-2.0

/// A value that belongs to the thread of an executor, and to whoever works in its place.
///
/// Unchecked, because the compiler cannot see what confines it. It is for actors whose executor is a
/// `ThreadExecutor`, and is touched by the actor's own jobs and between `borrow` and `giveBack` of that
/// executor, and by nobody else: so never by two at once.
package final class Confined<Value>: @unchecked Sendable {
    package let value: Value

    package init(_ value: Value) { self.value = value }
}
