// SPDX-License-Identifier: Apache-2.0

import RoostSockets
import RoostTestSupport
import Testing

@testable import RoostNATS

/// The bytes of a server, which may come in any pieces and from a stranger.
struct NATSParserTests {
    private static let text =
        "INFO {\"max_payload\":1024,\"tls_required\":true,\"connect_urls\":[\"a:1\",7,\"b:2\"]} \r\n"
        + "PING\r\npong\r\n+OK\r\nMSG roost.A.1 1 5\r\nhe\r\nl\r\nMSG a\t1 reply 0\r\n\r\n"
        + "-ERR 'Authorization Violation'\r\n"

    private static var info: NATSServerInfo {
        var info = NATSServerInfo()
        (info.maxPayload, info.requiresTLS, info.places) = (1_024, true, ["a:1", "b:2"])
        return info
    }

    private static var frames: [NATSFrame] {
        [
            .info(info), .ping, .pong, .message(Array("he\r\nl".utf8)), .message([]),
            .error("Authorization Violation"),
        ]
    }

    /// Feeds pieces and returns the frames.
    private func frames(_ pieces: [[UInt8]]) throws -> [NATSFrame] {
        var (parser, frames) = (NATSParser(), [NATSFrame]())
        for piece in pieces {
            parser.append(piece)
            while let frame = try parser.next() { frames.append(frame) }
        }
        return frames
    }

    @Test(arguments: 1...40)
    func `frames do not depend on the pieces in which they come`(size: Int) throws {
        let bytes = Array(Self.text.utf8)
        let pieces = stride(from: 0, to: bytes.count, by: size).map {
            Array(bytes[$0..<min($0 + size, bytes.count)])
        }
        #expect(try frames(pieces) == Self.frames)
    }

    @Test func `many messages in one piece keep their order and need no growing memory`() throws {
        var (parser, seen) = (NATSParser(), 0)
        let message = Array("MSG a 1 1000\r\n".utf8) + [UInt8](repeating: 7, count: 1_000)
        let piece = [[UInt8]](repeating: message + [13, 10], count: 100).reduce([], +)
        for _ in 0..<20 {
            // The end of each piece is the beginning of a message.
            parser.append(piece + message)
            while let frame = try parser.next() {
                #expect(frame == .message([UInt8](repeating: 7, count: 1_000)))
                seen += 1
            }
            #expect(!parser.isEmpty)
            parser.append([13, 10])
        }
        #expect(try parser.next() != nil)
        #expect(seen == 20 * 101 - 1)
        #expect(parser.isEmpty)
    }

    @Test(arguments: [
        "HELLO\r\n", "MSG a 1\r\n", "MSG a 1 r 5 6\r\n", "MSG a 1 -1\r\n", "MSG a 1 67108865\r\n",
        "MSG a 1 99999999999999999999\r\n", "MSG a 1 3\r\nabcde", "INFO\r\n", "INFO [1]\r\n",
        "INFO {\"a\":\r\n", "HTTP/1.1 400 Bad Request\r\n", String(repeating: "x", count: 65_537),
        "INFO " + String(repeating: " ", count: 65_537) + "{}\r\n",
    ])
    func `bytes of another protocol are a violation`(text: String) {
        #expect(throws: NATSViolation.self) { try frames([Array(text.utf8)]) }
    }

    @Test func `a server's numbers are bounded`() {
        let text = """
            {"max_payload":9223372036854775807,"proto":-9223372036854775808,"connect_urls":\
            [\(Array(repeating: "\"a:1\"", count: 500).joined(separator: ","))]}
            """
        let info = NATSServerInfo(Array(text.utf8))
        #expect(info?.maxPayload == NATSParser.payloadLimit)
        #expect(info?.protocolNumber == .min)
        #expect(info?.places.count == NATSServerInfo.placeLimit)
        #expect(NATSServerInfo(Array("{\"max_payload\":-5}".utf8))?.maxPayload == 1)
    }

    @Test func `words of an error cannot end a line of the log`() throws {
        let text = "-ERR 'a\u{1B}[31m\u{7}b " + String(repeating: "c", count: 1_000) + "'\r\n"
        guard case .error(let words)? = try frames([Array(text.utf8)]).first else {
            Issue.record("no error")
            return
        }
        #expect(words.hasPrefix("a[31mb ccc"))
        #expect(words.utf8.count == 256)
    }

    // MARK: Addresses

    @Test(arguments: [
        ("nats://bus", "bus", 4_222, false, NATSAddress.Login.none),
        ("bus:1", "bus", 1, false, .none),
        ("TLS://bus:65535/", "bus", 65_535, true, .none),
        ("nats://[::1]:99", "::1", 99, false, .none),
        ("nats://[fe80::1]", "fe80::1", 4_222, false, .none),
        ("nats://token@bus", "bus", 4_222, false, .token("token")),
        ("nats://a:b@bus:7", "bus", 7, false, .password(user: "a", password: "b")),
        ("nats://a:b@c:d/e?@bus", "bus", 4_222, false, .password(user: "a", password: "b@c:d/e?")),
        (
            "nats://a%40b:%25%zz%+5@bus", "bus", 4_222, false,
            .password(user: "a@b", password: "%%zz%+5")
        ),
        ("tls://:@bus", "bus", 4_222, true, .password(user: "", password: "")),
    ])
    func `an address has a place and a login`(
        text: String, host: String, port: UInt16, isSecure: Bool, login: NATSAddress.Login
    ) throws {
        let address = try #require(NATSAddress(text))
        #expect(address.host == host)
        #expect(address.port == port)
        #expect(address.isSecure == isSecure)
        #expect(address.login == login)
    }

    @Test(arguments: [
        "", "nats://", "http://bus", "nats://bus:0", "nats://bus:65536", "nats://bus:+1",
        "nats://bus:1:2", "nats://::1", "nats://a b", "nats://bus/path", "nats://:4222", "[::1",
        "nats://bus:", "nats://a%FF:b@bus", "nats://bus\r\nPUB", "@",
    ])
    func `a text that is no address is refused`(text: String) {
        #expect(NATSAddress(text) == nil)
    }

    @Test func `a subject cannot end a line`() {
        #expect(NATSRequest.isSubject("roost.APP.*"))
        for text in ["", "a b", "a\r\nPUB", "a\u{0}", String(repeating: "a", count: 1_025)] {
            #expect(!NATSRequest.isSubject(text))
        }
    }
}
