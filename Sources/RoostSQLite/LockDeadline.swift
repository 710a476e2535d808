// SPDX-License-Identifier: Apache-2.0

/// The end of a wait for a lock that another process holds.
///
/// The time is the system's: a simulated clock would stand still during the wait.
package struct LockDeadline: Sendable {
    private let end: ContinuousClock.Instant

    /// Begins a wait.
    package init(after patience: Duration) { end = ContinuousClock.now + patience }

    package var isOver: Bool { ContinuousClock.now >= end }
}
