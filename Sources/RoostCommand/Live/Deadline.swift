// SPDX-License-Identifier: Apache-2.0

/// A moment by which something must have happened.
struct Deadline {
    private let end: ContinuousClock.Instant

    init(in duration: Duration) {
        end = ContinuousClock().now + duration
    }

    /// What is left, in whole milliseconds rounded up; 0 when the time is over.
    var remainingMS: Int32 {
        let left = ContinuousClock().now.duration(to: end)
        guard left > .zero else { return 0 }
        let milliseconds = left / .milliseconds(1)
        return Int32(min(milliseconds + 1, 60_000))
    }
}

/// Measures how long something took.
struct StopWatch {
    private let start = ContinuousClock().now

    var elapsed: Duration { start.duration(to: ContinuousClock().now) }
}
