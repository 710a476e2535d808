// SPDX-License-Identifier: Apache-2.0

/// Why a request or a socket failed below the protocol.
package struct TransportError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Classifies the failure by what the engine does about it.
    package enum Kind: Sendable, Hashable {
        /// No such host, nothing listens there, or no way leads there: the device may be offline.
        case unreachable
        /// No answer within the request's time limit; it may have arrived.
        case timedOut
        /// The connection broke on the way; the request may have arrived.
        case lost
        /// TLS could not verify whom it speaks to.
        case untrusted
        /// A socket's upgrade was answered with an HTTP status. For HTTP a status is no error.
        case refused(status: Int)
        /// The calling task was cancelled.
        case cancelled
        /// The URL or a header cannot stand in a request; trying again cannot help.
        case invalidURL
    }

    package let kind: Kind
    /// What failed and how to put it right; names host and port, never paths, queries or tokens.
    package let message: String

    package init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    package var description: String { message }
}
