// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
internal import RoostExecutors
package import RoostSockets

/// HTTP over Roost's own event loop: URLSession holds unbounded bodies on Linux.
package final class UVHTTP: HTTPTransport {
    private let client: HTTPClient
    private let answerBytes: Int

    /// The threads for reads of uploaded files, which may wait for a disk; neither sockets nor the
    /// uploads of other files wait with them.
    private static let readers = ThreadPool(name: "roost.uploads", width: 4)

    /// Creates a transport on a loop that other transports may share; the owner of the loop shuts
    /// it down.
    ///
    /// - Parameters:
    ///   - loop: The loop of the connections.
    ///   - answerBytes: The greatest size of an answer's body in bytes; a longer answer is an
    ///     error.
    ///   - tls: The trusted certificates for `https`; nil means those of the system.
    package init(on loop: EventLoop, answerBytes: Int, tls: TLSContext? = nil) {
        client = HTTPClient(on: loop, tls: tls)
        self.answerBytes = answerBytes
    }

    package func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        try await exchange(request, request.body.map { .bytes($0) } ?? .none)
    }

    package func upload(
        _ request: HTTPRequest, _ body: HTTPBody
    ) async throws(TransportError) -> HTTPResponse {
        try await exchange(request, .pieces(length: body.length) { await Self.piece(of: body) })
    }

    /// Reads the next piece of a body; nil if it cannot be read, or no thread is left to read it.
    private static func piece(of body: HTTPBody) async -> [UInt8]? {
        await withCheckedContinuation { (reader: CheckedContinuation<[UInt8]?, Never>) in
            let isAccepted = readers.run { reader.resume(returning: body.next()) }
            if !isAccepted { reader.resume(returning: nil) }
        }
    }

    private func exchange(
        _ request: HTTPRequest, _ body: HTTPClientRequest.Body
    ) async throws(TransportError) -> HTTPResponse {
        let endpoint = try Endpoint(request.url, schemes: ["http", "https"])
        var headers = HTTPHeaders()
        for (name, value) in request.headers { headers.append(name, value) }
        do throws(SocketError) {
            let response = try await client.send(
                HTTPClientRequest(
                    method: request.method, url: request.url, headers: headers, body: body,
                    timeLimit: request.timeLimit, answerBytes: answerBytes))
            return HTTPResponse(
                status: response.status,
                headers: response.headers.fields.map { (name: $0.name, value: $0.value) },
                body: response.body)
        } catch {
            throw TransportError(error, endpoint)
        }
    }
}
#endif
