// SPDX-License-Identifier: Apache-2.0

import RoostExecutors

/// The app's delegates by name, held weakly.
package final class DelegateList: Sendable {
    private let entries = Guarded<[(name: String, delegate: Carried<WeakBox<AnyObject>>)]>([])

    package init() {}

    /// Adds a delegate; an earlier one of the same name is replaced.
    package func add(_ delegate: AnyObject, _ name: String) {
        let delegate = Carried(WeakBox(delegate))
        entries.withLock { entries in
            entries.removeAll { $0.name == name }
            entries.append((name, delegate))
        }
    }

    package func remove(_ name: String) {
        entries.withLock { $0.removeAll { $0.name == name } }
    }

    package func removeAll() { entries.withLock { $0 = [] } }

    /// Returns the delegate of a name; nil if there is none, or the app has released it.
    package func delegate(_ name: String) -> AnyObject? {
        entries.withLock { $0 }.first { $0.name == name }?.delegate.value.object
    }

    /// Calls a closure with each delegate that has the closure's protocol, on the app's queue.
    ///
    /// A delegate that is removed or replaced meanwhile is left out.
    package func callEach<Delegate>(_ call: (Delegate) -> Void) {
        for entry in entries.withLock({ $0 }) {
            guard let object = entry.delegate.value.object, delegate(entry.name) === object,
                let receiver = object as? Delegate
            else { continue }
            call(receiver)
        }
    }
}
