// SPDX-License-Identifier: Apache-2.0

public import RoostModel
import RoostStore

/// Whether what a client keeps on disk is sealed, so that a copy of its files tells nobody what was
/// written, by whom and where.
///
/// A store in the clear is sealed by opening it with a key, in place, some seconds for 100,000 messages.
/// A sealed one opens with its key only: another or none is an error, and nothing is changed. Who loses
/// the key loses what it sealed, unsent messages included; the rest comes back from the server into an
/// empty folder.
public struct Protection: Sendable {
    let store: StoreProtection
    /// Where the key is kept, when that is not the app's affair.
    let keyFolder: String?

    /// Everything stands in the clear.
    public static let none = Protection(store: .none)

    /// Sealed with a key that the app keeps, as in the system's keychain.
    ///
    /// - Parameters:
    ///   - key: 32 random bytes; a password is not a key.
    ///   - old: The key before this one, to be named until a client was opened with both: from then on it
    ///     opens nothing.
    /// - Returns: The protection, which holds a copy of the keys.
    /// - Throws: `.invalidParameter` for keys of another length.
    public static func key(
        _ key: [UInt8], replacing old: [UInt8]? = nil
    ) throws(RoostError) -> Protection {
        do {
            return Protection(store: try .key(key, replacing: old))
        } catch {
            throw RoostError(.invalidParameter, remedy: .correctInput, message: error.message)
        }
    }

    /// Sealed with a key that Roost makes and keeps in a file, which nobody but its owner may read.
    ///
    /// - Parameters:
    ///   - folder: Where the keys of all users and applications lie; not the cache's folder, and out of
    ///     its backups: who copies both can read everything.
    ///   - replacesKey: Whether this opening puts a new key into the place of the old one.
    /// - Returns: The protection; the key is made at the first opening.
    public static func keyFile(in folder: String, replacesKey: Bool = false) -> Protection {
        Protection(
            store: .keyFolder(folder, replacesKey: replacesKey), keyFolder: folder)
    }

    /// Takes the seals off what this key has sealed: after the next opening everything stands in the
    /// clear, and `none` opens it.
    public func takenOff() -> Protection {
        Protection(store: store.takenOff(), keyFolder: keyFolder)
    }

    private init(store: StoreProtection, keyFolder: String? = nil) {
        self.store = store
        self.keyFolder = keyFolder
    }
}
