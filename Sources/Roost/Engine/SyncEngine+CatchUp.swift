// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostStore
import RoostWire

// Catching up: after each connection the change log of the user's channels, and for every open
// timeline its channel's change log, then the question what is missing. Live events flow from the
// first moment and meet the answers in the store, so no interval is blind (scar 3).

extension SyncEngine {
    /// How often a catch-up is tried again on one connection.
    private static let retryLimit = 5

    /// Wishes for a catch-up that came while one was under way.
    enum CatchUpWish: Comparable {
        case none
        /// A timeline needed the server, and may not any more when the running one has ended.
        case ifNeeded
        /// A change log has to be read again, or the user is back.
        case anyway
    }

    /// Catches one channel up; while it runs, further wishes wait for its end.
    func catchUp(_ channel: ChannelURL, _ wish: CatchUpWish = .anyway) {
        if let earlier = catchUps[channel] {
            catchUps[channel] = max(earlier, wish)
            return
        }
        catchUps[channel] = CatchUpWish.none
        run { engine in await engine.runCatchUp(of: channel) }
    }

    private func runCatchUp(of channel: ChannelURL) async {
        await outbox?.receive(.hold(channel))
        await persistently(for: channel) { engine throws(RoostError) in
            try await engine.catchUpTelling(channel)
        }
        let wish = catchUps.removeValue(forKey: channel)
        await outbox?.receive(.release(channel))
        await checkMute(in: channel)
        guard isOnline, let wish, wish > .none else { return }
        if wish == .ifNeeded, await !needsServer(channel) { return }
        catchUp(channel)
    }

    /// Brings a timeline that was just opened up to the server.
    func synchronizeOpening(_ timeline: Timeline, _ round: Int) async {
        let channel = timeline.channel
        do {
            try await applyMessageChanges(of: channel)
            try await synchronize(timeline, .opening)
            await timeline.endOpening(round, nil)
            await checkMute(in: channel)
        } catch {
            await timeline.endOpening(round, error)
            // The disk's answer stays on screen; a failure that may pass is tried again.
            if isOnline, error.remedy == .retry || error.mayPassWithDisk { catchUp(channel) }
        }
    }

    /// The change log of the user's channels, then the first page of each open list.
    func catchUpChannels() async {
        await persistently(for: nil) { engine throws(RoostError) in
            let asked = await engine.session
            try await engine.applyChannelChanges()
            await engine.endChannelLog(of: asked)
            for list in await engine.openLists { try await list.synchronize() }
            try await engine.fillChannelList()
        }
    }

    /// Does work until it succeeds, cannot succeed, or has failed too often on one connection; a disk
    /// that cannot be written now is waited for, however long that takes (scar 47).
    ///
    /// A new connection begins anew, and does not wait for the rest of a pause.
    ///
    /// - Returns: Whether it succeeded.
    @discardableResult
    func persistently(
        for channel: ChannelURL?, _ work: (SyncEngine) async throws(RoostError) -> Void
    ) async -> Bool {
        var failures = 0
        while let session {
            do throws(RoostError) {
                try await work(self)
                if isPresent(session) { return true }
                failures = 0
            } catch {
                await renewSession(after: error)
                guard isPresent(session) else {
                    failures = 0
                    continue
                }
                if !error.mayPassWithDisk { failures += 1 }
                guard error.remedy == .retry || error.mayPassWithDisk,
                    failures <= Self.retryLimit,
                    let wait = Backoff.standard.delay(
                        beforeAttempt: max(failures, 1), entropy: world.entropy())
                else { return false }
                // What the user wrote does not wait for what others wrote.
                if let channel { await outbox?.receive(.release(channel)) }
                await pause(for: wait)
                if let channel { await outbox?.receive(.hold(channel)) }
            }
        }
        return false
    }

    /// Waits; the next connection ends it early.
    func pause(for duration: Duration) async {
        let clock = world.clock
        let pause = Task(executorPreference: world.executor) {
            // Ended early or late, the loop looks at the connection again.
            _ = try? await clock.sleep(for: duration)
        }
        pauses.append(pause)
        await pause.value
        pauses.removeAll { $0 == pause }
    }

    // MARK: Timelines

    /// Catches open timelines up where a commit says that what they were told is not all.
    func follow(_ commit: Commit) {
        guard isOnline, !timelines.isEmpty else { return }
        for change in commit.changes {
            switch change {
            case .channels(let change):
                for channel in change.joined where !openTimelines(of: channel).isEmpty {
                    catchUp(channel)
                }
            case .messages(let change):
                guard let end = gapEnds[change.channel],
                    change.deleted.contains(where: { $0.isCounted(upTo: end) })
                else { continue }
                gapEnds[change.channel] = nil
                if !openTimelines(of: change.channel).isEmpty { catchUp(change.channel) }
            case .users: break
            }
        }
    }

