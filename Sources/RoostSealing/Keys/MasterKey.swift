// SPDX-License-Identifier: Apache-2.0

/// The one secret that protects everything sealed; 32 bytes, overwritten with the last reference.
///
/// If it is lost, everything sealed is lost.
package final class MasterKey: Sendable {
    package static let byteCount = 32

    private let bytes: SecretBytes

    /// Creates a key from bytes that the app keeps, as in the system's keychain.
    ///
    /// - Parameter bytes: 32 random bytes; a password is not a key. The caller overwrites its own
    ///   copy.
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

    /// Returns a new random key.
    package static func random() -> MasterKey {
        MasterKey(SecretBytes.random(count: byteCount))
    }

    /// Returns a key for one use; see `SecretBytes.derive`.
    package func derive(for use: String, salt: [UInt8]) -> SecretBytes {
        bytes.derive(for: Array(use.utf8), salt: salt)
    }

    /// Lends the bytes, to be written to a place for keys only.
    package func withBytes<T>(_ body: (UnsafeRawBufferPointer) -> T) -> T {
        // SAFETY: as for `SecretBytes.withBytes`.
        unsafe bytes.withBytes(body)
    }

    package func isSame(as other: MasterKey) -> Bool {
        bytes.matches(other.bytes)
    }
}

/// The reason why there is no key; sealed data stay as they are in each case (scars 43, 44, 47).
package enum MasterKeyError: Error, Hashable, Sendable {
    /// The key does not have 32 bytes but this number.
    case length(Int)
    /// The key cannot be read now, as while the device is locked; a later attempt may succeed.
    case unavailable(String)
}

/// The keys of a store, the one for sealing first.
///
/// During a replacement both keys are given, because some files may still need the old one.
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

/// The source of the keys when a store is opened.
package protocol MasterKeySource: Sendable {
    /// Returns the keys.
    ///
    /// - Parameter makesMissing: Whether a key may be created; never if something is sealed
    ///   already, because a new key would only hide the loss.
    /// - Returns: The keys; nil if none was ever created here.
    /// - Throws: `.unavailable` if there may be a key that cannot be read now.
    func masterKeys(makesMissing: Bool) throws(MasterKeyError) -> MasterKeys?

    /// Discards replaced keys, if everything is sealed with the present key; the closure tells
    /// whether everything is sealed with a key.
    func forgetPrevious(ifInUse isInUse: (MasterKey) -> Bool) throws(MasterKeyError)
}

extension MasterKeys: MasterKeySource {
    package func masterKeys(makesMissing: Bool) -> MasterKeys? { self }

    /// Does nothing: the app keeps its keys and stops giving the old one.
    package func forgetPrevious(ifInUse isInUse: (MasterKey) -> Bool) {}
}
