// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostServer
import RoostSockets
import RoostWire

/// The handler of a server with faults, around the plain one.
///
/// A server without `--chaos` does not have it, and so pays nothing for it.
struct ChaosHandler: HTTPServerHandler {
    private let plain: ChatHandler
    private let layer: ChaosLayer

    /// The decision about a call before the server gets it.
    private enum Beginning {
        case answered(HTTPServerResponse)
        case passed(isAnswerLost: Bool)
    }

    init(_ plain: ChatHandler, _ layer: ChaosLayer) {
        self.plain = plain
        self.layer = layer
    }

    func respond(to request: HTTPServerRequest) async -> HTTPServerResponse {
        guard let call = call(of: request) else { return await plain.respond(to: request) }
        let (user, target) = (user(of: call), ChaosTarget(call: call.place))
        let isLost: Bool
        switch await begin(call, user, target) {
        case .answered(let answer): return plain.opened(answer, for: request)
        case .passed(let isAnswerLost): isLost = isAnswerLost
        }
        var passed = request
        if call.mayBeShort, case .cut(let draw)? = layer.decide(.longPage, of: user, target),
            let shorter = call.shortened(draw: draw)
        {
            passed = request.with(target: shorter)
        }
        var answer = await plain.respond(to: passed)
        if isLost { return plain.opened(Self.lostAnswer, for: request) }
        learnKey(call, answer)
        if call.namesTime, answer.status == 200,
            case .step(let step)? = layer.decide(.time, of: user, target)
        {
            answer.body = Self.earlier(answer.body, by: step)
        }
        // The page is made before the wait, so events overtake it.
        if call.isPage, case .delay(let time)? = layer.decide(.page, of: user, target) {
            await layer.pause(time)
        }
        return answer
    }

    func pieceLimit(of head: HTTPServerRequest) -> Int? { plain.pieceLimit(of: head) }

    func respond(
        to head: HTTPServerRequest, reading body: HTTPRequestBody
    ) async -> HTTPServerResponse {
        guard let call = call(of: head) else {
            return await plain.respond(to: head, reading: body)
        }
        switch await begin(call, user(of: call), ChaosTarget(call: call.place)) {
        case .answered(let answer): return plain.opened(answer, for: head)
        case .passed(let isAnswerLost):
            let answer = await plain.respond(to: head, reading: body)
            return isAnswerLost ? plain.opened(Self.lostAnswer, for: head) : answer
        }
    }

    func upgrade(_ request: HTTPServerRequest) async -> UpgradeDecision {
        let decision = await plain.upgrade(request)
        guard case .accept(let subprotocol, _) = decision else { return decision }
        let handshake = plain.handshake(of: request)
        return .accept(subprotocol: subprotocol) { [plain, layer] connection in
            await ChaosSocket.serve(connection, handshake, by: plain.server, layer)
        }
    }

    // MARK: Calls

    /// Returns a call that may have faults.
    private func call(of request: HTTPServerRequest) -> ChaosCall? {
        plain.permits(request) ? ChaosCall(request) : nil
    }

    private func user(of call: ChaosCall) -> String {
        layer.user(of: call.key) ?? call.pathUser ?? ""
    }

    private func begin(
        _ call: ChaosCall, _ user: String, _ target: ChaosTarget
    ) async -> Beginning {
        if layer.isEnded(call.key) { return .answered(Self.answer(.endedByChaos)) }
        if let key = call.key, !user.isEmpty {
            switch layer.decide(.sessionCall, of: user, target) {
            case .endOfSession:
                layer.end(key)
                return .answered(Self.answer(.endedByChaos))
            // The server itself refuses the call, and the next login by an ended token.
            case .endOfTokens: await plain.server.expireTokens(of: UserID(user))
            case nil, .delay, .loss, .repetition, .silence, .restart, .busy, .status, .cut, .step:
                break
            }
        }
        switch layer.decide(.call, of: user, target) {
        case .busy(let seconds):
            return .answered(
                Self.answer(
                    ServerError(
                        .rateLimited, "Too many requests; wait before the next one.",
                        retryAfter: .seconds(seconds))))
        case .status(let status): return .answered(Self.failure(status))
        case .loss: return .passed(isAnswerLost: true)
        case nil, .delay, .repetition, .silence, .restart, .endOfSession, .endOfTokens, .cut, .step:
            return .passed(isAnswerLost: false)
        }
    }

    private func learnKey(_ call: ChaosCall, _ answer: HTTPServerResponse) {
        guard call.opensSession, answer.status == 200, let user = call.pathUser,
            // An answer of the server is JSON.
            let key = (try? JSONValue(parsing: answer.body))?["key"]?.string
        else { return }
        layer.learn(key, of: user)
    }

    // MARK: Answers

    private static func answer(_ error: ServerError) -> HTTPServerResponse {
        HTTPServerResponse(APIResponse(error))
    }

    /// Returns the answer of a server that failed, or of a proxy before a server that is away.
    private static func failure(_ status: Int) -> HTTPServerResponse {
        status == 500
            ? answer(ServerError(.internalServerError, "The server failed; try again."))
            : HTTPServerResponse(status: status, text: "The server cannot be reached.")
    }

    /// The answer of a proxy whose wait for the server ended too early.
    private static let lostAnswer = HTTPServerResponse(
        status: 504, text: "The server did not answer in time.")

    private static func earlier(_ body: [UInt8], by step: Int64) -> [UInt8] {
        guard let value = try? JSONValue(parsing: body),
            let text = JSONValue.text(of: value, "ts", earlierBy: step)
        else { return body }
        return Array(text.utf8)
    }
}

extension HTTPServerRequest {
    /// Returns the same request with another target.
    fileprivate func with(target: String) -> HTTPServerRequest {
        var request = HTTPServerRequest(
            method: method, target: target, version: version, headers: headers, body: body)
        request.peer = peer
        return request
    }
}
