// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostDoors
import RoostModel

extension SendbirdChat {
    private static let connectionDelegates = DelegateList()
    private static let channelDelegates = DelegateList()
    private static let userEventDelegates = DelegateList()

    // MARK: The connection

    /// Registers a delegate under an identifier; an earlier one of the same identifier is replaced.
    ///
    /// The delegate is held weakly.
    public class func addConnectionDelegate(
        _ delegate: any ConnectionDelegate, identifier: String
    ) {
        connectionDelegates.add(delegate, identifier)
    }

    /// Removes the connection delegate of an identifier.
    public class func removeConnectionDelegate(forIdentifier identifier: String) {
        connectionDelegates.remove(identifier)
    }

    /// Removes all connection delegates.
    public class func removeAllConnectionDelegates() { connectionDelegates.removeAll() }

    /// Returns the connection delegate of an identifier; nil for none.
    public class func connectionDelegate(
        forIdentifier identifier: String
    ) -> (any ConnectionDelegate)? {
        connectionDelegates.delegate(identifier) as? any ConnectionDelegate
    }

    // MARK: Channels

    /// Registers a delegate under an identifier; an earlier one of the same identifier is replaced.
    ///
    /// The delegate is held weakly.
    public class func addChannelDelegate(
        _ delegate: any BaseChannelDelegate, identifier: String
    ) {
        channelDelegates.add(delegate, identifier)
    }

    /// Removes the channel delegate of an identifier.
    public class func removeChannelDelegate(forIdentifier identifier: String) {
        channelDelegates.remove(identifier)
    }

    /// Removes all channel delegates; collections are not affected.
    public class func removeAllChannelDelegates() { channelDelegates.removeAll() }

    /// Returns the channel delegate of an identifier; nil for none.
    public class func channelDelegate(
        forIdentifier identifier: String
    ) -> (any BaseChannelDelegate)? {
        channelDelegates.delegate(identifier) as? any BaseChannelDelegate
    }

    // MARK: The user

    /// Registers a delegate under an identifier; an earlier one of the same identifier is replaced.
    ///
    /// The delegate is held weakly.
    public class func addUserEventDelegate(
        _ delegate: any UserEventDelegate, identifier: String
    ) {
        userEventDelegates.add(delegate, identifier)
    }

    /// Removes the user event delegate of an identifier.
    public class func removeUserEventDelegate(forIdentifier identifier: String) {
        userEventDelegates.remove(identifier)
    }

    /// Removes all user event delegates.
    public class func removeAllUserEventDelegates() { userEventDelegates.removeAll() }

    /// Returns the user event delegate of an identifier; nil for none.
    public class func userEventDelegate(
        forIdentifier identifier: String
    ) -> (any UserEventDelegate)? {
        userEventDelegates.delegate(identifier) as? any UserEventDelegate
    }

    // MARK: Calls

    /// Passes on an event of a client; the door calls it on the app's queue.
    class func receive(_ event: ClientEvent) {
        switch event {
        case .connection(let step, let state, let user):
            connectionDelegates.callEach { (delegate: any ConnectionDelegate) in
                notify(delegate, step, user)
            }
            session.note(step, state, of: user)
        case .event(.unreadTotalChanged(let count), _):
            userEventDelegates.callEach { (delegate: any UserEventDelegate) in
                delegate.didUpdateTotalUnreadMessageCount(
                    Int32(clamping: count), totalCountByCustomType: nil)
                delegate.didUpdateTotalUnreadMessageCount(
                    unreadMessageCount: UnreadMessageCount(count))
            }
        case .event(.openChannel(let event), let channel):
            channelDelegates.callEach { (delegate: any BaseChannelDelegate) in
                notify(
                    delegate, event, value(of: event, channel).map { OpenChannel(kept: $0) }
                )
            }
        case .event(let event, let channel):
            channelDelegates.callEach { (delegate: any BaseChannelDelegate) in
                notify(
                    delegate, event,
                    value(of: event, channel).map { GroupChannel(kept: $0) })
            }
        }
    }

