// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostModel

/// The properties of a group channel to be created or changed.
///
/// In a change, properties that were not set stay as they are.
public final class SBDGroupChannelParams: NSObject {
    /// The name.
    public var name: String?
    /// The bytes of the cover picture, which is uploaded; it comes before `coverUrl`.
    public var coverImage: Data?
    /// The address of the cover picture.
    public var coverUrl: String?
    /// Text of the app's own; the server does not read it.
    public var data: String?
    /// A type of the app's own, which lists can filter by.
    public var customType: String?
    /// The identity of a new channel; nil for one of the server's choice.
    public var channelUrl: String?
    /// Whether a channel with exactly these members is returned instead of a new one.
    ///
    /// It cannot be changed later.
    public var isDistinct = false
    /// Whether the new channel may have more members than the server lists.
    public var isSuper = false
    /// Whether only operators may write in the new channel.
    public var isBroadcast = false
    /// Whether the new channel is marked as ephemeral; a Roost server treats it as any other.
    public var isEphemeral = false
    /// Whether any user may join without an invitation; a change leaves it alone unless it is set.
    public var isPublic: Bool {
        get { publicity ?? false }
        set { publicity = newValue }
    }
    /// Whether the public channel can be found by queries; a change leaves it alone unless it is
    /// set.
    public var isDiscoverable: Bool {
        get { discoverability ?? isPublic }
        set { discoverability = newValue }
    }
    /// The code that users need to join the public channel; nil for none.
    public var accessCode: String?
    /// The operators' IDs; nil for none, or for those that the channel has.
    public var operatorUserIds: [String]?

    private var publicity: Bool?
    private var discoverability: Bool?
    private var userIds: [String] = []

    public override init() {}

    /// Adds a member of the new channel.
    public func add(_ user: SBDUser) { addUserId(user.userId) }
    /// Adds members of the new channel.
    public func add(_ users: [SBDUser]) { addUserIds(users.map(\.userId)) }
    /// Adds a member of the new channel.
    public func addUserId(_ userId: String) { userIds.append(userId) }
    /// Adds members of the new channel.
    public func addUserIds(_ userIds: [String]) { self.userIds += userIds }

    var value: ChannelCreateParams {
        var params = ChannelCreateParams(
            memberIDs: userIds.map { UserID($0) }, name: name ?? "", coverURL: coverUrl ?? "",
            data: data ?? "", customType: customType ?? "", isDistinct: isDistinct)
        params.url = channelUrl.map { ChannelURL($0) }
        params.isSuper = isSuper
        params.isBroadcast = isBroadcast
        params.isEphemeral = isEphemeral
        params.isPublic = isPublic
        params.isDiscoverable = discoverability
        params.accessCode = accessCode
        params.operatorIDs = (operatorUserIds ?? []).map { UserID($0) }
        return params
    }

    var change: ChannelUpdateParams {
        var params = ChannelUpdateParams(
            name: name, coverURL: coverUrl, data: data, customType: customType)
        params.isPublic = publicity
        params.isDiscoverable = discoverability
        params.accessCode = accessCode
        params.operatorIDs = operatorUserIds.map { $0.map { UserID($0) } }
        return params
    }

    var picture: [UInt8]? { coverImage.map { Array($0) } }

    /// Returns the reason why the properties of a channel cannot become these; nil if there is
    /// none.
    func obstacle(to channel: GroupChannel) -> RoostError? {
        let isKept =
            (!isDistinct || channel.isDistinct) && (!isSuper || channel.isSuper)
            && (!isBroadcast || channel.isBroadcast) && (!isEphemeral || channel.isEphemeral)
        return isKept ? nil : .missing("changes of the kind of a channel")
    }
}
