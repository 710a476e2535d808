// SPDX-License-Identifier: Apache-2.0

/// The password in the address of a database, kept out of messages.
///
/// libpq repeats parts of an address that it cannot read, and takes a part of a password with `@` for
/// the name of a host.
struct AddressSecret {
    /// The parts of the password that a report may have.
    private let parts: [String]

    init(_ address: String) {
        parts = Self.candidates(in: address).flatMap { text in
            text.split { "@/?&= \t\n".contains($0) }.map { String($0) }
        }.filter { $0.utf8.count >= 3 }
    }

    /// Whether a text may have a part of the password.
    func isPart(of text: String) -> Bool { parts.contains { text.contains($0) } }

    /// Returns the parts of an address that are, or may be, a password.
    private static func candidates(in address: String) -> [String] {
        var found: [String] = []
        var rest = Substring(address)
        // Both forms have this word, and nobody knows where a malformed value ends.
        while let word = rest.firstRange(of: "password") {
            rest = rest[word.upperBound...].drop { $0 == " " }
            guard rest.first == "=" else { continue }
            let value = rest.dropFirst()
            found.append(String(value.prefix { $0 != "&" && $0 != "'" }))
            if value.first == "'" { found.append(String(value.dropFirst().prefix { $0 != "'" })) }
        }
        // In a URL it stands between the first colon and the last @.
        if let scheme = address.firstRange(of: "://"), let end = address.lastIndex(of: "@"),
            scheme.upperBound < end
        {
            let user = address[scheme.upperBound..<end]
            if let colon = user.firstIndex(of: ":") {
                found.append(String(user[user.index(after: colon)...]))
            }
        }
        return found
    }
}
