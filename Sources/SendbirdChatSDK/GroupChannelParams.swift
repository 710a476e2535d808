// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostModel

/// The properties of a channel to be created.
public final class GroupChannelCreateParams: NSObject, NSCopying {
    /// The channel's URL; nil lets the server choose one.
    public var channelURL: String?
    /// The name.
    public var name: String?
    /// The address of the cover picture.
    public var coverURL: String?
    /// The bytes of the cover picture, which the server keeps; preferred to `coverURL`.
    public var coverImage: Data?
    /// Text of the app's own; the server does not read it.
    public var data: String?
    /// A type of the app's own, which lists can filter by.
    public var customType: String?
    /// The members besides the creator.
    public var userIds: [String]?
    /// The members who are operators from the beginning.
    public var operatorUserIds: [String]?
    /// Whether the server returns an existing channel with exactly these members instead of a new
    /// one.
    public var isDistinct = false
    /// Whether the channel may have more members than the server lists.
    public var isSuper = false
    /// Whether only operators write.
    public var isBroadcast = false
    /// The mark `is_exclusive` of the server.
    public var isExclusive = false
    /// Whether any user may join without an invitation.
    public var isPublic = false
    /// The mark `is_ephemeral` of the server.
    public var isEphemeral = false
    /// Whether the creation fails if one of the users does not exist; refused, as the client cannot
    /// ask for it.
    public var isStrict = false
    /// Whether searches find the channel, if it is public; the server decides until it is set.
    public var isDiscoverable: Bool {
        get { discoverability ?? true }
        set { discoverability = newValue }
    }
    /// The code that users must give to join; nil for none.
    public var accessCode: String?
    /// The seconds after which messages vanish; -1 for never.
    public var messageSurvivalSeconds = -1

    private var discoverability: Bool?

    public override init() {}

    /// Returns parameters with the same properties.
    public func copy(with zone: NSZone? = nil) -> Any {
        GroupChannelCreateParams().taking(
            \.channelURL, \.name, \.coverURL, \.coverImage, \.data, \.customType, \.userIds,
            \.operatorUserIds, \.isDistinct, \.isSuper, \.isBroadcast, \.isExclusive, \.isPublic,
            \.isEphemeral, \.isStrict, \.accessCode, \.messageSurvivalSeconds, \.discoverability,
            from: self)
    }

    /// Adds a member.
    public func addUser(_ user: User) { addUserIds([user.userId]) }

    /// Adds members.
    public func addUsers(_ users: [User]) { addUserIds(users.map(\.userId)) }

    /// Adds a member.
    public func addUserId(_ userId: String) { addUserIds([userId]) }

    /// Adds members; those who are there already count once.
    public func addUserIds(_ userIds: [String]) {
        var all = self.userIds ?? []
        for id in userIds where !all.contains(id) { all.append(id) }
        self.userIds = all
    }

    /// Sets the members who are operators from the beginning.
    public func setOperators(_ operators: [User]) { operatorUserIds = operators.map(\.userId) }

    /// The reason why the client cannot obey the parameters.
    var refusal: String { "The client cannot ask the server for a strict creation." }

    /// The parameters of the client; nil if it cannot obey these.
    var value: ChannelCreateParams? {
        guard !isStrict else { return nil }
        var value = ChannelCreateParams(
            memberIDs: (userIds ?? []).map { UserID($0) }, name: name ?? "",
            coverURL: coverURL ?? "", data: data ?? "", customType: customType ?? "",
            isDistinct: isDistinct)
        value.url = channelURL.map { ChannelURL($0) }
        value.operatorIDs = (operatorUserIds ?? []).map { UserID($0) }
        value.isSuper = isSuper
        value.isBroadcast = isBroadcast
        value.isExclusive = isExclusive
        value.isPublic = isPublic
        value.isEphemeral = isEphemeral
        value.isDiscoverable = discoverability
        value.accessCode = accessCode
        value.messageSurvivalSeconds = messageSurvivalSeconds < 0 ? nil : messageSurvivalSeconds
        return value
    }
}

/// The properties of a channel to be changed; a property that is not set stays as it is.
public final class GroupChannelUpdateParams: NSObject, NSCopying {
    /// The new name.
    public var name: String?
    /// The new address of the cover picture.
    public var coverURL: String?
    /// The bytes of a new cover picture, which the server keeps; preferred to `coverURL`.
    public var coverImage: Data?
    /// The new text of the app's own.
    public var data: String?
    /// The new custom type.
    public var customType: String?
    /// The new code that users must give to join.
    public var accessCode: String?
    /// The complete new list of operators.
    public var operatorUserIds: [String]?

    private var publicity: Bool?
    private var distinctness: Bool?
    private var discoverability: Bool?
    private var survivalSeconds: Int?

    /// Whether any user may join without an invitation; false until set.
    public var isPublic: Bool {
        get { publicity ?? false }
        set { publicity = newValue }
    }
    /// Whether the channel is the only one with exactly its members; refused when set, as that is
    /// decided at the creation.
    public var isDistinct: Bool {
        get { distinctness ?? false }
        set { distinctness = newValue }
    }
    /// Whether searches find the channel; false until set.
    public var isDiscoverable: Bool {
        get { discoverability ?? false }
        set { discoverability = newValue }
    }
    /// The seconds after which messages vanish; -1 until set.
    public var messageSurvivalSeconds: Int {
        get { survivalSeconds ?? -1 }
        set { survivalSeconds = newValue }
    }

    public override init() {}

    /// Returns parameters with the same properties.
    public func copy(with zone: NSZone? = nil) -> Any {
        GroupChannelUpdateParams().taking(
            \.name, \.coverURL, \.coverImage, \.data, \.customType, \.accessCode, \.operatorUserIds,
            \.publicity, \.distinctness, \.discoverability, \.survivalSeconds, from: self)
    }

    /// Sets the complete new list of operators.
    public func setOperators(_ operators: [User]) { operatorUserIds = operators.map(\.userId) }

    /// The reason why the client cannot obey the parameters.
    var refusal: String { "Whether a channel is distinct is decided at its creation." }

    /// The parameters of the client; nil if it cannot obey these.
    var value: ChannelUpdateParams? {
        guard distinctness == nil else { return nil }
        var value = ChannelUpdateParams(
            name: name, coverURL: coverURL, data: data, customType: customType)
        value.accessCode = accessCode
        value.isPublic = publicity
        value.isDiscoverable = discoverability
        value.operatorIDs = operatorUserIds?.map { UserID($0) }
        value.messageSurvivalSeconds = survivalSeconds
        return value
    }
}
