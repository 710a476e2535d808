// SPDX-License-Identifier: Apache-2.0

package import RoostSQLite

/// The reason why an encrypted database was not opened.
///
/// The database is unchanged. Only `damaged` means damage (scars 43, 44, 47).
package enum VaultError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The database is encrypted, and no key was given or found.
    case keyMissing
    /// The database is encrypted with another key than the given ones.
    case wrongKey
    /// The key cannot be read now; the text gives the reason.
    case keyUnavailable(String)
    /// A later release encrypted the database.
    case newer(UInt8)
    /// The vault's header is damaged; the text gives the place.
    case damaged(String)
    /// An error of SQLite.
    case database(SQLiteError)

    package var description: String {
        switch self {
        case .keyMissing:
            "It is encrypted, and no key was given: set `Configuration.protection` to the key that "
                + "it was encrypted with. Nothing was deleted, and it opens when the key is back."
        case .wrongKey:
            "It is encrypted with another key: open it with that one. Nothing was deleted."
        case .keyUnavailable(let reason):
            "Its key cannot be read now (\(reason)): try again later, as when the device is "
                + "unlocked. Nothing was deleted."
        case .newer(let version):
            "It is encrypted in a form of a later release (\(version)): update the app."
        case .damaged(let what):
            "Its vault is damaged (\(what)): restore a copy, or let the cache be fetched anew."
        case .database(let error): error.description
        }
    }
}
