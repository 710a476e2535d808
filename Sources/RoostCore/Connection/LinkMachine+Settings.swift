// SPDX-License-Identifier: Apache-2.0

extension LinkMachine {
    /// The time limit for opening a socket and for the login.
    package static let loginTimeout = Duration.seconds(10)
    /// The time after which a connection's end restarts the count of attempts.
    ///
    /// A shorter connection counts as a failed attempt. So a server that accepts every login and
    /// ends every connection leads to growing waits.
    package static let proofTime = Duration.seconds(10)

    /// The part of a login answer that concerns the connection itself, within fixed bounds.
    package struct Settings: Equatable, Codable, Sendable {
        /// The silence before a ping, 1...600 s.
        package let pingInterval: Duration
        /// The time for the answer to a ping, 0.1...60 s.
        package let pongTimeout: Duration
        package let backoff: Backoff
        /// The time for which the socket of an app in the background stays open, 0...600 s.
        package let backgroundStay: Duration

        /// 15 s between pings, 5 s for the answer, 30 s in the background.
        package static let standard = Settings(
            pingInterval: .seconds(15), pongTimeout: .seconds(5), backoff: .standard)

        package init(
            pingInterval: Duration, pongTimeout: Duration, backoff: Backoff,
            backgroundStay: Duration = .seconds(30)
        ) {
            self.pingInterval = min(max(pingInterval, .seconds(1)), .seconds(600))
            self.pongTimeout = min(max(pongTimeout, .milliseconds(100)), .seconds(60))
            self.backoff = backoff
            self.backgroundStay = min(max(backgroundStay, .zero), .seconds(600))
        }
    }
}
