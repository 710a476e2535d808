// SPDX-License-Identifier: Apache-2.0

/// The server that a run judges, and the credentials of the platform.
package struct Target: Sendable {
    /// The address without a slash at its end, such as `http://127.0.0.1:8080`.
    package let server: String
    package let applicationID: String
    package let apiToken: String

    /// Creates a target; nil for an address that is not `http://HOST` or `https://HOST` with an
    /// optional port and path.
    package init?(server: String, applicationID: String, apiToken: String) {
        var text = server[...]
        while text.hasSuffix("/") { text.removeLast() }
        guard
            let scheme = ["http://", "https://"].first(where: { text.lowercased().hasPrefix($0) }),
            text.utf8.count > scheme.utf8.count,
            text.utf8.allSatisfy({ 0x21...0x7E ~= $0 }),
            !text.contains(where: { "@?#\"<>\\".contains($0) })
        else { return nil }
        self.server = String(text)
        self.applicationID = applicationID
        self.apiToken = apiToken
    }

    /// Returns the address of a socket with a query.
    func socketURL(_ query: Query) -> String {
        let isSecure = server.lowercased().hasPrefix("https")
        let rest = server.dropFirst(isSecure ? 5 : 4)
        return "\(isSecure ? "wss" : "ws")\(rest)/?\(query.encoded)"
    }
}

/// The items of a query, in order; a name may be repeated.
package struct Query: ExpressibleByDictionaryLiteral, Sendable {
    private(set) var items: [(name: String, value: String)]

    @inline(never) package init(
        dictionaryLiteral elements: (String, any CustomStringConvertible)...
    ) {
        items = elements.map { ($0.0, $0.1.description) }
    }

    @inline(never) static func + (one: Query, other: Query) -> Query {
        var sum = one
        sum.items += other.items
        return sum
    }

    var encoded: String {
        items.map { "\(Self.encode($0.name))=\(Self.encode($0.value))" }.joined(separator: "&")
    }

    /// Returns a text percent-encoded for any part of an address.
    @inline(never) static func encode(_ text: String) -> String {
        text.utf8.reduce(into: "") { encoded, byte in
            let scalar = Unicode.Scalar(byte)
            if byte < 0x80,
                Character(scalar).isLetter || Character(scalar).isNumber || byte == 0x2D
                    || byte == 0x2E || byte == 0x5F || byte == 0x7E
            {
                encoded.unicodeScalars.append(scalar)
            } else {
                encoded += (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
            }
        }
    }
}
