// SPDX-License-Identifier: Apache-2.0

// The gap question: messages of a channel after a covered end are counted and filled in.
//
// One request brings up to 300 missing messages. An answer that proves nothing is replaced by pages
// that walk forward from the covered end. More than 300 missing messages are not filled in silently
// (R113).

package import RoostModel
import RoostWire

/// The result of a gap question.
package enum GapResult: Equatable, Codable, Sendable {
    /// Everything up to the newest message is on disk.
    case reachedNewest
    /// Everything in the only hole to fill is on disk.
    case filledHole
    /// More messages are missing than are filled in silently.
    case huge
}

/// The gap question after a covered end, and the storage of its answer.
package struct GapFill: SyncOperation {
    /// The messages of a page of the walk; the server gives at most 200.
    private static let walkingPage = 100
    /// The most missing messages that are filled in silently (R113).
    private static let silentLimit = 300

    private enum State: Equatable, Codable, Sendable {
        case beginning
        case pacing
        case counting(since: Int)
        case asking(since: Int)
        case committing(GapVerdict, [Message])
        case pacingWalk(from: Position)
        case walking(from: Position)
        case findingEnd(from: Position, pageEnd: Position?)
    }

    package let channel: ChannelURL
    /// The covered range whose end the question is about.
    package let range: CoveredRange
    /// Whether the cache has messages beyond a hole above the covered end, so that a count proves
    /// nothing.
    package let hasKnowledgeAbove: Bool
    /// The first covered position above the only hole to fill; nil to fill in up to the newest
    /// message.
    private let holeEnd: Position?

    private var known: Position { range.upper }
    private var epoch: LinkMachine.Epoch?
    private var pages = 0
    private var state = State.beginning

    package init(_ channel: ChannelURL, above range: CoveredRange, hasKnowledgeAbove: Bool) {
        self.channel = channel
        self.range = range
        self.hasKnowledgeAbove = hasKnowledgeAbove
        holeEnd = nil
    }

    /// Asks about one hole only.
    ///
    /// The question ends with the moment in which the upper range begins, whose messages count as
    /// missing. An answer without the first message of the upper range proves nothing about the
    /// rest of the hole: the message may be deleted, or newer than the answer. A page tells.
    package init(
        _ channel: ChannelURL, between range: CoveredRange, and upper: CoveredRange
    ) {
        self.channel = channel
        self.range = range
        hasKnowledgeAbove = false
        holeEnd = upper.lower
    }

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        switch (state, reply) {
        case (.beginning, .begin):
            epoch = sync.session?.epoch
            guard epoch != nil else { return .fail(.notConnected) }
            state = .pacing
            return sync.spendRequest() ?? count(&sync)
        case (.pacing, .paused): return count(&sync)
        case (.counting(let beginning), .read(.success(.count(let count)))):
            return ask(count, since: beginning)
        case (.counting, .read(.failure(let error))):
            sync.noteAttempt(in: channel, error)
            sync.endFetch(of: channel)
            return .fail(error)
        case (.asking(let beginning), .answer(let result)):
            defer { sync.endFetch(of: channel) }
            sync.noteAttempt(in: channel, reply.failure)
            guard case .success(.gap(let answer)) = result else {
                return .fail(reply)
            }
            return judge(answer, sync.news(of: channel, since: beginning), &sync)
        case (.committing(let verdict, let messages), .committed(.success(let commit))):
            for message in messages where message.requestID != nil {
                sync.noteDelivery(message)
            }
            return follow(verdict, commit, &sync)
        case (.pacingWalk(let place), .paused): return fetch(from: place, &sync)
        case (.walking(let place), .ended(.page(let statement, _))):
            if statement.reachesNewest { return .end(.gap(.reachedNewest)) }
            // The page may have met the coverage beyond it.
            state = .findingEnd(from: place, pageEnd: statement.range?.upper)
            return .need(.read(.coverage(channel, under: .everything)))
        case (
            .findingEnd(let place, let pageEnd), .read(.success(.coverage(let coverage)))
        ):
            let end = coverage.range(containing: place)?.upper ?? place
            // Some messages of a page that has met a known stretch were not missing.
            if let pageEnd, end > pageEnd { pages -= 1 }
            return walk(from: end, &sync)
        default: return .fail(reply)
        }
    }

    /// Counts the cached messages of the covered end's moment.
    ///
    /// Messages above the end, even of the same moment, were brought by filters. The server must
    /// not count them as known: it would report nothing missing, and nothing would cover them.
    private mutating func count(_ sync: inout SyncState) -> Step {
        guard sync.isPresent(epoch) else { return sync.returnRequest() }
        // From here on, so that the ledger notes a deletion after the count.
        state = .counting(since: sync.beginFetch(of: channel))
        return .need(.read(.messageCount(channel, from: known.createdAt, through: known)))
    }

    private mutating func ask(_ count: Int, since beginning: Int) -> Step {
        state = .asking(since: beginning)
        return .need(
            .ask(
                .gap(
                    MessageGap(
                        channelURL: channel, previous: nil,
                        next: .init(
                            start: known.createdAt, end: holeEnd?.createdAt ?? .distantFuture,
                            cachedCount: count),
                        filter: .everything, checksContinuity: true))))
    }

    private mutating func judge(
        _ answer: MessageGapAnswer, _ ledger: FetchLedger, _ sync: inout SyncState
    ) -> Step {
        guard sync.isPresent(epoch) else { return .fail(.notConnected) }
        guard !ledger.hasDeparture else { return .fail(.departed) }
        guard !ledger.hasLoss else { return .fail(.cleared) }
        let messages = answer.next.messages.filter { $0.channelURL == channel }
        let summary = GapAnswer(
            isHuge: answer.isHuge, positions: messages.compactMap(\.position),
            isContinuous: answer.next.isContinuous,
            // A bounded answer says nothing about the messages after the hole.
            hasMore: answer.next.hasMore || holeEnd != nil)
        let verdict = GapVerdict(
            summary, above: range, hasKnowledgeAbove: hasKnowledgeAbove,
            hasDeletions: ledger.hasDeletions)
        if holeEnd == nil { sync.session?.gapEnds[channel] = verdict == .complete ? known : nil }
        guard case .filled(let range, _) = verdict else { return follow(verdict, nil, &sync) }
        let upToDate = ledger.upToDate(messages.filter(\.hasPossibleTimes))
        sync.ledgers[channel]?.note(reactionsIn: upToDate, overtakenBy: ledger)
        state = .committing(verdict, upToDate)
        return .need(
            .commit(
                [.messages(channel, upToDate, covering: range)]
                    + ledger.mutations(amending: upToDate, in: channel)
                    + sync.firstCursor(of: channel), .catchUp))
    }

    private mutating func follow(
        _ verdict: GapVerdict, _ commit: Commit?, _ sync: inout SyncState
    ) -> Step {
        switch verdict {
        case .huge: return .end(.gap(.huge))
        case .filled(let range, reachesNewest: true):
            return reachNewest(at: commit?.coverageEnd(of: channel) ?? range.upper, &sync)
        case .complete: return reachNewest(at: known, &sync)
        case .filled(let range, reachesNewest: false): return walk(from: range.upper, &sync)
        case .pageForward: return walk(from: known, &sync)
        }
    }

    private func reachNewest(at end: Position, _ sync: inout SyncState) -> Step {
        if sync.isPresent(epoch) { sync.session?.noteEnd(of: channel, at: end) }
        return .end(.gap(.reachedNewest))
    }

    /// Fills in page by page until the newest message or the end of the hole is reached.
    private mutating func walk(from place: Position, _ sync: inout SyncState) -> Step {
        if let holeEnd, place >= holeEnd { return .end(.gap(.filledHole)) }
        guard pages < Self.silentLimit / Self.walkingPage else { return .end(.gap(.huge)) }
        guard sync.isPresent(epoch) else { return .fail(.notConnected) }
        pages += 1
        state = .pacingWalk(from: place)
        return sync.spendRequest() ?? fetch(from: place, &sync)
    }

    private mutating func fetch(from place: Position, _ sync: inout SyncState) -> Step {
        guard sync.isPresent(epoch) else { return sync.returnRequest() }
        state = .walking(from: place)
        let page = PageFetch(
            channel, .newer(than: place, limit: Self.walkingPage), knowing: holeEnd)
        return .need(.run(.page(page)))
    }
}
