// SPDX-License-Identifier: Apache-2.0

// A look-up of a channel at the server and the storage of the answer.
//
// Three operations share the work. `LookUpWait` is one caller; any number of them wait for the same
// channel. `SharedLookUp` exists once a channel and wakes them at its end. `ChannelLookUp`, inside
// it, is one attempt, which `Retrying` repeats after a failure.
//
// A request during an answer's flight leads to one more question, after a pause: the answer may be
// older than the reason for the request. So a burst of events costs a question now and then, not
// one each (scar 158).

package import RoostModel
import RoostWire

/// One attempt of a look-up: questions about a channel until an answer is newer than every request
/// for it.
package struct ChannelLookUp: SyncOperation {
    /// The pause before the next question about a channel.
    private static let pause = Duration.milliseconds(500)

    private enum State: Equatable, Codable, Sendable {
        case beginning
        case pacing
        case asking(ChannelLedger.Mark)
        case committing(isStale: Bool)
        case pausing
        case leaving
    }

    package let channel: ChannelURL
    private var epoch: LinkMachine.Epoch?
    private var state = State.beginning

    package init(_ channel: ChannelURL) { self.channel = channel }

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        switch (state, reply) {
        case (.beginning, .begin), (.pausing, .paused):
            // After a pause the connection may be another one; the question is sent on it.
            guard let session = sync.session else { return .end(.done) }
            epoch = session.epoch
            state = .pacing
            return sync.spendRequest() ?? ask(&sync)
        case (.pacing, .paused): return ask(&sync)
        case (.asking(let mark), .answer(.success(.channel(let found)))):
            return store(found, since: mark, &sync)
        case (.asking, .answer(.failure(let error))):
            sync.channelLedger.end()
            return acceptRefusal(error, &sync)
        case (.committing(let isStale), .committed(let result)):
            sync.channelLedger.end()
            guard case .success = result else { return .fail(reply) }
            return goOn(isStale: isStale, &sync)
        case (.leaving, .committed(.success)): return .end(.done)
        default: return .fail(reply)
        }
    }

    private mutating func ask(_ sync: inout SyncState) -> Step {
        guard sync.isPresent(epoch) else {
            return sync.returnRequest()
        }
        sync.lookUps[channel] = false
        state = .asking(sync.channelLedger.begin())
        return .need(.ask(.channel(GetChannel(channelURL: channel, isInternal: true))))
    }

    private mutating func store(
        _ found: GroupChannel, since mark: ChannelLedger.Mark, _ sync: inout SyncState
    ) -> Step {
        guard sync.isPresent(epoch) else {
            sync.channelLedger.end()
            return .fail(.notConnected)
        }
        let (mutations, stale) = sync.accept([found], since: mark)
        state = .committing(isStale: !stale.isEmpty)
        return .need(.commit(mutations + sync.firstListCursor, .event))
    }

    /// Ends the attempt, or asks again after a pause if the stored answer may be too old.
    private mutating func goOn(isStale: Bool, _ sync: inout SyncState) -> Step {
        // The first answer about a channel is progress, later ones only as often as time allows.
        if sync.session?.lookedUp.insert(channel).inserted ?? false { sync.pacing.giveBack() }
        // One more answer is newer than all events before its question.
        if sync.lookUps[channel] != true, !isStale { return .end(.done) }
        state = .pausing
        return .need(.pause(Self.pause, .pacing))
    }

    /// Removes a channel that the server denies to the user; any other error ends the attempt.
    private mutating func acceptRefusal(_ error: RoostError, _ sync: inout SyncState) -> Step {
        sync.unknownChannels.note(error, of: channel)
        guard error.code.deniesChannel, sync.isPresent(epoch) else {
            return .fail(error)
        }
        sync.noteDeparture(from: channel, isLeaving: false)
        state = .leaving
        return .need(.commit([.removeChannel(channel)], .event))
    }
}

/// The one look-up of a channel, until the server has described or refused it; its end wakes every
/// waiting caller.
package struct SharedLookUp: SyncOperation {
    private enum State: Equatable, Codable, Sendable { case beginning, working }

    package let channel: ChannelURL
    private var state = State.beginning

    package init(_ channel: ChannelURL) { self.channel = channel }

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        switch (state, reply) {
        case (.beginning, .begin):
            state = .working
            return .need(.run(.retrying(Retrying(.lookUp(channel)))))
        case (.working, .ended(let outcome)):
            let isAskedAgain = sync.lookUps.removeValue(forKey: channel) == true
            if outcome == .done {
                // Callers that came after the last answer wait for an answer of their own.
                if isAskedAgain {
                    sync.lookUp(channel)
                    return .end(.done)
                }
                sync.noteDescription(of: channel)
            }
            // After a failure the next connection's change log brings the changes.
            sync.wakeAll(.lookUp(channel), nil)
            return .end(.done)
        default: return .fail(reply)
        }
    }
}

/// A wait until the server has described a channel, or could not be asked.
package struct LookUpWait: SyncOperation {
    package let channel: ChannelURL
    /// Whether a new question is sent; otherwise the call only waits for a running look-up.
    package let asksAnew: Bool

    package init(_ channel: ChannelURL, asksAnew: Bool) {
        self.channel = channel
        self.asksAnew = asksAnew
    }

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        switch reply {
        case .begin:
            if asksAnew { sync.lookUp(channel) }
            return sync.lookUps[channel] == nil ? .end(.done) : .need(.wait(.lookUp(channel)))
        case .woken: return .end(.done)
        default: return .fail(reply)
        }
    }
}

extension RoostError.Code {
    /// Whether the channel does not exist for the user.
    var deniesChannel: Bool {
        self == .notAMember || deniesExistence
    }
}

extension SyncState {
    /// Looks a channel up at the server, without a caller that waits.
    ///
    /// A request during an answer's flight leads to one more question.
    package mutating func lookUp(_ channel: ChannelURL) {
        guard lookUps[channel] == nil else {
            lookUps[channel] = true
            return
        }
        lookUps[channel] = false
        start(.describing(SharedLookUp(channel)))
    }
}
