// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import RoostSockets

/// A listener on loopback that treats each connection badly.
final class HostileServer: Sendable {
    enum Manner: String, CaseIterable, Sendable {
        case garbage, silence, closing, endlessHead, endlessBody, hugeLength, otherJSON
    }

    let port: UInt16
    private let listener: Int32

    init(_ manner: Manner) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        // SAFETY: the address has the size that is named.
        let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe bind(listener, pointer, length) == 0 && listen(listener, 64) == 0
                    && getsockname(listener, pointer, &length) == 0
            }
        }
        guard isBound else { throw CocoaError(.fileReadUnknown) }
        (self.listener, port) = (listener, UInt16(bigEndian: address.sin_port))
        Thread.detachNewThread {
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { return }
                Thread.detachNewThread { Self.treat(client, manner) }
            }
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    private static func treat(_ client: Int32, _ manner: Manner) {
        defer { close(client) }
        var bytes = [UInt8](repeating: 0, count: 4_096)
        // SAFETY: the array is valid during the call.
        guard unsafe read(client, &bytes, bytes.count) > 0 else { return }
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
        switch manner {
        case .garbage: _ = send("\u{1}\u{2}no web server\r\n\r\n", client)
        case .closing: return
        // The end of the client's connection ends the wait.
        case .silence: _ = unsafe read(client, &bytes, bytes.count)
        case .endlessHead: while send("X-More: and more\r\n", client) {}
        case .endlessBody:
            _ = send(head + "Transfer-Encoding: chunked\r\n\r\n", client)
            while send("a\r\n0123456789\r\n", client) {}
        case .hugeLength:
            _ = send(head + "Content-Length: 99999999999999999999\r\n\r\n[", client)
            _ = unsafe read(client, &bytes, bytes.count)
        case .otherJSON: _ = send(head + "Content-Length: 7\r\n\r\n[1,2,3]", client)
        }
    }

    private static func send(_ text: String, _ client: Int32) -> Bool {
        let bytes = Array(text.utf8)
        // SAFETY: the bytes are lent for the call, with their own count.
        return unsafe bytes.withUnsafeBytes { buffer in
            unsafe Glibc.send(client, buffer.baseAddress, buffer.count, Int32(MSG_NOSIGNAL))
        } == bytes.count
    }
}

/// A server that answers calls like a sound one, and whose sockets never say anything useful.
struct HostileSockets: HTTPServerHandler {
    enum Manner: String, CaseIterable, Sendable {
        case silence, garbage, flood, closing, deepFrames
    }

    let manner: Manner

    func respond(to request: HTTPServerRequest) async -> HTTPServerResponse {
        let body = #"{"users":[],"next":"","user_id":"someone","access_token":"a-token"}"#
        return HTTPServerResponse(status: 200, body: Array(body.utf8))
    }

    func upgrade(_ request: HTTPServerRequest) async -> UpgradeDecision {
        let manner = manner
        return .accept(subprotocol: nil) { connection in
            switch manner {
            case .silence: while (try? await connection.receive()) != nil {}
            case .garbage: try? await connection.send("\u{0}\u{1} no frame")
            case .closing: return
            case .flood:
                let frames = String(repeating: "XXXX{}\n", count: 1_000)
                while (try? await connection.send(frames)) != nil {}
            case .deepFrames:
                try? await connection.send(
                    "LOGI{\"a\":" + String(repeating: "[", count: 100_000))
            }
        }
    }
}
