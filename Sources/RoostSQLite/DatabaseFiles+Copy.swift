// SPDX-License-Identifier: Apache-2.0

internal import CRoostSQLite

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

extension DatabaseFiles {
    /// The path of `Connection.rewrite`'s copy: in the same folder, so on the same file system and,
    /// on Apple's, with the same protection.
    var copy: String { path + Self.copySuffix }

    private static let copySuffix = "-rewrite"

    /// The lock of the copy, which is never deleted.
    ///
    /// Not the copy itself: on Apple's systems `flock` conflicts with the locks that SQLite has on
    /// the same file, even within one process.
    private var copyLock: String { "\(copy).lock" }

    /// Whether this is the copy of a rewrite, which has no copy itself.
    var isCopy: Bool { path.hasSuffix(Self.copySuffix) }

    /// The size of all files of the database on the disk; a missing file counts zero.
    ///
    /// The size is read from the file system, so it is right after every fill, clearing and closing
    /// (scar 151). While a rewrite runs, its copy counts too.
    package var bytesOnDisk: Int64 {
        ["", "-wal", "-shm", "-journal", "-rewrite"].reduce(0) { sum, suffix in
            var status = stat()
            // SAFETY: the path is lent for the call; the struct is read only when it was filled in.
            return unsafe stat(path + suffix, &status) == 0 ? sum + Int64(status.st_size) : sum
        }
    }

    /// Removes the copy of a killed rewrite; a running rewrite keeps its copy.
    ///
    /// The opening of the database calls this, because the copy contains messages.
    package func removeAbandonedCopy() {
        guard DatabaseFiles(copy).exists else { return }
        do {
            let lock = try FolderLock(file: copyLock)
            removeCopy()
            _ = consume lock
        } catch {
            // A rewrite is at work, or the file cannot be deleted; the next opening tries again.
        }
    }

    /// Takes the right to make and to remove the copy.
    ///
    /// - Throws: `isBusy` while another rewrite has it.
    func lockCopy() throws(SQLiteError) -> FolderLock {
        do throws(FileError) {
            return try FolderLock(file: copyLock)
        } catch {
            throw SQLiteError(
                code: error.isTaken
                    ? SQLITE_BUSY : error.code == ENOSPC ? SQLITE_FULL : SQLITE_CANTOPEN,
                message: error.description, action: "copy the remaining rows")
        }
    }

    func removeCopy() {
        for suffix in ["-journal", "-wal", "-shm", ""] {
            // SAFETY: the path is lent for the call. A failed deletion is repeated later.
            _ = unsafe unlink(copy + suffix)
        }
    }

    /// - Throws: `isFull` if the file system has less room than that.
    func requireRoom(for bytes: Int64) throws(SQLiteError) {
        var status = statvfs()
        // SAFETY: the path is lent for the call; the struct is read only when it was filled in.
        guard bytes > 0, unsafe statvfs(path, &status) == 0 else { return }
        let (free, overflow) = UInt64(status.f_bavail)
            .multipliedReportingOverflow(by: UInt64(status.f_frsize))
        guard !overflow, free < UInt64(bytes) else { return }
        throw SQLiteError(
            code: SQLITE_FULL, message: "\(bytes) bytes are needed and \(free) are free",
            action: "copy the remaining rows")
    }
}
