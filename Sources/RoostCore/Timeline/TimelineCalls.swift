// SPDX-License-Identifier: Apache-2.0

// The app's calls on a timeline.

package import RoostModel

/// The opening of a timeline: it shows the cached messages, and the server's page follows.
///
/// The server is asked first about a channel of which the disk has nothing, because it may not
/// exist. If it does not answer soon, the timeline opens empty.
package struct TimelineOpening: SyncOperation {
    /// The longest wait of an opening for the server.
    private static let patience = Duration.seconds(2)

    private enum State: Equatable, Codable, Sendable {
        case beginning
        case reading
        case readingChannel
        case lookingUp
    }

    package let timeline: TimelineID
    private var state = State.beginning

    package init(_ timeline: TimelineID) { self.timeline = timeline }

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        switch (state, reply) {
        case (.beginning, .begin):
            guard !sync.isClosed else {
                sync.close(timeline)
                return .fail(.clientClosed)
            }
            state = .reading
            return .need(.run(.window(WindowRead(timeline, .first, from: .disk))))
        case (.reading, .ended(.done)):
            guard let open = sync.timelines[timeline] else { return .end(.done) }
            if open.list.extent != nil { return show(&sync) }
            state = .readingChannel
            return .need(.read(.channel(open.channel)))
        case (.readingChannel, .read(.success(.channel(let known)))):
            guard let channel = sync.timelines[timeline]?.channel else { return .end(.done) }
            if known != nil { return show(&sync) }
            guard sync.session != nil else {
                guard sync.unknownChannels.contains(channel) else { return show(&sync) }
                sync.close(timeline)
                return .fail(.unknownChannel)
            }
            state = .lookingUp
            return .need(.runWithin(Self.patience, .channelSearch(ChannelSearch(channel))))
        case (.lookingUp, .ended(.failed(let error))) where error.code.deniesExistence:
            sync.close(timeline)
            return .fail(.unknownChannel)
        // The timeline's own requests report any other failure.
        case (.lookingUp, .ended): return show(&sync)
        case (.reading, _), (.readingChannel, _):
            sync.close(timeline)
            return .fail(reply)
        default: return .fail(reply)
        }
    }

    private func show(_ sync: inout SyncState) -> Step {
        guard let channel = sync.timelines[timeline]?.channel else { return .end(.done) }
        sync.showUnsent(of: channel)
        sync.noteOpening(of: channel)
        sync.synchronizeLater(timeline)
        return .end(.done)
    }
}

/// A jump to the messages around another moment.
package struct TimelineJump: SyncOperation {
    private enum State: Equatable, Codable, Sendable { case beginning, reading }

    package let timeline: TimelineID
    package let moment: Timestamp
    private var state = State.beginning

    package init(_ timeline: TimelineID, to moment: Timestamp) {
        self.timeline = timeline
        self.moment = moment
    }

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        switch (state, reply) {
        case (.beginning, .begin):
            if let error = sync.beginPaging(of: timeline) { return .fail(error) }
            sync.timelines[timeline]?.jump(to: moment)
            state = .reading
            return .need(.run(.window(WindowRead(timeline, .first, from: .disk))))
        case (.reading, .ended(.done)):
            sync.timelines[timeline]?.isPaging = false
            sync.synchronizeLater(timeline)
            return .end(.done)
        default:
            sync.timelines[timeline]?.isPaging = false
            return .fail(reply)
        }
    }
}

