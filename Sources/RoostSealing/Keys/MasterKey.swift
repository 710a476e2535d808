// SPDX-License-Identifier: Apache-2.0

/// The one secret that everything sealed hangs on; 32 bytes, overwritten with the last reference.
///
/// Who loses it loses what it sealed: nothing else opens it.
package final class MasterKey: Sendable {
    package static let byteCount = 32

    private let bytes: SecretBytes

    /// Takes a key the app keeps, such as in the system's keychain.
    ///
    /// - Parameter bytes: 32 of them, random: a password is not a key. The caller's copy stays theirs to
    ///   overwrite.
    /// - Throws: `.length`.
    package init(_ bytes: Span<UInt8>) throws(MasterKeyError) {
        guard bytes.count == Self.byteCount else { throw .length(bytes.count) }
        self.bytes = SecretBytes(copying: bytes)
    }

    package convenience init(_ bytes: [UInt8]) throws(MasterKeyError) {
        try self.init(bytes.span)
    }

    private init(_ bytes: consuming SecretBytes) {
        self.bytes = bytes
    }

    /// A new key that nobody can guess.
    package static func random() -> MasterKey {
        MasterKey(SecretBytes.random(count: byteCount))
    }

    /// A key for one use; see `SecretBytes.derive`.
    package func derive(for use: String, salt: [UInt8]) -> SecretBytes {
        bytes.derive(for: Array(use.utf8), salt: salt)
    }

    /// Lends the bytes, to be written to where keys are kept and nowhere else.
    package func withBytes<T>(_ body: (UnsafeRawBufferPointer) -> T) -> T {
        // SAFETY: as `SecretBytes.withBytes`.
        unsafe bytes.withBytes(body)
    }

    package func isSame(as other: MasterKey) -> Bool {
        bytes.matches(other.bytes)
    }
}

/// Why there is no key; what is sealed stays as it is, whichever it was (scars 43, 44, 47).
package enum MasterKeyError: Error, Hashable, Sendable {
    /// The bytes given are not 32; this many were.
    case length(Int)
    /// The place where the key is kept cannot be read now, as while the device is locked: try later.
    case unavailable(String)
}

/// The keys to try, the one to seal with first.
///
/// While a key is being replaced both are given, because some files may hang on the old one still.
package struct MasterKeys: Sendable {
    package let current: MasterKey
    package let previous: [MasterKey]

    package init(_ current: MasterKey, previous: [MasterKey] = []) {
        self.current = current
        self.previous = previous
    }

    package var all: [MasterKey] { [current] + previous }

    package func isSame(as other: MasterKeys) -> Bool {
        all.count == other.all.count
            && zip(all, other.all).allSatisfy { one, other in one.isSame(as: other) }
    }
}

/// Where the keys come from when a store is opened.
package protocol MasterKeySource: Sendable {
    /// Reads the keys.
    ///
    /// - Parameter makesMissing: Whether a key may be made; never when something is sealed already, whose
    ///   key a new one would only hide.
    /// - Returns: The keys, or nil when none was ever made here.
    /// - Throws: `.unavailable` when there may be a key that cannot be read now.
    func masterKeys(makesMissing: Bool) throws(MasterKeyError) -> MasterKeys?

    /// Lets go of keys that were replaced: nothing hangs on them any more.
    func forgetPrevious() throws(MasterKeyError)
}

extension MasterKeys: MasterKeySource {
    package func masterKeys(makesMissing: Bool) -> MasterKeys? { self }

    /// Does nothing: the app keeps its keys, and gives the old one no more.
    package func forgetPrevious() {}
}
