// SPDX-License-Identifier: Apache-2.0

import RoostSockets
import RoostTransport
import Testing

struct LiveTransportTests {
    @Test func `URLSession keeps the contract of HTTP`() async throws {
        try await checkHTTPContract(URLSessionHTTP())
    }

    @Test func `URLSession keeps the contract of uploads`() async throws {
        try await checkUploadContract(URLSessionHTTP())
    }

    @Test func `the event loop keeps the contract of sockets`() async throws {
        try await checkSocketContract { UVSocketTransport(on: $0) }
    }

    @Test func `a response beyond the limit is given up`() async {
        // The length alone tells; the bytes follow until the client hangs up.
        let port = RawServer.pour(megabytes: (URLSessionHTTP.responseLimit >> 20) + 16)
        let error = await #expect(throws: TransportError.self) {
            _ = try await URLSessionHTTP().send(HTTPRequest(url: "http://127.0.0.1:\(port)/"))
        }
        #expect(error?.kind == .lost)
        #expect(error?.message.contains("64 MiB") == true)
    }
}
