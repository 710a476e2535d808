// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import RoostExecutors
internal import RoostTransport

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// A delegate that collects the pieces of each response and answers each request exactly once.
///
/// Unlike `data(for:)`, a delegate can stop a body at a limit before all of it is in memory. It can
/// also refuse a redirect and bound the whole exchange in time.
final class URLSessionResponses: NSObject, URLSessionDataDelegate, Sendable {
    enum Failure: Error {
        case cancelled
        case timedOut
        /// The body of the request cannot be read.
        case unreadable
        case tooLarge
        case code(URLError.Code)
    }

    typealias Outcome = Result<HTTPResponse, Failure>

    /// A request in progress, with the caller that waits for it.
    private struct Exchange {
        let continuation: CheckedContinuation<Outcome, Never>
        var body: [UInt8] = []
    }

    /// The exchanges in progress; `abandoned` has those that were given up before they began.
    private struct State {
        var exchanges: [Int: Exchange] = [:]
        var abandoned: [Int: Failure] = [:]
    }

    // The caller, its canceller and URLSession's own queue share the state.
    private let state = Guarded(State())
    private let bodyLimit: Int

    init(bodyLimit: Int) {
        self.bodyLimit = bodyLimit
    }

    /// Starts a task; its outcome resumes the continuation once.
    func begin(
        _ task: URLSessionDataTask, _ continuation: CheckedContinuation<Outcome, Never>
    ) {
        let failure = state.withLock { state -> Failure? in
            if let failure = state.abandoned.removeValue(forKey: task.taskIdentifier) {
                return failure
            }
            state.exchanges[task.taskIdentifier] = Exchange(continuation: continuation)
            return nil
        }
        if let failure { continuation.resume(returning: .failure(failure)) } else { task.resume() }
    }

    /// Gives an exchange up, whether or not it has begun or ended.
    ///
    /// A task that has not begun is remembered, and `begin` answers it with the failure.
    func abandon(_ task: URLSessionDataTask, because failure: Failure) {
        state.withLock { state in
            guard state.exchanges[task.taskIdentifier] == nil, task.state == .suspended else {
                return
            }
            state.abandoned[task.taskIdentifier] = failure
        }
        finish(task, with: .failure(failure))
        task.cancel()
    }

    private func finish(_ task: URLSessionTask, with outcome: Outcome) {
        let exchange = state.withLock { $0.exchanges.removeValue(forKey: task.taskIdentifier) }
        exchange?.continuation.resume(returning: outcome)
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data
    ) {
        let isTooLarge = state.withLock { state in
            guard let count = state.exchanges[dataTask.taskIdentifier]?.body.count,
                count + data.count <= bodyLimit
            else { return true }
            state.exchanges[dataTask.taskIdentifier]?.body += data
            return false
        }
        guard isTooLarge else { return }
        finish(dataTask, with: .failure(.tooLarge))
        dataTask.cancel()
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        // A redirect would carry the session key to another host.
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        if let error {
            return finish(task, with: .failure(.code((error as? URLError)?.code ?? .unknown)))
        }
        guard let response = task.response as? HTTPURLResponse else {
            return finish(task, with: .failure(.code(.badServerResponse)))
        }
        let headers = response.allHeaderFields.compactMap { name, value in
            (name as? String).map { (name: $0, value: "\(value)") }
        }.sorted { $0.name < $1.name }
        let body = state.withLock { $0.exchanges[task.taskIdentifier]?.body ?? [] }
        finish(
            task,
            with: .success(
                HTTPResponse(status: response.statusCode, headers: headers, body: body)))
    }
}
