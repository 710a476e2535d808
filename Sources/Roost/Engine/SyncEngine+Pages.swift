// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostStore
import RoostWire

// Pages and gap answers: what the server states about stretches of history.

extension SyncEngine {
    /// Messages asked for at once when pages are walked; the server gives at most 200.
    private static let walkingPage = 100
    /// Missing messages that are filled without a word (R113).
    private static let silentLimit = 300
    /// How often a page is asked for whose answer states nothing.
    private static let pageAttempts = 3

    /// Fetches a page, stores it with what it states, and returns the statement.
    ///
    /// When nothing is filtered, a page "with holes" is one that was written while messages came or went;
    /// it is asked for again.
    /// `offlineKey` is that of the last session, for a page that is wanted without a socket.
    @discardableResult
    func loadPage(
        _ channel: ChannelURL, _ question: PageQuestion, _ filter: MessageFilter = .everything,
        offlineKey: String? = nil
    ) async throws(RoostError) -> PageStatement {
        try await loadPage(
            channel, question, filter, offlineKey: offlineKey, replacing: nil
        ).statement
    }

    /// The same, and how many messages came.
    ///
    /// With `replaced` the page takes the place of all that is cached in its own range and before it in
    /// `replaced`; one that reaches the newest message takes the place of the rest of `replaced` as well.
    func loadPage(
        _ channel: ChannelURL, _ question: PageQuestion, _ filter: MessageFilter = .everything,
        offlineKey: String? = nil, replacing replaced: CoveredRange?
    ) async throws(RoostError) -> (statement: PageStatement, count: Int) {
        let isFiltered = filter != .everything
        let asked = session?.epoch
        for _ in 0..<Self.pageAttempts {
            let newestKnown =
                isFiltered ? try await coverage(of: channel, under: filter).newest?.upper : nil
            let (statement, count) = try await fetching(channel, as: .page, offlineKey: offlineKey)
            {
                (engine, key) throws(RoostError) in
                try await engine.api.call(
                    ListMessages(
                        channelURL: channel, anchor: .time(question.anchor),
                        previousLimit: question.olderLimit, nextLimit: question.newerLimit,
                        includesAnchor: true, filter: filter, checksHasNext: true,
                        checksContinuity: !isFiltered),
                    sessionKey: key)
            } store: { page, ledger in
                let messages = page.messages.filter { $0.channelURL == channel }
                let answer = PageAnswer(
                    question, positions: messages.compactMap(\.position), hasNewer: page.hasNext,
                    isContinuous: isFiltered || page.isContinuous ?? true,
                    newestKnown: newestKnown)
                let statement = PageStatement(answer)
                journal.note(channel, .page(statement)) { .page(channel: $0, answer) }
                guard let range = statement.range else { return ((statement, 0), []) }
                let forgotten = replaced.map { replaced in
                    let upper =
                        statement.reachesNewest ? max(range.upper, replaced.upper) : range.upper
                    return Mutation.forgotten(
                        channel,
                        CoveredRange(lower: min(range.lower, replaced.lower), upper: upper))
                }
                let possible = possible(messages, in: channel)
                let upToDate =
                    isFiltered
                    ? ledger.upToDate(possible, under: filter, in: range)
                    : ledger.upToDate(possible)
                return (
                    (statement, messages.count),
                    (forgotten.map { [$0] } ?? [])
                        + [.messages(channel, upToDate, covering: range, under: filter)]
                        + ledger.mutations(amending: upToDate, in: channel)
                )
            }
            guard statement.range != nil else { continue }
            if statement.reachesNewest, !isFiltered, asked != nil, session?.epoch == asked {
                caughtUp.insert(channel)
            }
            return (statement, count)
        }
        throw RoostError(
            .malformedData, remedy: .retry,
            message: "The server's pages of this channel have holes in them; try again.")
    }

    /// Asks what is missing after a known end, and fills it or tells the timeline.
    func fillGap(
        of timeline: Timeline, _ page: Timeline.FirstPage, from known: Position
    ) async throws(RoostError) {
        let channel = timeline.channel
        let asked = session?.epoch
        let hasKnowledgeAbove = await timeline.hasKnowledgeAbove
        let verdict = try await fetching(channel, as: .catchUp) {
            (engine, key) throws(RoostError) in
            // Counted here, so that the ledger hears of what is deleted behind the count.
            let cachedCount = try await engine.cachedCount(in: channel, through: known)
            return try await engine.api.call(
                MessageGap(
                    channelURL: channel, previous: nil,
                    next: .init(
                        start: known.createdAt, end: .distantFuture, cachedCount: cachedCount),
                    filter: .everything, checksContinuity: true),
                sessionKey: key)
        } store: { answer, ledger in
            let messages = answer.next.messages.filter { $0.channelURL == channel }
            let told = GapAnswer(
                isHuge: answer.isHuge, positions: messages.compactMap(\.position),
                isContinuous: answer.next.isContinuous, hasMore: answer.next.hasMore)
            let isDisturbed = hasKnowledgeAbove || ledger.hasDeletions
            let verdict = GapVerdict(told, from: known, isDisturbed: isDisturbed)
            journal.note(channel, .gap(verdict)) {
                .gap(channel: $0, told, from: known, isDisturbed: isDisturbed)
            }
            gapEnds[channel] = verdict == .complete ? known : nil
            guard case .filled(let range, _) = verdict else { return (verdict, []) }
            let upToDate = ledger.upToDate(possible(messages, in: channel))
            return (
                verdict,
                [.messages(channel, upToDate, covering: range)]
                    + ledger.mutations(amending: upToDate, in: channel)
            )
        }
        switch verdict {
        case .huge: await timeline.showHugeGap(page)
        case .filled(_, reachesNewest: true), .complete:
            if session?.epoch == asked { caughtUp.insert(channel) }
            await timeline.reachedServer(page)
        case .filled(let range, reachesNewest: false):
            try await walkForward(timeline, page, from: range.upper)
        case .pageForward: try await walkForward(timeline, page, from: known)
        }
    }

