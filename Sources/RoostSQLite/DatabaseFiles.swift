// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// An error of the operating system.
package struct FileError: Error, Hashable, Sendable, CustomStringConvertible {
    package let code: Int32
    /// The system's description of the error.
    package let message: String
    /// The attempted action, to be read after "could not".
    package let action: String

    /// The failure of the call that has just returned.
    init(action: String) {
        code = errno
        // SAFETY: the text is copied at once.
        message = unsafe String(cString: strerror(code))
        self.action = action
    }

    package var description: String { "The system could not \(action): \(message)." }
}

/// The files of a database: the main one and, beside it, its write-ahead log and shared memory.
///
/// Moves and deletions need all connections closed: an old log beside a new database destroys it
/// (scar 36).
package struct DatabaseFiles: Equatable, Sendable {
    /// The path of the main file; the other names extend it.
    package let path: String

    package init(_ path: String) {
        self.path = path
    }

    private static let suffixes = ["", "-wal", "-shm", "-journal"]

    /// Quarantines every file of the database; no file is deleted.
    ///
    /// The main file moves first, so that no process opens it without its log, which has the newest
    /// commits. After an error or a crash in between, `finishQuarantine` moves the rest.
    ///
    /// - Returns: The new path of the main file, `PATH.damaged-1` or the number after the highest.
    /// - Throws: The system's error.
    package func quarantine() throws(FileError) -> String {
        let number = try quarantineNumbers().last.map { $0 + 1 } ?? 1
        let aside = DatabaseFiles(quarantine(number))
        try Self.move(path, to: aside.path)
        try moveSideFiles(to: aside)
        return aside.path
    }

    /// Completes an interrupted `quarantine`; otherwise it does nothing.
    ///
    /// The call comes before a new main file is made: the log of the old one would destroy it.
    package func finishQuarantine() throws(FileError) {
        guard !exists, let last = lastQuarantine else { return }
        try moveSideFiles(to: DatabaseFiles(last))
    }

    /// Reverts the last `quarantine` if there is no main file now.
    ///
    /// The main file moves last, so at each moment either the quarantined or the restored one
    /// exists.
    ///
    /// - Throws: The system's error.
    package func restore() throws(FileError) {
        guard !exists, let last = lastQuarantine else { return }
        try delete()  // Side files without their main file.
        try DatabaseFiles(last).moveSideFiles(to: self)
        try Self.move(last, to: path)
    }

    /// Moves the side files, except those that the target has already.
    private func moveSideFiles(to target: DatabaseFiles) throws(FileError) {
        for suffix in Self.suffixes.dropFirst()
        where Self.isFile(path + suffix) && !Self.exists(target.path + suffix) {
            try Self.move(path + suffix, to: target.path + suffix)
        }
    }

    private static func move(_ old: String, to new: String) throws(FileError) {
        // SAFETY: both paths are lent for the call.
        guard unsafe rename(old, new) == 0 else {
            throw FileError(action: "move \(old) to \(new)")
        }
    }

    /// The last path to which `quarantine` moved a database; nil if there is none.
    package var lastQuarantine: String? { quarantined.last }

    /// The paths of existing quarantined databases, in the order of their numbers.
    ///
    /// Numbers may be missing, because a user may have deleted older files. None if the folder cannot
    /// be read.
    package var quarantined: [String] {
        ((try? quarantineNumbers()) ?? []).map { quarantine($0) }
    }

    private func quarantine(_ number: Int) -> String { "\(path).damaged-\(number)" }

    /// Returns the numbers of the quarantined main files, the lowest first.
    private func quarantineNumbers() throws(FileError) -> [Int] {
        let slash = path.lastIndex(of: "/")
        let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let prefix = "\(slash.map { String(path[path.index(after: $0)...]) } ?? path).damaged-"
        var numbers: [Int] = []
        for name in try PlainFile.listing(of: folder) where name.hasPrefix(prefix) {
            let digits = name.dropFirst(prefix.count)
            // A longer number, or one with a sign or a zero in front, is no number of a quarantine.
            guard digits.utf8.count <= 9, let number = Int(digits), number > 0,
                "\(number)" == digits
            else { continue }
            numbers.append(number)
        }
        return numbers.sorted()
    }

    /// Deletes every file of the database, the main one last; a missing file is no error.
    package func delete() throws(FileError) {
        for suffix in Self.suffixes.reversed() {
            // SAFETY: the path is lent for the call.
            guard unsafe unlink(path + suffix) == 0 || errno == ENOENT else {
                throw FileError(action: "delete \(path + suffix)")
            }
        }
    }

    /// Moves a closed database to another path, at which there must be none.
    package func move(to target: DatabaseFiles) throws(FileError) {
        precondition(!target.exists, "A database was moved over another: set that one aside first.")
        // An old log beside a new database destroys it.
        try target.delete()
        try Self.move(path, to: target.path)
    }

    /// Returns the bytes of the main file, for a salvage of its intact pages.
    func content() throws(FileError) -> [UInt8] { try Self.content(of: path) }

    /// Returns the bytes of the write-ahead log; none if there is no log.
    func logContent() throws(FileError) -> [UInt8] {
        Self.exists("\(path)-wal") ? try Self.content(of: "\(path)-wal") : []
    }

    private static func content(of path: String) throws(FileError) -> [UInt8] {
        let file = try PlainFile(reading: path)
        var bytes: [UInt8] = []
        while true {
            let chunk = try file.read(1 << 16)
            if chunk.isEmpty { return bytes }
            bytes += chunk
        }
    }

    /// The sizes of the main file and of its log; zero for a missing file.
    package var byteCounts: (main: Int64, log: Int64) {
        (Self.byteCount(path), Self.byteCount("\(path)-wal"))
    }

    /// Makes a folder and every folder above it, readable by this user only.
    package static func makeFolder(_ path: String) throws(FileError) {
        var isDirectory = stat()
        // SAFETY: paths are lent for each call, the struct is filled in before it is read.
        if unsafe stat(path, &isDirectory) == 0, isDirectory.st_mode & S_IFMT == S_IFDIR { return }
        if let slash = path.lastIndex(of: "/"), slash > path.startIndex {
            try makeFolder(String(path[..<slash]))
        }
        guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else {
            throw FileError(action: "make the folder \(path)")
        }
    }

    /// Makes the main file if there is none, readable by this user only.
    ///
    /// A main file that SQLite makes has the mode of the process. An error here is an error of
    /// SQLite's later opening too.
    ///
    /// - Returns: Whether it made the main file.
    func makePrivately() -> Bool {
        // SAFETY: the path is lent for the call.
        let made = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard made >= 0 else { return false }
        fchmod(made, 0o600)  // The process may mask even its own rights.
        close(made)
        return true
    }

    /// Whether other users have any right to one of the files.
    var isOpenToOthers: Bool { Self.suffixes.contains { mode(of: $0) & 0o077 != 0 } }

    /// Removes all rights of other users from the files.
    ///
    /// SQLite gives its log and its shared memory the mode of the main file.
    func removeRightsOfOthers() {
        // By name: closing a descriptor of a database drops the locks that this process has on it.
        for suffix in Self.suffixes {
            let mode = mode(of: suffix)
            // SAFETY: the path is lent for the call.
            if mode & 0o077 != 0 { _ = unsafe chmod(path + suffix, mode & 0o700) }
        }
    }

    /// Returns the rights to one of the files; none if it is missing or no plain file.
    private func mode(of suffix: String) -> mode_t {
        var status = stat()
        // SAFETY: the path is lent for the call; the struct is read only when it was filled in.
        guard unsafe stat(path + suffix, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return 0
        }
        return status.st_mode & 0o777
    }

    /// Whether the main file exists.
    package var exists: Bool { Self.exists(path) }

    private static func exists(_ path: String) -> Bool {
        // SAFETY: the path is lent for the call.
        unsafe access(path, F_OK) == 0
    }

    private static func isFile(_ path: String) -> Bool {
        var status = stat()
        // SAFETY: the path is lent for the call; the struct is read only when it was filled in.
        return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    private static func byteCount(_ path: String) -> Int64 {
        var status = stat()
        // SAFETY: the path is lent for the call; the struct is read only when it was filled in.
        return unsafe stat(path, &status) == 0 ? Int64(status.st_size) : 0
    }
}
