// SPDX-License-Identifier: Apache-2.0

/// What went wrong below HTTP and WebSocket.
package struct SocketError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Classifies the failure by what a caller would do about it.
    package enum Kind: Hashable, Sendable {
        /// No address belongs to the host name.
        case nameNotFound
        /// The host answered that nothing listens there.
        case refused
        /// No way leads to the host.
        case unreachable
        case timedOut
        /// The certificate, or the name in it, could not be verified.
        case untrusted
        /// TLS failed for another reason than trust.
        case tlsFailure
        /// The server answered the upgrade with an HTTP status.
        case upgradeRefused(status: Int)
        /// The link broke; what was under way may or may not have arrived.
        case connectionLost
        /// This end had closed the connection before the call.
        case closed
        /// The peer broke the protocol; the connection is closed with this WebSocket code, or
        /// with none when it never became a WebSocket.
        case protocolViolation(code: UInt16?)
        /// The answer's body has more bytes than the caller takes.
        case answerTooLarge
        /// The body of the request cannot be read to its end.
        case bodyUnreadable
        /// The peer reads too slowly, and the outgoing limit is reached.
        case peerTooSlow
        case cancelled
        case invalidURL
        case addressInUse
        case permissionDenied
        /// A certificate or key file cannot be used.
        case certificateUnusable
        /// The event loop is shut down.
        case loopStopped
        /// The operating system refused for a reason of its own.
        case systemFailure
    }

    package let kind: Kind
    /// What failed and how to put it right; names hosts and ports, never paths, queries or contents.
    package let message: String

    package init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    package var description: String { message }
}

extension SocketError {
    static let loopStopped = Self(
        .loopStopped, "The event loop is shut down; start a new one before using sockets.")
    static let cancelled = Self(.cancelled, "The task that waited was cancelled.")
    static let closedHere = Self(
        .closed, "This end closed the connection; open a new one to go on.")
}
