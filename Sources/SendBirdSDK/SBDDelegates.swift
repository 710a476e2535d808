// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostDoors
import RoostModel

/// What happens to the connection.
public protocol SBDConnectionDelegate: AnyObject {
    func didStartReconnection()
    func didSucceedReconnection()
    func didFailReconnection()
}

extension SBDConnectionDelegate {
    public func didStartReconnection() {}
    public func didSucceedReconnection() {}
    public func didFailReconnection() {}
}

/// What happens in channels, as it happens; the user's own messages do not come.
public protocol SBDChannelDelegate: AnyObject {
    func channel(_ sender: SBDBaseChannel, didReceive message: SBDBaseMessage)
    func channel(_ sender: SBDBaseChannel, didUpdate message: SBDBaseMessage)
    func channel(_ sender: SBDBaseChannel, messageWasDeleted messageId: Int64)
    func channelWasChanged(_ sender: SBDBaseChannel)
    func channelWasDeleted(_ channelUrl: String, channelType: SBDChannelType)
    func channel(_ sender: SBDGroupChannel, userDidJoin user: SBDUser)
    func channel(_ sender: SBDGroupChannel, userDidLeave user: SBDUser)
    func channelDidUpdateReadReceipt(_ sender: SBDGroupChannel)
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

    /// The delegate is not kept alive; another one of the same name takes its place.
    public class func add(_ delegate: any SBDConnectionDelegate, identifier: String) {
        listen()
        connectionDelegates.add(delegate, identifier)
    }

    /// The delegate is not kept alive; another one of the same name takes its place.
    public class func add(_ delegate: any SBDChannelDelegate, identifier: String) {
        listen()
        channelDelegates.add(delegate, identifier)
    }

    public class func removeConnectionDelegate(forIdentifier identifier: String) {
        connectionDelegates.remove(identifier)
    }

    public class func removeAllConnectionDelegates() { connectionDelegates.removeAll() }

    public class func removeChannelDelegate(forIdentifier identifier: String) {
        channelDelegates.remove(identifier)
    }

    /// Harmless: collections hear by another way.
    public class func removeAllChannelDelegates() { channelDelegates.removeAll() }

    private class func listen() {
        door.listen { news in
            door.queue.async {
                switch news {
                case .connection(let step, _):
                    for case let delegate as any SBDConnectionDelegate in connectionDelegates.all {
                        tell(delegate, step)
                    }
                case .event(let event, let channel):
                    for case let delegate as any SBDChannelDelegate in channelDelegates.all {
                        tell(delegate, event, channel.map { SBDGroupChannel($0) })
                    }
                }
            }
        }
    }

    private class func tell(_ delegate: any SBDConnectionDelegate, _ step: ConnectionStep) {
        switch step {
        case .lost: delegate.didStartReconnection()
        case .regained: delegate.didSucceedReconnection()
        case .givenUp: delegate.didFailReconnection()
        case .connected, .disconnected: break
        }
    }

    private class func tell(
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
