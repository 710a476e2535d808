// SPDX-License-Identifier: Apache-2.0

// Read marks of the user: as few requests as the callers allow, and each call answered by a mark
// that is not older than the call (scar 113).

package import RoostModel
import RoostWire

/// The state of the user's read marks besides the cache.
package struct ReadMarks: Equatable, Codable, Sendable {
    var machine = ReadMarkMachine()
    /// The callers that wait for a mark; none of a channel whose last mark is answered.
    private var rounds: [ChannelURL: Rounds] = [:]
    private var lastRound = 0
    /// The channels that are being marked as unread.
    ///
    /// Until their look-up the cache has the old mark.
    package var unreadMarks: Set<ChannelURL> = []
    /// The times of the newest live messages, with those that no list shows.
    private var newest: [ChannelURL: Timestamp] = [:]

    /// The callers of one channel, by the mark that answers them.
    private struct Rounds: Equatable, Codable {
        /// The number of the round that new callers join; no other round has it.
        let present: Int
        /// The callers of the present round.
        var callers = 0
        /// Earlier rounds that the next mark answers too.
        var earlier: [Int] = []
    }

    mutating func noteArrival(at moment: Timestamp, in channel: ChannelURL) {
        newest[channel] = max(moment, newest[channel] ?? .distantPast)
    }

    func newestMessage(in channel: ChannelURL) -> Timestamp? { newest[channel] }

    /// Forgets the newest live message of a channel that the user has left.
    mutating func forget(_ channel: ChannelURL) { newest[channel] = nil }

    /// Returns the number of callers that wait for the next mark.
    func callers(in channel: ChannelURL) -> Int { rounds[channel]?.callers ?? 0 }

    /// Adds a caller.
    ///
    /// - Returns: The caller's round.
    mutating func join(in channel: ChannelURL) -> Int {
        var place = self.place(of: channel)
        place.callers += 1
        rounds[channel] = place
        return place.present
    }

    /// Closes the present round.
    ///
    /// - Returns: The rounds that wait for an answer.
    mutating func close(in channel: ChannelURL) -> [Int] {
        guard let place = rounds.removeValue(forKey: channel) else { return [] }
        return place.earlier + [place.present]
    }

    /// Makes the next mark answer closed rounds.
    mutating func reopen(_ closed: [Int], callers: Int, in channel: ChannelURL) {
        var place = self.place(of: channel)
        place.earlier += closed
        place.callers += callers
        rounds[channel] = place
    }

    private mutating func place(of channel: ChannelURL) -> Rounds {
        if let known = rounds[channel] { return known }
        lastRound += 1
        return Rounds(present: lastRound)
    }
}

/// A call that marks a channel as read.
///
/// It ends when the mark is recorded or, if the caller waits for the server, when the server has
/// accepted this mark or a later one. It ends at once if no message is unread.
package struct MarkAsReadCall: SyncOperation {
    private enum State: Equatable, Codable, Sendable { case beginning, reading, waiting }

    private let channel: ChannelURL
    private let awaitsServer: Bool
    private var state = State.beginning

    package init(_ channel: ChannelURL, awaitingServer awaitsServer: Bool = true) {
        self.channel = channel
        self.awaitsServer = awaitsServer
    }

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        switch (state, reply) {
        case (.beginning, .begin):
            guard sync.session != nil else { return .fail(.notConnected) }
            state = .reading
            return .need(.read(.channel(channel)))
        case (.reading, .read(.success(.channel(let known)))):
            if sync.isAllRead(known) { return .end(.done) }
            state = .waiting
            let round = sync.marks.join(in: channel)
            sync.wishMark(in: channel)
            guard awaitsServer else { return .end(.done) }
            return .need(.wait(.readMark(channel, round: round)))
        case (.waiting, .woken(nil)): return .end(.done)
        default: return .fail(reply)
        }
    }
}

/// The sending of one mark, and the answers to its callers.
package struct ReadMarkSending: SyncOperation {
    private enum State: Equatable, Codable, Sendable { case beginning, calling }

    private let channel: ChannelURL
    private var rounds: [Int] = []
    private var state = State.beginning

    package init(_ channel: ChannelURL) { self.channel = channel }

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        switch (state, reply) {
        case (.beginning, .begin):
            rounds = sync.marks.close(in: channel)
            sync.arm(.readMark(channel), for: ReadMarkMachine.pause)
            let requestID = sync.random.requestID()
            state = .calling
            return .need(
                .runWithin(
                    SocketCall.timeLimit,
                    .socketCall(SocketCall(.read(channel, requestID), requestID))))
        case (.calling, .ended):
            let failure = reply.failure
            // After a failure later callers get the error too: their mark would wait as long once
            // more. The mark itself is still sent.
            if failure != nil { rounds += sync.marks.close(in: channel) }
            sync.answer(rounds, in: channel, failure)
            sync.wakeAll(.readMarkEnd(channel), nil)
            if sync.marks.machine.sent(to: channel) {
                sync.start(.readMarkSending(ReadMarkSending(channel)))
            }
            return .end(.done)
        default: return .fail(reply)
        }
    }
}

