// SPDX-License-Identifier: Apache-2.0

internal import CRoostSQLite

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

extension Connection {
    /// How much of its file a log that grew keeps when it begins anew (scar 150).
    ///
    /// What bulk writing fills again and again: to lose the pages and get new ones each time costs a change
    /// log a twentieth.
    package static let keptLogBytes: Int64 = 16 * 1_048_576

    /// Once a process, before the first connection.
    private static let settleLibrary: Void = {
        roost_sqlite_count_no_memory()
        sqlite3_initialize()
    }()

    /// Opens the handle alone; SQLite does not look into the file yet.
    static func openHandle(
        _ location: DatabaseLocation, _ options: ConnectionOptions
    ) throws(SQLiteError) -> OpaquePointer {
        precondition(
            sqlite3_threadsafe() != 0,
            "This SQLite was built for one thread only: link one built with SQLITE_THREADSAFE.")
        Self.settleLibrary
        let path: String
        var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_READWRITE
        switch location {
        case .memory:
            path = ":memory:"  // Not by flag too: it would turn every attached file into memory.
        case .file(let file):
            guard !file.isEmpty, !file.utf8.contains(0) else {
                throw SQLiteError(
                    code: SQLITE_CANTOPEN, message: "the path is empty or contains a NUL",
                    action: "open a database")
            }
            path = file
            if options.access == .readWrite { flags |= SQLITE_OPEN_CREATE }
        }
        let isNew = flags & SQLITE_OPEN_CREATE != 0 && DatabaseFiles(path).keepPrivate()
        var opened: OpaquePointer?
        // SAFETY: the path is lent for the call; after a failure too the handle is ours to close,
        // once its message is copied.
        let code = unsafe sqlite3_open_v2(path, &opened, flags, nil)
        guard code == SQLITE_OK, let handle = unsafe opened else {
            let error = unsafe SQLiteError(of: opened, code: code, action: "open \(path)")
            _ = unsafe sqlite3_close(opened)
            if isNew { _ = unsafe unlink(path) }  // Nothing is left behind where nothing was.
            throw error
        }
        return unsafe handle
    }

    /// Every setting a connection has, in one place; the first one that reads the file comes early.
    func prepareForUse(
        _ location: DatabaseLocation, _ options: ConnectionOptions
    ) throws(SQLiteError) {
        // SAFETY: the handle is open, and not yet used by anyone else.
        _ = unsafe sqlite3_extended_result_codes(handle, 1)
        heed(patience)
        let hardened = unsafe roost_sqlite_harden(handle)
        guard hardened == SQLITE_OK else {
            throw unsafe SQLiteError(of: handle, code: hardened, action: "set up the database")
        }
        readAhead(options.readAheadKiB)
        // Readers do not wait for the writer, nor the writer for them.
        if options.access == .readWrite {
            try letPagesBeGivenBack(location)
            try switchToWAL(location)
        }
        try executeScript(
            options.durability == .powerLoss
                ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL")
        try executeScript(
            """
            PRAGMA cell_size_check = ON;     -- Damage is found where it is, not where it leads.
            PRAGMA temp_store = MEMORY;      -- Nothing of a message in files nobody protects.
            PRAGMA mmap_size = 0;            -- A failing disk is an error, not a signal.
            """)
        try setPragma("journal_size_limit", Int(Self.keptLogBytes))
        keep(pace)
        try executeScript(
            options.erasesDeleted
                ? "PRAGMA secure_delete = ON"
                : "PRAGMA secure_delete = FAST")  // Whatever is written anyway is clean.
        try setPragma("cache_size", -options.pageCacheKiB)  // Negative: in KiB, not in pages.
        if options.access == .readOnly { try executeScript("PRAGMA query_only = ON") }
    }

    /// Reads the file's beginning in large pieces and throws it away, so that the system has it.
    ///
    /// The trees a cold start walks begin there, and page by page each is a wait for the disk. It goes by
    /// SQLite's own handle of the file: to close another one would drop the locks of this process.
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
            // SAFETY: the file is open as long as the handle is; the bytes are lent for the call. What
            // cannot be read, the end of the file too, is somebody else's to tell of.
            let code = unsafe piece.withUnsafeMutableBytes {
                unsafe read(file, $0.baseAddress, count, Int64(offset))
            }
            guard code == SQLITE_OK else { return }
        }
    }

    /// Can be chosen only while there is no file yet; asked for later it would write for nothing.
    private func letPagesBeGivenBack(_ location: DatabaseLocation) throws(SQLiteError) {
        // What is empty may have its first pages in a log.
        if case .file(let path) = location, DatabaseFiles(path).byteCounts.main > 0 { return }
        let pageCount = Query<Void, Int64>(sql: "PRAGMA page_count") { $0.int64(0) }
        if try first(pageCount) == 0 { try executeScript("PRAGMA auto_vacuum = INCREMENTAL") }
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

    /// Sets a pragma to a number; pragmas take no arguments, so the number becomes part of the text.
    func setPragma(_ name: StaticString, _ value: Int) throws(SQLiteError) {
        // SAFETY: the text is made of a literal and a number and lent for the call.
        let code = unsafe sqlite3_exec(handle, "PRAGMA \(name) = \(value)", nil, nil, nil)
        guard code == SQLITE_OK else {
            throw unsafe SQLiteError(of: handle, code: code, action: "set \(name)")
        }
    }
}
