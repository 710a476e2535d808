// SPDX-License-Identifier: Apache-2.0

/// A failure of a request or a socket below the protocol.
package struct TransportError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The class of the failure, by the engine's reaction.
    package enum Kind: Sendable, Hashable {
        /// The host is unknown, refuses the connection or cannot be reached, or TLS could not be
        /// set up for another reason than trust; the device may be offline. Nothing has arrived.
        case unreachable
        /// No answer came within the request's time limit; the request may have arrived.
        case timedOut
        /// The connection broke; the request may have arrived.
        case lost
        /// The answer is longer than the transport takes; a retry gets the same answer.
        case answerTooLarge
        /// The peer's certificate, or the name in it, could not be verified; a retry cannot help.
        ///
        /// A handshake that is cut, or fails otherwise, says nothing about the certificate.
        case untrusted
        /// A socket's upgrade was answered with an HTTP status; for HTTP a status is no error.
        case refused(status: Int)
        /// The calling task was cancelled.
        case cancelled
        /// The URL or a header is not allowed in a request; a retry cannot help.
        case invalidURL
    }

    package let kind: Kind
    /// The cause and the remedy; it names host and port, never paths, queries or tokens.
    package let message: String

    package init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    package var description: String { message }
}
