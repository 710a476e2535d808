// SPDX-License-Identifier: Apache-2.0

package import RoostCore
internal import RoostSQLite

// The user's own files, which need no download after their upload.

extension DownloadFolder {
    /// The divisor of the folder's limit that gives the greatest size of such a file.
    private static let share: Int64 = 4

    /// Keeps a copy of an uploaded file under its address; a large one, which would take the room of
    /// many others, is left out.
    ///
    /// - Parameters:
    ///   - copy: The copy.
    ///   - attachments: The folder of the copy.
    ///   - address: The address to which the file was uploaded.
    /// - Throws: `.full` or `.notAccessible`; a part may be left, which a download replaces.
    package func adopt(
        _ copy: CopiedFile, in attachments: String, as address: String
    ) async throws(StoreError) {
        guard copy.size <= limit / Self.share else { return }
        // `begin` registers the address even if it throws.
        defer { end(address) }
        let begun = try await begin(address)
        guard case .part = begun else { return }
        let reader: AttachmentReader
        do throws(FileError) {
            reader = try AttachmentReader("\(attachments)/\(copy.name)", copy)
        } catch {
            throw Self.error(error)
        }
        var part = FileFetch.Part(total: copy.size, validator: "", received: 0)
        while let bytes = reader.next(), !bytes.isEmpty || part.total == 0 {
            // A download of the same file may be under way; it needs no help.
            guard case .part(let written?) = try await write(bytes, behind: part, of: address),
                written.received > part.received
            else { return }
            part = written
        }
    }
}
