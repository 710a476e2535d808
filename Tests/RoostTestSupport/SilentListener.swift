// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

/// A listener on loopback whose connections are never answered, as by a host that hangs.
package final class SilentListener: Sendable {
    package let port: UInt16
    private let descriptor: Int32

    /// Listens on a free port.
    ///
    /// - Throws: The refusal of the system.
    package init() throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        // SAFETY: the address has the size that is named, here and below.
        let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe bind(descriptor, pointer, length) == 0 && listen(descriptor, 64) == 0
                    && getsockname(descriptor, pointer, &length) == 0
            }
        }
        guard isBound else { throw CocoaError(.fileReadUnknown) }
        self.descriptor = descriptor
        port = UInt16(bigEndian: address.sin_port)
    }

    /// Waits for the first connection.
    package func awaitConnection() async {
        await withCheckedContinuation { (connected: CheckedContinuation<Void, Never>) in
            Thread.run { [descriptor] in
                var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                // SAFETY: the entry is lent for the call.
                while unsafe poll(&entry, 1, -1) < 0, errno == EINTR {}
                connected.resume()
            }
        }
    }

    deinit { close(descriptor) }
}
