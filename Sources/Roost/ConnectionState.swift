// SPDX-License-Identifier: Apache-2.0

import RoostCore
public import RoostModel

/// How a client stands to its server.
public enum ConnectionState: Sendable {
    /// `connect` was not called, or `disconnect` was.
    case disconnected
    case connecting
    case connected
    /// The link is gone; the next try comes by itself, in the background with the foreground.
    case reconnecting(RoostError?)
    /// The server said no, and trying again would not change that.
    case refused(RoostError)

    init(_ state: LinkMachine.State, lastFailure: RoostError?) {
        self =
            switch state {
            case .idle: .disconnected
            case .opening, .authenticating:
                lastFailure == nil ? .connecting : .reconnecting(lastFailure)
            case .backingOff, .awaitingNetwork, .asleep: .reconnecting(lastFailure)
            case .online: .connected
            case .refused(let refusal): .refused(RoostError(refusal))
            }
    }

    /// One word for logs and scripts.
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

extension RoostError {
    init(_ refusal: LinkMachine.Refusal) {
        // While the link goes on by itself there is nothing to do but wait.
        let remedy = Self.remedy(of: refusal.code)
        self.init(
            refusal.code, remedy: refusal.isFinal ? (remedy == .retry ? .none : remedy) : .retry,
            message: refusal.message)
    }
}
