// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostExecutors
package import RoostModel

/// One timeline, for a collection object that hands in handlers and a delegate.
///
/// It puts what comes into the form in which the old libraries told it: pages to whoever asked for them,
/// everything else as it happens, nothing twice.
package actor TimelineDriver {
    package enum News: Sendable {
        case changed(ListDiff<Message>)
        /// More is missing than is filled silently.
        case hugeGap
    }

    /// What the app may ask at any moment, on any thread.
    package struct View: Sendable {
        /// What the app has been told of.
        fileprivate var mirror = Mirror<Message>()
        package fileprivate(set) var hasOlder = true
        package fileprivate(set) var hasNewer = true

        /// Delivered messages by place, then the unsent by age; put in order when asked for.
        package var messages: [Message] { mirror.all.inListOrder }
    }

    package enum Direction: Sendable { case older, newer }

    private nonisolated let executor: any WorldExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        // SAFETY: the executor is a constant of this actor and lives as long as it does.
        unsafe executor.asUnownedSerialExecutor()
    }

    private let door: Door
    private let channel: ChannelURL
    private let start: Timestamp
    private let filter: MessageFilter
    /// Nil for the client's.
    private let pageSize: Int?
    private let capacity: Int
    private let tell: @Sendable (News) -> Void
    private let shared = Guarded(View())

    private var timeline: Timeline?
    private var openingFailure: RoostError?
    /// A page is on its way to whoever asked for it: what comes of it is not news.
    private var isLoading = false
    /// Who waits until it is loaded.
    private var turns: [CheckedContinuation<Void, Never>] = []
    private var backlog: [ListDiff<Message>] = []
    private var hadHugeGap = false
    private var isClosed = false

    package init(
        _ door: Door, channel: ChannelURL, startingAt start: Timestamp, filter: MessageFilter,
        pageSize: Int? = nil, capacity: Int = .max,
        tell: @escaping @Sendable (News) -> Void
    ) {
        self.door = door
        executor = door.world.executor
        self.channel = channel
        self.start = start
        self.filter = filter
        self.pageSize = pageSize
        self.capacity = capacity
        self.tell = tell
    }

    package nonisolated var view: View { shared.withLock { $0 } }

    // MARK: Asking

    package typealias Delivery = @Sendable (Result<[Message], RoostError>) -> Void

    /// What can be asked for.
    package enum Request: Sendable {
        /// What the disk has; opens the timeline.
        case opening
        /// What is to be shown once the server has answered; it takes the place of what was.
        case server
        /// The same, but only what of it was not shown before.
        case serverNews
        /// What is to be shown of the newest end, in the place of what was.
        case newest
        /// A page: what of it was not shown before.
        case page(Direction)
    }

    /// Hands over what was asked for; what changes of it is told after it.
    package func load(_ request: Request, then deliver: Delivery) async {
        guard !isClosed else { return deliver(.failure(.disposed)) }
        if isLoading {
            guard request.waits else { return deliver(.failure(.underWay)) }
            // Nobody asked for it twice: it comes when the page is there.
            await withCheckedContinuation { turns.append($0) }
        }
        isLoading = true
        do throws(RoostError) {
            deliver(.success(try await load(request)))
        } catch {
            deliver(.failure(error))
        }
        isLoading = false
        let waiting = backlog
        backlog = []
        for change in waiting { take(change) }
        if !turns.isEmpty {
            isLoading = true  // Until the next one goes on: nobody comes between.
            turns.removeFirst().resume()
        }
    }

    private func load(_ request: Request) async throws(RoostError) -> [Message] {
        if case .opening = request {
            do throws(RoostError) {
                return try await open()
            } catch {
                openingFailure = error
                throw error
            }
        }
        guard let timeline else { throw openingFailure ?? .notOpen }
        switch request {
        case .opening, .server:
            try await timeline.reachServer()
            await show(timeline)
            return view.messages
        case .serverNews:
            try await timeline.reachServer()
            return await absorb(timeline)
        case .newest:
            try await timeline.jump(to: .distantFuture)
            try await timeline.reachServer()
            await show(timeline)
            return view.messages
        case .page(let direction):
            do throws(RoostError) {
                switch direction {
                case .older: try await timeline.loadOlder()
                case .newer: try await timeline.loadNewer()
                }
            } catch {
                await absorb(timeline)
                throw error
            }
            return await absorb(timeline, at: direction)
        }
    }

    private func open() async throws(RoostError) -> [Message] {
        guard timeline == nil else { throw .underWay }
        let timeline = try await door.client().timeline(
            of: channel, startingAt: start, filter: filter, pageSize: pageSize, capacity: capacity)
        guard !isClosed else {
            await timeline.close()
            throw .disposed
        }
        self.timeline = timeline
        let changes = await timeline.changes()
        let snapshots = await timeline.snapshots()
        await show(timeline)
        // Both end with the timeline.
        Task(executorPreference: executor) { [weak self] in
            for await change in changes { await self?.take(change) }
        }
        Task(executorPreference: executor) { [weak self] in
            for await snapshot in snapshots { await self?.take(snapshot) }
        }
        return view.messages
    }

    /// Ends everything; nothing is told afterwards.
    package func close() async {
        isClosed = true
        await timeline?.close()
    }

    // MARK: What comes

    private func show(_ timeline: Timeline) async {
        let snapshot = await timeline.snapshot
        shared.withLock { view in
            view.mirror.replace(with: snapshot.messages)
            view.take(snapshot)
        }
    }

    /// What of the snapshot was not shown before, at one end or anywhere.
    @discardableResult
    private func absorb(
        _ timeline: Timeline, at end: Direction? = nil
    ) async -> [Message] {
        let snapshot = await timeline.snapshot
        let delivered = snapshot.messages.prefix { $0.status == .succeeded }
        return shared.withLock { view in
            view.take(snapshot)
            return switch end {
            case .older: view.mirror.absorb(delivered, at: .first)
            case .newer: view.mirror.absorb(delivered, at: .last)
            case nil: view.mirror.absorb(delivered)
            }
        }
    }

    private func take(_ change: ListDiff<Message>) {
        guard !isClosed else { return }
        guard !isLoading || change.isOwnWriting else { return backlog.append(change) }
        let news = shared.withLock { $0.mirror.apply(change) }
        if !news.isEmpty { tell(.changed(news)) }
    }

    private func take(_ snapshot: Timeline.Snapshot) {
        guard !isClosed else { return }
        shared.withLock { $0.take(snapshot) }
        if snapshot.hasHugeGap, !hadHugeGap { tell(.hugeGap) }
        hadHugeGap = snapshot.hasHugeGap
    }
}

