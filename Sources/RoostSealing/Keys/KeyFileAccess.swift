// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// Access to one small file that only its owner may read, with atomic replacement.
struct KeyFileAccess {
    private let path: String
    private let folder: String

    /// The greatest size in bytes; a key file has two keys at most, so a longer file is a foreign
    /// one.
    private static let longest = 4_096

    init(_ path: String) {
        self.path = path
        let slash = path.lastIndex(of: "/")
        folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    }

    /// Returns the contents; nil without a file.
    func read() throws(KeyFileError) -> [UInt8]? {
        // SAFETY: the path is valid during the call. A link is refused, because its target may be
        // writable for others.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw failure("read \(path)")
        }
        defer { close(descriptor) }
        try checkRights(descriptor)
        try checkFolder()
        var bytes = [UInt8](repeating: 0, count: Self.longest)
        var count = 0
        while count < bytes.count {
            // SAFETY: no more is read than the buffer has room for.
            let got = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe Self.readSome(descriptor, .init(rebasing: buffer[count...]))
            }
            if got < 0 && errno == EINTR { continue }
            guard got >= 0 else {
                bytes.wipe()
                throw failure("read \(path)")
            }
            if got == 0 { break }
            count += got
        }
        defer { bytes.wipe() }
        return Array(bytes.prefix(count))
    }

    private static func readSome(
        _ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer
    ) -> Int {
        // SAFETY: the buffer has the stated length.
        #if canImport(Darwin)
        unsafe Darwin.read(descriptor, buffer.baseAddress, buffer.count)
        #else
        unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count)
        #endif
    }

    /// The pause between two tries to lock; the system's own waiting has no time limit.
    private static let pause = timespec(tv_sec: 0, tv_nsec: 5_000_000)

    /// Locks the file against every other writer, in this process too, until `unlock`.
    ///
    /// - Parameter patience: The longest wait for another writer.
    /// - Returns: The descriptor for `unlock`.
    /// - Throws: `.system` if another writer keeps the lock, and other errors of the system.
    func lock(patience: Duration) throws(KeyFileError) -> Int32 {
        try makeFolder(folder)
        try checkFolder()
        // SAFETY: the path is valid during the call.
        let descriptor = unsafe open(
            "\(path).lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw failure("open \(path).lock") }
        var tries = max(0, Int(patience / .milliseconds(5)))
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            let isTaken = errno == EWOULDBLOCK
            guard isTaken || errno == EINTR, tries > 0 else {
                let error: KeyFileError =
                    isTaken
                    ? .system("Another process keeps \(path).lock locked: end it, or try again.")
                    : failure("lock \(path).lock")
                close(descriptor)
                throw error
            }
            tries -= 1
            var pause = Self.pause
            // SAFETY: the struct is read during the call.
            _ = unsafe nanosleep(&pause, nil)
        }
        return descriptor
    }

    func unlock(_ descriptor: Int32) {
        _ = flock(descriptor, LOCK_UN)  // A child process may hold a copy of the descriptor.
        close(descriptor)
    }

    /// Writes the contents beside the file and moves them over it; requires the lock.
    func write(
        _ bytes: [UInt8], before: (KeyFile.Step) throws(KeyFileError) -> Void
    ) throws(KeyFileError) {
        let beside = "\(path).new"
        try before(.writeBeside)
        // SAFETY: here and below paths are valid during the call. A file left there by a crash is
        // ours.
        _ = unsafe unlink(beside)
        let descriptor = unsafe open(
            beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw failure("make \(beside)") }
        defer { close(descriptor) }
        try writeAll(bytes, descriptor, beside)
        try before(.synchronize)
        guard Self.flush(descriptor) else { throw failure("save \(beside)") }
        try before(.putInPlace)
        guard unsafe rename(beside, path) == 0 else { throw failure("replace \(path)") }
        try before(.synchronizeFolder)
        try synchronizeFolder()
    }

    private func writeAll(
        _ bytes: [UInt8], _ descriptor: Int32, _ name: String
    ) throws(KeyFileError) {
        var done = 0
        while done < bytes.count {
            // SAFETY: no more is written than is left.
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe Self.writeSome(descriptor, UnsafeRawBufferPointer(rebasing: buffer[done...]))
            }
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw failure("write \(name)") }
            done += count
        }
    }

    private static func writeSome(_ descriptor: Int32, _ buffer: UnsafeRawBufferPointer) -> Int {
        // SAFETY: the buffer has the stated length.
        #if canImport(Darwin)
        unsafe Darwin.write(descriptor, buffer.baseAddress, buffer.count)
        #else
        unsafe Glibc.write(descriptor, buffer.baseAddress, buffer.count)
        #endif
    }

    /// Whether the written bytes survive a loss of power now.
    private static func flush(_ descriptor: Int32) -> Bool {
        #if canImport(Darwin)
        // `fsync` ends at the drive's cache. A file system without the other call refuses it.
        if fcntl(descriptor, F_FULLFSYNC) == 0 { return true }
        #endif
        return fsync(descriptor) == 0
    }

    private func synchronizeFolder() throws(KeyFileError) {
        // SAFETY: the path is valid during the call.
        let descriptor = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("open \(folder)") }
        defer { close(descriptor) }
        guard Self.flush(descriptor) else { throw failure("save \(folder)") }
    }

    private func makeFolder(_ path: String) throws(KeyFileError) {
        var status = stat()
        // SAFETY: the path is valid during each call; the struct is read only after it was filled.
        if unsafe stat(path, &status) == 0 { return }
        if let slash = path.lastIndex(of: "/"), slash > path.startIndex {
            try makeFolder(String(path[..<slash]))
        }
        guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else {
            throw failure("make the folder \(path)")
        }
    }

    private func checkRights(_ descriptor: Int32) throws(KeyFileError) {
        var status = stat()
        // SAFETY: the struct is read only after it was filled.
        guard unsafe fstat(descriptor, &status) == 0 else { throw failure("examine \(path)") }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw .damaged("\(path) is not a file: name another one.")
        }
        guard status.st_uid == geteuid() else {
            throw .exposed(
                "\(path) belongs to another user: run this program as its owner, or give it away "
                    + "with: chown \(geteuid()) '\(path)'")
        }
        guard status.st_mode & 0o077 == 0 else {
            throw .exposed("Others may read the key in \(path): run: chmod 600 '\(path)'")
        }
    }

    /// Checks the rights of the folder: a user who may write in it can replace the key.
    private func checkFolder() throws(KeyFileError) {
        var status = stat()
        // SAFETY: the path is valid during the call; the struct is read only after it was filled.
        guard unsafe stat(folder, &status) == 0 else { throw failure("examine \(folder)") }
        guard status.st_mode & 0o022 == 0 else {
            throw .exposed("Others may change the folder of the key: run: chmod 700 '\(folder)'")
        }
    }

    /// Returns the error of the last system call.
    private func failure(_ action: String) -> KeyFileError {
        // SAFETY: the text is copied at once.
        .system(unsafe "The system could not \(action): \(String(cString: strerror(errno))).")
    }
}
