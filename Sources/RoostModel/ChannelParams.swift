// SPDX-License-Identifier: Apache-2.0

/// What an app says about a channel it wants to make.
public struct ChannelCreateParams: Hashable, Sendable {
    /// The members besides the maker.
    public var memberIDs: [UserID]
    public var name: String
    public var coverURL: String
    public var data: String
    public var customType: String
    /// Reuses the channel that exactly these members already have.
    public var isDistinct: Bool
    /// Nil leaves the name to the server.
    public var url: ChannelURL?
    public var operatorIDs: [UserID] = []
    public var isSuper = false
    public var isPublic = false
    public var isBroadcast = false
    public var isExclusive = false
    public var isEphemeral = false
    /// Nil as the server has it: a public channel can be found.
    public var isDiscoverable: Bool?
    /// What who joins a public channel has to know.
    public var accessCode: String?
    public var messageSurvivalSeconds: Int?

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

/// What is to change of a channel; what is nil stays.
public struct ChannelUpdateParams: Hashable, Sendable {
    public var name: String?
    public var coverURL: String?
    public var data: String?
    public var customType: String?
    // What follows only operators may change.
    public var isPublic: Bool?
    public var isDiscoverable: Bool?
    public var accessCode: String?
    public var messageSurvivalSeconds: Int?
    /// All operators there shall be.
    public var operatorIDs: [UserID]?

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
