// SPDX-License-Identifier: Apache-2.0

import RoostExecutors
import RoostTestKit
import RoostTransport

/// A transport that counts requests, and answers or delays those that a test chooses.
final class Watch: HTTPTransport {
    private let line: any HTTPTransport
    private let answer: @Sendable (String) -> HTTPResponse?
    private let hold: @Sendable (String) async -> Void
    private let holdAnswer: @Sendable (String) async -> Void
    private let seen = Guarded<[String]>([])

    init(
        _ line: any HTTPTransport,
        answer: @escaping @Sendable (String) -> HTTPResponse? = { _ in nil },
        hold: @escaping @Sendable (String) async -> Void = { _ in },
        holdAnswer: @escaping @Sendable (String) async -> Void = { _ in }
    ) {
        self.line = line
        self.answer = answer
        self.hold = hold
        self.holdAnswer = holdAnswer
    }

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        seen.withLock { $0.append(request.url) }
        await hold(request.url)
        if let response = answer(request.url) { return response }
        let response = try await line.send(request)
        await holdAnswer(request.url)
        return response
    }

    func upload(
        _ request: HTTPRequest, _ body: HTTPBody
    ) async throws(TransportError) -> HTTPResponse {
        try await line.upload(request, body)
    }

    func urls(with part: String) -> [String] {
        seen.withLock { $0 }.filter { $0.contains(part) }
    }

    func reset() { seen.withLock { $0 = [] } }
}

extension SimulatedWorld {
    /// Lets time pass until a condition holds.
    func wait(until isSo: () -> Bool) async {
        while !isSo() { await pass(.milliseconds(10)) }
    }
}
