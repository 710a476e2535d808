// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostExecutors
public import RoostModel

/// The selection of history to download.
public struct DownloadRequest: Hashable, Sendable {
    /// The channels in the order of the download; nil for all channels of the user, the latest
    /// message first.
    public var channels: [ChannelURL]?
    /// The earliest moment to download; `.distantPast` for the whole history (R178).
    public var since: Timestamp
    /// The moment to begin at, in both directions by turns; `.distantFuture` begins with the newest
    /// message and leads back (R177).
    public var start: Timestamp
    /// The pause between two requests; requests of open collections go first in any case.
    public var pause: Duration

    /// Creates a request; by default for the whole history of all channels.
    public init(
        channels: [ChannelURL]? = nil, since: Timestamp = .distantPast,
        startingAt start: Timestamp = .distantFuture, pause: Duration = .milliseconds(100)
    ) {
        self.channels = channels
        self.since = since
        self.start = start
        self.pause = pause
    }
}

/// The estimated size of a download, as far as the server sends it.
public struct DownloadEstimate: Hashable, Sendable {
    /// The greatest number of messages to fetch; nil if the server does not count them.
    public let missingMessages: Int?
    /// The expected size on disk, by the average of cached messages; nil if unknown.
    public let size: ByteCount?
}

/// A download of history in the background, newest first or from a moment in both directions (R154,
/// R177 to R181).
///
/// It fills the cache and changes no list. Covered history is not fetched again, so the same
/// request continues after a relaunch. Without a connection it waits for one. The cache's limit
/// holds: it may evict downloaded messages of channels that are never opened.
public final class HistoryDownload: Sendable {
    /// The state of a download.
    public enum State: Hashable, Sendable {
        /// Requests are being made.
        case running
        /// The download waits for a connection.
        case waitingForConnection
        /// The app has paused the download.
        case paused
        /// All requested history is on disk, except for refused channels.
        case finished
        /// The app has canceled the download, or the client was closed.
        case canceled
    }

    /// The progress of a download.
    public struct Progress: Hashable, Sendable {
        /// The state of the download.
        public fileprivate(set) var state: State
        /// The number of channels; nil until the user's channels are known.
        public fileprivate(set) var channelCount: Int?
        /// The number of channels that are complete or refused.
        public fileprivate(set) var finishedChannels: Int
        /// The number of messages fetched so far.
        public fileprivate(set) var messages: Int
        /// The channel being downloaded; nil between channels and at the end.
        public fileprivate(set) var channel: ChannelURL?
        /// The time back to which that channel is covered, from its newest message or from the
        /// request's start; nil before its first page.
        public fileprivate(set) var reached: Timestamp?
        /// The channels that the server refused for good, with the reason; all others are
        /// downloaded.
        public fileprivate(set) var refused: [ChannelURL: RoostError.Code]
    }

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

    /// The present progress.
    public var progress: Progress { get async { feed.progress } }

    /// Returns a stream of the present progress and all later ones; a slow reader misses some but
    /// gets the last.
    public func progressUpdates() async -> AsyncStream<Progress> { feed.updates() }

    /// Pauses the download after the request in progress, until `resume()`.
    public func pause() async { await engine.receive(.download(id, .pause)) }

    /// Continues a paused download.
    public func resume() async { await engine.receive(.download(id, .resume)) }

    /// Ends the download; fetched messages stay.
    public func cancel() async { await engine.receive(.download(id, .cancel)) }
}

extension HistoryDownload.Progress {
    init(_ progress: DownloadProgress) {
        self.init(
            state: HistoryDownload.State(progress.phase), channelCount: progress.channelCount,
            finishedChannels: progress.finishedChannels, messages: progress.messages,
            channel: progress.channel, reached: progress.reached, refused: progress.refused)
    }
}

extension HistoryDownload.State {
    fileprivate init(_ phase: DownloadProgress.Phase) {
        self =
            switch phase {
            case .running: .running
            case .waitingForConnection: .waitingForConnection
            case .paused: .paused
            case .finished: .finished
            case .canceled: .canceled
            }
    }
}

/// The progress of one download, and its readers.
final class DownloadFeed: Sendable {
    private let present = Guarded(DownloadProgress())
    private let readers = StreamFeed<HistoryDownload.Progress>(.bufferingNewest(1))

    var progress: HistoryDownload.Progress {
        HistoryDownload.Progress(present.withLock { $0 })
    }

    /// Returns a stream of the present progress and all later ones; it ends with the download.
    func updates() -> AsyncStream<HistoryDownload.Progress> {
        present.withLock { readers.open(beginningWith: HistoryDownload.Progress($0)) }
    }

    func publish(_ progress: DownloadProgress) {
        present.withLock { present in
            present = progress
            readers.publish(HistoryDownload.Progress(progress))
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
        await engine.receive(.download(id, .begin(DownloadPlan(request))))
        return download
    }

    /// Returns the estimated size of a download of one channel.
    ///
    /// Needs a connection. The count covers the whole channel, so it is too high for a request with
    /// `since`. Both numbers are nil if the server does not count the messages within eight seconds.
    ///
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func downloadEstimate(
        of channel: ChannelURL
    ) async throws(RoostError) -> DownloadEstimate {
        let size = try await engine.run(
            .inTime(InTime(.downloadEstimating(DownloadEstimating(channel)))), \.downloadSize)
        return DownloadEstimate(
            missingMessages: size.messages, size: size.bytes.map { ByteCount(bytes: $0) })
    }
}

extension DownloadPlan {
    fileprivate init(_ request: DownloadRequest) {
        self.init(
            channels: request.channels, since: request.since,
            start: request.start == .distantFuture ? nil : request.start, pause: request.pause)
    }
}
