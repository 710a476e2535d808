// SPDX-License-Identifier: Apache-2.0

// Linux compiles this in `scripts/apple-check` only: a run of `RoostSealingTests` on an Apple
// platform compares it with the known answers.

#if canImport(CryptoKit)

internal import CryptoKit
internal import Darwin
internal import Foundation

// The types equal those of `OpenSSLPrimitives.swift`, which documents them.

package final class AEADCipher {
    private let key: SymmetricKey

    package init(key: borrowing SecretBytes) {
        precondition(key.count == 32, "AES-256 takes a key of 32 bytes.")
        // SAFETY: the key is valid during the call, which copies it.
        self.key = unsafe key.withBytes { unsafe SymmetricKey(data: $0) }
    }

    package func seal(
        _ bytes: UnsafeMutableBufferPointer<UInt8>, nonce: UnsafePointer<UInt8>,
        associated: UnsafeRawBufferPointer, tag: UnsafeMutablePointer<UInt8>
    ) {
        // SAFETY: nonce and tag have GCM's 12 and 16 bytes; the box has the length of its parts.
        guard
            let box = unsafe try? AES.GCM.seal(
                UnsafeRawBufferPointer(bytes), using: key,
                nonce: AES.GCM.Nonce(data: UnsafeRawBufferPointer(start: nonce, count: 12)),
                authenticating: associated)
        else { preconditionFailure("The system refused a cipher.") }
        _ = unsafe box.ciphertext.copyBytes(to: bytes)
        unsafe box.tag.copyBytes(to: tag, count: 16)
    }

    package func open(
        _ bytes: UnsafeMutableBufferPointer<UInt8>, nonce: UnsafePointer<UInt8>,
        associated: UnsafeRawBufferPointer, tag: UnsafePointer<UInt8>
    ) -> Bool {
        // SAFETY: as above. The system reports a refusal without a reason, so every refusal counts
        // as a forgery.
        guard
            let box = unsafe try? AES.GCM.SealedBox(
                nonce: AES.GCM.Nonce(data: UnsafeRawBufferPointer(start: nonce, count: 12)),
                ciphertext: UnsafeRawBufferPointer(bytes),
                tag: UnsafeRawBufferPointer(start: tag, count: 16)),
            var plain = unsafe try? AES.GCM.open(box, using: key, authenticating: associated)
        else { return false }
        _ = unsafe plain.copyBytes(to: bytes)
        plain.resetBytes(in: 0..<plain.count)
        return true
    }
}

final class MessageAuthenticator {
    private let key: SymmetricKey

    init(key: borrowing SecretBytes) {
        // SAFETY: the key is valid during the call, which copies it.
        self.key = unsafe key.withBytes { bytes in unsafe SymmetricKey(data: bytes) }
    }

    func code(for message: UnsafeRawBufferPointer) -> [UInt8] {
        var hash = HMAC<SHA256>(key: key)
        // SAFETY: the message has the stated length.
        unsafe hash.update(data: message)
        return Array(hash.finalize())
    }
}

enum Primitive {
    static func sha256(_ message: UnsafeRawBufferPointer) -> [UInt8] {
        var hash = SHA256()
        // SAFETY: the message has the stated length.
        unsafe hash.update(bufferPointer: message)
        return Array(hash.finalize())
    }

    static func fillRandomly(_ bytes: UnsafeMutableBufferPointer<UInt8>) {
        // SAFETY: the buffer has the stated length; this call cannot fail.
        unsafe arc4random_buf(bytes.baseAddress, bytes.count)
    }

    static func areEqual(_ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Bool {
        // SAFETY: both buffers have the compared length.
        unsafe one.count == other.count
            && timingsafe_bcmp(one.baseAddress, other.baseAddress, one.count) == 0
    }

    static func wipe(_ bytes: UnsafeMutableRawBufferPointer) {
        // SAFETY: the buffer has the stated length.
        _ = unsafe memset_s(bytes.baseAddress, bytes.count, 0, bytes.count)
    }
}

#endif
