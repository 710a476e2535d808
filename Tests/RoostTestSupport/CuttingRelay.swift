// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Synchronization

/// A relay on loopback that passes connections on to a port, and cuts or holds them up on request.
package final class CuttingRelay: Sendable {
    package enum Cut: Sendable {
        /// The next bytes of a client are lost with the connection.
        case beforeQuestion
        /// The next bytes of a client arrive; the answer is lost with the connection.
        case beforeAnswer
    }

    package let port: UInt16
    private let listener: Int32
    private let target: UInt16
    private let cut = Mutex<(cut: Cut, isLasting: Bool)?>(nil)
    private let isDead = Mutex(false)
    /// The bytes of one direction that pass a closed barrier.
    private static let unhindered = 1 << 20
    private let barrier = Barrier()
    /// The open sockets of both sides.
    private let open = Mutex<Set<Int32>>([])

    /// Listens on a free port.
    ///
    /// - Parameter target: The port on loopback that gets the connections.
    /// - Throws: The refusal of the system.
    package init(to target: UInt16) throws {
        self.target = target
        (listener, port) = try Self.listen()
        Thread.run { self.accept() }
    }

    private static func listen() throws -> (listener: Int32, port: UInt16) {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = Self.address(0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        // SAFETY: the address has the size that is named, here and below.
        let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe bind(listener, pointer, length) == 0 && Glibc.listen(listener, 64) == 0
                    && getsockname(listener, pointer, &length) == 0
            }
        }
        guard isBound else { throw CocoaError(.fileReadUnknown) }
        return (listener, UInt16(bigEndian: address.sin_port))
    }

    /// Cuts the next connection that a client uses.
    ///
    /// A lasting cut also refuses connections until `revive`.
    package func cutNext(_ cut: Cut, isLasting: Bool = false) {
        self.cut.withLock { $0 = (cut: cut, isLasting: isLasting) }
    }

    /// Whether the cut has happened.
    package var hasCut: Bool { cut.withLock { $0 == nil } }

    /// Whether connections are refused.
    package var isRefusing: Bool { isDead.withLock { $0 } }

    /// Refuses connections, and ends those that are open.
    package func kill() {
        isDead.withLock { $0 = true }
        for descriptor in open.withLock({ $0 }) { shutdown(descriptor, Int32(SHUT_RDWR)) }
    }

    /// Takes connections again.
    package func revive() { isDead.withLock { $0 = false } }

    /// Holds up each connection behind its first megabyte in one direction, until `letPass`.
    package func holdUp() { barrier.close(true) }

    /// Lets all bytes pass again.
    package func letPass() { barrier.close(false) }

    /// A place where threads wait while it is closed.
    ///
    /// - Invariant: `isClosed` is used under the lock of the condition only. `@unchecked Sendable`
    ///   relies on that.
    private final class Barrier: @unchecked Sendable {
        private let condition = NSCondition()
        private var isClosed = false

        func close(_ isClosed: Bool) {
            condition.withLock {
                self.isClosed = isClosed
                condition.broadcast()
            }
        }

        func pass() { condition.withLock { while isClosed { condition.wait() } } }
    }

    private static func address(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    private func accept() {
        while true {
            let client = Glibc.accept(listener, nil, nil)
            guard client >= 0 else { return }
            let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var address = Self.address(target)
            let isOpen = unsafe withUnsafePointer(to: &address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                    unsafe connect(server, pointer, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                }
            }
            guard isOpen, !isDead.withLock({ $0 }) else {
                close(client)
                close(server)
                continue
            }
            open.withLock { $0.formUnion([client, server]) }
            let shared = Ends(client: client, server: server)
            Thread.run { self.pass(from: client, to: server, shared) }
            Thread.run { self.pass(from: server, to: client, shared) }
        }
    }

    /// Both ends of a connection, closed after both directions have ended.
    private final class Ends: Sendable {
        let client: Int32
        let server: Int32
        private let ended = Mutex(0)
        let losesAnswer = Mutex(false)

        init(client: Int32, server: Int32) {
            self.client = client
            self.server = server
        }

        /// Ends a direction; true for the last one.
        func end() -> Bool {
            shutdown(client, Int32(SHUT_RDWR))
            shutdown(server, Int32(SHUT_RDWR))
            return ended.withLock { count in
                count += 1
                return count == 2
            }
        }
    }

    private func pass(from source: Int32, to sink: Int32, _ ends: Ends) {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        var passed = 0
        while true {
            // SAFETY: the array is valid during the call, here and below.
            let count = unsafe read(source, &bytes, bytes.count)
            guard count > 0 else { break }
            passed += count
            if passed > Self.unhindered { barrier.pass() }
            if source == ends.client {
                let next = self.cut.withLock { next in
                    defer { next = nil }
                    return next
                }
                if next?.isLasting == true { isDead.withLock { $0 = true } }
                if case .beforeQuestion = next?.cut { break }
                if case .beforeAnswer = next?.cut { ends.losesAnswer.withLock { $0 = true } }
            } else if ends.losesAnswer.withLock({ $0 }) {
                break
            }
            var sent = 0
            while sent < count {
                let part = unsafe bytes.withUnsafeBytes { buffer in
                    unsafe send(
                        sink, buffer.baseAddress.map { unsafe $0 + sent }, count - sent,
                        Int32(MSG_NOSIGNAL))
                }
                guard part > 0 else { break }
                sent += part
            }
            if sent < count { break }
        }
        guard ends.end() else { return }
        open.withLock { $0.subtract([ends.client, ends.server]) }
        close(ends.client)
        close(ends.server)
    }
}
