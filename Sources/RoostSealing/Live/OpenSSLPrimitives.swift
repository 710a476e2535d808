// SPDX-License-Identifier: Apache-2.0

#if !canImport(CryptoKit)

internal import CRoostTLS

// The types equal those of `CryptoKitPrimitives.swift`. OpenSSL refuses these calls only without
// memory. Data must not be written unencrypted then, so the process stops.

/// AES-256-GCM under one key; a nonce must never repeat.
///
/// The key's schedule is computed once; each message costs a change of nonce. Confined to one
/// thread at a time. OpenSSL overwrites the key when it frees a context.
@safe package final class AEADCipher {
    private let sealing: OpaquePointer
    private let opening: OpaquePointer

    package init(key: borrowing SecretBytes) {
        precondition(key.count == 32, "AES-256 takes a key of 32 bytes.")
        roost_tls_prepare()
        // SAFETY: the key is valid during each call, which copies it.
        unsafe sealing = key.withBytes { unsafe Self.context(EVP_EncryptInit_ex, $0) }
        unsafe opening = key.withBytes { unsafe Self.context(EVP_DecryptInit_ex, $0) }
    }

    deinit {
        // SAFETY: this object is the only owner.
        unsafe EVP_CIPHER_CTX_free(sealing)
        unsafe EVP_CIPHER_CTX_free(opening)
    }

    private static func context(
        _ prepare: (
            OpaquePointer?, OpaquePointer?, OpaquePointer?, UnsafePointer<UInt8>?,
            UnsafePointer<UInt8>?
        ) -> Int32,
        _ key: UnsafeRawBufferPointer
    ) -> OpaquePointer {
        // SAFETY: the key has 32 bytes, which OpenSSL copies.
        guard let context = unsafe EVP_CIPHER_CTX_new(),
            unsafe prepare(
                context, EVP_aes_256_gcm(), nil,
                key.baseAddress?.assumingMemoryBound(to: UInt8.self), nil) == 1
        else { preconditionFailure("No memory for a cipher.") }
        return unsafe context
    }

    /// Encrypts bytes in place and writes the tag of 16 bytes.
    package func seal(
        _ bytes: UnsafeMutableBufferPointer<UInt8>, nonce: UnsafePointer<UInt8>,
        associated: UnsafeRawBufferPointer, tag: UnsafeMutablePointer<UInt8>
    ) {
        var count: Int32 = 0
        // SAFETY: every buffer has the stated length; nonce and tag have GCM's default lengths;
        // input and output may be one buffer.
        let place = unsafe associated.baseAddress?.assumingMemoryBound(to: UInt8.self)
        let placeCount = Int32(associated.count)
        let (start, length) = (bytes.baseAddress, Int32(bytes.count))
        guard unsafe EVP_EncryptInit_ex(sealing, nil, nil, nil, nonce) == 1,
            unsafe EVP_EncryptUpdate(sealing, nil, &count, place, placeCount) == 1,
            // An empty input would mark the end of the message.
            unsafe length == 0 || EVP_EncryptUpdate(sealing, start, &count, start, length) == 1,
            unsafe EVP_EncryptFinal_ex(sealing, tag, &count) == 1,
            unsafe EVP_CIPHER_CTX_ctrl(sealing, EVP_CTRL_AEAD_GET_TAG, 16, tag) == 1
        else { preconditionFailure("No memory for a cipher.") }
    }

    /// Decrypts bytes in place; returns false if any bit of the input differs, and the bytes are
    /// garbage then.
    package func open(
        _ bytes: UnsafeMutableBufferPointer<UInt8>, nonce: UnsafePointer<UInt8>,
        associated: UnsafeRawBufferPointer, tag: UnsafePointer<UInt8>
    ) -> Bool {
        var count: Int32 = 0
        var rest: UInt8 = 0
        // SAFETY: as above; the tag is only read.
        let place = unsafe associated.baseAddress?.assumingMemoryBound(to: UInt8.self)
        let placeCount = Int32(associated.count)
        let (start, length) = (bytes.baseAddress, Int32(bytes.count))
        let tag = unsafe UnsafeMutablePointer(mutating: tag)
        guard unsafe EVP_DecryptInit_ex(opening, nil, nil, nil, nonce) == 1,
            unsafe EVP_DecryptUpdate(opening, nil, &count, place, placeCount) == 1,
            unsafe length == 0 || EVP_DecryptUpdate(opening, start, &count, start, length) == 1,
            unsafe EVP_CIPHER_CTX_ctrl(opening, EVP_CTRL_AEAD_SET_TAG, 16, tag) == 1
        else { preconditionFailure("No memory for a cipher.") }
        return unsafe EVP_DecryptFinal_ex(opening, &rest, &count) == 1
    }
}

/// HMAC-SHA256 under one key; confined to one thread at a time.
@safe final class MessageAuthenticator {
    private let context: OpaquePointer

    init(key: borrowing SecretBytes) {
        roost_tls_prepare()
        unsafe context = key.withBytes { bytes in
            // SAFETY: the key is valid during the call, which copies it.
            guard
                let context = unsafe roost_tls_hmac_sha256(
                    bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
            else { preconditionFailure("No memory for a keyed hash.") }
            return unsafe context
        }
    }

    deinit {
        // SAFETY: this object is the only owner.
        unsafe EVP_MAC_CTX_free(context)
    }

    func code(for message: UnsafeRawBufferPointer) -> [UInt8] {
        // SAFETY: the message has the stated length; a nil key keeps the current one.
        unsafe [UInt8](unsafeUninitializedCapacity: 32) { code, count in
            let start = unsafe message.baseAddress?.assumingMemoryBound(to: UInt8.self)
            guard unsafe EVP_MAC_init(context, nil, 0, nil) == 1,
                unsafe EVP_MAC_update(context, start, message.count) == 1,
                unsafe EVP_MAC_final(context, code.baseAddress, &count, 32) == 1, count == 32
            else { preconditionFailure("No memory for a keyed hash.") }
        }
    }
}

/// Primitives without a key.
enum Primitive {
    static func sha256(_ message: UnsafeRawBufferPointer) -> [UInt8] {
        roost_tls_prepare()
        // SAFETY: SHA256 writes exactly 32 bytes; the input has the stated length.
        return unsafe [UInt8](unsafeUninitializedCapacity: 32) { digest, count in
            _ = unsafe SHA256(
                message.baseAddress?.assumingMemoryBound(to: UInt8.self), message.count,
                digest.baseAddress)
            count = 32
        }
    }

    /// Fills a buffer with unpredictable bytes, from a generator seeded by the system.
    static func fillRandomly(_ bytes: UnsafeMutableBufferPointer<UInt8>) {
        roost_tls_prepare()
        // SAFETY: the buffer has the stated length.
        let isDone = unsafe RAND_bytes(bytes.baseAddress, Int32(bytes.count)) == 1
        precondition(isDone, "The system has no randomness.")
    }

    /// Compares two buffers in constant time.
    static func areEqual(_ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Bool {
        // SAFETY: both buffers have the compared length.
        unsafe one.count == other.count
            && CRYPTO_memcmp(one.baseAddress, other.baseAddress, one.count) == 0
    }

    /// Overwrites bytes in a way that no optimiser removes.
    static func wipe(_ bytes: UnsafeMutableRawBufferPointer) {
        // SAFETY: the buffer has the stated length.
        unsafe OPENSSL_cleanse(bytes.baseAddress, bytes.count)
    }
}

#endif
