// SPDX-License-Identifier: Apache-2.0

// Catching up: after each login the change log of the user's channels, and for every open timeline
// its channel's change log, then the gap question. Live events arrive from the first moment and
// meet the answers in the store, so no interval is missed (scar 3).

package import RoostModel

/// The requests for a catch-up of a channel that came while one was running.
package enum CatchUpWish: Comparable, Codable, Sendable {
    case nothing
    /// A timeline needed the server, and may no longer when the running catch-up has ended.
    case ifNeeded
    /// A change log has to be read again, or the user has returned.
    case anyway
}

/// Work that is retried until it succeeds, cannot succeed, or the connection is lost; it also waits
/// for a disk that refuses (scar 47).
///
/// The waits between the attempts grow up to a minute. A new connection restarts them and ends the
/// wait: the link itself limits how often that happens.
package struct Retrying: SyncOperation {
    private enum State: Equatable, Codable, Sendable { case beginning, working, waiting }

    /// The work that is retried.
    package enum Work: Equatable, Codable, Sendable {
        /// The channel's unsent messages wait for the work, but not for the pauses.
        case channel(ChannelURL)
        /// The update of the channel list with a number (`ChannelListUpdates`).
        case channels(Int)
        case lookUp(ChannelURL)

        fileprivate var operation: Operation {
            switch self {
            case .channel(let channel): .channelUpdate(ChannelUpdate(channel))
            case .channels: .listsUpdate(ListsUpdate())
            case .lookUp(let channel): .lookUp(ChannelLookUp(channel))
            }
        }
    }

    package let work: Work
    private var epoch: LinkMachine.Epoch?
    private var failures = 0
    private var state = State.beginning

    package init(_ work: Work) { self.work = work }

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        let step = decide(reply, &sync)
        if case .channels(let number) = work, case .end = step {
            sync.channelListUpdates.end(number)
        }
        return step
    }

    private mutating func decide(_ reply: Reply, _ sync: inout SyncState) -> Step {
        switch (state, reply) {
        case (.beginning, .begin): return begin(&sync)
        case (.working, .ended(.failed(let error))): return fail(error, &sync)
        case (.working, .ended):
            if sync.isPresent(epoch) { return .end(.done) }
            failures = 0
            return begin(&sync)
        case (.waiting, .paused):
            if case .channel(let channel) = work { sync.moveOutbox(.hold(channel)) }
            return begin(&sync)
        default: return .fail(reply)
        }
    }

    /// Whether a later update of the channel list does the same work.
    private func isReplaced(_ sync: SyncState) -> Bool {
        guard case .channels(let number) = work else { return false }
        return sync.channelListUpdates.hasLater(than: number)
    }

    private mutating func begin(_ sync: inout SyncState) -> Step {
        if isReplaced(sync) { return .end(.done) }
        guard let session = sync.session else { return .fail(.notConnected) }
        epoch = session.epoch
        state = .working
        switch work {
        case .channel(let channel): sync.restingCatchUps.end(channel)
        case .channels(let number): sync.channelListUpdates.wait(number, until: nil)
        case .lookUp: break
        }
        return .need(.run(work.operation))
    }

    private mutating func fail(_ error: RoostError, _ sync: inout SyncState) -> Step {
        if isReplaced(sync) { return .fail(error) }
        guard sync.isPresent(epoch) else {
            failures = 0
            return begin(&sync)
        }
        if error.code.endsSessionKey { return .fail(error) }
        if !error.mayPassWithDisk { failures += 1 }
        // Callers of a look-up get an answer after the first attempt; the retries continue.
        if case .lookUp(let channel) = work { sync.wakeAll(.lookUp(channel), nil) }
        guard error.remedy == .retry || error.mayPassWithDisk else { return .fail(error) }
        state = .waiting
        let wait = Backoff.patient.wait(
            beforeAttempt: max(failures, 1), entropy: sync.random.next())
        switch work {
        case .channel(let channel):
            // The user's own messages do not wait for those of others.
            sync.moveOutbox(.release(channel))
            sync.restingCatchUps.begin(channel, until: sync.now + wait)
            sync.noteCatchUps()
        case .channels(let number):
            sync.channelListUpdates.wait(number, until: sync.now + wait)
        case .lookUp: break
        }
        return .need(.pause(wait, .retry))
    }
}

/// The catch-up of one channel, repeated while requests for it come meanwhile.
package struct CatchUp: SyncOperation {
    private enum State: Equatable, Codable, Sendable { case beginning, working }

    package let channel: ChannelURL
    private var state = State.beginning

    package init(_ channel: ChannelURL) { self.channel = channel }

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        switch (state, reply) {
        case (.beginning, .begin): return begin(&sync)
        case (.working, .ended):
            let wish = sync.catchUps.removeValue(forKey: channel) ?? .nothing
            sync.restingCatchUps.end(channel)
            defer { sync.noteCatchUps() }
            sync.moveOutbox(.release(channel))
            // A mute in the cache may have ended meanwhile.
            sync.start(.muteCheck(MuteCheck(channel, onlyIfKnown: true)))
            let isNeeded = wish == .anyway || wish == .ifNeeded && sync.needsServer(channel)
            guard sync.session != nil, isNeeded else {
                sync.session?.finishedCatchUps += 1
                for timeline in sync.timelines.ids(of: channel) {
                    sync.endArrival(at: timeline, reply.failure)
                }
                return .end(.done)
            }
            sync.catchUps[channel] = .nothing
            return begin(&sync)
        default: return .fail(reply)
        }
    }

    private mutating func begin(_ sync: inout SyncState) -> Step {
        sync.moveOutbox(.hold(channel))
        state = .working
        return .need(.run(.retrying(Retrying(.channel(channel)))))
    }
}

