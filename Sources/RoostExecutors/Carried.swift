// SPDX-License-Identifier: Apache-2.0

/// A value of an app's, such as a closure or a delegate, on its way through threads that do not touch it.
///
/// Code written before Swift checked concurrency hands in closures that may run on the app's own queue
/// only, and means them to come back there.
///
/// - Invariant: `value` is touched on the queue to which the app asked for it. `@unchecked Sendable`
///   rests on that.
package struct Carried<Value>: @unchecked Sendable {
    package let value: Value

    package init(_ value: Value) { self.value = value }
}

/// A reference that does not keep its object, to be carried.
package struct WeakBox<Object: AnyObject> {
    package weak var object: Object?

    package init(_ object: Object?) { self.object = object }
}
