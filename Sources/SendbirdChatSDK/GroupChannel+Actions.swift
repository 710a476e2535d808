// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostDoors
import RoostModel

// Actions of the user in a channel. All of them need a connection; without one, typing is not
// reported.

extension GroupChannel {
    // MARK: Membership

    /// Joins a public channel.
    public func join(completionHandler: SBErrorHandler? = nil) {
        join(accessCode: nil, completionHandler: completionHandler)
    }

    /// Joins a public channel with the code that it asks for.
    public func join(accessCode: String?, completionHandler: SBErrorHandler? = nil) {
        act(completionHandler) { client, url throws(RoostError) in
            try await client.join(url, accessCode: accessCode)
        }
    }

    /// Leaves the channel; nothing of it stays in the cache.
    public func leave(completionHandler: SBErrorHandler? = nil) {
        act(completionHandler) { client, url throws(RoostError) in
            try await client.makeNow(.leave, in: url)
        }
    }

    /// Invites a user, who joins at once when accepting invitations automatically.
    public func inviteUser(_ user: User, completionHandler: SBErrorHandler? = nil) {
        inviteUserIds([user.userId], completionHandler: completionHandler)
    }

    /// Invites users; those who accept invitations automatically join at once.
    public func inviteUsers(_ users: [User], completionHandler: SBErrorHandler? = nil) {
        inviteUserIds(users.map(\.userId), completionHandler: completionHandler)
    }

    /// Invites a user, who joins at once when accepting invitations automatically.
    public func inviteUserId(_ userId: String, completionHandler: SBErrorHandler? = nil) {
        inviteUserIds([userId], completionHandler: completionHandler)
    }

    /// Invites users; those who accept invitations automatically join at once.
    public func inviteUserIds(
        _ userIds: [String], completionHandler: SBErrorHandler? = nil
    ) {
        act(completionHandler) { client, url throws(RoostError) in
            try await client.makeNow(.invite(userIds.map { UserID($0) }), in: url)
        }
    }

    /// Accepts the invitation and joins the channel.
    public func acceptInvitation(completionHandler: SBErrorHandler? = nil) {
        acceptInvitation(accessCode: nil, completionHandler: completionHandler)
    }

    /// Accepts the invitation and joins the channel with the code that it asks for.
    public func acceptInvitation(
        accessCode: String?, completionHandler: SBErrorHandler? = nil
    ) {
        act(completionHandler) { client, url throws(RoostError) in
            try await client.acceptInvitation(to: url, accessCode: accessCode)
        }
    }

    /// Declines the invitation.
    public func declineInvitation(completionHandler: SBErrorHandler? = nil) {
        act(completionHandler) { client, url throws(RoostError) in
            try await client.declineInvitation(to: url)
        }
    }

    // MARK: The channel

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

    /// Changes the properties that the parameters name.
    public func update(
        params: GroupChannelUpdateParams, completionHandler: GroupChannelHandler? = nil
    ) { update(params: params, progressHandler: nil, completionHandler: completionHandler) }

    /// Changes the properties that the parameters name; the progress of a cover image is reported
    /// once, at its end.
    public func update(
        params: GroupChannelUpdateParams, progressHandler: ProgressHandler?,
        completionHandler: GroupChannelHandler? = nil
    ) {
        guard let value = params.value else {
            return SendbirdChat.door.refuse(completionHandler, params.refusal)
        }
        let cover = CoverImage(params.coverImage)
        ask(.channel(cover.reporting(to: progressHandler, then: completionHandler))) {
            client, url throws(RoostError) in
            var value = value
            if let address = try await cover.upload(client) { value.coverURL = address }
            return try await client.changeNow(.update(value), in: url)
        }
    }

    /// Updates this object to the channel in the cache, or at the server if the cache does not have
    /// it.
    ///
    /// Directly after a reconnection the cache shows the time before the outage, until the change
    /// logs are read. The object follows then by itself.
    public func refresh(completionHandler: SBErrorHandler? = nil) {
        let question = ChannelQuestion(SendbirdChat.door)
        let answer = { [self] (channel: RoostModel.GroupChannel?, error: SBError?) in
            if let channel { update(to: channel, answering: question) }
            completionHandler?(error)
        }
        ask(.answer(answer) { $0 }) { client, url throws(RoostError) in
            try await client.channel(url)
        }
    }

    // MARK: The user's view

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
            try await client.hideNow(
                url, hidesPrevious: hidePreviousMessages, allowsAutoUnhide: allowAutoUnhide)
        }
    }

    /// Shows the channel in the user's lists again.
    public func unhide(completionHandler: SBErrorHandler? = nil) {
        act(completionHandler) { client, url throws(RoostError) in
            try await client.makeNow(.unhide, in: url)
        }
    }

    /// Makes all messages up to now invisible to the user for good.
    public func resetMyHistory(completionHandler: SBErrorHandler? = nil) {
        act(completionHandler) { client, url throws(RoostError) in
            try await client.resetHistory(of: url)
        }
    }

    /// Marks all messages of the channel as read.
    public func markAsRead(completionHandler: SBErrorHandler? = nil) {
        act(completionHandler) { client, url throws(RoostError) in
            try await client.markAsReadNow(url, awaitingServer: true)
        }
    }

    /// Marks a message and all later ones as unread.
    public func markAsUnread(message: BaseMessage, completionHandler: SBErrorHandler? = nil) {
        let id = MessageID(message.messageId)
        act(completionHandler) { client, url throws(RoostError) in
            try await client.markAsUnread(url, from: id)
        }
    }

    /// Reports that the user is typing; may be called with every key.
    public func startTyping() {
        let url = value.url
        SendbirdChat.door.perform(then: .done(nil)) { client throws(RoostError) in
            await client.startTyping(in: url)
        }
    }

    /// Reports that the user has stopped typing.
    public func endTyping() {
        let url = value.url
        SendbirdChat.door.perform(then: .done(nil)) { client throws(RoostError) in
            await client.endTyping(in: url)
        }
    }

    /// Sets the messages of the channel that cause a push to the user.
    public func setMyPushTriggerOption(
        _ pushTriggerOption: GroupChannelPushTriggerOption,
        completionHandler: SBErrorHandler? = nil
    ) {
        let trigger = pushTriggerOption.value
        act(completionHandler) { client, url throws(RoostError) in
            try await client.makeNow(.setPushTrigger(trigger), in: url)
        }
    }

    /// Returns the messages of the channel that cause a push to the user; `.default` beside an
    /// error.
    public func getMyPushTriggerOption(
        completionHandler: GroupChannelPushTriggerOptionHandler? = nil
    ) {
        let answer = { (option: GroupChannelPushTriggerOption?, error: SBError?) in
            completionHandler?(option ?? .default, error) ?? ()
        }
        ask(.answer(answer) { GroupChannelPushTriggerOption($0) }) {
            client, url throws(RoostError) in
            try await client.channel(url).pushTrigger
        }
    }

    /// Sets the unread counts that include the channel.
    public func setMyCountPreference(
        _ preference: CountPreference, completionHandler: SBErrorHandler? = nil
    ) {
        let preference = preference.value
        act(completionHandler) { client, url throws(RoostError) in
            try await client.makeNow(.setCountPreference(preference), in: url)
        }
    }

    /// Fails, because the server takes no reports of screenshots.
    public func notifyScreenshotWasTaken(completionHandler: SBErrorHandler? = nil) {
        SendbirdChat.door.refuse(
            completionHandler, "The server takes no reports of screenshots.")
    }
}
