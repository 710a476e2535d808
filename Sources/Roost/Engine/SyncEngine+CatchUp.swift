// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostStore
import RoostWire

// Catching up: after each connection the change log of the user's channels, and for every open
// timeline its channel's change log, then the question what is missing. Live events flow from the
// first moment and meet the answers in the store, so no interval is blind (scar 3).

extension SyncEngine {
    /// Messages asked for at once when pages are walked; the server gives at most 200.
    private static let walkingPage = 100
    /// Missing messages that are filled without a word (R113).
    private static let silentLimit = 300
    /// How often a catch-up that fails on a live connection is tried again.
    private static let retryLimit = 5

    /// Catches one channel up; a second wish during the work runs it once more.
    func catchUp(_ channel: ChannelURL) {
        if catchUps[channel] != nil {
            catchUps[channel] = true
            return
        }
        catchUps[channel] = false
        run { engine in await engine.runCatchUp(of: channel) }
    }

    private func runCatchUp(of channel: ChannelURL) async {
        var attempt = 0
        while let session {
            catchUps[channel] = false
            await outbox?.receive(.hold(channel))
            do {
                try await catchUpMessages(of: channel)
                attempt = 0
                if catchUps[channel] == false { break }
            } catch {
                // With another connection the work begins anew; without one it ends here.
                guard isPresent(session) else { continue }
                attempt += 1
                guard error.remedy == .retry, attempt <= Self.retryLimit,
                    let wait = Backoff.standard.delay(
                        beforeAttempt: attempt, entropy: world.entropy())
                else { break }
                // What the user wrote does not wait for what others wrote.
                await outbox?.receive(.release(channel))
                guard (try? await world.clock.sleep(for: wait)) != nil else { break }
            }
        }
        await outbox?.receive(.release(channel))
        if catchUps.removeValue(forKey: channel) == true, isOnline { catchUp(channel) }
    }

    private func catchUpMessages(of channel: ChannelURL) async throws(RoostError) {
        try await applyMessageChanges(of: channel)
        for timeline in openTimelines(of: channel) { try await synchronize(timeline, .catchingUp) }
    }

    /// Brings a timeline that was just opened up to the server.
    func synchronizeOpening(_ timeline: Timeline) async {
        do {
            try await applyMessageChanges(of: timeline.channel)
            try await synchronize(timeline, .opening)
        } catch {
            // The disk's answer stays on screen; the connection that replaces this one asks again.
            if isOnline, error.remedy == .retry { catchUp(timeline.channel) }
        }
    }

    private func synchronize(
        _ timeline: Timeline, _ occasion: TimelineSync.Occasion
    ) async throws(RoostError) {
        switch await timeline.nextSync(occasion) {
        case .nothing: break
        case .load(let question):
            try await timeline.showOpening(try await loadPage(timeline.channel, question))
            // A live message may have overtaken the page, and stand alone above what it brought.
            guard let rest = await timeline.questionForRest else { return }
            try await timeline.showOpening(try await loadPage(timeline.channel, rest))
        case .checkGap(let known): try await fillGap(of: timeline, from: known)
        }
    }

    // MARK: Pages

    /// Fetches a page, stores it with what it states, and returns the statement.
    func loadPage(
        _ channel: ChannelURL, _ question: PageQuestion
    ) async throws(RoostError) -> PageStatement {
        let page = try await fetching(channel) { (engine, session) throws(RoostError) in
            try await engine.api.call(
                ListMessages(
                    channelURL: channel,
                    anchor: .time(question.anchor), previousLimit: question.olderLimit,
                    nextLimit: question.newerLimit, includesAnchor: true,
                    filter: MessageFilter(replyType: .all), checksHasNext: true,
                    checksContinuity: true),
                sessionKey: session.login.sessionKey)
        } store: { page, upToDate in
            let statement = PageStatement(
                question: question, positions: page.messages.compactMap(\.position),
                hasNewer: page.hasNext, isContinuous: page.isContinuous ?? true)
            return (
                statement,
                [.messages(channel, upToDate(page.messages), covering: statement.range)]
            )
        }
        return page
    }

    /// Asks what is missing after a known end, and fills it or tells the timeline.
    private func fillGap(of timeline: Timeline, from known: Position) async throws(RoostError) {
        let channel = timeline.channel
        let cachedCount: Int
        do {
            cachedCount = try await reader.messageCount(
                in: channel, from: known.createdAt, through: .distantFuture
            ).value
        } catch {
            throw RoostError(error)
        }
        let hasKnowledgeAbove = await timeline.hasKnowledgeAbove
        let verdict = try await fetching(channel) { (engine, session) throws(RoostError) in
            try await engine.api.call(
                MessageGap(
                    channelURL: channel, previous: nil,
                    next: .init(
                        start: known.createdAt, end: .distantFuture, cachedCount: cachedCount),
                    filter: MessageFilter(replyType: .all), checksContinuity: true),
                sessionKey: session.login.sessionKey)
        } store: { answer, upToDate in
            let messages = answer.next.messages.sorted {
                ($0.position ?? known) < ($1.position ?? known)
            }
            let verdict = GapVerdict(
                from: known, isHuge: answer.isHuge, positions: messages.compactMap(\.position),
                hasKnowledgeAbove: hasKnowledgeAbove)
            guard case .filled(let range) = verdict else { return (verdict, []) }
            return (verdict, [.messages(channel, upToDate(messages), covering: range)])
        }
        switch verdict {
        case .huge: await timeline.showHugeGap()
        case .filled, .complete: await timeline.reachedServer()
        case .pageForward: try await walkForward(timeline)
        }
    }