    /// Returns the channel of an event; of a channel that is gone only the URL.
    private class func value(
        of event: ChatEvent, _ channel: RoostModel.GroupChannel?
    ) -> RoostModel.GroupChannel? {
        channel ?? event.channel.map { RoostModel.GroupChannel(url: $0) }
    }

    private class func notify(
        _ delegate: any ConnectionDelegate, _ step: ConnectionStep, _ user: UserID
    ) {
        switch step {
        case .connected: delegate.didConnect(userId: user.rawValue)
        case .lost: delegate.didStartReconnection()
        case .regained: delegate.didSucceedReconnection()
        case .givenUp: delegate.didFailReconnection()
        case .disconnected: delegate.didDisconnect(userId: user.rawValue)
        case .refused: break
        }
    }

    private class func notify(
        _ delegate: any BaseChannelDelegate, _ event: ChatEvent, _ channel: GroupChannel?
    ) {
        if case .channelDeleted(let url) = event {
            return delegate.channelWasDeleted(url.rawValue, channelType: .group)
        }
        guard let channel else { return }
        event.tell(delegate, about: channel)
        if let delegate = delegate as? any GroupChannelDelegate {
            event.tell(delegate, about: channel)
        }
    }

    private class func notify(
        _ delegate: any BaseChannelDelegate, _ event: ChatEvent, _ channel: OpenChannel?
    ) {
        if case .channelDeleted(let url) = event {
            return delegate.channelWasDeleted(url.rawValue, channelType: .open)
        }
        guard let channel else { return }
        event.tell(delegate, about: channel)
        if let delegate = delegate as? any OpenChannelDelegate {
            event.tell(delegate, about: channel)
        }
    }
}

// Each event is told by the methods of its own, whichever protocol has them.

extension ChatEvent {
    fileprivate func tell(_ delegate: any BaseChannelDelegate, about channel: BaseChannel) {
        switch self {
        case .messageReceived(let message):
            delegate.channel(channel, didReceive: BaseMessage.make(message))
        case .mentioned(let message):
            delegate.channel(channel, didReceiveMention: BaseMessage.make(message))
        case .messageUpdated(let message):
            delegate.channel(channel, didUpdate: BaseMessage.make(message))
        case .messageDeleted(let id, _):
            delegate.channel(channel, messageWasDeleted: id.rawValue)
        case .reactionChanged(let change, let id, _):
            delegate.channel(
                channel, updatedReaction: ReactionEvent(change, of: id.rawValue))
        case .threadChanged(let info, let id, _):
            delegate.channel(
                channel, didUpdateThreadInfo: ThreadInfoUpdateEvent(info, of: id, in: channel))
        case .frozen(true, _): delegate.channelWasFrozen(channel)
        case .frozen(false, _): delegate.channelWasUnfrozen(channel)
        case .operatorsChanged: delegate.channelDidUpdateOperators(channel)
        case .muted(let user, _):
            delegate.channel(channel, userWasMuted: RestrictedUser(user, .muted))
        case .unmuted(let user, _): delegate.channel(channel, userWasUnmuted: User(user))
        case .banned(let user, _):
            delegate.channel(channel, userWasBanned: RestrictedUser(user, .banned))
        case .unbanned(let user, _): delegate.channel(channel, userWasUnbanned: User(user))
        case .metadataChanged(let created, let updated, let deleted, _):
            if !created.isEmpty { delegate.channel(channel, createdMetaData: created) }
            if !updated.isEmpty { delegate.channel(channel, updatedMetaData: updated) }
            if !deleted.isEmpty { delegate.channel(channel, deletedMetaDataKeys: deleted) }
        case .countersChanged(let created, let updated, let deleted, _):
            if !created.isEmpty {
                delegate.channel(channel, createdMetaCounters: created.counts)
            }
            if !updated.isEmpty {
                delegate.channel(channel, updatedMetaCounters: updated.counts)
            }
            if !deleted.isEmpty { delegate.channel(channel, deletedMetaCountersKeys: deleted) }
        case .channelChanged, .pinsChanged, .unhidden: delegate.channelWasChanged(channel)
        case .channelDeleted, .joined, .left, .invited, .declined, .memberCountsChanged, .typing,
            .read, .delivered, .hidden, .unreadTotalChanged, .blocked, .unblocked,
            .pollVoted, .pollChanged, .entered, .exited, .openChannel, .storageRepaired, .missed:
            break
        }
    }

