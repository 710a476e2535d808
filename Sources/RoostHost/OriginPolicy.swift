// SPDX-License-Identifier: Apache-2.0

/// The web pages that may call a server from a browser.
///
/// A page of any site can make its reader's browser call a server that the reader reaches. Browsers name the
/// page's origin in such calls and in WebSocket handshakes; other clients name none and are not concerned.
package struct OriginPolicy: Hashable, Sendable {
    /// What `--allow-origin` names: origins in their plain form, `null`, or `*` for every page.
    private var allowed: Set<String> = []
    /// Whether a page that was fetched by the server's name may call it under that name.
    ///
    /// Not where tokens are missing: whoever owns a name can point it at this server (DNS rebinding), and a
    /// page that came by that name counts as the server's own in the browser.
    private var trustsNames: Bool

    /// Prepares a policy.
    ///
    /// - Parameters:
    ///   - origins: Origins as `scheme://host:port`, `null`, or `*` for every page; others are ignored.
    ///   - publicAddress: The URL by which clients reach the server; its pages may call.
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
        return allowed.contains(plain) || isOwn(plain, host: host)
    }

    /// Whether a page came from the very address that it calls.
    private func isOwn(_ origin: String, host: String?) -> Bool {
        guard let host, let end = origin.firstRange(of: "://") else { return false }
        let scheme = origin[..<end.lowerBound]
        guard Self.plain("\(scheme)://\(host)") == origin else { return false }
        return trustsNames
            || LoopbackAddress.isNumberOrLocal(Self.name(in: origin[end.upperBound...]))
    }

    /// Returns the form in which origins are compared: lower case, without the scheme's own port, without a
    /// path; nil for text that is no origin.
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
        guard !authority.isEmpty, authority.utf8.allSatisfy({ 0x21...0x7E ~= $0 && $0 != 0x2C })
        else { return nil }
        return "\(scheme)://\(authority)"
    }

    private static func name(in authority: Substring) -> String {
        authority.hasPrefix("[")
            ? String(authority.dropFirst().prefix { $0 != "]" })
            : String(authority.prefix { $0 != ":" })
    }
}

/// Addresses that only this machine reaches.
package enum LoopbackAddress {
    /// Whether nothing but this machine reaches a server that listens on the address.
    ///
    /// A name other than `localhost` counts as reachable, whatever it stands for at the moment.
    package static func contains(_ host: String) -> Bool {
        if host.lowercased() == "localhost" || host == "::1" { return true }
        return isIPv4(host) && host.hasPrefix("127.")
    }

    /// Whether a host is written in figures or is `localhost`, so that no one's DNS decides where it leads.
    static func isNumberOrLocal(_ host: String) -> Bool {
        host == "localhost" || host.contains(":") || isIPv4(host)
    }

    private static func isIPv4(_ host: String) -> Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
    }
}
