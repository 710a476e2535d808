// SPDX-License-Identifier: Apache-2.0

internal import CRoostNATS

/// A failure to reach the bus, with a sentence that says what to do.
package struct NATSError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The class of the failure, by the caller's reaction.
    package enum Kind: Hashable, Sendable {
        case libraryMissing
        /// The library lacks a function that Roost calls.
        case libraryTooOld
        /// No address answered in time; a later attempt may succeed.
        case unreachable
        /// A server refused the name, the password or the token.
        case refused
        /// One end wants TLS and the other does not, or the certificate is not trusted.
        case tlsFailure
        /// An address or a setting cannot be used.
        case invalid
        /// The connection was closed by its owner.
        case closed
        /// A failure with the library's number for it.
        case other(code: Int32)
    }

    package let kind: Kind
    /// The sentence, without passwords.
    package let message: String

    package init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    package var description: String { message }

    static let libraryMissing = NATSError(
        .libraryMissing,
        "The library libnats was not found; install it "
            + "(apt-get install libnats3.4 / brew install cnats), or start without --bus.")

    static let closed = NATSError(
        .closed, "The connection to the bus was closed; open a new one to go on.")

    /// Returns the error for a failed connection.
    ///
    /// - Parameters:
    ///   - status: The library's number.
    ///   - addresses: The addresses as they were given; passwords are left out.
    /// - Returns: A sentence that names the addresses.
    static func connecting(_ status: Int32, to addresses: [String]) -> NATSError {
        let names = addresses.map(withoutSecrets).joined(separator: ", ")
        switch status {
        case ROOST_NATS_AUTH_FAILED:
            return NATSError(
                .refused,
                "The bus at \(names) refused the user name, the password or the token; correct "
                    + "them in the addresses of --bus.")
        case ROOST_NATS_SECURE_WANTED, ROOST_NATS_SECURE_REQUIRED, ROOST_NATS_SSL_ERROR:
            return NATSError(
                .tlsFailure,
                "No TLS connection to the bus at \(names) came about; use tls:// in --bus if the "
                    + "servers ask for TLS and nats:// if not, and check their certificates.")
        case ROOST_NATS_ADDRESS_MISSING, ROOST_NATS_INVALID_ARG:
            return NATSError(
                .invalid,
                "The addresses \(names) cannot be used; write each as nats://HOST:PORT in --bus.")
        case ROOST_NATS_NO_SERVER_SUPPORT:
            return NATSError(
                .other(code: status),
                "The bus at \(names) is too old; install nats-server 2.2 or later.")
        case ROOST_NATS_NO_SERVER, ROOST_NATS_TIMEOUT, ROOST_NATS_IO_ERROR:
            return NATSError(
                .unreachable,
                "The bus at \(names) does not answer; start nats-server there, or correct the "
                    + "addresses in --bus.")
        default:
            return NATSError(
                .other(code: status),
                "No connection to the bus at \(names) came about (libnats error \(status)); check "
                    + "that nats-server runs there.")
        }
    }

    /// Returns an address without the user, the password and the token in it.
    ///
    /// A password may contain any character, so everything up to the last `@` counts as secret.
    package static func withoutSecrets(_ address: String) -> String {
        guard let at = address.lastIndex(of: "@") else { return address }
        let host = address[address.index(after: at)...]
        guard let scheme = address.firstRange(of: "://"), scheme.upperBound <= at else {
            return String(host)
        }
        return String(address[..<scheme.upperBound] + host)
    }
}
