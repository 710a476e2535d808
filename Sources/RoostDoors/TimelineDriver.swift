// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostExecutors
package import RoostModel

/// The timeline behind a collection object with handlers and a delegate.
///
/// It delivers changes in the form of the old libraries: pages to the handler that asked for them,
/// everything else as events, nothing twice.
package actor TimelineDriver {
    package enum Event: Sendable {
        case changed(ListDiff<Message>)
        /// More messages are missing than are filled silently.
        case hugeGap
    }

    /// The state that the app may read at any time, on any thread.
    package struct View: Sendable {
        /// The messages that the app has received.
        fileprivate var mirror = Mirror<Message>() {
            didSet {
                ordered = nil
                version += 1
            }
        }
        /// The number of changes of the messages so far.
        fileprivate private(set) var version = 0
        package fileprivate(set) var hasOlder = true
        package fileprivate(set) var hasNewer = true
        /// The messages in their order; nil after a change, until they are read.
        private var ordered: [Message]?

        /// The delivered messages by position, then the unsent ones by age.
        ///
        /// They are sorted once after a change: a table view reads them for each of its cells.
        fileprivate var messages: [Message] {
            mutating get {
                if let ordered { return ordered }
                let messages = mirror.all.inListOrder
                ordered = messages
                return messages
            }
        }
    }

    package enum Direction: Sendable { case older, newer }

    private nonisolated let executor: any WorldExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        // SAFETY: the executor is a constant of this actor and lives as long as the actor.
        unsafe executor.asUnownedSerialExecutor()
    }

    private let door: Door
    /// The user at the creation; nil if none had logged in.
    private let account: UserID?
    private let channel: ChannelURL
    private let start: Timestamp
    /// Whether messages of exactly the starting time are shown.
    private let isInclusive: Bool
    private let filter: MessageFilter
    /// The size of a page; nil for the client's.
    private let pageSize: Int?
    private let capacity: Int
    private let notify: @Sendable (Event) -> Void
    private let shared = Guarded(View())

    private var timeline: Timeline?
    private var openingFailure: RoostError?
    /// The requests in progress; their messages are not events.
    private var requests: [Request] = []
    /// The requests that wait for the end of others.
    private var turns: [(request: Request, turn: CheckedContinuation<Void, Never>)] = []
    /// The changes since the beginning of the requests in progress.
    private var backlog: [ListDiff<Message>] = []
    private var hadHugeGap = false
    private var isClosed = false

    /// Creates a driver; without an account it is that of the user at this moment.
    package init(
        _ door: Door, of account: UserID? = nil, channel: ChannelURL,
        startingAt start: Timestamp, isInclusive: Bool = true,
        filter: MessageFilter, pageSize: Int? = nil, capacity: Int = .max,
        notify: @escaping @Sendable (Event) -> Void
    ) {
        self.door = door
        self.account = account ?? door.account
        executor = door.world.executor
        self.channel = channel
        self.start = start
        self.isInclusive = isInclusive
        self.filter = filter
        self.pageSize = pageSize
        self.capacity = capacity
        self.notify = notify
    }

    package nonisolated var view: View { shared.withLock { $0 } }

    /// Whether the user at the creation is still the present one.
    package nonisolated var isForPresentUser: @Sendable () -> Bool { door.isPresent(account) }

    /// The messages that the app has received: the delivered ones by position, then the unsent ones
    /// by age.
    package nonisolated var messages: [Message] { shared.withLock { $0.messages } }

    /// Returns the objects of one group of the messages; they are made once after a change.
    package nonisolated func objects<Object>(
        _ group: MessageGroup, from lists: MessageLists<Object>, _ make: ([Message]) -> [Object]
    ) -> [Object] {
        let (version, messages) = shared.withLock { ($0.version, $0.messages) }
        return lists.objects(group, of: version, messages, make)
    }

    // MARK: Requests

    package typealias Delivery = @Sendable (Result<[Message], RoostError>) -> Void

    /// The requests of an app.
    package enum Request: Equatable, Sendable {
        /// The messages on disk; the request opens the timeline.
        case opening
        /// The messages after the server's answer, which replace the shown ones.
        case server
        /// The messages after the server's answer that were not shown before.
        case serverAdditions
        /// The newest messages, which replace the shown ones.
        case newest
        /// A page of messages that were not shown before; a part of one if the disk has no more and
        /// the server cannot be reached.
        case page(Direction)
    }

    /// Performs a request and delivers its messages; later changes to them are delivered as events.
    package func load(_ request: Request, then deliver: Delivery) async {
        guard !isClosed else { return deliver(.failure(.disposed)) }
        if requests.allSatisfy({ request.runs(beside: $0) }) {
            requests.append(request)
        } else {
            guard request.waits else { return deliver(.failure(.underWay)) }
            // The same request is in progress; its end answers this one too.
            await withCheckedContinuation { turns.append((request, $0)) }
        }
        do throws(RoostError) {
            deliver(.success(try await load(request)))
        } catch {
            deliver(.failure(door.reason(error, of: account)))
        }
        end(request)
    }

    private func end(_ request: Request) {
        requests.removeAll { $0 == request }
        if requests.isEmpty {
            deliver(backlog)
            backlog = []
        }
        while let next = turns.first, requests.allSatisfy({ next.request.runs(beside: $0) }) {
            turns.removeFirst()
            requests.append(next.request)  // Before it runs, so that no other gets between.
            next.turn.resume()
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
            return messages
        case .serverAdditions:
            try await timeline.reachServer()
            return await absorb(timeline)
        case .newest:
            try await timeline.jump(to: .distantFuture)
            try await timeline.reachServer()
            await show(timeline)
            return messages
        case .page(let direction):
            let end = await timeline.snapshot.stretch.last?.position
            do throws(RoostError) {
                switch direction {
                case .older: try await timeline.loadOlder()
                case .newer: try await timeline.loadNewer()
                }
            } catch {
                // The page may be on disk in part: the timeline shows that part from now on, so no
                // event would deliver it later.
                let part = await absorb(timeline, direction, behind: end)
                guard part.isEmpty else { return part }
                throw error
            }
            return await absorb(timeline, direction, behind: end)
        }
    }

    private func open() async throws(RoostError) -> [Message] {
        guard timeline == nil else { throw .underWay }
        let timeline = try await door.client(of: account).timeline(
            of: channel, startingAt: start, filter: filter, pageSize: pageSize, capacity: capacity)
        guard !isClosed else {
            await timeline.close()
            throw .disposed
        }
        self.timeline = timeline
        let changes = await timeline.changes()
        let extents = await timeline.extents()
        await show(timeline)
        // Both tasks end with the timeline.
        Task(executorPreference: executor) { [weak self] in
            for await change in changes { await self?.take(change) }
        }
        Task(executorPreference: executor) { [weak self] in
            for await extent in extents { await self?.take(extent) }
        }
        return messages
    }

    /// Closes the timeline; no more events are delivered.
    package func close() async {
        isClosed = true
        await timeline?.close()
    }

    // MARK: Events

    private func show(_ timeline: Timeline) async {
        let snapshot = await timeline.snapshot
        shared.withLock { view in
            view.mirror.replace(with: snapshot.messages.filter(belongs))
            view.take(snapshot.extent)
        }
    }

    /// Adds the messages of a snapshot that were not shown before: of an older page, of a newer
    /// page behind an end, or all.
    private func absorb(
        _ timeline: Timeline, _ direction: Direction? = nil, behind end: Position? = nil
    ) async -> [Message] {
        let snapshot = await timeline.snapshot
        let delivered = snapshot.stretch.filter(belongs)
        return shared.withLock { view in
            view.take(snapshot.extent)
            return switch direction {
            case .older: view.mirror.absorbBeginning(delivered)
            // An own message of the page may be known, which was sent beyond the gap.
            case .newer: view.mirror.absorb(delivered.filter { $0.isBehind(end) })
            case nil: view.mirror.absorb(delivered)
            }
        }
    }

    private func belongs(_ message: Message) -> Bool {
        isInclusive || message.status != .succeeded || message.createdAt != start
    }

    private func take(_ change: ListDiff<Message>) {
        guard !isClosed else { return }
        guard !requests.isEmpty else { return deliver([change]) }
        // The answer to a request may replace the list, with the change or without it; so a change
        // that is delivered now is applied again at the end.
        backlog.append(change)
        let isLive = change.isLive && requests.allSatisfy(\.letsLiveChangesPass)
        if isLive || change.isOwnWriting { deliver([change]) }
    }

    private func deliver(_ changes: [ListDiff<Message>]) {
        let shown = changes.map { change in
            var shown = change
            shown.inserted.removeAll { !belongs($0) }
            return shown
        }
        let unseen = shared.withLock { $0.mirror.apply(shown) }
        for change in unseen where !change.isEmpty { notify(.changed(change)) }
    }

    private func take(_ extent: Timeline.Extent) {
        guard !isClosed else { return }
        shared.withLock { $0.take(extent) }
        if extent.hasHugeGap, !hadHugeGap { notify(.hugeGap) }
        hadHugeGap = extent.hasHugeGap
    }
}

