// SPDX-License-Identifier: Apache-2.0

internal import RoostSQLite

/// How the cache was found; an app should tell its users of anything but `.intact`.
package enum CacheReport: Hashable, Sendable {
    case intact
    /// The cache could not be read and was begun anew; the old files are at `setAside`, whole.
    case rebuilt(setAside: String, because: String)
}

/// What it takes to open a cache.
struct CacheOpening: Sendable {
    let owner: StoreOwner
    /// Nil in memory.
    let files: StoreFiles?
    /// Whether the whole file is read and checked first.
    let checksForDamage: Bool
    let options: ConnectionOptions
    let patience: Duration
    let protection: StoreProtection
    var searchPlace = SearchPlace.nowhere

    var path: String { files?.cache ?? ":memory:" }

    /// Opens the cache; one that cannot be read is set aside and begun anew (scars 42, 43).
    func open() throws(StoreError) -> OpenDatabase<CacheReport> {
        let checks = checksForDamage
        let opening = DatabaseOpening(
            owner: owner, path: files?.cache, lockFile: files?.lock, options: options,
            patience: patience, migrator: .cache, ownerQueries: .cache, protection: protection
        ) { connection throws(SQLiteError) in
            checks ? try connection.damage(limit: 1).first : nil
        }
        return try opening.open {
            nil
        } repair: { damage throws(StoreError) in
            let setAside = try DatabaseFiles(path).setAside(because: damage)
            return .rebuilt(setAside: setAside, because: damage.cause?.message ?? damage.message)
        }
    }
}

extension DatabaseFiles {
    /// Moves a damaged database out of the way.
    func setAside(because damage: StoreError) throws(StoreError) -> String {
        do {
            return try setAside()
        } catch {
            throw StoreError(
                .damaged,
                "\(damage.message) It could not be set aside: \(error) Move it away by hand.",
                cause: damage.cause)
        }
    }
}