/// The addition of a page, from disk and the rest of it from the server.
package struct TimelinePaging: SyncOperation {
    private enum State: Equatable, Codable, Sendable {
        case beginning
        case readingDisk
        case fetching(missing: Int)
        case showing(PageStatement)
    }

    /// The caller's time limit for the server, equal to that of one request.
    private static let patience = Duration.seconds(8)

    package let timeline: TimelineID
    package let direction: PageDirection
    private var before = 0
    private var state = State.beginning

    package init(_ timeline: TimelineID, _ direction: PageDirection) {
        self.timeline = timeline
        self.direction = direction
    }

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        let step = decide(reply, &sync)
        // A second call during this one ended in its first step and changes nothing.
        if case .end = step, state != .beginning { sync.timelines[timeline]?.isPaging = false }
        return step
    }

    private mutating func decide(_ reply: Reply, _ sync: inout SyncState) -> Step {
        guard let open = sync.timelines[timeline] else {
            return state == .beginning ? .fail(.timelineClosed) : .end(.count(0))
        }
        switch (state, reply) {
        case (.beginning, .begin):
            if let error = sync.beginPaging(of: timeline) { return .fail(error) }
            before = open.list.delivered.count
            state = .readingDisk
            guard open.hasMore(direction) else { return .end(.count(0)) }
            return .need(.run(.window(read(by: open.pageSize, from: .disk))))
        case (.readingDisk, .ended(.done)):
            let missing = open.pageSize - (open.list.delivered.count - before)
            guard missing > 0, open.hasMore(direction) else {
                sync.notes.pagesFromDisk += 1
                return finish(&sync)
            }
            sync.notes.pagesFromServer += 1
            state = .fetching(missing: missing)
            return .need(
                .runWithin(
                    Self.patience,
                    .timelinePage(
                        TimelinePage(open, open.question(direction), isPaced: false))))
        case (.fetching(let missing), .ended(.page(let statement, _))):
            return show(statement, missing: missing)
        case (.showing(let statement), .ended(.done)):
            sync.timelines[timeline]?.followIfNewest(statement)
            return finish(&sync)
        default: return .fail(reply)
        }
    }

    private func read(by count: Int, from origin: ChangeOrigin) -> WindowRead {
        WindowRead(
            timeline,
            .shown(
                olderBy: direction == .older ? count : 0, newerBy: direction == .newer ? count : 0),
            from: origin)
    }

    private mutating func show(_ statement: PageStatement, missing: Int) -> Step {
        state = .showing(statement)
        return .need(.run(.window(read(by: missing, from: .page))))
    }

    private func finish(_ sync: inout SyncState) -> Step {
        let count = sync.timelines[timeline]?.list.delivered.count ?? before
        sync.timelines[timeline]?.shrink(keepingNewer: direction == .newer)
        return .end(.count(max(0, count - before)))
    }
}

/// The storage of a page that a timeline asks of the server.
///
/// A filtered page that reaches the newest message states nothing about later messages that do not
/// match: an edit can make one of them match, and the list would lack it. So the newest messages
/// are fetched without the filter, and the page again.
///
/// Of a paced page each request counts against the client's own limit; the caller has spent the
/// first one.
package struct TimelinePage: SyncOperation {
    private enum State: Equatable, Codable, Sendable {
        case beginning
        case fetching
        case pacingNewest
        case fetchingNewest
        case pacingAgain
        case fetchingAgain
    }

    private let channel: ChannelURL
    private let filter: MessageFilter
    private let pageSize: Int
    private let question: PageQuestion
    private let isPaced: Bool
    private var epoch: LinkMachine.Epoch?
    private var state = State.beginning

    init(
        _ open: OpenTimeline, _ question: PageQuestion, under filter: MessageFilter? = nil,
        isPaced: Bool
    ) {
        channel = open.channel
        self.filter = filter ?? open.filter
        pageSize = open.pageSize
        self.question = question
        self.isPaced = isPaced
    }

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        switch (state, reply) {
        case (.beginning, .begin):
            epoch = sync.session?.epoch
            state = .fetching
            return .need(.run(.page(page(question, under: filter))))
        case (.fetching, .ended(.page(let statement, let count))):
            guard question.isAdvanced(by: statement) else { return .fail(.stalled) }
            // An older page reaches the newest message at most by chance.
            guard question.newerLimit > 0, statement.reachesNewest, filter != .everything else {
                return .end(.page(statement, messages: count))
            }
            state = .pacingNewest
            return spendRequest(&sync) ?? fetchNewest(&sync)
        case (.pacingNewest, .paused): return fetchNewest(&sync)
        case (.fetchingNewest, .ended(.page)):
            state = .pacingAgain
            return spendRequest(&sync) ?? fetchAgain(&sync)
        case (.pacingAgain, .paused): return fetchAgain(&sync)
        case (.fetchingAgain, .ended(let outcome)): return .end(outcome)
        default: return .fail(reply)
        }
    }

    /// Counts a request of a paced page; a person waits for the others.
    private func spendRequest(_ sync: inout SyncState) -> Step? {
        isPaced ? sync.spendRequest() : nil
    }

    private func page(_ question: PageQuestion, under filter: MessageFilter) -> PageFetch {
        PageFetch(channel, question, under: filter, isPaced: isPaced)
    }

    private mutating func fetchNewest(_ sync: inout SyncState) -> Step {
        guard sync.isPresent(epoch) else { return giveUp(&sync) }
        state = .fetchingNewest
        return .need(.run(.page(page(.newest(pageSize), under: .everything))))
    }

    private mutating func fetchAgain(_ sync: inout SyncState) -> Step {
        guard sync.isPresent(epoch) else { return giveUp(&sync) }
        state = .fetchingAgain
        return .need(.run(.page(page(question, under: filter))))
    }

    private func giveUp(_ sync: inout SyncState) -> Step {
        isPaced ? sync.returnRequest() : .fail(.notConnected)
    }
}

