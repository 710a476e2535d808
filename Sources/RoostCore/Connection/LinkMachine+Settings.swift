// SPDX-License-Identifier: Apache-2.0

extension LinkMachine {
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
