// SPDX-License-Identifier: Apache-2.0

internal import RoostExecutors

/// HMAC-SHA256 under one secret; may be used from several threads.
package final class KeyedHash: Sendable {
    private let authenticator: Guarded<MessageAuthenticator>

    package init(key: borrowing SecretBytes) {
        authenticator = Guarded(MessageAuthenticator(key: key))
    }

    /// The code of a message, 32 bytes.
    package func code(for message: Span<UInt8>) -> [UInt8] {
        // SAFETY: the message is lent to one call.
        unsafe message.withUnsafeBytes { bytes in
            authenticator.withLock { authenticator in unsafe authenticator.code(for: bytes) }
        }
    }

    package func code(for message: [UInt8]) -> [UInt8] {
        code(for: message.span)
    }
}

extension SecretBytes {
    /// Makes a key for one use out of this one (HKDF-SHA256, RFC 5869).
    ///
    /// - Parameters:
    ///   - use: What the new key is for; two uses give two keys that do not tell of each other.
    ///   - salt: Known to all, and another for each vault.
    ///   - count: Bytes wanted, at most 8,160.
    /// - Returns: The new key.
    package borrowing func derive(
        for use: [UInt8], salt: [UInt8], count: Int = 32
    ) -> SecretBytes {
        precondition(count <= 255 * 32, "HKDF-SHA256 has no more than 8,160 bytes to give.")
        let saltKey = SecretBytes(copying: salt.span)
        var extracted = unsafe withBytes { unsafe MessageAuthenticator(key: saltKey).code(for: $0) }
        let expander = MessageAuthenticator(key: SecretBytes(copying: extracted.span))
        extracted.wipe()
        // SAFETY: no more is written than `count`.
        return unsafe SecretBytes(count: count) { output in
            var block: [UInt8] = []
            var written = 0
            for number in 1...255 where written < count {
                var message = block + use
                message.append(UInt8(number))
                block.wipe()
                // SAFETY: the message is lent for the call; what is copied fits what is left.
                block = unsafe message.withUnsafeBytes { unsafe expander.code(for: $0) }
                message.wipe()
                for byte in block.prefix(count - written) {
                    unsafe output[written] = byte
                    written += 1
                }
            }
            block.wipe()
        }
    }
}

extension [UInt8] {
    /// SHA-256, 32 bytes.
    package static func sha256(of message: [UInt8]) -> [UInt8] {
        // SAFETY: the message is lent for the call.
        unsafe message.withUnsafeBytes { unsafe Primitive.sha256($0) }
    }

    /// Bytes that nobody can guess.
    package static func random(count: Int) -> [UInt8] {
        // SAFETY: all of the capacity is filled in.
        unsafe [UInt8](unsafeUninitializedCapacity: count) { bytes, filled in
            unsafe Primitive.fillRandomly(bytes)
            filled = bytes.count
        }
    }

    /// Overwrites the bytes of this array; copies made before are not reached.
    package mutating func wipe() {
        // SAFETY: the array is ours alone during the call.
        unsafe withUnsafeMutableBytes { unsafe Primitive.wipe($0) }
    }

    /// Compares in a time that tells nothing of where two arrays differ.
    package func matches(_ other: [UInt8]) -> Bool {
        // SAFETY: both are lent for the call.
        unsafe withUnsafeBytes { one in
            unsafe other.withUnsafeBytes { unsafe Primitive.areEqual(one, $0) }
        }
    }
}
