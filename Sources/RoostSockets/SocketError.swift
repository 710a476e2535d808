// SPDX-License-Identifier: Apache-2.0

/// A failure below HTTP and WebSocket.
package struct SocketError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The class of the failure, by the caller's reaction.
    package enum Kind: Hashable, Sendable {
        /// The host name has no address.
        case nameNotFound
        /// The host answered that nothing listens on the port.
        case refused
        /// The network has no route to the host.
        case unreachable
        case timedOut
        /// The certificate, or the name in it, could not be verified.
        case untrusted
        /// TLS failed for a reason other than trust.
        case tlsFailure
        /// The server answered the upgrade with an HTTP status.
        case upgradeRefused(status: Int)
        /// The connection broke; data in flight may or may not have arrived.
        case connectionLost
        /// This end closed the connection before the call.
        case closed
        /// The peer violated the protocol.
        ///
        /// The connection is closed with this WebSocket code, or without one before the upgrade.
        case protocolViolation(code: UInt16?)
        /// The answer's body exceeds the caller's limit.
        case answerTooLarge
        /// The body of the request cannot be read to its end.
        case bodyUnreadable
        /// The peer reads too slowly, and the outgoing queue is full.
        case peerTooSlow
        case cancelled
        case invalidURL
        case addressInUse
        case permissionDenied
        /// A certificate or key file cannot be used.
        case certificateUnusable
        /// The event loop is shut down.
        case loopStopped
        /// The operating system refused for another reason.
        case systemFailure
    }

    package let kind: Kind
    /// The cause and the remedy; it names hosts and ports, never paths, queries or contents.
    package let message: String

    package init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    package var description: String { message }
}

extension SocketError {
    package static let loopStopped = Self(
        .loopStopped, "The event loop is shut down; start a new one before using sockets.")
    static let cancelled = Self(.cancelled, "The task that waited was cancelled.")
    static let closedHere = Self(
        .closed, "This end closed the connection; open a new one to go on.")
}
