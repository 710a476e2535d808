// SPDX-License-Identifier: Apache-2.0

internal import RoostExecutors
package import RoostSockets

/// The gate of a live page on this machine: every request passes it.
package final class PageGate: Sendable {
    package enum Decision: Sendable {
        case admit
        case refuse(HTTPServerResponse)
    }

    private struct State: Sendable {
        var access: PageAccess
        let port: UInt16
    }

    private let state = Guarded<State?>(nil)
    private let second: @Sendable () -> Int64
    private let makeKey: @Sendable () -> String

    /// Makes a closed gate.
    ///
    /// - Parameters:
    ///   - second: The present second of any clock.
    ///   - makeKey: Returns a new secret.
    package init(
        second: @escaping @Sendable () -> Int64, makeKey: @escaping @Sendable () -> String
    ) {
        self.second = second
        self.makeKey = makeKey
    }

    /// Opens the gate for a port; returns the token of the link that works once.
    package func open(port: UInt16) -> String {
        let token = makeKey()
        state.withLock { $0 = State(access: PageAccess(link: token, port: port), port: port) }
        return token
    }

    /// Decides on a request.
    ///
    /// The `Host` header must name this machine: a page of another site can point its own name at
    /// it, and a browser would take its requests for those of our page.
    package func decide(on request: HTTPServerRequest) -> Decision {
        state.withLock { state in
            guard let open = state else {
                return .refuse(.refusedPage(503, "The page is not ready yet."))
            }
            guard request.method == "GET" || request.method == "HEAD" else {
                return .refuse(.refusedPage(405, "This page only shows."))
            }
            guard Self.isLocal(request, port: open.port) else {
                return .refuse(.refusedPage(403, "This page is for the browser of this machine."))
            }
            let now = second()
            if request.path == "/", let token = request.query("link") {
                let key = makeKey()
                if state?.access.redeem(token, for: key, at: now) == true {
                    return .refuse(.seeOther(OwnPath("/"), cookie: open.access.cookie(key)))
                }
            }
            if open.access.admits(cookies: request.headers["Cookie"], at: now) { return .admit }
            return .refuse(
                .refusedPage(
                    403,
                    "This page opens with the link that the program printed at its start. The link works once."
                ))
        }
    }

    private static func isLocal(_ request: HTTPServerRequest, port: UInt16) -> Bool {
        let hosts = ["127.0.0.1:\(port)", "localhost:\(port)", "[::1]:\(port)"]
        guard let host = request.headers["Host"], hosts.contains(host.lowercased()) else {
            return false
        }
        let origins = request.headers.all("Origin")
        return origins.allSatisfy { $0.lowercased() == "http://\(host.lowercased())" }
    }
}
