// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostDoors
import RoostModel

extension SBDMain {
    private static let connectionDelegates = DelegateList()
    private static let channelDelegates = DelegateList()
    private static let userEventDelegates = DelegateList()

    // MARK: Registration; delegates are held weakly

    /// Registers a delegate under an identifier; an earlier one of the same identifier is replaced.
    ///
    /// The delegate is held weakly.
    public class func add(_ delegate: any SBDConnectionDelegate, identifier: String) {
        connectionDelegates.add(delegate, identifier)
    }

    /// Registers a delegate under an identifier; an earlier one of the same identifier is replaced.
    ///
    /// The delegate is held weakly.
    public class func add(_ delegate: any SBDChannelDelegate, identifier: String) {
        channelDelegates.add(delegate, identifier)
    }

    /// Registers a delegate under an identifier; an earlier one of the same identifier is replaced.
    ///
    /// The delegate is held weakly.
    public class func add(_ delegate: any SBDUserEventDelegate, identifier: String) {
        userEventDelegates.add(delegate, identifier)
    }

    /// Removes the connection delegate of an identifier.
    public class func removeConnectionDelegate(forIdentifier identifier: String) {
        connectionDelegates.remove(identifier)
    }

    /// Removes all connection delegates.
    public class func removeAllConnectionDelegates() { connectionDelegates.removeAll() }

    /// Removes the channel delegate of an identifier.
    public class func removeChannelDelegate(forIdentifier identifier: String) {
        channelDelegates.remove(identifier)
    }

    /// Removes all channel delegates; collections are not affected.
    public class func removeAllChannelDelegates() { channelDelegates.removeAll() }

    /// Removes the user event delegate of an identifier.
    public class func removeUserEventDelegate(forIdentifier identifier: String) {
        userEventDelegates.remove(identifier)
    }

    /// Removes all user event delegates.
    public class func removeAllUserEventDelegates() { userEventDelegates.removeAll() }

    // MARK: Delivery

    /// Passes on an event of a client; the door calls it on the app's queue.
    class func receive(_ event: ClientEvent) {
        switch event {
        case .connection(let step, let state, let user):
            session.note(step, state, of: user)
            connectionDelegates.callEach { (delegate: any SBDConnectionDelegate) in
                notify(delegate, step)
            }
        case .event(.unreadTotalChanged(let count), _):
            userEventDelegates.callEach { (delegate: any SBDUserEventDelegate) in
                delegate.didUpdateTotalUnreadMessageCount(
                    Int32(clamping: count), totalCountByCustomType: nil)
            }
        case .event(.openChannel(let event), let channel):
            channelDelegates.callEach { (delegate: any SBDChannelDelegate) in
                notify(
                    delegate, event,
                    value(of: event, channel).map { SBDOpenChannel(kept: $0) })
            }
        case .event(let event, let channel):
            channelDelegates.callEach { (delegate: any SBDChannelDelegate) in
                notify(
                    delegate, event,
                    value(of: event, channel).map { SBDGroupChannel(kept: $0) })
            }
        }
    }

    private class func notify(_ delegate: any SBDConnectionDelegate, _ step: ConnectionStep) {
        switch step {
        case .lost: delegate.didStartReconnection()
        case .regained: delegate.didSucceedReconnection()
        case .givenUp: delegate.didFailReconnection()
        case .connected, .refused, .disconnected: break
        }
    }

    /// Returns the channel of an event; of a channel that is gone only the URL.
    private class func value(
        of event: ChatEvent, _ channel: GroupChannel?
    ) -> GroupChannel? {
        channel ?? event.channel.map { GroupChannel(url: $0) }
    }

    private class func notify(
        _ delegate: any SBDChannelDelegate, _ event: ChatEvent, _ channel: SBDGroupChannel?
    ) {
        if case .channelDeleted(let url) = event {
            return delegate.channelWasDeleted(url.rawValue, channelType: .group)
        }
        guard let channel else { return }
        switch event {
        case .messageReceived, .messageUpdated, .messageDeleted, .reactionChanged, .threadChanged:
            notifyOfMessages(delegate, event, channel)
        case .read: delegate.channelDidUpdateReadReceipt(channel)
        case .delivered: delegate.channelDidUpdateDeliveryReceipt(channel)
        case .typing: delegate.channelDidUpdateTypingStatus(channel)
        case .joined, .left, .invited, .declined, .memberCountsChanged:
            notifyOfMembers(delegate, event, channel)
        case .muted, .unmuted, .banned, .unbanned: notifyOfModeration(delegate, event, channel)
        case .frozen, .hidden, .unhidden, .operatorsChanged, .metadataChanged, .countersChanged,
            .channelChanged, .pinsChanged:
            notifyOfProperties(delegate, event, channel)
        case .channelDeleted, .blocked, .unblocked, .mentioned, .missed, .storageRepaired,
            .unreadTotalChanged, .pollVoted, .pollChanged, .entered, .exited, .openChannel:
            break
        }
    }

