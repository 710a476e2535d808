// SPDX-License-Identifier: Apache-2.0

internal import RoostSealing

/// The header that verifies the master key and leads to the other keys.
///
///     version | salt (32) | check (32) | lookup key, wrapped (65) | SHA-256 of all before (32)
///
/// The hash needs no key, so damage can be distinguished from a wrong key: if the hash is right and
/// the check is wrong, the key is another one. The check is derived from the master key by HKDF and
/// reveals nothing about it.
package struct VaultHeader: Sendable {
    private static let version: UInt8 = 1
    private static let saltCount = 32
    private static let checkCount = 32
    private static let sumCount = 32
    private static let count =
        1 + saltCount + checkCount + 32 + SealedForm.overhead + sumCount

    private let salt: [UInt8]
    private let check: [UInt8]
    private let wrappedLookup: [UInt8]

    /// Makes a header for a master key, with a salt of its own.
    init(_ master: MasterKey, lookup: borrowing SecretBytes) {
        salt = .random(count: Self.saltCount)
        check = Self.check(master, salt: salt)
        wrappedLookup = Self.wrapper(master, salt: salt).wrapping(lookup, at: .lookupKey)
    }

    package init(_ bytes: [UInt8]) throws(VaultError) {
        guard let version = bytes.first else { throw .damaged("it is empty") }
        guard version <= Self.version else { throw .newer(version) }
        guard version == Self.version, bytes.count == Self.count,
            [UInt8].sha256(of: Array(bytes.dropLast(Self.sumCount)))
                .matches(Array(bytes.suffix(Self.sumCount)))
        else { throw .damaged("its sum is wrong") }
        salt = Array(bytes[1..<33])
        check = Array(bytes[33..<65])
        wrappedLookup = Array(bytes[65..<(bytes.count - Self.sumCount)])
    }

    var bytes: [UInt8] {
        let body = [Self.version] + salt + check + wrappedLookup
        return body + .sha256(of: body)
    }

    /// Whether this header was made with a key.
    func isMade(with master: MasterKey) -> Bool {
        Self.check(master, salt: salt).matches(check)
    }

    /// Returns the sealer that wraps the data keys.
    func wrapper(_ master: MasterKey) -> Sealer {
        Self.wrapper(master, salt: salt)
    }

    /// Returns the key of the lookup columns' hashes.
    func lookup(_ wrapper: Sealer) throws(SealError) -> SecretBytes {
        try wrapper.unwrapping(wrappedLookup, at: .lookupKey)
    }

    private static func check(_ master: MasterKey, salt: [UInt8]) -> [UInt8] {
        // SAFETY: the bytes are copied; they are no secret.
        unsafe master.derive(for: "roost vault 1 check", salt: salt).withBytes { unsafe Array($0) }
    }

    private static func wrapper(_ master: MasterKey, salt: [UInt8]) -> Sealer {
        Sealer(key: master.derive(for: "roost vault 1 wrap", salt: salt), number: 0)
    }
}

extension Sealer {
    func wrapping(_ key: borrowing SecretBytes, at place: SealPlace) -> [UInt8] {
        var wrapped: [UInt8] = []
        wrapped.reserveCapacity(key.count + SealedForm.overhead)
        // Encrypted in place, so no plaintext copy remains.
        // SAFETY: the key's bytes are read during the call only.
        unsafe key.withBytes { key in
            seal(into: &wrapped, at: place) { unsafe $0.append(contentsOf: key) }
        }
        return wrapped
    }

    func unwrapping(_ wrapped: [UInt8], at place: SealPlace) throws(SealError) -> SecretBytes {
        var bytes: [UInt8] = []
        defer { bytes.wipe() }
        try open(wrapped.span, at: place, into: &bytes)
        return SecretBytes(copying: bytes.span)
    }
}
