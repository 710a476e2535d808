// SPDX-License-Identifier: Apache-2.0

/// Time that passes while something is done.
struct Stopwatch {
    private let start = ContinuousClock.now

    var microseconds: Double {
        let (seconds, attoseconds) = (ContinuousClock.now - start).components
        return Double(seconds) * 1e6 + Double(attoseconds) / 1e12
    }
}
