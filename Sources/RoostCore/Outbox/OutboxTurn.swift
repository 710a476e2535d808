// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// Asks for the turn to send; while another process has it, asks again later.
package struct OutboxTurn: SyncOperation {
    private enum State: Equatable, Codable, Sendable {
        case beginning
        case asking(suspensions: Int)
        /// The turn is taken; the items of the other process are being read.
        case rereading(turn: Int?)
        case matching(turn: Int)
    }

    private var state = State.beginning

    package init() {}

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        switch (state, reply) {
        case (.beginning, .begin):
            state = .asking(suspensions: sync.outbox.suspensions)
            return .need(.outbox(.takeTurn))
        case (.asking(let suspensions), .outbox(.success(.turn(let turn)))):
            // A suspension has given the turn away meanwhile.
            let isHeld = suspensions == sync.outbox.suspensions
            if isHeld { sync.outbox.turn = turn }
            state = .rereading(turn: isHeld ? turn : nil)
            return .need(.wait(.outboxDisk(sync.requestRead())))
        case (.rereading(let turn?), .woken) where sync.session != nil:
            state = .matching(turn: turn)
            return .need(.run(.outbox(.matching(OutboxUnsureMessages()))))
        case (.rereading, .woken): return giveWay(&sync)
        case (.matching(let turn), .ended):
            let unsure = sync.outbox.unsureChannels.filter { sync.catchUps[$0] == nil }
            for channel in unsure { sync.moveOutbox(.hold(channel)) }
            if !unsure.isEmpty { sync.start(.outbox(.search(OutboxSearch(unsure)))) }
            guard sync.outbox.turn == turn, sync.session != nil else { return giveWay(&sync) }
            sync.moveOutbox(.wentOnline(now: sync.now))
            return .end(.done)
        default: return .fail(reply)
        }
    }

    private func giveWay(_ sync: inout SyncState) -> Step {
        // A later request got the turn, and its operation continues.
        guard sync.session != nil, sync.outbox.turn == nil else { return .end(.done) }
        sync.moveOutbox(.wentOffline)
        sync.arm(.outboxTurn, for: Outbox.turnDelay)
        return .end(.done)
    }
}

/// Looks for messages of unknown outcome before they are sent again.
///
/// A channel with a running catch-up is skipped, because the catch-up holds and searches it.
package struct OutboxSearch: SyncOperation {
    private var channels: [ChannelURL]

    package init(_ channels: [ChannelURL]) { self.channels = channels }

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        switch reply {
        case .begin: break
        case .ended:
            // The page has settled its messages. Without a page the server recognises a duplicate
            // by its request ID.
            let channel = channels.removeFirst()
            if sync.catchUps[channel] == nil { sync.moveOutbox(.release(channel)) }
        default: return .fail(reply)
        }
        guard let next = channels.first else { return .end(.done) }
        return .need(.run(.page(PageFetch(next, .newest(Outbox.lookBack), isPaced: false))))
    }
}

/// Looks for messages that may have arrived, and for which changes wait.
package struct OutboxArrivalSearch: SyncOperation {
    private let channel: ChannelURL

    package init(_ channel: ChannelURL) { self.channel = channel }

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        switch reply {
        case .begin:
            return .need(.run(.page(PageFetch(channel, .newest(Outbox.lookBack), isPaced: false))))
        case .ended(let outcome):
            var isKnown = true
            // A channel that the server refuses to show can only be left.
            if case .failed(let error) = outcome, !error.code.isRefusal { isKnown = false }
            sync.moveOutbox(.lookedUp(channel, isKnown: isKnown))
            return .end(.done)
        default: return .fail(reply)
        }
    }
}

extension Outbox {
    /// The delay before this process asks for the turn again.
    static let turnDelay = Duration.seconds(5)
    /// The time beyond that of the link for the answer to a ping, so that the link decides first.
    static let pongGrace = Duration.seconds(1)
    /// The number of pings for an item whose acknowledgement is overdue.
    static let pingLimit = 2
}

extension SyncState {
    /// Whether items wait for another process, which has the turn to send.
    var awaitsTurn: Bool {
        session != nil && outbox.turn == nil && outbox.order.pendingCount > 0
    }

    mutating func endOutboxSession() {
        disarm(.outboxTurn)
        moveOutbox(.wentOffline)
    }

    /// Gives the turn away before the files are closed, so another process may send.
    mutating func suspendOutbox() {
        notes.isSuspended = true
        outbox.suspensions += 1
        outbox.turn = nil
        noteWayOfFiles()
    }

    /// Lets the lanes send files without a socket as long as requests reach the server and this
    /// process has the turn (R144).
    mutating func noteWayOfFiles() {
        let isOpen = link.takesFiles && outbox.turn != nil
        guard isOpen != outbox.lanes.isOpenToFiles else { return }
        moveOutbox(isOpen ? .openedToFiles(now: now) : .closedToFiles)
    }

    /// Takes up sending after the files are opened again.
    ///
    /// An index in memory is gone with the files, and is filled again; a complete one costs a
    /// query.
    mutating func resumeOutbox() {
        notes.isSuspended = false
        fillIndex()
        if session != nil {
            start(.outbox(.turn(OutboxTurn())))
        } else {
            requestRead()
        }
    }

    /// Handles a fired timer of the outbox.
    mutating func fireOutbox(_ timer: MachineTimer) {
        switch timer {
        case .outboxAnswer(let requestID): missAnswer(of: requestID)
        case .outboxRest(let lane): moveOutbox(.rested(lane))
        case .outboxSearch(let channel): moveOutbox(.searchRested(channel))
        case .outboxDisk: repairOutbox()
        case .outboxTurn: if session != nil { start(.outbox(.turn(OutboxTurn()))) }
        default: break
        }
    }

    /// Pings the server when an acknowledgement is overdue.
    ///
    /// An item fails only if the server answers the ping. A dead connection counts as lost as soon
    /// as that answer is missing, and the item stays pending for the next one. Other frames prove
    /// nothing: they may have waited in this process. If they are all that comes, the server is
    /// pinged once more, and then the item fails.
    private mutating func missAnswer(of requestID: RequestID) {
        // A canceled message has no item to fail; only the user's departure waits for its answer.
        if outbox.lanes.isUnanswered(requestID) {
            moveOutbox(.ackTimedOut(requestID))
            return
        }
        guard session != nil, outbox.lanes.isOnItsWay(requestID) else { return }
        let pings = outbox.overdue[requestID] ?? 0
        if pings > 0, case .online(awaitsPong: true) = link.state {
            // The link decides first, also when both timers were late.
            return arm(.outboxAnswer(requestID), for: Outbox.pongGrace)
        }
        guard pings < Outbox.pingLimit else {
            moveOutbox(.ackTimedOut(requestID))
            return
        }
        outbox.overdue[requestID] = pings + 1
        drive(.answerMissing(link.machine.epoch))
        arm(.outboxAnswer(requestID), for: link.machine.settings.pongTimeout + Outbox.pongGrace)
    }

    /// Fails the overdue items: the server has answered the ping, but has not acknowledged them.
    mutating func failUnanswered() {
        for requestID in outbox.overdue.keys.sorted() { moveOutbox(.ackTimedOut(requestID)) }
    }
}
