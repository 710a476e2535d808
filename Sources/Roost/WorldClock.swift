// SPDX-License-Identifier: Apache-2.0

/// An executor for both actors and tasks of one client.
///
/// All of a client except its store runs on one such executor, one job after another. A simulation
/// provides its own and so decides the order of jobs.
package typealias WorldExecutor = SerialExecutor & TaskExecutor

/// A source of waits.
package protocol WorldClock: Sendable {
    /// Waits for the duration, on a clock that never jumps.
    ///
    /// - Throws: `CancellationError` if the task is canceled.
    func sleep(for duration: Duration) async throws(CancellationError)
}
