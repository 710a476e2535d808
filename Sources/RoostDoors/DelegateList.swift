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

    /// The delegates; read and call them on the app's queue.
    package var all: [AnyObject] {
        let entries = entries.withLock { $0 }
        return entries.compactMap(\.delegate.value.object)
    }
}
