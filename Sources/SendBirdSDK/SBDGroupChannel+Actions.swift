// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostDoors
import RoostModel

extension SBDGroupChannel {
    // MARK: Membership

    /// Joins a public channel.
    public func join(completionHandler: SBDErrorHandler? = nil) {
        act(completionHandler) { client, url throws(RoostError) in try await client.join(url) }
    }

    /// Joins a public channel that asks for an access code.
    public func join(withAccessCode accessCode: String?, completionHandler: SBDErrorHandler?) {
        act(completionHandler) { client, url throws(RoostError) in
            try await client.join(url, accessCode: accessCode)
        }
    }

    /// Leaves the channel; nothing of it stays in the cache.
    public func leave(completionHandler: SBDErrorHandler? = nil) {
        act(completionHandler) { client, url throws(RoostError) in
            try await client.makeNow(.leave, in: url)
        }
    }

    /// Invites users; those who accept invitations automatically join at once.
    public func invite(_ users: [SBDUser], completionHandler: SBDErrorHandler? = nil) {
        inviteUserIds(users.map(\.userId), completionHandler: completionHandler)
    }

    /// Invites users; those who accept invitations automatically join at once.
    public func inviteUserIds(_ userIds: [String], completionHandler: SBDErrorHandler? = nil) {
        act(completionHandler) { client, url throws(RoostError) in
            try await client.makeNow(.invite(userIds.map { UserID($0) }), in: url)
        }
    }

    /// Accepts an invitation and joins the channel.
    public func acceptInvitation(completionHandler: SBDErrorHandler? = nil) {
        act(completionHandler) { client, url throws(RoostError) in
            try await client.acceptInvitation(to: url)
        }
    }

    /// Declines an invitation and removes the channel from the cache.
    public func declineInvitation(completionHandler: SBDErrorHandler? = nil) {
        act(completionHandler) { client, url throws(RoostError) in
            try await client.declineInvitation(to: url)
        }
    }

    // MARK: The channel

    /// Shows the channel as it is now, in all its objects; needs a connection.
    public func refresh(completionHandler: SBDErrorHandler? = nil) {
        let question = ChannelQuestion(SBDMain.door)
        let callback = Callback<Result<GroupChannel, RoostError>> { result in
            switch result {
            case .success(let channel):
                self.show(channel, answering: question)
                completionHandler?(nil)
            case .failure(let error): completionHandler?(SBDError(error))
            }
        }
        perform(then: callback) { client, url throws(RoostError) in
            // Without a connection the cache may be behind the server.
            guard case .connected = await client.connectionState else { throw .noConnection }
            return try await client.channel(url)
        }
    }

    /// Changes properties of the channel, and calls back with the changed channel.
    ///
    /// Properties that are nil stay as they are. Needs the rights of an operator.
    public func update(
        with params: SBDGroupChannelParams,
        completionHandler: ((SBDGroupChannel?, SBDError?) -> Void)?
    ) {
        let (change, picture, obstacle) = (
            params.change, params.picture, params.obstacle(to: value)
        )
        perform(then: .channel(completionHandler)) { client, url throws(RoostError) in
            if let obstacle { throw obstacle }
            var change = change
            if let picture { change.coverURL = try await client.uploadPicture(picture) }
            return try await client.changeNow(.update(change), in: url)
        }
    }

    /// Deletes the channel for everybody; needs the rights of an operator.
    public func delete(completionHandler: SBDErrorHandler? = nil) {
        act(completionHandler) { client, url throws(RoostError) in
            try await client.deleteChannel(url)
        }
    }

    /// Lets only operators write; needs the rights of an operator.
    public func freeze(completionHandler: SBDErrorHandler? = nil) {
        act(completionHandler) { client, url throws(RoostError) in
            try await client.setFrozen(true, url)
        }
    }

    /// Lets all members write again; needs the rights of an operator.
    public func unfreeze(completionHandler: SBDErrorHandler? = nil) {
        act(completionHandler) { client, url throws(RoostError) in
            try await client.setFrozen(false, url)
        }
    }

    // MARK: The user's own view

    /// Hides the channel from the user's lists until the next message.
    ///
    /// - Parameters:
    ///   - hidePreviousMessages: Whether the user's history begins anew.
    ///   - completionHandler: The receiver of the outcome.
    public func hideChannel(
        withHidePreviousMessages hidePreviousMessages: Bool,
        completionHandler: SBDErrorHandler? = nil
    ) {
        hideChannel(
            withHidePreviousMessages: hidePreviousMessages, allowAutoUnhide: true,
            completionHandler: completionHandler)
    }

    /// Hides the channel from the user's lists.
    ///
    /// - Parameters:
    ///   - hidePreviousMessages: Whether the user's history begins anew.
    ///   - allowAutoUnhide: Whether the next message shows the channel again.
    ///   - completionHandler: The receiver of the outcome.
    public func hideChannel(
        withHidePreviousMessages hidePreviousMessages: Bool, allowAutoUnhide: Bool,
        completionHandler: SBDErrorHandler? = nil
    ) {
        act(completionHandler) { client, url throws(RoostError) in
            try await client.hideNow(
                url, hidesPrevious: hidePreviousMessages, allowsAutoUnhide: allowAutoUnhide)
        }
    }

    /// Shows the channel in the user's lists again.
    public func unhideChannel(completionHandler: SBDErrorHandler? = nil) {
        act(completionHandler) { client, url throws(RoostError) in
            try await client.makeNow(.unhide, in: url)
        }
    }

    /// Begins the user's history of the channel anew; other members keep theirs.
    public func resetMyHistory(completionHandler: SBDErrorHandler? = nil) {
        act(completionHandler) { client, url throws(RoostError) in
            try await client.resetHistory(of: url)
        }
    }

    /// Sets the messages of the channel that cause a push to the user.
    public func setMyPushTriggerOption(
        _ option: SBDGroupChannelPushTriggerOption, completionHandler: SBDErrorHandler? = nil
    ) {
        act(completionHandler) { client, url throws(RoostError) in
            try await client.makeNow(.setPushTrigger(option.value), in: url)
        }
    }

    /// Marks all messages of the channel as read.
    public func markAsRead(completionHandler: SBDErrorHandler? = nil) {
        act(completionHandler) { client, url throws(RoostError) in
            try await client.markAsReadNow(url, awaitingServer: true)
        }
    }

    /// Reports that the user is typing; may be called with every key.
    public func startTyping() {
        let url = value.url
        SBDMain.door.perform(then: .done(nil)) { client throws(RoostError) in
            await client.startTyping(in: url)
        }
    }

    /// Reports that the user has stopped typing.
    public func endTyping() {
        let url = value.url
        SBDMain.door.perform(then: .done(nil)) { client throws(RoostError) in
            await client.endTyping(in: url)
        }
    }

    /// Returns a query of the channel's members.
    public func createMemberListQuery() -> SBDGroupChannelMemberListQuery? {
        SBDGroupChannelMemberListQuery(value.url)
    }
}

extension RoostError {
    static let noConnection = RoostError(
        .connectionRequired, remedy: .retry, message: "This call needs a connection.")
}
