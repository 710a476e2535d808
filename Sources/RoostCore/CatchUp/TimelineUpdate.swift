// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// The update of one timeline from the server: its first page, or the gap question.
package struct TimelineSynchronization: SyncOperation {
    private enum State: Equatable, Codable, Sendable {
        case beginning
        case pacing(PageQuestion, OpenTimeline.FirstPage)
        case loading(OpenTimeline.FirstPage)
        case showing(PageStatement, OpenTimeline.FirstPage)
        case pacingRest(PageQuestion, OpenTimeline.FirstPage)
        case loadingRest(OpenTimeline.FirstPage)
        case showingRest(PageStatement, OpenTimeline.FirstPage)
        case fillingGap(OpenTimeline.FirstPage, from: Position)
        /// The cache is read again, which other answers may have filled meanwhile.
        case confirmingGap(OpenTimeline.FirstPage, from: Position)
    }

    package let timeline: TimelineID
    package let occasion: TimelineRequest.Occasion
    private var epoch: LinkMachine.Epoch?
    private var state = State.beginning

    package init(_ timeline: TimelineID, _ occasion: TimelineRequest.Occasion) {
        self.timeline = timeline
        self.occasion = occasion
    }

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        guard let open = sync.timelines[timeline] else { return .end(.done) }
        switch (state, reply) {
        case (.beginning, .begin): return begin(open, occasion, &sync)
        case (.pacing(let question, let page), .paused): return load(question, page, open, &sync)
        case (.loading(let page), .ended(.page(let statement, _))):
            guard open.isInPlace(page) else { return .end(.done) }
            let isFirst = sync.timelines[timeline]?.noteLoaded() == true
            state = .showing(statement, page)
            return show(isFirst)
        case (.showing(let statement, let page), .ended(.done)):
            guard open.isInPlace(page) else { return .end(.done) }
            sync.timelines[timeline]?.followIfNewest(statement)
            return askForRest(of: page, &sync)
        case (.pacingRest(let question, let page), .paused):
            return loadRest(question, page, open, &sync)
        case (.loadingRest(let page), .ended(.page(let statement, _))):
            guard open.isInPlace(page) else { return .end(.done) }
            let isFirst = sync.timelines[timeline]?.noteLoaded() == true
            state = .showingRest(statement, page)
            return show(isFirst)
        case (.showingRest(let statement, let page), .ended(.done)):
            guard open.isInPlace(page) else { return .end(.done) }
            sync.timelines[timeline]?.followIfNewest(statement)
            return .end(.done)
        case (.fillingGap(let page, let known), .ended(.gap(.huge))):
            state = .confirmingGap(page, from: known)
            return .need(
                .run(
                    .window(WindowRead(timeline, .shown(olderBy: 0, newerBy: 0), from: .catchUp))))
        case (.confirmingGap(let page, let known), .ended(.done)):
            // A newer page may have replaced the window.
            guard open.isInPlace(page), let range = open.list.knownRange, range.contains(known)
            else { return .end(.done) }
            // Live messages have continued the range: the answer is about an earlier end.
            if range.upper > known { return begin(open, occasion, &sync) }
            // A timeline that was opened without a connection begins with the newest messages too,
            // unless its reader has paged back meanwhile.
            if !open.wasLoaded, open.list.delivered.count <= open.pageSize {
                return begin(open, .opening, &sync)
            }
            sync.timelines[timeline]?.showHugeGap()
            return .end(.done)
        case (.fillingGap(let page, _), .ended(.gap(.reachedNewest))):
            // A live message may stand alone where the first page could not be loaded.
            if !open.wasLoaded, open.questionForRest(of: page) != nil {
                return askForRest(of: page, &sync)
            }
            sync.timelines[timeline]?.reachServer(page)
            return .end(.done)
        default: return .fail(reply)
        }
    }

    private mutating func begin(
        _ open: OpenTimeline, _ occasion: TimelineRequest.Occasion, _ sync: inout SyncState
    ) -> Step {
        epoch = sync.session?.epoch
        let (decision, page) = open.nextRequest(occasion)
        switch decision {
        case .nothing: return .end(.done)
        case .load(let question):
            state = .pacing(question, page)
            return pace(&sync) ?? load(question, page, open, &sync)
        case .checkGap(let range):
            state = .fillingGap(page, from: range.upper)
            let fill = GapFill(
                open.channel, above: range, hasKnowledgeAbove: open.list.hasHoleAbove)
            return .need(.run(.gap(fill)))
        }
    }

    private func pace(_ sync: inout SyncState) -> Step? {
        guard epoch != nil else { return .fail(.notConnected) }
        return sync.spendRequest()
    }

    private mutating func load(
        _ question: PageQuestion, _ page: OpenTimeline.FirstPage, _ open: OpenTimeline,
        _ sync: inout SyncState
    ) -> Step {
        guard sync.isPresent(epoch) else { return sync.returnRequest() }
        state = .loading(page)
        return .need(
            .run(
                .timelinePage(TimelinePage(open, question, under: page.filter, isPaced: true))))
    }

    private func show(_ isFirst: Bool) -> Step {
        let window = isFirst ? WindowRead.Window.first : .shown(olderBy: 0, newerBy: 0)
        return .need(.run(.window(WindowRead(timeline, window, from: .page))))
    }

    /// Fills up a short page: a live message may have overtaken it and stand alone above it, or few
    /// of its messages match the filter.
    private mutating func askForRest(
        of page: OpenTimeline.FirstPage, _ sync: inout SyncState
    ) -> Step {
        guard let open = sync.timelines[timeline], let rest = open.questionForRest(of: page) else {
            return .end(.done)
        }
        state = .pacingRest(rest, page)
        return pace(&sync) ?? loadRest(rest, page, open, &sync)
    }

    private mutating func loadRest(
        _ question: PageQuestion, _ page: OpenTimeline.FirstPage, _ open: OpenTimeline,
        _ sync: inout SyncState
    ) -> Step {
        guard sync.isPresent(epoch) else { return sync.returnRequest() }
        state = .loadingRest(page)
        return .need(.run(.page(PageFetch(open.channel, question, under: open.filter))))
    }
}