    private class func notifyOfMembers(
        _ delegate: any SBDChannelDelegate, _ event: ChatEvent, _ channel: SBDGroupChannel
    ) {
        switch event {
        case .joined(let members, _):
            for member in members { delegate.channel(channel, userDidJoin: SBDMember(member)) }
        case .left(let user, _): delegate.channel(channel, userDidLeave: SBDUser(user))
        case .invited(let members, let inviter, _):
            delegate.channel(
                channel, didReceiveInvitation: members.map { SBDMember($0) },
                inviter: inviter.map { SBDUser($0) })
        case .declined(let user, let inviter, _):
            delegate.channel(
                channel, didDeclineInvitation: SBDUser(user),
                inviter: inviter.map { SBDUser($0) })
        case .memberCountsChanged: delegate.channelDidChangeMemberCount([channel])
        default: break
        }
    }

    private class func notifyOfProperties(
        _ delegate: any SBDChannelDelegate, _ event: ChatEvent, _ channel: SBDBaseChannel
    ) {
        switch event {
        case .frozen(true, _): delegate.channelWasFrozen(channel)
        case .frozen(false, _): delegate.channelWasUnfrozen(channel)
        case .hidden:
            if let channel = channel as? SBDGroupChannel { delegate.channelWasHidden(channel) }
        case .operatorsChanged: delegate.channelDidUpdateOperators(channel)
        case .metadataChanged(let created, let updated, let deleted, _):
            if !created.isEmpty { delegate.channel(channel, createdMetaData: created) }
            if !updated.isEmpty { delegate.channel(channel, updatedMetaData: updated) }
            if !deleted.isEmpty { delegate.channel(channel, deletedMetaDataKeys: deleted) }
        case .countersChanged(let created, let updated, let deleted, _):
            func numbers(_ counters: [String: Int64]) -> [String: NSNumber] {
                counters.mapValues { NSNumber(value: $0) }
            }
            if !created.isEmpty {
                delegate.channel(channel, createdMetaCounters: numbers(created))
            }
            if !updated.isEmpty {
                delegate.channel(channel, updatedMetaCounters: numbers(updated))
            }
            if !deleted.isEmpty { delegate.channel(channel, deletedMetaCountersKeys: deleted) }
        default: break
        }
        delegate.channelWasChanged(channel)
    }

    private class func notifyOfModeration(
        _ delegate: any SBDChannelDelegate, _ event: ChatEvent, _ channel: SBDBaseChannel
    ) {
        switch event {
        case .muted(let user, _): delegate.channel(channel, userWasMuted: SBDUser(user.user))
        case .unmuted(let user, _): delegate.channel(channel, userWasUnmuted: SBDUser(user))
        case .banned(let user, _): delegate.channel(channel, userWasBanned: SBDUser(user.user))
        case .unbanned(let user, _): delegate.channel(channel, userWasUnbanned: SBDUser(user))
        default: break
        }
    }

    private class func notifyOfMessages(
        _ delegate: any SBDChannelDelegate, _ event: ChatEvent, _ channel: SBDBaseChannel
    ) {
        switch event {
        case .messageReceived(let message):
            delegate.channel(channel, didReceive: SBDBaseMessage.make(message))
        case .messageUpdated(let message):
            delegate.channel(channel, didUpdate: SBDBaseMessage.make(message))
        case .messageDeleted(let id, _):
            delegate.channel(channel, messageWasDeleted: id.rawValue)
        case .reactionChanged(let change, let id, _):
            delegate.channel(channel, updatedReaction: SBDReactionEvent(change, of: id.rawValue))
        case .threadChanged(let info, let id, _):
            delegate.channel(
                channel, didUpdate: SBDThreadInfoUpdateEvent(info, of: id, in: channel))
        default: break
        }
    }

    private class func notify(
        _ delegate: any SBDChannelDelegate, _ event: ChatEvent, _ channel: SBDOpenChannel?
    ) {
        if case .channelDeleted(let url) = event {
            return delegate.channelWasDeleted(url.rawValue, channelType: .open)
        }
        guard let channel else { return }
        switch event {
        case .entered(let user, _, _):
            delegate.channel(channel, userDidEnter: SBDUser(user))
            delegate.channelDidChangeParticipantCount([channel])
        case .exited(let user, _, _):
            delegate.channel(channel, userDidExit: SBDUser(user))
            delegate.channelDidChangeParticipantCount([channel])
        case .memberCountsChanged: delegate.channelDidChangeParticipantCount([channel])
        case .messageReceived, .messageUpdated, .messageDeleted, .reactionChanged, .threadChanged:
            notifyOfMessages(delegate, event, channel)
        case .muted, .unmuted, .banned, .unbanned: notifyOfModeration(delegate, event, channel)
        case .frozen, .operatorsChanged, .metadataChanged, .countersChanged, .channelChanged,
            .pinsChanged:
            notifyOfProperties(delegate, event, channel)
        case .channelDeleted, .joined, .left, .invited, .declined, .typing, .read, .delivered,
            .hidden, .unhidden, .unreadTotalChanged, .blocked, .unblocked, .mentioned, .pollVoted,
            .pollChanged, .openChannel, .storageRepaired, .missed:
            break
        }
    }
}
