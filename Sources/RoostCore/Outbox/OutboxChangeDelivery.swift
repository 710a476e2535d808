// SPDX-License-Identifier: Apache-2.0

// One attempt to make a change. Edits of messages go over the socket, all other changes by HTTP.

import RoostModel
import RoostWire

/// Makes one change that waits in the outbox.
package struct OutboxChangeDelivery: SyncOperation {
    private enum State: Equatable, Codable, Sendable {
        case beginning
        case readingEdited(MessageID, MessageEdit)
        /// An edit is being handed to the socket.
        case sending
        case deleting(MessageID)
        case reacting(MessageID, since: Int)
        /// The effect of the change is being applied.
        case applying
        case deliveringCommits
        case readingNewest(Timestamp)
        case marking(through: Timestamp)
        /// A change of the channel is being made, and its effect stored.
        case acting(ChannelChange)
        /// The effect of a read mark, or of a departure that was made before, is being stored.
        case committing
    }

    private let requestID: RequestID
    private let action: PendingChange.Action
    private let channel: ChannelURL
    private var state = State.beginning

    init(_ requestID: RequestID, _ action: PendingChange.Action, in channel: ChannelURL) {
        self.requestID = requestID
        self.action = action
        self.channel = channel
    }

    package mutating func resume(_ reply: Reply, _ sync: inout SyncState) -> Step {
        switch (state, reply) {
        case (.beginning, .begin): return make(&sync)
        case (.readingEdited(let id, let edit), .read(let result)):
            var isFile = false
            if case .success(.message(let held)) = result, case .file? = held?.content {
                isFile = true
            }
            state = .sending
            return .need(
                .send(
                    .edit(
                        EditCommand(
                            channelURL: channel, messageID: id, requestID: requestID,
                            isFile: isFile, text: edit.text, data: edit.data,
                            customType: edit.customType, mentionKind: edit.mention?.kind,
                            mentionedUserIDs: edit.mention?.userIDs,
                            mentionTemplate: edit.mentionTemplate))))
        case (.sending, .sent(nil)):
            // The acknowledgement is due from now on.
            sync.moveOutbox(.left(requestID))
            return .end(.done)
        case (.sending, .sent(let error?)): return fail(error, &sync)
        case (.deleting(let id), .answer(let result)):
            // The server does not know the message: it is deleted already.
            if case .failure(let error) = result, error.code != .messageNotFound {
                return fail(error, &sync)
            }
            state = .applying
            return .need(
                .run(
                    .liveEvent(
                        LiveEvent(
                            .deleted(DeletionEvent(channelURL: channel, messageID: id)),
                            from: .answer))))
        case (.reacting(let id, let beginning), .answer(.success(.reaction(let change)))):
            // A later reaction of the same user from another device may have arrived first.
            let isOvertaken = sync.news(of: channel, since: beginning)
                .overtakes(change, of: id)
            sync.endFetch(of: channel)
            if isOvertaken {
                state = .deliveringCommits
                return .need(.deliverCommits)
            }
            state = .applying
            let event = ReactionEvent(channelURL: channel, messageID: id, change: change)
            return .need(.run(.liveEvent(LiveEvent(.reaction(event), from: .answer))))
        case (.reacting, .answer):
            sync.endFetch(of: channel)
            return fail(reply.error, &sync)
        case (.readingNewest(let moment), .answer(.success(.channel(let described)))):
            if let last = described.lastMessage, last.createdAt > moment,
                last.sender?.user.id != sync.me
            {
                sync.dropChange(requestID, .nothingToMark)
                return .end(.done)
            }
            state = .marking(through: moment)
            return .need(.ask(.markAsRead(MarkAsRead(channelURL: channel))))
        case (.acting(let change), .ended(let outcome)):
            return finish(change, outcome, &sync)
        case (.marking(let moment), .answer(.success)):
            // The event of the mark comes later; until then the cache must not show the old count.
            state = .committing
            return .need(.commit(sync.record(.read(moment), in: channel), .answer))
        case (.applying, .ended), (.deliveringCommits, .woken), (.committing, .committed):
            sync.noteMade(requestID)
            return .end(.done)
        case (.readingNewest, .answer), (.marking, .answer): return fail(reply.error, &sync)
        default: return .fail(reply)
        }
    }

    private mutating func make(_ sync: inout SyncState) -> Step {
        switch action {
        case .edit(.delivered(let id), let edit):
            state = .readingEdited(id, edit)
            return .need(.read(.message(id)))
        case .delete(.delivered(let id)):
            state = .deleting(id)
            return .need(.ask(.delete(DeleteMessage(channelURL: channel, messageID: id))))
        case .addReaction(let key, .delivered(let id)):
            return react(key, to: id, isAdded: true, &sync)
        case .removeReaction(let key, .delivered(let id)):
            return react(key, to: id, isAdded: false, &sync)
        case .markAsRead(let moment):
            // The server marks the newest message as read. If it is newer than the call, the user
            // has not read it; the cache may not have it yet.
            state = .readingNewest(moment)
            return .need(.ask(.channel(GetChannel(channelURL: channel, isInternal: true))))
        case .channel(let change):
            state = .acting(change)
            let act = ChannelAct(change, in: channel, by: sync.me)
            return .need(.runWithin(InTime.timeLimit, .channelAct(act)))
        case .edit, .delete, .addReaction, .removeReaction:
            sync.dropChange(requestID, .nothingToChange)
            return .end(.done)
        }
    }

    private mutating func react(
        _ key: String, to id: MessageID, isAdded: Bool, _ sync: inout SyncState
    ) -> Step {
        state = .reacting(id, since: sync.beginFetch(of: channel))
        return .need(
            .ask(
                .react(
                    ReactToMessage(channelURL: channel, messageID: id, key: key, isAdded: isAdded)))
        )
    }

    /// Takes the result of a change of the channel.
    ///
    /// Every such change may be made twice, so one of unknown outcome is made again.
    private mutating func finish(
        _ change: ChannelChange, _ outcome: Outcome, _ sync: inout SyncState
    ) -> Step {
        guard case .failed(let error) = outcome else {
            sync.noteMade(requestID)
            return .end(.done)
        }
        if case .disk = error.cause {
            // The server has made the change, and the cache did not take it.
            sync.lookUp(channel)
            sync.noteMade(requestID)
            return .end(.done)
        }
        if change == .leave, error.code.deniesChannel {
            // An earlier attempt, another device or another member has ended the membership.
            sync.noteDeparture(from: channel)
            state = .committing
            return .need(.commit([.removeChannel(channel)], .answer))
        }
        return fail(error == .overdue ? .unanswered : error, &sync)
    }

    private func fail(_ error: RoostError, _ sync: inout SyncState) -> Step {
        sync.failAttempt(requestID, error, .change)
        return .end(.done)
    }
}
