// SPDX-License-Identifier: Apache-2.0

import RoostHost
import RoostServer
import RoostSockets
import RoostWire

/// A user at a socket of a server.
struct HostMember {
    private struct Ended: Error {}

    let socket: WebSocketConnection

    init(_ user: String, of host: ChatHost, on loop: EventLoop) async throws {
        socket = try await WebSocketClient.connect(
            url: "ws://127.0.0.1:\(host.port)/?ai=APP&user_id=\(user)", on: loop)
    }

    /// Returns the next frame of a command.
    func next(_ command: String) async throws -> JSONValue {
        while case .text(let text)? = try await socket.receive() {
            for line in text.split(separator: "\n") where line.hasPrefix(command) {
                return try JSONValue(parsing: String(line.dropFirst(4)))
            }
        }
        throw Ended()
    }
}

extension ChatHost {
    /// Answers a call of the platform.
    @discardableResult
    func call(_ method: String, _ target: String, _ body: String = "") async throws -> JSONValue {
        let request = try APIRequest(
            method: method, target: "/v3/" + target, body: Array(body.utf8))
        return try JSONValue(parsing: await callAsPlatform(request).body)
    }
}
