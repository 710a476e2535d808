// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostExecutors

/// A queue of asynchronous work, performed one after another in the order of the calls.
package final class WorkQueue: Sendable {
    private let tail = Guarded<Task<Void, Never>?>(nil)

    /// The work added last.
    var last: Task<Void, Never>? { tail.withLock { $0 } }

    package init() {}

    /// Starts work on a door's executor when all earlier work has ended.
    package func add(on door: Door, _ work: @escaping @Sendable () async -> Void) {
        let executor = door.world.executor
        tail.withLock { last in
            let before = last
            last = Task(executorPreference: executor) {
                await before?.value
                await work()
            }
        }
    }
}
