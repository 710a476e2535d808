// SPDX-License-Identifier: Apache-2.0

/// The policy for web pages that call the server from a browser.
///
/// A page of any site can make its reader's browser call a server that the reader reaches. Browsers
/// name the page's origin in such calls and in WebSocket handshakes; other clients name none.
package struct OriginPolicy: Equatable, Sendable {
    /// The values of `--allow-origin`: origins in their plain form, `null`, or `*` for every page.
    private var allowed: Set<String> = []
    /// Whether a page from the server's own name may call the server.
    ///
    /// False without required tokens: the owner of any name can point it at this server (DNS
    /// rebinding), and a browser treats a page of that name as the server's own.
    private var trustsNames: Bool

    /// Prepares a policy.
    ///
    /// - Parameters:
    ///   - origins: Origins as `scheme://host:port`, `null`, or `*` for every page; others are ignored.
    ///   - publicAddress: The URL by which clients reach the server; pages from there may call it.
    ///   - requiresToken: Whether users need an access token.
    package init(origins: [String], publicAddress: String?, requiresToken: Bool) {
        for text in origins + [publicAddress].compactMap({ $0 }) {
            if let origin = Self.plain(text) { allowed.insert(origin) }
        }
        trustsNames = requiresToken
    }

    /// Whether a call with these `Origin` and `Host` headers may be answered.
    func permits(origin: String?, host: String?) -> Bool {
        guard let origin else { return true }
        guard !allowed.contains("*") else { return true }
        guard let plain = Self.plain(origin) else { return false }
        return allowed.contains(plain) || isSameOrigin(plain, host: host)
    }

    /// Whether a page came from the address that it calls, and that address is trusted.
    private func isSameOrigin(_ origin: String, host: String?) -> Bool {
        guard let host, let end = origin.firstRange(of: "://") else { return false }
        let scheme = origin[..<end.lowerBound]
        guard Self.plain("\(scheme)://\(host)") == origin else { return false }
        return trustsNames
            || LoopbackAddress.isNumberOrLocal(Self.name(in: origin[end.upperBound...]))
    }

    /// Returns an origin in its plain form: lower case, without the scheme's default port and
    /// without a path; nil for other text.
    package static func plain(_ text: String) -> String? {
        let text = text.lowercased()
        if text == "*" || text == "null" { return text }
        guard let end = text.firstRange(of: "://"), !text[..<end.lowerBound].isEmpty else {
            return nil
        }
        let scheme = text[..<end.lowerBound]
        var authority = text[end.upperBound...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        let ownPort = scheme == "http" ? ":80" : scheme == "https" ? ":443" : ""
        if !ownPort.isEmpty, authority.hasSuffix(ownPort) { authority.removeLast(ownPort.count) }
        // Visible ASCII, without the comma that would join two origins.
        guard !authority.isEmpty, authority.utf8.allSatisfy({ 0x21...0x7E ~= $0 && $0 != 0x2C })
        else { return nil }
        return "\(scheme)://\(authority)"
    }

    /// Returns the host of an authority, without its port and without the brackets of IPv6.
    private static func name(in authority: Substring) -> String {
        authority.hasPrefix("[")
            ? String(authority.dropFirst().prefix { $0 != "]" })
            : String(authority.prefix { $0 != ":" })
    }
}

/// The addresses that only this machine reaches.
package enum LoopbackAddress {
    /// Whether only this machine reaches a server that listens on an address.
    ///
    /// A name other than `localhost` counts as reachable.
    package static func contains(_ host: String) -> Bool {
        if host.lowercased() == "localhost" || host == "::1" { return true }
        return isIPv4(host) && host.hasPrefix("127.")
    }

    /// Whether a host is a numeric address or `localhost`, so that no DNS decides about it.
    static func isNumberOrLocal(_ host: String) -> Bool {
        host == "localhost" || host.contains(":") || isIPv4(host)
    }

    private static func isIPv4(_ host: String) -> Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
    }
}