/// The end of the pause after a mark: it sends the next one, unless no message is left to mark.
package struct ReadMarkPause: SyncOperation {
    private enum State: Equatable, Codable, Sendable {
        case beginning
        case reading(callers: Int)
    }

    private let channel: ChannelURL
    private var state = State.beginning

    package init(_ channel: ChannelURL) { self.channel = channel }

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        switch (state, reply) {
        case (.beginning, .begin):
            // The read happens only now: another device's unread mark may follow the answer.
            let callers = sync.marks.callers(in: channel)
            guard callers > 0 else { return end(&sync) }
            state = .reading(callers: callers)
            return .need(.read(.channel(channel)))
        case (.reading(let callers), .read(.success(.channel(let known)))):
            // Callers that came during the read have seen later messages.
            if sync.isAllRead(known), sync.marks.callers(in: channel) == callers {
                sync.marks.machine.settle(channel)
                sync.answer(sync.marks.close(in: channel), in: channel, nil)
            }
            return end(&sync)
        default: return end(&sync)
        }
    }

    private func end(_ sync: inout SyncState) -> Step {
        if sync.marks.machine.paused(in: channel) {
            sync.start(.readMarkSending(ReadMarkSending(channel)))
        }
        return .end(.done)
    }
}

/// A call that marks messages as unread.
///
/// It ends when the channel is looked up, or cannot be. A read mark that waits is dropped, because
/// it would undo this one.
package struct MarkAsUnread: SyncOperation {
    private enum State: Equatable, Codable, Sendable {
        case beginning
        /// A mark in flight would undo this one.
        case awaitingMark
        case asking
        case lookingUp
    }

    private let channel: ChannelURL
    private let message: MessageID
    private var rounds: [Int] = []
    private var callers = 0
    private var state = State.beginning

    package init(_ channel: ChannelURL, from message: MessageID) {
        self.channel = channel
        self.message = message
    }

    /// Whether the server has the mark.
    var isAccepted: Bool { state == .lookingUp }

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        switch (state, reply) {
        case (.beginning, .begin):
            sync.marks.unreadMarks.insert(channel)
            callers = sync.marks.callers(in: channel)
            if callers > 0 { rounds = sync.marks.close(in: channel) }
            sync.marks.machine.settle(channel)
            guard sync.marks.machine.isUnderWay(to: channel) else { return ask(&sync) }
            state = .awaitingMark
            return .need(.wait(.readMarkEnd(channel)))
        case (.awaitingMark, .woken): return ask(&sync)
        case (.asking, .answer(.success)):
            sync.answer(rounds, in: channel, nil)
            sync.channelLedger.note(changeOf: channel)
            // The answer to an earlier request may have removed it.
            sync.marks.unreadMarks.insert(channel)
            state = .lookingUp
            return .need(.run(.awaitLookUp(LookUpWait(channel, asksAnew: true))))
        case (.asking, _): return fail(reply.error, &sync)
        case (.lookingUp, .ended): return .end(.done)
        default: return .fail(reply)
        }
    }

    private mutating func ask(_ sync: inout SyncState) -> Step {
        guard sync.session != nil else { return fail(.notConnected, &sync) }
        state = .asking
        return .need(.ask(.markAsRead(MarkAsRead(channelURL: channel, unreadFrom: message))))
    }

    private func fail(_ error: RoostError, _ sync: inout SyncState) -> Step {
        // After a lost answer the mark is unknown.
        sync.lookUp(channel)
        if callers > 0 {
            sync.marks.reopen(rounds, callers: callers, in: channel)
            sync.wishMark(in: channel)
        }
        return .fail(error)
    }
}

extension SyncState {
    /// Sends a mark now, or after the pause.
    fileprivate mutating func wishMark(in channel: ChannelURL) {
        guard marks.machine.wish(for: channel) else { return }
        start(.readMarkSending(ReadMarkSending(channel)))
    }

    fileprivate mutating func answer(
        _ rounds: [Int], in channel: ChannelURL, _ failure: RoostError?
    ) {
        for round in rounds { wakeAll(.readMark(channel, round: round), failure) }
    }

    /// Returns whether no message is unread, by the events on this connection.
    ///
    /// Another device's unread mark may be in flight. Asking the server would be a request for each
    /// of a hundred marks.
    fileprivate func isAllRead(_ channel: GroupChannel?) -> Bool {
        guard let channel, channel.unreadMessageCount == 0, channel.unreadMentionCount == 0,
            session?.isChannelLogRead == true, lookUps[channel.url] == nil,
            !marks.unreadMarks.contains(channel.url), refused.isEmpty
        else { return false }
        let mark = channel.myLastRead ?? .distantPast
        return channel.lastMessage?.createdAt ?? mark <= mark
            && marks.newestMessage(in: channel.url) ?? mark <= mark
    }
}
