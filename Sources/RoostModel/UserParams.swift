// SPDX-License-Identifier: Apache-2.0

/// The properties of the user's own profile to be changed; nil leaves a property as it is.
public struct ProfileUpdateParams: Hashable, Codable, Sendable {
    /// The new name to show.
    public var nickname: String?
    /// The new address of the picture.
    public var pictureURL: String?
    /// The bytes of a new picture, which is uploaded first; it takes the place of `pictureURL`.
    public var picture: [UInt8]?
    /// Language codes, the preferred one first.
    public var preferredLanguages: [String]?

    /// Creates parameters that change what is not nil.
    public init(
        nickname: String? = nil, pictureURL: String? = nil, picture: [UInt8]? = nil,
        preferredLanguages: [String]? = nil
    ) {
        self.nickname = nickname
        self.pictureURL = pictureURL
        self.picture = picture
        self.preferredLanguages = preferredLanguages
    }
}

/// A selection of the application's users; the default selects all.
public struct UserQuery: Hashable, Codable, Sendable {
    /// The users to return; nil for all.
    ///
    /// With IDs the server ignores the other criteria.
    public var ids: [UserID]?
    /// The beginning of the nickname, in any case; nil for all.
    public var nicknamePrefix: String?
    /// The key of the metadata that `metadataValues` are about.
    public var metadataKey: String?
    /// The values of which the metadata must have one; nil for any.
    public var metadataValues: [String]?

    /// Creates a selection.
    public init(
        ids: [UserID]? = nil, nicknamePrefix: String? = nil, metadataKey: String? = nil,
        metadataValues: [String]? = nil
    ) {
        self.ids = ids
        self.nicknamePrefix = nicknamePrefix
        self.metadataKey = metadataKey
        self.metadataValues = metadataValues
    }

    /// Whether a user has the criteria besides the ID.
    package func matches(_ user: User) -> Bool {
        if let prefix = nicknamePrefix,
            !user.nickname.lowercased().hasPrefix(prefix.lowercased())
        {
            return false
        }
        guard let key = metadataKey else { return true }
        guard let value = user.metadata[key] else { return false }
        return metadataValues?.contains(value) ?? true
    }
}

/// The subject of a report to the platform.
public enum ReportSubject: Hashable, Codable, Sendable {
    /// A channel.
    case channel(ChannelURL)
    /// A user, in one channel or everywhere.
    case user(UserID, in: ChannelURL?)
    /// A message.
    case message(MessageID, in: ChannelURL)
}

/// The kinds of reports (`docs/protocol` 3.1).
public enum ReportCategory: String, Hashable, Codable, Sendable, CaseIterable {
    /// Behaviour that looks like fraud.
    case suspicious
    /// Harassment.
    case harassing
    /// Content that does not belong there.
    case inappropriate
    /// Unwanted advertising.
    case spam
}

/// The mute of a user in a channel.
public struct MuteInfo: Hashable, Codable, Sendable {
    /// Whether the user may not write.
    public var isMuted: Bool
    /// The text that the operator gave; may be empty.
    public var reason: String
    /// The beginning; nil if the server did not send it.
    public var start: Timestamp?
    /// The end; nil for none.
    public var end: Timestamp?
    /// The remaining time; nil for no end.
    public var remaining: Duration?

    /// Creates a mute; without arguments, the absence of one.
    public init(
        isMuted: Bool = false, reason: String = "", start: Timestamp? = nil,
        end: Timestamp? = nil, remaining: Duration? = nil
    ) {
        self.isMuted = isMuted
        self.reason = reason
        self.start = start
        self.end = end
        self.remaining = remaining
    }
}