    fileprivate func tell(_ delegate: any GroupChannelDelegate, about channel: GroupChannel) {
        switch self {
        case .joined(let members, _):
            for member in members { delegate.channel(channel, userDidJoin: Member(member)) }
        case .left(let user, _): delegate.channel(channel, userDidLeave: User(user))
        case .invited(let members, let inviter, _):
            delegate.channel(
                channel, didReceiveInvitation: members.map { Member($0) },
                inviter: inviter.map { User($0) })
        case .declined(let user, let inviter, _):
            delegate.channel(
                channel, didDeclineInvitation: User(user), inviter: inviter.map { User($0) })
        case .memberCountsChanged: delegate.channelDidChangeMemberCount([channel])
        case .typing: delegate.channelDidUpdateTypingStatus(channel)
        case .read(let user, _, _):
            delegate.channelDidUpdateReadStatus(channel)
            delegate.channelDidUpdateReadStatus(channel, userIds: [user.id.rawValue])
            delegate.channelDidMarkAsRead(channel, userIds: [user.id.rawValue])
        case .delivered: delegate.channelDidUpdateDeliveryStatus(channel)
        case .pinsChanged: delegate.channelDidUpdatePinnedMessages(channel)
        case .hidden: delegate.channelWasHidden(channel)
        case .pollVoted(let votes, let id, _):
            delegate.channel(channel, didVotePoll: PollVoteEvent(votes, of: id))
        case .pollChanged(let poll, _, _) where poll.status == .removed:
            delegate.channel(channel, pollWasDeleted: poll.id.rawValue)
        case .pollChanged(let poll, let id, _):
            delegate.channel(channel, didUpdatePoll: PollUpdateEvent(poll, of: id))
        case .messageReceived, .messageUpdated, .messageDeleted, .mentioned, .reactionChanged,
            .threadChanged, .channelChanged, .channelDeleted, .frozen, .unhidden, .muted, .unmuted,
            .banned, .unbanned, .operatorsChanged, .metadataChanged, .countersChanged,
            .unreadTotalChanged, .blocked, .unblocked, .entered, .exited, .openChannel,
            .storageRepaired, .missed:
            break
        }
    }

    fileprivate func tell(_ delegate: any OpenChannelDelegate, about channel: OpenChannel) {
        switch self {
        case .entered(let user, _, _):
            delegate.channel(channel, userDidEnter: User(user))
            delegate.channelDidChangeParticipantCount([channel])
        case .exited(let user, _, _):
            delegate.channel(channel, userDidExit: User(user))
            delegate.channelDidChangeParticipantCount([channel])
        case .memberCountsChanged: delegate.channelDidChangeParticipantCount([channel])
        case .pinsChanged: delegate.channelDidUpdatePinnedMessages(channel)
        case .pollVoted(let votes, let id, _):
            delegate.channel(channel, didVotePoll: PollVoteEvent(votes, of: id))
        case .pollChanged(let poll, _, _) where poll.status == .removed:
            delegate.channel(channel, pollWasDeleted: poll.id.rawValue)
        case .pollChanged(let poll, let id, _):
            delegate.channel(channel, didUpdatePoll: PollUpdateEvent(poll, of: id))
        case .messageReceived, .messageUpdated, .messageDeleted, .mentioned, .reactionChanged,
            .threadChanged, .channelChanged, .channelDeleted, .joined, .left, .invited, .declined,
            .typing, .read, .delivered, .frozen, .hidden, .unhidden, .muted, .unmuted, .banned,
            .unbanned, .operatorsChanged, .metadataChanged, .countersChanged, .unreadTotalChanged,
            .blocked, .unblocked, .openChannel, .storageRepaired, .missed:
            break
        }
    }
}
