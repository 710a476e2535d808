// SPDX-License-Identifier: Apache-2.0

/// Who answered a message with one emoji (`docs/protocol` 4.6).
public struct Reaction: Hashable, Sendable {
    public var key: String
    /// In the order they reacted; never empty on a message.
    public var userIDs: [UserID]
    public var updatedAt: Timestamp
    /// How many there are when that is more than are named; 0 otherwise.
    public var count = 0
    public var unknownFields = UnknownFields()

    public init(key: String, userIDs: [UserID], updatedAt: Timestamp) {
        self.key = key
        self.userIDs = userIDs
        self.updatedAt = updatedAt
    }
}

/// One person's emoji coming or going.
public struct ReactionChange: Hashable, Sendable {
    public var key: String
    public var userID: UserID
    public var isAdded: Bool
    public var updatedAt: Timestamp

    public init(key: String, userID: UserID, isAdded: Bool, updatedAt: Timestamp) {
        self.key = key
        self.userID = userID
        self.isAdded = isAdded
        self.updatedAt = updatedAt
    }
}

/// When each person's reactions last changed, so that an event that comes late undoes nothing.
///
/// A message forgets who took a reaction back; this does not, and whoever applies events keeps one for
/// each message it applies them to.
public struct ReactionTimes: Hashable, Sendable {
    private struct Act: Hashable {
        let key: String
        let userID: UserID
    }

    private var moments: [Act: Timestamp] = [:]

    public init() {}

    /// Whether a change is news, of which note is taken; false for one older than what is known.
    public mutating func admits(_ change: ReactionChange) -> Bool {
        let act = Act(key: change.key, userID: change.userID)
        guard change.updatedAt >= moments[act] ?? .distantPast else { return false }
        moments[act] = change.updatedAt
        return true
    }
}

extension [Reaction] {
    /// The reactions after a change; an emoji that nobody uses any more goes.
    ///
    /// A change older than the reaction's own time takes nothing away and adds nobody twice; without
    /// `ReactionTimes` it may still bring back somebody who left meanwhile.
    public func applying(_ change: ReactionChange) -> [Reaction] {
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
        } else if !change.isAdded, isKnown, change.updatedAt >= reactions[index].updatedAt {
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

/// What a message's replies amount to (`docs/protocol` 4.7).
public struct ThreadInfo: Hashable, Sendable {
    public var replyCount: Int
    /// Those who replied most; five at most.
    public var mostReplies: [User] = []
    public var lastRepliedAt: Timestamp?
    public var updatedAt: Timestamp?
    public var memberCount: Int?
    public var unreadMessageCount: Int?
    public var isPushEnabled: Bool?
    public var unknownFields = UnknownFields()

    public init(replyCount: Int) { self.replyCount = replyCount }

    /// The newer of two; of two equally new the other, because it came later.
    public func merged(with other: ThreadInfo) -> ThreadInfo {
        (other.updatedAt ?? .distantPast) >= (updatedAt ?? .distantPast) ? other : self
    }
}

extension MessageDetails {
    /// Keeps from another copy of the same message what this one does not tell.
    ///
    /// Reactions that nobody asked for are kept, whatever the age of the copy; of thread info the newer
    /// wins, so `earlier` is the copy that was known before.
    public mutating func complete(from earlier: MessageDetails) {
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
    /// Keeps from another copy what this one does not tell; see `MessageDetails.complete`.
    public mutating func completeDetails(from earlier: Message) {
        guard !earlier.hasNoDetails else { return }
        var details = details
        details.complete(from: earlier.details)
        let mentioned = Set(mention.userIDs)
        details.mentionedUsers.removeAll { !mentioned.contains($0.id) }
        self.details = details
    }
}
