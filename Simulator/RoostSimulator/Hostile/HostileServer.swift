// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostTestKit
import RoostTransport
import RoostWire
import Synchronization

/// A hostile server, between a client and an honest server.
///
/// It spoils, withholds or invents the honest server's answers by its mood, and records the
/// client's requests.
final class HostileServer: HTTPTransport, SocketTransport {
    private struct State {
        /// Nil while the server is honest.
        var mood: HostileMood?
        /// The times of all requests and openings of sockets.
        var asked: [Duration] = []
        /// The first answer to each request.
        var firstPages: [String: JSONValue] = [:]
        var lastToken = 0
        /// Honest frames of messages, as templates for invented ones.
        var templates: [String] = []
    }

    private let line: SimulatedLine
    let executor: SimulatedExecutor
    private let random: SimulatedRandom
    private let state = Mutex(State())

    init(over line: SimulatedLine, on executor: SimulatedExecutor, _ random: SimulatedRandom) {
        self.line = line
        self.executor = executor
        self.random = random
    }

    var mood: HostileMood? {
        get { state.withLock { $0.mood } }
        set { state.withLock { $0.mood = newValue } }
    }

    /// The times of all requests and openings of sockets, in order.
    var asked: [Duration] { state.withLock { $0.asked } }

    private func noteAsked() {
        let now = executor.now
        state.withLock { $0.asked.append(now) }
    }

    private func pause(_ duration: Duration) async throws(TransportError) {
        do {
            try await executor.sleep(for: duration)
        } catch {
            throw TransportError(.cancelled, "The request was cancelled.")
        }
    }

