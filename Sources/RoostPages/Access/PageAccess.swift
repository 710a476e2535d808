// SPDX-License-Identifier: Apache-2.0

internal import RoostSockets

/// The decision who may see a live page: the one who has the link that was printed once.
///
/// The link works one time. It is exchanged for a key in a cookie, which no script can read and no
/// page of another host can use. Other ports of the host get it if the browser visits them. Only
/// hashes are kept, so a comparison tells nothing by its time.
package struct PageAccess: Sendable {
    /// The greatest number of keys; the oldest one ends when there are more.
    static let keyLimit = 16
    /// The time for which a key is valid.
    static let keySeconds: Int64 = 12 * 3_600

    private var link: [UInt8]?
    private var keys: [(hash: [UInt8], until: Int64)] = []
    /// The name of the cookie, which differs by port: cookies of one machine are shared by its
    /// ports.
    package let cookieName: String

    package init(link: String, port: UInt16) {
        self.link = Self.hash(link)
        cookieName = "roost_page_\(port)"
    }

    /// Exchanges the link's token for a key.
    ///
    /// - Returns: Whether the token was right, and not used before.
    package mutating func redeem(_ token: String, for key: String, at second: Int64) -> Bool {
        guard let link, link == Self.hash(token) else { return false }
        self.link = nil
        admit(key, at: second)
        return true
    }

    /// Makes a key valid.
    package mutating func admit(_ key: String, at second: Int64) {
        keys.append((Self.hash(key), second.addingClamped(Self.keySeconds)))
        if keys.count > Self.keyLimit { keys.removeFirst() }
    }

    /// Whether the cookies of a request have a valid key.
    package func admits(cookies: String?, at second: Int64) -> Bool {
        guard let key = Self.cookie(cookieName, in: cookies ?? "") else { return false }
        let hash = Self.hash(key)
        return keys.contains { $0.hash == hash && second < $0.until }
    }

    /// Returns the header that sets a key, for this browser only.
    package func cookie(_ key: String, isEncrypted: Bool = false) -> String {
        "\(cookieName)=\(key); Path=/; HttpOnly; SameSite=Strict; Max-Age=\(Self.keySeconds)"
            + (isEncrypted ? "; Secure" : "")
    }

    private static func cookie(_ name: String, in header: String) -> String? {
        for part in header.split(separator: ";") {
            let pair = part.split(separator: "=", maxSplits: 1)
            guard pair.count == 2, pair[0].drop(while: { $0 == " " }) == name else { continue }
            return String(pair[1])
        }
        return nil
    }

    private static func hash(_ secret: String) -> [UInt8] {
        Digest.sha256(Array(secret.utf8))
    }
}

extension Int64 {
    fileprivate func addingClamped(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}