/// The update of a timeline that was just opened or moved, and the answer to its callers.
package struct TimelineUpdate: SyncOperation {
    private enum State: Equatable, Codable, Sendable {
        case beginning, readingChanges, synchronizing
    }

    package let timeline: TimelineID
    package let round: Int
    private var state = State.beginning

    package init(_ timeline: TimelineID, round: Int) {
        self.timeline = timeline
        self.round = round
    }

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        guard let channel = sync.timelines[timeline]?.channel else { return .end(.done) }
        switch (state, reply) {
        case (.beginning, .begin):
            state = .readingChanges
            return .need(.run(.changeLog(ChangeLogReading(.messageChanges(channel)))))
        case (.readingChanges, .ended(.done)):
            state = .synchronizing
            return .need(.run(.timeline(TimelineSynchronization(timeline, .opening))))
        case (.synchronizing, .ended(.done)):
            end(nil, &sync)
            sync.start(.muteCheck(MuteCheck(channel, onlyIfKnown: true)))
            return .end(.done)
        default:
            let error = reply.error
            end(error, &sync)
            // The cached messages stay on screen; a passing failure is retried.
            if sync.session != nil, error.remedy == .retry || error.mayPassWithDisk {
                sync.catchUp(channel, .anyway)
            }
            return .end(.done)
        }
    }

    private func end(_ error: RoostError?, _ sync: inout SyncState) {
        sync.report(error, to: timeline)
        if sync.timelines[timeline]?.opening.end(round) == true {
            sync.wakeAll(.opening(timeline), error)
        }
    }
}

extension SyncState {
    /// Gives a timeline the result of a request, so that observers learn of a new refusal.
    mutating func report(_ error: RoostError?, to timeline: TimelineID) {
        if let channel = timelines[timeline]?.channel {
            if let error { unknownChannels.note(error, of: channel) }
            noteAccess(to: channel, error)
        }
        guard let refusal = timelines[timeline]?.refusals.pass(error) else { return }
        step.notices.append(.refused(timeline, refusal))
    }
}
