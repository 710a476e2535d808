// SPDX-License-Identifier: Apache-2.0

internal import CRoostSQLite

/// An error of SQLite.
///
/// It names the attempted action, never its arguments, which may be messages.
package struct SQLiteError: Error, Hashable, Sendable, CustomStringConvertible {
    /// SQLite's extended result code, such as 2067 for a broken unique constraint.
    package let code: Int32
    /// SQLite's own description, which names tables and columns and no values.
    package let message: String
    /// The attempted action, to be read after "could not".
    package let action: String

    package init(code: Int32, message: String, action: String) {
        self.code = code
        self.message = message
        self.action = action
    }

    /// A stored value that its reader cannot decode.
    package static func malformed(_ what: String, because reason: String) -> SQLiteError {
        SQLiteError(code: SQLITE_MISMATCH, message: reason, action: "read \(what)")
    }

    /// A reader kept the log from being emptied.
    static let logInUse = SQLiteError(
        code: SQLITE_BUSY, message: "a reader uses the log", action: "empty the log")

    package var description: String {
        "SQLite could not \(action): \(message) (code \(code))."
    }

    /// `SQLITE_IOERR_SHMSIZE`, a macro that Swift does not import.
    private static let noRoomForSharedMemory = SQLITE_IOERR | 19 << 8

    /// The class of the failure, without its details.
    private var primaryCode: Int32 { code & 0xFF }

    /// No room left, on the disk or below the page limit; the whole transaction is undone.
    ///
    /// A full file system has no room either for the memory that connections share, which an opening
    /// makes as a file; SQLite has a code of its own for that.
    package var isFull: Bool { primaryCode == SQLITE_FULL || code == Self.noRoomForSharedMemory }
    /// The file is damaged, or was never a database.
    package var isCorrupt: Bool { primaryCode == SQLITE_CORRUPT || isNotADatabase }
    /// The file was never a database, or is encrypted.
    package var isNotADatabase: Bool { primaryCode == SQLITE_NOTADB }
    /// The file or its folder may be read but not written.
    package var isReadOnly: Bool { primaryCode == SQLITE_READONLY }
    /// The file could not be opened or made.
    package var isCannotOpen: Bool { primaryCode == SQLITE_CANTOPEN }
    /// Another connection holds the lock, and the wait for it has ended.
    package var isBusy: Bool { primaryCode == SQLITE_BUSY || primaryCode == SQLITE_LOCKED }
    /// The operating system refused to read or write.
    package var isIO: Bool { primaryCode == SQLITE_IOERR }
    /// The operating system denies this process the file, as while the device is locked.
    package var isForbidden: Bool { primaryCode == SQLITE_PERM || primaryCode == SQLITE_AUTH }
    /// An `Interrupter` was raised; the work is undone and may be repeated.
    package var isInterrupted: Bool { primaryCode == SQLITE_INTERRUPT }
    /// A statement does not fit the tables of the file.
    ///
    /// Ours fit the tables that the migrations make, so the file's list of its tables is damaged.
    package var isUnfittingSchema: Bool {
        primaryCode == SQLITE_ERROR && action.hasPrefix("prepare: ")
    }
    /// Whether the error says nothing about the file, and a later try may succeed.
    package var mayPass: Bool {
        isFull || isBusy || isReadOnly || isCannotOpen || isForbidden || isInterrupted
    }
    /// The rows would break a constraint of the schema.
    package var isConstraint: Bool { primaryCode == SQLITE_CONSTRAINT }
    /// A stored value cannot be decoded: see `malformed(_:because:)`.
    package var isMalformedValue: Bool { primaryCode == SQLITE_MISMATCH }
}
