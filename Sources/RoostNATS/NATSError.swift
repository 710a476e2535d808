// SPDX-License-Identifier: Apache-2.0

internal import RoostSockets

/// A failure to reach the bus, with a sentence that says what to do.
package struct NATSError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The class of the failure, by the caller's reaction.
    package enum Kind: Hashable, Sendable {
        /// No address answered in time, or none took one more; a later attempt may succeed.
        case unreachable
        /// A server refused the name, the password or the token.
        case refused
        /// One end wants TLS and the other does not, or the certificate is not trusted.
        case tlsFailure
        /// The server lacks something that Roost needs.
        case tooOld
        /// An address or a setting cannot be used.
        case invalid
        /// The peer does not speak the protocol of NATS.
        case violation
        /// The connection was closed by its owner.
        case closed
    }

    package let kind: Kind
    /// The sentence, without passwords.
    package let message: String

    package init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    package var description: String { message }

    /// The rank among the failures of several addresses; the highest says the most.
    var weight: Int {
        switch kind {
        case .unreachable: 0
        case .closed: 1
        case .violation: 2
        case .invalid, .tooOld: 3
        case .tlsFailure: 4
        case .refused: 5
        }
    }

    static let closed = NATSError(
        .closed, "The connection to the bus was closed; open a new one to go on.")

    static let noAddress = NATSError(
        .invalid, "The bus has no address; give one as nats://HOST:PORT in --bus.")

    static func badAddress(_ text: String) -> NATSError {
        NATSError(
            .invalid,
            "The address \(withoutSecrets(text)) of the bus cannot be used; write it as "
                + "nats://HOST:PORT in --bus.")
    }

    static func unreachable(_ addresses: [String]) -> NATSError {
        NATSError(
            .unreachable,
            "The bus at \(names(addresses)) does not answer; start nats-server there, or correct the "
                + "addresses in --bus.")
    }

    /// The error of ends that disagree about TLS.
    static func tls(_ addresses: [String], because reason: String = "") -> NATSError {
        NATSError(
            .tlsFailure,
            "No TLS connection to the bus at \(names(addresses)) came about; use tls:// in --bus if "
                + "the servers ask for TLS and nats:// if not, and check their certificates."
                + (reason.isEmpty ? "" : " \(reason)"))
    }

    static func violation(_ reason: String, at addresses: [String]) -> NATSError {
        NATSError(
            .violation,
            "No server of NATS answers at \(names(addresses)): \(reason) Check the addresses in "
                + "--bus.")
    }

    /// Makes the error of a failed socket.
    static func failed(_ error: SocketError, at addresses: [String]) -> NATSError {
        switch error.kind {
        case .untrusted, .certificateUnusable: tls(addresses, because: error.message)
        // A server that ends or is full in the middle of the handshake looks like this too.
        case .tlsFailure:
            NATSError(.unreachable, tls(addresses, because: error.message).message)
        case .systemFailure, .permissionDenied:
            NATSError(
                .unreachable,
                "The bus at \(names(addresses)) cannot be reached. \(error.message)")
        default: unreachable(addresses)
        }
    }

    /// Makes the error of a refusal before the connection stands.
    ///
    /// - Parameters:
    ///   - text: The server's words.
    ///   - addresses: The addresses as they were given; passwords are left out.
    /// - Returns: A sentence that names the addresses.
    static func refusal(_ text: String, at addresses: [String]) -> NATSError {
        let words = text.lowercased()
        let isAboutLogin =
            words.contains("authorization") || words.contains("authentication expired")
            || words.contains("authentication revoked")
        guard isAboutLogin else {
            return NATSError(
                .unreachable, "The bus at \(names(addresses)) accepts no connection: \(text).")
        }
        return NATSError(
            .refused,
            "The bus at \(names(addresses)) refused the user name, the password or the token; "
                + "correct them in the addresses of --bus.")
    }

    /// Whether a server's words are about a subject, so that the connection goes on.
    static func isAboutRights(_ text: String) -> Bool {
        text.lowercased().hasPrefix("permissions violation")
    }

    static func names(_ addresses: [String]) -> String {
        addresses.map(withoutSecrets).joined(separator: ", ")
    }

    /// Returns an address without the user, the password and the token in it.
    ///
    /// A password may contain any character, so everything up to the last `@` counts as secret.
    package static func withoutSecrets(_ address: String) -> String {
        guard let at = address.lastIndex(of: "@") else { return address }
        let host = address[address.index(after: at)...]
        guard let scheme = address.firstRange(of: "://"), scheme.upperBound <= at,
            address[..<scheme.lowerBound].utf8.allSatisfy({ 0x61...0x7A ~= $0 | 0x20 })
        else { return String(host) }
        return String(address[..<scheme.upperBound] + host)
    }
}
