// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostExecutors
public import RoostModel

/// A download of history in the background, newest first or from a moment in both directions.
///
/// It fills the cache and changes no list. Covered history is not fetched again, so the same
/// request continues after a relaunch. Without a connection it waits for one. The cache's limit
/// holds: it may evict downloaded messages of channels that are never opened.
public final class HistoryDownload: Sendable {
    /// The request of the download.
    public let request: DownloadRequest
    private let feed = DownloadFeed()
    private let id: DownloadID
    private let engine: SyncEngine

    init(_ request: DownloadRequest, _ id: DownloadID, engine: SyncEngine) {
        self.request = request
        self.id = id
        self.engine = engine
        engine.performers.notices.add(feed, as: id)
    }

    /// The current progress.
    public var progress: DownloadProgress { get async { feed.progress } }

    /// Returns a stream of the current progress and all later ones; a slow reader misses some but
    /// gets the last.
    public func progressUpdates() async -> AsyncStream<DownloadProgress> { feed.updates() }

    /// Pauses the download after the request in progress, until `resume()`.
    public func pause() async { await engine.receive(.download(id, .pause)) }

    /// Continues a paused download.
    public func resume() async { await engine.receive(.download(id, .resume)) }

    /// Ends the download; fetched messages stay.
    public func cancel() async { await engine.receive(.download(id, .cancel)) }
}

/// The progress of one download, and its readers.
final class DownloadFeed: Sendable {
    private let present = Guarded(DownloadProgress())
    private let readers = StreamFeed<DownloadProgress>(.bufferingNewest(1))

    var progress: DownloadProgress { present.withLock { $0 } }

    /// Returns a stream of the current progress and all later ones; it ends with the download.
    func updates() -> AsyncStream<DownloadProgress> {
        present.withLock { readers.open(beginningWith: $0) }
    }

    func publish(_ progress: DownloadProgress) {
        present.withLock { present in
            present = progress
            readers.publish(progress)
            if progress.isOver { readers.finish() }
        }
    }
}

extension ChatClient {
    /// Starts a download of history in the background; it ends when complete, by `cancel()`, or
    /// with the client.
    ///
    /// The call returns at once; follow `progressUpdates()`.
    public func download(_ request: DownloadRequest = DownloadRequest()) async -> HistoryDownload {
        let id = DownloadID(await engine.nextNumber())
        let download = HistoryDownload(request, id, engine: engine)
        await engine.receive(.download(id, .begin(request)))
        return download
    }

    /// Returns the estimated size of a download of one channel.
    ///
    /// Needs a connection. The count covers the whole channel, so it is too high for a request with
    /// `since`. Both numbers are nil if the server does not count the messages within eight
    /// seconds.
    ///
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func downloadEstimate(
        of channel: ChannelURL
    ) async throws(RoostError) -> DownloadEstimate {
        try await engine.run(
            .inTime(InTime(.downloadEstimating(DownloadEstimating(channel)))), \.estimate)
    }
}