extension TimelineDriver.View {
    fileprivate mutating func take(_ snapshot: Timeline.Snapshot) {
        hasOlder = snapshot.hasOlder
        hasNewer = snapshot.hasNewer
    }
}

extension TimelineDriver.Request {
    /// Whether it comes after a page that is loading, rather than being refused.
    fileprivate var waits: Bool {
        switch self {
        case .opening, .page: false
        case .server, .serverNews, .newest: true
        }
    }
}

extension ListDiff<Message> {
    /// Whether it only tells what the user just wrote, which waits for no page.
    fileprivate var isOwnWriting: Bool {
        updated.isEmpty && deleted.isEmpty && inserted.allSatisfy { $0.status == .pending }
    }
}

extension [Message] {
    /// Delivered messages by place, then the unsent by age.
    package var inListOrder: [Message] {
        enumerated().sorted { left, right in
            switch (left.element.position, right.element.position) {
            case (let left?, let right?): left < right
            case (nil, nil):
                // Of one moment, in the order in which they came.
                (left.element.createdAt, left.offset) < (right.element.createdAt, right.offset)
            case (let left, _): left != nil
            }
        }.map(\.element)
    }
}

extension RoostError {
    package static let disposed = RoostError(
        .collectionDisposed, remedy: .none, message: "This collection has been disposed of.")
    package static let underWay = RoostError(
        .queryInProgress, remedy: .retry, message: "This collection is loading already.")
    package static let notOpen = RoostError(
        .invalidParameter, remedy: .correctInput, message: "Start the collection first.")
}
