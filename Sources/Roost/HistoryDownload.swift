// SPDX-License-Identifier: Apache-2.0

import RoostCore
public import RoostModel

/// Which history shall be on this device, whether or not anybody looks at it.
public struct DownloadRequest: Hashable, Sendable {
    /// In the order they are fetched; nil for all channels of the user, last written first.
    public var channels: [ChannelURL]?
    /// The earliest moment wanted; `.distantPast` for everything from the first message on (R178).
    public var since: Timestamp
    /// How long the download rests between two requests; what is on screen goes first in any case.
    public var pause: Duration

    public init(
        channels: [ChannelURL]? = nil, since: Timestamp = .distantPast,
        pause: Duration = .milliseconds(100)
    ) {
        self.channels = channels
        self.since = since
        self.pause = pause
    }
}

/// What a download would cost, as far as the server tells.
public struct DownloadEstimate: Hashable, Sendable {
    /// How many messages are not on this device, at most; nil when the server does not count them.
    public let missingMessages: Int?
    /// What they will take on disk, by the size of the messages that are there.
    public let bytes: Int64?
}

/// History being fetched in the background, newest first (R154, R178 to R181).
///
/// It goes into the cache and touches no list. What is on this device already is not fetched again, so that
/// the same request made after a relaunch goes on where the last one ended. While there is no connection
/// it waits for one. The cache's limit holds: it may evict what was fetched for channels that nobody opens.
public actor HistoryDownload {
    public enum State: Hashable, Sendable {
        case running
        case waitingForConnection
        case paused
        case finished
        case canceled
    }

    public struct Progress: Hashable, Sendable {
        public fileprivate(set) var state: State
        /// Nil until the user's channels are known.
        public fileprivate(set) var channelCount: Int?
        public fileprivate(set) var finishedChannels = 0
        /// How many messages came so far.
        public fileprivate(set) var messages = 0
        /// The channel being fetched.
        public fileprivate(set) var channel: ChannelURL?
        /// How far back that channel is known.
        public fileprivate(set) var reached: Timestamp?
        /// Channels the server refused for good, and why; the others were fetched all the same.
        public fileprivate(set) var refused: [ChannelURL: RoostError.Code] = [:]
    }

    private nonisolated let executor: any WorldExecutor
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        // SAFETY: the executor is a constant of this actor and lives as long as it does.
        unsafe executor.asUnownedSerialExecutor()
    }

    public nonisolated let request: DownloadRequest
    private let engine: SyncEngine
    public private(set) var progress = Progress(state: .running)
    private var observers: [AsyncStream<Progress>.Continuation] = []
    private var resumption: CheckedContinuation<Void, Never>?

    init(_ request: DownloadRequest, engine: SyncEngine, executor: any WorldExecutor) {
        self.request = request
        self.engine = engine
        self.executor = executor
    }

    /// The present state and every later one; a slow reader skips some and ends with the last.
    public func progressUpdates() -> AsyncStream<Progress> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Progress.self, bufferingPolicy: .bufferingNewest(1))
        continuation.yield(progress)
        if isOver { continuation.finish() } else { observers.append(continuation) }
        return stream
    }

    /// Rests after the request that is on its way, until `resume`.
    public func pause() {
        guard !isOver else { return }
        update { $0.state = .paused }
    }

    public func resume() {
        guard progress.state == .paused else { return }
        update { $0.state = .running }
        resumption?.resume()
        resumption = nil
    }

    /// Ends it; what has come stays.
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
        // Live messages may lead a download over the same stretch again, so that only its steps are places.
        var walk = PageWalk<Int, Timestamp>(from: nil, pageLimit: .max)
        var steps = 0
        while !isOver {
            let step = await attempt(for: channel) {
                [request, connection] engine throws(RoostError) in
                try await engine.downloadPage(
                    of: channel, since: request.since, knowingEndSince: connection)
            }
            guard let step, let page = step.page else { return }
            // Another connection begins with the newest page again.
            if connection != step.connection { walk = PageWalk(from: nil, pageLimit: .max) }
            connection = step.connection
            steps += 1
            update {
                $0.messages += page.added
                $0.reached = page.reached
            }
            guard walk.goesOn(to: steps, after: [page.reached]) else {
                return update { $0.refused[channel] = .malformedData }
            }
            await engine.rest(for: request.pause)
        }
    }

    /// Does work as soon as there is a connection, until it succeeds or is refused for good; nil when it
    /// was refused or the download is over.
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
    /// Begins to fetch history in the background; ends with the client, when it is done, or by `cancel`.
    public func download(_ request: DownloadRequest = DownloadRequest()) async -> HistoryDownload {
        let download = HistoryDownload(request, engine: engine, executor: engine.executor)
        await engine.adopt(download)
        // Ends with the client, which ends the download.
        Task(executorPreference: engine.executor) { await download.run() }
        return download
    }

    /// What a download of one channel would bring.
    ///
    /// Needs a connection. The count is of the whole channel, so that it is too high for a request with a
    /// `since`.
    public func downloadEstimate(
        of channel: ChannelURL
    ) async throws(RoostError) -> DownloadEstimate {
        try await engine.downloadEstimate(of: channel)
    }
}
