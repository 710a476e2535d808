// SPDX-License-Identifier: Apache-2.0

import RoostSockets
import RoostTestSupport
import Testing

/// Tests with random bytes, as many as `ROOST_FUZZ` says.
struct FuzzTests {
    private static let requests = [
        "GET /v3/users?limit=3 HTTP/1.1\r\nHost: a\r\n\r\n",
        "POST /v3/users HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n{\"a\":GET / HTTP/1.0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\n0\r\nT: 1\r\n\r\n",
        "POST /form HTTP/1.1\r\nHost: a\r\nContent-Length: 7\r\nExpect: 100-continue\r\n\r\n1234567",
        RawClient.handshake,
    ]
    private static let words = [
        "\r\n", "\r\n\r\n", "\n", "\0", " ", ":", "Content-Length: 99999999999999999999\r\n",
        "Content-Length: -1\r\n", "Transfer-Encoding: chunked\r\n", "FFFFFFFFFFFFFFFF\r\n",
        "0\r\n\r\n",
        "HTTP/1.1", "%00", "\u{7f}", String(repeating: "a", count: 200),
    ]

    private func events(_ pieces: [[UInt8]]) -> [String] {
        var limits = HTTPLimits()
        (limits.lineBytes, limits.headBytes, limits.bodyBytes) = (300, 400, 500)
        var parser = HTTPRequestParser(limits: limits) { head in
            head.target.hasPrefix("/form") ? 300 : nil
        }
        var (events, body): ([String], [UInt8]) = ([], [])
        var isRefused = false
        for piece in pieces {
            parser.append(piece.span)
            while let event = parser.next() {
                if isRefused { events.append("more after a refusal") }
                switch event {
                case .piece(let bytes): body += bytes
                case .refused:
                    isRefused = true
                    events.append("\(event)")
                case .end:
                    events.append("\(body)")
                    body = []
                default: events.append("\(event)")
                }
            }
            if parser.bufferedByteCount > 1_000, !isRefused { events.append("it keeps too much") }
        }
        return events
    }

    @Test func `random requests have the same meaning however they are cut`() {
        for seed in Mutator.seed..<(Mutator.seed + UInt64(Mutator.rounds)) {
            var mutator = Mutator(seed: seed, samples: Self.requests, words: Self.words)
            let bytes = mutator.next() + mutator.next()
            let one = events(bytes.map { [$0] })
            #expect(events(mutator.pieces(of: bytes)) == one, "seed \(seed)")
            #expect(!one.contains("more after a refusal"), "seed \(seed)")
            #expect(!one.contains("it keeps too much"), "seed \(seed)")
        }
    }

    @Test func `random frames are decoded or end the socket`() {
        let client = WebSocketCodec(role: .client, messageBytes: 1_000) { count in
            Array(repeating: 7, count: count)
        }
        var samples: [[UInt8]] = []
        for text in ["hello", "", String(repeating: "ä", count: 80)] {
            #expect(client.send(.text(text)))
            samples.append(client.takeOutput())
        }
        let words: [[UInt8]] = [
            [0x81], [0], [0x7F], [0x7E, 0xFF], [0x89, 0x80, 1, 2, 3, 4],
            [0x88, 0x82, 0, 0, 0, 0, 3],
            [0x81, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], [0x01], [0xC1],
        ]
        for seed in Mutator.seed..<(Mutator.seed + UInt64(Mutator.rounds)) {
            var mutator = Mutator(seed: seed, samples: samples, words: words)
            let bytes = mutator.next() + mutator.next()
            let server = WebSocketCodec(role: .server, messageBytes: 1_000) { _ in [] }
            var isOver = false
            for piece in mutator.pieces(of: bytes) {
                for event in server.receive(piece) {
                    #expect(!isOver, "more after the end, seed \(seed)")
                    switch event {
                    case .violation, .closed: isOver = true
                    default: break
                    }
                }
            }
        }
    }
}