/// The wait for the server's first answer to a timeline.
///
/// The opening made the request; after a login the catch-up of the channel does.
package struct TimelineArrival: SyncOperation {
    package let timeline: TimelineID

    package init(_ timeline: TimelineID) { self.timeline = timeline }

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        switch reply {
        case .begin:
            guard let open = sync.timelines[timeline] else { return .fail(.timelineClosed) }
            if open.opening.isUnderWay { return .need(.wait(.opening(timeline))) }
            if open.wasLoaded { return .end(.done) }
            guard sync.session != nil else { return .fail(.notConnected) }
            if sync.isAskingServer(about: open.channel) { return .need(.wait(.opening(timeline))) }
            return .fail(
                .notFetched(
                    sync.attempts[open.channel]?.failure,
                    isRetried: sync.restingCatchUps.contains(open.channel)))
        case .woken(let error): return error.map { .fail($0) } ?? .end(.done)
        default: return .fail(reply)
        }
    }
}

extension SyncState {
    /// Begins paging; returns the error if it is not allowed.
    mutating func beginPaging(of timeline: TimelineID) -> RoostError? {
        guard let open = timelines[timeline] else { return .timelineClosed }
        guard !open.isPaging else { return .timelinePaging }
        timelines[timeline]?.isPaging = true
        return nil
    }

    /// Updates a timeline with the cached messages from the server, while there is a connection.
    package mutating func synchronizeLater(_ timeline: TimelineID) {
        guard session != nil, let round = timelines[timeline]?.opening.begin() else { return }
        start(.timelineUpdate(TimelineUpdate(timeline, round: round)))
    }

    /// Whether a catch-up of a channel runs without waiting for its next attempt.
    fileprivate func isAskingServer(about channel: ChannelURL) -> Bool {
        catchUps[channel] != nil && !restingCatchUps.contains(channel)
    }

    /// Ends the calls that wait for the first page of a timeline, unless its opening ends them.
    mutating func endArrival(at timeline: TimelineID, _ failure: RoostError?) {
        guard let open = timelines[timeline], !open.opening.isUnderWay else { return }
        wakeAll(.opening(timeline), open.wasLoaded ? nil : failure)
    }

    /// Removes a timeline, and ends the calls that wait for it.
    package mutating func close(_ timeline: TimelineID) {
        timelines[timeline] = nil
        wakeAll(.windowRead(timeline), nil)
        wakeAll(.opening(timeline), .timelineClosed)
    }
}

extension RoostError {
    package static let timelineClosed = RoostError(
        .collectionDisposed, remedy: .none, message: "This timeline has been closed.")

    /// The error of a page that could not be fetched over the present connection.
    fileprivate static func notFetched(_ code: Code?, isRetried: Bool) -> RoostError {
        let code = code ?? .requestFailed
        return RoostError(
            code, remedy: isRetried ? .retry : remedy(of: code),
            message: "The server's messages could not be fetched; the cached ones are shown.")
    }

    static let timelinePaging = RoostError(
        .queryInProgress, remedy: .retry,
        message: "Another page of this timeline is being loaded.")
}
