// SPDX-License-Identifier: Apache-2.0

// The calls of an app on an inbox, and the fetches behind them.

package import RoostModel
import RoostWire

/// The place at which a new inbox begins.
package enum InboxStart: Hashable, Codable, Sendable { case now, beginning }

/// The opening of an inbox: it is made if it does not exist, and on disk at the end.
package struct InboxOpening: SyncOperation {
    /// The most by which the clocks of a service's machines may differ.
    private static let clockSlackMS: Int64 = 2_000
    /// The channels with the newest messages, of which few are as new as the inbox.
    private static let newestChannels = 200

    private enum State: Equatable, Codable, Sendable { case beginning, clearing, reading, marking }

    private let inbox: String
    private let start: InboxStart
    private var state = State.beginning

    package init(of inbox: String, from start: InboxStart) {
        self.inbox = inbox
        self.start = start
    }

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        switch (state, reply) {
        case (.beginning, .begin):
            if sync.isClosed { return .fail(.clientClosed) }
            if sync.outbox.hasInbox(inbox) { return .end(.done) }
            guard sync.outbox.hasRemains(of: inbox) else { return begin(&sync) }
            // Old marks would hide the messages before them.
            state = .clearing
            return .need(.run(.inboxRemoval(InboxRemoval(of: inbox))))
        case (.clearing, .ended(.done)): return begin(&sync)
        case (.reading, .read(.success(.channels(let list)))):
            let newest = list.channels.compactMap(\.lastMessage?.createdAt).max()
            let now = sync.session?.frameClock?.until ?? newest ?? .beginning
            let beginning = max(now.advanced(by: -Self.clockSlackMS), .beginning)
            // Messages as new as the beginning were there before the inbox.
            let marks = list.channels.compactMap { channel -> InboxMarking.Mark? in
                guard let last = channel.lastMessage?.position, last.createdAt >= beginning else {
                    return nil
                }
                return InboxMarking.Mark(channel.url, last)
            }
            return mark(marks, beginningAt: beginning)
        case (.marking, .ended(.done)): return .end(.done)
        default: return .fail(reply)
        }
    }

    private mutating func begin(_ sync: inout SyncState) -> Step {
        if start == .beginning { return mark([], beginningAt: .beginning) }
        // Only the server knows the time.
        guard sync.session != nil else { return .fail(.notConnected) }
        state = .reading
        return .need(
            .read(.channels(.everything, .latestLastMessage, limit: Self.newestChannels)))
    }

    /// Writes the marks of channels, and the beginning last: only then the inbox exists.
    private mutating func mark(_ marks: [InboxMarking.Mark], beginningAt moment: Timestamp) -> Step
    {
        state = .marking
        let place = Position(createdAt: moment, messageID: MessageID(.min))
        let beginning = InboxMarking.Mark(InboxPlace.noChannel, place)
        return .need(.run(.inboxMarking(InboxMarking(marks + [beginning], in: inbox))))
    }
}

/// The beginning of a reader, which takes the place of an earlier reader of the inbox.
package struct InboxReaderOpening: SyncOperation {
    private let id: InboxID
    private let inbox: String

    package init(_ id: InboxID, of inbox: String) {
        self.id = id
        self.inbox = inbox
    }

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        guard case .begin = reply else { return .fail(reply) }
        if sync.isClosed { return .fail(.clientClosed) }
        var marks = sync.outbox.marks(of: inbox)
        guard let beginning = marks.removeValue(forKey: InboxPlace.noChannel) else {
            return .fail(.noSuchInbox)
        }
        for earlier in sync.inboxes.ids where sync.inboxes[earlier]?.name == inbox {
            // A later reader has taken the place of this one already.
            guard earlier < id else { return .fail(.inboxBusy) }
            sync.close(earlier)
        }
        sync.inboxes.open(
            OpenInbox(id, inbox, beginningAt: beginning, marks: marks), as: id)
        return .end(.done)
    }
}

