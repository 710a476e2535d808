// SPDX-License-Identifier: Apache-2.0

internal import RoostExecutors

/// HMAC-SHA256 under one secret; may be used from several threads.
package final class KeyedHash: Sendable {
    private let authenticator: Guarded<MessageAuthenticator>

    package init(key: borrowing SecretBytes) {
        authenticator = Guarded(MessageAuthenticator(key: key))
    }

    /// Returns the code of a message, 32 bytes.
    package func code(for message: Span<UInt8>) -> [UInt8] {
        // SAFETY: the message is valid during the call.
        unsafe message.withUnsafeBytes { bytes in
            authenticator.withLock { authenticator in unsafe authenticator.code(for: bytes) }
        }
    }

    package func code(for message: [UInt8]) -> [UInt8] {
        code(for: message.span)
    }
}

extension SecretBytes {
    /// Derives a key for one use from this one (HKDF-SHA256, RFC 5869).
    ///
    /// - Parameters:
    ///   - use: The use of the new key; keys of different uses are independent.
    ///   - salt: A public value, different for each vault.
    ///   - count: The number of bytes, at most 8,160.
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
                // SAFETY: the message is valid during the call; the copied bytes fit.
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
    /// Returns the SHA-256 of a message, 32 bytes.
    package static func sha256(of message: [UInt8]) -> [UInt8] {
        // SAFETY: the message is valid during the call.
        unsafe message.withUnsafeBytes { unsafe Primitive.sha256($0) }
    }

    /// Returns unpredictable bytes.
    package static func random(count: Int) -> [UInt8] {
        // SAFETY: the whole capacity is filled.
        unsafe [UInt8](unsafeUninitializedCapacity: count) { bytes, filled in
            unsafe Primitive.fillRandomly(bytes)
            filled = bytes.count
        }
    }

    /// Overwrites the bytes of this array; earlier copies are not affected.
    package mutating func wipe() {
        // SAFETY: the array is exclusively ours during the call.
        unsafe withUnsafeMutableBytes { unsafe Primitive.wipe($0) }
    }

    /// Compares in constant time.
    package func matches(_ other: [UInt8]) -> Bool {
        // SAFETY: both buffers are valid during the call.
        unsafe withUnsafeBytes { one in
            unsafe other.withUnsafeBytes { unsafe Primitive.areEqual(one, $0) }
        }
    }
}
