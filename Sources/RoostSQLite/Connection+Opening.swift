// SPDX-License-Identifier: Apache-2.0

internal import CRoostSQLite

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

extension Connection {
    /// The size of its file that a large write-ahead log keeps when it restarts (scar 150).
    ///
    /// Bulk writing fills the kept part again and again. Freeing those pages and allocating new
    /// ones each time would cost a change log a twentieth.
    package static let keptLogBytes: Int64 = 16 * 1_048_576

    /// Runs once in a process, before the first connection.
    private static let configureLibrary: Void = {
        roost_sqlite_count_no_memory()
        sqlite3_initialize()
    }()

    /// Opens the handle only; SQLite does not read the file yet.
    static func openHandle(
        _ location: DatabaseLocation, _ options: ConnectionOptions
    ) throws(SQLiteError) -> OpaquePointer {
        precondition(
            sqlite3_threadsafe() != 0,
            "This SQLite was built for one thread only: link one built with SQLITE_THREADSAFE.")
        Self.configureLibrary
        let path: String
        var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_READWRITE
        switch location {
        case .memory:
            path = ":memory:"  // Without a flag: it would hold for attached files too.
        case .file(let file):
            guard !file.isEmpty, !file.utf8.contains(0) else {
                throw SQLiteError(
                    code: SQLITE_CANTOPEN, message: "the path is empty or contains a NUL",
                    action: "open a database")
            }
            path = file
            if options.access == .readWrite { flags |= SQLITE_OPEN_CREATE }
        }
        if flags & SQLITE_OPEN_CREATE != 0, !DatabaseFiles(path).isCopy {
            DatabaseFiles(path).removeAbandonedCopy()
        }
        let isNew = flags & SQLITE_OPEN_CREATE != 0 && DatabaseFiles(path).makePrivately()
        var opened: OpaquePointer?
        // SAFETY: the path is lent for the call; after a failure too the handle is ours to close,
        // once its message is copied.
        let code = unsafe sqlite3_open_v2(path, &opened, flags, nil)
        guard code == SQLITE_OK, let handle = unsafe opened else {
            let error = unsafe SQLiteError(of: opened, code: code, action: "open \(path)")
            _ = unsafe sqlite3_close(opened)
            if isNew { _ = unsafe unlink(path) }  // A failed opening leaves no new file.
            throw error
        }
        return unsafe handle
    }

    /// Applies every setting of a connection.
    ///
    /// The first setting that reads the file comes early.
    func prepareForUse(
        _ location: DatabaseLocation, _ options: ConnectionOptions
    ) throws(SQLiteError) {
        // SAFETY: the handle is open and has no other user yet.
        _ = unsafe sqlite3_extended_result_codes(handle, 1)
        installHandlers(busyPolicy)
        let hardened = unsafe roost_sqlite_harden(handle)
        guard hardened == SQLITE_OK else {
            throw unsafe SQLiteError(of: handle, code: hardened, action: "set up the database")
        }
        readAhead(options.readAheadKiB)
        // Readers do not wait for the writer, and the writer does not wait for readers.
        if options.access == .readWrite {
            try letPagesBeGivenBack(location)
            try takeOver(location, options.applicationID)
        }
        try executeScript(
            options.durability == .powerLoss
                // Apple's `fsync` ends at the drive's cache; elsewhere the last two change nothing.
                ? """
                PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON
                """
                : "PRAGMA synchronous = NORMAL")
        try executeScript(
            """
            PRAGMA cell_size_check = ON;     -- Damage is found where it is, not where it leads.
            PRAGMA temp_store = MEMORY;      -- No content of messages in unprotected files.
            PRAGMA mmap_size = 0;            -- A failing disk is an error, not a signal.
            """)
        try setPragma("journal_size_limit", Int(Self.keptLogBytes))
        keep(checkpoints)
        try executeScript(
            options.erasesDeleted
                ? "PRAGMA secure_delete = ON"
                : "PRAGMA secure_delete = FAST")  // Written pages have no deleted content.
        try setPragma("cache_size", -options.pageCacheKiB)  // Negative: in KiB, not in pages.
        if options.access == .readOnly { try executeScript("PRAGMA query_only = ON") }
    }

