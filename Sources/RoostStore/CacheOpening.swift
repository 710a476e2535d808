// SPDX-License-Identifier: Apache-2.0

internal import RoostSQLite

/// How the cache was found; an app should tell its users of anything but `.intact`.
package enum CacheReport: Hashable, Sendable {
    case intact
    /// The cache was damaged, and what of it is certain was carried over into a new one.
    ///
    /// The old files are at `setAside`; those of an earlier damage are deleted, because they hold what
    /// people wrote and help nobody any more. So are those in the clear, where the store is sealed; then
    /// there is no path.
    case rebuilt(setAside: String?, because: String, salvaged: SalvagedCache)
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
    /// Whether the commits of other processes are listened for.
    let listens: Bool
    let migrating: @Sendable (MigrationProgress) -> Void
    let protection: StoreProtection
    var searchPlace = SearchPlace.nowhere

    var path: String { files?.cache ?? ":memory:" }

    /// Opens the cache; one that cannot be read is set aside and made anew (scars 42, 43).
    func open(_ interrupter: Interrupter) throws(StoreError) -> OpenDatabase<CacheReport> {
        let database = database(interrupter)
        return try database.open {
            nil
        } repair: { damage throws(StoreError) in
            try salvage(database, damage)
        }
    }

    /// Sets the cache aside whatever is wrong with it, and makes it anew with all that is certain.
    ///
    /// - Throws: `.locked` while somebody has it open.
    func replace(because reason: String) throws(StoreError) -> CacheReport {
        let database = database(Interrupter())
        return try database.alone { () throws(StoreError) in
            try salvage(database, StoreError(.damaged, reason))
        }
    }

    private func database(_ interrupter: Interrupter) -> DatabaseOpening {
        let checks = checksForDamage
        return DatabaseOpening(
            owner: owner, path: files?.cache, lockFile: files?.lock, options: options,
            patience: patience, migrator: .cache, ownerQueries: .cache, protection: protection,
            interrupter: interrupter, migrating: migrating
        ) { connection throws(SQLiteError) in
            checks ? try connection.firstDamage() : nil
        }
    }

    private func salvage(
        _ database: DatabaseOpening, _ damage: StoreError
    ) throws(StoreError) -> CacheReport {
        // What is made anew without a key would lie in the clear beside what is sealed.
        if let files { try protection.requireKeys(of: files) }
        let setAside = try DatabaseFiles(path).setAside(because: damage)
        let connection = try database.openAlone()
        do throws(SQLiteError) {
            let salvaged = try CacheSalvage.carry(
                from: setAside, to: connection, owner: owner, protection)
            if protection.isSealed { files?.deleteClearCopies() }
            return .rebuilt(
                setAside: DatabaseFiles(setAside).exists ? setAside : nil,
                because: damage.cause?.message ?? damage.message, salvaged: salvaged)
        } catch {
            throw StoreError(error, in: path)
        }
    }
}

extension DatabaseFiles {
    /// Moves a damaged database out of the way.
    func setAside(because damage: StoreError) throws(StoreError) -> String {
        do {
            var number = 1
            while case let old = DatabaseFiles("\(path).damaged-\(number)"), old.exists {
                try old.delete()
                number += 1
            }
            return try setAside()
        } catch {
            throw StoreError(
                .damaged,
                "\(damage.message) It could not be set aside: \(error) Move it away by hand.",
                cause: damage.cause)
        }
    }
}
