// SPDX-License-Identifier: Apache-2.0

import CRoostSQLite

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// An open file of a simulated disk, with our methods.
///
/// SQLite uses one file from one thread at a time.
@safe final class OpenFile {
    private typealias Handle = UnsafeMutablePointer<sqlite3_file>

    private let disk: SimulatedDisk
    private let name: String
    private let number: Int
    private let original: UnsafePointer<sqlite3_io_methods>

    init(
        _ disk: SimulatedDisk, _ name: String, _ number: Int,
        _ original: UnsafePointer<sqlite3_io_methods>
    ) {
        self.disk = disk
        self.name = name
        self.number = number
        unsafe self.original = original
    }

    /// Returns the address of our part of a file.
    private static func slot(
        _ file: UnsafeMutablePointer<sqlite3_file>
    ) -> UnsafeMutablePointer<UnsafeMutableRawPointer?> {
        // SAFETY: the driver asked for room for one pointer behind the system's part.
        unsafe (UnsafeMutableRawPointer(file) + Int(DiskDriver.system.pointee.szOsFile))
            .assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
    }

    static func set(_ open: OpenFile?, for file: UnsafeMutablePointer<sqlite3_file>) {
        // SAFETY: released when the file is closed.
        unsafe slot(file).pointee = open.map { unsafe Unmanaged.passRetained($0).toOpaque() }
    }

    private static func of(_ file: Handle?) -> OpenFile {
        guard let file = unsafe file, let open = unsafe slot(file).pointee else {
            preconditionFailure("Our methods are called for our files only.")
        }
        return unsafe Unmanaged<OpenFile>.fromOpaque(open).takeUnretainedValue()
    }

    /// Replaces some methods of a table by ours.
    static func replaceMethods(of table: inout sqlite3_io_methods) {
        // SAFETY: each function passes its arguments on to the table from which it was copied.
        unsafe table.xClose = { file in unsafe OpenFile.close(file) }
        unsafe table.xRead = { file, bytes, count, offset in
            let open = unsafe OpenFile.of(file)
            if let fault = open.verdict(.read) { return fault.code }
            return unsafe open.original.pointee.xRead(file, bytes, count, offset)
        }
        unsafe table.xWrite = { file, bytes, count, offset in
            unsafe OpenFile.of(file).write(file, bytes, count, offset)
        }
        unsafe table.xTruncate = { file, size in
            let open = unsafe OpenFile.of(file)
            if let fault = open.verdict(.truncate) { return fault.code }
            let code = unsafe open.original.pointee.xTruncate(file, size)
            if code == SQLITE_OK { open.record(.truncate(file: open.number, size: Int(size))) }
            return code
        }
        unsafe table.xSync = { file, flags in
            let open = unsafe OpenFile.of(file)
            if let fault = open.verdict(.sync) { return fault.code }
            let code = unsafe open.original.pointee.xSync(file, flags)
            if code == SQLITE_OK {
                // The other bit allows to leave out the file's size.
                let passesDrive = flags & 0xF == SQLITE_SYNC_FULL
                open.record(.sync(file: open.number, passesDrive: passesDrive))
            }
            return code
        }
        guard unsafe table.xShmMap != nil else { return }
        unsafe table.xShmMap = { file, page, size, extends, memory in
            let open = unsafe OpenFile.of(file)
            if let fault = open.verdict(.map) { return fault.code }
            return unsafe open.original.pointee.xShmMap(file, page, size, extends, memory)
        }
    }

    private func verdict(_ operation: SimulatedDisk.Operation) -> SimulatedDisk.Fault? {
        disk.verdict(operation, name)
    }

    private func record(_ event: DiskEvent) { disk.record(event) }

    private static func close(_ file: Handle?) -> Int32 {
        guard let file = unsafe file, let context = unsafe slot(file).pointee else {
            return SQLITE_OK
        }
        let open = unsafe Unmanaged<OpenFile>.fromOpaque(context).takeRetainedValue()
        unsafe slot(file).pointee = nil
        unsafe file.pointee.pMethods = open.original
        return unsafe open.original.pointee.xClose(file)
    }

    private func write(
        _ file: Handle?, _ bytes: UnsafeRawPointer?, _ count: Int32, _ offset: sqlite3_int64
    ) -> Int32 {
        var count = count
        var answer = SQLITE_OK
        if let fault = verdict(.write) {
            count = min(count, Int32(fault.tornAfter))
            answer = fault.code
            if let error = fault.systemError { errno = error }
        }
        guard count > 0 else { return answer }
        let code = unsafe original.pointee.xWrite(file, bytes, count, offset)
        guard code == SQLITE_OK else { return code }
        guard disk.records else { return answer }
        let content = unsafe UnsafeRawBufferPointer(start: bytes, count: Int(count))
        record(.write(file: number, offset: Int(offset), bytes: unsafe Array(content)))
        return answer
    }
}
