// SPDX-License-Identifier: Apache-2.0

import RoostCore
public import RoostModel

/// The state of a client's connection.
public enum ConnectionState: Equatable, Sendable {
    /// `connect()` has not been called, or `disconnect()` has.
    case disconnected
    /// The first attempt since `connect()` is in progress.
    case connecting
    /// The server has accepted the login.
    case connected
    /// The connection is lost, for this reason. The client retries by itself; in the background it
    /// waits for the next foreground.
    case reconnecting(RoostError?)
    /// The server has refused the login for good; the client has stopped.
    case refused(RoostError)

    init(_ link: Link) { self.init(link.state, lastFailure: link.lastFailure) }

    init(_ state: LinkMachine.State, lastFailure: RoostError?) {
        self =
            switch state {
            case .idle: .disconnected
            case .opening, .authenticating, .awaitingToken:
                lastFailure == nil ? .connecting : .reconnecting(lastFailure)
            case .backingOff, .awaitingNetwork, .asleep: .reconnecting(lastFailure)
            case .online: .connected
            case .refused(let refusal): .refused(RoostError(refusal))
            }
    }

    /// The state in one word, for logs and scripts.
    public var name: String {
        switch self {
        case .disconnected: "disconnected"
        case .connecting: "connecting"
        case .connected: "connected"
        case .reconnecting: "reconnecting"
        case .refused: "refused"
        }
    }
}
