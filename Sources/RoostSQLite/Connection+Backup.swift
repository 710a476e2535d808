// SPDX-License-Identifier: Apache-2.0

internal import CRoostSQLite

extension Connection {
    /// Writes the database as it is now into a file, while others go on writing to it.
    ///
    /// One state is copied, with everything that was committed before the call. What stood in the file
    /// is gone; a file whose copy failed is of no use. Only this user can read the copy.
    package func backUp(to path: String) throws(SQLiteError) {
        let action = "copy the database to \(path)"
        var opened: OpaquePointer?
        _ = DatabaseFiles(path).keepPrivate()
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_EXRESCODE
        // SAFETY: the path is lent for the call; the handle is closed below in every case.
        let code = unsafe sqlite3_open_v2(path, &opened, flags, nil)
        defer { _ = unsafe sqlite3_close(opened) }
        guard code == SQLITE_OK, let target = unsafe opened else {
            throw unsafe SQLiteError(of: opened, code: code, action: action)
        }
        // SAFETY: both handles are ours and distinct; the backup is finished before either is closed.
        guard let backup = unsafe sqlite3_backup_init(target, "main", handle, "main") else {
            throw unsafe SQLiteError(of: target, code: SQLITE_ERROR, action: action)
        }
        // All in one step: between two, a writer elsewhere would make it begin anew, for ever.
        let copied = unsafe sqlite3_backup_step(backup, -1)
        let finished = unsafe sqlite3_backup_finish(backup)
        guard copied == SQLITE_DONE, finished == SQLITE_OK else {
            throw unsafe SQLiteError(
                of: target, code: copied == SQLITE_DONE ? finished : copied, action: action)
        }
    }
}
