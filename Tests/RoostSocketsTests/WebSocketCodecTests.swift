// SPDX-License-Identifier: Apache-2.0

import RoostSockets
import Testing

struct WebSocketCodecTests {
    private static let mask: [UInt8] = [1, 2, 3, 4]

    private func codec(
        _ role: WebSocketCodec.Role, messageBytes: Int = 1_000, _ deflate: WebSocketDeflate? = nil
    ) -> WebSocketCodec {
        WebSocketCodec(role: role, messageBytes: messageBytes, deflate: deflate) {
            Array(Self.mask.prefix($0))
        }
    }

    /// Returns a frame of a client, or without a mask of a server.
    private func frame(
        _ opcode: UInt8, _ payload: [UInt8], isLast: Bool = true, isMasked: Bool = true
    ) -> [UInt8] {
        var bytes: [UInt8] = [(isLast ? 0x80 : 0) | opcode]
        let maskBit: UInt8 = isMasked ? 0x80 : 0
        if payload.count < 126 {
            bytes.append(maskBit | UInt8(payload.count))
        } else {
            bytes += [maskBit | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
        }
        guard isMasked else { return bytes + payload }
        return bytes + Self.mask
            + payload.enumerated().map { $0.element ^ Self.mask[$0.offset % 4] }
    }

    private func text(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test func `one end decodes the other end's frames`() {
        let (client, server) = (codec(.client), codec(.server))
        for message in [
            WebSocketMessage.text(""), .text("hé"), .binary([0, 255]),
            .text(String(repeating: "x", count: 900)),
        ] {
            #expect(client.send(message))
            #expect(server.receive(client.takeOutput()) == [.message(message)])
            #expect(server.send(message))
            #expect(client.receive(server.takeOutput()) == [.message(message)])
        }
    }

    @Test func `agreed compression shrinks each message by itself, except for small ones`() {
        let deflate = WebSocketDeflate()
        let (client, server) = (
            codec(.client, messageBytes: 10_000, deflate),
            codec(.server, messageBytes: 10_000, deflate)
        )
        let long = String(repeating: "häl", count: 1_000)
        for message in [
            WebSocketMessage.text(long), .text("short"), .binary(Array(long.utf8)), .text(long),
        ] {
            #expect(server.send(message))
            let bytes = server.takeOutput()
            #expect(bytes.count < 100)
            #expect((bytes[0] & 0x40 != 0) == (bytes.count > 20))
            #expect(client.receive(bytes) == [.message(message)])
            #expect(client.send(message))
            #expect(server.receive(client.takeOutput()) == [.message(message)])
        }
        var generator = SystemRandomNumberGenerator()
        let noise = (0..<3_000).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        #expect(server.send(.binary(noise)))
        #expect(client.receive(server.takeOutput()) == [.message(.binary(noise))])
    }

    @Test func `a compressed message has the usual limit and checks`() throws {
        let deflate = WebSocketDeflate()
        let bomb = try #require(deflate.deflate([UInt8](repeating: 0, count: 1_000_000)))
        #expect(bomb.count < 2_000)
        let broken = try #require(deflate.deflate([UInt8](repeating: 0xFF, count: 500)))
        for (payload, opcode, code): ([UInt8], UInt8, UInt16) in [
            (bomb, 2, 1009), (broken, 1, 1007), ([0xFF, 0xFF, 0xFF], 1, 1007),
        ] {
            let server = codec(.server, messageBytes: 10_000, deflate)
            var bytes = frame(opcode, payload)
            bytes[0] |= 0x40
            #expect(server.receive(bytes + frame(1, text("x"))) == [.violation(code: code)])
            let answer = server.takeOutput()
            #expect(answer == [0x88, 2, UInt8(code >> 8), UInt8(code & 0xFF)])
            #expect(!server.send(.text("late")))
        }
        var plain = frame(1, broken)
        plain[0] |= 0x40
        #expect(codec(.server).receive(plain) == [.violation(code: 1002)], "nobody agreed on it")
    }

    @Test func `a message to many connections is compressed once`() {
        let deflate = WebSocketDeflate()
        let text = String(repeating: "news for everyone. ", count: 40)
        let client = codec(.client, deflate)
        for _ in 0..<10 {
            let server = codec(.server, deflate)
            #expect(server.send(.text(text)))
            #expect(client.receive(server.takeOutput()) == [.message(.text(text))])
        }
        #expect(deflate.deflatedCount == 1)
        #expect(codec(.server, deflate).send(.text(text + "!")))
        #expect(deflate.deflatedCount == 2)
    }

    /// Returns a text frame that is marked as compressed.
    private func deflated(_ payload: [UInt8]) -> [UInt8] {
        var bytes = frame(1, payload)
        bytes[0] |= 0x40
        return bytes
    }

    @Test func `many small messages of one read have a common limit when inflated`() throws {
        let deflate = WebSocketDeflate()
        let zeros = try #require(deflate.deflate([UInt8](repeating: 0, count: 60_000)))
        let server = codec(.server, messageBytes: 65_536, deflate)
        let bytes = deflated(zeros)
        #expect(server.receive(bytes + bytes).count == 2)
        #expect(server.receive((0..<10).flatMap { _ in bytes }).count == 10, "each read anew")
        let events = server.receive((0..<1_000).flatMap { _ in bytes })
        #expect(events.last == .violation(code: 1009))
        #expect(events.count - 1 == (65_536 + 1_048_576) / 60_000)
    }

    @Test func `a compressed message without its end is malformed`() throws {
        let deflate = WebSocketDeflate()
        let text = (0..<200).map { "word \($0 * 7_919)" }.joined(separator: " ")
        let whole = try #require(deflate.deflate(Array(text.utf8)))
        for count in 1..<whole.count {
            let server = codec(.server, messageBytes: 10_000, deflate)
            let events = server.receive(deflated(Array(whole.prefix(count))))
            #expect(events == [.violation(code: 1007)], "\(count) of \(whole.count)")
        }
        // "Hello" in a last block, as RFC 7692, 7.2.3.4 shows it, and as zlib ends a stream.
        let hello: [UInt8] = [0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]
        for (payload, isWhole) in [
            (hello + [0], true), (hello, true), (Array(hello.dropLast()), false),
            (hello + [1], false), (hello + [0, 0], false),
        ] {
            let events = codec(.server, deflate).receive(deflated(payload))
            #expect(events == [isWhole ? .message(.text("Hello")) : .violation(code: 1007)])
        }
    }

    @Test func `only the first frame of a message may be marked as compressed, after an agreement`()
    {
        let start = frame(1, text("a"), isLast: false)
        for (bytes, deflate): ([UInt8], WebSocketDeflate?) in [
            ([0xC9, 0x80] + Self.mask, WebSocketDeflate()),
            (start + [0xC0, 0x80] + Self.mask, WebSocketDeflate()),
            ([0xC9, 0x80] + Self.mask, nil), (start + [0xC0, 0x80] + Self.mask, nil),
            (deflated([0]), nil),
        ] {
            let server = codec(.server, deflate)
            #expect(server.receive(bytes) == [.violation(code: 1002)])
            #expect(server.takeOutput() == [0x88, 2, 0x03, 0xEA])
        }
    }

    @Test(arguments: [
        ("permessage-deflate", true), ("permessage-deflate; client_max_window_bits", true),
        ("x-webkit, permessage-deflate; server_max_window_bits=10, permessage-deflate", true),
        ("permessage-deflate; server_max_window_bits=15", true),
        ("permessage-deflate; server_max_window_bits=10", false),
        ("permessage-deflate; client_max_window_bits=20", false),
        ("permessage-deflate; what=1", false), ("x-webkit-deflate-frame", false),
        ("permessage-deflate; client_max_window_bits; client_max_window_bits", false),
    ])
    func `an acceptable offer of compression is accepted if the server allows it`(
        offer: String, isTaken: Bool
    ) async throws {
        for mayDeflate in [true, false] {
            try await withServer(
                ScriptedHandler(), .with(\.deflatesMessages, mayDeflate)
            ) { server, _ in
                let answer = await RawClient.exchange(
                    RawClient.handshake.dropLast(1) + "Sec-WebSocket-Extensions: \(offer)\r\n\r\n",
                    port: server.port, closesFirst: true)
                #expect(answer.hasPrefix("HTTP/1.1 101"))
                let isSaid = answer.contains(
                    "Sec-WebSocket-Extensions: permessage-deflate; server_no_context_takeover; "
                        + "client_no_context_takeover")
                #expect(isSaid == (isTaken && mayDeflate))
            }
        }
    }

    @Test func `fragments are joined, with control frames in between`() {
        let server = codec(.server)
        let bytes =
            frame(1, text("he"), isLast: false) + frame(9, text("ping"))
            + frame(0, text("l"), isLast: false)
            + frame(10, []) + frame(0, text("lo"))
        #expect(server.receive(bytes) == [.message(.text("hello"))])
        #expect(server.takeOutput() == frame(10, text("ping"), isMasked: false))
    }

    @Test func `bytes one by one give the same messages`() {
        let server = codec(.server)
        let bytes =
            frame(1, text("häl"), isLast: false) + frame(9, []) + frame(0, text("lo"))
            + frame(2, Array(repeating: 7, count: 200)) + frame(8, [3, 232])
        var events: [WebSocketCodec.Event] = []
        for byte in bytes { events += server.receive([byte]) }
        #expect(
            events == [
                .message(.text("hällo")), .message(.binary(Array(repeating: 7, count: 200))),
                .closed(code: 1000, reason: ""),
            ])
    }

    @Test func `a character cut by a fragment's border is valid UTF-8`() {
        let server = codec(.server)
        let bytes = frame(1, [0xC3], isLast: false) + frame(0, [0xA4])
        #expect(server.receive(bytes) == [.message(.text("ä"))])
    }

    static let violations: [(code: UInt16, bytes: [UInt8])] = [
        (1002, [0x81, 0x01, 0x61]),  // not masked
        (1002, [0xC1, 0x80, 1, 2, 3, 4]),  // a reserved bit
        (1002, [0x83, 0x80, 1, 2, 3, 4]),  // a reserved opcode
        (1002, [0x80, 0x80, 1, 2, 3, 4]),  // a continuation of nothing
        (1002, [0x09, 0x80, 1, 2, 3, 4]),  // a ping in fragments
        (1002, [0x89, 0xFE, 0, 126, 1, 2, 3, 4]),  // a ping of 126 bytes
        (1002, [0x01, 0x80, 1, 2, 3, 4, 0x81, 0x80, 1, 2, 3, 4]),  // a message inside a message
        (1002, [0x88, 0x82, 0, 0, 0, 0, 0x03, 0xED]),  // close code 1005
        (1007, [0x81, 0x81, 0, 0, 0, 0, 0xFF]),  // no UTF-8
        (1007, [0x81, 0x81, 0, 0, 0, 0, 0xC3]),  // half a character
        (1007, [0x01, 0x83, 0, 0, 0, 0, 0xED, 0xA0, 0x80]),  // a surrogate, before the end
        (1009, [0x81, 0xFE, 0x03, 0xE9, 0, 0, 0, 0, 0]),  // 1,001 bytes announced
        (1009, [0x81, 0xFF, 0x7F, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]),  // 2^63 bytes announced
    ]

    @Test(arguments: violations)
    func `a violation is answered with its close code, and later bytes are ignored`(
        _ row: (code: UInt16, bytes: [UInt8])
    ) {
        let server = codec(.server)
        #expect(server.receive(row.bytes) == [.violation(code: row.code)])
        let answer = server.takeOutput()
        #expect(answer.prefix(1) == [0x88])
        #expect(answer.dropFirst(2).prefix(2) == [UInt8(row.code >> 8), UInt8(row.code & 0xFF)])
        #expect(server.receive(frame(1, text("more"))) == [])
    }

    @Test(arguments: violations, [WebSocketCodec.Role.server, .client])
    func `a violation after the own close frame ends the connection and is not answered`(
        _ row: (code: UInt16, bytes: [UInt8]), _ role: WebSocketCodec.Role
    ) {
        let codec = codec(role)
        codec.sendClose(code: 1000, reason: "")
        #expect(codec.takeOutput().prefix(1) == [0x88])
        let events = codec.receive(row.bytes)
        if role == .server {
            #expect(events.count == 1)
            #expect(events.allSatisfy { if case .violation = $0 { true } else { false } })
        }
        #expect(codec.takeOutput() == [])
    }

    @Test func `many small fragments cannot grow beyond the limit`() {
        let server = codec(.server, messageBytes: 10)
        var events = server.receive(frame(1, text("123456"), isLast: false))
        events += server.receive(frame(0, text("12345"), isLast: false))
        #expect(events == [.violation(code: 1009)])
    }

    @Test func `a message of endless fragments is refused, empty or not`() {
        for payload in [[], [UInt8(ascii: "x")]] {
            let server = codec(.server, messageBytes: 1_000_000)
            let more = Array(repeating: frame(0, payload, isLast: false), count: 1_023)
            #expect(server.receive(frame(1, payload, isLast: false)) == [])
            #expect(server.receive(more.flatMap { $0 }) == [])
            #expect(server.receive(frame(9, [])) == [])
            let codes = server.receive(frame(0, payload, isLast: false))
            #expect(codes == [.violation(code: 1009)])
        }
    }

    @Test func `a masked frame from a server is a violation`() {
        #expect(codec(.client).receive(frame(1, text("a"))) == [.violation(code: 1002)])
    }

    @Test func `a client masks the close frame of a violation`() {
        let client = codec(.client)
        #expect(client.receive([0x83, 0]) == [.violation(code: 1002)])
        #expect(client.takeOutput() == frame(8, [0x03, 0xEA]))
    }

    @Test func `a close is answered with its code, and nothing can be sent afterwards`() {
        let server = codec(.server)
        let events = server.receive(frame(8, [0x0F, 0xA0] + text("bye")))
        #expect(events == [.closed(code: 4000, reason: "bye")])
        #expect(server.takeOutput().dropFirst(2).prefix(2) == [0x0F, 0xA0])
        #expect(!server.send(.text("late")))
        #expect(server.takeOutput() == [])
    }

    @Test(arguments: [1012, 1013, 1014] as [UInt16])
    func `close codes newer than wslay are accepted`(_ code: UInt16) {
        for (role, isMasked) in [(WebSocketCodec.Role.server, true), (.client, false)] {
            let codec = codec(role)
            let payload = [UInt8(code >> 8), UInt8(code & 0xFF)]
            let bytes = frame(8, payload + text("later"), isMasked: isMasked)
            #expect(codec.receive(bytes) == [.closed(code: code, reason: "later")])
            #expect(codec.takeOutput() == frame(8, payload, isMasked: !isMasked))
        }
    }

    @Test func `a close without a code is a clean close`() {
        #expect(codec(.server).receive(frame(8, [])) == [.closed(code: nil, reason: "")])
    }

    @Test func `a close that this end began is complete with the peer's answer`() {
        let (client, server) = (codec(.client), codec(.server))
        client.sendClose(code: 1000, reason: String(repeating: "ä", count: 100))
        let events = server.receive(client.takeOutput())
        #expect(events == [.closed(code: 1000, reason: String(repeating: "ä", count: 61))])
        #expect(
            client.receive(server.takeOutput())
                == [.closed(code: 1000, reason: String(repeating: "ä", count: 61))])
    }

