// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Set once, by one thread, and looked at by others.
package final class Flag: Sendable {
    private let state = Atomic(false)

    package init() {}

    package var isSet: Bool { state.load(ordering: .acquiring) }

    package func set() { state.store(true, ordering: .releasing) }
}
