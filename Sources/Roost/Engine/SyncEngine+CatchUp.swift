// SPDX-License-Identifier: Apache-2.0

import RoostCore
import RoostModel
import RoostStore
import RoostWire

// Catching up: after each connection the change log of the user's channels, and for every open
// timeline its channel's change log, then the question what is missing. Live events flow from the
// first moment and meet the answers in the store, so no interval is blind (scar 3).

extension SyncEngine {
    /// How often a catch-up looks again at once for what has come meanwhile.
    static let roundLimit = 5
    /// The waits between the tries of a catch-up: 1...2 s at first, 30...60 s at last.
    private static let backoff = Backoff(
        interval: .seconds(2), maxInterval: .seconds(60), multiplier: 2, retryCount: -1)

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
            try await engine.catchUpChannelsTelling()
        }
    }

    /// Does work until it succeeds, cannot succeed, or the connection is lost for good; a disk that cannot be
    /// written now is waited for as well (scar 47).
    ///
    /// The waits between the tries grow up to a minute. A new connection begins anew, and does not wait for the
    /// rest of a pause: the link itself bounds how often there is one.
    ///
    /// - Parameters:
    ///   - channel: The channel whose unsent messages wait for the work, but not for the pauses.
    ///   - failed: Called after each failed try, before the pause.
    ///   - work: One try.
    /// - Returns: Whether it succeeded.
    @discardableResult
    func persistently(
        for channel: ChannelURL?,
        failed: (isolated SyncEngine, RoostError) -> Void = { _, _ in },
        _ work: (SyncEngine) async throws(RoostError) -> Void
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
                failed(self, error)
                guard error.remedy == .retry || error.mayPassWithDisk else { return false }
                // What the user wrote does not wait for what others wrote.
                if let channel {
                    await outbox?.receive(.release(channel))
                    catchUpsBackingOff += 1
                }
                await backOff(
                    for: Self.backoff.wait(
                        beforeAttempt: max(failures, 1), entropy: world.entropy()))
                if let channel {
                    catchUpsBackingOff -= 1
                    await outbox?.receive(.hold(channel))
                }
            }
        }
        return false
    }

    /// Waits before the next try; work that does so does not keep the engine from being idle.
    private func backOff(for duration: Duration) async {
        backingOff += 1
        await resumeIdleWaiters()
        await pause(for: duration)
        backingOff -= 1
    }

    /// Waits until the engine may make one more request by itself.
    ///
    /// - Throws: `.connectionRequired` when the connection was lost or replaced meanwhile.
    func takeTurn() async throws(RoostError) {
        guard let session else { throw .notConnected }
        sync.now = world.wallTime()
        guard let wait = sync.takeTurn() else { return }
        await pause(for: wait)
        guard isPresent(session) else {
            sync.pacing.giveBack()
            throw .notConnected
        }
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
                guard let end = sync.session?.gapEnds[change.channel],
                    change.deleted.contains(where: { $0.isCounted(upTo: end) })
                else { continue }
                sync.session?.gapEnds[change.channel] = nil
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
        for _ in 0..<Self.roundLimit {
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
            try await takeTurn()
            let statement = try await loadPage(
                PageFetch(timeline.channel, question, under: page.filter)
            ).statement
            try await timeline.show(page, statement)
            // A live message may have overtaken the page, and stand alone above what it brought, or few of
            // it pass the filter.
            guard let rest = await timeline.questionForRest(of: page) else { return }
            try await takeTurn()
            let more = try await loadPage(
                PageFetch(timeline.channel, rest, under: timeline.filter)
            ).statement
            try await timeline.show(page, more)
        case .checkGap(let known):
            try await fillGap(of: timeline, page, from: known)
        }
    }

    func isPresent(_ session: Session) -> Bool { sync.isPresent(session.epoch) }
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