    func catchUpMessages(of channel: ChannelURL) async throws(RoostError) {
        var failure: RoostError?
        do throws(RoostError) {
            try await applyMessageChanges(of: channel)
        } catch {
            failure = error  // What is missing can be asked for all the same.
        }
        // Live messages that come meanwhile may open a hole behind the answer: look again then.
        for _ in 0..<Self.retryLimit {
            for timeline in openTimelines(of: channel) {
                try await synchronize(timeline, .catchingUp)
            }
            guard await needsServer(channel) else { break }
        }
        if let failure { throw failure }
    }

    private func needsServer(_ channel: ChannelURL) async -> Bool {
        for timeline in openTimelines(of: channel) where await timeline.needsServer { return true }
        return false
    }

    private func synchronize(
        _ timeline: Timeline, _ occasion: TimelineSync.Occasion
    ) async throws(RoostError) {
        let (question, page) = await timeline.nextSync(occasion)
        let sync = TimelineSync(question)
        journal.note(timeline.channel, .sync(sync)) { .sync(channel: $0, question) }
        switch sync {
        case .nothing: break
        case .load(let question):
            let statement = try await loadPage(timeline.channel, question, page.filter)
            try await timeline.show(page, statement)
            // A live message may have overtaken the page, and stand alone above what it brought, or few of
            // it pass the filter.
            guard let rest = await timeline.questionForRest(of: page) else { return }
            let more = try await loadPage(timeline.channel, rest, timeline.filter)
            try await timeline.show(page, more)
        case .checkGap(let known):
            try await fillGap(of: timeline, page, from: known)
        }
    }

    // MARK: Change logs

    /// The place from which a channel's changes have to be read later, when it has none yet: the
    /// server's time of this login, which is before anything this connection has brought (scar 2).
    func firstCursor(of channel: ChannelURL, _ session: Session) -> [Mutation] {
        firstCursor(of: channel, before: nil, since: session.login.loginAt)
    }

    /// The same where a message is not of this connection, as the answer to a repeated send: what became
    /// of it happened after it was written.
    func firstCursor(
        of channel: ChannelURL, before message: Message?, since loginAt: Timestamp?
    ) -> [Mutation] {
        guard let loginAt else { return [] }
        let moment = max(min(loginAt, message?.createdAt ?? loginAt), .beginning)
        return [.firstCursor(.messageChanges(channel), .moment(moment))]
    }

    /// The place from which the list's changes have to be read later, when it has none yet: before
    /// anything this process has brought, by whatever connection and however late.
    var firstListCursor: [Mutation] {
        guard let firstLoginAt else { return [] }
        return [.firstCursor(.channelChanges, .moment(firstLoginAt))]
    }

    func cursor(_ key: CursorKey) async throws(RoostError) -> Cursor? {
        do { return try await reader.cursor(key).value } catch { throw RoostError(error) }
    }

    private func applyMessageChanges(of channel: ChannelURL) async throws(RoostError) {
        try await readChanges(.messageChanges(channel)) {
            (engine, cursor, sessionKey) throws(RoostError) in
            let beginning = engine.ledgers[channel, default: FetchLedger()].begin()
            defer { engine.endFetch(of: channel) }
            let changes = try await engine.api.call(
                MessageChangeLog(
                    channelURL: channel, cursor: ChangeLogCursor(cursor),
                    filter: .everything), sessionKey: sessionKey)
            let deleted = changes.deleted.map(\.id)
            // Reactions carry no time of the message's own: news that overtook the answer counts.
            let ledger = engine.news(of: channel, since: beginning)
            guard !ledger.hasDeparture else { throw .departed }
            let updated = ledger.upToDate(changes.updated)
            for message in updated { engine.ledgers[channel]?.note(editOf: message) }
            for id in deleted { engine.ledgers[channel]?.note(deletionOf: id) }
            engine.noteRead(updated, deleted, in: channel)
            var mutations: [Mutation] = updated.map { .edited($0) }
            mutations += ledger.mutations(amending: updated, in: channel)
            if !deleted.isEmpty { mutations.append(.deleted(channel, deleted)) }
            return ChangePage(mutations: mutations, next: changes.next, hasMore: changes.hasMore)
        }
    }

    private func noteRead(_ edited: [Message], _ deleted: [MessageID], in channel: ChannelURL) {
        if changesRead[channel] == nil { changesRead[channel, default: FetchLedger()].begin() }
        for message in edited { changesRead[channel]?.note(editOf: message) }
        for id in deleted { changesRead[channel]?.note(deletionOf: id) }
    }