    /// How many messages of a place's very moment are cached up to it.
    ///
    /// What lies above, be it of the same moment, was brought by filters, and the server must not take it for
    /// known: then it would have nothing to tell, and nobody would cover it.
    private func cachedCount(
        in channel: ChannelURL, through known: Position
    ) async throws(RoostError) -> Int {
        do {
            return try await reader.messageCount(
                in: channel, from: known.createdAt, through: known
            ).value
        } catch {
            throw RoostError(error)
        }
    }

    /// Fills page by page until the newest message is met.
    private func walkForward(
        _ timeline: Timeline, _ page: Timeline.FirstPage, from known: Position
    ) async throws(RoostError) {
        var end = known
        for _ in 0..<(Self.silentLimit / Self.walkingPage) {
            try await takeTurn()
            let statement = try await loadPage(
                timeline.channel, .newer(than: end, limit: Self.walkingPage))
            if statement.reachesNewest { return await timeline.reachedServer(page) }
            // What the page brought may have met what was known beyond it.
            end = try await coverage(of: timeline.channel).range(containing: end)?.upper ?? end
        }
        await timeline.showHugeGap(page)
    }

    /// Leaves out the messages of impossible times, and notes each in the journal.
    func possible(_ messages: [Message], in channel: ChannelURL) -> [Message] {
        messages.filter { message in
            if !message.hasPossibleTimes { journal.came("refused message", about: channel) }
            return message.hasPossibleTimes
        }
    }

    func coverage(
        of channel: ChannelURL, under filter: MessageFilter = .everything
    ) async throws(RoostError) -> Coverage {
        do {
            return try await reader.coverage(of: channel, under: filter).value
        } catch {
            throw RoostError(error)
        }
    }

    /// Fetches something of a channel and stores it, unless the connection changed meanwhile.
    private func fetching<Answer: Sendable, Outcome: Sendable>(
        _ channel: ChannelURL, as origin: ChangeOrigin, offlineKey: String? = nil,
        _ fetch: (isolated SyncEngine, _ sessionKey: String) async throws(RoostError) -> Answer,
        store: (Answer, FetchLedger) -> (Outcome, [Mutation])
    ) async throws(RoostError) -> Outcome {
        let asked = session
        guard let key = asked?.login.sessionKey ?? offlineKey else { throw .notConnected }
        let beginning = ledgers[channel, default: FetchLedger()].begin()
        defer { endFetch(of: channel) }
        let answer: Answer
        do throws(RoostError) {
            answer = try await fetch(self, key)
            noteAttempt(in: channel, nil)
        } catch {
            noteAttempt(in: channel, error)
            throw error
        }
        guard session?.epoch == asked?.epoch else { throw .notConnected }
        // From here to the commit's place in the queue nothing may come between, or a deletion could
        // slip in that the ledger has not told yet.
        let ledger = news(of: channel, since: beginning)
        guard !ledger.hasDeparture else { throw .departed }
        let (outcome, mutations) = store(answer, ledger)
        if !mutations.isEmpty {
            let cursor = asked.map { firstCursor(of: channel, $0) } ?? []
            try await commit(mutations + cursor, from: origin)
        }
        await settle(mutations)
        return outcome
    }

    /// What overtook the answer of a fetch.
    func news(of channel: ChannelURL, since beginning: Int) -> FetchLedger {
        ledgers[channel]?.since(beginning) ?? FetchLedger()
    }

    func endFetch(of channel: ChannelURL) {
        ledgers[channel]?.end()
        if ledgers[channel]?.isEmpty ?? false { ledgers[channel] = nil }
    }

    /// What was stored of the user's own: the outbox need not send it again.
    private func settle(_ mutations: [Mutation]) async {
        for case .messages(_, let messages, _, _) in mutations {
            for message in messages where message.requestID != nil {
                await outbox?.delivered(message)
            }
        }
    }
}

extension FetchLedger {
    /// What overtook messages on their way, to be committed behind them.
    func mutations(amending messages: [Message], in channel: ChannelURL) -> [Mutation] {
        amendments(to: messages).map { id, amendment in
            switch amendment {
            case .reaction(let change): .reacted(channel, id, change)
            case .thread(let info): .replied(channel, id, info)
            case .poll(let change): .polled(channel, id, change)
            }
        }
    }
}