extension TimelineDriver.View {
    fileprivate mutating func take(_ extent: Timeline.Extent) {
        hasOlder = extent.hasOlder
        hasNewer = extent.hasNewer
    }
}

extension TimelineDriver.Request {
    /// Whether the request waits for the server, while the messages on disk are shown.
    private var isServer: Bool { self == .server || self == .serverAdditions }

    private var isPage: Bool { self == .page(.older) || self == .page(.newer) }

    /// Whether live changes are delivered meanwhile; the others load the end that these belong to.
    fileprivate var letsLiveChangesPass: Bool { isServer || self == .page(.older) }

    /// Returns whether the request runs beside another one.
    fileprivate func runs(beside other: Self) -> Bool {
        isServer && other.isPage || isPage && other.isServer
    }

    /// Whether the request waits for a page that is loading; otherwise it is refused.
    fileprivate var waits: Bool {
        switch self {
        case .opening, .page: false
        case .server, .serverAdditions, .newest: true
        }
    }
}

extension ListDiff<Message> {
    /// Whether the change is one of this moment, and not of a page or a catch-up.
    fileprivate var isLive: Bool { origins.isSubset(of: [.event, .answer, .local]) }

    /// Whether the change only contains the user's own new messages, which wait for no page.
    fileprivate var isOwnWriting: Bool {
        updated.isEmpty && deleted.isEmpty && inserted.allSatisfy { $0.status == .pending }
    }
}

