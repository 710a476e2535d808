// SPDX-License-Identifier: Apache-2.0

package import RoostModel
import RoostWire

/// What a channel is, apart from who is in it and what was said.
package struct ChannelRecord: Hashable, Sendable {
    package var url: ChannelURL
    package var name: String
    package var coverURL: String
    package var data: String
    package var customType: String
    package var createdAt: Timestamp
    package var createdBy: UserID?
    package var isDistinct: Bool
    package var isSuper: Bool
    package var isPublic: Bool
    package var traits: ChannelTraits

    package init(
        url: ChannelURL, name: String = "", coverURL: String = "", data: String = "",
        customType: String = "", createdAt: Timestamp, createdBy: UserID? = nil,
        isDistinct: Bool = false, isSuper: Bool = false, isPublic: Bool = false,
        traits: ChannelTraits = ChannelTraits()
    ) {
        self.url = url
        self.name = name
        self.coverURL = coverURL
        self.data = data
        self.customType = customType
        self.createdAt = createdAt
        self.createdBy = createdBy
        self.isDistinct = isDistinct
        self.isSuper = isSuper
        self.isPublic = isPublic
        self.traits = traits
    }
}

package struct NewChannel: Hashable, Sendable {
    package var record: ChannelRecord
    /// In the order they shall stand; each must exist.
    package var members: [UserID]
    package var operators: [UserID]
    /// The members who come in by an invitation that they have to accept; the others join.
    package var invited: Set<UserID> = []
    package var inviter: UserID?
    /// The members whom the inviter may not invite; all of them must be in the channel already.
    package var barred: Set<UserID> = []
    /// The most live channels that one user may have created.
    package var creatorLimit = Int.max

    package init(record: ChannelRecord, members: [UserID], operators: [UserID] = []) {
        self.record = record
        self.members = members
        self.operators = operators
    }

    /// The members in their order, as runs of one state.
    var runs: [(state: MembershipState, members: [UserID])] {
        var runs: [(state: MembershipState, members: [UserID])] = []
        for id in members {
            let state: MembershipState = invited.contains(id) ? .invited : .joined
            if runs.last?.state == state {
                runs[runs.count - 1].members.append(id)
            } else {
                runs.append((state, [id]))
            }
        }
        return runs
    }

    /// Names the set of members for a distinct channel: the same set, the same text.
    var distinctKey: String? {
        guard record.isDistinct else { return nil }
        return JSONValue.array(members.sorted().map { .string($0.rawValue) }).text
    }
}

package enum CreateOutcome: Hashable, Sendable {
    case done(CreatedChannel)
    /// Nothing changed: a user would come in whom the inviter may not invite.
    case barred
    /// Nothing changed: the creator has as many channels as one user may have.
    case tooMany
}

package struct CreatedChannel: Hashable, Sendable {
    package var url: ChannelURL
    package var isCreated: Bool
    /// The users who came in, joined or invited, in the order of the call.
    package var joined: [UserID]

    package init(url: ChannelURL, isCreated: Bool, joined: [UserID]) {
        self.url = url
        self.isCreated = isCreated
        self.joined = joined
    }
}

package struct ChannelAccess: Hashable, Sendable {
    package var record: ChannelRecord
    package var state: MembershipState
    package var role: Role
    package var traits: MemberTraits

    /// Messages at or before this are invisible to the user.
    package var messageOffset: Timestamp? { traits.messageOffset }
}

/// A user who hears of a channel: a joined member or an invited one.
package struct Hearer: Hashable, Sendable {
    package var id: UserID
    package var isJoined: Bool
    /// Messages at or before this are invisible to the user.
    package var beginning: Timestamp?

    package init(id: UserID, isJoined: Bool, beginning: Timestamp? = nil) {
        self.id = id
        self.isJoined = isJoined
        self.beginning = beginning
    }
}

package struct MemberRecord: Hashable, Sendable {
    package var user: User
    package var state: MembershipState
    package var role: Role
    package var joinedAt: Timestamp?
    package var lastRead: Timestamp?
    package var deliveredAt: Timestamp?
    package var hidden = HiddenState.unhidden
    package var traits = MemberTraits()

    /// Whether what is unread here counts in the user's total.
    var isCounted: Bool { hidden == .unhidden && traits.countPreference != .off }
}

/// A channel with all that a view of it needs.
package struct ChannelState: Hashable, Sendable {
    package var record: ChannelRecord
    /// Joined and invited, in the order they came.
    package var members: [MemberRecord]
    /// The newest message that a list of channels would show.
    package var lastMessage: Message?
    package var unreadCount: Int
    package var mentionCount: Int
}

/// A channel in a user's list, as far as finding and ordering need it.
package struct ChannelListing: Hashable, Sendable {
    package var record: ChannelRecord
    /// `.none` when the user has left.
    package var state: MembershipState
    package var hidden: HiddenState
    /// Of the newest message that the user can see.
    package var lastMessageAt: Timestamp?
    /// Grows with every change that the user can see.
    package var changeSequence: Int64
    package var changedAt: Timestamp
}

package struct Appended: Hashable, Sendable {
    package var message: Message
    /// The live message before it, under no filter.
    package var previousID: MessageID?
    /// The same request had been stored before; nobody is to be told again.
    package var isRepeat: Bool
    /// With `isRepeat`: the message was deleted meanwhile, and the words are those of the repeat.
    package var isDeleted: Bool
    /// With a reply: the message it answers, with its thread as it is now.
    package var parent: Message?
}

package enum EditOutcome: Hashable, Sendable {
    case edited(Message, oldMention: Mention)
    case notFound
}

