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
