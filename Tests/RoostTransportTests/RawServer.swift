// SPDX-License-Identifier: Apache-2.0

import Glibc
import RoostSockets
import RoostTestSupport
import Synchronization

/// A server that misbehaves to order, for one connection, on a thread of its own.
enum RawServer {
    /// Reads a request's head, sends some bytes, and closes.
    ///
    /// With `afterHandshake` it agrees to a WebSocket first. Returns the port it listens on.
    static func answerOnce(with text: String, afterHandshake: Bool = false) -> UInt16 {
        serveOnce { descriptor, head in
            if afterHandshake {
                let key = head.firstMatch(of: /Sec-WebSocket-Key: (\S+)/).map { String($0.1) } ?? ""
                send(
                    "HTTP/1.1 101 Yes\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                        + "Sec-WebSocket-Accept: \(WebSocketHandshake.acceptKey(for: key))\r\n\r\n",
                    to: descriptor)
            }
            send(text, to: descriptor)
        }
    }

    /// Answers with a body of that size, as long as the client takes it.
    static func pour(megabytes: Int) -> UInt16 {
        serveOnce { descriptor, _ in
            send("HTTP/1.1 200 OK\r\nContent-Length: \(megabytes << 20)\r\n\r\n", to: descriptor)
            let megabyte = String(repeating: "x", count: 1 << 20)
            for _ in 0..<megabytes {
                guard send(megabyte, to: descriptor) else { return }
            }
        }
    }

    /// A port that nothing listens on: bound for a moment, then given back.
    static func unusedPort() -> UInt16 {
        let (descriptor, port) = listen()
        close(descriptor)
        return port
    }

    private static func serveOnce(
        _ serve: @escaping @Sendable (CInt, String) -> Void
    ) -> UInt16 {
        let (listener, port) = listen()
        Thread.run {
            // SAFETY: no address is asked for.
            let descriptor = accept(listener, nil, nil)
            close(listener)
            serve(descriptor, readHead(descriptor))
            shutdown(descriptor, CInt(SHUT_WR))
            _ = readHead(descriptor)  // Until the client closes, so that nothing is reset.
            close(descriptor)
        }
        return port
    }

    private static func listen() -> (descriptor: CInt, port: UInt16) {
        let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        // SAFETY: `sockaddr_in` begins like `sockaddr`, and both live on this stack frame.
        unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = unsafe bind(descriptor, $0, length)
                _ = unsafe getsockname(descriptor, $0, &length)
            }
        }
        precondition(Glibc.listen(descriptor, 1) == 0, "A test's server cannot listen.")
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }

    private static func readHead(_ descriptor: CInt) -> String {
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while true {
            // SAFETY: the buffer is lent to one call, with its size.
            let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            all += buffer[..<count]
            if all.suffix(4) == [13, 10, 13, 10] { break }
        }
        return String(decoding: all, as: UTF8.self)
    }

    @discardableResult
    private static func send(_ text: String, to descriptor: CInt) -> Bool {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let bytes = Array(rest)
            // SAFETY: the array is lent to one call.
            let sent = unsafe Glibc.send(descriptor, bytes, bytes.count, CInt(MSG_NOSIGNAL))
            guard sent > 0 else { return false }
            rest = rest.dropFirst(sent)
        }
        return true
    }
}
