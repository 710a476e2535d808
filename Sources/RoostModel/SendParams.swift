// SPDX-License-Identifier: Apache-2.0

/// The properties of a text message to be sent.
public struct UserMessageParams: Hashable, Codable, Sendable {
    /// The text; at least one character.
    public var text: String
    /// Text of the app's own; the server does not read it.
    public var data: String
    /// A type of the app's own, which filters can select; "" for none.
    public var customType: String
    /// The users whom the message mentions.
    public var mention: Mention
    /// Named lists of texts.
    public var metaArrays: [MetaArray]
    /// The first message of the thread to which this one belongs; nil outside of threads.
    ///
    /// Threads have one level: to answer a reply, take the reply's own `parentID`.
    public var parentID: MessageID?
    /// Whether a reply stands in the channel as well as in its thread.
    public var isReplyToChannel: Bool
    /// Whether the message causes no push and no unread count.
    public var isSilent: Bool
    /// Further fields of the protocol, such as `mentioned_message_template`, which go to the server
    /// as they are.
    public var extraFields = UnknownFields()

    /// Creates parameters; only the text is required.
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

/// The properties of a message with files to be sent.
public struct FileMessageParams: Hashable, Codable, Sendable {
    /// The files; at least one.
    public var files: [OutgoingFile]
    /// A text that goes with the files, or "".
    public var caption: String
    /// Text of the app's own; the server does not read it.
    public var data: String
    /// A type of the app's own, which filters can select; "" for none.
    public var customType: String
    /// The users whom the message mentions.
    public var mention: Mention
    /// Named lists of texts.
    public var metaArrays: [MetaArray]
    /// The first message of the thread to which this one belongs; nil outside of threads.
    ///
    /// Threads have one level: to answer a reply, take the reply's own `parentID`.
    public var parentID: MessageID?
    /// Whether a reply stands in the channel as well as in its thread.
    public var isReplyToChannel: Bool
    /// Whether the message causes no push and no unread count.
    public var isSilent: Bool
    /// Further fields of the protocol, such as `mentioned_message_template`, which go to the server
    /// as they are.
    public var extraFields = UnknownFields()

    /// Creates parameters; only the files are required.
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

/// A file of a message to be sent.
public struct OutgoingFile: Hashable, Codable, Sendable {
    /// The origin of a file's bytes.
    public enum Source: Hashable, Codable, Sendable {
        /// A path; the file is copied before the send call returns and may be deleted afterwards.
        case copy(of: String)
        /// A path; the file is read when it is uploaded. The message fails if the file changes or
        /// disappears before.
        case reference(to: String)
        /// Bytes in memory; the outbox keeps a copy on disk.
        case bytes([UInt8])
        /// An address at which the file lies already; nothing is uploaded.
        case url(String)
    }

    /// The greatest size of a thumbnail that the server is asked to make, in pixels.
    public struct ThumbnailSize: Hashable, Codable, Sendable {
        /// The greatest width.
        public var width: Int
        /// The greatest height.
        public var height: Int

        /// Creates a size.
        public init(width: Int, height: Int) {
            self.width = width
            self.height = height
        }
    }

    /// The origin of the bytes.
    public var source: Source
    /// The name that members see, without a folder.
    public var name: String
    /// The media type, such as `image/png`.
    public var type: String
    /// The size; determined from the source, except for `.url`.
    public var size: ByteCount?
    /// The thumbnails that the server is asked to make; a Roost server makes none.
    public var thumbnailSizes: [ThumbnailSize]
    /// The thumbnails of the server, once it has the file.
    public var thumbnails: [Thumbnail] = []
    /// Whether the file can be fetched with the file key only.
    public var requiresAuth = false
    /// The outbox's encrypted copy, from which this process reads the bytes; never stored.
    package var sealedCopy: SealedCopy?

    private enum CodingKeys: CodingKey {
        case source, name, type, size, thumbnailSizes, thumbnails, requiresAuth
    }

    /// Creates a file to be sent.
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

/// An encrypted copy of a file with the key that opens it, which no description shows.
package struct SealedCopy: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    package let path: String
    /// The size before encryption.
    package let size: Int64
    package let key: [UInt8]

    package init(path: String, size: Int64, key: [UInt8]) {
        self.path = path
        self.size = size
        self.key = key
    }

    package var description: String { "a sealed copy" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// The parameters of a send call.
public enum MessageParams: Hashable, Codable, Sendable {
    /// A text.
    case user(UserMessageParams)
    /// One or more files.
    case file(FileMessageParams)
}
