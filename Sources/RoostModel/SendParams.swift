// SPDX-License-Identifier: Apache-2.0

/// What an app says about a text it wants to send.
public struct UserMessageParams: Hashable, Sendable {
    /// At least one character.
    public var text: String
    public var data: String
    public var customType: String
    public var mention: Mention
    public var metaArrays: [MetaArray]
    public var parentID: MessageID?
    public var isReplyToChannel: Bool
    public var isSilent: Bool

    public init(
        text: String, data: String = "", customType: String = "", mention: Mention = Mention(),
        metaArrays: [MetaArray] = [], parentID: MessageID? = nil, isReplyToChannel: Bool = false,
        isSilent: Bool = false
    ) {
        self.text = text
        self.data = data
        self.customType = customType
        self.mention = mention
        self.metaArrays = metaArrays
        self.parentID = parentID
        self.isReplyToChannel = isReplyToChannel
        self.isSilent = isSilent
    }
}

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
