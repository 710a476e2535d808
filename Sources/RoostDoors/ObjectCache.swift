// SPDX-License-Identifier: Apache-2.0

import RoostExecutors
import RoostModel

/// Objects of a list, made once after each change of it.
///
/// A table view reads the list for each of its cells.
package final class ObjectCache<Objects>: Sendable {
    private struct Made {
        let version: Int
        let objects: Objects
    }

    private let last = Guarded<Made?>(nil)

    package init() {}

    /// Returns the objects of a version of the list, which a closure makes at the first reading.
    package func objects(of version: Int, _ make: () -> Objects) -> Objects {
        if let made = last.withLock({ $0 }), made.version == version { return made.objects }
        let objects = make()
        last.withLock { $0 = Made(version: version, objects: objects) }
        return objects
    }
}

/// Objects of the messages of a collection, by their state of sending.
package struct MessageLists<Object> {
    package let succeeded: [Object]
    /// The messages that wait or are being sent.
    package let pending: [Object]
    /// The failed and the canceled messages.
    package let failed: [Object]

    init(_ messages: [Message], _ objects: ([Message]) -> [Object]) {
        func list(_ states: [SendingStatus]) -> [Object] {
            objects(messages.filter { states.contains($0.status) })
        }
        succeeded = list([.succeeded])
        pending = list([.pending])
        failed = list([.failed, .canceled])
    }
}
