// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// An open file that is read from its beginning, or written.
package struct PlainFile: ~Copyable, Sendable {
    let descriptor: Int32
    let path: String

    /// Opens a file to read it.
    ///
    /// - Parameters:
    ///   - path: The file, or a folder to sync.
    ///   - followsLink: Whether the path may be a symbolic link.
    /// - Throws: An error if the file is missing or may not be read.
    package init(reading path: String, followsLink: Bool = true) throws(FileError) {
        // SAFETY: the path is lent for the call.
        descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | (followsLink ? 0 : O_NOFOLLOW))
        self.path = path
        guard descriptor >= 0 else { throw FileError(action: "open \(path)") }
    }

    /// Makes a file, readable by this user only; an existing one is emptied.
    package init(writing path: String) throws(FileError) {
        // SAFETY: the path is lent for the call.
        descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        self.path = path
        guard descriptor >= 0 else { throw FileError(action: "make \(path)") }
    }

    /// Makes a file that must not exist, readable by this user only.
    package init(making path: String) throws(FileError) {
        // SAFETY: the path is lent for the call.
        descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        self.path = path
        guard descriptor >= 0 else { throw FileError(action: "make \(path)") }
    }

    /// Opens a file to write behind its first bytes, and cuts it there; makes a missing one, readable
    /// by this user only.
    package init(continuing path: String, at count: Int64) throws(FileError) {
        // SAFETY: the path is lent for the call.
        descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        self.path = path
        guard descriptor >= 0, ftruncate(descriptor, off_t(count)) == 0,
            lseek(descriptor, 0, SEEK_END) == off_t(count)
        else { throw FileError(action: "write \(path)") }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Returns the present size of the file.
    package func count() throws(FileError) -> Int64 {
        var status = stat()
        // SAFETY: the struct is filled in before it is read.
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw FileError(action: "read the size of \(path)")
        }
        return Int64(status.st_size)
    }

    /// Reads the next bytes, at most `limit`; fewer only before the end of the file, and none at
    /// it.
    package func read(_ limit: Int) throws(FileError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: limit)
        var filled = 0
        while filled < limit {
            // SAFETY: the free end of the array is lent for the call, with its length.
            let count = unsafe bytes[filled...].withUnsafeMutableBytes { rest in
                unsafe Self.read(descriptor, rest.baseAddress, rest.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw FileError(action: "read \(path)") }
            if count == 0 { break }
            filled += count
        }
        bytes.removeLast(limit - filled)
        return bytes
    }

    #if canImport(Darwin)
    private static func read(
        _ descriptor: Int32, _ target: UnsafeMutableRawPointer?, _ count: Int
    ) -> Int { unsafe Darwin.read(descriptor, target, count) }

    private static func write(
        _ descriptor: Int32, _ source: UnsafeRawPointer?, _ count: Int
    ) -> Int { unsafe Darwin.write(descriptor, source, count) }
    #else
    private static func read(
        _ descriptor: Int32, _ target: UnsafeMutableRawPointer?, _ count: Int
    ) -> Int { unsafe Glibc.read(descriptor, target, count) }

    private static func write(
        _ descriptor: Int32, _ source: UnsafeRawPointer?, _ count: Int
    ) -> Int { unsafe Glibc.write(descriptor, source, count) }
    #endif

    package func write(_ bytes: [UInt8]) throws(FileError) {
        var done = 0
        while done < bytes.count {
            // SAFETY: the rest of the bytes is lent for the call, with its length.
            let count = unsafe bytes[done...].withUnsafeBytes { rest in
                unsafe Self.write(descriptor, rest.baseAddress, rest.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw FileError(action: "write \(path)") }
            done += count
        }
    }

    /// Returns when the written bytes would survive a loss of power.
    package func sync() throws(FileError) {
        #if canImport(Darwin)
        // `fsync` ends at the drive's cache. A file system without the other call refuses it.
        if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
        #endif
        guard fsync(descriptor) == 0 else { throw FileError(action: "sync \(path)") }
    }

    // MARK: Names

    /// Returns when the names in a folder would survive a loss of power.
    package static func syncFolder(_ path: String) throws(FileError) {
        let folder = try PlainFile(reading: path)
        try folder.sync()
    }

    /// Deletes a file; a missing file is no error.
    package static func delete(_ path: String) throws(FileError) {
        // SAFETY: the path is lent for the call.
        guard unsafe unlink(path) == 0 || errno == ENOENT else {
            throw FileError(action: "delete \(path)")
        }
    }

    /// Returns the time of the last write in milliseconds; nil if the file is missing.
    package static func modifiedAt(_ path: String) -> Int64? {
        var status = stat()
        // SAFETY: the path is lent for the call; the struct is read only when it was filled in.
        guard unsafe stat(path, &status) == 0 else { return nil }
        #if canImport(Darwin)
        return Int64(status.st_mtimespec.tv_sec) * 1000
        #else
        return Int64(status.st_mtim.tv_sec) * 1000
        #endif
    }

    /// Returns the size of a file and the time of its last write in milliseconds; nil if it is missing
    /// or no plain file.
    package static func extent(_ path: String) -> (byteCount: Int64, writtenAt: Int64)? {
        var status = stat()
        // SAFETY: the path is lent for the call; the struct is read only when it was filled in.
        guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return nil
        }
        #if canImport(Darwin)
        let time = status.st_mtimespec
        #else
        let time = status.st_mtim
        #endif
        return (
            Int64(status.st_size), Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
        )
    }

    /// Sets the time of the last write of a file; a missing file is no error.
    package static func setWritten(_ path: String, at milliseconds: Int64) throws(FileError) {
        let seconds = milliseconds.quotientAndRemainder(dividingBy: 1000)
        let time = timespec(
            tv_sec: time_t(seconds.quotient), tv_nsec: Int(max(seconds.remainder, 0)) * 1_000_000)
        let times = [time, time]
        // SAFETY: path and times are lent for the call.
        guard unsafe utimensat(AT_FDCWD, path, times, 0) == 0 || errno == ENOENT else {
            throw FileError(action: "set the time of \(path)")
        }
    }

    /// Returns the file's number in its file system, the same under any name; nil if the file is
    /// missing.
    package static func identity(_ path: String) -> UInt64? {
        var status = stat()
        // SAFETY: the path is lent for the call; the struct is read only when it was filled in.
        return unsafe stat(path, &status) == 0 ? UInt64(status.st_ino) : nil
    }

    /// Gives a complete file its name; another file of this name is replaced.
    package static func move(_ path: String, to target: String) throws(FileError) {
        // SAFETY: both paths are lent for the call.
        guard unsafe rename(path, target) == 0 else {
            throw FileError(action: "move \(path) to \(target)")
        }
    }

    /// Returns the names in a folder; none if it is missing or cannot be read.
    package static func names(in folder: String) -> [String] {
        // The caller has nothing to do in such a folder.
        (try? listing(of: folder)) ?? []
    }

    /// Returns the names in a folder; none if it is missing.
    ///
    /// - Throws: An error if the folder cannot be read to its end.
    package static func listing(of folder: String) throws(FileError) -> [String] {
        // SAFETY: the path is lent for the call; the stream is closed below and not used after.
        guard let stream = unsafe opendir(folder) else {
            let error = FileError(action: "list \(folder)")
            guard error.isNotThere else { throw error }
            return []
        }
        defer { _ = unsafe closedir(stream) }
        var names: [String] = []
        while true {
            // At the end, and only there, no entry comes without an error.
            errno = 0
            guard let entry = unsafe readdir(stream) else { break }
            // SAFETY: the name ends in a NUL and lives until the next entry is read; it is copied.
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
                unsafe name.withMemoryRebound(to: CChar.self, capacity: 256) {
                    unsafe String(cString: $0)
                }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        guard errno == 0 else { throw FileError(action: "list \(folder)") }
        return names.sorted()
    }
}

extension FileError {
    /// The disk has no room left.
    package var isFull: Bool { code == ENOSPC || code == EDQUOT }
    /// The file is missing or may not be read.
    package var isUnreadable: Bool { code == ENOENT || code == EACCES || code == EISDIR }
}
