// SPDX-License-Identifier: Apache-2.0

internal import RoostSQLite

extension Store {
    /// Returns a stream of the damage found from now on; it finishes when the store closes.
    package func damage() -> AsyncStream<CacheDamage> { writer.damage.observe() }

    /// Checks a cache in which damage was met, and repairs it as an opening does.
    ///
    /// Calls of the cache wait until the repair has ended. The outbox stays available.
    ///
    /// - Returns: How the cache was found; nil when nothing is suspected, another process has it open, or the
    ///   store is suspended or closed, whose next opening sees to it.
    /// - Throws: As `open`, when the cache cannot be opened again now: then all goes on waiting, and the call
    ///   has to be made again.
    /// - Complexity: Reads the whole file once; a repair writes it once.
    package func mend() async throws(StoreError) -> RepairReport? {
        await switchboard.beginMove()
        defer { switchboard.endMove() }
        let gates = [writer.gate] + connections.map(\.gate)
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
            // A suspension, or the end, has come in between: what was repaired the resumption tells.
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