package enum DeleteOutcome: Hashable, Sendable {
    /// With the message it answered, if any is left, and that one's thread as it is now.
    case deleted(Message, parent: Message?)
    case notFound
}

/// Places in a channel's log, both ends left out.
package struct PositionRange: Hashable, Sendable {
    package var after: Position
    package var before: Position

    package init(after: Position = .distantPast, before: Position = .distantFuture) {
        self.after = after
        self.before = before
    }

    /// From one moment to another, both included.
    package init(from start: Timestamp, through end: Timestamp) {
        after = Position(createdAt: start, messageID: MessageID(.min))
        before = Position(createdAt: end, messageID: MessageID(.max))
    }

    /// The part of the range that lies behind a moment.
    package func hiding(through moment: Timestamp?) -> PositionRange {
        guard let moment else { return self }
        var range = self
        range.after = max(after, Position(createdAt: moment, messageID: MessageID(.max)))
        return range
    }

    func contains(_ position: Position) -> Bool { after < position && position < before }
}

/// From where a change log goes on.
package enum ChangePoint: Hashable, Sendable {
    case sequence(Int64)
    /// Everything that changed at this moment or later; may repeat, never misses.
    case time(Timestamp)
}

package struct MessageChangePage: Hashable, Sendable {
    package enum Change: Hashable, Sendable {
        case current(Message)
        case deleted(MessageID, at: Timestamp)
    }

    package var changes: [Change]
    package var hasMore: Bool
    /// Where the next page begins.
    package var end: Int64
}

package struct LogEntry: Hashable, Sendable {
    /// As it stands; without words when deleted.
    package var message: Message
    package var deletedAt: Timestamp?
}

// MARK: - Rules that every storage keeps

extension Message {
    /// Whether it counts as unread and stands as a channel's last message: replies within a thread and
    /// silent messages do neither.
    var isCounted: Bool { !isSilent && (parentID == nil || isReplyToChannel) }

    func mentions(_ user: UserID) -> Bool {
        mention.calls(user)
    }

    /// What is left of a deleted message: its place, its names and its sender.
    var tombstone: Message {
        Message(
            delivery: delivery, channelURL: channelURL, createdAt: createdAt, sender: sender,
            content: .user(text: ""))
    }

    /// Notes a reply that was just stored.
    mutating func note(reply: Message) {
        var thread = details.threadInfo ?? ThreadInfo(replyCount: 0)
        thread.replyCount += 1
        thread.add(reply.sender?.user)
        thread.lastRepliedAt = reply.createdAt
        thread.updatedAt = nextThreadTime(at: reply.createdAt)
        details.threadInfo = thread
    }

    /// Takes its thread to be made of these replies, oldest first, and of no others.
    mutating func setReplies(_ replies: [Message], now: Timestamp) {
        var thread = ThreadInfo(replyCount: replies.count)
        for reply in replies { thread.add(reply.sender?.user) }
        thread.lastRepliedAt = replies.last?.createdAt
        thread.updatedAt = nextThreadTime(at: now)
        details.threadInfo = thread
    }

    /// Of two accounts of a thread clients keep the newer, so no two may have one time.
    private func nextThreadTime(at now: Timestamp) -> Timestamp {
        guard let last = details.threadInfo?.updatedAt else { return now }
        return max(now, last.advanced(by: 1))
    }

    /// Applies an edit; only what it names changes (`docs/protocol` 2.6).
    mutating func apply(_ edit: EditCommand, mentioned: [User], at now: Timestamp) {
        if let text = edit.text { content.setText(text) }
        data = edit.data ?? data
        customType = edit.customType ?? customType
        if edit.mentionKind != nil || edit.mentionedUserIDs != nil {
            setMention(edit.mentionKind ?? mention.kind, users: mentioned)
        }
        if let change = edit.metaArrays { apply(change) }
        // Of two copies clients keep the one edited later, so no two edits may have one time.
        let next = updatedAt.map { $0.advanced(by: 1) }
        updatedAt = max(now, createdAt, next ?? createdAt)
    }

    private mutating func apply(_ change: EditCommand.MetaArrayEdit) {
        for array in change.arrays {
            let index = metaArrays.firstIndex { $0.key == array.key }
            switch (change.mode, index) {
            case (.add, let index?):
                let known = Set(metaArrays[index].values)
                metaArrays[index].values += array.values.filter { !known.contains($0) }
            case (.add, nil): if change.isUpsert { metaArrays.append(array) }
            case (.remove, let index?):
                if array.values.isEmpty {
                    metaArrays.remove(at: index)
                } else {
                    metaArrays[index].values.removeAll { array.values.contains($0) }
                }
            case (.remove, nil): break
            }
        }
    }
}

extension ThreadInfo {
    /// Adds a user who replied, unless there are five, or those there leave no room for another.
    fileprivate mutating func add(_ user: User?) {
        guard let user, mostReplies.count < 5, !mostReplies.contains(where: { $0.id == user.id })
        else { return }
        let weight = mostReplies.reduce(user.weight) { $0 + $1.weight }
        // The numbers of the summary need less than the rest.
        guard weight <= ServerLimits.relationBytes - 512 else { return }
        mostReplies.append(user)
    }
}

extension MessageContent {
    fileprivate mutating func setText(_ text: String) {
        switch self {
        case .user: self = .user(text: text)
        case .admin: self = .admin(text: text)
        case .file(var file):
            file.caption = text
            self = .file(file)
        case .unknown: break
        }
    }
}

extension MemberTraits {
    /// What changes when somebody comes in: a mute stays, what was hidden stays hidden.
    mutating func admit(as state: MembershipState, by inviter: UserID?, now: Timestamp) {
        ban = nil
        guard state == .invited else { return }
        self.inviter = inviter
        invitedAt = now
    }
}