extension ListDiff<Message> {
    /// The step as the old collections tell it: a waiting message that the step removes is canceled
    /// first.
    package var withCancellations: [ListDiff<Message>] {
        var (canceled, rest) = (ListDiff<Message>(), self)
        (canceled.origins, rest.deleted) = (origins, [])
        for message in deleted {
            var after = message
            if case .unsent(let id, .pending) = message.delivery {
                after.delivery = .unsent(id, .canceled)
                canceled.updated.append(Update(before: message, after: after))
            }
            rest.deleted.append(after)
        }
        return canceled.isEmpty ? [self] : [canceled, rest]
    }
}

extension [Message] {
    /// The delivered messages by position, then the unsent ones by age.
    package var inListOrder: [Message] {
        enumerated().sorted { left, right in
            switch (left.element.position, right.element.position) {
            case (let left?, let right?): left < right
            case (nil, nil):
                // Messages of one moment keep the order of their arrival.
                (left.element.createdAt, left.offset) < (right.element.createdAt, right.offset)
            case (let left, _): left != nil
            }
        }.map(\.element)
    }
}

extension RoostError {
    static let anotherUser = RoostError(
        .connectionCanceled, remedy: .none,
        message: "Another user has logged in since this collection or query was made: "
            + "make a new one.")
    package static let disposed = RoostError(
        .collectionDisposed, remedy: .none, message: "This collection has been disposed of.")
    package static let underWay = RoostError(
        .queryInProgress, remedy: .retry, message: "This collection is loading already.")
    package static let notOpen = RoostError(
        .invalidParameter, remedy: .correctInput, message: "Start the collection first.")
}

extension Message {
    /// Whether the message is behind a position; nil is before all messages.
    fileprivate func isBehind(_ end: Position?) -> Bool {
        guard let position, let end else { return true }
        return position > end
    }
}
