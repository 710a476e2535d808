// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// What is in a folder.
enum FolderListing {
    struct Entry {
        let name: String
        /// A link to a folder is none: what it leads to is not the store's.
        let isFolder: Bool
    }

    static func entries(of folder: String) throws(FileProtectionError) -> [Entry] {
        // SAFETY: the path is lent for the call; the stream is closed below and not used after.
        guard let stream = unsafe opendir(folder) else {
            // SAFETY: the text is copied at once.
            throw FileProtectionError(
                path: folder, reason: unsafe String(cString: strerror(errno)))
        }
        defer { _ = unsafe closedir(stream) }
        var entries: [Entry] = []
        while let entry = unsafe readdir(stream) {
            // SAFETY: the name ends in a NUL and lives until the next entry is read; it is copied.
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
                unsafe name.withMemoryRebound(to: CChar.self, capacity: 256) {
                    unsafe String(cString: $0)
                }
            }
            if name == "." || name == ".." { continue }
            var status = stat()
            // SAFETY: the path is lent for the call, the struct read only after it was filled in.
            guard unsafe lstat("\(folder)/\(name)", &status) == 0 else { continue }
            entries.append(Entry(name: name, isFolder: status.st_mode & S_IFMT == S_IFDIR))
        }
        return entries
    }

    static func exists(_ path: String) -> Bool {
        // SAFETY: the path is lent for the call.
        unsafe access(path, F_OK) == 0
    }
}
