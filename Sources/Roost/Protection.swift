// SPDX-License-Identifier: Apache-2.0

public import RoostModel
import RoostStore

/// The encryption of a client's files, so that a copy of them reveals no texts, names and places.
///
/// Opening a plain store with a key seals it in place; 100,000 messages take some seconds. A sealed
/// store opens with its key only: with another or none the opening fails and changes nothing. If
/// the key is lost, unsent messages are lost; the server restores the rest into an empty folder.
public struct Protection: Sendable {
    let store: StoreProtection
    /// The folder of the key file; nil if the app keeps the key.
    let keyFolder: String?

    /// No encryption.
    public static let none = Protection(store: .none)

    /// Encrypts with a key that the app keeps, as in the system's keychain.
    ///
    /// - Parameters:
    ///   - key: 32 random bytes; a password is not a key.
    ///   - old: The previous key, given until a client was opened with both; from then on it opens
    ///     nothing.
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

    /// Encrypts with a key that Roost creates and keeps in a file only its owner may read.
    ///
    /// - Parameters:
    ///   - folder: The folder for the keys of all users and applications. It must not be the
    ///     cache's folder, and must not be in the same backup: both together reveal everything. A
    ///     path that begins with `~` is refused.
    ///   - replacesKey: Whether the opening replaces the old key with a new one.
    /// - Returns: The protection; the first opening creates the key.
    public static func keyFile(in folder: String, replacesKey: Bool = false) -> Protection {
        Protection(
            store: .keyFolder(folder, replacesKey: replacesKey), keyFolder: folder)
    }

    /// Returns a protection that decrypts the files at the next opening; afterwards `none` opens
    /// them.
    public func takenOff() -> Protection {
        Protection(store: store.takenOff(), keyFolder: keyFolder)
    }

    private init(store: StoreProtection, keyFolder: String? = nil) {
        self.store = store
        self.keyFolder = keyFolder
    }
}
