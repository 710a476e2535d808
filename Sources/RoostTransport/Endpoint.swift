// SPDX-License-Identifier: Apache-2.0

/// Host and port of a URL, the only parts that a message may repeat, because the rest contains
/// tokens.
package struct Endpoint: Sendable, Hashable {
    package let host: String
    /// The host, and the port if the URL has one.
    package let name: String

    /// Parses a URL far enough to name it.
    ///
    /// - Throws: `.invalidURL` without a host, for another scheme, or for a character that is not
    ///   percent-encoded.
    package init(_ url: String, schemes: Set<String>) throws(TransportError) {
        guard url.utf8.allSatisfy({ 0x21...0x7E ~= $0 }), let colon = url.firstRange(of: "://"),
            schemes.contains(url[..<colon.lowerBound].lowercased())
        else { throw Self.invalidURL }
        let authority = url[colon.upperBound...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        // A user name may be followed by a password, so the URL is refused and not repeated.
        guard !authority.isEmpty, !authority.contains("@") else { throw Self.invalidURL }
        let host =
            authority.hasPrefix("[")
            ? authority.prefix { $0 != "]" } + "]" : authority.prefix { $0 != ":" }
        guard !host.isEmpty else { throw Self.invalidURL }
        self.host = String(host)
        name = String(authority)
    }

    package static let invalidURL = TransportError(
        .invalidURL,
        "The address of the server cannot be used; write it as scheme://host:port/path, "
            + "percent-encoded.")

    package var cancelled: TransportError {
        TransportError(.cancelled, "The request to \(name) was cancelled.")
    }

    package var timedOut: TransportError {
        TransportError(
            .timedOut, "\(name) did not answer in time; check the network and try again.")
    }

    package var lost: TransportError {
        TransportError(.lost, "The connection to \(name) broke; try again.")
    }
}