/// One round of a catch-up: the channel's change log, then its timelines, which get the result.
package struct ChannelUpdate: SyncOperation {
    /// The most immediate repetitions for messages that came meanwhile.
    private static let roundLimit = 5

    private enum State: Equatable, Codable, Sendable {
        case beginning
        case readingChanges
        case synchronizing(rest: [TimelineID])
    }

    package let channel: ChannelURL
    /// The reason why the change log was not read; the missing messages are fetched all the same.
    private var failure: RoostError?
    private var rounds = 0
    private var state = State.beginning

    package init(_ channel: ChannelURL) { self.channel = channel }

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        switch (state, reply) {
        case (.beginning, .begin):
            state = .readingChanges
            return .need(.run(.changeLog(ChangeLogReading(.messageChanges(channel)))))
        case (.readingChanges, .ended):
            failure = reply.failure
            return beginRound(&sync)
        case (.synchronizing(let rest), .ended(.done)): return goOn(with: rest, &sync)
        default:
            failure = reply.error
            return finish(&sync)
        }
    }

    private mutating func beginRound(_ sync: inout SyncState) -> Step {
        rounds += 1
        return goOn(with: sync.timelines.ids(of: channel), &sync)
    }

    private mutating func goOn(with timelines: [TimelineID], _ sync: inout SyncState) -> Step {
        if let next = timelines.first {
            state = .synchronizing(rest: Array(timelines.dropFirst()))
            return .need(.run(.timeline(TimelineSynchronization(next, .catchingUp))))
        }
        // Live messages that came meanwhile may have opened a hole behind the answer.
        guard rounds < Self.roundLimit, sync.needsServer(channel) else { return finish(&sync) }
        return beginRound(&sync)
    }

    private func finish(_ sync: inout SyncState) -> Step {
        for timeline in sync.timelines.ids(of: channel) {
            sync.report(failure, to: timeline)
            sync.endArrival(at: timeline, failure)
        }
        return failure.map { .fail($0) } ?? .end(.done)
    }
}

/// The change log of the user's channels and the first page of each open list, which gets the
/// result; then the rest of the channels.
package struct ListsUpdate: SyncOperation {
    private enum State: Equatable, Codable, Sendable {
        case beginning
        case readingChanges
        case pacing(ListID, rest: [ListID])
        case synchronizing(rest: [ListID])
        case filling
    }

    private var epoch: LinkMachine.Epoch?
    private var state = State.beginning

    package init() {}

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        switch (state, reply) {
        case (.beginning, .begin):
            epoch = sync.session?.epoch
            state = .readingChanges
            return .need(.run(.changeLog(ChangeLogReading(.channelChanges))))
        case (.readingChanges, .ended(.done)):
            if sync.isPresent(epoch) { sync.session?.isChannelLogRead = true }
            sync.emitPending()
            return goOn(with: sync.lists.ids, &sync)
        case (.pacing(let list, let rest), .paused): return synchronize(list, rest, &sync)
        case (.synchronizing(let rest), .ended(.done)): return goOn(with: rest, &sync)
        case (.filling, .ended(.done)): return .end(.done)
        case (.filling, _): return .fail(reply)
        default:
            return fail(reply.error, &sync)
        }
    }

    private mutating func goOn(with lists: [ListID], _ sync: inout SyncState) -> Step {
        guard let next = lists.first else {
            sync.endCatchUpOfLists(nil)
            state = .filling
            return .need(.run(.fill(ListFill())))
        }
        guard sync.isPresent(epoch) else { return fail(.notConnected, &sync) }
        let rest = Array(lists.dropFirst())
        state = .pacing(next, rest: rest)
        return sync.spendRequest() ?? synchronize(next, rest, &sync)
    }

    private mutating func synchronize(
        _ list: ListID, _ rest: [ListID], _ sync: inout SyncState
    ) -> Step {
        guard sync.isPresent(epoch) else {
            sync.pacing.giveBack()
            return fail(.notConnected, &sync)
        }
        state = .synchronizing(rest: rest)
        return .need(.run(.list(ListSynchronization(list))))
    }

    private func fail(_ error: RoostError, _ sync: inout SyncState) -> Step {
        sync.endCatchUpOfLists(error)
        return .fail(error)
    }
}

extension SyncState {
    /// Catches one channel up; during a catch-up of it, further requests wait for its end.
    package mutating func catchUp(_ channel: ChannelURL, _ wish: CatchUpWish) {
        if let earlier = catchUps[channel] {
            catchUps[channel] = max(earlier, wish)
            return
        }
        catchUps[channel] = .nothing
        start(.catchUp(CatchUp(channel)))
    }

    /// Updates the user's channels and the open lists from the server.
    package mutating func catchUpChannels() {
        start(.retrying(Retrying(.channels(channelListUpdates.begin()))))
    }

    /// Whether a channel is being caught up without waiting for a retry.
    package var isCatchingUp: Bool { catchUps.count > restingCatchUps.count }

    /// Lets the work behind the catch-ups go on once no channel is being caught up.
    fileprivate mutating func noteCatchUps() {
        guard !isCatchingUp else { return }
        wakeDownloads()
        fillHoles()
    }

    func needsServer(_ channel: ChannelURL) -> Bool {
        timelines.ids(of: channel).contains { timelines[$0]?.list.needsServer == true }
    }
}

extension RoostError.Code {
    /// Whether the server no longer accepts the session key, so that the client logs in again.
    var endsSessionKey: Bool { self == .sessionKeyExpired || self == .sessionKeyNotFound }
}
