// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostDoors
import RoostModel

/// A named list of texts that an app attaches to a message.
public final class MessageMetaArray: NSObject {
    /// The name; unique within a message.
    public let key: String
    /// The texts, in order and without duplicates.
    public private(set) var value: [String]

    /// Creates a list; nil stands for no texts.
    public init(key: String, value: [String]?) {
        self.key = key
        self.value = []
        super.init()
        addValue(with: value ?? [])
    }

    /// Creates a list without texts.
    public convenience init(key: String) { self.init(key: key, value: nil) }

    convenience init(_ array: MetaArray) { self.init(key: array.key, value: array.values) }

    /// Adds texts behind the others, in order; a text that the list has already stays where it is.
    public func addValue(with value: [String]) {
        for text in value where !self.value.contains(text) { self.value.append(text) }
    }

    /// Adds texts behind the others, in alphabetical order.
    public func addValue(_ value: Set<String>) { addValue(with: value.sorted()) }

    /// Removes texts.
    public func removeValue(with value: [String]) { removeValue(Set(value)) }

    /// Removes texts.
    public func removeValue(_ value: Set<String>) { self.value.removeAll { value.contains($0) } }

    /// Returns the list as bytes, for a store of the app's own.
    public func serialize() -> Data? { try? JSONEncoder().encode([key] + value) }

    /// Returns the list that was serialised; nil for other bytes.
    public class func build(fromSerializedData data: Data?) -> MessageMetaArray? {
        guard let data, let texts = try? JSONDecoder().decode([String].self, from: data),
            let key = texts.first
        else { return nil }
        return MessageMetaArray(key: key, value: Array(texts.dropFirst()))
    }

    var array: MetaArray { MetaArray(key: key, values: value) }
}

/// The users who reacted to a message with one key.
public final class Reaction: NSObject {
    /// The key of the reaction, such as `thumbsup`.
    public let key: String
    /// The users, in the order of their reactions.
    public let userIds: [String]
    /// The users that the server lists; all of them unless `count` is greater.
    public var sampledUserIds: [String] { userIds }
    /// The number of users.
    public let count: UInt
    /// Whether the user who was logged in at the time of this object is one of them.
    public let hasCurrentUserReacted: Bool
    /// The time of the last change, in milliseconds.
    public let updatedAt: Int64

    init(_ reaction: RoostModel.Reaction) {
        key = reaction.key
        userIds = reaction.userIDs.map(\.rawValue)
        count = UInt(clamping: max(reaction.count, reaction.userIDs.count))
        hasCurrentUserReacted =
            SendbirdChat.door.account.map { reaction.userIDs.contains($0) } ?? false
        updatedAt = reaction.updatedAt.milliseconds
    }
}

/// A user's reaction that was added or removed.
public final class ReactionEvent: NSObject {
    /// The message.
    public let messageId: Int64
    /// The key of the reaction.
    public var key: String { change.key }
    /// The user who reacted.
    public var userId: String { change.userID.rawValue }
    /// Whether the reaction was added or removed.
    public var operation: ReactionEventAction { change.isAdded ? .add : .delete }
    /// The time of the change, in milliseconds.
    public var updatedAt: Int64 { change.updatedAt.milliseconds }

    let change: ReactionChange

    init(_ change: ReactionChange, of messageId: Int64) {
        self.change = change
        self.messageId = messageId
    }
}

/// The state of the thread below a message.
public final class ThreadInfo: NSObject {
    let value: RoostModel.ThreadInfo

    init(_ value: RoostModel.ThreadInfo) { self.value = value }

    /// The number of replies.
    public var replyCount: Int { value.replyCount }
    /// The users with the most replies.
    public var mostRepliedUsers: [User] { value.mostReplies.map { User($0) } }
    /// The time of the last reply, in milliseconds; 0 without one.
    public var lastRepliedAt: Int64 { value.lastRepliedAt?.milliseconds ?? 0 }
    /// The time of this state, in milliseconds; 0 if unknown.
    public var updatedAt: Int64 { value.updatedAt?.milliseconds ?? 0 }
}

/// News of the thread below a message.
public final class ThreadInfoUpdateEvent: NSObject {
    /// The message at the head of the thread.
    public let targetMessageId: Int64
    /// The channel of the message.
    public let channelURL: String
    /// The kind of that channel.
    public let channelType: ChannelType
    /// The state of the thread.
    public let threadInfo: ThreadInfo

    init(_ info: RoostModel.ThreadInfo, of message: MessageID, in channel: BaseChannel) {
        targetMessageId = message.rawValue
        channelURL = channel.channelURL
        channelType = channel.channelType
        threadInfo = ThreadInfo(info)
    }
}

/// The planned sending of a scheduled message.
public final class ScheduledInfo: NSObject {
    /// The identifier of the scheduled message, which is not its message ID.
    public let scheduledMessageId: Int64
    /// The planned time, in milliseconds; 0 if unknown.
    public let scheduledAt: Int64
    /// The state of the scheduled message.
    public let scheduledStatus: ScheduledStatus

    init(_ schedule: Schedule) {
        scheduledMessageId = schedule.id.rawValue
        scheduledAt = schedule.sendsAt?.milliseconds ?? 0
        scheduledStatus = ScheduledStatus(schedule.status)
    }
}

/// The description that a web page gives of itself.
public final class OGMetaData: NSObject {
    /// The title of the page.
    public let title: String?
    /// The address of the page.
    public let url: String?
    /// The description of the page.
    public let desc: String?
    /// The picture of the page.
    public let defaultImage: OGImage?

    init(_ preview: LinkPreview) {
        title = preview.title.isEmpty ? nil : preview.title
        url = preview.url.isEmpty ? nil : preview.url
        desc = preview.summary.isEmpty ? nil : preview.summary
        defaultImage = preview.image.map { OGImage($0) }
    }
}

/// The picture of a web page.
public final class OGImage: NSObject {
    /// The address of the picture.
    public let url: String?
    /// The address over HTTPS.
    public let secureURL: String?
    /// The media type.
    public let type: String?
    /// The text that describes the picture.
    public let alt: String?
    /// The width in pixels; 0 if unknown.
    public let width: Int
    /// The height in pixels; 0 if unknown.
    public let height: Int

    init(_ image: LinkPreview.Image) {
        url = image.url.isEmpty ? nil : image.url
        secureURL = image.secureURL.isEmpty ? nil : image.secureURL
        type = image.type.isEmpty ? nil : image.type
        alt = image.alternativeText.isEmpty ? nil : image.alternativeText
        width = image.width
        height = image.height
    }
}
