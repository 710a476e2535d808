// SPDX-License-Identifier: Apache-2.0

// The fetch of a page of a channel's messages, and its storage with its coverage.
//
// An unfiltered page "with holes" was written while messages came or went; it is requested again. A
// page requested on a lost connection is dropped: events of the next one may have overtaken it
// unnoticed.

package import RoostModel
import RoostWire

/// The fetch of one page and its storage.
package struct PageFetch: SyncOperation {
    /// The most requests for a page whose answer states nothing.
    private static let attemptLimit = 3

    private enum State: Equatable, Codable, Sendable {
        case beginning
        case readingCoverage
        case pacing
        case fetching(since: Int, newestKnown: Position?)
        case committing(PageStatement, [Message], count: Int)
    }

    package let channel: ChannelURL
    package let question: PageQuestion
    package let filter: MessageFilter
    /// The stretch whose cached messages the page replaces, as far as the page reaches.
    ///
    /// A page that reaches the newest message replaces the rest of the stretch as well.
    package let replaced: CoveredRange?
    /// Whether the page is requested without a socket, with the key of the last login.
    package let isOffline: Bool
    /// A position that the cache covers.
    ///
    /// An unfiltered page that reaches the newest message reaches over it; a message there that the
    /// page lacks has been deleted.
    private let knownEnd: Position?
    /// Whether repeated requests count against the client's own limit, as the caller's first one.
    private let isPaced: Bool

    private var epoch: LinkMachine.Epoch?
    private var attempts = 0
    /// The number of rises of the coverages when the page was requested.
    private var rises = 0
    private var state = State.beginning

    package init(
        _ channel: ChannelURL, _ question: PageQuestion, under filter: MessageFilter = .everything,
        replacing replaced: CoveredRange? = nil, isOffline: Bool = false,
        knowing knownEnd: Position? = nil, isPaced: Bool = true
    ) {
        self.channel = channel
        self.question = question
        self.filter = filter
        self.replaced = replaced
        self.isOffline = isOffline
        self.knownEnd = knownEnd
        self.isPaced = isPaced
    }

    private var isFiltered: Bool { filter != .everything }

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        switch (state, reply) {
        case (.beginning, .begin):
            epoch = sync.session?.epoch
            return attempt(&sync)
        case (.pacing, .paused):
            guard sync.session?.epoch == epoch else { return sync.returnRequest() }
            return attempt(&sync)
        case (.readingCoverage, .read(.success(.coverage(let coverage)))):
            return ask(newestKnown: coverage.newest?.upper, &sync)
        case (.readingCoverage, _):
            giveBackRepeated(&sync)
            return .fail(reply)
        case (.fetching(let beginning, let newestKnown), .answer(let result)):
            defer { sync.endFetch(of: channel) }
            sync.noteAttempt(in: channel, reply.failure)
            guard case .success(.messages(let page)) = result else {
                return .fail(reply)
            }
            let ledger = sync.news(of: channel, since: beginning)
            return take(page, ledger, newestKnown, &sync)
        case (.committing(let statement, let messages, let count), .committed(let result)):
            guard case .success(let commit) = result else { return .fail(reply) }
            return finish(statement, messages, count, commit, &sync)
        default: return .fail(reply)
        }
    }

    private mutating func attempt(_ sync: inout SyncState) -> Step {
        attempts += 1
        guard isFiltered else { return ask(newestKnown: knownEnd, &sync) }
        state = .readingCoverage
        return .need(.read(.coverage(channel, under: filter)))
    }

    /// Requests the page again, unless it was requested too often.
    private mutating func repeatRequest(
        after error: RoostError, _ sync: inout SyncState
    ) -> Step {
        guard attempts < Self.attemptLimit else { return .fail(error) }
        guard isPaced, let pause = sync.spendRequest() else { return attempt(&sync) }
        state = .pacing
        return pause
    }

    /// Gives a repeated request that is not made back to the client's own limit.
    ///
    /// The first one was taken by the caller.
    private func giveBackRepeated(_ sync: inout SyncState) {
        if isPaced, attempts > 1 { sync.pacing.giveBack() }
    }

    private mutating func ask(newestKnown: Position?, _ sync: inout SyncState) -> Step {
        guard sync.session?.epoch == epoch, epoch != nil || isOffline else {
            giveBackRepeated(&sync)
            return .fail(.notConnected)
        }
        state = .fetching(since: sync.beginFetch(of: channel), newestKnown: newestKnown)
        rises = sync.session?.riseCount ?? 0
        let call = ListMessages(
            channelURL: channel, anchor: .time(question.anchor),
            previousLimit: question.olderLimit, nextLimit: question.newerLimit,
            includesAnchor: true, filter: filter, checksHasNext: true,
            checksContinuity: !isFiltered)
        return .need(.ask(.messages(call), epoch == nil ? .lastLogin : .connection))
    }

    private mutating func take(
        _ page: MessagePage, _ ledger: FetchLedger, _ newestKnown: Position?,
        _ sync: inout SyncState
    ) -> Step {
        guard sync.session?.epoch == epoch else { return .fail(.notConnected) }
        guard !ledger.hasDeparture else { return .fail(.departed) }
        let messages = page.messages.filter { $0.channelURL == channel }
        let statement = PageStatement(
            question: question, positions: messages.compactMap(\.position),
            hasNewer: page.hasNext, isContinuous: isFiltered || page.isContinuous ?? true,
            newestKnown: newestKnown)
        guard let range = statement.range else {
            return repeatRequest(after: .holes, &sync)
        }
        // A message that came live behind this answer's end is gone from the cache.
        if ledger.hasLoss, statement.reachesNewest { return repeatRequest(after: .cleared, &sync) }
        let possible = messages.filter(\.hasPossibleTimes)
        let upToDate =
            isFiltered
            ? ledger.upToDate(possible, under: filter, in: range) : ledger.upToDate(possible)
        let mutations =
            forgotten(by: statement, range)
            + [.messages(channel, upToDate, covering: range, under: filter)]
            + ledger.mutations(amending: upToDate, in: channel) + sync.firstCursor(of: channel)
        sync.ledgers[channel]?.note(reactionsIn: upToDate, overtakenBy: ledger)
        state = .committing(statement, upToDate, count: messages.count)
        return .need(.commit(mutations, .page))
    }

    private func forgotten(by statement: PageStatement, _ range: CoveredRange) -> [Mutation] {
        guard let replaced else { return [] }
        let upper = statement.reachesNewest ? max(range.upper, replaced.upper) : range.upper
        return [
            .forgotten(
                channel, CoveredRange(lower: min(range.lower, replaced.lower), upper: upper))
        ]
    }

    private mutating func finish(
        _ statement: PageStatement, _ messages: [Message], _ count: Int, _ commit: Commit?,
        _ sync: inout SyncState
    ) -> Step {
        for message in messages where message.requestID != nil {
            sync.noteDelivery(message)
        }
        guard statement.reachesNewest, !isFiltered, sync.isPresent(epoch),
            let range = statement.range
        else { return .end(.page(statement, messages: count)) }
        let risen = sync.session?.risenEnd(of: channel, since: rises)
        let end = commit?.coverageEnd(of: channel) ?? max(range.upper, risen ?? range.upper)
        // A message that came live behind the page went out of the cache before the commit.
        if let risen, risen > end { return repeatRequest(after: .cleared, &sync) }
        sync.session?.noteEnd(of: channel, at: end)
        return .end(.page(statement, messages: count))
    }
}

extension RoostError {
    static let cleared = RoostError(
        .requestFailed, remedy: .retry,
        message: "The cache lost messages while the server's answer was on its way; try again.")

    static let holes = RoostError(
        .malformedData, remedy: .retry,
        message: "The server's pages of this channel have holes; try again.")
}
