// SPDX-License-Identifier: Apache-2.0

/// The moment at which a wait ends.
package struct Deadline {
    private let end: ContinuousClock.Instant

    package init(in duration: Duration) {
        end = ContinuousClock().now + duration
    }

    /// The remaining time in whole milliseconds, rounded up; 0 when it is over.
    package var remainingMS: Int32 {
        let left = ContinuousClock().now.duration(to: end)
        guard left > .zero else { return 0 }
        let milliseconds = left / .milliseconds(1)
        return Int32(min(milliseconds + 1, 60_000))
    }
}

/// A measurement of elapsed time.
package struct StopWatch {
    private let start = ContinuousClock().now

    package init() {}

    package var elapsed: Duration { start.duration(to: ContinuousClock().now) }
}
