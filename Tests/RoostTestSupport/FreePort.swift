// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// Ports on loopback for servers that a test starts.
package enum FreePort {
    package struct NoneLeft: Error {}

    private static let given = Mutex<Set<UInt16>>([])
    /// The range below the ports that the system gives to connections, so that none is taken between
    /// the choice and the server's start.
    private static let range: ClosedRange<UInt16> = 15_000...32_000

    /// Returns a port on which nothing listens, and which no other test of this process gets.
    package static func next() throws -> UInt16 {
        for _ in 0..<1_000 {
            let port = UInt16.random(in: range)
            guard given.withLock({ $0.insert(port).inserted }), isFree(port) else { continue }
            return port
        }
        throw NoneLeft()
    }

    private static func isFree(_ port: UInt16) -> Bool {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard socket >= 0 else { return false }
        defer { close(socket) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        // SAFETY: the address is valid during the call, which gets its true size.
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(socket, $0, size) == 0
            }
        }
    }
}
