// SPDX-License-Identifier: Apache-2.0

import Glibc
import RoostSockets
import RoostTestSupport
import Synchronization

/// A misbehaving server for one connection, on a thread of its own.
enum RawServer {
    /// Reads a request's head, sends some bytes, and closes.
    ///
    /// With `afterHandshake` it accepts a WebSocket first. Returns the port.
    static func answerOnce(with text: String, afterHandshake: Bool = false) -> UInt16 {
        serveOnce { descriptor, head in
            if afterHandshake { acceptWebSocket(head, on: descriptor) }
            send(text, to: descriptor)
        }
    }

    private static func acceptWebSocket(_ head: String, on descriptor: CInt) {
        let key = head.firstMatch(of: /Sec-WebSocket-Key: (\S+)/).map { String($0.1) } ?? ""
        send(
            "HTTP/1.1 101 Yes\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                + "Sec-WebSocket-Accept: \(WebSocketHandshake.acceptKey(for: key))\r\n\r\n",
            to: descriptor)
    }

    /// Accepts a WebSocket, sends a beginning, and repeats a piece until the client disconnects,
    /// which opens the gate.
    ///
    /// Each scalar of a text is a byte.
    static func webSocket(
        repeating piece: String, after beginning: String
    ) -> (port: UInt16, isLeft: Gate) {
        let isLeft = Gate()
        let port = serveOnce { descriptor, head in
            acceptWebSocket(head, on: descriptor)
            var goesOn = send(bytes: bytes(of: beginning), to: descriptor)
            let piece = bytes(of: piece)
            while goesOn { goesOn = send(bytes: piece, to: descriptor) }
            isLeft.open()
        }
        return (port, isLeft)
    }

    private static func bytes(of text: String) -> [UInt8] {
        text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
    }

    /// Sends a beginning and repeats a piece until the client disconnects, which opens the gate.
    ///
    /// The pause between two pieces is in microseconds.
    static func repeating(
        _ piece: String, after beginning: String, pause: UInt32 = 0
    ) -> (port: UInt16, isLeft: Gate) {
        let isLeft = Gate()
        let port = serveOnce { descriptor, _ in
            var goesOn = send(beginning, to: descriptor)
            while goesOn {
                goesOn = send(piece, to: descriptor)
                if pause > 0 { usleep(pause) }
            }
            isLeft.open()
        }
        return (port, isLeft)
    }

    /// Sends some bytes before it reads any, and ends its half of the connection.
    ///
    /// Without bytes it is a proxy that has no server behind it. Returns the port.
    static func speakFirst(_ text: String) -> UInt16 {
        serveOnce(readsHead: false) { descriptor, _ in send(text, to: descriptor) }
    }

    /// Sends a beginning and nothing more until the client disconnects, which opens the gate.
    static func stalling(after beginning: String) -> (port: UInt16, isLeft: Gate) {
        let isLeft = Gate()
        let port = serveOnce { descriptor, _ in
            send(beginning, to: descriptor)
            _ = readHead(descriptor)
            isLeft.open()
        }
        return (port, isLeft)
    }

    /// Returns a port on which nothing listens: bound for a moment, then released.
    static func unusedPort() -> UInt16 {
        let (descriptor, port) = listen()
        close(descriptor)
        return port
    }

    private static func serveOnce(
        readsHead: Bool = true, _ serve: @escaping @Sendable (CInt, String) -> Void
    ) -> UInt16 {
        let (listener, port) = listen()
        Thread.run {
            // SAFETY: no address is asked for.
            let descriptor = accept(listener, nil, nil)
            close(listener)
            serve(descriptor, readsHead ? readHead(descriptor) : "")
            shutdown(descriptor, CInt(SHUT_WR))
            _ = readHead(descriptor)  // Reads until the client closes, so that nothing is reset.
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
            // SAFETY: the buffer is valid during the call, with its size.
            let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            all += buffer[..<count]
            if all.suffix(4) == [13, 10, 13, 10] { break }
        }
        return String(decoding: all, as: UTF8.self)
    }

    @discardableResult
    private static func send(_ text: String, to descriptor: CInt) -> Bool {
        send(bytes: Array(text.utf8), to: descriptor)
    }

    private static func send(bytes: [UInt8], to descriptor: CInt) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let bytes = Array(rest)
            // SAFETY: the array is valid during the call.
            let sent = unsafe Glibc.send(descriptor, bytes, bytes.count, CInt(MSG_NOSIGNAL))
            guard sent > 0 else { return false }
            rest = rest.dropFirst(sent)
        }
        return true
    }
}
