// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostDoors
import RoostModel

/// The receiver of changes of the connection.
public protocol ConnectionDelegate: AnyObject {
    /// The connection was lost, and reconnecting has begun.
    func didStartReconnection()
    /// The client is connected again.
    func didSucceedReconnection()
    /// Reconnecting has ended without success, because the server refused for good.
    func didFailReconnection()
    /// The user is connected.
    func didConnect(userId: String)
    /// The user is disconnected.
    func didDisconnect(userId: String)
}

extension ConnectionDelegate {
    public func didStartReconnection() {}
    public func didSucceedReconnection() {}
    public func didFailReconnection() {}
    public func didConnect(userId: String) {}
    public func didDisconnect(userId: String) {}
}

/// The receiver of live events in channels; changes during an absence go to collections only.
public protocol BaseChannelDelegate: AnyObject {
    /// A message of another user, or of this user on another device, has arrived.
    func channel(_ channel: BaseChannel, didReceive message: BaseMessage)
    /// A message was edited.
    func channel(_ channel: BaseChannel, didUpdate message: BaseMessage)
    /// A message was deleted.
    func channel(_ channel: BaseChannel, messageWasDeleted messageId: Int64)
    /// A reaction was added or removed.
    func channel(_ channel: BaseChannel, updatedReaction reactionEvent: ReactionEvent)
    /// A property of the channel has changed.
    func channelWasChanged(_ channel: BaseChannel)
    /// The channel was deleted.
    func channelWasDeleted(_ channelURL: String, channelType: ChannelType)
    /// The channel was frozen.
    func channelWasFrozen(_ channel: BaseChannel)
    /// The channel is no longer frozen.
    func channelWasUnfrozen(_ channel: BaseChannel)
}

extension BaseChannelDelegate {
    public func channel(_ channel: BaseChannel, didReceive message: BaseMessage) {}
    public func channel(_ channel: BaseChannel, didUpdate message: BaseMessage) {}
    public func channel(_ channel: BaseChannel, messageWasDeleted messageId: Int64) {}
    public func channel(_ channel: BaseChannel, updatedReaction reactionEvent: ReactionEvent) {}
    public func channelWasChanged(_ channel: BaseChannel) {}
    public func channelWasDeleted(_ channelURL: String, channelType: ChannelType) {}
    public func channelWasFrozen(_ channel: BaseChannel) {}
    public func channelWasUnfrozen(_ channel: BaseChannel) {}
}

/// The receiver of live events in group channels.
public protocol GroupChannelDelegate: BaseChannelDelegate {
    /// A user has joined the channel.
    func channel(_ channel: GroupChannel, userDidJoin user: User)
    /// A user has left the channel.
    func channel(_ channel: GroupChannel, userDidLeave user: User)
    /// Users were invited to the channel.
    func channel(_ channel: GroupChannel, didReceiveInvitation invitees: [User]?, inviter: User?)
    /// A member has begun or stopped typing.
    func channelDidUpdateTypingStatus(_ channel: GroupChannel)
    /// A member has read messages.
    func channelDidUpdateReadStatus(_ channel: GroupChannel)
    /// Messages have reached members.
    func channelDidUpdateDeliveryStatus(_ channel: GroupChannel)
}

extension GroupChannelDelegate {
    public func channel(_ channel: GroupChannel, userDidJoin user: User) {}
    public func channel(_ channel: GroupChannel, userDidLeave user: User) {}
    public func channel(
        _ channel: GroupChannel, didReceiveInvitation invitees: [User]?, inviter: User?
    ) {}
    public func channelDidUpdateTypingStatus(_ channel: GroupChannel) {}
    public func channelDidUpdateReadStatus(_ channel: GroupChannel) {}
    public func channelDidUpdateDeliveryStatus(_ channel: GroupChannel) {}
}

extension SendbirdChat {
    private static let connectionDelegates = DelegateList()
    private static let channelDelegates = DelegateList()

    /// Registers a delegate under an identifier; an earlier one of the same identifier is replaced.
    ///
    /// The delegate is held weakly.
    public class func addConnectionDelegate(
        _ delegate: any ConnectionDelegate, identifier: String
    ) {
        listen()
        connectionDelegates.add(delegate, identifier)
    }

    /// Removes the connection delegate of an identifier.
    public class func removeConnectionDelegate(forIdentifier identifier: String) {
        connectionDelegates.remove(identifier)
    }

    /// Removes all connection delegates.
    public class func removeAllConnectionDelegates() { connectionDelegates.removeAll() }

    /// Registers a delegate under an identifier; an earlier one of the same identifier is replaced.
    ///
    /// The delegate is held weakly.
    public class func addChannelDelegate(
        _ delegate: any BaseChannelDelegate, identifier: String
    ) {
        listen()
        channelDelegates.add(delegate, identifier)
    }

    /// Removes the channel delegate of an identifier.
    public class func removeChannelDelegate(forIdentifier identifier: String) {
        channelDelegates.remove(identifier)
    }

    /// Removes all channel delegates; collections are not affected.
    public class func removeAllChannelDelegates() { channelDelegates.removeAll() }

    private class func listen() {
        door.listen { event in
            door.queue.async {
                switch event {
                case .connection(let step, let user):
                    for case let delegate as any ConnectionDelegate in connectionDelegates.all {
                        notify(delegate, step, user)
                    }
                case .event(let event, let channel):
                    for case let delegate as any BaseChannelDelegate in channelDelegates.all {
                        notify(delegate, event, channel.map { GroupChannel($0) })
                    }
                }
            }
        }
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
        }
    }

    private class func notify(
        _ delegate: any BaseChannelDelegate, _ event: ChatEvent, _ channel: GroupChannel?
    ) {
        if case .channelDeleted(let url) = event {
            return delegate.channelWasDeleted(url.rawValue, channelType: .group)
        }
        guard let channel else { return }
        switch event {
        case .messageReceived(let message):
            delegate.channel(channel, didReceive: BaseMessage.make(message))
        case .messageUpdated(let message):
            delegate.channel(channel, didUpdate: BaseMessage.make(message))
        case .messageDeleted(let id, _):
            delegate.channel(channel, messageWasDeleted: id.rawValue)
        case .reactionChanged(let change, let id, _):
            delegate.channel(
                channel,
                updatedReaction: ReactionEvent(change, of: id.rawValue))
        case .frozen(let isFrozen, _):
            if isFrozen {
                delegate.channelWasFrozen(channel)
            } else {
                delegate.channelWasUnfrozen(channel)
            }
        case .channelChanged, .operatorsChanged, .metadataChanged, .countersChanged,
            .pinsChanged, .hidden, .unhidden, .memberCountsChanged:
            delegate.channelWasChanged(channel)
        default:
            if let delegate = delegate as? any GroupChannelDelegate {
                notify(delegate, event, channel)
            }
        }
    }

    private class func notify(
        _ delegate: any GroupChannelDelegate, _ event: ChatEvent, _ channel: GroupChannel
    ) {
        switch event {
        case .joined(let members, _):
            for member in members { delegate.channel(channel, userDidJoin: Member(member)) }
        case .left(let user, _): delegate.channel(channel, userDidLeave: User(user))
        case .invited(let members, let inviter, _):
            delegate.channel(
                channel, didReceiveInvitation: members.map { Member($0) },
                inviter: inviter.map { User($0) })
        case .typing: delegate.channelDidUpdateTypingStatus(channel)
        case .read: delegate.channelDidUpdateReadStatus(channel)
        case .delivered: delegate.channelDidUpdateDeliveryStatus(channel)
        default: break
        }
    }
}
