// SPDX-License-Identifier: Apache-2.0

import RoostCore
public import RoostModel

/// The selection of history to download.
public struct DownloadRequest: Hashable, Sendable {
    /// The channels in the order of the download; nil for all channels of the user, the latest
    /// message first.
    public var channels: [ChannelURL]?
    /// The earliest moment to download; `.distantPast` for the whole history (R178).
    public var since: Timestamp
    /// The pause between two requests; requests of open collections go first in any case.
    public var pause: Duration

    /// Creates a request; by default for the whole history of all channels.
    public init(
        channels: [ChannelURL]? = nil, since: Timestamp = .distantPast,
        pause: Duration = .milliseconds(100)
    ) {
        self.channels = channels
        self.since = since
        self.pause = pause
    }
}

/// The estimated size of a download, as far as the server tells.
public struct DownloadEstimate: Hashable, Sendable {
    /// The greatest number of messages to fetch; nil if the server does not count them.
    public let missingMessages: Int?
    /// The expected bytes on disk, by the average of cached messages; nil if unknown.
    public let bytes: Int64?
}

/// A download of history in the background, newest first (R154, R178 to R181).
///
/// It fills the cache and changes no list. Covered history is not fetched again, so the same
/// request continues after a relaunch. Without a connection it waits for one. The cache's limit
/// holds: it may evict downloaded messages of channels that are never opened.
public actor HistoryDownload {
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
        public fileprivate(set) var finishedChannels = 0
        /// The number of messages fetched so far.
        public fileprivate(set) var messages = 0
        /// The channel being downloaded; nil between channels and at the end.
        public fileprivate(set) var channel: ChannelURL?
        /// The time back to which that channel is covered; nil before its first page.
        public fileprivate(set) var reached: Timestamp?
        /// The channels that the server refused for good, with the reason; all others are
        /// downloaded.
        public fileprivate(set) var refused: [ChannelURL: RoostError.Code] = [:]
    }

    private nonisolated let executor: any WorldExecutor
    /// The client's executor.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        // SAFETY: the executor is a constant of this actor and lives as long as the actor.
        unsafe executor.asUnownedSerialExecutor()
    }

    /// The request of the download.
    public nonisolated let request: DownloadRequest
    private let engine: SyncEngine
    /// The present progress.
    public private(set) var progress = Progress(state: .running)
    private var observers: [AsyncStream<Progress>.Continuation] = []
    private var resumption: CheckedContinuation<Void, Never>?

    init(_ request: DownloadRequest, engine: SyncEngine, executor: any WorldExecutor) {
        self.request = request
        self.engine = engine
        self.executor = executor
    }

    /// Returns a stream of the present progress and all later ones; a slow reader misses some but
    /// gets the last.
    public func progressUpdates() -> AsyncStream<Progress> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Progress.self, bufferingPolicy: .bufferingNewest(1))
        continuation.yield(progress)
        if isOver { continuation.finish() } else { observers.append(continuation) }
        return stream
    }

    /// Pauses the download after the request in progress, until `resume()`.
    public func pause() {
        guard !isOver else { return }
        update { $0.state = .paused }
    }

    /// Continues a paused download.
    public func resume() {
        guard progress.state == .paused else { return }
        update { $0.state = .running }
        resumption?.resume()
        resumption = nil
    }

    /// Ends the download; fetched messages stay.
    public func cancel() {
        guard !isOver else { return }
        end(.canceled)
        resumption?.resume()
        resumption = nil
    }

    private var isOver: Bool { progress.state == .finished || progress.state == .canceled }
}

// MARK: - For the engine

extension HistoryDownload {
    func run() async {
        let channels: [ChannelURL]
        if let chosen = request.channels {
            channels = chosen
        } else {
            let all = await attempt(for: nil) { engine throws(RoostError) in
                try await engine.allChannels()
            }
            guard let all else { return end(.canceled) }
            channels = all
        }
        update { $0.channelCount = channels.count }
        for channel in channels {
            update { ($0.channel, $0.reached) = (channel, nil) }
            await fetch(channel)
            if isOver { return }
            update { $0.finishedChannels += 1 }
        }
        update { $0.channel = nil }
        end(.finished)
    }

    private func fetch(_ channel: ChannelURL) async {
        var connection: Int?
        // Live messages may lead a download over the same stretch again, so only its own steps
        // count.
        var walk = PageWalk<Int, Timestamp>(from: nil, pageLimit: .max)
        var steps = 0
        while !isOver {
            let step = await attempt(for: channel) {
                [request, connection] engine throws(RoostError) in
                try await engine.downloadPage(
                    of: channel, since: request.since, knowingEndSince: connection)
            }
            guard let step, let reached = step.reached else { return }
            // A new connection begins with the newest page again.
            if connection != step.connection { walk = PageWalk(from: nil, pageLimit: .max) }
            connection = step.connection
            steps += 1
            update {
                $0.messages += step.added
                $0.reached = reached
            }
            guard walk.goesOn(to: steps, after: [reached]) else {
                return update { $0.refused[channel] = .malformedData }
            }
            await engine.rest(for: request.pause)
        }
    }

    /// Performs work while connected, until it succeeds; nil if the server refuses for good or the
    /// download ends.
    private func attempt<Value: Sendable>(
        for channel: ChannelURL?, _ work: (SyncEngine) async throws(RoostError) -> Value
    ) async -> Value? {
        var failures = 0
        while true {
            while progress.state == .paused {
                await withCheckedContinuation { resumption = $0 }
            }
            guard !isOver else { return nil }
            if await !engine.isOnline {
                update { $0.state = .waitingForConnection }
                guard await engine.waitForConnection() else {
                    cancel()
                    return nil
                }
                if progress.state == .waitingForConnection { update { $0.state = .running } }
                continue
            }
            do {
                return try await work(engine)
            } catch {
                failures += 1
                guard let wait = await engine.waitBeforeRetry(after: error, failures) else {
                    if let channel { update { $0.refused[channel] = error.code } }
                    return nil
                }
                await engine.rest(for: wait)
            }
        }
    }

    private func end(_ state: State) {
        guard !isOver else { return }
        update { $0.state = state }
        for observer in observers { observer.finish() }
        observers = []
    }

    private func update(_ change: (inout Progress) -> Void) {
        change(&progress)
        observers.removeAll { observer in
            if case .terminated = observer.yield(progress) { true } else { false }
        }
    }
}

extension ChatClient {
    /// Starts a download of history in the background; it ends when complete, by `cancel()`, or
    /// with the client.
    ///
    /// The call returns at once; follow `progressUpdates()`.
    public func download(_ request: DownloadRequest = DownloadRequest()) async -> HistoryDownload {
        let download = HistoryDownload(request, engine: engine, executor: engine.executor)
        await engine.adopt(download)
        // The task ends with the client, which ends the download.
        Task(executorPreference: engine.executor) { await download.run() }
        return download
    }

    /// Returns the estimated size of a download of one channel.
    ///
    /// Needs a connection. The count covers the whole channel, so it is too high for a request with
    /// `since`.
    ///
    /// - Throws: `.connectionRequired`, or the server's refusal.
    public func downloadEstimate(
        of channel: ChannelURL
    ) async throws(RoostError) -> DownloadEstimate {
        try await engine.downloadEstimate(of: channel)
    }
}