/// The wait for the next message of an inbox; ends without one when the reader is closed.
package struct InboxTaking: SyncOperation {
    /// The pause after a read that the disk refused, and the number of refusals until the end.
    private static let pause = Duration.seconds(5)
    private static let patience = 12

    private enum State: Equatable, Codable, Sendable {
        case beginning
        case listing
        case looking
        case pausing
        case waiting
    }

    private let id: InboxID
    private var refusals = 0
    private var state = State.beginning

    package init(_ id: InboxID) { self.id = id }

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        let step = decide(reply, &sync)
        // A second call during this one ended in its first step and changes nothing.
        if case .end = step, state != .beginning { sync.inboxes[id]?.isTaking = false }
        return step
    }

    private mutating func decide(_ reply: Reply, _ sync: inout SyncState) -> Step {
        guard sync.inboxes[id] != nil else { return .end(.done) }
        switch (state, reply) {
        case (.beginning, .begin):
            guard sync.inboxes[id]?.isTaking == false else { return .fail(.inboxBusy) }
            sync.inboxes[id]?.isTaking = true
            return goOn(&sync)
        case (.listing, .read(.success(.channels(let list)))):
            refusals = 0
            sync.inboxes[id]?.list(list.channels)
            // A look comes before another reading, so that messages are handed over however often
            // another process commits.
            return look(&sync) ?? goOn(&sync)
        case (.looking, .read(.success(.window(let window)))):
            refusals = 0
            sync.endLook(window, of: id)
            return goOn(&sync)
        case (.listing, .read(.failure(let error))), (.looking, .read(.failure(let error))):
            sync.inboxes[id]?.abandonLook()
            if state == .listing { sync.inboxes[id]?.abandonListing() }
            refusals += 1
            guard refusals < Self.patience else { return .fail(error) }
            state = .pausing
            return .need(.pause(Self.pause, .retry))
        case (.pausing, .paused), (.waiting, .woken): return goOn(&sync)
        default: return .fail(reply)
        }
    }

    private mutating func goOn(_ sync: inout SyncState) -> Step {
        if let message = sync.inboxes[id]?.takeMessage() {
            state = .waiting
            return .end(.message(message))
        }
        guard sync.inboxes[id]?.isListed == true else {
            sync.inboxes[id]?.beginListing()
            state = .listing
            return .need(.read(.everyChannel))
        }
        if let step = look(&sync) { return step }
        state = .waiting
        return .need(.wait(.inbox(id)))
    }

    /// Looks at the next channel; nil if none waits.
    private mutating func look(_ sync: inout SyncState) -> Step? {
        guard let query = sync.inboxes[id]?.beginLook() else { return nil }
        state = .looking
        return .need(.read(.window(query)))
    }
}

