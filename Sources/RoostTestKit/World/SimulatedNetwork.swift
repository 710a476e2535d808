// SPDX-License-Identifier: Apache-2.0

package import RoostModel
import RoostServer
package import RoostTransport
import RoostWire
import Synchronization

/// One device's link to the server: it delays frames and requests, can be cut, and has its weather.
///
/// Requests take a random time each way, so answers may overtake one another. Frames of one socket
/// keep their order, as with TCP, and each waits for the frames before it.
package final class SimulatedNetwork: HTTPTransport, SocketTransport {
    private struct State {
        var isUp = true
        /// The number of cuts so far.
        var cutCount = 0
        var weather = Weather.calm
        /// The faults that a test injected, by the number of times that remain.
        var requested = Weather.calm
        /// The time of each crossing; nil draws it.
        var delay: Duration?
        var sockets: [SimulatedSocket] = []
        var requestCount = 0
        /// The requests and the openings of sockets that have not ended.
        var openCalls = 0
        var lastLoginAt: Timestamp?
        var hasLostFrame = false
        /// Session keys that the server refuses now.
        var expired: Set<String> = []
        /// Receives a line for each frame, request and fault.
        var observer: (@Sendable (String) -> Void)?
    }

    /// The time of a frame or half a request.
    private static let latencyMS: ClosedRange<Int64> = 2...60
    private static let slowLatencyMS: ClosedRange<Int64> = 500...12_000
    private static let slowAnswerMS: ClosedRange<Int64> = 100...3_000
    /// The time until the loss of a request or an answer is noticed.
    private static let noticeMS: ClosedRange<Int64> = 5...3_000

    private let server: ChatServer
    package let executor: SimulatedExecutor
    let random: SimulatedRandom
    private let state = Mutex(State())

    init(to server: ChatServer, on executor: SimulatedExecutor, _ random: SimulatedRandom) {
        self.server = server
        self.executor = executor
        self.random = random
    }

    /// The number of requests so far, answered or not.
    package var requestCount: Int { state.withLock { $0.requestCount } }

    /// Whether a request, the opening of a socket or a frame is on its way.
    var isBusy: Bool {
        state.withLock { state in
            state.openCalls > 0 || state.sockets.contains { $0.framesOnWay > 0 }
        }
    }

    private func noteCalls(_ number: Int) { state.withLock { $0.openCalls += number } }

    package var weather: Weather {
        get { state.withLock { $0.weather } }
        set { state.withLock { $0.weather = newValue } }
    }

    /// The time at which the last login reached the device; nil before the first.
    package var lastLoginAt: Timestamp? { state.withLock { $0.lastLoginAt } }

    func noteLogin() {
        state.withLock { state in
            state.lastLoginAt = server.world.now()
            state.hasLostFrame = false
        }
    }

    /// Whether a frame was lost on a living socket: no client can know that before its next
    /// connection.
    package var hasLostFrame: Bool { state.withLock { $0.hasLostFrame } }

    func noteLostFrame() { state.withLock { $0.hasLostFrame = true } }

    var isCalm: Bool { state.withLock { $0.weather == .calm && $0.requested == .calm } }

    /// Calls a closure for each frame, request and fault from now on.
    package func observe(_ observer: @escaping @Sendable (String) -> Void) {
        state.withLock { $0.observer = observer }
    }

    func trace(_ line: @autoclosure () -> String) {
        guard let observer = state.withLock({ $0.observer }) else { return }
        observer(line())
    }

    package var isUp: Bool { state.withLock { $0.isUp } }

    /// Cuts the link: frames and requests on their way are lost in both directions.
    package func cut() async {
        state.withLock { state in
            state.isUp = false
            state.cutCount += 1
        }
        await loseSockets()
    }

    /// Breaks the sockets; requests on their way go on.
    package func loseSockets() async {
        let sockets = state.withLock { state in
            defer { state.sockets = [] }
            return state.sockets
        }
        for socket in sockets { await socket.break() }
    }

    package func restore() { state.withLock { $0.isUp = true } }

    // MARK: Faults

    /// Injects a fault a number of times, at the next opportunities.
    func request(_ fault: WritableKeyPath<Weather, UInt64>, times count: UInt64) {
        state.withLock { $0.requested[keyPath: fault] = count }
    }

    /// Returns how often an injected fault is still to happen.
    func remaining(_ fault: WritableKeyPath<Weather, UInt64>) -> UInt64 {
        state.withLock { $0.requested[keyPath: fault] }
    }

    /// Sets the time of each crossing, one frame of a direction after the other; nil draws it.
    package func setDelay(_ delay: Duration?) { state.withLock { $0.delay = delay } }

    /// Draws whether a fault happens now, and counts it.
    func happens(
        _ fault: WritableKeyPath<Weather, UInt64>, _ name: @autoclosure () -> String
    ) -> Bool {
        let isRequested = state.withLock { state in
            // Nothing crosses a cut link, so no fault can meet it.
            guard state.isUp, state.requested[keyPath: fault] > 0 else { return false }
            state.requested[keyPath: fault] -= 1
            return true
        }
        if isRequested {
            trace("!! \(name())")
            return true
        }
        let rate = state.withLock { $0.weather[keyPath: fault] }
        guard rate > 0, random.next() % 1000 < rate else { return false }
        trace("!! \(name())")
        return true
    }

    func latency() -> Duration {
        if let delay = state.withLock({ $0.delay }) { return delay }
        return happens(\.slowCrossing, "slow crossing")
            ? random.duration(in: Self.slowLatencyMS) : random.duration(in: Self.latencyMS)
    }

    func expire(_ key: String) { _ = state.withLock { $0.expired.insert(key) } }

    private func hasExpired(_ key: String?) -> Bool {
        guard let key else { return false }
        return state.withLock { $0.expired.contains(key) }
    }

    // MARK: HTTP

    package func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        state.withLock { $0.requestCount += 1 }
        noteCalls(1)
        defer { noteCalls(-1) }
        trace("-> \(request.method) \(request.url)")
        if let answer = try await refusal(of: request) { return answer }
        let limit = request.timeLimit
        if happens(\.lostRequest, "lost request") { throw try await failure(within: limit) }
        if happens(\.lateRequest, "late request") {
            throw try await lateness(of: request, after: limit + .seconds(1))
        }
        if request.method != "POST", request.method != "PUT",
            happens(\.repeatedRequest, "repeated request")
        {
            Task(executorPreference: executor) {
                try? await self.executor.sleep(for: self.latency())
                _ = await self.server.respond(to: request)
            }
        }
        let there = latency()
        guard there < limit else { throw try await lateness(of: request, after: there) }
        try await cross(there)
        let response = await server.answer(to: request)
        if happens(\.lostAnswer, "lost answer") {
            throw try await failure(within: limit - there)
        }
        let isSlow = happens(\.slowAnswer, "slow answer")
        let back = isSlow ? random.duration(in: Self.slowAnswerMS) : latency()
        guard there + back < limit else {
            try await pause(limit - there)
            throw TransportError(.timedOut, "The simulated answer did not come in time.")
        }
        try await cross(back)
        trace("<- \(response.status) \(String(decoding: response.body, as: UTF8.self))")
        if happens(\.cutAnswer, "cut answer") {
            let count = Int(random.next() % UInt64(response.body.count + 1))
            // A cut is noticed by the length, or not at all.
            guard random.next() % 2 == 0, count < response.body.count else {
                throw TransportError(.lost, "The simulated answer broke off.")
            }
            return HTTPResponse(
                status: response.status, headers: response.headers,
                body: Array(response.body[..<count]))
        }
        return response
    }

    package func upload(
        _ request: HTTPRequest, _ body: HTTPBody
    ) async throws(TransportError) -> HTTPResponse {
        var bytes: [UInt8] = []
        while true {
            guard let piece = body.next() else {
                throw TransportError(.lost, "The simulated file could not be read.")
            }
            if piece.isEmpty { break }
            bytes += piece
        }
        guard Int64(bytes.count) == body.length else {
            throw TransportError(.lost, "The simulated file has not the announced length.")
        }
        var whole = request
        whole.body = bytes
        return try await send(whole)
    }

    /// Returns the refusal of a request by an expired session or a busy server, if there is one.
    private func refusal(
        of request: HTTPRequest
    ) async throws(TransportError) -> HTTPResponse? {
        let key = request.headers.first { $0.name == "Session-Key" }?.value
        if let key, happens(\.expiry, "session expires") { expire(key) }
        if hasExpired(key) {
            try await cross(latency())
            return HTTPResponse(
                APIResponse(ServerError(.sessionKeyExpired, "The simulated session has expired.")))
        }
        guard happens(\.refusedRequest, "refused request") else { return nil }
        try await cross(latency())
        let status = [429, 500, 503][Int(random.next() % 3)]
        let body = APIResponse(ServerError(.internalServerError, "The simulated server is busy."))
        return HTTPResponse(status: status, body: body.body)
    }

    /// Returns the error of a request without an answer, at once or at the end of its time limit.
    private func failure(within limit: Duration) async throws(TransportError) -> TransportError {
        if random.next() % 2 == 0 {
            try await pause(limit)
            return TransportError(.timedOut, "The simulated answer did not come in time.")
        }
        try await pause(min(limit, random.duration(in: Self.noticeMS)))
        return TransportError(.lost, "The simulated connection broke.")
    }

    /// Returns the error of a request that arrives after its time limit.
    ///
    /// A cut of the link loses a request of a set delay. A late request of the weather has left the
    /// link and waits behind it, as in a proxy, so no cut meets it.
    private func lateness(
        of request: HTTPRequest, after delay: Duration
    ) async throws(TransportError) -> TransportError {
        let (isUp, cutCount, isOnLink) = state.withLock { ($0.isUp, $0.cutCount, $0.delay != nil) }
        guard isUp || !isOnLink else { throw .linkIsDown }
        noteCalls(1)
        // The request continues if its caller is cancelled.
        Task(executorPreference: executor) {
            defer { self.noteCalls(-1) }
            try? await self.executor.sleep(for: delay)
            guard !isOnLink || self.state.withLock({ $0.cutCount }) == cutCount else { return }
            _ = await self.server.respond(to: request)
        }
        try await pause(request.timeLimit)
        return TransportError(.timedOut, "The simulated answer did not come in time.")
    }

    private func pause(_ duration: Duration) async throws(TransportError) {
        do {
            try await executor.sleep(for: duration)
        } catch {
            throw TransportError(.cancelled, "The request was cancelled.")
        }
    }

    /// Waits for one crossing of the link; a cut loses it, even if the link is back by then.
    private func cross(_ latency: Duration) async throws(TransportError) {
        let (isUp, cutCount) = state.withLock { ($0.isUp, $0.cutCount) }
        guard isUp else { throw .linkIsDown }
        try await pause(latency)
        guard state.withLock({ $0.cutCount }) == cutCount else {
            throw TransportError(.lost, "The simulated link was cut.")
        }
    }

    // MARK: WebSocket

    package func open(_ request: SocketRequest) async throws(TransportError) -> any Socket {
        try await openSocket(request)
    }

    func openSocket(_ request: SocketRequest) async throws(TransportError) -> SimulatedSocket {
        noteCalls(1)
        defer { noteCalls(-1) }
        try await cross(latency())
        let socket = SimulatedSocket(server: server, network: self)
        let handshake = Handshake(request)
        if happens(\.busyLogin, "busy") {
            let wait = BusyEvent(
                retryAfter: .seconds(Int64(1 + random.next() % 20)), reason: 0, message: "busy")
            await socket.refuse(.busy(wait))
        } else if hasExpired(handshake.sessionKey) {
            let error = ServerError(.sessionKeyExpired, "The simulated session has expired.")
            await socket.refuse(.login(.failure(error, acknowledges: nil)))
        } else {
            await socket.connect(handshake)
        }
        let isUp = state.withLock { state in
            if state.isUp { state.sockets.append(socket) }
            return state.isUp
        }
        guard isUp else {
            await socket.break()
            throw TransportError(.lost, "The simulated link was cut.")
        }
        return socket
    }

    func forget(_ socket: SimulatedSocket) {
        state.withLock { state in state.sockets.removeAll { $0 === socket } }
    }
}

