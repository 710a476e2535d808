// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostServer
import RoostSockets
import RoostWire

/// The handler of HTTP requests and WebSocket connections: it passes them to the chat server.
struct ChatHandler: HTTPServerHandler {
    let server: ChatServer
    private let believesProxy: Bool
    private let formLimit: Int
    private let bodyLimit: Int
    private let origins: OriginPolicy
    private let health: HealthProbe
    private let pages: ServerPages?
    private let moreMetrics: @Sendable () async -> String

    init(
        _ server: ChatServer, believesProxy: Bool, formLimit: Int,
        bodyLimit: Int = HTTPLimits().bodyBytes, origins: OriginPolicy,
        health: HealthProbe, pages: ServerPages? = nil,
        moreMetrics: @escaping @Sendable () async -> String = { "" }
    ) {
        self.server = server
        self.believesProxy = believesProxy
        self.formLimit = formLimit
        self.bodyLimit = bodyLimit
        self.origins = origins
        self.health = health
        self.pages = pages
        self.moreMetrics = moreMetrics
    }

    func respond(to request: HTTPServerRequest) async -> HTTPServerResponse {
        guard permits(request) else { return Self.foreignPage }
        if request.method == "OPTIONS", request.headers["Origin"] != nil {
            return opened(Self.preflight, for: request)
        }
        return await respond(to: request, server.beginCall())
    }

    /// Answers a request; the call is under way until the answer has left.
    private func respond(
        to request: HTTPServerRequest, _ call: CallUnderWay
    ) async -> HTTPServerResponse {
        var response = opened(await answer(to: request, call), for: request)
        response.lease = call
        return response
    }

    func permits(_ request: HTTPServerRequest) -> Bool {
        let all = request.headers.all("Origin")
        return all.count <= 1
            && origins.permits(origin: all.first, host: request.headers["Host"])
    }

    private static let foreignPage = HTTPServerResponse(
        status: 403,
        text:
            "This server does not answer pages of other sites. To allow one, start the server with "
            + "--allow-origin and the page's origin.",
        headers: ["Vary": "Origin"])

    private static let leaving = HTTPServerResponse(
        status: 503, text: "This server is about to end; connect again, to another one.",
        headers: ["Retry-After": "1"])

    /// The bytes of a form that are collected before its receiver gets them.
    private static let pieceBytes = 16_384

    /// The bytes of a body that are read before the sender has proved who they are; a login and a
    /// renewal of a key need far fewer.
    private static let strangersBytes = 65_536

    func pieceLimit(of head: HTTPServerRequest) -> Int? {
        // A form needs some room around its file.
        if Self.isForm(head) { return formLimit }
        // A body in chunks does not say its size.
        let size = head.headers["Content-Length"].flatMap { Int($0) } ?? .max
        return size > Self.strangersBytes ? bodyLimit : nil
    }

    private static func isForm(_ head: HTTPServerRequest) -> Bool {
        APIRequest.isForm(head.headers["Content-Type"] ?? "")
    }

    /// Answers a call with a large body.
    ///
    /// Of a stranger only the beginning is kept. The refusal comes after the whole body, because
    /// many clients read no answer earlier.
    private func respond(
        to head: HTTPServerRequest, collecting body: HTTPRequestBody
    ) async -> HTTPServerResponse {
        let call = server.beginCall()
        var (bytes, isAdmitted): ([UInt8], Bool) = ([], false)
        do throws(SocketError) {
            while let piece = try await body.read() {
                bytes += piece
                guard !isAdmitted, bytes.count > Self.strangersBytes else { continue }
                if let refusal = await refusal(of: head, call) {
                    return opened(HTTPServerResponse(APIResponse(refusal)), for: head)
                }
                isAdmitted = true
            }
        } catch {
            return HTTPServerResponse(status: 400)  // The socket is lost.
        }
        var request = HTTPServerRequest(
            method: head.method, target: head.target, version: head.version,
            headers: head.headers, body: bytes)
        request.peer = head.peer
        return await respond(to: request, call)
    }

    /// Returns the refusal of a caller before the body of the call; nil if it may come.
    private func refusal(of head: HTTPServerRequest, _ call: CallUnderWay) async -> ServerError? {
        do throws(ServerError) {
            try await server.admit(headers(of: head, call))
            return nil
        } catch {
            return error
        }
    }

