// SPDX-License-Identifier: Apache-2.0

/// The parts of a URL that a connection needs.
package struct SocketURL: Sendable, Hashable {
    package let isSecure: Bool
    /// The host, without the brackets of an IPv6 address.
    package let host: String
    package let port: UInt16
    /// Path and query; begins with a slash.
    ///
    /// It contains secrets, so messages never repeat it.
    package let target: String

    /// The `Host` header, without the scheme's default port.
    package var authority: String {
        let name = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
        return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
    }

    /// Host and port for messages.
    package var peer: String {
        host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    /// The two schemes of one protocol.
    package struct Schemes: Sendable, Hashable {
        let plain: String
        let secure: String

        package static let webSocket = Self(plain: "ws", secure: "wss")
        package static let http = Self(plain: "http", secure: "https")
    }

    /// Parses a URL.
    ///
    /// - Parameters:
    ///   - text: ASCII and percent-encoded; a fragment is dropped, a user name is refused.
    ///   - schemes: The allowed schemes.
    /// - Throws: `.invalidURL`, with a sentence that does not repeat the URL.
    package init(_ text: String, _ schemes: Schemes = .webSocket) throws(SocketError) {
        let invalid = SocketError(
            .invalidURL,
            "The address cannot be used; write it as \(schemes.plain)://host:port/path or "
                + "\(schemes.secure)://host/path.")
        guard text.utf8.allSatisfy({ 0x21...0x7E ~= $0 }),
            let colon = text.firstRange(of: "://")
        else { throw invalid }
        switch text[..<colon.lowerBound].lowercased() {
        case schemes.plain: isSecure = false
        case schemes.secure: isSecure = true
        default: throw invalid
        }
        let rest = text[colon.upperBound...].prefix { $0 != "#" }
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        let target = rest[authority.endIndex...]
        self.target = target.hasPrefix("/") ? String(target) : "/" + target

        guard let (host, port) = Self.split(authority) else { throw invalid }
        self.host = String(host)
        guard let port else {
            self.port = isSecure ? 443 : 80
            return
        }
        guard let number = UInt16(port), number > 0 else { throw invalid }
        self.port = number
    }

    /// Makes the place of a server that speaks neither HTTP nor WebSocket.
    package init(host: String, port: UInt16) {
        (isSecure, target) = (false, "/")
        (self.host, self.port) = (host, port)
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
}
