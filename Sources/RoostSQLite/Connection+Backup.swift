// SPDX-License-Identifier: Apache-2.0

internal import CRoostSQLite

extension Connection {
    /// Writes the present state of the database to a file while other connections write to it.
    ///
    /// The copy is one state, with every commit made before the call. It replaces the file's
    /// content. After an error the file is unusable. Only this user can read the copy. `script` is
    /// SQL that changes the copy.
    package func backUp(to path: String, changing script: String = "") throws(SQLiteError) {
        let action = "copy the database to \(path)"
        var opened: OpaquePointer?
        let files = DatabaseFiles(path)
        if !files.makePrivately() { files.removeRightsOfOthers() }
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
        // One step copies all pages. Between two steps a write by another connection would restart
        // the copy, without end.
        let copied = unsafe sqlite3_backup_step(backup, -1)
        let finished = unsafe sqlite3_backup_finish(backup)
        guard copied == SQLITE_DONE, finished == SQLITE_OK else {
            throw unsafe SQLiteError(
                of: target, code: copied == SQLITE_DONE ? finished : copied, action: action)
        }
        // SAFETY: the text is lent for the call, and no result is asked for.
        let changed = unsafe sqlite3_exec(target, script, nil, nil, nil)
        guard changed == SQLITE_OK else {
            throw unsafe SQLiteError(of: target, code: changed, action: action)
        }
    }
}
