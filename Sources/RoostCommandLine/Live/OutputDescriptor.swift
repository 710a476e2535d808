// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A stream to which this process writes texts.
package struct OutputDescriptor: Sendable {
    static let standardOutput = OutputDescriptor(STDOUT_FILENO)
    static let standardError = OutputDescriptor(STDERR_FILENO)

    private let descriptor: Int32

    package init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// Writes a whole text, and waits while the stream has no room.
    ///
    /// - Returns: The number of the system's refusal; nil if it has taken the whole text.
    package func put(_ text: String) -> Int32? {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            // SAFETY: the bytes are lent for the call, with their own count.
            let count = unsafe rest.withUnsafeBytes { buffer in
                unsafe write(descriptor, buffer.baseAddress, buffer.count)
            }
            if count >= 0 {
                rest = rest.dropFirst(count)
                continue
            }
            switch errno {
            case EINTR: continue
            // Another process can make a shared descriptor non-blocking.
            case EAGAIN: awaitRoom()
            case let code: return code
            }
        }
        return nil
    }

    /// Returns the system's sentence for the number of a refusal.
    static func reason(of code: Int32) -> String {
        // SAFETY: the system's text is copied at once.
        unsafe String(cString: strerror(code))
    }

    /// Waits until the stream has room, or has lost its reader.
    private func awaitRoom() {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        // SAFETY: the entry is lent for the call. A signal that ends the wait early does no harm.
        _ = unsafe poll(&entry, 1, -1)
    }
}
