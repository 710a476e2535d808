// SPDX-License-Identifier: Apache-2.0

/// The system's protection of files while the device is locked; on Apple platforms only.
///
/// Sealing is independent of it: sealing also protects a copy of the files, on every platform.
package enum FileProtection: Hashable, Sendable {
    /// Readable from the first unlock after a start on; the system's default.
    case completeUntilFirstUserAuthentication
    /// Readable while the device is unlocked, and as long as the file stays open.
    ///
    /// A closed file cannot be opened while the device is locked: the store then reports that it is
    /// not accessible, and the work is done later (scar 47).
    case completeUnlessOpen
}

/// A setter of protection classes: the system, or a test.
package protocol FileProtector: Sendable {
    /// Sets the class of one file or folder; files created later in a folder inherit its class.
    func protect(_ path: String, as protection: FileProtection) throws(FileProtectionError)

    /// Returns the class of a file or folder; nil if it is unknown.
    func protection(of path: String) -> FileProtection?
}

extension FileProtector {
    package func protection(of path: String) -> FileProtection? { nil }
}

/// The reason why a file kept its class; an app should then store nothing there.
package struct FileProtectionError: Error, Hashable, Sendable, CustomStringConvertible {
    package let path: String
    /// The system's description.
    package let reason: String

    package init(path: String, reason: String) {
        self.path = path
        self.reason = reason
    }

    package var description: String {
        "The protection of \(path) could not be set (\(reason)): name a folder that supports it."
    }
}

/// The protection of a whole store: first the folder, whose class later files inherit, then every
/// file in it (scar 48).
///
/// A folder inside the store gets the class after its own files, so one that has the class has it
/// throughout.
///
/// The protection covers all files: database, log, shared memory, lock, key, quarantined files and
/// remains of a crash. Apply it before the first database is opened and after the last one, because
/// a file that is moved in keeps its class.
package struct FolderProtection: Sendable {
    private let protection: FileProtection
    private let protector: any FileProtector

    package init(_ protection: FileProtection, by protector: any FileProtector) {
        self.protection = protection
        self.protector = protector
    }

    /// Sets the class of a folder and everything below it.
    ///
    /// - Parameters:
    ///   - folder: The folder, which must exist.
    ///   - names: The names in the folder to leave as they are, because their files have the class
    ///     already.
    /// - Throws: The first refusal; earlier files keep their new class.
    package func apply(
        to folder: String, leavingOut names: Set<String> = []
    ) throws(FileProtectionError) {
        try protector.protect(folder, as: protection)
        _ = try protectContents(of: folder, leavingOut: names)
    }

    /// Sets the class of a folder inside the store after that of all it contains.
    private func protectWhole(_ folder: String) throws(FileProtectionError) {
        let done = try protectContents(of: folder)
        try protector.protect(folder, as: protection)
        // Another process may have made files in between, which have the class of before.
        _ = try protectContents(of: folder, leavingOut: done)
    }

    /// Sets the class of everything in a folder.
    ///
    /// - Returns: The names in the folder that have the class now, and those left out.
    private func protectContents(
        of folder: String, leavingOut names: Set<String> = []
    ) throws(FileProtectionError) -> Set<String> {
        var done = names
        for entry in try FolderListing.entries(of: folder) where !names.contains(entry.name) {
            let path = "\(folder)/\(entry.name)"
            done.insert(entry.name)
            if entry.isFolder {
                try protectWhole(path)
            } else {
                do throws(FileProtectionError) {
                    try protector.protect(path, as: protection)
                } catch {
                    // SQLite removes its log with the last connection, possibly right now.
                    if FolderListing.exists(path) { throw error }
                }
            }
        }
        return done
    }
}
