// SPDX-License-Identifier: Apache-2.0

internal import RoostSockets
internal import RoostWire

/// The place of a server of the bus, with the way to log in there.
struct NATSAddress: Hashable, Sendable {
    enum Login: Hashable, Sendable {
        case none
        case password(user: String, password: String)
        case token(String)
    }

    var host: String
    var port: UInt16
    var isSecure: Bool
    var login: Login
    /// The name that the server's certificate must have.
    ///
    /// A server tells of others before it has shown a certificate, and in place of names it tells
    /// network addresses. So only the operator's names count.
    let certificateName: String

    /// The port of a server that names none.
    static let usualPort: UInt16 = 4_222

    /// Parses `nats://user:password@host:port`, `tls://token@host` or `host:port`.
    ///
    /// User, password and token may contain any character; `%40` stands for `@` and so on.
    ///
    /// - Returns: The address; nil if the text has no host, or anything behind the port.
    init?(_ text: String) {
        var rest = Substring(text)
        isSecure = false
        if let scheme = rest.firstRange(of: "://"), !rest[..<scheme.lowerBound].contains("@") {
            switch rest[..<scheme.lowerBound].lowercased() {
            case "nats": isSecure = false
            case "tls": isSecure = true
            default: return nil
            }
            rest = rest[scheme.upperBound...]
        }
        login = .none
        if let at = rest.lastIndex(of: "@") {
            guard let parsed = Self.login(rest[..<at]) else { return nil }
            login = parsed
            rest = rest[rest.index(after: at)...]
        }
        if rest.hasSuffix("/") { rest.removeLast() }
        guard let (host, port) = Self.split(rest) else { return nil }
        (self.host, self.port, certificateName) = (host, port, host)
    }

    /// Makes the address of another server that this one has named; the login stays.
    ///
    /// - Parameter place: The place as `host:port`.
    /// - Returns: The address; nil if the text is no place.
    func moved(to place: String) -> NATSAddress? {
        guard let (host, port) = Self.split(place[...]) else { return nil }
        var address = self
        (address.host, address.port) = (host, port)
        return address
    }

    /// Whether two addresses lead to the same server.
    func hasSamePlace(as other: NATSAddress) -> Bool {
        host == other.host && port == other.port
    }

    private static func login(_ text: Substring) -> Login? {
        guard let colon = text.firstIndex(of: ":") else {
            return decoded(text).map { Login.token($0) }
        }
        guard let user = decoded(text[..<colon]),
            let password = decoded(text[text.index(after: colon)...])
        else { return nil }
        return .password(user: user, password: password)
    }

    private static func split(_ text: Substring) -> (host: String, port: UInt16)? {
        var (host, rest) = (text, Substring())
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return nil }
            (host, rest) = (text[..<end].dropFirst(), text[text.index(after: end)...])
        } else if let colon = text.firstIndex(of: ":") {
            (host, rest) = (text[..<colon], text[colon...])
        }
        // A host is printed in errors and looked up; it never contains spaces or slashes.
        let isHost = host.utf8.allSatisfy { 0x21...0x7E ~= $0 && $0 != UInt8(ascii: "/") }
        guard !host.isEmpty, isHost else { return nil }
        if rest.isEmpty { return (String(host), usualPort) }
        let digits = rest.dropFirst()
        guard rest.hasPrefix(":"), digits.utf8.allSatisfy({ 0x30...0x39 ~= $0 }),
            let port = UInt16(digits), port > 0
        else { return nil }
        return (String(host), port)
    }

    /// Replaces `%` and two digits by the byte; nil if the bytes are no text.
    private static func decoded(_ text: Substring) -> String? {
        var (bytes, rest) = ([UInt8](), text.utf8[...])
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let high = rest.first.flatMap(HexDigit.value),
                let low = rest.dropFirst().first.flatMap(HexDigit.value)
            {
                bytes.append(high << 4 | low)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
