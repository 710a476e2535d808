// SPDX-License-Identifier: Apache-2.0

internal import CRoostBenchLimit

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A client's end of a connection; every call blocks.
///
/// It costs this process a descriptor and no memory, so growth of memory is the server's.
final class RawSocket {
    fileprivate let descriptor: CInt

    init(port: UInt16) throws(BenchError) {
        #if canImport(Darwin)
        let kind = SOCK_STREAM
        #else
        let kind = CInt(SOCK_STREAM.rawValue)
        #endif
        descriptor = socket(AF_INET, kind, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        // SAFETY: `sockaddr_in` begins like `sockaddr`, and is lent for the call with its size.
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard descriptor >= 0, result == 0 else {
            throw BenchError("No connection: the system allows no more descriptors or ports.")
        }
        var yes: CInt = 1
        // SAFETY: the option is lent for the call.
        unsafe setsockopt(
            descriptor, CInt(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<CInt>.size))
    }

    deinit { close(descriptor) }

    func say(_ text: String) throws(BenchError) {
        let bytes = Array(text.utf8)
        // SAFETY: the array is lent for the call with its count; a request fits the socket's buffer.
        let count = unsafe send(descriptor, bytes, bytes.count, 0)
        guard count == bytes.count else { throw BenchError("A connection broke.") }
    }

    /// Receives bytes until `isEnough` accepts them.
    func hear(until isEnough: ([UInt8]) -> Bool) throws(BenchError) -> [UInt8] {
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while !isEnough(all) {
            // SAFETY: the buffer is lent for the call with its size.
            let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { throw BenchError("A connection ended before its answer.") }
            all += buffer[..<count]
        }
        return all
    }

    /// Upgrades to a WebSocket; returns after the first frame, if one is expected.
    func upgrade(_ target: String, hearing word: String?) throws(BenchError) {
        try say(
            "GET \(target) HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        )
        let sign = Array((word ?? "\r\n\r\n").utf8)
        _ = try hear { bytes in bytes.firstRange(of: sign) != nil }
    }

    /// Makes a request and returns when the whole answer has come.
    func get(_ target: String, _ headers: String) throws(BenchError) -> Int {
        try say("GET \(target) HTTP/1.1\r\nHost: a\r\n\(headers)\r\n")
        var whole: Int?
        return try hear { bytes in
            if whole == nil, let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) {
                let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
                let lines = head.split(separator: "\r\n")
                let length = lines.first { $0.hasPrefix("Content-Length: ") }
                whole = end.upperBound + (length.flatMap { Int($0.dropFirst(16)) } ?? 0)
            }
            return whole.map { bytes.count >= $0 } ?? false
        }.count
    }
}

/// Sockets that stay open outside this process's table of descriptors.
///
/// They are in transit through a local socket without a reader, and are closed with it.
final class ParkedSockets {
    private var pair: [CInt] = [-1, -1]

    init() throws(BenchError) {
        #if canImport(Darwin)
        let kind = SOCK_STREAM
        #else
        let kind = CInt(SOCK_STREAM.rawValue)
        #endif
        // SAFETY: the array has room for both ends.
        guard unsafe socketpair(AF_UNIX, kind, 0, &pair) == 0 else {
            throw BenchError("The system gives no local sockets.")
        }
    }

    deinit { for end in pair { close(end) } }

    /// Takes sockets over; their owner drops its own ends.
    func take(_ sockets: [RawSocket]) throws(BenchError) {
        let descriptors = sockets.map(\.descriptor)
        // SAFETY: the array is lent for the call with its count.
        let taken = unsafe roost_park(pair[0], descriptors, CInt(descriptors.count))
        guard taken == CInt(descriptors.count) else {
            throw BenchError("The system holds no more open sockets: ask for fewer.")
        }
    }
}

extension Machine {
    /// Raises the limit of open descriptors, if the system allows it.
    ///
    /// - Returns: The new limit.
    static func allowDescriptors(_ count: Int) -> Int {
        var limit = rlimit()
        #if canImport(Darwin)
        let kind = RLIMIT_NOFILE
        #else
        let kind = RLIMIT_NOFILE.rawValue
        #endif
        // SAFETY: the structure is lent for each call.
        unsafe getrlimit(.init(kind), &limit)
        var wanted = limit
        wanted.rlim_cur = max(limit.rlim_cur, rlim_t(count))
        // Only an administrator can raise the hard limit.
        wanted.rlim_max = max(limit.rlim_max, wanted.rlim_cur)
        if unsafe setrlimit(.init(kind), &wanted) != 0 {
            limit.rlim_cur = limit.rlim_max
            unsafe setrlimit(.init(kind), &limit)
        }
        unsafe getrlimit(.init(kind), &limit)
        return Int(clamping: limit.rlim_cur)
    }
}
