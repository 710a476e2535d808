// SPDX-License-Identifier: Apache-2.0

import Glibc
import RoostSockets
import RoostTestSupport

/// A client that sends exactly the given bytes, on a thread of its own so that it may block.
struct RawClient {
    /// The handshake of a WebSocket.
    static let handshake =
        "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"

    /// Connects, sends `text`, and returns everything the server sends until it closes.
    ///
    /// With `closesFirst` it closes its sending half after the text.
    static func exchange(
        _ text: String, port: UInt16, closesFirst: Bool = false
    ) async -> String {
        await withCheckedContinuation { continuation in
            Thread.run {
                let descriptor = connect(to: port)
                sendAll(Array(text.utf8), on: descriptor)
                if closesFirst { shutdown(descriptor, CInt(SHUT_WR)) }
                let answer = readAll(descriptor)
                close(descriptor)
                continuation.resume(returning: String(decoding: answer, as: UTF8.self))
            }
        }
    }

    /// Connects, sends some bytes, and returns the descriptor.
    static func open(
        _ text: String, port: UInt16, beforeConnecting: () -> Void = {}
    ) -> CInt {
        let descriptor = connect(to: port, beforeConnecting)
        send(text, on: descriptor)
        return descriptor
    }

    /// Sends some bytes, so few that it does not block.
    static func send(_ text: String, on descriptor: CInt) {
        let bytes = Array(text.utf8)
        // SAFETY: the array is valid during the call.
        _ = unsafe Glibc.send(descriptor, bytes, bytes.count, CInt(MSG_NOSIGNAL))
    }

    /// Sends all bytes, or those until the server ends the connection.
    static func sendAll(_ bytes: [UInt8], on descriptor: CInt) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let bytes = Array(rest)
            // SAFETY: the array is valid during the call.
            let sent = unsafe Glibc.send(descriptor, bytes, bytes.count, CInt(MSG_NOSIGNAL))
            guard sent > 0 else { break }
            rest = rest.dropFirst(sent)
        }
    }

    /// Returns everything that the server sends until it closes, then closes this end.
    static func rest(of descriptor: CInt) async -> String {
        await withCheckedContinuation { continuation in
            Thread.run {
                let answer = readAll(descriptor)
                close(descriptor)
                continuation.resume(returning: String(decoding: answer, as: UTF8.self))
            }
        }
    }

    /// Connects, sends `head` and then one byte after another until the server answers, and returns
    /// everything that the server sends until it closes.
    ///
    /// - Returns: An empty text if the server takes `byteLimit` bytes without an answer.
    static func trickle(
        after head: String, everyMS pause: CInt, atMost byteLimit: Int, port: UInt16
    ) async -> String {
        await withCheckedContinuation { continuation in
            Thread.run {
                let descriptor = open(head, port: port)
                var answer: [UInt8] = []
                for _ in 0..<byteLimit {
                    send("x", on: descriptor)
                    var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                    // SAFETY: the one structure is valid during the call.
                    let isSilent = unsafe poll(&watched, 1, pause) == 0
                    if isSilent { continue }
                    answer = readAll(descriptor)
                    break
                }
                close(descriptor)
                continuation.resume(returning: String(decoding: answer, as: UTF8.self))
            }
        }
    }

    /// Reads 16 KiB after each pause until the server closes, then closes this end.
    ///
    /// - Returns: The number of bytes.
    static func readSlowly(_ descriptor: CInt, everyMS pause: UInt32) async -> Int {
        await withCheckedContinuation { continuation in
            Thread.run {
                var total = 0
                var buffer = [UInt8](repeating: 0, count: 16_384)
                while true {
                    // The slow reader itself: the server's limit counts the time that it takes.
                    usleep(pause * 1_000)
                    // SAFETY: the buffer is valid during the call, with its size.
                    let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
                    guard count > 0 else { break }
                    total += count
                }
                close(descriptor)
                continuation.resume(returning: total)
            }
        }
    }

    /// Gives the end of a connection a small buffer for sending; the kernel would take megabytes.
    @discardableResult
    static func shrinkBuffer(of descriptor: CInt) -> Bool {
        var size: CInt = 16_384
        // SAFETY: the option is valid during the call.
        return unsafe setsockopt(
            descriptor, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<CInt>.size)) == 0
    }

    /// Gives the server's end of a connection, which is in this process, a small buffer for
    /// sending; the kernel would take megabytes.
    ///
    /// - Returns: Whether the end was found.
    static func shrinkBuffer(ofPeerOf descriptor: CInt) -> Bool {
        let own = port(of: descriptor, isPeer: false)
        let server = port(of: descriptor, isPeer: true)
        for other in CInt(0)..<65_536 where port(of: other, isPeer: false) == server {
            guard port(of: other, isPeer: true) == own else { continue }
            return shrinkBuffer(of: other)
        }
        return false
    }

    /// Returns the port of one end of a connection; nil for any other descriptor.
    private static func port(of descriptor: CInt, isPeer: Bool) -> UInt16? {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        // SAFETY: `sockaddr_in` begins like `sockaddr`, and both live on this stack frame.
        let result = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                isPeer
                    ? unsafe getpeername(descriptor, $0, &length)
                    : unsafe getsockname(descriptor, $0, &length)
            }
        }
        guard result == 0, address.sin_family == sa_family_t(AF_INET) else { return nil }
        return UInt16(bigEndian: address.sin_port)
    }

    /// Closes with a reset, as a machine does that has lost its state.
    static func reset(_ descriptor: CInt) {
        var option = linger(l_onoff: 1, l_linger: 0)
        // SAFETY: the option is valid during the call.
        _ = unsafe setsockopt(
            descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        close(descriptor)
    }

    /// Returns a port on which nothing listens: bound for a moment, then released.
    static func unusedPort() -> UInt16 {
        let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        var address = loopback(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        // SAFETY: `sockaddr_in` begins like `sockaddr`, and both live on this stack frame.
        unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = unsafe bind(descriptor, $0, length)
                _ = unsafe getsockname(descriptor, $0, &length)
            }
        }
        close(descriptor)
        return UInt16(bigEndian: address.sin_port)
    }

    private static func connect(to port: UInt16, _ prepare: () -> Void = {}) -> CInt {
        let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        var address = loopback(port: port)
        prepare()
        // SAFETY: as above.
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        precondition(result == 0, "The test's server does not listen.")
        return descriptor
    }

    private static func loopback(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        return address
    }

    /// Returns everything the server sends until it closes; blocks.
    static func readAll(_ descriptor: CInt) -> [UInt8] {
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            // SAFETY: the buffer is valid during the call, with its size.
            let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { return all }
            all += buffer[..<count]
        }
    }
}
