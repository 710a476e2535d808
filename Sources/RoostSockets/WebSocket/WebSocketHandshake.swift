// SPDX-License-Identifier: Apache-2.0

/// The HTTP handshake of a WebSocket (RFC 6455, section 4), for both ends.
package enum WebSocketHandshake {
    /// Returns the server's answer to a key, which proves that it has read the key.
    package static func acceptKey(for key: String) -> String {
        Digest.base64(Digest.sha1(Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)))
    }

    /// Returns whether a request asks for a WebSocket.
    static func isUpgrade(_ request: HTTPServerRequest) -> Bool {
        request.headers.list("Upgrade", contains: "websocket")
            && request.headers.list("Connection", contains: "upgrade")
    }

    /// Returns the refusal of an upgrade that a server cannot accept; nil if it can.
    static func refusal(of request: HTTPServerRequest) -> HTTPServerResponse? {
        guard request.method == "GET", request.version == .http11, request.body.isEmpty else {
            return HTTPServerResponse(
                status: 400, text: "A WebSocket begins with GET in HTTP/1.1 and without a body.")
        }
        guard request.headers.all("Sec-WebSocket-Version") == ["13"] else {
            return HTTPServerResponse(
                status: 426, text: "This server speaks version 13 of WebSocket.",
                headers: ["Sec-WebSocket-Version": "13"])
        }
        let keys = request.headers.all("Sec-WebSocket-Key")
        // 16 bytes in Base64: 22 digits and two padding characters.
        guard keys.count == 1, keys[0].utf8.count == 24, keys[0].hasSuffix("==") else {
            return HTTPServerResponse(
                status: 400, text: "There must be one Sec-WebSocket-Key of 16 bytes in Base64.")
        }
        return nil
    }

    /// Returns the answer to a client's offers of compression; nil if none can be accepted (RFC
    /// 7692, 7.1).
    static func deflateAnswer(to request: HTTPServerRequest) -> String? {
        // A quoted value may contain commas and semicolons; no client quotes the values of this
        // extension.
        guard
            request.headers.all("Sec-WebSocket-Extensions").allSatisfy({ !$0.contains("\"") })
        else { return nil }
        for offer in request.headers.list("Sec-WebSocket-Extensions") {
            let parts = offer.utf8.split(separator: UInt8(ascii: ";")).map {
                String($0.trimmingBlanks()) ?? ""
            }
            guard parts.first == "permessage-deflate" else { continue }
            let names = parts.dropFirst().map { part in
                let sides = part.split(separator: "=", maxSplits: 1)
                return (name: sides.first.map(String.init) ?? "", value: sides.dropFirst().first)
            }
            let isKept = names.allSatisfy { name, value in
                switch name {
                case "server_no_context_takeover", "client_no_context_takeover": value == nil
                case "client_max_window_bits":
                    value.map { Int($0).map { 8...15 ~= $0 } ?? false } ?? true
                // This end has no window of another size.
                case "server_max_window_bits": value == "15"
                default: false
                }
            }
            guard isKept, Set(names.map(\.name)).count == names.count else { continue }
            let window = names.contains { $0.name == "server_max_window_bits" }
            return "permessage-deflate; server_no_context_takeover; client_no_context_takeover"
                + (window ? "; server_max_window_bits=15" : "")
        }
        return nil
    }

    static func acceptance(
        of request: HTTPServerRequest, subprotocol: String?, extensions: String? = nil
    ) -> HTTPServerResponse {
        var headers: HTTPHeaders = ["Upgrade": "websocket", "Connection": "Upgrade"]
        headers.append(
            "Sec-WebSocket-Accept", acceptKey(for: request.headers["Sec-WebSocket-Key"] ?? ""))
        if let subprotocol { headers.append("Sec-WebSocket-Protocol", subprotocol) }
        if let extensions { headers.append("Sec-WebSocket-Extensions", extensions) }
        return HTTPServerResponse(status: 101, headers: headers)
    }

    /// Returns the first bytes of a client.
    static func request(
        to url: SocketURL, key: String, headers: HTTPHeaders, subprotocols: [String]
    ) -> [UInt8] {
        var text = "GET \(url.target) HTTP/1.1\r\nHost: \(url.authority)\r\n"
        text += "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        text += "Sec-WebSocket-Key: \(key)\r\n"
        if !subprotocols.isEmpty {
            text += "Sec-WebSocket-Protocol: \(subprotocols.joined(separator: ", "))\r\n"
        }
        for field in headers.fields { text += "\(field.name): \(field.value)\r\n" }
        return Array((text + "\r\n").utf8)
    }

    /// Compares a server's answer with the request.
    static func check(
        _ response: HTTPResponseHeadParser.Head, key: String, subprotocols: [String],
        peer: String
    ) throws(SocketError) {
        guard response.status == 101 else {
            throw SocketError(
                .upgradeRefused(status: response.status),
                "\(peer) answered with HTTP status \(response.status) instead of a WebSocket; check "
                    + "the address and the credentials.")
        }
        let chosen = response.headers.all("Sec-WebSocket-Protocol")
        guard response.headers.list("Upgrade", contains: "websocket"),
            response.headers.list("Connection", contains: "upgrade"),
            response.headers.all("Sec-WebSocket-Accept") == [acceptKey(for: key)],
            response.headers.all("Sec-WebSocket-Extensions").isEmpty,
            chosen.isEmpty || (chosen.count == 1 && subprotocols.contains(chosen[0]))
        else {
            throw SocketError(
                .protocolViolation(code: nil),
                "\(peer) agreed to a WebSocket with wrong headers; check what stands in between.")
        }
    }
}