/// The fetch of the messages that a channel of an inbox lacks, or of its changes.
package struct InboxFetch: SyncOperation {
    /// The messages of a page; the server gives at most 200.
    private static let pageSize = 100

    private enum State: Equatable, Codable, Sendable {
        case beginning
        case pacing(after: Position)
        case fetching(after: Position)
        case checking
        case resting
    }

    private let id: InboxID
    private let channel: ChannelURL
    private let need: InboxNeed
    private let isStalled: Bool
    private var epoch: LinkMachine.Epoch?
    private var state = State.beginning

    package init(_ id: InboxID, _ channel: ChannelURL, _ need: InboxNeed, isStalled: Bool = false) {
        self.id = id
        self.channel = channel
        self.need = need
        self.isStalled = isStalled
    }

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        switch (state, reply) {
        case (.beginning, .begin): return begin(&sync)
        case (.pacing(let place), .paused): return fetch(after: place, &sync)
        case (.fetching(let place), .ended(.page(let statement, _))):
            let movesOn = statement.range.map { $0.upper > place } ?? false
            if movesOn { sync.pacing.giveBack() }
            return end(movesOn: movesOn, &sync)
        case (.checking, .ended(.done)): return end(isChecked: true, &sync)
        case (.resting, .paused):
            sync.inboxes[id]?.endRest(of: channel)
            sync.advance(id)
            return .end(.done)
        default: return fail(reply.error, &sync)
        }
    }

    private mutating func begin(_ sync: inout SyncState) -> Step {
        epoch = sync.session?.epoch
        guard epoch != nil else { return fail(.notConnected, &sync) }
        if isStalled { return fail(.stalled, &sync) }
        switch need {
        case .changes:
            state = .checking
            return .need(.run(.changeLog(ChangeLogReading(.messageChanges(channel)))))
        case .page(let place):
            state = .pacing(after: place)
            return sync.spendRequest() ?? fetch(after: place, &sync)
        }
    }

    private mutating func fetch(after place: Position, _ sync: inout SyncState) -> Step {
        guard sync.isPresent(epoch) else {
            sync.pacing.giveBack()
            return fail(.notConnected, &sync)
        }
        state = .fetching(after: place)
        return .need(.run(.page(PageFetch(channel, .newer(than: place, limit: Self.pageSize)))))
    }

    private func end(
        isChecked: Bool = false, movesOn: Bool = false, _ sync: inout SyncState
    ) -> Step {
        // A check on a lost connection may be out of date again.
        let isChecked = isChecked && sync.isPresent(epoch)
        sync.inboxes[id]?.endFetch(of: channel, isChecked: isChecked, movesOn: movesOn)
        sync.advance(id)
        return .end(.done)
    }

    private mutating func fail(_ error: RoostError, _ sync: inout SyncState) -> Step {
        guard sync.isPresent(epoch) else { return end(&sync) }
        if error.remedy == .retry || error.mayPassWithDisk || error.code.endsSessionKey {
            guard let failures = sync.inboxes[id]?.restFetch(of: channel) else {
                return .end(.done)
            }
            let wait = Backoff.patient.wait(beforeAttempt: failures, entropy: sync.random.next())
            state = .resting
            sync.advance(id)
            return .need(.pause(wait, .retry))
        }
        // Without the log the cached messages are the best that is known.
        if need == .changes { return end(isChecked: true, &sync) }
        sync.inboxes[id]?.refuseFetch(of: channel)
        sync.advance(id)
        return .end(.done)
    }
}

extension SyncState {
    /// Begins the fetches that an inbox needs, and wakes its reader if there is something to do.
    mutating func advance(_ id: InboxID) {
        while session != nil, let next = inboxes[id]?.beginFetch() {
            start(
                .inboxFetch(
                    InboxFetch(id, next.channel, next.need, isStalled: next.isStalled)))
        }
        if inboxes[id]?.hasWork == true { wakeAll(.inbox(id), nil) }
    }

    fileprivate mutating func endLook(_ window: CacheWindow, of id: InboxID) {
        guard let channel = inboxes[id]?.channelInSight else { return }
        inboxes[id]?.endLook(
            window, me: me, liveEnd: session?.liveEnds[channel],
            isConnected: session != nil)
        advance(id)
    }

    /// Looks at every channel of the open inboxes, because a connection has begun.
    mutating func beginInboxSession() {
        for id in inboxes.ids {
            inboxes[id]?.beginSession()
            advance(id)
        }
    }

    /// Looks at channels of the open inboxes again, because messages may be missing; nil stands for
    /// all channels.
    mutating func lookForMessages(in channel: ChannelURL?) {
        for id in inboxes.ids {
            if let channel {
                inboxes[id]?.look(at: channel, isUrgent: true)
            } else {
                inboxes[id]?.lookAgain()
            }
            advance(id)
        }
    }

    /// Passes a commit to the open inboxes.
    mutating func deliverToInboxes(_ commit: Commit) {
        for id in inboxes.ids {
            inboxes[id]?.receive(commit)
            advance(id)
        }
    }

    /// Removes a reader, and ends the calls that wait for it.
    package mutating func close(_ inbox: InboxID) {
        inboxes[inbox] = nil
        wakeAll(.inbox(inbox), nil)
    }

    /// The channels that an eviction takes last: those on a screen, and those whose messages an
    /// inbox is handing over.
    package var channelsInUse: Set<ChannelURL> {
        inboxes.ids.reduce(into: Set(timelines.channels)) { channels, id in
            channels.formUnion(inboxes[id]?.channelsInUse ?? [])
        }
    }
}

extension RoostError {
    static let inboxBusy = RoostError(
        .queryInProgress, remedy: .correctInput,
        message: "Another task waits for the next message of this inbox.")
}
