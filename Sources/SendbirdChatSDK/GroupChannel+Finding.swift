// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Roost
import RoostDoors
import RoostModel

public final class GroupChannelCreateParams: NSObject {
    public var userIds: [String] = []
    public var name: String?
    public var coverURL: String?
    public var data: String?
    public var customType: String?
    /// Reuses the channel that exactly these members already have.
    public var isDistinct = false

    public override init() {}

    var value: ChannelCreateParams {
        ChannelCreateParams(
            memberIDs: userIds.map { UserID($0) }, name: name ?? "", coverURL: coverURL ?? "",
            data: data ?? "", customType: customType ?? "", isDistinct: isDistinct)
    }
}

/// What is to change; nil stays as it is.
public final class GroupChannelUpdateParams: NSObject {
    public var name: String?
    public var coverURL: String?
    public var data: String?
    public var customType: String?

    public override init() {}

    var value: ChannelUpdateParams {
        ChannelUpdateParams(name: name, coverURL: coverURL, data: data, customType: customType)
    }
}

extension GroupChannel {
    /// A question about the user's channels; the closure says which.
    public class func createMyGroupChannelListQuery(
        paramsBuilder: ((GroupChannelListQueryParams) -> Void)? = nil
    ) -> GroupChannelListQuery {
        let params = GroupChannelListQueryParams()
        paramsBuilder?(params)
        return GroupChannelListQuery(params)
    }

    public class func createMyGroupChannelListQuery(
        params: GroupChannelListQueryParams
    ) -> GroupChannelListQuery { GroupChannelListQuery(params) }

    /// A channel from the cache, or from the server when the cache has none.
    public class func getChannel(url: String, completionHandler: GroupChannelHandler?) {
        SendbirdChat.door.perform(then: .channel(completionHandler)) {
            client throws(RoostError) in try await client.channel(ChannelURL(url))
        }
    }

    /// Makes a channel with the user and others in it; needs a connection.
    public class func createChannel(
        params: GroupChannelCreateParams, completionHandler: GroupChannelHandler?
    ) {
        let params = params.value
        SendbirdChat.door.perform(then: .channel(completionHandler)) {
            client throws(RoostError) in try await client.createChannel(params)
        }
    }
}

extension Callback where Value == Result<RoostModel.GroupChannel, RoostError> {
    static func channel(_ handler: GroupChannelHandler?) -> Self {
        answer(handler) { GroupChannel($0) }
    }
}
