// SPDX-License-Identifier: Apache-2.0

import RoostSockets

/// The decoders of bytes from sockets.
enum SocketTargets {
    static let all = [requests, answers, frames, deflated, urls]

    private static let requestWords = FuzzWords.bytes([
        "\r\n", "\r\n\r\n", "\n", "\r", "\0", " ", ":", "Content-Length: 99999999999999999999\r\n",
        "Content-Length: -1\r\n", "Content-Length: 999999999999999999\r\n",
        "Transfer-Encoding: chunked\r\n", "FFFFFFFFFFFFFFFF\r\n", "FFFFFFFFFFFFFFF\r\n",
        "0\r\n\r\n",
        "HTTP/1.1", "%00", "\u{7f}", String(repeating: "a", count: 200),
    ])

    private static let requests = FuzzTarget(
        "http-requests",
        samples: [
            "GET /v3/users?limit=3 HTTP/1.1\r\nHost: a\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n{\"a\":GET / HTTP/1.0\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\n0\r\nT: 1\r\n\r\n",
            "POST /form HTTP/1.1\r\nHost: a\r\nContent-Length: 7\r\nExpect: 100-continue\r\n\r\n1234567",
        ], words: requestWords
    ) { input in
        let one = events(input.bytes.map { [$0] })
        return events(input.pieces()) == one ? nil : "A request depends on how it is cut."
    }

    private static func events(_ pieces: [[UInt8]]) -> [String] {
        var limits = HTTPLimits()
        (limits.lineBytes, limits.headBytes, limits.bodyBytes) = (300, 400, 500)
        var parser = HTTPRequestParser(limits: limits) { head in
            head.target.hasPrefix("/form") ? 300 : nil
        }
        var (events, body): ([String], [UInt8]) = ([], [])
        for piece in pieces {
            parser.append(piece.span)
            while let event = parser.next() {
                switch event {
                case .piece(let bytes): body += bytes
                case .refused:
                    events.append("\(event)")
                    return events
                case .end:
                    events.append("\(body)")
                    body = []
                default: events.append("\(event)")
                }
            }
        }
        return events
    }

    private static let answers = FuzzTarget(
        "http-answers",
        samples: [
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\n0\r\nT: 1\r\n\r\n",
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.0 503 \r\nRetry-After: 5\r\n\r\nlater",
            "HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: x\r\n\r\n\u{1}",
        ], words: requestWords
    ) { input in
        let one = answer(input.bytes.map { [$0] })
        return answer(input.pieces()) == one ? nil : "An answer depends on how it is cut."
    }

    private static func answer(_ pieces: [[UInt8]]) -> HTTPClientResponse? {
        var limits = HTTPLimits()
        (limits.lineBytes, limits.headBytes) = (300, 400)
        var parser = HTTPResponseParser(answerTo: "GET", bodyLimit: 500, limits: limits)
        for piece in pieces {
            do throws(HTTPRefusal) {
                if let response = try parser.append(piece.span) { return response }
            } catch {
                return nil
            }
        }
        return parser.end()
    }

    private static let frameWords: [[UInt8]] = [
        [0x81], [0], [0x7F], [0x7E, 0xFF], [0x89, 0x80, 1, 2, 3, 4], [0x88, 0x82, 0, 0, 0, 0, 3],
        [0x81, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], [0x01], [0xC1],
        [0x81, 0x7F, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
    ]

    private static func sent(_ role: WebSocketCodec.Role) -> [[UInt8]] {
        let codec = WebSocketCodec(role: role, messageBytes: 1_000) {
            Array(repeating: 7, count: $0)
        }
        return ["hello", "", String(repeating: "ä", count: 80)].map { text in
            _ = codec.send(.text(text))
            return codec.takeOutput()
        }
    }

    private static let frames = FuzzTarget(
        "websocket-frames", samples: sent(.client) + sent(.server), words: frameWords
    ) { input in
        for role in [WebSocketCodec.Role.server, .client] {
            let codec = WebSocketCodec(role: role, messageBytes: 1_000) {
                Array(repeating: 1, count: $0)
            }
            var isOver = false
            let pieces = input.pieces()
            // Many faults come while this end waits for the answer to its own close frame.
            let closing = input.bytes.count % 3 == 0 ? input.bytes.count % (pieces.count + 1) : -1
            for (index, piece) in pieces.enumerated() {
                if index == closing {
                    codec.sendClose(code: 1000, reason: "")
                    _ = codec.takeOutput()
                }
                for event in codec.receive(piece) {
                    if isOver { return "A codec that has ended goes on." }
                    switch event {
                    case .violation, .closed: isOver = true
                    default: break
                    }
                }
            }
            _ = codec.takeOutput()
        }
        return nil
    }

    private static let deflated = FuzzTarget(
        "websocket-deflate",
        samples: ["hello hello hello hello hello", String(repeating: "a", count: 4_000)]
            .compactMap { WebSocketDeflate().deflate(Array($0.utf8)) },
        words: [[0], [0xFF], [0, 0, 0xFF, 0xFF], [0x62], Array(repeating: 0xFF, count: 30)]
    ) { input in
        let limit = 5_000
        guard let bytes = try? WebSocketDeflate().inflate(input.bytes, limit: limit) else {
            return nil
        }
        return bytes.count <= limit ? nil : "More came out than may."
    }

    private static let urls = FuzzTarget(
        "urls",
        samples: ["ws://127.0.0.1:8080/?a=b", "wss://[::1]:443/x", "ws://host"],
        words: FuzzWords.bytes([":", "[", "]", "@", "/", "?", "99999", "-1", "\0", "é"])
    ) { input in
        _ = try? SocketURL(input.text)
        _ = try? SocketURL(input.text, .http)
        return nil
    }
}