    func respond(
        to head: HTTPServerRequest, reading body: HTTPRequestBody
    ) async -> HTTPServerResponse {
        guard permits(head) else { return Self.foreignPage }
        guard Self.isForm(head) else { return await respond(to: head, collecting: body) }
        do throws(ServerError) {
            let headers = headers(of: head)
            var call = try call(of: head)
            let receiver = await server.receiver(of: call, headers: headers)
            do throws(SocketError) {
                // A sender of tiny pieces must not cost a change of threads and a write for each.
                var waiting: [UInt8] = []
                while let bytes = try await body.read() {
                    if waiting.isEmpty { waiting = bytes } else { waiting += bytes }
                    guard waiting.count >= Self.pieceBytes else { continue }
                    await receiver?.receive(waiting)
                    waiting = []
                }
                if !waiting.isEmpty { await receiver?.receive(waiting) }
            } catch {
                await receiver?.drop()
                return HTTPServerResponse(status: 400)  // The socket is lost.
            }
            call.form = await receiver?.finish()
            return opened(
                HTTPServerResponse(await server.respond(to: call, headers: headers)), for: head)
        } catch {
            return opened(HTTPServerResponse(APIResponse(error)), for: head)
        }
    }

    /// Lets a permitted page read the answer to its call.
    func opened(
        _ response: HTTPServerResponse, for request: HTTPServerRequest
    ) -> HTTPServerResponse {
        var response = response
        // Also for clients without an origin: a cache may serve their answer to a page.
        response.headers.append("Vary", "Origin")
        if let trace = Self.trace(of: request) { response.headers.append("X-Request-Id", trace) }
        guard let origin = request.headers["Origin"] else { return response }
        response.headers.append("Access-Control-Allow-Origin", origin)
        return response
    }

    private func call(of request: HTTPServerRequest) throws(ServerError) -> APIRequest {
        try APIRequest(
            method: request.method, target: request.target, body: request.body,
            contentType: request.headers["Content-Type"] ?? "")
    }

    /// The name of a request, as proxies give it; nil unless it is harmless in a line and a header.
    private static func trace(of request: HTTPServerRequest) -> String? {
        guard let name = request.headers["X-Request-Id"], (1...64).contains(name.utf8.count),
            name.utf8.allSatisfy({ isTraceByte($0) })
        else { return nil }
        return name
    }

    private static func isTraceByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// The answer to the preflight request of a browser.
    private static let preflight = HTTPServerResponse(
        status: 200,
        headers: [
            "Access-Control-Allow-Methods": "GET, POST, PUT, DELETE",
            "Access-Control-Allow-Headers":
                "Session-Key, Access-Token, App-Id, Content-Type, SendBird, SB-User-Agent, "
                + "SB-SDK-User-Agent, Request-Sent-Timestamp",
            "Access-Control-Max-Age": "86400",
        ])

    private func headers(
        of request: HTTPServerRequest, _ call: CallUnderWay? = nil
    ) -> RequestHeaders {
        var headers = RequestHeaders { request.headers[$0] }
        // The last address is the proxy's own entry; the client wrote those before it.
        let forwarded = believesProxy ? request.headers.list("X-Forwarded-For").last : nil
        headers.trace = Self.trace(of: request)
        headers.peer =
            forwarded.map { ClientNetwork.name(of: $0) }
            ?? (request.peer.isEmpty ? nil : request.peer)
        headers.call = call
        return headers
    }

    private func answer(
        to request: HTTPServerRequest, _ call: CallUnderWay
    ) async -> HTTPServerResponse {
        if let pages {
            let peer = headers(of: request).peer
            if let page = await pages.respond(to: request, from: peer) { return page }
        }
        // Clients request `/` at each connect and ignore the answer.
        if request.target == "/" { return HTTPServerResponse(APIResponse.empty) }
        if request.method == "GET", request.target.hasPrefix("/files/") {
            return await file(request)
        }
        if request.method == "GET", request.target == "/health" {
            return await health.health()
        }
        if request.method == "GET", request.target == "/ready" { return await health.readiness() }
        if request.method == "GET", request.target == "/metrics" {
            return HTTPServerResponse(
                status: 200, headers: ["Content-Type": "text/plain; version=0.0.4"],
                body: Array((await server.metrics.text + moreMetrics()).utf8))
        }
        do throws(ServerError) {
            return HTTPServerResponse(
                await server.respond(
                    to: try self.call(of: request), headers: headers(of: request, call)))
        } catch {
            return HTTPServerResponse(APIResponse(error))
        }
    }

