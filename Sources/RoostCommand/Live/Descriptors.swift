// SPDX-License-Identifier: Apache-2.0

import RoostCommandLine

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Waits for descriptors.
enum Descriptors {
    /// Returns the descriptors that can be read or have ended; none if the time is over first.
    static func readable(_ descriptors: [Int32], until deadline: Deadline) -> [Int32] {
        var entries = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while true {
            let timeout = deadline.remainingMS
            // SAFETY: the array is lent for the call, with its own count.
            let count = unsafe poll(&entries, nfds_t(entries.count), timeout)
            if count > 0 { return entries.filter { $0.revents != 0 }.map(\.fd) }
            // A signal that interrupts the wait does not end it, nor does a deadline beyond the
            // longest timeout.
            if deadline.remainingMS == 0 { return [] }
        }
    }
}