    /// Reads the beginning of the file in large pieces, so that the system has it in memory.
    ///
    /// The trees of a cold start are there, and each page read by itself is a wait for the disk.
    /// The bytes are read by SQLite's own handle of the file: closing another handle would drop the
    /// locks of this process.
    private func readAhead(_ kibibytes: Int) {
        var opened: UnsafeMutablePointer<sqlite3_file>?
        guard kibibytes > 0,
            unsafe sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &opened)
                == SQLITE_OK,
            let file = unsafe opened, let methods = unsafe file.pointee.pMethods,
            let read = unsafe methods.pointee.xRead
        else { return }
        var piece = [UInt8](repeating: 0, count: 65_536)
        for offset in stride(from: 0, to: kibibytes * 1_024, by: piece.count) {
            let count = CInt(piece.count)
            // SAFETY: the file is open as long as the handle is; the bytes are lent for the call. A
            // failed read, the end of the file included, is reported by the later read of the page.
            let code = unsafe piece.withUnsafeMutableBytes {
                unsafe read(file, $0.baseAddress, count, Int64(offset))
            }
            guard code == SQLITE_OK else { return }
        }
    }

    /// Enables incremental vacuum.
    ///
    /// SQLite allows that only before the file has pages; later the pragma would write for nothing.
    private func letPagesBeGivenBack(_ location: DatabaseLocation) throws(SQLiteError) {
        // An empty main file may have its first pages in a log.
        if case .file(let path) = location, DatabaseFiles(path).byteCounts.main > 0 { return }
        let pageCount = Query<Void, Int64>(sql: "PRAGMA page_count") { $0.int64(0) }
        if try first(pageCount) == 0 { try executeScript("PRAGMA auto_vacuum = INCREMENTAL") }
    }

    /// Gives a database of the caller its rights and its journal; another program's stays as it is.
    ///
    /// The caller then refuses that one.
    private func takeOver(
        _ location: DatabaseLocation, _ applicationID: Int32?
    ) throws(SQLiteError) {
        guard case .file(let path) = location else { return try switchToWAL(location) }
        let files = DatabaseFiles(path)
        let journalMode = Query<Void, String>(sql: "PRAGMA journal_mode") { $0.text(0) }
        let isWAL = try first(journalMode) == "wal"
        if isWAL, !files.isOpenToOthers { return }
        if let applicationID, try !isOwned(by: applicationID) { return }
        files.removeRightsOfOthers()
        if !isWAL { try switchToWAL(location) }
    }

    private func switchToWAL(_ location: DatabaseLocation) throws(SQLiteError) {
        let journalMode = Query<Void, String>(sql: "PRAGMA journal_mode = WAL") { $0.text(0) }
        let mode = try first(journalMode) ?? ""
        guard mode == "wal" || location == .memory else {
            throw SQLiteError(
                code: SQLITE_CANTOPEN, message: "the file system has no shared memory (\(mode))",
                action: "keep a write-ahead log")
        }
    }

    /// Sets a pragma to a number.
    ///
    /// Pragmas take no arguments, so the number becomes part of the text.
    func setPragma(_ name: StaticString, _ value: Int) throws(SQLiteError) {
        // SAFETY: the text is made of a literal and a number and lent for the call.
        let code = unsafe sqlite3_exec(handle, "PRAGMA \(name) = \(value)", nil, nil, nil)
        guard code == SQLITE_OK else {
            throw translated(unsafe SQLiteError(of: handle, code: code, action: "set \(name)"))
        }
    }
}

extension Connection {
    /// Whether another connection can write to the file and needs no change of its journal.
    package var mayHaveWriter: Bool {
        let journalMode = Query<Void, String>(sql: "PRAGMA journal_mode") { $0.text(0) }
        // SAFETY: the handle lives as long as `self`.
        guard unsafe sqlite3_db_readonly(handle, "main") == 0 else { return false }
        return (try? first(journalMode)) == "wal"
    }
}