    /// Returns the answer about a file that the server does not look for, or cannot read now.
    ///
    /// A client drops an address after 404, and tries again after 429 and 503.
    private static func refusal(ofFile error: ServerError) -> HTTPServerResponse {
        guard error.code == .rateLimited else {
            return HTTPServerResponse(status: 503, text: error.message)
        }
        var response = HTTPServerResponse(status: 429, text: error.message)
        if let wait = error.retryAfter {
            response.headers.append("Retry-After", String(wait.wholeSecondsUp))
        }
        return response
    }

    /// Sends a file or a range of it.
    private func file(_ request: HTTPServerRequest) async -> HTTPServerResponse {
        let path = request.target.split(separator: "?", maxSplits: 1)[0]
        let found: (id: String, file: StoredFile)?
        do throws(ServerError) {
            found = try await server.file(at: String(path), from: headers(of: request).peer)
        } catch {
            return Self.refusal(ofFile: error)
        }
        guard let files = server.files, let (id, file) = found else {
            return HTTPServerResponse(status: 404, text: "There is no such file.")
        }
        let answer = FileAnswer(
            file, range: request.headers["Range"], condition: request.headers["If-Range"])
        var response = HTTPServerResponse(status: answer.status)
        for (name, value) in answer.headers { response.headers.append(name, value) }
        response.source = HTTPBodySource(byteCount: answer.range.count) { stretch in
            let start = answer.range.lowerBound
            let place = (start + stretch.lowerBound)..<(start + stretch.upperBound)
            // A failed read cuts the connection: the head has promised these bytes.
            return (try? await files.read(id, place)) ?? []
        }
        return response
    }

    func upgrade(_ request: HTTPServerRequest) async -> UpgradeDecision {
        guard permits(request) else { return .refuse(Self.foreignPage) }
        guard !health.isLeaving else { return .refuse(Self.leaving) }
        let handshake = handshake(of: request)
        let server = self.server
        return .accept(subprotocol: handshake.acceptedSubprotocol) { connection in
            await serve(connection, handshake, by: server)
        }
    }

    /// Returns the login of a request that opens a socket.
    func handshake(of request: HTTPServerRequest) -> Handshake {
        let query = request.target.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
        return Handshake(
            query: QueryItem.parse(query), headers: headers(of: request),
            subprotocols: request.headers.list("Sec-WebSocket-Protocol"))
    }
}

/// Serves one socket from its login to its end.
private func serve(
    _ connection: WebSocketConnection, _ handshake: Handshake, by server: ChatServer
) async {
    guard let session = await server.connect(handshake, SocketOutlet(connection: connection)) else {
        return
    }
    // A broken connection ends the session as a closed one does.
    while let message = try? await connection.receive() {
        if case .text(let text) = message { await server.take(text, from: session) }
    }
    await server.disconnect(session)
}

/// The outgoing side of one socket.
///
/// The socket lives on the server's own thread, so sending needs no wait and no task. The
/// connection has the limit: a slow reader is closed with 1013, which also ends the reading side.
private struct SocketOutlet: SessionOutlet {
    let connection: WebSocketConnection

    func deliver(_ frame: String) { connection.assumeIsolated { $0.post(frame) } }
    func close() { connection.assumeIsolated { $0.post(.normal) } }
    func refuse() { connection.assumeIsolated { $0.post(.policyViolation) } }
    func ping() { connection.assumeIsolated { $0.postPing() } }
    var heardCount: Int { connection.assumeIsolated { $0.heardCount } }
}

extension HTTPServerResponse {
    init(_ response: APIResponse) {
        self.init(
            status: response.status, headers: ["Content-Type": "application/json; charset=utf-8"],
            body: response.body)
        guard let wait = response.retryAfter else { return }
        headers.append("Retry-After", String(wait.wholeSecondsUp))
        // Allows the script of a page to read the header.
        headers.append("Access-Control-Expose-Headers", "Retry-After")
    }
}
