// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostModel

/// The properties of a message to be changed; nil leaves a property as it is.
open class BaseMessageUpdateParams: NSObject, NSCopying {
    /// The new text of the app's own.
    public var data: String?
    /// The new custom type.
    public var customType: String?
    /// Whether users or the whole channel are mentioned.
    ///
    /// `.users` without `mentionedUserIds` leaves the mention as it is.
    public var mentionType = MentionType.users
    /// The mentioned users' IDs.
    public var mentionedUserIds: [String]?

    /// Creates parameters that change nothing.
    public override init() {}

    /// Sets the mentioned users; nil leaves them as they are.
    public func setMentionedUsers(_ users: [User]?) {
        mentionedUserIds = users.map { $0.map(\.userId) }
    }

    /// Adds users to the mentioned ones.
    public func addMentionedUserIds(_ userIds: [String]) {
        mentionedUserIds = (mentionedUserIds ?? []) + userIds
    }

    /// Returns parameters with the same properties.
    public func copy(with zone: NSZone? = nil) -> Any {
        let copy = BaseMessageUpdateParams()
        copy.take(from: self)
        return copy
    }

    final func take(from other: BaseMessageUpdateParams) {
        data = other.data
        customType = other.customType
        mentionType = other.mentionType
        mentionedUserIds = other.mentionedUserIds
    }

    /// The name of a property that cannot be honoured; nil if there is none.
    var unsupported: String? { nil }

    func edit(_ text: String?) -> MessageEdit {
        var mention: Mention?
        if mentionType == .channel || mentionedUserIds != nil {
            mention = Mention(
                kind: mentionType == .channel ? .channel : .users,
                userIDs: (mentionedUserIds ?? []).map { UserID($0) })
        }
        return MessageEdit(text: text, data: data, customType: customType, mention: mention)
    }
}

/// The properties of a text message to be changed; nil leaves a property as it is.
public final class UserMessageUpdateParams: BaseMessageUpdateParams {
    /// The new text.
    public var message: String?
    /// The new text with placeholders for the mentioned users' names.
    public var mentionedMessageTemplate: String?
    /// The poll that the message carries from now on; not supported, 0 leaves it as it is.
    public var pollId: Int64 = 0

    /// Creates parameters that change the text.
    public init(message: String?) { self.message = message }

    /// Creates parameters that change nothing.
    public override init() {}

    /// Returns parameters with the same properties.
    public override func copy(with zone: NSZone? = nil) -> Any {
        let copy = UserMessageUpdateParams(message: message)
        copy.take(from: self)
        copy.mentionedMessageTemplate = mentionedMessageTemplate
        copy.pollId = pollId
        return copy
    }

    override var unsupported: String? {
        pollId > 0 ? "pollId" : nil
    }

    override func edit(_ text: String?) -> MessageEdit {
        var edit = super.edit(text)
        edit.mentionTemplate = mentionedMessageTemplate
        return edit
    }
}

/// The properties of a file message to be changed; nil leaves a property as it is.
public final class FileMessageUpdateParams: BaseMessageUpdateParams {
    /// The new text that goes with the file.
    public var message: String?

    /// Creates parameters that change nothing.
    public override init() {}

    /// Returns parameters with the same properties.
    public override func copy(with zone: NSZone? = nil) -> Any {
        let copy = FileMessageUpdateParams()
        copy.take(from: self)
        copy.message = message
        return copy
    }
}
