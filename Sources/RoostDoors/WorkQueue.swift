// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostExecutors

/// Works that wait for one another, in the order in which they were asked for.
package final class WorkQueue: Sendable {
    private let last = Guarded<Task<Void, Never>?>(nil)

    package init() {}

    /// Starts work on a door's executor when all that was asked for before has ended.
    package func add(on door: Door, _ work: @escaping @Sendable () async -> Void) {
        let executor = door.world.executor
        last.withLock { last in
            let before = last
            last = Task(executorPreference: executor) {
                await before?.value
                await work()
            }
        }
    }
}
