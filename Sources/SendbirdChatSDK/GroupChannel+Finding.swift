// SPDX-License-Identifier: Apache-2.0

import Roost
import RoostDoors
import RoostModel

extension GroupChannel {
    // MARK: Lists

    /// Returns a query of the user's channels with the defaults of its parameters.
    public class func createMyGroupChannelListQuery() -> GroupChannelListQuery {
        GroupChannelListQuery(GroupChannelListQueryParams())
    }

    /// Returns a query of the user's channels with parameters that the closure sets.
    public class func createMyGroupChannelListQuery(
        paramsBuilder: ((GroupChannelListQueryParams) -> Void)?
    ) -> GroupChannelListQuery {
        let params = GroupChannelListQueryParams()
        paramsBuilder?(params)
        return GroupChannelListQuery(params)
    }

    /// Returns a query of the user's channels.
    public class func createMyGroupChannelListQuery(
        params: GroupChannelListQueryParams
    ) -> GroupChannelListQuery { GroupChannelListQuery(params) }

    /// Returns a query of the public channels with the defaults of its parameters.
    public class func createPublicGroupChannelListQuery() -> PublicGroupChannelListQuery {
        PublicGroupChannelListQuery(PublicGroupChannelListQueryParams())
    }

    /// Returns a query of the public channels.
    public class func createPublicGroupChannelListQuery(
        params: PublicGroupChannelListQueryParams
    ) -> PublicGroupChannelListQuery { PublicGroupChannelListQuery(params) }

    /// Returns a query of the public channels with parameters that the closure sets.
    public class func createPublicGroupChannelListQuery(
        paramsBuilder: (PublicGroupChannelListQueryParams) -> Void
    ) -> PublicGroupChannelListQuery {
        PublicGroupChannelListQuery(PublicGroupChannelListQueryParams(builder: paramsBuilder))
    }

    // MARK: One channel

    /// Returns a channel from the cache, or from the server if the cache does not have it.
    public class func getChannel(url: String, completionHandler: GroupChannelHandler?) {
        SendbirdChat.door.perform(then: .channel(completionHandler)) {
            client throws(RoostError) in try await client.channel(ChannelURL(url))
        }
    }

    /// Creates a channel with the user as a member; needs a connection.
    public class func createChannel(
        params: GroupChannelCreateParams, completionHandler: GroupChannelHandler?
    ) { createChannel(params: params, progressHandler: nil, completionHandler: completionHandler) }

    /// Creates a channel with the user as a member; the progress of a cover image is reported once,
    /// at its end.
    public class func createChannel(
        params: GroupChannelCreateParams, progressHandler: ProgressHandler?,
        completionHandler: GroupChannelHandler?
    ) {
        guard let value = params.value else {
            return SendbirdChat.door.refuse(completionHandler, params.refusal)
        }
        let cover = CoverImage(params.coverImage)
        let handler = cover.reporting(to: progressHandler, then: completionHandler)
        SendbirdChat.door.perform(then: .channel(handler)) { client throws(RoostError) in
            var value = value
            if let address = try await cover.upload(client) { value.coverURL = address }
            return try await client.createChannel(value)
        }
    }

    /// Returns the channel that has exactly the parameters' members, or creates it.
    ///
    /// The handler also gets whether the channel was created: true unless the cache knows the
    /// channel from before. A cache that is not complete yet may report an old channel as created.
    public class func createDistinctChannelIfNotExist(
        params: GroupChannelCreateParams,
        completionHandler: ((GroupChannel?, Bool, SBError?) -> Void)?
    ) {
        createDistinctChannelIfNotExist(
            params: params, progressHandler: nil, completionHandler: completionHandler)
    }

    /// Returns the channel that has exactly the parameters' members, or creates it; the progress of
    /// a cover image is reported once, at its end.
    public class func createDistinctChannelIfNotExist(
        params: GroupChannelCreateParams, progressHandler: ProgressHandler?,
        completionHandler: ((GroupChannel?, Bool, SBError?) -> Void)?
    ) {
        guard var value = params.value else {
            return SendbirdChat.door.refuse(
                completionHandler.map { handler in { handler($0, false, $1) } }, params.refusal)
        }
        value.isDistinct = true
        let cover = CoverImage(params.coverImage)
        let question = ChannelQuestion(SendbirdChat.door)
        let handler = cover.reporting(to: progressHandler) {
            (made: (channel: RoostModel.GroupChannel, isNew: Bool)?, error: SBError?) in
            completionHandler?(
                made.map { GroupChannel($0.channel, answering: question) }, made?.isNew ?? false,
                error)
        }
        SendbirdChat.door.perform(then: .answer(handler) { $0 }) {
            [value] client throws(RoostError) in
            var (value, filter) = (value, ChannelFilter())
            filter.members = .exactly(Set(value.memberIDs))
            filter.hidden = .all
            filter.includesEmpty = true
            let list = try await client.channelList(ChannelListQuery(filter, pageSize: 100))
            let known = Set(await list.snapshot.channels.map(\.url))
            await list.close()
            if let address = try await cover.upload(client) { value.coverURL = address }
            let channel = try await client.createChannel(value)
            return (channel, !known.contains(channel.url))
        }
    }
}

extension Callback where Value == Result<RoostModel.GroupChannel, RoostError> {
    /// Returns a handler of the answer to a question that is asked now.
    static func channel(_ handler: GroupChannelHandler?) -> Self {
        let question = ChannelQuestion(SendbirdChat.door)
        return answer(handler) { GroupChannel($0, answering: question) }
    }
}
