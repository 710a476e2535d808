// SPDX-License-Identifier: Apache-2.0

import RoostServer
import RoostSockets
import RoostWire

/// Hands what the sockets bring to the chat server.
struct ChatHandler: HTTPServerHandler {
    private let server: ChatServer
    private let believesProxy: Bool

    init(_ server: ChatServer, believesProxy: Bool) {
        self.server = server
        self.believesProxy = believesProxy
    }

    func respond(to request: HTTPServerRequest) async -> HTTPServerResponse {
        // Any page may ask, as nothing is granted to whoever only has the user's browser: there are no
        // cookies, and who calls must say a key.
        guard request.headers["Origin"] != nil else { return await answer(to: request) }
        var response =
            request.method == "OPTIONS" ? Self.preflight : await answer(to: request)
        response.headers.append("Access-Control-Allow-Origin", "*")
        return response
    }

    /// What a browser asks before it lets a page call (`protocol.md` 1.3).
    private static let preflight = HTTPServerResponse(
        status: 200,
        headers: [
            "Access-Control-Allow-Methods": "GET, POST, PUT, DELETE",
            "Access-Control-Allow-Headers":
                "Session-Key, Access-Token, App-Id, Content-Type, SendBird, SB-User-Agent, "
                + "SB-SDK-User-Agent, Request-Sent-Timestamp",
            "Access-Control-Max-Age": "86400",
        ])

    private func headers(of request: HTTPServerRequest) -> RequestHeaders {
        var headers = RequestHeaders { request.headers[$0] }
        // The last one is the proxy's own; those before it are whatever the client wrote.
        let forwarded = believesProxy ? request.headers.list("X-Forwarded-For").last : nil
        headers.peer = forwarded ?? (request.peer.isEmpty ? nil : request.peer)
        return headers
    }

    private func answer(to request: HTTPServerRequest) async -> HTTPServerResponse {
        // Clients ask for the bare host at each connect and ignore the answer (`protocol.md` 1.1).
        if request.target == "/" { return HTTPServerResponse(APIResponse.empty) }
        if request.method == "GET", request.target.hasPrefix("/files/") {
            return await file(request)
        }
        if request.method == "GET", request.target == "/health" {
            return await health()
        }
        if request.method == "GET", request.target == "/metrics" {
            return HTTPServerResponse(
                status: 200, headers: ["Content-Type": "text/plain; version=0.0.4"],
                body: Array(await server.metrics.text.utf8))
        }
        do throws(ServerError) {
            let call = try APIRequest(
                method: request.method, target: request.target, body: request.body,
                contentType: request.headers["Content-Type"] ?? "")
            return HTTPServerResponse(
                await server.respond(to: call, headers: headers(of: request)))
        } catch {
            return HTTPServerResponse(APIResponse(error))
        }
    }

    private func health() async -> HTTPServerResponse {
        let isWell = await server.isHealthy()
        return HTTPServerResponse(
            status: isWell ? 200 : 503, headers: ["Content-Type": "application/json"],
            body: Array((isWell ? #"{"status":"ok"}"# : #"{"status":"storage"}"#).utf8))
    }

    /// Sends a file, or the part of it that was asked for, and never as a page of this server.
    private func file(_ request: HTTPServerRequest) async -> HTTPServerResponse {
        let path = request.target.split(separator: "?", maxSplits: 1)[0]
        guard let file = await server.file(at: String(path)) else {
            return HTTPServerResponse(status: 404, text: "There is no such file.")
        }
        let headers: HTTPHeaders = [
            "Content-Type": file.type, "Accept-Ranges": "bytes",
            "X-Content-Type-Options": "nosniff", "Content-Disposition": "attachment",
            "Content-Security-Policy": "sandbox", "Cache-Control": "private, max-age=31536000",
        ]
        guard let header = request.headers["Range"],
            let range = ByteRange(header, of: file.bytes.count)
        else { return HTTPServerResponse(status: 200, headers: headers, body: file.bytes) }
        var partial = headers
        partial.append(
            "Content-Range", "bytes \(range.start)-\(range.end - 1)/\(file.bytes.count)")
        return HTTPServerResponse(
            status: 206, headers: partial, body: Array(file.bytes[range.start..<range.end]))
    }

    func upgrade(_ request: HTTPServerRequest) async -> UpgradeDecision {
        let query = request.target.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
        let handshake = Handshake(
            query: QueryItem.parse(query), headers: headers(of: request),
            subprotocols: request.headers.list("Sec-WebSocket-Protocol"))
        let server = self.server
        return .accept(subprotocol: handshake.acceptedSubprotocol) { connection in
            await serve(connection, handshake, by: server)
        }
    }
}

/// One client's socket, from its login to its end.
private func serve(
    _ connection: WebSocketConnection, _ handshake: Handshake, by server: ChatServer
) async {
    let (items, outlet) = AsyncStream.makeStream(of: SocketOutlet.Item.self)
    await withTaskGroup(of: Void.self) { group in
        group.addTask {
            for await item in items {
                switch item {
                // A connection that is gone, or too slow, ends the reading side below as well.
                case .frame(let text):
                    guard (try? await connection.send(text)) != nil else { return }
                case .end: await connection.close()
                }
            }
        }
        let session = await server.connect(handshake, SocketOutlet(items: outlet))
        // A broken connection and a closed one are the same here: the session is over.
        while let session, let message = try? await connection.receive() {
            if case .text(let text) = message { await server.receive(text, from: session) }
        }
        if let session { await server.disconnect(session) }
        outlet.finish()
    }
}

/// The way out to one socket.
///
/// The queue is emptied as fast as the connection takes frames, and the connection has the limit: a
/// reader that is too slow is closed with 1013.
private struct SocketOutlet: SessionOutlet {
    enum Item: Sendable {
        case frame(String)
        case end
    }

    let items: AsyncStream<Item>.Continuation

    func deliver(_ frame: String) { items.yield(.frame(frame)) }
    func close() { items.yield(.end) }
}

extension HTTPServerResponse {
    fileprivate init(_ response: APIResponse) {
        self.init(
            status: response.status, headers: ["Content-Type": "application/json; charset=utf-8"],
            body: response.body)
        guard let wait = response.retryAfter else { return }
        headers.append("Retry-After", String(wait.wholeSecondsUp))
        // A page's script may read it.
        headers.append("Access-Control-Expose-Headers", "Retry-After")
    }
}
