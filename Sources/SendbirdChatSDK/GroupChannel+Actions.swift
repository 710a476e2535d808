// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostDoors
import RoostModel

// Actions of the user in a channel. All of them need a connection, except for marking as read and
// typing.

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

    /// Joins a public channel.
    public func join(completionHandler: SBErrorHandler? = nil) {
        act(completionHandler) { client, url throws(RoostError) in try await client.join(url) }
    }

    /// Leaves the channel; nothing of it stays in the cache.
    public func leave(completionHandler: SBErrorHandler? = nil) {
        act(completionHandler) { client, url throws(RoostError) in try await client.leave(url) }
    }

    /// Invites users; those who accept invitations automatically join at once.
    public func inviteUserIds(
        _ userIds: [String], completionHandler: SBErrorHandler? = nil
    ) {
        act(completionHandler) { client, url throws(RoostError) in
            try await client.invite(userIds.map { UserID($0) }, to: url)
        }
    }

    /// Accepts the invitation and joins the channel.
    public func acceptInvitation(completionHandler: SBErrorHandler? = nil) {
        act(completionHandler) { client, url throws(RoostError) in
            try await client.acceptInvitation(to: url)
        }
    }

    /// Declines the invitation.
    public func declineInvitation(completionHandler: SBErrorHandler? = nil) {
        act(completionHandler) { client, url throws(RoostError) in
            try await client.declineInvitation(to: url)
        }
    }

    /// Deletes the channel for everybody; only operators may.
    public func delete(completionHandler: SBErrorHandler? = nil) {
        act(completionHandler) { client, url throws(RoostError) in
            try await client.deleteChannel(url)
        }
    }

    /// Lets only operators write; only operators may.
    public func freeze(completionHandler: SBErrorHandler? = nil) {
        act(completionHandler) { client, url throws(RoostError) in
            try await client.setFrozen(true, url)
        }
    }

    /// Lets all members write again; only operators may.
    public func unfreeze(completionHandler: SBErrorHandler? = nil) {
        act(completionHandler) { client, url throws(RoostError) in
            try await client.setFrozen(false, url)
        }
    }

    /// Hides the channel from the user's lists.
    ///
    /// - Parameters:
    ///   - hidePreviousMessages: Whether the messages up to now become invisible to the user for
    ///     good.
    ///   - allowAutoUnhide: Whether the next message shows the channel again.
    ///   - completionHandler: The handler of the outcome.
    public func hide(
        hidePreviousMessages: Bool = false, allowAutoUnhide: Bool = true,
        completionHandler: SBErrorHandler? = nil
    ) {
        act(completionHandler) { client, url throws(RoostError) in
            try await client.hide(
                url, hidesPrevious: hidePreviousMessages, allowsAutoUnhide: allowAutoUnhide)
        }
    }

    /// Shows the channel in the user's lists again.
    public func unhide(completionHandler: SBErrorHandler? = nil) {
        act(completionHandler) { client, url throws(RoostError) in
            try await client.unhide(url)
        }
    }

    /// Makes all messages up to now invisible to the user for good.
    public func resetMyHistory(completionHandler: SBErrorHandler? = nil) {
        act(completionHandler) { client, url throws(RoostError) in
            try await client.resetHistory(of: url)
        }
    }

    /// Changes the properties that the parameters name.
    public func update(
        params: GroupChannelUpdateParams, completionHandler: GroupChannelHandler? = nil
    ) {
        let (url, params) = (value.url, params.value)
        SendbirdChat.door.perform(then: .channel(completionHandler)) {
            client throws(RoostError) in try await client.update(url, params)
        }
    }

    /// Fetches the channel from the server.
    public func refresh(completionHandler: GroupChannelHandler? = nil) {
        GroupChannel.getChannel(url: channelURL, completionHandler: completionHandler)
    }

    /// Marks all messages of the channel as read.
    public func markAsRead(completionHandler: SBErrorHandler? = nil) {
        act(completionHandler) { client, url throws(RoostError) in
            try await client.markAsRead(url)
        }
    }

    /// Reports that the user is typing; may be called with every key.
    public func startTyping() {
        act(nil) { client, url throws(RoostError) in await client.startTyping(in: url) }
    }

    /// Reports that the user has stopped typing.
    public func endTyping() {
        act(nil) { client, url throws(RoostError) in await client.endTyping(in: url) }
    }
}
