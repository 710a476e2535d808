// SPDX-License-Identifier: Apache-2.0

/// A moment by which something must have happened.
package struct Deadline {
    private let end: ContinuousClock.Instant

    package init(in duration: Duration) {
        end = ContinuousClock().now + duration
    }

    /// What is left, in whole milliseconds rounded up; 0 when the time is over.
    package var remainingMS: Int32 {
        let left = ContinuousClock().now.duration(to: end)
        guard left > .zero else { return 0 }
        let milliseconds = left / .milliseconds(1)
        return Int32(min(milliseconds + 1, 60_000))
    }
}

/// Measures how long something took.
package struct StopWatch {
    private let start = ContinuousClock().now

    package init() {}

    package var elapsed: Duration { start.duration(to: ContinuousClock().now) }
}
