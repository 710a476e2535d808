// SPDX-License-Identifier: Apache-2.0

/// The properties of a channel to be created.
public struct ChannelCreateParams: Hashable, Codable, Sendable {
    /// The members besides the creator, who joins by itself.
    public var memberIDs: [UserID]
    /// The name; the server accepts an empty one.
    public var name: String
    /// The address of the cover picture, or "".
    public var coverURL: String
    /// Text of the app's own; the server does not read it.
    public var data: String
    /// A type of the app's own, which lists can filter by.
    public var customType: String
    /// Whether the server returns an existing channel with exactly these members instead of a new
    /// one.
    public var isDistinct: Bool
    /// The URL of the new channel; nil lets the server choose.
    public var url: ChannelURL?
    /// The members who are operators from the start.
    public var operatorIDs: [UserID] = []
    /// Whether the channel may have more members than the server lists.
    public var isSuper = false
    /// Whether any user may join without an invitation.
    public var isPublic = false
    /// Whether only operators write; such a channel is a super channel.
    public var isBroadcast = false
    /// The mark `is_exclusive`; a Roost server stores it and treats the channel as any other.
    public var isExclusive = false
    /// The mark `is_ephemeral`; a Roost server stores it and treats the channel as any other.
    public var isEphemeral = false
    /// Whether searches find the channel; nil means the server's default, which is the value of
    /// `isPublic`.
    public var isDiscoverable: Bool?
    /// The code that a user must give to join a public channel; nil for none.
    public var accessCode: String?
    /// `messageSurvival` as the protocol counts.
    package var messageSurvivalSeconds: Int?
    /// The time after which messages disappear, in whole seconds and rounded up; nil keeps them.
    public var messageSurvival: Duration? {
        get { messageSurvivalSeconds.map { .seconds($0) } }
        set { messageSurvivalSeconds = newValue?.wholeSeconds }
    }

    /// Creates parameters; everything else has its default and can be set afterwards.
    public init(
        memberIDs: [UserID], name: String = "", coverURL: String = "", data: String = "",
        customType: String = "", isDistinct: Bool = false
    ) {
        self.memberIDs = memberIDs
        self.name = name
        self.coverURL = coverURL
        self.data = data
        self.customType = customType
        self.isDistinct = isDistinct
    }
}

/// The properties of a channel to be changed; nil leaves a property as it is.
public struct ChannelUpdateParams: Hashable, Codable, Sendable {
    /// The new name.
    public var name: String?
    /// The new address of the cover picture.
    public var coverURL: String?
    /// The new text of the app's own.
    public var data: String?
    /// The new custom type.
    public var customType: String?
    // Only operators may change the properties below.
    /// Whether any user may join without an invitation.
    public var isPublic: Bool?
    /// Whether searches find the channel.
    public var isDiscoverable: Bool?
    /// The code that a user must give to join.
    public var accessCode: String?
    /// `messageSurvival` as the protocol counts; -1 keeps the messages.
    package var messageSurvivalSeconds: Int?
    /// The time after which messages disappear, in whole seconds and rounded up; a negative one
    /// keeps them.
    public var messageSurvival: Duration? {
        get { messageSurvivalSeconds.map { .seconds($0) } }
        set { messageSurvivalSeconds = newValue.map { $0 < .zero ? -1 : $0.wholeSeconds } }
    }
    /// The complete new list of operators.
    public var operatorIDs: [UserID]?

    /// Creates parameters that change what is given.
    public init(
        name: String? = nil, coverURL: String? = nil, data: String? = nil,
        customType: String? = nil
    ) {
        self.name = name
        self.coverURL = coverURL
        self.data = data
        self.customType = customType
    }
}