    @Test func `the accept key is that of the RFC`() {
        #expect(
            WebSocketHandshake.acceptKey(for: "dGhlIHNhbXBsZSBub25jZQ==")
                == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
    }

    static let urls: [(text: String, expected: String)] = [
        ("ws://a", "a 80 / plain"), ("wss://a", "a 443 / secure"),
        ("WSS://a.b:8443/c?d=e#f", "a.b 8443 /c?d=e secure"), ("ws://a?q", "a 80 /?q plain"),
        ("ws://[::1]:9/x", "::1 9 /x plain"),
    ]

    @Test(arguments: urls)
    func `a URL is parsed`(_ row: (text: String, expected: String)) throws {
        let url = try SocketURL(row.text)
        let parts = "\(url.host) \(url.port) \(url.target) \(url.isSecure ? "secure" : "plain")"
        #expect(parts == row.expected)
    }

    @Test(arguments: [
        "", "a", "http://a", "ws://", "ws:///x", "ws://u@a", "ws://a:0", "ws://a:65536", "ws://a:b",
        "ws://a:", "ws://[::1", "ws://a b", "ws://ä", "ws://a\r\nb",
    ])
    func `an invalid WebSocket URL is refused without repeating it`(_ text: String) {
        let error = #expect(throws: SocketError.self) { _ = try SocketURL(text) }
        #expect(error?.kind == .invalidURL)
    }
}
