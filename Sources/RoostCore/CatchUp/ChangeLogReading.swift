// SPDX-License-Identifier: Apache-2.0

// Reading of a change log to its end.
//
// Each page and its cursor are one transaction (scars 6, 7). A page that events have overtaken is
// stored without its cursor and requested again. A cursor that was rewound meanwhile keeps its new
// place, and the reading restarts there. A place that the server refuses is replaced by an earlier
// moment, so that no change is missed. A page is left out if another process has moved the cursor
// since.

import RoostModel
import RoostWire

/// The reading of one change log from its cursor to its end.
package struct ChangeLogReading: SyncOperation {
    /// The most pages in a row that events may overtake.
    private static let overtakenLimit = 5

    private enum State: Equatable, Codable, Sendable {
        case beginning
        case readingCursor
        case committingFirstCursor
        /// Searches for a moment to begin at, because the cursor is unusable.
        case findingBeginning(Repair)
        case committingBeginning(Repair)
        case pacing
        case fetching(Fetch)
        /// A page without its cursor; the same page is requested again.
        case committingOvertaken
        /// A page without its cursor, because the cursor was rewound; the reading restarts.
        case committingRewound
        case committingPage(ChangeLogPlace, Continuation)
    }

    /// The continuation after a page is on disk.
    private enum Continuation: Equatable, Codable, Sendable {
        case nextPage
        case end
        /// The server's pages make no progress; without this end the requests would never end (scar
        /// 141).
        case stall
    }

    /// The reason why a cursor is unusable.
    private enum Repair: Equatable, Codable, Sendable {
        /// It is in the future of the server's own clock: all changes until then would be skipped.
        case ahead(Cursor)
        /// The server no longer accepts it.
        case refused(RoostError)
    }

    /// The marks of a request in flight.
    private enum Fetch: Equatable, Codable, Sendable {
        case messages(ChannelURL, since: Int)
        case channels(ChannelLedger.Mark)
    }

    package let key: CursorKey
    private var epoch: LinkMachine.Epoch?
    private var state = State.beginning
    private var rewound = Rewindings()
    private var place = ChangeLogPlace(cursor: .moment(.beginning))
    private var overtaken = 0
    /// The places of pages whose cursor another process had moved meanwhile.
    private var displaced: Set<Cursor> = []
    private var walk = PageWalk<Cursor, ChangedItem>(from: nil)

    package init(_ key: CursorKey) { self.key = key }

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        switch (state, reply) {
        case (.beginning, .begin): return begin(&sync)
        case (.readingCursor, .read(.success(.cursor(let cursor)))):
            return choosePlace(cursor, &sync)
        case (.findingBeginning(let repair), .read(.success(.moment(let moment)))):
            return beginAnew(at: moment.map { max($0, .beginning) }, repair, &sync)
        case (.committingFirstCursor, .committed(.success)): return .end(.done)
        case (.committingBeginning(.ahead), .committed(.success)):
            return fetchNext(from: place.cursor, place, &sync)
        case (.committingBeginning(.refused), .committed(.success)): return pace(&sync)
        case (.pacing, .paused): return fetch(&sync)
        case (.fetching(let fetch), .answer(let result)): return take(result, fetch, &sync)
        case (.committingOvertaken, .committed(.success)):
            return overtaken > Self.overtakenLimit ? .fail(.overtaken) : pace(&sync)
        case (.committingRewound, .committed(.success)): return begin(&sync)
        case (.committingPage(let place, let continuation), .committed(.success(let commit))):
            if commit != nil { return goOn(place, continuation, &sync) }
            // Another process has moved the cursor, maybe back (scar 57). It may read the same log,
            // so each place is tried once more only: then at least one of the two goes on.
            guard displaced.insert(self.place.cursor).inserted else { return .fail(.overtaken) }
            return begin(&sync)
        default: return .fail(reply)
        }
    }
}

// MARK: - The place

extension ChangeLogReading {
    private mutating func begin(_ sync: inout SyncState) -> Step {
        guard let session = sync.session else { return .fail(.notConnected) }
        epoch = session.epoch
        // A cursor that is rewound from here on is read from its new place, whatever has been read
        // meanwhile.
        rewound = sync.rewindings[key] ?? Rewindings()
        overtaken = 0
        state = .readingCursor
        return .need(.read(.cursor(key)))
    }

    private mutating func choosePlace(_ cursor: Cursor?, _ sync: inout SyncState) -> Step {
        guard let cursor else {
            // A channel's log begins with its first message on disk.
            let first = sync.firstListCursor
            guard key == .channelChanges, !first.isEmpty else { return .end(.done) }
            state = .committingFirstCursor
            return .need(.commit(first, .changeLog))
        }
        if case .moment(let moment) = cursor, let clock = sync.session?.frameClock,
            clock.isAhead(moment, now: sync.now)
        {
            return findBeginning(.ahead(cursor), &sync)
        }
        return fetchNext(from: cursor, sync.logPlace(at: cursor, of: key), &sync)
    }

    private mutating func fetchNext(
        from cursor: Cursor, _ place: ChangeLogPlace, _ sync: inout SyncState
    ) -> Step {
        self.place = place
        walk = PageWalk(from: cursor)
        return pace(&sync)
    }

    private mutating func findBeginning(_ repair: Repair, _ sync: inout SyncState) -> Step {
        state = .findingBeginning(repair)
        switch key {
        // Channels are few: their log is read from its beginning.
        case .channelChanges, .channelFill: return beginAnew(at: .beginning, repair, &sync)
        // Every change of a cached message is later than the oldest cached message.
        case .messageChanges(let channel): return .need(.read(.oldestMessage(channel)))
        }
    }