    // MARK: Requests

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        noteAsked()
        guard let mood else { return try await line.send(request) }
        if let answer = try await refusal(of: request, mood) { return answer }
        let honest = try await line.send(request)
        return answer(honest, to: request, mood)
    }

    func upload(
        _ request: HTTPRequest, _ body: HTTPBody
    ) async throws(TransportError) -> HTTPResponse {
        noteAsked()
        guard let mood else { return try await line.upload(request, body) }
        if let answer = try await refusal(of: request, mood) { return answer }
        return answer(try await line.upload(request, body), to: request, mood)
    }

    /// Returns an answer made without the honest server, if the mood draws one.
    private func refusal(
        of request: HTTPRequest, _ mood: HostileMood
    ) async throws(TransportError) -> HTTPResponse? {
        if mood.strikes(.silence) {
            try await pause(request.timeLimit)
            throw TransportError(.timedOut, "The hostile server does not answer.")
        }
        if mood.strikes(.slowness) {
            try await pause(min(request.timeLimit, .seconds(10)) - .milliseconds(200))
        } else {
            try await pause(.milliseconds(Int64(1 + mood.pick(20))))
        }
        func error(_ code: RoostError.Code, status: Int = 400) -> HTTPResponse {
            let body = APIResponse(ServerError(code, "no")).body
            return HTTPResponse(status: status, body: body)
        }
        if mood.strikes(.failures) {
            let status = [429, 500, 502, 503, 504][mood.pick(5)]
            return error(status == 429 ? .rateLimited : .internalServerError, status: status)
        }
        if mood.strikes(.nonsense) {
            let status = [200, 200, 404, 500, 502][mood.pick(5)]
            return HTTPResponse(
                status: status, body: Array("<html><body>It works!</body></html>".utf8))
        }
        if mood.strikes(.emptyBodies) { return HTTPResponse(status: 200) }
        if mood.strikes(.expiredSessions) {
            return error(mood.pick(2) == 0 ? .sessionKeyExpired : .sessionKeyNotFound)
        }
        if mood.strikes(.refusals) {
            let codes: [RoostError.Code] = [
                .notAMember, .notFound, .channelNotFound, .messageNotFound, .notAuthorized,
                .invalidValue, .parameterMissing,
            ]
            return error(codes[mood.pick(codes.count)])
        }
        if mood.strikes(.refusedTokens), request.hasToken { return error(.invalidValue) }
        return nil
    }

    private func answer(
        _ honest: HTTPResponse, to request: HTTPRequest, _ mood: HostileMood
    ) -> HTTPResponse {
        guard var tree = try? JSONValue(parsing: honest.body) else { return honest }
        if tree["next"] != nil { tree = page(tree, to: request, mood) }
        if mood.strikes(.emptyLists), case .object(let fields) = tree {
            tree = .object(
                fields.map { field in
                    if case .array = field.value { return JSONValue.Field(field.name, []) }
                    return field
                })
            if tree["next"] != nil { tree["next"] = "" }
        }
        let text = mood.broken(mood.spoil(tree).text)
        return HTTPResponse(status: honest.status, body: Array(text.utf8))
    }

    /// Returns a page changed by the traits for pages.
    private func page(
        _ honest: JSONValue, to request: HTTPRequest, _ mood: HostileMood
    ) -> JSONValue {
        var tree = honest
        let number = state.withLock { state in
            state.lastToken += 1
            return state.lastToken
        }
        if mood.strikes(.repeatedPages) {
            let question = String(request.url.prefix { $0 != "?" })
            tree = state.withLock { state in
                let first = state.firstPages[question] ?? tree
                state.firstPages[question] = first
                return first
            }
            tree["next"] = .string(mood.pick(2) == 0 ? "again" : "again-\(number)")
            tree["has_more"] = true
        }
        if mood.strikes(.endlessTokens) {
            for name in ["channels", "updated", "deleted", "messages"] where tree[name] != nil {
                tree[name] = []
            }
            tree["next"] = .string("endless-\(number)")
            tree["has_more"] = true
        }
        if mood.strikes(.endlessChannels), case .array(let channels)? = tree["channels"] {
            tree["channels"] = .array(
                channels.map { channel in
                    var other = channel
                    other["channel_url"] = .string("invented-\(number)-\(mood.pick(1_000_000))")
                    return other
                })
            tree["next"] = .string("more-\(number)")
        }
        return tree
    }

    // MARK: Sockets

    func open(_ request: SocketRequest) async throws(TransportError) -> any Socket {
        noteAsked()
        let socket = HostileSocket(over: try await line.open(request), server: self)
        await socket.begin()
        return socket
    }

    /// Returns the frames that replace a frame, and whether the socket ends after them.
    func frames(replacing text: String) -> (frames: [String], ends: Bool) {
        guard let mood else {
            remember(text)
            return ([text], false)
        }
        let isLogin = text.hasPrefix("LOGI")
        if mood.strikes(.mutedSockets) { return ([], false) }
        if isLogin { return login(text, mood) }
        if mood.strikes(.lostFrames) { return ([], false) }
        remember(text)
        var frames = [text]
        if let brace = text.firstIndex(of: "{"),
            let tree = try? JSONValue(parsing: String(text[brace...]))
        {
            frames = [mood.broken(text[..<brace] + mood.spoil(tree).text)]
        }
        if mood.strikes(.duplicateFrames) { frames += frames + frames }
        return (frames, false)
    }

    private func login(_ text: String, _ mood: HostileMood) -> (frames: [String], ends: Bool) {
        if mood.strikes(.busyLogins) {
            let seconds: [Int64] = [.max, .min, -1, 0, 1, 30, 100_000]
            return (
                ["BUSY{\"retry_after\":\(seconds[mood.pick(seconds.count)]),\"reason_code\":1}"],
                mood.pick(2) == 0
            )
        }
        if mood.strikes(.refusedLogins) {
            let codes: [RoostError.Code] = [
                .internalServerError, .rateLimited, .sessionKeyExpired, .sessionKeyNotFound,
                .loginRequired, .tokenInvalid, .sessionRevoked, .wrongTypeString,
            ]
            let error = ServerError(codes[mood.pick(codes.count)], "no")
            return ([ServerEvent.login(.failure(error, acknowledges: nil)).encoded], true)
        }
        var answer = text
        if mood.strikes(.absurdLogins),
            var tree = try? JSONValue(parsing: String(text.dropFirst(4)))
        {
            for name in [
                "ping_interval", "pong_timeout", "login_ts", "bg_timeout", "concurrent_call_limit",
            ] where mood.pick(2) == 0 {
                tree[name] = mood.absurdNumber()
            }
            var reconnect: JSONValue = .object([])
            for name in ["interval", "max_interval", "mul", "retry_cnt"] {
                reconnect[name] = mood.absurdNumber()
            }
            tree["reconnect"] = reconnect
            answer = "LOGI" + tree.text
        }
        var frames = [mood.broken(answer)]
        if mood.strikes(.expiringSockets) {
            frames.append(ServerEvent.expired(reason: nil, expiresIn: nil).encoded)
        }
        return (frames, mood.strikes(.closingSockets))
    }

    /// Returns an invented frame, if the mood draws one.
    func invention() -> String? {
        guard let mood else { return nil }
        if mood.strikes(.garbageFrames) { return mood.garbage() }
        if mood.strikes(.eventStorm) { return storm(mood) }
        let template = state.withLock { state in
            state.templates.isEmpty ? nil : state.templates[mood.pick(state.templates.count)]
        }
        guard let template, let brace = template.firstIndex(of: "{"),
            var tree = try? JSONValue(parsing: String(template[brace...]))
        else { return nil }
        let command = String(template[..<brace])
        if mood.strikes(.inventedMessages) {
            for name in ["message_id", "msg_id"] where tree[name] != nil {
                tree[name] =
                    mood.pick(3) == 0 ? mood.absurdNumber() : .int(Int64(1_000_000 + mood.pick(99)))
            }
            for name in ["created_at", "ts"] where tree[name] != nil {
                let honest = tree[name]?.int ?? 0
                tree[name] =
                    mood.pick(3) == 0
                    ? mood.absurdNumber() : .int(honest &- Int64(mood.pick(100_000)))
            }
            if mood.pick(3) == 0 { tree["channel_url"] = .string("c\(mood.pick(40))") }
            tree["req_id"] = nil
            tree["request_id"] = nil
            return [command, "MESG", "MEDI", "DELM"][mood.pick(4)] + tree.text
        }
        if mood.strikes(.falseAnswers) {
            if mood.pick(2) == 0 {
                tree["req_id"] = "nobody-asked"
                return command + tree.text
            }
            let codes = [RoostError.Code.internalServerError, .notAMember, .rateLimited]
            let error = ServerError(codes[mood.pick(codes.count)], "no")
            return ServerEvent.error(error, acknowledges: RequestID("nobody-asked")).encoded
        }
        return nil
    }

    private func storm(_ mood: HostileMood) -> String {
        let categories = [
            10_000, 10_001, 10_020, 10_022, 10_102, 10_201, 10_600, 10_700, 10_701, 11_000, 11_100,
            11_200, 12_000, 13_000, 13_001,
        ]
        return "SYEV{\"cat\":\(categories[mood.pick(categories.count)]),"
            + "\"channel_url\":\"c\(mood.pick(60))\",\"channel_type\":\"group\","
            + "\"ts\":\(1_700_000_000_000 + mood.pick(1_000_000)),"
            + "\"data\":{\"user_id\":\"eve\",\"nickname\":\"eve\",\"users\":[{\"user_id\":\"eve\"}]}}"
    }

    private func remember(_ text: String) {
        guard text.hasPrefix("MESG") else { return }
        state.withLock { $0.templates = Array(($0.templates + [text]).suffix(8)) }
    }
}

extension HTTPRequest {
    /// Whether the request continues a list.
    fileprivate var hasToken: Bool {
        guard let start = url.range(of: "token=") else { return false }
        return url[start.upperBound...].first.map { $0 != "&" } ?? false
    }
}

extension String {
    fileprivate func range(of other: String) -> Range<Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(other) {
                return start..<index(start, offsetBy: other.count)
            }
            start = index(after: start)
        }
        return nil
    }
}
