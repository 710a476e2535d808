// SPDX-License-Identifier: Apache-2.0

/// An executor that both actors and tasks of one client run on.
///
/// Everything a client does outside its store happens on one of these, one job after the other; a
/// simulation hands in its own and so decides what runs when.
package typealias WorldExecutor = SerialExecutor & TaskExecutor

/// The passing of time, as far as a client waits for it.
package protocol WorldClock: Sendable {
    /// Returns after the duration, on a clock that never jumps; throws when the task is cancelled.
    func sleep(for duration: Duration) async throws(CancellationError)
}
