// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RoostModel
import RoostStore

extension ChatClient {
    // MARK: Downloaded files

    /// Returns the download of a file of a message.
    ///
    /// As `download(fileAt:)`, with the file's address.
    public func download(_ file: FileContent) -> FileDownload { download(fileAt: file.url) }

    /// Returns the download of a file at an address, such as that of a thumbnail.
    ///
    /// A file in the folder is returned at once, without a request. Any other file is fetched in
    /// ranges of at most 1 MiB and written to the folder, where it survives a loss of power. A part
    /// that an earlier download left is continued if the server names the same version. The
    /// address is asked with no session key, and redirects are not followed. A server without
    /// ranges can deliver files of at most 16 MiB.
    ///
    /// The download needs a network, but no connection of this client. It throws
    /// `.invalidParameter` for plain http to another host than the configured server, and for a
    /// client in memory `.localDatabaseError`; `.fileTooLarge` beyond
    /// `Configuration.downloadsLimit`; `.notFound` or `.notAuthorized` if the server does not give
    /// the file, as one with `FileContent.requiresAuth`; `.networkError`; `.localDatabaseError`
    /// without room on the disk.
    public func download(fileAt address: String) -> FileDownload { FileDownload(address, files) }

    /// Returns the file at an address if it is in the folder, and counts a use of it; nil if it is
    /// not there as a whole.
    ///
    /// - Throws: `.localDatabaseError`.
    public func downloadedFile(at address: String) async throws(RoostError) -> DownloadedFile? {
        try await onDisk { store throws(StoreError) in try await store.downloads.copy(of: address) }
            .map { DownloadedFile($0) }
    }

    /// Returns the bytes of a downloaded file, decrypted.
    ///
    /// - Throws: `.invalidParameter` if the file was evicted or cannot be read: download it again.
    public func contents(of file: DownloadedFile) async throws(RoostError) -> [UInt8] {
        try await onDisk { store throws(StoreError) in
            try await store.downloads.contents(of: file.address)
        }
    }

    /// Copies a downloaded file, decrypted, to a place of the app's own; an existing file there is
    /// replaced.
    ///
    /// - Throws: `.invalidParameter` if the file was evicted or cannot be read, or `target` is no
    ///   file; `.localDatabaseError` if the copy cannot be written.
    public func copy(_ file: DownloadedFile, to target: URL) async throws(RoostError) {
        guard target.isFileURL else {
            throw RoostError(
                .invalidParameter, remedy: .correctInput,
                message: "The target must be a file URL, such as `URL(fileURLWithPath:)`.")
        }
        try await onDisk { store throws(StoreError) in
            try await store.downloads.export(file.address, to: target.path)
        }
    }

    /// Returns the bytes of all downloaded files on disk, incomplete ones included.
    ///
    /// - Throws: `.localDatabaseError`.
    public func downloadsSize() async throws(RoostError) -> ByteCount {
        let bytes = try await onDisk { store throws(StoreError) in
            try await store.downloads.byteCount()
        }
        return ByteCount(bytes: bytes)
    }

    /// Deletes all downloaded files except those being downloaded; `clearCache(includingUnsent:)`
    /// ends these downloads and deletes their files too.
    ///
    /// A file belongs to no channel: the removal of a channel or of its cache leaves its files here
    /// until they are evicted.
    ///
    /// - Throws: `.localDatabaseError`; some files may be deleted then.
    public func clearDownloads() async throws(RoostError) {
        try await onDisk { store throws(StoreError) in try await store.downloads.clear() }
    }
}
