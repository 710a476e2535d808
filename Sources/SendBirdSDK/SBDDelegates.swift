// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostDoors
import RoostModel

/// The receiver of changes of the connection.
public protocol SBDConnectionDelegate: AnyObject {
    /// The connection was lost, and reconnecting has begun.
    func didStartReconnection()
    /// The client is connected again.
    func didSucceedReconnection()
    /// Reconnecting has ended without success, because the server refused for good.
    func didFailReconnection()
}

extension SBDConnectionDelegate {
    public func didStartReconnection() {}
    public func didSucceedReconnection() {}
    public func didFailReconnection() {}
}

/// The receiver of live events in channels; the user's own messages are not among them.
public protocol SBDChannelDelegate: AnyObject {
    /// A message of another user has arrived.
    func channel(_ sender: SBDBaseChannel, didReceive message: SBDBaseMessage)
    /// A message was edited.
    func channel(_ sender: SBDBaseChannel, didUpdate message: SBDBaseMessage)
    /// A message was deleted.
    func channel(_ sender: SBDBaseChannel, messageWasDeleted messageId: Int64)
    /// A property of the channel has changed.
    func channelWasChanged(_ sender: SBDBaseChannel)
    /// The channel was deleted.
    func channelWasDeleted(_ channelUrl: String, channelType: SBDChannelType)
    /// A user has joined the channel.
    func channel(_ sender: SBDGroupChannel, userDidJoin user: SBDUser)
    /// A user has left the channel.
    func channel(_ sender: SBDGroupChannel, userDidLeave user: SBDUser)
    /// A member has read messages.
    func channelDidUpdateReadReceipt(_ sender: SBDGroupChannel)
    /// A member has begun or stopped typing.
    func channelDidUpdateTypingStatus(_ sender: SBDGroupChannel)
}

extension SBDChannelDelegate {
    public func channel(_ sender: SBDBaseChannel, didReceive message: SBDBaseMessage) {}
    public func channel(_ sender: SBDBaseChannel, didUpdate message: SBDBaseMessage) {}
    public func channel(_ sender: SBDBaseChannel, messageWasDeleted messageId: Int64) {}
    public func channelWasChanged(_ sender: SBDBaseChannel) {}
    public func channelWasDeleted(_ channelUrl: String, channelType: SBDChannelType) {}
    public func channel(_ sender: SBDGroupChannel, userDidJoin user: SBDUser) {}
    public func channel(_ sender: SBDGroupChannel, userDidLeave user: SBDUser) {}
    public func channelDidUpdateReadReceipt(_ sender: SBDGroupChannel) {}
    public func channelDidUpdateTypingStatus(_ sender: SBDGroupChannel) {}
}

extension SBDMain {
    private static let connectionDelegates = DelegateList()
    private static let channelDelegates = DelegateList()

    /// Registers a delegate under an identifier; an earlier one of the same identifier is replaced.
    ///
    /// The delegate is held weakly.
    public class func add(_ delegate: any SBDConnectionDelegate, identifier: String) {
        listen()
        connectionDelegates.add(delegate, identifier)
    }

    /// Registers a delegate under an identifier; an earlier one of the same identifier is replaced.
    ///
    /// The delegate is held weakly.
    public class func add(_ delegate: any SBDChannelDelegate, identifier: String) {
        listen()
        channelDelegates.add(delegate, identifier)
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

    private class func listen() {
        door.listen { event in
            door.queue.async {
                switch event {
                case .connection(let step, _):
                    for case let delegate as any SBDConnectionDelegate in connectionDelegates.all {
                        notify(delegate, step)
                    }
                case .event(let event, let channel):
                    for case let delegate as any SBDChannelDelegate in channelDelegates.all {
                        notify(delegate, event, channel.map { SBDGroupChannel($0) })
                    }
                }
            }
        }
    }

    private class func notify(_ delegate: any SBDConnectionDelegate, _ step: ConnectionStep) {
        switch step {
        case .lost: delegate.didStartReconnection()
        case .regained: delegate.didSucceedReconnection()
        case .givenUp: delegate.didFailReconnection()
        case .connected, .disconnected: break
        }
    }

    private class func notify(
        _ delegate: any SBDChannelDelegate, _ event: ChatEvent, _ channel: SBDGroupChannel?
    ) {
        if case .channelDeleted(let url) = event {
            return delegate.channelWasDeleted(url.rawValue, channelType: .group)
        }
        guard let channel else { return }
        switch event {
        case .messageReceived(let message):
            delegate.channel(channel, didReceive: SBDBaseMessage.make(message))
        case .messageUpdated(let message):
            delegate.channel(channel, didUpdate: SBDBaseMessage.make(message))
        case .messageDeleted(let id, _):
            delegate.channel(channel, messageWasDeleted: id.rawValue)
        case .joined(let members, _):
            for member in members { delegate.channel(channel, userDidJoin: SBDMember(member)) }
        case .left(let user, _): delegate.channel(channel, userDidLeave: SBDUser(user))
        case .read: delegate.channelDidUpdateReadReceipt(channel)
        case .typing: delegate.channelDidUpdateTypingStatus(channel)
        case .channelChanged, .operatorsChanged, .metadataChanged, .frozen, .hidden, .unhidden:
            delegate.channelWasChanged(channel)
        default: break
        }
    }
}
