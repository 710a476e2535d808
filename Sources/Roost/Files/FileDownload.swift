// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RoostModel
import RoostStore

/// A file in the client's folder of downloaded files.
///
/// The folder has a limit (`Configuration.downloadsLimit`), and a later download may evict the
/// files that were not used for the longest time. So open the file, or copy it, soon.
public struct DownloadedFile: Hashable, Sendable {
    /// The address that the file was downloaded from.
    public let address: String
    /// The size of the file.
    public let size: ByteCount
    /// The file on disk; nil if the client's files are encrypted.
    ///
    /// `ChatClient.contents(of:)` and `ChatClient.copy(_:to:)` work in both cases.
    public let url: URL?

    init(_ copy: DownloadedCopy) {
        address = copy.address
        size = ByteCount(bytes: copy.size)
        url = copy.isSealed ? nil : URL(fileURLWithPath: copy.path)
    }
}

/// A download of one file, as a sequence: progress, then the file as the last element.
///
/// The download begins with the first element that is asked for, and each iteration is one
/// download. All downloads of one address share one transfer; it ends when its last reader ends,
/// and the received part stays for the next download, also after a relaunch. A slow reader misses
/// some progress, but not the end.
///
/// A cut or a busy server is bridged for about half a minute without progress. Then, and after any
/// other failure, the sequence throws; with the remedy `.retry` a later download continues.
public struct FileDownload: AsyncSequence, Sendable {
    /// A step of the download.
    public enum Element: Hashable, Sendable {
        /// Bytes were received; `total` is nil until the server has sent the size.
        case progress(received: ByteCount, total: ByteCount?)
        /// The file is whole and on disk; the last element.
        case finished(DownloadedFile)
    }

    /// The address of the file.
    public let address: String
    private let transfers: FileTransfers

    init(_ address: String, _ transfers: FileTransfers) {
        self.address = address
        self.transfers = transfers
    }

    /// Downloads the file, and returns it.
    ///
    /// - Throws: `.requestCanceled` if the task is canceled; as `ChatClient.download(fileAt:)`.
    public func file() async throws(RoostError) -> DownloadedFile {
        for try await element in self {
            if case .finished(let file) = element { return file }
        }
        throw .downloadCanceled
    }

    /// Returns an iterator of a new download.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(address, transfers) }

    /// An iterator of the steps of one download.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let address: String
        private let transfers: FileTransfers
        private var states: AsyncStream<FileTransfers.State>.AsyncIterator?
        private var isOver = false

        init(_ address: String, _ transfers: FileTransfers) {
            self.address = address
            self.transfers = transfers
        }

        /// Waits for the next step.
        ///
        /// - Throws: The failure of the download; afterwards the sequence is over.
        public mutating func next() async throws(RoostError) -> Element? {
            try await next(isolation: nil)
        }

        /// Waits for the next step.
        ///
        /// - Throws: The failure of the download; afterwards the sequence is over.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(RoostError) -> Element? {
            if isOver { return nil }
            var states = self.states ?? transfers.join(address).makeAsyncIterator()
            let state = await states.next(isolation: actor)
            self.states = states
            switch state {
            case .receiving(let received, let total):
                return .progress(
                    received: ByteCount(bytes: received),
                    total: total.map { ByteCount(bytes: $0) })
            case .ended(let result):
                isOver = true
                self.states = nil
                return .finished(DownloadedFile(try result.get()))
            case nil:
                isOver = true
                self.states = nil
                throw .downloadCanceled
            }
        }
    }
}

extension RoostError {
    static let downloadCanceled = RoostError(
        .requestCanceled, remedy: .retry,
        message: "The download was canceled; another one continues it.")
}