    /// Fills page by page until the timeline's range meets the newest message.
    private func walkForward(_ timeline: Timeline) async throws(RoostError) {
        for _ in 0..<(Self.silentLimit / Self.walkingPage) {
            guard let end = await timeline.knownEnd else { return }
            let statement = try await loadPage(
                timeline.channel, .newer(than: end, limit: Self.walkingPage))
            if statement.reachesNewest { return await timeline.reachedServer() }
        }
        await timeline.showHugeGap()
    }

    /// Fetches something of a channel and stores it, unless the connection changed meanwhile.
    private func fetching<Answer: Sendable, Outcome: Sendable>(
        _ channel: ChannelURL,
        _ fetch: (isolated SyncEngine, Session) async throws(RoostError) -> Answer,
        store: (Answer, ([Message]) -> [Message]) -> (Outcome, [Mutation])
    ) async throws(RoostError) -> Outcome {
        guard let session else { throw .notConnected }
        ledgers[channel, default: FetchLedger()].begin()
        defer {
            ledgers[channel]?.end()
            if ledgers[channel]?.isEmpty ?? false { ledgers[channel] = nil }
        }
        let answer = try await fetch(self, session)
        let cursor = try await firstCursor(of: channel, session)
        guard isPresent(session) else { throw .notConnected }
        // From here to the commit's place in the queue nothing may come between, or a deletion could
        // slip in that the ledger has not told yet.
        let ledger = ledgers[channel] ?? FetchLedger()
        let (outcome, mutations) = store(answer) { ledger.upToDate($0) }
        try await commit(mutations + cursor)
        await settle(mutations)
        return outcome
    }

    /// What the page brought of the user's own: the outbox need not send it again.
    private func settle(_ mutations: [Mutation]) async {
        for case .messages(_, let messages, _) in mutations {
            for requestID in messages.compactMap(\.requestID) {
                await outbox?.receive(.delivered(requestID))
            }
        }
    }

    // MARK: Change logs

    /// The place from which a channel's changes have to be read later, when it has none yet: the
    /// server's time of this login, which is before anything this connection has brought (scar 2).
    func firstCursor(
        of channel: ChannelURL, _ session: Session
    ) async throws(RoostError) -> [Mutation] {
        guard let loginAt = session.login.loginAt, try await cursor(.messageChanges(channel)) == nil
        else { return [] }
        return [.cursor(.messageChanges(channel), .moment(loginAt))]
    }

    private func cursor(_ key: CursorKey) async throws(RoostError) -> Cursor? {
        do { return try await reader.cursor(key).value } catch { throw RoostError(error) }
    }

    private func applyMessageChanges(of channel: ChannelURL) async throws(RoostError) {
        guard var cursor = try await cursor(.messageChanges(channel)) else { return }
        while true {
            guard let session else { throw .notConnected }
            let changes = try await api.call(
                MessageChangeLog(
                    channelURL: channel, cursor: ChangeLogCursor(cursor),
                    filter: MessageFilter(replyType: .all)),
                sessionKey: session.login.sessionKey)
            guard isPresent(session) else { throw .notConnected }
            let deleted = changes.deleted.map(\.id)
            for id in deleted { ledgers[channel]?.note(deletionOf: id) }
            let next = Cursor.token(changes.next)
            try await commit(
                changes.updated.map { .edited($0) } + [
                    .deleted(channel, deleted), .cursor(.messageChanges(channel), next),
                ])
            guard changes.hasMore else { return }
            try Self.checkProgress(from: cursor, to: next)
            cursor = next
        }
    }

    /// The change log of the user's channels, then the first page of each open list.
    func catchUpChannels() async {
        do {
            try await applyChannelChanges()
            for list in openLists { try await list.synchronize() }
        } catch {
            // The disk's answer stays on screen; the next connection asks again.
        }
    }

    private func applyChannelChanges() async throws(RoostError) {
        guard let session else { throw .notConnected }
        guard var cursor = try await cursor(.channelChanges) else {
            guard let loginAt = session.login.loginAt else { return }
            try await commit([.cursor(.channelChanges, .moment(loginAt))])
            return
        }
        while true {
            let changes = try await api.call(
                ChannelChangeLog(userID: me, cursor: ChangeLogCursor(cursor), showsEmpty: true),
                sessionKey: session.login.sessionKey)
            guard isPresent(session) else { throw .notConnected }
            let next = Cursor.token(changes.next)
            try await commit(
                [.channels(changes.updated)] + changes.deleted.map { .removeChannel($0) }
                    + [.cursor(.channelChanges, next)])
            guard changes.hasMore else { return }
            try Self.checkProgress(from: cursor, to: next)
            cursor = next
        }
    }

    /// A server that says "more" and names the same place again would keep us asking for ever (141).
    private static func checkProgress(from cursor: Cursor, to next: Cursor) throws(RoostError) {
        guard cursor == next else { return }
        throw RoostError(
            .malformedData, remedy: .none,
            message: "The server's change log repeats itself. What it said so far is kept.")
    }

    func isPresent(_ session: Session) -> Bool { self.session?.epoch == session.epoch }
}

extension RoostError {
    static let notConnected = RoostError(
        .connectionRequired, remedy: .retry, message: "There is no connection right now.")
}

extension ChangeLogCursor {
    init(_ cursor: Cursor) {
        switch cursor {
        case .moment(let moment): self = .since(moment)
        case .token(let token): self = .token(token)
        }
    }
}
