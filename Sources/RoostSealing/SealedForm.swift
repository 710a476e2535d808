// SPDX-License-Identifier: Apache-2.0

/// The form of sealed bytes, the same on every platform.
///
///     0x81 | number of the key (4, little-endian) | nonce (12) | AES-256-GCM of the bytes | tag (16)
///
/// The first byte is the version; its high bit tells a sealed payload from one in the clear, whose
/// versions stay below 0x80. The number finds the key while two keys of a channel are in use, and is told
/// from a damaged payload when the key was erased.
///
/// **Nonces** are 96 random bits. Under one key the chance that any two of n are equal is below n²/2⁹⁷:
/// one in eight billion for the 2³² that NIST SP 800-38D, section 8.3, allows. A channel's key would have
/// to seal a thousand messages a second for fifty days to get there; a new key starts from nothing.
package enum SealedForm {
    package static let version: UInt8 = 0x81
    /// Bytes before the encrypted ones.
    package static let headerCount = 1 + 4 + nonceCount
    package static let nonceCount = 12
    package static let tagCount = 16
    /// Bytes a sealed payload has more than one in the clear.
    package static let overhead = headerCount + tagCount

    /// Whether these bytes say that they are sealed, in this or a later version.
    package static func isSealed(_ bytes: Span<UInt8>) -> Bool {
        bytes.count > 0 && bytes[0] >= 0x80
    }

    /// The number of the key that sealed these bytes; not yet proved by anything.
    package static func keyNumber(_ bytes: Span<UInt8>) throws(SealError) -> UInt32 {
        guard bytes.count > 0, bytes[0] >= 0x80 else { throw .notSealed }
        guard bytes[0] == version else { throw .version(bytes[0]) }
        guard bytes.count >= overhead else { throw .truncated }
        return (1...4).reversed().reduce(0) { $0 << 8 | UInt32(bytes[$1]) }
    }
}

/// Why sealed bytes were not opened; nothing of them was handed out.
package enum SealError: Error, Hashable, Sendable {
    /// They are in the clear, or nothing at all.
    case notSealed
    /// A later release sealed them.
    case version(UInt8)
    /// They are shorter than any sealed bytes.
    case truncated
    /// Another key sealed them.
    case otherKey(UInt32)
    /// A bit of them, or the place they stand in, is another than when they were sealed.
    case forged
}

/// Where sealed bytes belong; they open there and nowhere else, so that rows cannot be swapped.
package struct SealPlace: Hashable, Sendable {
    // Four numbers in the machine's order, which is little-endian on every platform we have.
    private let kind: UInt64
    private let first: UInt64
    private let second: UInt64
    private let third: UInt64

    /// Names a place.
    ///
    /// - Parameters:
    ///   - kind: The table and column; never given to another.
    ///   - first: The row, as far as it is known before it is written; so are the next two.
    ///   - second: More of it.
    ///   - third: The rest.
    package init(kind: UInt8, _ first: Int64 = 0, _ second: Int64 = 0, _ third: Int64 = 0) {
        self.kind = UInt64(kind).littleEndian
        self.first = UInt64(bitPattern: first).littleEndian
        self.second = UInt64(bitPattern: second).littleEndian
        self.third = UInt64(bitPattern: third).littleEndian
    }

    borrowing func withBytes<T>(_ body: (UnsafeRawBufferPointer) -> T) -> T {
        // SAFETY: a struct of four numbers has no padding; the bytes are lent for the call.
        unsafe withUnsafeBytes(of: self) { unsafe body($0) }
    }
}