    private func applyChannelChanges() async throws(RoostError) {
        try await readChanges(.channelChanges) {
            (engine, cursor, sessionKey) throws(RoostError) in
            let mark = engine.channelLedger.begin()
            defer { engine.channelLedger.end() }
            let changes = try await engine.api.call(
                ChannelChangeLog(
                    userID: engine.me, cursor: ChangeLogCursor(cursor), showsEmpty: true),
                sessionKey: sessionKey)
            let (fresh, stale) = engine.channelLedger.parted(
                changes.updated, since: mark)
            let unsure = changes.deleted.filter {
                engine.channelLedger.isUnsure($0, since: mark)
            }
            var mutations: [Mutation] = changes.deleted.filter { !unsure.contains($0) }
                .map { .removeChannel($0) }
            if !fresh.isEmpty { mutations.append(.channels(fresh)) }
            // Other answers on their way may be older than this one.
            for url in fresh.map(\.url) + unsure { engine.channelLedger.note(changeOf: url) }
            for url in changes.deleted where !unsure.contains(url) {
                engine.noteDeparture(from: url)
            }
            return ChangePage(
                mutations: mutations, next: changes.next, hasMore: changes.hasMore,
                isWhole: stale.isEmpty && unsure.isEmpty, answeredAt: changes.timestamp)
        }
    }

    private struct ChangePage {
        let mutations: [Mutation]
        let next: String
        let hasMore: Bool
        /// Some of it was overtaken by news and is not stored: the cursor must stay before it.
        var isWhole = true
        /// By the clock of whoever answered.
        var answeredAt: Timestamp?
    }

    /// Reads a change log to its end; each page and its cursor are one transaction (scars 6, 7).
    private func readChanges(
        _ key: CursorKey,
        _ fetch: (isolated SyncEngine, Cursor, String) async throws(RoostError) -> ChangePage
    ) async throws(RoostError) {
        guard let session else { throw .notConnected }
        // What is set back from here on is read from there, whatever has been read meanwhile.
        let rewound = rewindings[key] ?? Rewindings()
        guard var cursor = try await cursor(key) else {
            // A channel's log begins with its first message on disk.
            guard key == .channelChanges, !firstListCursor.isEmpty else { return }
            try await commit(firstListCursor, from: .changeLog)
            return
        }
        var mark = readMark(at: cursor, of: key)
        var overtaken = 0
        while true {
            let page: ChangePage
            do throws(RoostError) {
                page = try await fetch(self, cursor, session.login.sessionKey)
            } catch {
                // The server knows this token no longer: begin again where nothing can be missed.
                guard case .token = cursor, error.code == .invalidValue, isPresent(session),
                    let moment = try await beginning(of: key)
                else { throw error }
                guard isUnmoved(key, since: rewound) else {
                    return try await readChanges(key, fetch)
                }
                cursor = .moment(moment)
                mark.moment = moment
                try await commit([.cursor(key, cursor)], from: .changeLog)
                continue
            }
            guard isPresent(session) else { throw .notConnected }
            guard page.isWhole else {
                if !page.mutations.isEmpty {
                    try await commit(page.mutations, from: .changeLog)
                }
                overtaken += 1
                guard overtaken <= Self.retryLimit else { throw .overtaken }
                continue
            }
            guard isUnmoved(key, since: rewound) else {
                if !page.mutations.isEmpty { try await commit(page.mutations, from: .changeLog) }
                return try await readChanges(key, fetch)
            }
            if let moment = page.answeredAt { mark.heard = mark.heard.map { min($0, moment) } }
            let next = page.next.isEmpty ? cursor : .token(page.next)
            mark.cursor = page.hasMore ? next : placeToResume(behind: mark) ?? next
            if !page.mutations.isEmpty || mark.cursor != cursor {
                try await commit(page.mutations + [.cursor(key, mark.cursor)], from: .changeLog)
            }
            readMarks[key] = mark
            guard page.hasMore else { return }
            guard next != cursor else {  // Or we would ask for ever (scar 141).
                throw RoostError(
                    .malformedData, remedy: .none,
                    message: "The server's change log repeats itself. "
                        + "What it said so far is kept.")
            }
            cursor = next
        }
    }

    func isPresent(_ session: Session) -> Bool { self.session?.epoch == session.epoch }
}

extension ChannelsChange {
    /// The channels whose member the user is again, or at last: the server told nothing of them before.
    fileprivate var joined: [ChannelURL] {
        inserted.filter { $0.myState == .joined }.map(\.url)
            + updated.filter { $0.before.myState != .joined && $0.after.myState == .joined }
            .map(\.after.url)
    }
}

extension Message {
    /// Whether it was among those of a known end's moment that the question about a gap counts.
    fileprivate func isCounted(upTo end: Position) -> Bool {
        position.map { $0.createdAt == end.createdAt && $0 <= end } ?? false
    }
}

extension RoostError {
    /// Whoever came back meanwhile may ask again; whoever did not is refused by the server then.
    static let departed = RoostError(
        .notAMember, remedy: .retry,
        message: "The channel was left while this was on its way.")

    static let notConnected = RoostError(
        .connectionRequired, remedy: .retry, message: "There is no connection right now.")

    fileprivate static let overtaken = RoostError(
        .requestFailed, remedy: .retry,
        message: "More happened in the channels than their change log could follow; try again.")
}

extension ChangeLogCursor {
    init(_ cursor: Cursor) {
        switch cursor {
        case .moment(let moment): self = .since(moment)
        case .token(let token): self = .token(token)
        }
    }
}
