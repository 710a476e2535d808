// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// Asks for the turn to send: sends, or asks again later whether the other process has ended.
package struct OutboxTurn: SyncOperation {
    private enum State: Hashable, Codable, Sendable {
        case beginning
        case asking(suspensions: Int)
        /// What the other process left is ours now.
        case hearing(turn: Int?)
        case aiming(turn: Int)
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
            state = .hearing(turn: isHeld ? turn : nil)
            return .need(.wait(.outboxDisk(sync.hearOthers())))
        case (.hearing(let turn?), .woken) where sync.outbox.isConnected:
            state = .aiming(turn: turn)
            return .need(.run(.outbox(.aiming(OutboxAiming()))))
        case (.hearing, .woken): return giveWay(&sync)
        case (.aiming(let turn), .ended):
            let unsure = sync.outbox.unsureChannels.filter { sync.catchUps[$0] == nil }
            for channel in unsure { sync.moveOutbox(.hold(channel)) }
            if !unsure.isEmpty { sync.start(.outbox(.search(OutboxSearch(unsure)))) }
            guard sync.outbox.turn == turn, sync.outbox.isConnected else { return giveWay(&sync) }
            sync.moveOutbox(.wentOnline(now: sync.now))
            return .end(.done)
        default: return .fail(reply.failure ?? .outOfStep)
        }
    }

    private func giveWay(_ sync: inout SyncState) -> Step {
        // An operation that has asked since and got a turn sees to it.
        guard sync.outbox.isConnected, sync.outbox.turn == nil else { return .end(.done) }
        sync.moveOutbox(.wentOffline)
        sync.arm(.outboxTurn, for: Outbox.turnDelay)
        return .end(.done)
    }
}

/// Looks for messages whose fate is unknown before they are sent again.
///
/// A channel whose catch-up runs is held by it and searched by it.
package struct OutboxSearch: SyncOperation {
    private var channels: [ChannelURL]

    package init(_ channels: [ChannelURL]) { self.channels = channels }

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        switch reply {
        case .begin: break
        case .ended:
            // The messages of the page are settled. Without an answer the server knows a copy by its request ID.
            let channel = channels.removeFirst()
            if sync.catchUps[channel] == nil { sync.moveOutbox(.release(channel)) }
        default: return .fail(reply.failure ?? .outOfStep)
        }
        guard let next = channels.first else { return .end(.done) }
        return .need(
            .run(
                .page(PageFetch(next, .around(.distantFuture, older: Outbox.lookBack, newer: 0)))))
    }
}

extension Outbox {
    /// The time after which it is asked again whether the process that sends has ended.
    static let turnDelay = Duration.seconds(5)
}

extension SyncState {
    mutating func beginOutboxSession(as user: User) {
        outbox.me = user
        outbox.isConnected = true
    }

    mutating func endOutboxSession() {
        outbox.isConnected = false
        disarm(.outboxTurn)
        moveOutbox(.wentOffline)
    }

    /// The files are about to be closed: another process may begin to send.
    mutating func suspendOutbox() {
        outbox.suspensions += 1
        outbox.turn = nil
    }

    /// The files are open again.
    mutating func resumeOutbox() {
        if outbox.isConnected {
            start(.outbox(.turn(OutboxTurn())))
        } else {
            hearOthers()
        }
    }

    /// A timer of the outbox has fired.
    mutating func fireOutbox(_ timer: MachineTimer) {
        switch timer {
        case .outboxAnswer(let requestID): moveOutbox(.ackTimedOut(requestID))
        case .outboxRest(let lane): moveOutbox(.rested(lane))
        case .outboxDisk: repairOutbox()
        case .outboxTurn: if outbox.isConnected { start(.outbox(.turn(OutboxTurn()))) }
        default: break
        }
    }
}
