// SPDX-License-Identifier: Apache-2.0

import Glibc
import RoostSockets
import RoostTestSupport
import Testing

struct TLSTests {
    @Test func `wss works with the right authority`() async throws {
        let files = try TemporaryCertificates()
        let tls = try files.server()
        try await withServer(EchoHandler(), .with(\.tls, tls)) { server, loop in
            let connection = try await WebSocketClient.connect(
                url: "wss://localhost:\(server.port)/",
                tls: try .client(extraAuthoritiesFile: files.authority), on: loop)
            for message in ["hello", String(repeating: "ü", count: 200_000)] {
                try await connection.send(message)
                #expect(try await connection.receive() == .text(message))
            }
            await connection.close()
            #expect(await connection.closeCode == 1000)
        }
    }

    @Test func `an address is verified as an address`() async throws {
        let files = try TemporaryCertificates()
        let tls = try files.server()
        try await withServer(EchoHandler(), .with(\.tls, tls)) { server, loop in
            let connection = try await WebSocketClient.connect(
                url: "wss://127.0.0.1:\(server.port)/",
                tls: try .client(extraAuthoritiesFile: files.authority), on: loop)
            await connection.close()
        }
    }

    @Test func `a certificate of an unknown authority is refused`() async throws {
        let files = try TemporaryCertificates()
        let tls = try files.server()
        try await withServer(EchoHandler(), .with(\.tls, tls)) { server, loop in
            let error = await #expect(throws: SocketError.self) {
                _ = try await WebSocketClient.connect(
                    url: "wss://localhost:\(server.port)/", on: loop)
            }
            #expect(error?.kind == .untrusted)
        }
    }

    @Test func `a certificate for another name is refused`() async throws {
        let files = try TemporaryCertificates(names: "DNS:elsewhere.example")
        let tls = try files.server()
        try await withServer(EchoHandler(), .with(\.tls, tls)) { server, loop in
            for host in ["localhost", "127.0.0.1"] {
                let error = await #expect(throws: SocketError.self) {
                    _ = try await WebSocketClient.connect(
                        url: "wss://\(host):\(server.port)/",
                        tls: try .client(extraAuthoritiesFile: files.authority), on: loop)
                }
                #expect(error?.kind == .untrusted)
            }
        }
    }

    @Test func `TLS against a plain server fails with a sentence`() async throws {
        try await withServer { server, loop in
            let error = await #expect(throws: SocketError.self) {
                _ = try await WebSocketClient.connect(
                    url: "wss://localhost:\(server.port)/", on: loop)
            }
            #expect(error?.kind == .tlsFailure)
        }
    }

    @Test func `https works with the right authority only`() async throws {
        let files = try TemporaryCertificates()
        let tls = try files.server()
        try await withServer(EchoHandler(), .with(\.tls, tls)) { server, loop in
            let request = HTTPClientRequest(
                method: "POST", url: "https://localhost:\(server.port)/path",
                body: .bytes(Array(repeating: 7, count: 200_000)), timeLimit: .seconds(60),
                answerBytes: 1_000_000)
            let client = HTTPClient(
                on: loop, tls: try .client(extraAuthoritiesFile: files.authority))
            for _ in 0..<2 {
                let response = try await client.send(request)
                #expect(response.body == Array("/path".utf8) + Array(repeating: 7, count: 200_000))
            }
            let error = await #expect(throws: SocketError.self) {
                _ = try await HTTPClient(on: loop).send(request)
            }
            #expect(error?.kind == .untrusted)
        }
    }

    @Test func `unusable files are refused with a sentence`() throws {
        let files = try TemporaryCertificates()
        let missing = files.folder + "/missing.pem"
        for (certificate, key) in [
            (missing, files.key), (files.certificate, missing), (files.authority, files.key),
        ] {
            let error = #expect(throws: SocketError.self) {
                _ = try TLSContext.server(certificateChainFile: certificate, privateKeyFile: key)
            }
            #expect(error?.kind == .certificateUnusable)
        }
        let error = #expect(throws: SocketError.self) {
            _ = try TLSContext.client(extraAuthoritiesFile: missing)
        }
        #expect(error?.kind == .certificateUnusable)
    }
}

extension TemporaryCertificates {
    func server() throws -> TLSContext {
        try TLSContext.server(certificateChainFile: certificate, privateKeyFile: key)
    }
}
