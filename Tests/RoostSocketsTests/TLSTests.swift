// SPDX-License-Identifier: Apache-2.0

import CRoostTLS
import Glibc
import RoostTestSupport
import Testing

@testable import RoostSockets

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

    @Test func `a peer that asks for new keys again and again and does not read is cut`()
        async throws
    {
        let tls = try TemporaryCertificates().server()
        let loop = try EventLoop.start()
        let addresses = try await NameResolver.resolve(host: "127.0.0.1", port: 0, on: loop)
        let (ends, ended) = AsyncStream.makeStream(of: SocketError.Kind.self)
        let port = try await loop.run { () throws(SocketError) -> UInt16 in
            let listener = try TCPListener(
                bindingTo: addresses[0], named: "127.0.0.1", port: 0, on: loop)
            listener.onConnection = { descriptor in
                RawClient.shrinkBuffer(of: descriptor)
                guard let machine = try? TLSStream(tls, serverName: nil),
                    let tcp = try? TCPStream(adopting: descriptor, on: loop)
                else { return }
                let stream = ByteStream(tcp, tls: machine, on: loop)
                stream.onEvent = { event in
                    switch event {
                    // The kernel takes less, so all later answers wait behind the rest.
                    case .opened: stream.write([UInt8](repeating: 0, count: 8_000_000))
                    case .bytes, .drained: break
                    case .ended:
                        ended.yield(.closed)
                        stream.close()
                    case .failed(let error): ended.yield(error.kind)
                    }
                }
                stream.start()
            }
            listener.resume()
            return listener.port
        }
        let client = RawClient.open("", port: port)
        await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
            Thread.run {
                askForKeys(10_000, on: client)
                // The end comes behind all requests. A closed connection with unread bytes is
                // reset, and the server would not get the requests that are on their way.
                shutdown(client, CInt(SHUT_WR))
                done.resume()
            }
        }
        var iterator = ends.makeAsyncIterator()
        let end = await iterator.next()
        close(client)
        #expect(end == .peerTooSlow)
        await loop.shutdown()
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

/// Begins TLS on a connection, asks for new keys many times, and reads no answer.
private func askForKeys(_ count: Int, on descriptor: CInt) {
    // SAFETY: the context and the connection are freed at the end, with its memory buffer. The
    // array has room for the bytes of that buffer.
    let context = unsafe SSL_CTX_new(TLS_client_method())
    let connection = unsafe SSL_new(context)
    defer {
        unsafe SSL_free(connection)
        unsafe SSL_CTX_free(context)
    }
    unsafe SSL_set_fd(connection, descriptor)
    guard unsafe SSL_connect(connection) == 1 else { return }
    // The requests leave together: thousands of small packets would fill the server's buffer, and
    // the kernel would send the refused ones again with growing pauses.
    let requests = unsafe BIO_new(BIO_s_mem())
    unsafe SSL_set0_wbio(connection, requests)
    for _ in 0..<count {
        guard unsafe SSL_key_update(connection, SSL_KEY_UPDATE_REQUESTED) == 1,
            unsafe SSL_do_handshake(connection) == 1
        else { return }
    }
    var bytes = [UInt8](repeating: 0, count: unsafe BIO_ctrl_pending(requests))
    unsafe BIO_read(requests, &bytes, CInt(bytes.count))
    RawClient.sendAll(bytes, on: descriptor)
}

extension TemporaryCertificates {
    func server() throws -> TLSContext {
        try TLSContext.server(certificateChainFile: certificate, privateKeyFile: key)
    }
}
