// SPDX-License-Identifier: Apache-2.0

/// The parts of a `ws` or `wss` URL that a connection needs.
package struct WebSocketURL: Sendable, Hashable {
    package let isSecure: Bool
    /// Without the brackets of an IPv6 address.
    package let host: String
    package let port: UInt16
    /// Path and query; begins with a slash.
    ///
    /// Holds secrets, so it never appears in messages.
    package let target: String

    /// The `Host` header: the port is left out when it is the scheme's own.
    var authority: String {
        let name = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
        return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
    }

    /// Host and port for messages.
    package var peer: String {
        host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    /// Takes a URL apart.
    ///
    /// - Parameter text: ASCII and percent-encoded; a fragment is dropped, a user name is refused.
    /// - Throws: `.invalidURL`, with a sentence that does not repeat the URL.
    package init(_ text: String) throws(SocketError) {
        guard text.utf8.allSatisfy({ 0x21...0x7E ~= $0 }),
            let colon = text.firstRange(of: "://")
        else { throw Self.invalid }
        switch text[..<colon.lowerBound].lowercased() {
        case "ws": isSecure = false
        case "wss": isSecure = true
        default: throw Self.invalid
        }
        let rest = text[colon.upperBound...].prefix { $0 != "#" }
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        let target = rest[authority.endIndex...]
        self.target = target.hasPrefix("/") ? String(target) : "/" + target

        guard let (host, port) = Self.split(authority) else { throw Self.invalid }
        self.host = String(host)
        guard let port else {
            self.port = isSecure ? 443 : 80
            return
        }
        guard let number = UInt16(port), number > 0 else { throw Self.invalid }
        self.port = number
    }

    private static func split(_ authority: Substring) -> (host: Substring, port: Substring?)? {
        guard !authority.contains("@") else { return nil }
        let host: Substring
        let rest: Substring
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            host = authority[..<end].dropFirst()
            rest = authority[authority.index(after: end)...]
        } else {
            host = authority.prefix { $0 != ":" }
            rest = authority[host.endIndex...]
        }
        guard !host.isEmpty, rest.isEmpty || rest.hasPrefix(":") else { return nil }
        return (host, rest.isEmpty ? nil : rest.dropFirst())
    }

    private static let invalid = SocketError(
        .invalidURL,
        "The address is no WebSocket URL; write it as ws://host:port/path or wss://host/path.")
}
