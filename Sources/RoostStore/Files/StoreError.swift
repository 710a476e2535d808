// SPDX-License-Identifier: Apache-2.0

package import RoostSQLite

/// The failure of a call of the store; the call had no effect.
package struct StoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of errors that a caller can distinguish.
    package enum Kind: Hashable, Sendable {
        /// The folder cannot be created or written.
        case folderNotWritable
        /// The file is not a database of this library.
        case notADatabase
        /// A part of the file is damaged.
        case damaged
        /// A newer release has written the file.
        case newerSchema
        /// An older release has written the file, and the caller may only read.
        case olderSchema
        /// The file belongs to another application or user (scar 34).
        case otherOwner
        /// Another process or connection has the database open.
        case locked
        /// The disk is full.
        case full
        /// The system refused to read or write, for example because the device is locked.
        case notAccessible
        /// The database is encrypted, and no key was given or found (scars 43, 44).
        case keyMissing
        /// The database is encrypted with another key than the given one.
        case wrongKey
        /// The key cannot be read now, for example because the device is locked (scar 47).
        case keyUnavailable
        /// A file to be sent is missing or may not be read.
        case fileUnreadable
        /// There is no index of words, or this SQLite cannot make one.
        case searchUnavailable
        /// The app is suspended, and this kind of call does not wait.
        case suspended
        /// The task was canceled during an opening, or while the app was suspended.
        case canceled
        /// The store was closed.
        case closed
        /// A defect of this library or of its SQLite.
        case unexpected
    }

    package let kind: Kind
    /// The failure and its remedy; contains names of files, never content.
    package let message: String
    /// The error of SQLite, if SQLite caused this one.
    package let cause: SQLiteError?
    /// The path of the affected file, if the caller asked for it.
    package internal(set) var file: String?
    /// The repairs that an opening made before it failed; the next opening finds nothing wrong.
    package internal(set) var repairs = Repairs()

    package init(_ kind: Kind, _ message: String, cause: SQLiteError? = nil) {
        self.kind = kind
        self.message = message
        self.cause = cause
    }

    package var description: String {
        cause.map { "\(message) [\($0)]" } ?? message
    }
}

extension StoreError {
    /// Translates an error of SQLite for a database in use.
    init(_ error: SQLiteError, in path: String) {
        let (kind, message) =
            if error.isFull {
                (
                    Kind.full,
                    "The disk is full: free some space. What comes from the server is then written again by "
                        + "itself; a repair or a change that was asked for has to be asked for again."
                )
            } else if error.isCorrupt || error.isUnfittingSchema {
                (Kind.damaged, "\(path) is damaged: \(Self.wayOut)")
            } else if error.isMalformedValue {
                (Kind.damaged, "\(path) holds something that cannot be read: \(Self.wayOut)")
            } else if error.isInterrupted {
                (Kind.suspended, Self.suspended.message)
            } else if error.isBusy {
                (Kind.locked, "Another process is using \(path): close it and try again.")
            } else if error.isReadOnly || error.isCannotOpen || error.isIO || error.isForbidden {
                (
                    Kind.notAccessible,
                    "\(path) cannot be read or written now: unlock the device or give this process "
                        + "access to it, and try again."
                )
            } else {
                (Kind.unexpected, "The database \(path) refused a statement: please report this.")
            }
        self.init(kind, message, cause: error)
    }

    /// Whether the error may concern only one row, so other writes may succeed.
    var mayConcernOne: Bool {
        switch kind {
        case .damaged, .unexpected: true
        case .folderNotWritable, .notADatabase, .newerSchema, .olderSchema, .otherOwner, .locked,
            .full, .notAccessible, .keyMissing, .wrongKey, .keyUnavailable, .fileUnreadable,
            .searchUnavailable, .suspended, .canceled, .closed:
            false
        }
    }

    /// Translates a failed migration.
    init(_ error: MigrationError, in path: String) {
        switch error {
        case .failed(let error): self.init(error, in: path)
        case .foreign:
            self.init(
                .notADatabase,
                "\(path) is a database of another program: move it away, or name another folder.")
        case .newer(let found, let known):
            self.init(
                .newerSchema,
                "\(path) has schema \(found), this release knows up to \(known): update the app.")
        case .altered(let number, let name):
            self.init(
                .newerSchema,
                "\(path) was made by another build of schema \(number) (\(name)): use that build, or "
                    + "move the file away.")
        }
    }

    /// Translates an error while a file to be sent was copied or opened.
    init(_ error: FileError, attaching name: String) {
        if error.isFull {
            self.init(.full, "The disk is full: free some space, and send the file again.")
        } else {
            self.init(
                .fileUnreadable, "The file \(name) cannot be read or kept: \(error.description)")
        }
    }

    private static let wayOut =
        "a client repairs it by itself, with its next opening at the latest, and `roost cache verify DIR "
        + "--repair` does so now."

    static let suspended = StoreError(
        .suspended, "The client is suspended: call `resume()`, then repeat the call.")

    static let canceled = StoreError(
        .canceled, "The task was canceled; nothing was lost. Repeat the call when there is time.")

    /// Translates an error of the master key or of the vault's header; nothing was changed.
    init(_ error: VaultError, in path: String) {
        let kind: Kind
        switch error {
        case .keyMissing: kind = .keyMissing
        case .wrongKey: kind = .wrongKey
        case .keyUnavailable: kind = .keyUnavailable
        case .newer: kind = .newerSchema
        case .damaged: kind = .damaged
        case .database(let error):
            self.init(error, in: path)
            return
        }
        self.init(kind, "\(path): \(error.description)")
    }

    package static let closed = StoreError(
        .closed, "This client is closed: open another one with `ChatClient.open(_:)`.")
}

extension StoreError {
    /// Returns the error of a search without an index of words.
    static func searchUnavailable(cause: SQLiteError? = nil) -> StoreError {
        StoreError(
            .searchUnavailable,
            cause == nil
                ? "The cache has no index of words: open it once with an app or `roost client`, "
                    + "which makes one."
                : "This SQLite has no full-text search: link one built with FTS5.", cause: cause)
    }
}
