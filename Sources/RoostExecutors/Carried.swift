// SPDX-License-Identifier: Apache-2.0

/// An app's value, such as a closure or a delegate, on its way through threads that do not touch
/// it.
///
/// Code from before Swift's concurrency checks passes closures that may run only on the app's own
/// queue, and expects them to run there.
///
/// - Invariant: `value` is touched only on the queue that the app chose. `@unchecked Sendable`
///   rests on that.
package struct Carried<Value>: @unchecked Sendable {
    package let value: Value

    package init(_ value: Value) { self.value = value }
}

/// A weak reference that can be carried.
package struct WeakBox<Object: AnyObject> {
    package weak var object: Object?

    package init(_ object: Object?) { self.object = object }
}
