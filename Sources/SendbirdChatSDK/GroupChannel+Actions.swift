// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostDoors
import RoostModel

// What a user does to a channel; all of it needs a connection but reading and typing.

extension GroupChannel {
    private func act(
        _ handler: SBErrorHandler?,
        _ work: @escaping @Sendable (ChatClient, ChannelURL) async throws(RoostError) -> Void
    ) {
        let url = value.url
        SendbirdChat.door.perform(then: .done(handler)) { client throws(RoostError) in
            try await work(client, url)
        }
    }

    public func join(completionHandler: SBErrorHandler? = nil) {
        act(completionHandler) { client, url throws(RoostError) in try await client.join(url) }
    }

    public func leave(completionHandler: SBErrorHandler? = nil) {
        act(completionHandler) { client, url throws(RoostError) in try await client.leave(url) }
    }

    public func inviteUserIds(
        _ userIds: [String], completionHandler: SBErrorHandler? = nil
    ) {
        act(completionHandler) { client, url throws(RoostError) in
            try await client.invite(userIds.map { UserID($0) }, to: url)
        }
    }

    public func acceptInvitation(completionHandler: SBErrorHandler? = nil) {
        act(completionHandler) { client, url throws(RoostError) in
            try await client.acceptInvitation(to: url)
        }
    }

    public func declineInvitation(completionHandler: SBErrorHandler? = nil) {
        act(completionHandler) { client, url throws(RoostError) in
            try await client.declineInvitation(to: url)
        }
    }

    public func delete(completionHandler: SBErrorHandler? = nil) {
        act(completionHandler) { client, url throws(RoostError) in
            try await client.deleteChannel(url)
        }
    }

    public func freeze(completionHandler: SBErrorHandler? = nil) {
        act(completionHandler) { client, url throws(RoostError) in
            try await client.setFrozen(true, url)
        }
    }

    public func unfreeze(completionHandler: SBErrorHandler? = nil) {
        act(completionHandler) { client, url throws(RoostError) in
            try await client.setFrozen(false, url)
        }
    }

    public func hide(
        hidePreviousMessages: Bool = false, allowAutoUnhide: Bool = true,
        completionHandler: SBErrorHandler? = nil
    ) {
        act(completionHandler) { client, url throws(RoostError) in
            try await client.hide(
                url, hidesPrevious: hidePreviousMessages, allowsAutoUnhide: allowAutoUnhide)
        }
    }

    public func unhide(completionHandler: SBErrorHandler? = nil) {
        act(completionHandler) { client, url throws(RoostError) in
            try await client.unhide(url)
        }
    }

    public func resetMyHistory(completionHandler: SBErrorHandler? = nil) {
        act(completionHandler) { client, url throws(RoostError) in
            try await client.resetHistory(of: url)
        }
    }

    /// Changes what the params name.
    public func update(
        params: GroupChannelUpdateParams, completionHandler: GroupChannelHandler? = nil
    ) {
        let (url, params) = (value.url, params.value)
        SendbirdChat.door.perform(then: .channel(completionHandler)) {
            client throws(RoostError) in try await client.update(url, params)
        }
    }

    /// The channel as it is now.
    public func refresh(completionHandler: GroupChannelHandler? = nil) {
        GroupChannel.getChannel(url: channelURL, completionHandler: completionHandler)
    }

    /// Marks everything as read.
    public func markAsRead(completionHandler: SBErrorHandler? = nil) {
        act(completionHandler) { client, url throws(RoostError) in
            try await client.markAsRead(url)
        }
    }

    /// May be called with every key.
    public func startTyping() {
        act(nil) { client, url throws(RoostError) in await client.startTyping(in: url) }
    }

    public func endTyping() {
        act(nil) { client, url throws(RoostError) in await client.endTyping(in: url) }
    }
}
