// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A flag that one thread sets once and others read.
package final class Flag: Sendable {
    private let state = Atomic(false)

    package init() {}

    package var isSet: Bool { state.load(ordering: .acquiring) }

    package func set() { state.store(true, ordering: .releasing) }
}
