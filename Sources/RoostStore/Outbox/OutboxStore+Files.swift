// SPDX-License-Identifier: Apache-2.0

package import RoostCore
package import RoostModel
internal import RoostSQLite

// The files of unsent messages.

extension OutboxStore {
    /// Deletes copies of files; one that stays is deleted by `tidyFiles`.
    package nonisolated func deleteFiles(_ copies: [CopiedFile]) { folder?.delete(copies) }

    nonisolated var folder: AttachmentFolder? {
        attachments.map { AttachmentFolder(path: $0) }
    }

    /// Opens a file for an upload.
    ///
    /// - Throws: `.fileUnreadable` if the file is missing or may not be read.
    package nonisolated func reader(
        of file: OutgoingFile, _ copy: CopiedFile?
    ) throws(StoreError) -> AttachmentReader {
        do throws(FileError) {
            if let copy, let attachments {
                return try AttachmentReader("\(attachments)/\(copy.name)", copy)
            }
            return try AttachmentReader(file)
        } catch {
            throw StoreError(error, attaching: file.name)
        }
    }

    /// Returns the bytes of a file of an unsent message; none if it lies at an address.
    ///
    /// - Throws: `.fileUnreadable` if the file is missing or has changed.
    package func contents(of file: OutgoingFile) async throws(StoreError) -> [UInt8] {
        try await copier.contents(of: file)
    }

    /// Deletes copies that no item names, if they were made before a moment.
    ///
    /// None after a repair that lost items: another process may write them again, with their copies.
    package func tidyFiles(madeBefore moment: Timestamp) async throws(StoreError) {
        guard let folder, !mayMissItems else { return }
        // The transaction keeps other processes from recording a copy meanwhile.
        try await write { connection throws(SQLiteError) in
            let stored = try connection.storedItems()
            // An unreadable item may refer to any of the files.
            guard stored.unreadable.isEmpty else { return }
            let known = Set(stored.items.flatMap(\.copies).map(\.name))
            folder.deleteOrphans(writtenBefore: moment) { known.contains($0) }
        }
    }
}

extension OutgoingFile {
    /// Returns the bytes of the file, read on the calling thread; none if it lies at an address.
    ///
    /// - Throws: `.fileUnreadable` if the file is missing or has changed.
    package func contents() throws(StoreError) -> [UInt8] {
        let reader: AttachmentReader
        do { reader = try AttachmentReader(self) } catch {
            throw StoreError(error, attaching: name)
        }
        guard let bytes = reader.all() else { throw StoreError(changed: name) }
        return bytes
    }
}

extension StoreError {
    /// Creates the error of a file that could be opened, and not be read to its end.
    package init(changed name: String) {
        self.init(
            .fileUnreadable, "The file \(name) cannot be read: it has changed, or the disk fails.")
    }
}
