// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A file to which one process at a time appends, made readable by its owner alone.
package final class AppendedFile: Sendable {
    package let descriptor: Int32

    /// Opens or makes the file; nil if the system refuses.
    package init?(_ path: String) {
        // SAFETY: the path is valid during the call.
        descriptor = unsafe open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return nil }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Keeps other processes out while this one has the file open; returns false if one has it.
    package func lock() -> Bool { flock(descriptor, LOCK_EX | LOCK_NB) == 0 }

    /// Appends bytes in one write if the system takes them all; returns false if it has no room.
    package func append(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            // SAFETY: the bytes are lent for the call, with their own count.
            let count = unsafe rest.withUnsafeBytes { buffer in
                unsafe write(descriptor, buffer.baseAddress, buffer.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
