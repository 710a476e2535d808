// SPDX-License-Identifier: Apache-2.0

/// The users who reacted to a message with one key (`docs/protocol` 4.6).
public struct Reaction: Hashable, Codable, Sendable {
    /// The key of the reaction, such as `thumbsup`.
    public var key: String
    /// The users, in the order of their reactions; never empty on a message.
    public var userIDs: [UserID]
    /// The time of the last change by the server's clock.
    public var updatedAt: Timestamp
    /// The number of users if the list is not complete; 0 if it is.
    public var count = 0
    /// Fields of a newer server without a name in this release.
    public var unknownFields = UnknownFields()

    /// Creates a reaction.
    public init(key: String, userIDs: [UserID], updatedAt: Timestamp) {
        self.key = key
        self.userIDs = userIDs
        self.updatedAt = updatedAt
    }
}

/// A user's reaction that was added or removed.
public struct ReactionChange: Hashable, Codable, Sendable {
    /// The key of the reaction.
    public var key: String
    /// The user who reacted.
    public var userID: UserID
    /// Whether the reaction was added; false if it was removed.
    public var isAdded: Bool
    /// The time of the change by the server's clock.
    public var updatedAt: Timestamp

    /// Creates a change.
    public init(key: String, userID: UserID, isAdded: Bool, updatedAt: Timestamp) {
        self.key = key
        self.userID = userID
        self.isAdded = isAdded
        self.updatedAt = updatedAt
    }
}

/// The times of each user's last reaction changes, so that a late event undoes nothing.
///
/// A message keeps no trace of a removed reaction; this value does. Keep one for each message to
/// which events are applied.
public struct ReactionTimes: Hashable, Codable, Sendable {
    private struct Act: Hashable, Codable {
        let key: String
        let userID: UserID
    }

    private var moments: [Act: Timestamp] = [:]

    /// Creates an empty record.
    public init() {}

    /// Returns whether a change is new, and records it; false if a later change is known.
    public mutating func admits(_ change: ReactionChange) -> Bool {
        let act = Act(key: change.key, userID: change.userID)
        guard change.updatedAt >= moments[act] ?? .distantPast else { return false }
        moments[act] = change.updatedAt
        return true
    }
}

extension [Reaction] {
    /// Returns the reactions after a change; a key without users is removed.
    ///
    /// A change older than the entry removes nothing and adds no user twice. Without
    /// `ReactionTimes` it may add a user again who removed the reaction meanwhile.
    public func applying(_ change: ReactionChange) -> [Reaction] {
        applying(change, isLate: false)
    }

    /// Returns the reactions after a change, which is applied in any case if it is late.
    package func applying(_ change: ReactionChange, isLate: Bool) -> [Reaction] {
        var reactions = self
        guard let index = reactions.firstIndex(where: { $0.key == change.key }) else {
            if change.isAdded {
                reactions.append(
                    Reaction(
                        key: change.key, userIDs: [change.userID], updatedAt: change.updatedAt))
            }
            return reactions
        }
        let isKnown = reactions[index].userIDs.contains(change.userID)
        if change.isAdded, !isKnown {
            reactions[index].userIDs.append(change.userID)
            if reactions[index].count > 0 { reactions[index].count += 1 }
        } else if !change.isAdded, isKnown,
            isLate || change.updatedAt >= reactions[index].updatedAt
        {
            reactions[index].userIDs.removeAll { $0 == change.userID }
            if reactions[index].count > 0 { reactions[index].count -= 1 }
        }
        reactions[index].updatedAt = Swift.max(reactions[index].updatedAt, change.updatedAt)
        if reactions[index].userIDs.isEmpty, reactions[index].count == 0 {
            reactions.remove(at: index)
        }
        return reactions
    }
}

/// The state of a thread (`docs/protocol` 4.7).
public struct ThreadInfo: Hashable, Codable, Sendable {
    /// The number of replies, as the server counts them.
    public var replyCount: Int
    /// The users with the most replies; at most five.
    public var mostReplies: [User] = []
    /// The time of the last reply by the server's clock; nil if the server did not send it.
    public var lastRepliedAt: Timestamp?
    /// The time of this information; the newer of two copies counts.
    public var updatedAt: Timestamp?
    /// The number of users in the thread; nil if the server did not send it.
    public var memberCount: Int?
    /// The viewer's unread replies; nil if the server did not send it.
    public var unreadMessageCount: Int?
    /// Whether replies push to the viewer's devices; nil if the server did not send it.
    public var isPushEnabled: Bool?
    /// Fields of a newer server without a name in this release.
    public var unknownFields = UnknownFields()

    /// Creates the state of a thread with this many replies.
    public init(replyCount: Int) { self.replyCount = replyCount }

    /// Returns the newer of two copies; of two copies of the same time, the other one.
    public func merged(with other: ThreadInfo) -> ThreadInfo {
        (other.updatedAt ?? .distantPast) >= (updatedAt ?? .distantPast) ? other : self
    }
}

extension MessageDetails {
    /// Takes from an earlier copy of the same message the fields that this one lacks.
    ///
    /// Reactions are taken if this copy has none, whatever its age. Of two thread infos the
    /// newer one counts.
    package mutating func complete(from earlier: MessageDetails) {
        if reactions == nil { reactions = earlier.reactions }
        if let known = earlier.threadInfo {
            threadInfo = threadInfo.map { known.merged(with: $0) } ?? known
        }
        if let known = earlier.parentPreview, parentPreview?.isOlder(than: known) ?? true {
            parentPreview = known
        }
        if let known = earlier.poll { poll = poll?.merged(over: known) ?? known }
        if mentionedUsers.isEmpty, mentionTemplate == earlier.mentionTemplate {
            mentionedUsers = earlier.mentionedUsers
        }
    }
}

extension Message {
    /// Takes from an earlier copy the details that this one lacks; see
    /// `MessageDetails.complete(from:)`.
    package mutating func completeDetails(from earlier: Message) {
        guard !earlier.hasNoDetails else { return }
        var details = details
        details.complete(from: earlier.details)
        let mentioned = Set(mention.userIDs)
        details.mentionedUsers.removeAll { !mentioned.contains($0.id) }
        self.details = details
    }

    /// The message without a statement about its reactions; those of another copy stay.
    package var withoutReactions: Message {
        guard !hasNoDetails, details.reactions != nil else { return self }
        var message = self
        message.details.reactions = nil
        return message
    }
}
