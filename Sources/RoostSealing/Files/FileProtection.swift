// SPDX-License-Identifier: Apache-2.0

/// How the system's own encryption guards files while the device is locked; on Apple platforms only.
///
/// Apart from sealing, which guards a copy of the files too and works everywhere.
package enum FileProtection: Hashable, Sendable {
    /// Readable from the first unlocking after a start, which is what the system does by itself.
    case completeUntilFirstUserAuthentication
    /// Readable while the device is unlocked, and as long as a file stays open.
    ///
    /// A file that is not open yet cannot be opened while the device is locked: the store then answers
    /// that it is not accessible, and the work is to be done later (scar 47).
    case completeUnlessOpen
}

/// What can give a file or folder a class of protection: the system, or a test.
package protocol FileProtector: Sendable {
    /// Gives one file or folder a class; a file made later in a folder is to get the folder's.
    func protect(_ path: String, as protection: FileProtection) throws(FileProtectionError)
}

/// Why a file kept its class; an app should take it for a reason not to store anything there.
package struct FileProtectionError: Error, Hashable, Sendable, CustomStringConvertible {
    package let path: String
    /// The system's words.
    package let reason: String

    package init(path: String, reason: String) {
        self.path = path
        self.reason = reason
    }

    package var description: String {
        "The protection of \(path) could not be set (\(reason)): name a folder that supports it."
    }
}

/// The rule that no file of a store is forgotten: the folder first, which every later file takes its
/// class from, and then all that is in it (scar 48).
///
/// Whatever the file is called: database, log, shared memory, lock, key, what was set aside and what a
/// crash left. To be applied before the first database is opened, and again after the last, because a
/// file that was moved in keeps the class it had.
package struct FolderProtection: Sendable {
    private let protection: FileProtection
    private let protector: any FileProtector

    package init(_ protection: FileProtection, by protector: any FileProtector) {
        self.protection = protection
        self.protector = protector
    }

    /// Gives a folder and everything below it the class.
    ///
    /// - Parameter folder: Must exist.
    /// - Throws: The first refusal; what came before it keeps its new class.
    package func apply(to folder: String) throws(FileProtectionError) {
        try protector.protect(folder, as: protection)
        for entry in try FolderListing.entries(of: folder) {
            let path = "\(folder)/\(entry.name)"
            if entry.isFolder {
                try apply(to: path)
            } else {
                do throws(FileProtectionError) {
                    try protector.protect(path, as: protection)
                } catch {
                    // SQLite takes its log away with the last connection, perhaps just now.
                    if FolderListing.exists(path) { throw error }
                }
            }
        }
    }
}
