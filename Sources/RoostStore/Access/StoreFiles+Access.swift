// SPDX-License-Identifier: Apache-2.0

internal import RoostSQLite
internal import RoostSealing

extension StoreFiles {
    /// Returns the shared locks of the databases, so that no other process replaces one of them.
    ///
    /// Without a lock a database that is being moved looks like a missing or like a sealed one.
    /// There are none without a database, and none in a folder that cannot be written.
    ///
    /// - Throws: `.locked` if another process changes a database for longer than `patience`;
    ///   `.suspended` if the interrupter was raised.
    func locks(
        patience: Duration, _ interrupter: Interrupter
    ) throws(StoreError) -> [SharedLock] {
        guard DatabaseFiles(cache).exists || DatabaseFiles(outbox).exists else { return [] }
        var locks: [SharedLock] = []
        for lockFile in [lock, outboxLock] {
            do throws(FileError) {
                locks.append(
                    SharedLock(
                        try FolderLock(
                            file: lockFile, .shared, patience: patience, interrupter: interrupter)))
            } catch  where error.isTaken {
                if interrupter.isRaised { throw .suspended }
                throw StoreError(
                    .locked,
                    "\(folder) is being changed by another process: try again when it is done.")
            } catch {
                // The opening finds out what is wrong with the folder.
            }
        }
        return locks
    }

    /// The folders with one file for each download, which inherit the class of the store's folder.
    static let downloadFolders: Set<String> = ["files", "files.sealed"]

    /// Returns those of these folders that have a class, and with it all of their files.
    func downloadFolders(
        with protection: FileProtection?, by protector: any FileProtector
    ) -> Set<String> {
        Self.downloadFolders.filter { protector.protection(of: "\(folder)/\($0)") == protection }
    }

    /// Gives every file of the store a class of protection, except those of some names.
    func protect(
        as protection: FileProtection?, by protector: any FileProtector,
        leavingOut names: Set<String> = []
    ) throws(StoreError) {
        guard let protection else { return }
        do throws(FileError) {
            try DatabaseFiles.makeFolder(folder)
        } catch {
            throw StoreError(.folderNotWritable, "\(error)")
        }
        do throws(FileProtectionError) {
            try FolderProtection(protection, by: protector).apply(
                to: folder, leavingOut: names)
        } catch {
            throw StoreError(.notAccessible, error.description)
        }
    }
}
