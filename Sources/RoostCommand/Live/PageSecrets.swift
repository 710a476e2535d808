// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCommandLine
import RoostSockets

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

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

    /// Writes a text to a file, which only its owner can read then, or to a pipe or a device.
    ///
    /// A link stays, and its target gets the text: no other file takes its place.
    ///
    /// - Returns: Whether the system has taken the whole text.
    static func write(_ text: String, to path: String) -> Bool {
        // SAFETY: the path is valid during the call.
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var found = stat()
        // SAFETY: the structure is lent for the call.
        guard unsafe fstat(descriptor, &found) == 0 else { return false }
        if found.st_mode & S_IFMT == S_IFREG {
            // Before the text is in it: other users may have been able to read the file.
            guard fchmod(descriptor, 0o600) == 0, ftruncate(descriptor, 0) == 0 else {
                return false
            }
        }
        return OutputDescriptor(descriptor).put(text) == nil
    }
}
