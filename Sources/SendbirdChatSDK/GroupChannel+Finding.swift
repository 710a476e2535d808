// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Roost
import RoostDoors
import RoostModel

/// The properties of a channel to be created.
public final class GroupChannelCreateParams: NSObject {
    /// The members besides the creator.
    public var userIds: [String] = []
    /// The name.
    public var name: String?
    /// The address of the cover picture.
    public var coverURL: String?
    /// Text of the app's own; the server does not read it.
    public var data: String?
    /// A type of the app's own, which lists can filter by.
    public var customType: String?
    /// Whether the server returns an existing channel with exactly these members instead of a new
    /// one.
    public var isDistinct = false

    public override init() {}

    var value: ChannelCreateParams {
        ChannelCreateParams(
            memberIDs: userIds.map { UserID($0) }, name: name ?? "", coverURL: coverURL ?? "",
            data: data ?? "", customType: customType ?? "", isDistinct: isDistinct)
    }
}

/// The properties of a channel to be changed; nil leaves a property as it is.
public final class GroupChannelUpdateParams: NSObject {
    /// The new name.
    public var name: String?
    /// The new address of the cover picture.
    public var coverURL: String?
    /// The new text of the app's own.
    public var data: String?
    /// The new custom type.
    public var customType: String?

    public override init() {}

    var value: ChannelUpdateParams {
        ChannelUpdateParams(name: name, coverURL: coverURL, data: data, customType: customType)
    }
}

extension GroupChannel {
    /// Returns a query of the user's channels with parameters that the closure sets.
    public class func createMyGroupChannelListQuery(
        paramsBuilder: ((GroupChannelListQueryParams) -> Void)? = nil
    ) -> GroupChannelListQuery {
        let params = GroupChannelListQueryParams()
        paramsBuilder?(params)
        return GroupChannelListQuery(params)
    }

    /// Returns a query of the user's channels.
    public class func createMyGroupChannelListQuery(
        params: GroupChannelListQueryParams
    ) -> GroupChannelListQuery { GroupChannelListQuery(params) }

    /// Returns a channel from the cache, or from the server if the cache does not have it.
    public class func getChannel(url: String, completionHandler: GroupChannelHandler?) {
        SendbirdChat.door.perform(then: .channel(completionHandler)) {
            client throws(RoostError) in try await client.channel(ChannelURL(url))
        }
    }

    /// Creates a channel with the user as a member; needs a connection.
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
