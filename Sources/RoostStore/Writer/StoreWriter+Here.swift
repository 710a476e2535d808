// SPDX-License-Identifier: Apache-2.0

internal import RoostExecutors
internal import RoostSQLite

// What is done on the calling thread, in the place of the writer's own.

extension StoreWriter {
    /// Opens the cache on the calling thread, which saves two changes of threads; nil where that is not
    /// allowed (see `ThreadExecutor.runHere`).
    nonisolated func openHere(_ opening: CacheOpening) throws(StoreError) -> CacheReport? {
        guard let thread, thread.borrow() else { return nil }
        defer { thread.giveBack() }
        return try assumeIsolated { writer in
            Result { () throws(StoreError) in try writer.open(opening) }
        }.get()
    }

    /// Prepares what a person sees first, on the calling thread: a list of channels and a timeline.
    nonisolated func getReadyHere() {
        guard let thread, thread.borrow() else { return }
        defer { thread.giveBack() }
        guard let connection = lent.value.connection, connection.seals == nil else { return }
        connection.prepareFirstReads()
    }

    /// Reads with this connection on the calling thread, where that is allowed and nothing is being
    /// written; no where it is not.
    nonisolated func lend(
        _ read: (ReadSession) throws(SQLiteError) -> Void
    ) throws(StoreError) -> Bool {
        guard let thread, thread.borrow() else { return false }
        defer { thread.giveBack() }
        return try gate.performNow { () throws(StoreError) in
            guard let connection = lent.value.connection else { return false }
            do throws(SQLiteError) {
                try connection.read(read, &lent.value.book, traces, damage)
                return true
            } catch  where error.isInterrupted {
                return false
            } catch {
                throw StoreError(error, in: path)
            }
        }
    }
}
