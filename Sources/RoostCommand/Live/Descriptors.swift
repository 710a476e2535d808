// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin
#else
import Glibc
import RoostCommandLine
#endif

/// Waits for descriptors.
enum Descriptors {
    /// Returns those that can be read, or have ended; none when the time is over first.
    static func readable(_ descriptors: [Int32], until deadline: Deadline) -> [Int32] {
        var entries = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while true {
            let timeout = deadline.remainingMS
            // SAFETY: the array is lent for the call, with its own count.
            let count = unsafe poll(&entries, nfds_t(entries.count), timeout)
            if count > 0 { return entries.filter { $0.revents != 0 }.map(\.fd) }
            // A signal that interrupts the wait is no reason to end it; nor is a time longer than asked.
            if deadline.remainingMS == 0 { return [] }
        }
    }
}
