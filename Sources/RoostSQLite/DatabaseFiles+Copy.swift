// SPDX-License-Identifier: Apache-2.0

internal import CRoostSQLite

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

extension DatabaseFiles {
    /// Where `Connection.rewrite` gathers what stays: the same folder, so the same file system and, on
    /// Apple's, the same protection.
    var copy: String { "\(path)-rewrite" }

    /// What the database takes on the disk, all its files together; zero for one that is not there.
    ///
    /// Counted where the bytes are, not remembered, so it is right after every fill, clearing and
    /// closing (scar 151). While a rewrite runs, its copy counts too.
    package var bytesOnDisk: Int64 {
        ["", "-wal", "-shm", "-journal", "-rewrite"].reduce(0) { sum, suffix in
            var status = stat()
            // SAFETY: the path is lent for the call; the struct is read only when it was filled in.
            return unsafe stat(path + suffix, &status) == 0 ? sum + Int64(status.st_size) : sum
        }
    }

    /// Removes what a rewrite left behind that was killed; one that is running keeps its file.
    ///
    /// To be called when the database is opened: the copy holds people's words.
    package func removeAbandonedCopy() {
        guard DatabaseFiles(copy).exists else { return }
        do {
            let lock = try FolderLock(file: copy)
            removeCopy()
            _ = consume lock
        } catch {
            // Somebody is at work on it, or it may not be touched; the next opening tries again.
        }
    }

    func lockCopy() throws(SQLiteError) -> FolderLock {
        do throws(FileError) {
            return try FolderLock(file: copy)
        } catch {
            throw SQLiteError(
                code: error.isTaken
                    ? SQLITE_BUSY : error.code == ENOSPC ? SQLITE_FULL : SQLITE_CANTOPEN,
                message: error.description, action: "copy what stays")
        }
    }

    func removeCopy() {
        for suffix in ["-journal", "-wal", "-shm", ""] {
            // SAFETY: the path is lent for the call. What cannot be removed is tried again later.
            _ = unsafe unlink(copy + suffix)
        }
    }

    /// - Throws: `isFull` when the file system has less room than that.
    func requireRoom(for bytes: Int64) throws(SQLiteError) {
        var status = statvfs()
        // SAFETY: the path is lent for the call; the struct is read only when it was filled in.
        guard bytes > 0, unsafe statvfs(path, &status) == 0 else { return }
        let (free, overflow) = UInt64(status.f_bavail)
            .multipliedReportingOverflow(by: UInt64(status.f_frsize))
        guard !overflow, free < UInt64(bytes) else { return }
        throw SQLiteError(
            code: SQLITE_FULL, message: "\(bytes) bytes are needed and \(free) are free",
            action: "copy what stays")
    }
}
