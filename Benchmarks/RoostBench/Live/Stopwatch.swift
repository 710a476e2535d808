// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A measurement of elapsed time and processor time.
struct Stopwatch {
    private let start = ContinuousClock.now
    private let processorStart = Self.processor

    var cost: Cost {
        Cost(wall: microseconds, processor: Self.processor - processorStart)
    }

    var microseconds: Double {
        let (seconds, attoseconds) = (ContinuousClock.now - start).components
        return Double(seconds) * 1e6 + Double(attoseconds) / 1e12
    }

    /// The microseconds of the system's clock, which all processes share.
    static var now: Double { read(CLOCK_MONOTONIC) }

    /// The microseconds that all threads of this process have run.
    private static var processor: Double { read(CLOCK_PROCESS_CPUTIME_ID) }

    /// The microseconds that the calling thread has run.
    static var ownThread: Double { read(CLOCK_THREAD_CPUTIME_ID) }

    private static func read(_ clock: clockid_t) -> Double {
        var time = timespec()
        // SAFETY: the structure is lent for the call.
        unsafe clock_gettime(clock, &time)
        return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
    }
}

extension Stopwatch {
    /// Waits until the watch shows `microseconds`; returns at once if it shows more.
    func wait(until microseconds: Double) async throws {
        let early = microseconds - self.microseconds
        if early > 0 { try await Task.sleep(for: .microseconds(Int64(early))) }
    }
}
