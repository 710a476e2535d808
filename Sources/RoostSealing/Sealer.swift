// SPDX-License-Identifier: Apache-2.0

internal import RoostExecutors

/// Encryption and decryption under one key; may be used from several threads, which take turns
/// inside.
package final class Sealer: Sendable {
    /// The number by which the key is found; part of all sealed bytes.
    package let number: UInt32
    private let state: Guarded<State>

    /// The contexts, and nonces made in advance: 12 random bytes cost as much as sealing a payload.
    private struct State {
        let cipher: AEADCipher
        var nonces: [UInt8] = []

        private static let nonceBytes = 64 * SealedForm.nonceCount

        /// Takes a nonce, which is used once; after a fork, only one of the processes may seal.
        mutating func takeNonce(into target: UnsafeMutablePointer<UInt8>) {
            if nonces.isEmpty { nonces = .random(count: Self.nonceBytes) }
            for index in 0..<SealedForm.nonceCount {
                // SAFETY: the target has room for a nonce; `nonces` holds a multiple of its length.
                unsafe target[index] = nonces.removeLast()
            }
        }
    }

    /// Creates a sealer.
    ///
    /// - Parameters:
    ///   - key: 32 bytes.
    ///   - number: A number of no other key in the same vault.
    package init(key: borrowing SecretBytes, number: UInt32) {
        self.number = number
        state = Guarded(State(cipher: AEADCipher(key: key)))
    }

    /// Appends the bytes that `write` appends, and encrypts them in place.
    ///
    /// - Parameters:
    ///   - buffer: The buffer; its earlier contents stay as they are.
    ///   - place: The place of the bytes, see `SealPlace`.
    ///   - write: Appends to the buffer and changes nothing else in it.
    package func seal(
        into buffer: inout [UInt8], at place: SealPlace, _ write: (inout [UInt8]) -> Void
    ) {
        let start = buffer.count
        buffer.append(SealedForm.version)
        for shift in [0, 8, 16, 24] { buffer.append(UInt8(truncatingIfNeeded: number >> shift)) }
        for _ in 0..<SealedForm.nonceCount { buffer.append(0) }
        write(&buffer)
        let plainCount = buffer.count - start - SealedForm.headerCount
        precondition(plainCount >= 0, "A payload was written before its own beginning.")
        for _ in 0..<SealedForm.tagCount { buffer.append(0) }
        // SAFETY: the ranges were just appended; the array is exclusively ours during the call.
        unsafe buffer.withUnsafeMutableBufferPointer { bytes in
            guard let base = unsafe bytes.baseAddress.map({ unsafe $0 + start }) else { return }
            let nonce = unsafe base + (SealedForm.headerCount - SealedForm.nonceCount)
            let plain = unsafe UnsafeMutableBufferPointer(
                start: base + SealedForm.headerCount, count: plainCount)
            let tag = unsafe base + SealedForm.headerCount + plainCount
            unsafe place.withBytes { associated in
                state.withLock { state in
                    unsafe state.takeNonce(into: nonce)
                    unsafe state.cipher.seal(
                        plain, nonce: nonce, associated: associated, tag: tag)
                }
            }
        }
    }

    /// Opens sealed bytes into a buffer, whose contents they replace.
    ///
    /// - Parameters:
    ///   - sealed: The result of `seal`.
    ///   - place: The place of the bytes.
    ///   - buffer: The buffer; reusable, and empty after an error.
    /// - Throws: See `SealError`; no plaintext is returned.
    package func open(
        _ sealed: Span<UInt8>, at place: SealPlace, into buffer: inout [UInt8]
    ) throws(SealError) {
        buffer.removeAll(keepingCapacity: true)
        let found = try SealedForm.keyNumber(sealed)
        guard found == number else { throw .otherKey(found) }
        let plainCount = sealed.count - SealedForm.overhead
        // SAFETY: the header's length was checked; the span is valid and the buffer ours.
        let isGenuine = unsafe sealed.withUnsafeBufferPointer { sealed -> Bool in
            guard let base = sealed.baseAddress else { return false }
            let nonce = unsafe base + (SealedForm.headerCount - SealedForm.nonceCount)
            let tag = unsafe base + SealedForm.headerCount + plainCount
            unsafe buffer.append(
                contentsOf: UnsafeBufferPointer(
                    start: base + SealedForm.headerCount, count: plainCount))
            return unsafe buffer.withUnsafeMutableBufferPointer { plain in
                unsafe place.withBytes { associated in
                    state.withLock { state in
                        unsafe state.cipher.open(
                            plain, nonce: nonce, associated: associated, tag: tag)
                    }
                }
            }
        }
        guard isGenuine else {
            buffer.removeAll(keepingCapacity: true)
            throw .forged
        }
    }
}
