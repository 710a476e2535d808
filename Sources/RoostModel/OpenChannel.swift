// SPDX-License-Identifier: Apache-2.0

/// An open channel, which has no members: any user who is not banned may enter and read it.
///
/// Open channels are never cached. A value is the server's answer at one moment; the value of an
/// entered channel also follows the live events.
public struct OpenChannel: Hashable, Codable, Sendable, Identifiable {
    /// The channel's identity in the application.
    public package(set) var url: ChannelURL
    /// The name; may be empty.
    public var name: String
    /// The address of the cover picture, or "".
    public var coverURL = ""
    /// Text of the app's own; the server does not read it.
    public var data = ""
    /// A type of the app's own, which lists can filter by; "" for none.
    public var customType = ""
    /// The time of creation by the server's clock; the wire counts it in seconds.
    public var createdAt = Timestamp(milliseconds: 0)
    /// Whether only operators may write for now.
    public var isFrozen = false
    /// The mark `is_ephemeral`; a Roost server stores it and treats the channel as any other.
    public var isEphemeral = false
    /// The number of users inside.
    public var participantCount = 0
    /// The users who may moderate the channel.
    public var operators: [User] = []
    /// The metadata; nil if the server did not send them.
    public var metadata: [String: String]?
    /// `messageSurvival` as the protocol counts.
    package var messageSurvivalSeconds: Int?
    /// The time after which messages disappear, in whole seconds; nil if they stay.
    public var messageSurvival: Duration? {
        get { messageSurvivalSeconds.map { .seconds($0) } }
        set { messageSurvivalSeconds = newValue?.wholeSeconds }
    }
    /// Fields of a newer server without a name in this release.
    public var unknownFields = UnknownFields()

    /// Creates a channel; all other fields have their defaults and can be set afterwards.
    public init(url: ChannelURL, name: String = "") {
        self.url = url
        self.name = name
    }

    /// The channel's URL.
    public var id: ChannelURL { url }
}

/// The properties of an open channel to be created.
public struct OpenChannelCreateParams: Hashable, Codable, Sendable {
    /// The name; the server accepts an empty one.
    public var name: String
    /// The URL of the new channel; nil lets the server choose.
    public var url: ChannelURL?
    /// The address of the cover picture, or "".
    public var coverURL: String
    /// Text of the app's own; the server does not read it.
    public var data: String
    /// A type of the app's own, which lists can filter by; "" for none.
    public var customType: String
    /// The operators; without any, the creator is the operator.
    public var operatorIDs: [UserID]
    /// The mark `is_ephemeral`; a Roost server stores it and treats the channel as any other.
    public var isEphemeral = false

    /// Creates parameters.
    public init(
        name: String = "", url: ChannelURL? = nil, coverURL: String = "", data: String = "",
        customType: String = "", operatorIDs: [UserID] = []
    ) {
        self.name = name
        self.url = url
        self.coverURL = coverURL
        self.data = data
        self.customType = customType
        self.operatorIDs = operatorIDs
    }
}

/// The properties of an open channel to be changed; nil leaves a property as it is.
public struct OpenChannelUpdateParams: Hashable, Codable, Sendable {
    /// The new name.
    public var name: String?
    /// The new address of the cover picture.
    public var coverURL: String?
    /// The new text of the app's own.
    public var data: String?
    /// The new custom type.
    public var customType: String?
    /// The complete new list of operators.
    public var operatorIDs: [UserID]?

    /// Creates parameters that change what is given.
    public init(
        name: String? = nil, coverURL: String? = nil, data: String? = nil,
        customType: String? = nil, operatorIDs: [UserID]? = nil
    ) {
        self.name = name
        self.coverURL = coverURL
        self.data = data
        self.customType = customType
        self.operatorIDs = operatorIDs
    }
}

/// The selection of a list of open channels.
public struct OpenChannelQuery: Hashable, Codable, Sendable {
    /// A part of the name, upper and lower case being equal; nil for all.
    public var nameContains: String?
    /// A part of the URL; nil for all.
    public var urlContains: String?
    /// The custom types, of which a channel has one; nil for all.
    public var customTypes: [String]?
    /// Whether frozen channels are included.
    public var includesFrozen: Bool

    /// Creates a selection; without conditions it is of all open channels.
    public init(
        nameContains: String? = nil, urlContains: String? = nil, customTypes: [String]? = nil,
        includesFrozen: Bool = true
    ) {
        self.nameContains = nameContains
        self.urlContains = urlContains
        self.customTypes = customTypes
        self.includesFrozen = includesFrozen
    }
}

extension Message {
    /// Whether the message is in an open channel.
    public var isInOpenChannel: Bool { unknownFields["channel_type"] == "\"open\"" }
}
