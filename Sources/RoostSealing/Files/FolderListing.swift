// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// The entries of a folder.
enum FolderListing {
    struct Entry {
        let name: String
        /// Whether the entry is a folder; false for a link to one, because its target does not
        /// belong to the store.
        let isFolder: Bool
    }

    static func entries(of folder: String) throws(FileProtectionError) -> [Entry] {
        // SAFETY: the path is valid during the call; the stream is closed below and not used
        // afterwards.
        guard let stream = unsafe opendir(folder) else { throw failure(folder) }
        defer { _ = unsafe closedir(stream) }
        var entries: [Entry] = []
        while true {
            // At the end, and only there, no entry comes without an error.
            errno = 0
            guard let entry = unsafe readdir(stream) else { break }
            // SAFETY: the name ends in a NUL and is valid until the next entry is read; it is
            // copied.
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
                unsafe name.withMemoryRebound(to: CChar.self, capacity: 256) {
                    unsafe String(cString: $0)
                }
            }
            if name == "." || name == ".." { continue }
            var status = stat()
            // SAFETY: the path is valid during the call; the struct is read only after it was
            // filled.
            guard unsafe lstat("\(folder)/\(name)", &status) == 0 else { continue }
            entries.append(Entry(name: name, isFolder: status.st_mode & S_IFMT == S_IFDIR))
        }
        guard errno == 0 else { throw failure(folder) }
        return entries
    }

    /// Returns the error of the last system call.
    private static func failure(_ folder: String) -> FileProtectionError {
        // SAFETY: the text is copied at once.
        FileProtectionError(path: folder, reason: unsafe String(cString: strerror(errno)))
    }

    static func exists(_ path: String) -> Bool {
        // SAFETY: the path is valid during the call.
        unsafe access(path, F_OK) == 0
    }
}