    /// Replaces an unusable cursor by a moment; nil if the cache has no data of the log.
    private mutating func beginAnew(
        at moment: Timestamp?, _ repair: Repair, _ sync: inout SyncState
    ) -> Step {
        switch (repair, moment) {
        case (.ahead(let cursor), nil):
            return fetchNext(from: cursor, sync.logPlace(at: cursor, of: key), &sync)
        case (.refused(let error), nil): return .fail(error)
        case (.ahead, let moment?):
            place = sync.logPlace(at: .moment(moment), of: key)
        case (.refused, let moment?):
            guard sync.isUnmoved(key, since: rewound) else { return begin(&sync) }
            (place.cursor, place.moment) = (.moment(moment), moment)
        }
        state = .committingBeginning(repair)
        return .need(.commit([.cursor(key, place.cursor)], .changeLog))
    }
}

// MARK: - Pages

extension ChangeLogReading {
    private mutating func pace(_ sync: inout SyncState) -> Step {
        guard sync.isPresent(epoch) else { return .fail(.notConnected) }
        state = .pacing
        return sync.spendRequest() ?? fetch(&sync)
    }

    private mutating func fetch(_ sync: inout SyncState) -> Step {
        guard sync.isPresent(epoch) else {
            return sync.returnRequest()
        }
        let cursor = ChangeLogCursor(place.cursor)
        switch key {
        case .messageChanges(let channel):
            state = .fetching(.messages(channel, since: sync.beginFetch(of: channel)))
            return .need(
                .ask(
                    .messageChanges(
                        MessageChangeLog(channelURL: channel, cursor: cursor, filter: .everything)))
            )
        case .channelChanges, .channelFill:
            state = .fetching(.channels(sync.channelLedger.begin()))
            return .need(
                .ask(
                    .channelChanges(
                        ChannelChangeLog(userID: sync.me, cursor: cursor, showsEmpty: true))))
        }
    }

    private mutating func take(
        _ result: Answered<ServerAnswer>, _ fetch: Fetch, _ sync: inout SyncState
    ) -> Step {
        if case .success = result, let epoch, !sync.isPresent(epoch) {
            // The records of its connection are gone, so nothing tells which events have overtaken
            // this answer. Nor may it correct answers of the next connection.
            end(fetch, &sync)
            return .fail(.notConnected)
        }
        let page: ChangePage
        switch (fetch, result) {
        case (.messages(let channel, let beginning), .success(.messageChanges(let changes))):
            let ledger = sync.news(of: channel, since: beginning)
            page = sync.accept(changes, in: channel, ledger)
            sync.endFetch(of: channel)
            if ledger.hasDeparture { return .fail(.departed) }
        case (.channels(let asked), .success(.channelChanges(let changes))):
            page = sync.accept(changes, since: asked)
            sync.channelLedger.end()
        case (_, .failure(let error)):
            end(fetch, &sync)
            return recover(from: error, &sync)
        default:
            end(fetch, &sync)
            return .fail(.outOfStep)
        }
        return store(page, &sync)
    }

    private func end(_ fetch: Fetch, _ sync: inout SyncState) {
        switch fetch {
        case .messages(let channel, _): sync.endFetch(of: channel)
        case .channels: sync.channelLedger.end()
        }
    }

    /// Restarts from an early moment if the server no longer accepts the token.
    private mutating func recover(from error: RoostError, _ sync: inout SyncState) -> Step {
        guard case .token = place.cursor, error.code == .invalidValue,
            sync.isPresent(epoch)
        else { return .fail(error) }
        guard walk.mayBeginAgain() else { return .fail(.stalled) }
        return findBeginning(.refused(error), &sync)
    }

    private mutating func store(_ page: ChangePage, _ sync: inout SyncState) -> Step {
        guard page.isWhole else {
            overtaken += 1
            return commitWithoutCursor(page, .committingOvertaken, &sync)
        }
        guard sync.isUnmoved(key, since: rewound) else {
            return commitWithoutCursor(page, .committingRewound, &sync)
        }
        var place = place
        if let moment = page.answeredAt {
            place.framesUntil = place.framesUntil.map { min($0, moment) }
        }
        let before = place.cursor
        let next = page.next.isEmpty ? before : .token(page.next)
        place.cursor = page.hasMore ? next : sync.placeToResume(behind: place) ?? next
        let continuation: Continuation =
            !page.hasMore ? .end : walk.goesOn(to: next, after: page.items) ? .nextPage : .stall
        guard !page.mutations.isEmpty || place.cursor != before else {
            return goOn(place, continuation, &sync)
        }
        state = .committingPage(place, continuation)
        return .need(
            .commit(
                page.mutations + [.cursor(key, place.cursor)], .changeLog,
                unless: .cursorMoved(key, from: before)))
    }

    private mutating func goOn(
        _ place: ChangeLogPlace, _ continuation: Continuation, _ sync: inout SyncState
    ) -> Step {
        sync.logPlaces[key] = place
        self.place = place
        switch continuation {
        case .nextPage: return pace(&sync)
        case .end: return .end(.done)
        case .stall: return .fail(.stalled)
        }
    }

    private mutating func commitWithoutCursor(
        _ page: ChangePage, _ state: State, _ sync: inout SyncState
    ) -> Step {
        self.state = state
        guard page.mutations.isEmpty else { return .need(.commit(page.mutations, .changeLog)) }
        return resume(.committed(.success(nil)), &sync)
    }
}
