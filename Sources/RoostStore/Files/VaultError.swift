// SPDX-License-Identifier: Apache-2.0

package import RoostSQLite

/// Why a sealed database was not opened; it is untouched, and none of these means that it is damaged
/// but `damaged` itself (scars 43, 44, 47).
package enum VaultError: Error, Hashable, Sendable, CustomStringConvertible {
    /// It is sealed, and no key was given or found.
    case keyMissing
    /// It is sealed with another key than the ones given.
    case wrongKey
    /// The key cannot be read now; the text says why.
    case keyUnavailable(String)
    /// A later release sealed it.
    case newer(UInt8)
    /// The header that leads from the master key to the other keys is broken; the text says where.
    case damaged(String)
    /// SQLite refused.
    case database(SQLiteError)

    package var description: String {
        switch self {
        case .keyMissing:
            "It is sealed and there is no key: open it with the key it was sealed with. Nothing was "
                + "deleted, and it opens when the key is back."
        case .wrongKey:
            "It is sealed with another key: open it with that one. Nothing was deleted."
        case .keyUnavailable(let reason):
            "Its key cannot be read now (\(reason)): try again later, as when the device is "
                + "unlocked. Nothing was deleted."
        case .newer(let version):
            "It is sealed in a form of a later release (\(version)): update the app."
        case .damaged(let what):
            "Its vault is damaged (\(what)): bring back a copy, or let the cache be fetched anew."
        case .database(let error): error.description
        }
    }
}
