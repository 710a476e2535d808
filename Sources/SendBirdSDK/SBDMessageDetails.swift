// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostModel

/// A list of texts of the app's own at a message.
public final class SBDMessageMetaArray: NSObject {
    /// The key of the list.
    public let key: String
    /// The texts.
    public private(set) var value: [String]

    /// Creates an empty list.
    public convenience init(key: String) { self.init(key: key, value: []) }

    /// Creates a list.
    public init(key: String, value: [String]) { (self.key, self.value) = (key, value) }

    /// Adds texts.
    public func addValues(_ values: [String]) { value += values }
    /// Removes texts.
    public func removeValues(_ values: [String]) { value.removeAll { values.contains($0) } }
    /// Replaces the texts.
    public func setValue(_ value: [String]) { self.value = value }
}

/// The users who reacted to a message with one key.
public final class SBDReaction: NSObject {
    /// The key of the reaction, such as `thumbsup`.
    public let key: String
    /// The users, in the order of their reactions.
    public let userIds: [String]
    /// The time of the last change, in milliseconds.
    public let updatedAt: Int64

    init(_ reaction: Reaction) {
        key = reaction.key
        userIds = reaction.userIDs.map(\.rawValue)
        updatedAt = reaction.updatedAt.milliseconds
    }
}

/// The kinds of changes of a reaction.
public enum SBDReactionEventAction: Int, Sendable {
    /// A user has added a reaction.
    case add
    /// A user has removed a reaction.
    case delete
}

/// The change of a user's reaction to a message.
public final class SBDReactionEvent: NSObject {
    /// The message.
    public let messageId: Int64
    /// The key of the reaction, such as `thumbsup`.
    public let key: String
    /// The user.
    public let userId: String
    /// Whether the reaction was added or removed.
    public let operation: SBDReactionEventAction
    /// The time of the change, in milliseconds.
    public let updatedAt: Int64

    init(_ change: ReactionChange, of messageId: Int64) {
        self.messageId = messageId
        key = change.key
        userId = change.userID.rawValue
        operation = change.isAdded ? .add : .delete
        updatedAt = change.updatedAt.milliseconds
    }
}

/// The thread that a message begins.
public final class SBDThreadInfo: NSObject {
    private let value: ThreadInfo

    init(_ value: ThreadInfo) { self.value = value }

    /// The users with the most replies.
    public var mostRepliedUsers: [SBDUser] { value.mostReplies.map { SBDUser($0) } }
    /// The number of replies.
    public var replyCount: UInt { UInt(clamping: value.replyCount) }
    /// The time of the last reply, in milliseconds; 0 without one.
    public var lastRepliedAt: Int64 { value.lastRepliedAt?.milliseconds ?? 0 }
    /// The time of the last change, in milliseconds; 0 if unknown.
    public var updatedAt: Int64 { value.updatedAt?.milliseconds ?? 0 }
}

/// The change of a thread.
public final class SBDThreadInfoUpdateEvent: NSObject {
    /// The thread as it is now.
    public let threadInfo: SBDThreadInfo
    /// The message that begins the thread.
    public let targetMessageId: Int64
    /// The channel of the thread.
    public let channelUrl: String
    /// The kind of the channel.
    public let channelType: SBDChannelType

    init(_ info: ThreadInfo, of message: MessageID, in channel: SBDBaseChannel) {
        threadInfo = SBDThreadInfo(info)
        targetMessageId = message.rawValue
        channelUrl = channel.channelUrl
        channelType = channel.isOpenChannel() ? .open : .group
    }
}

/// The preview of a web page that a text names.
public final class SBDOGMetaData: NSObject {
    private let value: LinkPreview

    init(_ value: LinkPreview) { self.value = value }

    /// The title of the page.
    public var title: String? { value.title }
    /// The address of the page.
    public var url: String? { value.url }
    /// The description of the page.
    public var desc: String? { value.summary }
    /// The picture of the page; nil without one.
    public var defaultImage: SBDOGImage? { value.image.map { SBDOGImage($0) } }
}

/// The picture of a web page.
public final class SBDOGImage: NSObject {
    private let value: LinkPreview.Image

    init(_ value: LinkPreview.Image) { self.value = value }

    /// The address of the picture.
    public var url: String? { value.url }
    /// The address of the picture over HTTPS.
    public var secureUrl: String? { value.secureURL }
    /// The media type.
    public var type: String? { value.type }
    /// The width in pixels; 0 if unknown.
    public var width: Int { value.width }
    /// The height in pixels; 0 if unknown.
    public var height: Int { value.height }
    /// The text that describes the picture.
    public var alt: String? { value.alternativeText }
}

/// A smaller picture of a file.
public final class SBDThumbnail: NSObject {
    private let value: Thumbnail

    init(_ value: Thumbnail) { self.value = value }

    /// The address of the picture, with the file key if it needs one.
    public var url: String { value.url }
    /// The greatest size that was asked for, in pixels.
    public var maxSize: CGSize { CGSize(width: value.width, height: value.height) }
    /// The size of the picture in pixels; zero if unknown.
    public var realSize: CGSize { CGSize(width: value.realWidth, height: value.realHeight) }
}

/// The greatest size of a smaller picture that the server makes of a file.
public final class SBDThumbnailSize: NSObject {
    /// The size in pixels.
    public let maxSize: CGSize

    init(_ maxSize: CGSize) { self.maxSize = maxSize }

    /// Returns a size in pixels; never nil, and optional as in the old library.
    public class func make(withMaxCGSize size: CGSize) -> SBDThumbnailSize? {
        SBDThumbnailSize(size)
    }

    /// Returns a size in pixels; never nil, and optional as in the old library.
    public class func make(withMaxWidth width: CGFloat, maxHeight: CGFloat) -> SBDThumbnailSize? {
        SBDThumbnailSize(CGSize(width: width, height: maxHeight))
    }

    var value: OutgoingFile.ThumbnailSize {
        OutgoingFile.ThumbnailSize(width: pixels(maxSize.width), height: pixels(maxSize.height))
    }

    /// Returns whole pixels; a number without a whole one is bounded.
    private func pixels(_ length: CGFloat) -> Int {
        Int(exactly: min(max(0, length), 1_000_000).rounded()) ?? 0
    }
}
