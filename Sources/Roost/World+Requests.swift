// SPDX-License-Identifier: Apache-2.0

import RoostTransport

extension World {
    /// Returns a world that reports the outcome of each HTTP request.
    ///
    /// The line has method, path and status, and neither query, headers nor bodies.
    package func reportingRequests(
        to report: @escaping @Sendable (_ line: () -> String) -> Void
    ) -> World {
        var world = self
        world.http = ReportedRequests(transport: http, report: report)
        return world
    }
}

/// A transport that reports each request and its outcome.
private struct ReportedRequests: HTTPTransport {
    let transport: any HTTPTransport
    let report: @Sendable (() -> String) -> Void

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        do throws(TransportError) {
            let response = try await transport.send(request)
            report { request.logLine + " \(response.status)" }
            return response
        } catch {
            report { request.logLine + " without an answer" }
            throw error
        }
    }

    func upload(
        _ request: HTTPRequest, _ body: HTTPBody
    ) async throws(TransportError) -> HTTPResponse {
        do throws(TransportError) {
            let response = try await transport.upload(request, body)
            report { request.logLine + " \(response.status)" }
            return response
        } catch {
            report { request.logLine + " without an answer" }
            throw error
        }
    }
}

extension HTTPRequest {
    /// The method and the path; a query may contain private data.
    fileprivate var logLine: String {
        let path = url.prefix { $0 != "?" }.split(separator: "/", omittingEmptySubsequences: true)
        return "\(method) /" + path.dropFirst(2).joined(separator: "/")
    }
}
