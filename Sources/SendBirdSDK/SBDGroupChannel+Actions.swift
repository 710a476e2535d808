// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostDoors
import RoostModel

extension SBDGroupChannel {
    /// Returns a query of the user's channels.
    public class func createMyGroupChannelListQuery() -> SBDGroupChannelListQuery? {
        SBDGroupChannelListQuery()
    }

    /// Returns a channel from the cache, or from the server if the cache does not have it.
    public class func getWithUrl(
        _ channelUrl: String, completionHandler: ((SBDGroupChannel?, SBDError?) -> Void)?
    ) {
        SBDMain.door.perform(then: .answer(completionHandler) { SBDGroupChannel($0) }) {
            client throws(RoostError) in
            try await client.channel(ChannelURL(channelUrl))
        }
    }

    /// Creates a channel with the user as a member; needs a connection.
    public class func createChannel(
        withUserIds userIds: [String], isDistinct: Bool,
        completionHandler: ((SBDGroupChannel?, SBDError?) -> Void)?
    ) {
        createChannel(
            withName: nil, isDistinct: isDistinct, userIds: userIds, coverUrl: nil, data: nil,
            completionHandler: completionHandler)
    }

    /// Creates a channel with a cover picture and data; needs a connection.
    public class func createChannel(
        withName name: String?, isDistinct: Bool, userIds: [String], coverUrl: String?,
        data: String?, completionHandler: ((SBDGroupChannel?, SBDError?) -> Void)?
    ) {
        let params = ChannelCreateParams(
            memberIDs: userIds.map { UserID($0) }, name: name ?? "", coverURL: coverUrl ?? "",
            data: data ?? "", isDistinct: isDistinct)
        SBDMain.door.perform(then: .answer(completionHandler) { SBDGroupChannel($0) }) {
            client throws(RoostError) in
            try await client.createChannel(params)
        }
    }

    private func act(
        _ handler: SBDErrorHandler?,
        _ work: @escaping @Sendable (ChatClient, ChannelURL) async throws(RoostError) -> Void
    ) {
        let url = value.url
        SBDMain.door.perform(then: .done(handler)) { client throws(RoostError) in
            try await work(client, url)
        }
    }

    /// Joins a public channel.
    public func join(completionHandler: SBDErrorHandler? = nil) {
        act(completionHandler) { client, url throws(RoostError) in try await client.join(url) }
    }

    /// Leaves the channel; nothing of it stays in the cache.
    public func leave(completionHandler: SBDErrorHandler? = nil) {
        act(completionHandler) { client, url throws(RoostError) in try await client.leave(url) }
    }

    /// Invites users; those who accept invitations automatically join at once.
    public func inviteUserIds(_ userIds: [String], completionHandler: SBDErrorHandler? = nil) {
        act(completionHandler) { client, url throws(RoostError) in
            try await client.invite(userIds.map { UserID($0) }, to: url)
        }
    }

    /// Marks all messages of the channel as read.
    public func markAsRead(completionHandler: SBDErrorHandler? = nil) {
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
