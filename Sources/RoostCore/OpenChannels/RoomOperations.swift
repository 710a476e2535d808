// SPDX-License-Identifier: Apache-2.0

// The calls about open channels that go over the socket, and the return to a channel after a
// reconnection.

package import RoostModel
package import RoostWire

/// The entry into an open channel; ends with the channel.
///
/// A call of the app ends in time: an entry that is answered later is taken back.
package struct RoomEntry: SyncOperation {
    private enum State: Equatable, Codable, Sendable {
        case beginning
        /// Waits for the entry of this number.
        case entering(Int)
    }

    private let channel: ChannelURL
    /// Whether the user was inside during an earlier connection.
    private let isReturn: Bool
    private var state = State.beginning

    package init(_ channel: ChannelURL, isReturn: Bool = false) {
        self.channel = channel
        self.isReturn = isReturn
    }

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        switch (state, reply) {
        case (.beginning, .begin):
            guard sync.session != nil else { return .fail(.notConnected) }
            // Events may come as soon as the command has left.
            let entry = sync.rooms.beginEntry(of: channel)
            state = .entering(entry)
            let arrival = Operation.roomArrival(
                RoomArrival(channel, by: entry, isReturn: isReturn))
            return .need(isReturn ? .run(arrival) : .runWithin(SocketCall.timeLimit, arrival))
        case (.entering(let entry), .ended(.openChannel(let found))):
            guard sync.rooms.isUnderWay(entry, of: channel) else { return endOutside() }
            let isOver = sync.rooms.endEntry(entry, of: channel, hasSucceeded: !isReturn)
            // The app's own call, for which the connection returned, has failed meanwhile.
            if isOver { takeBack(&sync) }
            // Messages of the absence are missing, so the app has to learn of every return.
            if isReturn, !isOver { sync.emit(.openChannel(.channelChanged(channel))) }
            return .end(.openChannel(found))
        case (.entering, .ended(.done)): return endOutside()
        case (.entering(let entry), .ended(.failed(let error))):
            return fail(error, entry, &sync)
        default: return .fail(reply)
        }
    }

    /// Ends the entry of a channel that the app has left meanwhile.
    ///
    /// The exit has followed the entry over the socket, so the user is outside.
    private func endOutside() -> Step { isReturn ? .end(.done) : .fail(.leftMeanwhile) }

    private func fail(_ error: RoostError, _ entry: Int, _ sync: inout SyncState) -> Step {
        let isInside = sync.rooms.rooms[channel]?.isInside ?? false
        guard sync.rooms.endEntry(entry, of: channel, hasSucceeded: false) else {
            return .fail(error)
        }
        // Without an answer the server may have let the user in.
        if isInside || error.remedy == .retry {
            takeBack(&sync)
        } else {
            // The server has refused the entry; the URL may be that of a group channel.
            sync.rooms.known.remove(channel)
        }
        return .fail(error)
    }

    private func takeBack(_ sync: inout SyncState) {
        let requestID = sync.random.requestID()
        sync.start(.inTime(InTime(.exit(channel, requestID), requestID)))
    }
}

/// The command to enter an open channel, and the look-up of the channel from inside; ends without
/// the channel if the entry has ended meanwhile.
///
/// The channel is looked up after the entry, so no change between the two is missed.
package struct RoomArrival: SyncOperation {
    private enum State: Equatable, Codable, Sendable { case beginning, entering, lookingUp }

    private let channel: ChannelURL
    /// The number of the entry.
    private let entry: Int
    private let isReturn: Bool
    private var state = State.beginning

    init(_ channel: ChannelURL, by entry: Int, isReturn: Bool) {
        self.channel = channel
        self.entry = entry
        self.isReturn = isReturn
    }

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        switch (state, reply) {
        case (.beginning, .begin):
            let requestID = sync.random.requestID()
            let command = ClientCommand.enter(channel, requestID)
            state = .entering
            // The time of an entry of the app is limited as a whole.
            return .need(
                .run(
                    isReturn
                        ? .inTime(InTime(command, requestID))
                        : .socketCall(SocketCall(command, requestID))))
        case (.entering, .ended(.count(let count))):
            guard sync.rooms.isUnderWay(entry, of: channel) else { return .end(.done) }
            sync.rooms.rooms[channel]?.isInside = true
            sync.rooms.rooms[channel]?.channel.participantCount = count
            state = .lookingUp
            return .need(.run(.roomLookUp(RoomLookUp(channel, isOfApp: !isReturn))))
        case (.lookingUp, .ended(let outcome)): return .end(outcome)
        default: return .fail(reply)
        }
    }
}

