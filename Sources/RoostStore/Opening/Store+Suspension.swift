// SPDX-License-Identifier: Apache-2.0

extension Store {
    /// The number of suspensions that are done; nil while the files are closed.
    ///
    /// One that waits for the end of a resumption does not count yet, and will close the files.
    package var suspensionsWhileOpen: Int? { switchboard.suspensionsWhileOn }

    /// Releases every lock and file before the system suspends the app.
    ///
    /// The system ends a suspended app that has a lock (scar 49).
    ///
    /// A running transaction is interrupted, rolled back and repeated after `resume`, before the calls
    /// that arrive in between. A store in memory only stops working.
    package func suspend() async {
        switchboard.turnOff()  // At once, whatever else is under way.
        await switchboard.beginMove()
        await letGo()
        switchboard.noteSuspension()
        switchboard.endMove()
    }

    private func letGo() async {
        switchboard.turnOff()
        guard opening.files != nil else { return }
        // The outbox and the writer have the locks. The writer follows the other connections of the
        // cache, because the last one writes the log back, which needs the lock.
        await outbox.letGo()
        for connection in connections { await connection.close() }
        await memoryIndex?.letGo()
        await writer.letGo()
        await downloads.letGo()
    }

    /// Opens the files again and performs the waiting work; commits of other processes are reported
    /// as missed.
    ///
    /// - Returns: The state of the files, from failed calls too, because anything may have happened
    ///   to them meanwhile.
    /// - Throws: As `open`; then the store is still suspended, and the call may be repeated.
    @discardableResult
    package func resume() async throws(StoreError) -> Repairs {
        await switchboard.beginMove()
        defer { switchboard.endMove() }
        switchboard.prepare()
        var found = Repairs()
        if opening.files != nil {
            do throws(StoreError) {
                found.cache = try await writer.open(opening)
                found.outbox = try await outbox.open(
                    owner: opening.owner, patience: opening.patience, opening.protection,
                    opening.schema)
                for connection in connections {
                    try await connection.open(opening.owner, opening.protection)
                }
                await memoryIndex?.goOn()
            } catch {
                switchboard.keep(found.followed(by: error.repairs))
                await letGo()
                throw error
            }
        }
        switchboard.turnOn()
        return switchboard.take(found)
    }
}
