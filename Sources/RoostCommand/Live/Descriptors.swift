// SPDX-License-Identifier: Apache-2.0

import RoostCommandLine

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Waits for descriptors, and reads them.
enum Descriptors {
    private static let partBytes = 1 << 16

    /// Returns the descriptors that can be read or have ended; none if the time is over first.
    ///
    /// Without a deadline the time is never over.
    static func readable(_ descriptors: [Int32], until deadline: Deadline?) -> [Int32] {
        var entries = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while true {
            let timeout = deadline?.remainingMS ?? -1
            // SAFETY: the array is lent for the call, with its own count.
            let count = unsafe poll(&entries, nfds_t(entries.count), timeout)
            if count > 0 { return entries.filter { $0.revents != 0 }.map(\.fd) }
            // A signal that interrupts the wait does not end it, nor does a deadline beyond the
            // longest timeout.
            if let deadline, deadline.remainingMS == 0 { return [] }
        }
    }

    /// Waits for the next bytes of a descriptor and returns them; none at its end.
    static func bytes(of descriptor: Int32) throws(SystemError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: partBytes)
        while true {
            // SAFETY: the array is lent for the call, with its own count.
            let count = unsafe read(descriptor, &bytes, bytes.count)
            if count >= 0 { return Array(bytes.prefix(count)) }
            switch errno {
            case EINTR: continue
            // Another process can make a shared descriptor non-blocking.
            case EAGAIN: _ = readable([descriptor], until: nil)
            case let code: throw SystemError(code: code)
            }
        }
    }
}
