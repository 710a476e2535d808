// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostDoors
import RoostModel

extension SBDGroupChannel {
    /// Returns a query of the user's channels.
    public class func createMyGroupChannelListQuery() -> SBDGroupChannelListQuery? {
        SBDGroupChannelListQuery()
    }

    /// Returns a query of the application's public channels.
    public class func createPublicGroupChannelListQuery() -> SBDPublicGroupChannelListQuery? {
        SBDPublicGroupChannelListQuery()
    }

    /// Returns a channel from the cache, or from the server if the cache does not have it.
    public class func getWithUrl(
        _ channelUrl: String, completionHandler: ((SBDGroupChannel?, SBDError?) -> Void)?
    ) {
        SBDMain.door.perform(then: .channel(completionHandler)) {
            client throws(RoostError) in
            try await client.channel(ChannelURL(channelUrl))
        }
    }

    /// Creates a channel with the user as a member; needs a connection.
    public class func createChannel(
        with params: SBDGroupChannelParams,
        completionHandler: ((SBDGroupChannel?, SBDError?) -> Void)?
    ) {
        create(params.value, picture: params.picture, completionHandler)
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
        create(
            ChannelCreateParams(
                memberIDs: userIds.map { UserID($0) }, name: name ?? "", coverURL: coverUrl ?? "",
                data: data ?? "", isDistinct: isDistinct), picture: nil, completionHandler)
    }

    private class func create(
        _ params: ChannelCreateParams, picture: [UInt8]?,
        _ handler: ((SBDGroupChannel?, SBDError?) -> Void)?
    ) {
        SBDMain.door.perform(then: .channel(handler)) {
            client throws(RoostError) in
            var params = params
            if let picture { params.coverURL = try await client.uploadPicture(picture) }
            return try await client.createChannel(params)
        }
    }
}

extension Callback where Value == Result<GroupChannel, RoostError> {
    /// Returns a handler of the answer to a question that is asked now.
    static func channel(_ handler: ((SBDGroupChannel?, SBDError?) -> Void)?) -> Self {
        let question = ChannelQuestion(SBDMain.door)
        return answer(handler) { SBDGroupChannel($0, answering: question) }
    }
}
