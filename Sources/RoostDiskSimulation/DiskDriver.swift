// SPDX-License-Identifier: Apache-2.0

import CRoostSQLite
import RoostExecutors

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The driver that SQLite uses by default once the first disk is simulated.
///
/// It passes every call on to the system's driver. A file below a simulated disk gets a copy of its
/// own table of methods, with some of them replaced by ours: main files and journals have different
/// tables.
enum DiskDriver {
    private struct Weak {
        weak var disk: SimulatedDisk?
    }

    private static let disks = Guarded<[Weak]>([])
    /// Our table for each original one; tables are never freed, and there are a handful.
    private static let tables = Guarded<[UInt: UInt]>([:])
    /// The system's driver, which lives as long as the program.
    // SAFETY: written once, before SQLite can call any function below.
    nonisolated(unsafe) static let system: UnsafeMutablePointer<sqlite3_vfs> = {
        sqlite3_initialize()
        guard let found = unsafe sqlite3_vfs_find(nil) else {
            preconditionFailure("SQLite has no driver for files.")
        }
        return unsafe found
    }()

    private static let installation: Void = {
        // SAFETY: the copy and its name are never freed, as SQLite asks of a registered driver.
        let driver = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        unsafe driver.initialize(to: system.pointee)
        unsafe driver.pointee.pNext = nil
        unsafe driver.pointee.zName = UnsafePointer(strdup("roost-simulated"))
        // The pointer to our object lies behind the system's part of an open file.
        unsafe driver.pointee.szOsFile += Int32(MemoryLayout<UnsafeRawPointer?>.size)
        unsafe driver.pointee.xOpen = { _, name, file, flags, outFlags in
            unsafe DiskDriver.open(name, file, flags, outFlags)
        }
        unsafe driver.pointee.xDelete = { _, name, syncs in unsafe DiskDriver.delete(name, syncs) }
        let code = unsafe sqlite3_vfs_register(driver, 1)
        precondition(code == SQLITE_OK, "SQLite refused a driver.")
    }()

    static func install() { _ = installation }

    static func add(_ disk: SimulatedDisk) {
        disks.withLock { disks in
            disks.removeAll { $0.disk == nil }
            disks.append(Weak(disk: disk))
        }
    }

    static func diskCount(in folder: String) -> Int {
        disks.withLock { disks in
            disks.lazy.compactMap(\.disk).count { $0.folder.hasPrefix(folder) }
        }
    }

    private static func disk(of path: String) -> SimulatedDisk? {
        disks.withLock { disks in
            disks.lazy.compactMap(\.disk).first { path.hasPrefix($0.folder + "/") }
        }
    }

    private static func open(
        _ name: sqlite3_filename?, _ file: UnsafeMutablePointer<sqlite3_file>?, _ flags: Int32,
        _ outFlags: UnsafeMutablePointer<Int32>?
    ) -> Int32 {
        // SAFETY: SQLite hands over a block of `szOsFile` bytes, ours included, and a name that lives
        // as long as the file is open.
        guard let file = unsafe file else { return SQLITE_MISUSE }
        unsafe OpenFile.set(nil, for: file)
        let path = unsafe name.map { unsafe String(cString: $0) }
        let disk = path.flatMap(disk(of:))
        if let disk, let path, let fault = disk.verdict(.open, path.fileName) {
            unsafe file.pointee.pMethods = nil
            return fault.code
        }
        let isNew = unsafe name.map { unsafe makes($0, flags) } ?? true
        let code = unsafe system.pointee.xOpen(system, name, file, flags, outFlags)
        guard code == SQLITE_OK, let disk, let path, let original = unsafe file.pointee.pMethods
        else { return code }
        let number = disk.number(of: path, isNew: isNew) { bytes(of: path) }
        let open = unsafe OpenFile(disk, path.fileName, number, original)
        unsafe OpenFile.set(open, for: file)
        unsafe file.pointee.pMethods = table(for: original)
        return code
    }

    /// Whether SQLite makes the file now.
    ///
    /// A main file was made just before, with its mode and without content.
    private static func makes(_ name: sqlite3_filename, _ flags: Int32) -> Bool {
        var status = stat()
        // SAFETY: the name is lent for the call; the struct is read only when it was filled in.
        guard unsafe stat(name, &status) == 0 else { return true }
        return flags & SQLITE_OPEN_MAIN_DB != 0 && status.st_size == 0
    }

    private static func bytes(of path: String) -> [UInt8] {
        guard let file = unsafe fopen(path, "rb") else { return [] }
        defer { _ = unsafe fclose(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe fread(&chunk, 1, chunk.count, file)
            if count == 0 { return bytes }
            bytes += chunk[..<count]
        }
    }

    private static func delete(_ name: UnsafePointer<CChar>?, _ syncs: Int32) -> Int32 {
        let path = unsafe name.map { unsafe String(cString: $0) } ?? ""
        let disk = disk(of: path)
        if let fault = disk?.verdict(.delete, path.fileName) { return fault.code }
        let code = unsafe system.pointee.xDelete(system, name, syncs)
        if code == SQLITE_OK { disk?.record(.unlink(path: path, isSynced: syncs != 0)) }
        return code
    }

    private static func table(
        for original: UnsafePointer<sqlite3_io_methods>
    ) -> UnsafePointer<sqlite3_io_methods> {
        let key = UInt(bitPattern: original)
        let address = tables.withLock { tables in
            if let known = tables[key] { return known }
            let table = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
            // SAFETY: the original is a constant of the system's driver; ours is never freed.
            unsafe table.initialize(to: original.pointee)
            unsafe OpenFile.replaceMethods(of: &table.pointee)
            let address = UInt(bitPattern: table)
            tables[key] = address
            return address
        }
        guard let table = unsafe UnsafePointer<sqlite3_io_methods>(bitPattern: address) else {
            preconditionFailure("A table has an address.")
        }
        return unsafe table
    }
}

extension String {
    fileprivate var fileName: String {
        String(self[(lastIndex(of: "/").map(index(after:)) ?? startIndex)...])
    }
}
