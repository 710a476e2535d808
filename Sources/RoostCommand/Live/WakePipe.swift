// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A pipe that ends the wait of a thread in `poll`.
///
/// If the system has no free descriptor, `descriptor` is -1 and `wake` has no effect.
package final class WakePipe: Sendable {
    /// Becomes readable with the first wake, and stays so.
    package let descriptor: Int32
    private let writing: Int32

    package init() {
        var ends: [Int32] = [-1, -1]
        // SAFETY: two numbers are valid during the call.
        _ = unsafe pipe(&ends)
        (descriptor, writing) = (ends[0], ends[1])
        for end in ends where end >= 0 { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        // A write to a full pipe would wait for a reader, and not every program reads it.
        if writing >= 0 { _ = fcntl(writing, F_SETFL, O_NONBLOCK) }
    }

    deinit {
        for end in [descriptor, writing] where end >= 0 { close(end) }
    }

    /// Wakes the reader; never waits.
    package func wake() {
        var byte: UInt8 = 1
        // SAFETY: one byte is valid during the call. A full pipe has woken its reader already.
        _ = unsafe write(writing, &byte, 1)
    }
}