extension TransportError {
    fileprivate static let linkIsDown = TransportError(.unreachable, "The simulated link is down.")
}

extension ChatServer {
    /// Answers a call, or a request for an uploaded file.
    fileprivate func answer(to request: HTTPRequest) async -> HTTPResponse {
        let path = request.url.drop { $0 != "/" }.dropFirst(2).drop { $0 != "/" }
        guard request.method == "GET", path.hasPrefix("/files/") else {
            return HTTPResponse(await respond(to: request))
        }
        func header(_ name: String) -> String? {
            request.headers.first { $0.name == name }?.value
        }
        // The files of a simulated server are in memory, which cannot fail.
        guard let found = try? await file(at: String(path)) else {
            return HTTPResponse(status: 404)
        }
        let answer = FileAnswer(
            found.file, range: header("Range"), condition: header("If-Range"))
        let body = try? await files?.read(found.id, answer.range)
        return HTTPResponse(status: answer.status, headers: answer.headers, body: body ?? [])
    }

    fileprivate func respond(to request: HTTPRequest) async -> APIResponse {
        let target = request.url.drop { $0 != "/" }.dropFirst(2).drop { $0 != "/" }
        func header(_ name: String) -> String? {
            request.headers.first { $0.name.lowercased() == name.lowercased() }?.value
        }
        let headers = RequestHeaders(header)
        do throws(ServerError) {
            let call = try APIRequest(
                method: request.method, target: String(target), body: request.body ?? [],
                contentType: header("Content-Type") ?? "")
            return await respond(to: call, headers: headers)
        } catch {
            return APIResponse(error)
        }
    }
}

extension HTTPResponse {
    fileprivate init(_ answer: APIResponse) { self.init(status: answer.status, body: answer.body) }
}

extension Handshake {
    fileprivate init(_ request: SocketRequest) {
        let query = request.url.drop { $0 != "?" }.dropFirst()
        self.init(
            query: QueryItem.parse(query),
            headers: RequestHeaders { name in
                request.headers.first { $0.name.lowercased() == name.lowercased() }?.value
            }, subprotocols: request.subprotocols)
    }
}
