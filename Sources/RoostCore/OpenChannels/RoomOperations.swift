// SPDX-License-Identifier: Apache-2.0

// The calls about open channels that go over the socket, and the return to a channel after a
// reconnection.

package import RoostModel
package import RoostWire

/// The entry into an open channel, which is looked up before.
package struct RoomEntry: SyncOperation {
    private enum State: Equatable, Codable, Sendable {
        case beginning
        case lookingUp
        case entering(OpenChannel)
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
            state = .lookingUp
            return .need(.ask(.openChannel(GetOpenChannel(channelURL: channel))))
        case (.lookingUp, .answer(.success(.openChannel(let found)))):
            guard found.url == channel else { return .fail(.outOfStep) }
            if hasExited(sync) { return .end(.done) }
            sync.rooms.known.insert(channel)
            state = .entering(found)
            let requestID = sync.random.requestID()
            return .need(.run(.roomCall(RoomCall(.enter(channel, requestID), requestID))))
        case (.entering(let found), .ended(.count(let count))):
            if hasExited(sync) { return .end(.done) }
            return end(found, count, &sync)
        default: return .fail(reply)
        }
    }

    /// Whether the app has left the channel since the loss of the earlier connection.
    private func hasExited(_ sync: SyncState) -> Bool {
        isReturn && sync.rooms.entered[channel] == nil
    }

    private func end(_ found: OpenChannel, _ count: Int, _ sync: inout SyncState) -> Step {
        var found = found
        found.participantCount = count
        let before = sync.rooms.entered.updateValue(found, forKey: channel)
        if isReturn, before != found { sync.emit(.openChannel(.channelChanged(channel))) }
        return .end(.openChannel(found))
    }
}

/// The return to an open channel over a new connection, tried until the server answers.
package struct RoomReturn: SyncOperation {
    /// The waits between the attempts: 1...2 s at first, 30...60 s at last.
    private static let backoff = Backoff(
        interval: .seconds(2), maxInterval: .seconds(60), multiplier: 2, retryCount: -1)

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
        guard let epoch, sync.isPresent(epoch), sync.rooms.entered[channel] != nil else {
            return .end(.done)
        }
        state = .entering
        return .need(.run(.roomEntry(RoomEntry(channel, isReturn: true))))
    }

    private mutating func fail(_ error: RoostError, _ sync: inout SyncState) -> Step {
        guard let epoch, sync.isPresent(epoch), !error.endsSessionKey else { return .end(.done) }
        guard error.remedy == .retry else {
            guard let last = sync.rooms.entered.removeValue(forKey: channel) else {
                return .end(.done)
            }
            let user = sync.session?.login.user ?? User(id: sync.me)
            sync.emit(
                .openChannel(.exited(user, participants: last.participantCount, channel)))
            return .end(.done)
        }
        failures += 1
        state = .waiting
        let wait = Self.backoff.wait(beforeAttempt: failures, entropy: sync.random.next())
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
            sync.rooms.entered[channel] = nil
            state = .calling
            let requestID = sync.random.requestID()
            return .need(.run(.roomCall(RoomCall(.exit(channel, requestID), requestID))))
        case (.calling, .ended(.count)): return .end(.done)
        default: return .fail(reply)
        }
    }
}

/// The look-up of an entered channel whose properties have changed.
package struct RoomRefresh: SyncOperation {
    private let channel: ChannelURL
    private var hasBegun = false

    package init(_ channel: ChannelURL) { self.channel = channel }

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        guard hasBegun else {
            hasBegun = true
            return .need(.ask(.openChannel(GetOpenChannel(channelURL: channel))))
        }
        guard var known = sync.rooms.entered[channel] else { return .end(.done) }
        if case .answer(.success(.openChannel(let found))) = reply {
            // Events bring the other properties, and may have overtaken the answer.
            known.name = found.name
            known.coverURL = found.coverURL
            known.data = found.data
            known.customType = found.customType
            sync.rooms.entered[channel] = known
        }
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
            return .need(.run(.roomCall(RoomCall(command, requestID))))
        case (true, .ended(.message(let message))): return .end(.message(message))
        default: return .fail(reply)
        }
    }
}

/// A command of an open channel, which fails after the time limit of a command.
package struct RoomCall: SyncOperation {
    private let call: SocketCall
    private var hasBegun = false

    package init(_ command: ClientCommand, _ requestID: RequestID) {
        call = SocketCall(command, requestID)
    }

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        switch (hasBegun, reply) {
        case (false, .begin):
            hasBegun = true
            return .need(.runWithin(SocketCall.timeLimit, .socketCall(call)))
        case (true, .ended(.failed(.overdue))): return .fail(.unanswered)
        case (true, .ended(let outcome)): return .end(outcome)
        default: return .fail(reply)
        }
    }
}