/// The look-up of an open channel that the app wants to be in; ends with the channel, or without
/// any if the app has left it.
package struct RoomLookUp: SyncOperation {
    /// The pause before one more question.
    private static let pause = Duration.milliseconds(500)
    /// The most questions, after which the properties that events have changed stay as they are.
    private static let limit = 5

    private enum State: Equatable, Codable, Sendable {
        case beginning
        case pacing
        /// The number of changes by events at the time of the question.
        case asking(Int)
    }

    private let channel: ChannelURL
    /// Whether a call of the app needs the answer, which no limit delays then.
    private let isOfApp: Bool
    private var questions = 0
    private var state = State.beginning

    package init(_ channel: ChannelURL, isOfApp: Bool = false) {
        self.channel = channel
        self.isOfApp = isOfApp
    }

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        switch (state, reply) {
        case (.beginning, .begin):
            if isOfApp { return ask(&sync) }
            state = .pacing
            return sync.spendRequest() ?? ask(&sync)
        case (.pacing, .paused): return ask(&sync)
        case (.asking(let changes), .answer(.success(.openChannel(var found)))):
            guard found.url == channel else { return .fail(.unfitAnswer) }
            guard let room = sync.rooms.rooms[channel] else { return .end(.done) }
            if room.changes != changes, questions < Self.limit {
                // Events may have overtaken the answer, or the answer them.
                state = .pacing
                return .need(.pause(Self.pause, .pacing))
            }
            if room.changes != changes {
                found.isFrozen = room.channel.isFrozen
                found.operators = room.channel.operators
                found.metadata = room.channel.metadata
            }
            // Entries and exits come with the number, and may have overtaken the answer.
            found.participantCount = room.channel.participantCount
            sync.rooms.rooms[channel]?.channel = found
            return .end(.openChannel(found))
        default: return .fail(reply)
        }
    }

    private mutating func ask(_ sync: inout SyncState) -> Step {
        guard let room = sync.rooms.rooms[channel] else { return .end(.done) }
        questions += 1
        state = .asking(room.changes)
        return .need(.ask(.openChannel(GetOpenChannel(channelURL: channel))))
    }
}

/// The return to an open channel over a new connection, tried until the server answers.
package struct RoomReturn: SyncOperation {
    private enum State: Equatable, Codable, Sendable { case beginning, entering, waiting }

    private let channel: ChannelURL
    private var epoch: LinkMachine.Epoch?
    private var failures = 0
    private var state = State.beginning

    package init(to channel: ChannelURL) { self.channel = channel }

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        switch (state, reply) {
        case (.beginning, .begin):
            epoch = sync.session?.epoch
            return enter(&sync)
        case (.waiting, .paused): return enter(&sync)
        case (.entering, .ended(.failed(let error))): return fail(error, &sync)
        case (.entering, .ended): return .end(.done)
        default: return .fail(reply)
        }
    }

    private mutating func enter(_ sync: inout SyncState) -> Step {
        // Each connection begins a return of its own.
        guard sync.isPresent(epoch), sync.rooms.rooms[channel] != nil else {
            return .end(.done)
        }
        state = .entering
        return .need(.run(.roomEntry(RoomEntry(channel, isReturn: true))))
    }

    private mutating func fail(_ error: RoostError, _ sync: inout SyncState) -> Step {
        guard sync.isPresent(epoch), !error.code.endsSessionKey else { return .end(.done) }
        guard error.remedy == .retry else {
            guard let last = sync.rooms.rooms.removeValue(forKey: channel) else {
                return .end(.done)
            }
            let user = sync.session?.login.user ?? User(id: sync.me)
            sync.emit(
                .openChannel(
                    .exited(user, participants: last.channel.participantCount, channel)))
            return .end(.done)
        }
        failures += 1
        state = .waiting
        let wait = Backoff.patient.wait(beforeAttempt: failures, entropy: sync.random.next())
        return .need(.pause(wait, .retry))
    }
}

/// The exit from an open channel; its events end at once.
package struct RoomExit: SyncOperation {
    private enum State: Equatable, Codable, Sendable { case beginning, calling }

    private let channel: ChannelURL
    private var state = State.beginning

    package init(_ channel: ChannelURL) { self.channel = channel }

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        switch (state, reply) {
        case (.beginning, .begin):
            // The place ends with the connection, so without one nothing else is left to do.
            sync.rooms.rooms[channel] = nil
            state = .calling
            let requestID = sync.random.requestID()
            return .need(.run(.inTime(InTime(.exit(channel, requestID), requestID))))
        case (.calling, .ended(.count)): return .end(.done)
        default: return .fail(reply)
        }
    }
}

/// The look-up of a channel whose properties have changed, which the event does not contain.
package struct RoomRefresh: SyncOperation {
    private let channel: ChannelURL
    private var hasBegun = false

    package init(_ channel: ChannelURL) { self.channel = channel }

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        guard hasBegun else {
            hasBegun = true
            return .need(.run(.roomLookUp(RoomLookUp(channel))))
        }
        guard sync.rooms.rooms[channel] != nil else { return .end(.done) }
        sync.rooms.rooms[channel]?.isRefreshing = false
        // Without an answer the app still learns that something has changed.
        sync.emit(.openChannel(.channelChanged(channel)))
        return .end(.done)
    }
}

/// A message for an open channel, or the edit of one; it is not kept if the call fails.
package struct RoomMessage: SyncOperation {
    package enum Content: Equatable, Codable, Sendable {
        case new(MessageCommand)
        case edit(EditCommand)
    }

    private let content: Content
    private var hasBegun = false

    package init(_ content: Content) { self.content = content }

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        switch (hasBegun, reply) {
        case (false, .begin):
            hasBegun = true
            let requestID: RequestID
            let command: ClientCommand
            switch content {
            case .new(var message):
                requestID = message.requestID ?? sync.random.requestID()
                message.requestID = requestID
                command = .message(message)
            case .edit(var edit):
                requestID = sync.random.requestID()
                edit.requestID = requestID
                command = .edit(edit)
            }
            return .need(.run(.inTime(InTime(command, requestID))))
        case (true, .ended(.message(let message))): return .end(.message(message))
        default: return .fail(reply)
        }
    }
}

extension RoostError {
    fileprivate static let leftMeanwhile = RoostError(
        .requestCanceled, remedy: .none,
        message: "The app has left the channel before the entry was answered.")
}
