// SPDX-License-Identifier: Apache-2.0

internal import RoostSQLite

extension StoreWriter {
    /// Opens the cache; again after `letGo`.
    func open(_ opening: CacheOpening) throws(StoreError) -> RepairReport {
        if try checkIsOpen() || opensLater { return .intact }
        try switchboard.admit(gate)
        let opened = try opening.open(gate.interrupter)
        take(opened.connection, opened.lock)
        let report = opened.report ?? .intact
        do throws(StoreError) {
            try prepareIndex(in: opening.searchPlace)
        } catch {
            var error = error
            error.repairs.cache = report
            throw error
        }
        // The file for signals is in the folder that the opening has made.
        beginPublishing(opening.listens ? opening.files : nil, isRepaired: report != .intact)
        return report
    }

    /// Returns the header of the vault on disk; nil if the cache is plaintext.
    func vaultHeader() async throws(StoreError) -> [UInt8]? {
        try await perform { connection throws(SQLiteError) in
            try connection.first(.vault)?.header
        }
    }

    /// Leaves the opening of a cache that a reader has opened to the first work.
    nonisolated func openLater(_ cache: OpenedCache) {
        openLater(
            LaterOpening(sequence: cache.sequence) { writer throws(StoreError) in
                try writer.open(cache)
            })
    }

    private func open(_ opened: OpenedCache) throws(StoreError) {
        do throws(StoreError) {
            take(try opened.opening.openForWriter(gate.interrupter), opened.lock)
            try prepareIndex(in: opened.opening.searchPlace)
        } catch {
            letGo()
            // The next work tries again, or the repair of the damage.
            openLater(opened)
            if error.kind == .damaged {
                damage.suspect(because: error.cause?.message ?? error.message)
            }
            throw error
        }
        let files = opened.opening.listens ? opened.opening.files : nil
        beginPublishing(files, since: opened.sequence, isRepaired: false)
    }
}

extension ReadConnection {
    /// Opens a cache that needs no work, before its writer does.
    ///
    /// - Returns: The cache for the writer; nil if the writer has to open it first.
    func openFirst(_ opening: CacheOpening) throws(StoreError) -> OpenedCache? {
        try switchboard.admit(gate)
        guard let opened = opening.openForReader(gate.interrupter),
            let sequence = try? opened.connection.first(.sequence)
        else { return nil }
        take(opened.connection, (opening.owner, opening.protection))
        return OpenedCache(opening: opening, lock: opened.lock, sequence: sequence)
    }
}

/// A cache that a reader has opened before its writer.
struct OpenedCache: Sendable {
    let opening: CacheOpening
    /// The lock that protects the files; the writer keeps it.
    let lock: SharedLock?
    /// The number of the last commit at the opening.
    let sequence: Int64
}
