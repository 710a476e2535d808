// SPDX-License-Identifier: Apache-2.0

import RoostSockets

/// The credentials of one call.
enum Credential {
    case platform
    case session(String)
    case headers([(name: String, value: String)])
}

/// A body of a call.
enum CallBody {
    case none
    case json(JSON)
    /// Bytes of a content type.
    case bytes([UInt8], type: String)
}

/// Makes the calls of one check, without any rule of the protocol but those of 1.3.
final class ServerCalls {
    /// The largest answer that is read: a page of 200 messages has a fraction of it.
    static let answerBytes = 8 << 20
    /// The tries of a call that the server refuses for its rate.
    private static let rateTries = 5

    let target: Target
    private let client: HTTPClient
    private let transcript: Transcript
    private let budget: ReadBudget
    private let countdown: Countdown
    private let waitLimit: Duration
    /// Whether the calls remove objects, which a canceled run does, too.
    private let isEnding: Bool

    init(
        _ target: Target, _ client: HTTPClient, _ transcript: Transcript, _ budget: ReadBudget,
        _ countdown: Countdown, waitLimit: Duration, isEnding: Bool = false
    ) {
        self.target = target
        self.client = client
        self.transcript = transcript
        self.budget = budget
        self.countdown = countdown
        self.waitLimit = waitLimit
        self.isEnding = isEnding
    }

    /// Makes a call and returns its answer, a refusal too; waits and repeats it where the server
    /// asks for that (1.3).
    ///
    /// - Throws: `.unanswered` without a whole answer in time.
    func call(
        _ method: String, _ path: String, _ query: Query = [:], _ body: CallBody = .none,
        as credential: Credential
    ) async throws(CheckFailure) -> Answer {
        for _ in 1..<Self.rateTries {
            let answer = try await callOnce(method, path, query, body, as: credential)
            guard answer.code == 500_910, !countdown.isOver else { return answer }
            let seconds = answer.retryAfter.flatMap { Int($0) } ?? 1
            await pause(.seconds(min(max(seconds, 1), 60)))
        }
        return try await callOnce(method, path, query, body, as: credential)
    }

    private func pause(_ duration: Duration) async {
        guard isEnding else { return await countdown.pause(duration) }
        let countdown = countdown
        await Uncanceled.run { await countdown.pause(duration) }
    }

    private func callOnce(
        _ method: String, _ path: String, _ query: Query, _ body: CallBody,
        as credential: Credential
    ) async throws(CheckFailure) -> Answer {
        let place = path + (query.items.isEmpty ? "" : "?\(query.encoded)")
        let shown = "\(method) \(place)\(Self.shown(body))"
        guard isEnding || !Task.isCancelled else {
            throw CheckFailure(
                .unanswered, expected: "an answer to \(method) \(path)", seen: "the end of the run")
        }
        let request = HTTPClientRequest(
            method: method, url: target.server + place, headers: headers(credential, body),
            body: Self.sent(body), timeLimit: min(waitLimit, countdown.remaining),
            answerBytes: Self.answerBytes)
        let response: HTTPClientResponse
        do throws(SocketError) {
            response = try await send(request)
        } catch {
            transcript.add("\(shown) -> \(error.message)")
            throw CheckFailure(
                .unanswered, expected: "an answer to \(method) \(path)", seen: error.message)
        }
        try budget.take(response.body.count)
        // A body that is no JSON is the check's business.
        let value = (try? JSON(parsing: response.body)) ?? .missing
        let text = String(decoding: response.body.prefix(40_000), as: UTF8.self)
        transcript.learn(value)
        transcript.add("\(shown) -> \(response.status) \(text)")
        return Answer(
            status: response.status, retryAfter: response.headers["Retry-After"], body: value,
            excerpt: "\(response.status) \(text)")
    }

    /// Sends a request that may make an object to its end, also in a canceled run: only an object
    /// whose answer came is known for its removal.
    private func send(
        _ request: HTTPClientRequest
    ) async throws(SocketError) -> HTTPClientResponse {
        let client = client
        guard isEnding || request.method != "GET" else { return try await client.send(request) }
        let result = await Uncanceled.run { () async -> Result<HTTPClientResponse, SocketError> in
            do throws(SocketError) {
                return .success(try await client.send(request))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    private func headers(_ credential: Credential, _ body: CallBody) -> HTTPHeaders {
        var headers = HTTPHeaders()
        switch credential {
        case .platform: headers.append("Api-Token", target.apiToken)
        case .session(let key): headers.append("Session-Key", key)
        case .headers(let own): for (name, value) in own { headers.append(name, value) }
        }
        switch body {
        case .none: break
        case .json: headers.append("Content-Type", "application/json")
        case .bytes(_, let type): headers.append("Content-Type", type)
        }
        return headers
    }

    private static func sent(_ body: CallBody) -> HTTPClientRequest.Body {
        switch body {
        case .none: .none
        case .json(let value): .bytes(Array(value.description.utf8))
        case .bytes(let bytes, _): .bytes(bytes)
        }
    }

    private static func shown(_ body: CallBody) -> String {
        switch body {
        case .none: ""
        case .json(let value): " \(value)"
        case .bytes(let bytes, let type): " (\(bytes.count) bytes of \(type.prefix(40)))"
        }
    }
}

extension ServerCalls {
    /// Returns the same with other limits, for the removal of a check's objects, which also a
    /// canceled run does.
    func ending(_ countdown: Countdown) -> ServerCalls {
        ServerCalls(
            target, client, transcript, ReadBudget(), countdown, waitLimit: waitLimit,
            isEnding: true)
    }
}
