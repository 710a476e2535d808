// SPDX-License-Identifier: Apache-2.0

/// The stored form of a token, a session key or an access code: a salt of its own, and a hash over
/// both.
///
/// Tokens and keys have 160 random bits, so a fast hash is enough for them. An access code has as
/// many as its operators choose: the hash hides it from a reader of the database, and not from a
/// guesser. The salt makes the stored forms of equal secrets different. The hash includes the kind,
/// so the form of a token never fits a key.
package struct KeptSecret: Equatable, Sendable {
    package enum Kind: String, Hashable, Sendable {
        case accessToken = "token"
        case sessionKey = "session"
        /// The access code of a channel, which its operators choose.
        case accessCode = "access"
    }

    /// 32 hexadecimal digits.
    package let salt: String
    /// 64 hexadecimal digits with the hash of a live world.
    package let hash: String

    package init(salt: String, hash: String) {
        self.salt = salt
        self.hash = hash
    }
}

extension ServerWorld {
    /// Returns the stored form of a secret, with a fresh salt.
    package func keep(_ secret: String, as kind: KeptSecret.Kind) -> KeptSecret {
        KeptSecret(
            digestOfSecret: digest(secret), as: kind, salt: Self.hex(digits: 32, from: salt),
            digest: digest)
    }

    /// Whether a secret has a stored form.
    ///
    /// - Complexity: The same hashes and comparisons with and without a stored form.
    package func matches(_ secret: String, _ kept: KeptSecret?, as kind: KeptSecret.Kind) -> Bool {
        let salt = kept?.salt ?? String(repeating: "0", count: 32)
        let form = KeptSecret(
            digestOfSecret: digest(secret), as: kind, salt: salt, digest: digest)
        let isEqual = ConstantTime.areEqual(form.hash.utf8, (kept ?? form).hash.utf8)
        return isEqual && kept != nil
    }

    /// Whether two secrets are equal, in a time that does not depend on their difference.
    func areEqual(_ one: String, _ other: String) -> Bool {
        ConstantTime.areEqual(digest(one).utf8, digest(other).utf8)
    }

    /// Returns random hexadecimal digits.
    package static func hex(digits: Int, from random: () -> UInt64) -> String {
        var text = ""
        while text.utf8.count < digits {
            let part = String(random(), radix: 16)
            text += String(repeating: "0", count: 16 - part.utf8.count) + part
        }
        return String(text.prefix(digits))
    }
}

extension KeptSecret {
    /// Makes the stored form of a secret from its unsalted digest.
    init(digestOfSecret inner: String, as kind: Kind, salt: String, digest: (String) -> String) {
        self.init(salt: salt, hash: digest("\(kind.rawValue):\(salt):\(inner)"))
    }
}

/// Comparisons whose time does not depend on the place of a difference.
package enum ConstantTime {
    /// Whether two sequences of bytes are equal.
    ///
    /// - Complexity: Reads every byte of both; only their lengths show in the time.
    package static func areEqual(
        _ one: some Collection<UInt8>, _ other: some Collection<UInt8>
    ) -> Bool {
        guard one.count == other.count else { return false }
        var difference: UInt8 = 0
        for (left, right) in zip(one, other) { difference |= left ^ right }
        return difference == 0
    }
}

/// An access token or a session key in the form of a client: the number of its row, and the secret.
///
/// The number finds the row without a search. Both are hexadecimal digits; the secret is the last
/// 40.
package struct NumberedSecret: Equatable, Sendable {
    static let secretDigits = 40

    package let number: Int64
    package let secret: String

    package init(number: Int64, secret: String) {
        self.number = number
        self.secret = secret
    }

    /// Reads a token or a key; nil if no server writes such a text.
    package init?(_ text: String) {
        let count = text.utf8.count - Self.secretDigits
        guard (1...16).contains(count) else { return nil }
        let digits = String(text.prefix(count))
        guard let number = Int64(digits, radix: 16), number > 0,
            String(number, radix: 16) == digits
        else { return nil }
        self.init(number: number, secret: String(text.dropFirst(count)))
    }

    package var text: String { String(number, radix: 16) + secret }

    /// Whether a text looks like a key that a server has issued.
    static func looksIssued(_ text: String) -> Bool {
        (secretDigits + 1...secretDigits + 16).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
            }
    }
}
