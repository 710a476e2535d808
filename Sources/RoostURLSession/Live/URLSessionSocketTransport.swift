// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Foundation
internal import RoostExecutors
package import RoostTransport

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// WebSockets through the system's URLSession, which knows about radios, proxies and VPNs.
package final class URLSessionSocketTransport: SocketTransport {
    private let messageBytes: Int

    /// Creates a transport.
    ///
    /// - Parameter messageBytes: The greatest size of an incoming message in bytes; a longer one
    ///   ends its socket.
    package init(messageBytes: Int) {
        self.messageBytes = messageBytes
    }

    package func open(_ request: SocketRequest) async throws(TransportError) -> any Socket {
        let endpoint = try Endpoint(request.url, schemes: ["ws", "wss"])
        guard let url = URL(string: request.url) else { throw Endpoint.invalidURL }
        var urlRequest = URLRequest(url: url)
        urlRequest.timeoutInterval = request.timeLimit / .seconds(1)
        for (name, value) in request.headers {
            urlRequest.addValue(value, forHTTPHeaderField: name)
        }
        if !request.subprotocols.isEmpty {
            urlRequest.setValue(
                request.subprotocols.joined(separator: ", "),
                forHTTPHeaderField: "Sec-WebSocket-Protocol")
        }
        let opening = Opening()
        let session = URLSession(
            configuration: .ephemeral, delegate: opening, delegateQueue: nil)
        let task = session.webSocketTask(with: urlRequest)
        task.maximumMessageSize = messageBytes
        let socket = URLSessionSocket(session: session, task: task, endpoint: endpoint)
        let failure = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                opening.begin(continuation)
                task.resume()
                DispatchQueue.global().asyncAfter(
                    deadline: .now() + request.timeLimit / .seconds(1)
                ) { opening.finish(with: URLError(.timedOut)) }
            }
        } onCancel: {
            opening.finish(with: URLError(.cancelled))
        }
        guard let failure else { return socket }
        task.cancel()
        throw endpoint.socketError(failure, status: (task.response as? HTTPURLResponse)?.statusCode)
    }
}

/// The delegate of a handshake; it answers once.
private final class Opening: NSObject, URLSessionWebSocketDelegate, Sendable {
    private enum State {
        case waiting(CheckedContinuation<URLError?, Never>?)
        case finished(URLError?)
    }
    private let state = Guarded(State.waiting(nil))

    func begin(_ continuation: CheckedContinuation<URLError?, Never>) {
        let outcome: URLError?? = state.withLock { state in
            if case .finished(let outcome) = state { return .some(outcome) }
            state = .waiting(continuation)
            return .none
        }
        if let outcome { continuation.resume(returning: outcome) }
    }

    func finish(with failure: URLError?) {
        let continuation = state.withLock { state -> CheckedContinuation<URLError?, Never>? in
            guard case .waiting(let continuation) = state else { return nil }
            state = .finished(failure)
            return continuation
        }
        continuation?.resume(returning: failure)
    }

    func urlSession(
        _ session: URLSession, webSocketTask: URLSessionWebSocketTask,
        didOpenWithProtocol chosen: String?
    ) { finish(with: nil) }

    func urlSession(
        _ session: URLSession, webSocketTask: URLSessionWebSocketTask,
        didCloseWith closeCode: URLSessionWebSocketTask.CloseCode, reason: Data?
    ) { finish(with: URLError(.networkConnectionLost)) }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        // A redirect would carry the token or the session key to another host.
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) { finish(with: (error as? URLError) ?? URLError(.networkConnectionLost)) }
}

private final class URLSessionSocket: Socket {
    private let session: URLSession
    private let task: URLSessionWebSocketTask
    private let endpoint: Endpoint

    init(session: URLSession, task: URLSessionWebSocketTask, endpoint: Endpoint) {
        self.session = session
        self.task = task
        self.endpoint = endpoint
    }

    deinit { session.invalidateAndCancel() }

    func send(_ text: String) async throws(TransportError) {
        do {
            try await task.send(.string(text))
        } catch {
            throw endpoint.socketError(error, status: nil)
        }
    }

    func receive() async throws(TransportError) -> String? {
        do {
            while true {
                // The protocol is text; a binary frame belongs to a newer version and is ignored.
                if case .string(let text) = try await task.receive() { return text }
            }
        } catch {
            if task.closeCode != .invalid { return nil }
            throw endpoint.socketError(error, status: nil)
        }
    }

    func close() async {
        task.cancel(with: .normalClosure, reason: nil)
        session.finishTasksAndInvalidate()
    }
}

extension Endpoint {
    fileprivate func socketError(_ error: any Error, status: Int?) -> TransportError {
        if error is CancellationError { return cancelled }
        if let status, status != 101 {
            return TransportError(
                .refused(status: status),
                "\(name) answered with HTTP status \(status) instead of a WebSocket; check the "
                    + "address and the credentials.")
        }
        return self.error((error as? URLError)?.code ?? .networkConnectionLost)
    }
}
