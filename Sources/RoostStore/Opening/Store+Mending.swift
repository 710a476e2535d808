// SPDX-License-Identifier: Apache-2.0

internal import RoostSQLite

extension Store {
    /// Returns a stream of the damage found from now on; it finishes when the store closes.
    package func damage() -> AsyncStream<CacheDamage> { writer.damage.observe() }

    /// Checks a cache after damage was found in it, and repairs it as an opening does.
    ///
    /// Calls of the cache wait until the repair has ended. The outbox stays available.
    ///
    /// - Returns: The result of the check; nil if there is no suspicion, another process has the
    ///   cache open, or the store is suspended or closed, in which case its next opening checks it.
    /// - Throws: As `open`, if the cache cannot be opened again; then all calls of the cache keep
    ///   waiting, and this call has to be repeated.
    /// - Complexity: Reads the whole file once; a repair writes it once.
    package func mend() async throws(StoreError) -> RepairReport? {
        await switchboard.beginMove()
        defer { switchboard.endMove() }
        let gates =
            [writer.gate] + connections.map(\.gate) + (memoryIndex.map { [$0.gate] } ?? [])
        guard writer.damage.isSuspect, opening.files != nil, switchboard.turnOff(gates) else {
            return nil
        }
        await memoryIndex?.letGo()
        for connection in connections { await connection.close() }
        await writer.letGo()
        var found = Repairs()
        do throws(StoreError) {
            found.cache = try await writer.open(opening)
            for connection in connections {
                try await connection.open(opening.owner, opening.protection)
            }
        } catch {
            switchboard.keep(found.followed(by: error.repairs))
            // The store was suspended or closed meanwhile; the resumption reports the repair.
            if error.kind == .suspended || error.kind == .closed { return nil }
            throw error
        }
        await memoryIndex?.goOn()
        switchboard.turnOn(gates)
        let report = switchboard.take(found).cache
        guard report != .intact || !writer.damage.isSuspect else { return nil }
        if report == .intact { writer.damage.clear() }
        return report
    }
}
