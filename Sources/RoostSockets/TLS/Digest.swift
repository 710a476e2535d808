// SPDX-License-Identifier: Apache-2.0

internal import CRoostTLS

/// Hashes, Base64 and random bytes, for handshakes and the server.
package enum Digest {
    /// Returns the SHA-256 in lower-case hexadecimal digits.
    package static func sha256(_ text: String) -> String { hex(sha256(Array(text.utf8))) }

    package static func sha256(_ bytes: [UInt8]) -> [UInt8] {
        roost_tls_prepare()
        // SAFETY: SHA256 writes exactly 32 bytes; the input is valid during the call.
        return unsafe [UInt8](unsafeUninitializedCapacity: 32) { digest, count in
            unsafe bytes.withUnsafeBufferPointer {
                _ = unsafe SHA256($0.baseAddress, $0.count, digest.baseAddress)
            }
            count = 32
        }
    }

    /// Returns the HMAC-SHA256 of a message (RFC 2104).
    package static func hmacSHA256(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
        var block = key.count > 64 ? sha256(key) : key
        block += [UInt8](repeating: 0, count: 64 - block.count)
        let inner = sha256(block.map { $0 ^ 0x36 } + message)
        return sha256(block.map { $0 ^ 0x5C } + inner)
    }

    /// Returns the bytes in lower-case hexadecimal digits.
    package static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    static func sha1(_ bytes: [UInt8]) -> [UInt8] {
        roost_tls_prepare()
        // SAFETY: SHA1 writes exactly 20 bytes; the input is valid during the call.
        return unsafe [UInt8](unsafeUninitializedCapacity: 20) { digest, count in
            unsafe bytes.withUnsafeBufferPointer {
                _ = unsafe SHA1($0.baseAddress, $0.count, digest.baseAddress)
            }
            count = 20
        }
    }

    /// Returns the bytes in Base64, with padding.
    package static func base64(_ bytes: [UInt8]) -> String {
        let length = (bytes.count + 2) / 3 * 4
        // SAFETY: the encoder writes `length` bytes and a zero.
        let text = unsafe [UInt8](unsafeUninitializedCapacity: length + 1) { text, count in
            count = unsafe bytes.withUnsafeBufferPointer {
                unsafe Int(EVP_EncodeBlock(text.baseAddress, $0.baseAddress, CInt($0.count)))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns unpredictable bytes of the system, for masks and handshake keys.
    static func randomBytes(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 7)
        while bytes.count < count {
            let word = generator.next()
            for shift in stride(from: 0, to: 64, by: 8) {
                bytes.append(UInt8(truncatingIfNeeded: word >> shift))
            }
        }
        bytes.removeLast(bytes.count - count)
        return bytes
    }
}
