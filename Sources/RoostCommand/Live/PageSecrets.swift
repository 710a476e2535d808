// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostSockets

/// Secrets of a live page.
enum PageSecret {
    /// Returns 256 random bits in hexadecimal digits.
    static func make() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<4).map { _ in
            let digits = String(generator.next() as UInt64, radix: 16)
            return String(repeating: "0", count: 16 - digits.utf8.count) + digits
        }.joined()
    }
}

/// Names for texts, from a hash with a secret of this process.
struct SecretNames: Sendable {
    private let secret = PageSecret.make()

    func name(_ text: String) -> String { "w" + Digest.sha256(secret + text).prefix(7) }
}

/// Files of text that commands read and write.
enum TextFile {
    /// Returns the contents; nil if the file cannot be read.
    static func contents(of path: String) -> String? {
        FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
    }
}
