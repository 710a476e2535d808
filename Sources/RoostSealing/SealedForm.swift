// SPDX-License-Identifier: Apache-2.0

/// The form of sealed bytes, the same on every platform.
///
///     0x81 | number of the key (4, little-endian) | nonce (12) | AES-256-GCM of the bytes | tag (16)
///
/// The first byte is the version; its high bit marks a sealed payload, because the versions of plain ones
/// stay below 0x80. The number finds the key while a channel has two keys, and tells an erased key from a
/// damaged payload.
///
/// **Nonces** are 96 random bits. Under one key the chance that any two of n are equal is below n²/2⁹⁷:
/// one in eight billion for the 2³² that NIST SP 800-38D, section 8.3, allows. A channel's key would have
/// to seal a thousand messages a second for fifty days to reach that; a new key starts at zero.
package enum SealedForm {
    package static let version: UInt8 = 0x81
    /// The number of bytes before the encrypted ones.
    package static let headerCount = 1 + 4 + nonceCount
    package static let nonceCount = 12
    package static let tagCount = 16
    /// The number of bytes by which a sealed payload is longer.
    package static let overhead = headerCount + tagCount

    /// Returns whether the version byte marks these bytes as sealed, in this or a later version.
    package static func isSealed(_ bytes: Span<UInt8>) -> Bool {
        bytes.count > 0 && bytes[0] >= 0x80
    }

    /// Returns the number of the key that sealed these bytes, without proof that it did.
    package static func keyNumber(_ bytes: Span<UInt8>) throws(SealError) -> UInt32 {
        guard bytes.count > 0, bytes[0] >= 0x80 else { throw .notSealed }
        guard bytes[0] == version else { throw .version(bytes[0]) }
        guard bytes.count >= overhead else { throw .truncated }
        return (1...4).reversed().reduce(0) { $0 << 8 | UInt32(bytes[$1]) }
    }
}

/// The reason why sealed bytes were not opened; no plaintext was returned.
package enum SealError: Error, Hashable, Sendable {
    /// The bytes are not sealed, or empty.
    case notSealed
    /// A later release sealed the bytes.
    case version(UInt8)
    /// The bytes are shorter than any sealed ones.
    case truncated
    /// Another key sealed the bytes.
    case otherKey(UInt32)
    /// A bit of the bytes differs, or they were sealed for another place.
    case forged
}

/// The place of sealed bytes; they cannot be opened elsewhere, so rows cannot be swapped.
package struct SealPlace: Hashable, Sendable {
    // Four numbers in the machine's byte order, which is little-endian on every supported platform.
    private let kind: UInt64
    private let first: UInt64
    private let second: UInt64
    private let third: UInt64

    /// Creates a place.
    ///
    /// - Parameters:
    ///   - kind: The table and column; never reused for another.
    ///   - first: The row, as far as it is known before it is written; the same holds for the next
    ///     two.
    ///   - second: More of the row.
    ///   - third: The rest of the row.
    package init(kind: UInt8, _ first: Int64 = 0, _ second: Int64 = 0, _ third: Int64 = 0) {
        self.kind = UInt64(kind).littleEndian
        self.first = UInt64(bitPattern: first).littleEndian
        self.second = UInt64(bitPattern: second).littleEndian
        self.third = UInt64(bitPattern: third).littleEndian
    }

    borrowing func withBytes<T>(_ body: (UnsafeRawBufferPointer) -> T) -> T {
        // SAFETY: a struct of four numbers has no padding; the bytes are valid during the call.
        unsafe withUnsafeBytes(of: self) { unsafe body($0) }
    }
}
