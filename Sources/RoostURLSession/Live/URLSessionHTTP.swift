// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import RoostTransport

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// HTTP through the system's URLSession.
package final class URLSessionHTTP: HTTPTransport {
    private let session: URLSession
    private let responses: URLSessionResponses
    private let answerBytes: Int

    /// Creates a session of its own.
    ///
    /// - Parameter answerBytes: The greatest size of an answer's body in bytes, after
    ///   decompression; a longer answer is an error.
    package init(answerBytes: Int) {
        self.answerBytes = answerBytes
        responses = URLSessionResponses(bodyLimit: answerBytes)
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.urlCredentialStorage = nil
        // A client makes at most eight requests side by side; more would only queue at the server.
        configuration.httpMaximumConnectionsPerHost = 8
        session = URLSession(configuration: configuration, delegate: responses, delegateQueue: nil)
    }

    deinit { session.invalidateAndCancel() }

    package func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        let (endpoint, url) = try Self.address(of: request)
        var urlRequest = Self.urlRequest(request, url)
        urlRequest.httpBody = request.body.map { Data($0) }
        return try await exchange(
            urlRequest, with: endpoint, within: request.timeLimit, UploadMonitor())
    }

    package func upload(
        _ request: HTTPRequest, _ body: HTTPBody
    ) async throws(TransportError) -> HTTPResponse {
        let (endpoint, url) = try Self.address(of: request)
        var urlRequest = Self.urlRequest(request, url)
        #if !canImport(FoundationNetworking)
        // Linux's URLSession sends a stream in chunks, which have no length beside them.
        urlRequest.setValue(String(body.length), forHTTPHeaderField: "Content-Length")
        #endif
        let monitor = UploadMonitor()
        urlRequest.httpBodyStream = BodyStream(body, watchedBy: monitor)
        return try await exchange(urlRequest, with: endpoint, within: request.timeLimit, monitor)
    }

    private static func address(of request: HTTPRequest) throws(TransportError) -> (Endpoint, URL) {
        let endpoint = try Endpoint(request.url, schemes: ["http", "https"])
        guard let url = URL(string: request.url) else { throw Endpoint.invalidURL }
        if Task.isCancelled { throw endpoint.cancelled }
        return (endpoint, url)
    }

    private static func urlRequest(_ request: HTTPRequest, _ url: URL) -> URLRequest {
        var urlRequest = URLRequest(url: url)
        urlRequest.httpMethod = request.method
        // A compressed answer would be counted only after its decompression.
        urlRequest.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        for (name, value) in request.headers {
            urlRequest.addValue(value, forHTTPHeaderField: name)
        }
        // On Linux only whole seconds count; the deadline of the exchange is exact.
        urlRequest.timeoutInterval = (request.timeLimit / .seconds(1)).rounded(.up)
        return urlRequest
    }

    /// Makes one exchange; it may last as long as more of its body is read within the limit.
    private func exchange(
        _ request: URLRequest, with endpoint: Endpoint, within limit: Duration,
        _ monitor: UploadMonitor
    ) async throws(TransportError) -> HTTPResponse {
        let task = session.dataTask(with: request)
        // URLSession's own interval restarts with every byte, so a slow drip would never end. This
        // task ends with the request, at the latest at the limit.
        let deadline = Task { [responses] in
            var last = -1
            while last != monitor.progress {
                last = monitor.progress
                do { try await Task.sleep(for: limit) } catch { return }
            }
            responses.abandon(task, because: .timedOut)
        }
        defer { deadline.cancel() }
        // The task keeps its body's stream, and the stream this closure, so the closure must not keep
        // the task: none of them, nor the file, would ever be released.
        monitor.onFailure { [responses, weak task] in
            guard let task else { return }
            // The call comes from the request's own thread, which cancelling waits for, so another
            // thread cancels.
            Task { responses.abandon(task, because: .unreadable) }
        }
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { responses.begin(task, $0) }
        } onCancel: {
            responses.abandon(task, because: .cancelled)
        }
        switch outcome {
        case .success(let response): return response
        case .failure(let failure): throw endpoint.error(failure, answerBytes)
        }
    }
}

extension Endpoint {
    /// Translates an error of URLSession.
    fileprivate func error(
        _ failure: URLSessionResponses.Failure, _ answerBytes: Int
    ) -> TransportError {
        switch failure {
        case .cancelled: cancelled
        case .timedOut: timedOut
        case .unreadable:
            TransportError(.lost, "The file for \(name) cannot be read on; send it again.")
        case .tooLarge:
            TransportError(
                .answerTooLarge,
                "\(name) answers with more than \(answerBytes) bytes; ask for less.")
        case .code(let code): error(code)
        }
    }

    /// Translates a code of URLSession.
    package func error(_ code: URLError.Code) -> TransportError {
        switch code {
        case .cancelled: cancelled
        case .timedOut: timedOut
        case .cannotFindHost, .dnsLookupFailed:
            TransportError(
                .unreachable, "The host name \(host) is unknown; check spelling and network.")
        case .cannotConnectToHost:
            TransportError(
                .unreachable, "\(name) does not take connections; check that the server runs.")
        case .notConnectedToInternet, .internationalRoamingOff, .dataNotAllowed, .callIsActive:
            TransportError(.unreachable, "The device is offline, so \(name) cannot be reached.")
        // A handshake that the peer cuts gives this code; a refused certificate has its own.
        case .secureConnectionFailed:
            TransportError(
                .lost,
                "TLS with \(name) failed; check that it speaks TLS 1.2 or later, or try again.")
        case .serverCertificateHasBadDate, .serverCertificateUntrusted,
            .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid,
            .clientCertificateRejected, .clientCertificateRequired:
            TransportError(
                .untrusted,
                "The certificate of \(name) is not trusted; check the host and its chain.")
        case .badURL, .unsupportedURL: Self.invalidURL
        default: lost
        }
    }
}
