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

/// What an app says about files it wants to send as one message.
public struct FileMessageParams: Hashable, Sendable {
    /// At least one.
    public var files: [OutgoingFile]
    /// Words that go with the files.
    public var caption: String
    public var data: String
    public var customType: String
    public var mention: Mention
    public var metaArrays: [MetaArray]
    public var parentID: MessageID?
    public var isReplyToChannel: Bool
    public var isSilent: Bool

    public init(
        files: [OutgoingFile], caption: String = "", data: String = "", customType: String = "",
        mention: Mention = Mention(), metaArrays: [MetaArray] = [], parentID: MessageID? = nil,
        isReplyToChannel: Bool = false, isSilent: Bool = false
    ) {
        self.files = files
        self.caption = caption
        self.data = data
        self.customType = customType
        self.mention = mention
        self.metaArrays = metaArrays
        self.parentID = parentID
        self.isReplyToChannel = isReplyToChannel
        self.isSilent = isSilent
    }
}

/// One file of a message that is to be sent.
public struct OutgoingFile: Hashable, Sendable {
    public enum Source: Hashable, Sendable {
        /// The file at this path, copied before the send call returns: it may be deleted then.
        case copy(of: String)
        /// The file at this path, where it is; changed or gone before it was uploaded, the message fails.
        case reference(to: String)
        /// Kept like a copied file.
        case bytes([UInt8])
        /// A file that lies at this address already: nothing is uploaded.
        case url(String)
    }

    /// A picture the server shall make of it, at most this large.
    public struct ThumbnailSize: Hashable, Sendable {
        public var width: Int
        public var height: Int

        public init(width: Int, height: Int) {
            self.width = width
            self.height = height
        }
    }

    public var source: Source
    /// The name others see; without a folder before it.
    public var name: String
    /// The media type, such as `image/png`.
    public var type: String
    /// Found out by itself but with `.url`.
    public var size: ByteCount?
    public var thumbnailSizes: [ThumbnailSize]
    /// The server's, once it has the file.
    public var thumbnails: [Thumbnail] = []
    /// Whether the server gives the file only with the file key.
    public var requiresAuth = false

    public init(
        _ source: Source, name: String, type: String = "application/octet-stream",
        size: ByteCount? = nil, thumbnailSizes: [ThumbnailSize] = []
    ) {
        self.source = source
        self.name = name
        self.type = type
        self.size = size
        self.thumbnailSizes = thumbnailSizes
    }
}

/// What it takes to send a message, or to send one like it.
public enum MessageParams: Hashable, Sendable {
    case user(UserMessageParams)
    case file(FileMessageParams)
}
