// SPDX-License-Identifier: Apache-2.0

package import RoostModel
import RoostWire

/// The properties of a channel, without members and messages.
package struct ChannelRecord: Equatable, Sendable {
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

package struct NewChannel: Equatable, Sendable {
    package var record: ChannelRecord
    /// The existing users of the channel, in their order.
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

    /// The name of a distinct channel's set of members: equal sets have equal names.
    var distinctKey: String? {
        guard record.isDistinct else { return nil }
        return JSONValue.array(members.sorted().map { .string($0.rawValue) }).text
    }
}

package enum CreateOutcome: Equatable, Sendable {
    case done(CreatedChannel)
    /// Nothing changed: the inviter may not invite one of the users.
    case barred
    /// Nothing changed: the creator has as many channels as one user may have.
    case tooMany
}

package struct CreatedChannel: Equatable, Sendable {
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

package struct ChannelAccess: Equatable, Sendable {
    package var record: ChannelRecord
    package var state: MembershipState
    package var role: Role
    package var traits: MemberTraits

    /// Messages at or before this are invisible to the user.
    package var messageOffset: Timestamp? { traits.messageOffset }
}

/// A joined or invited user, who gets events of a channel.
package struct AudienceMember: Equatable, Sendable {
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

package struct MemberRecord: Equatable, Sendable {
    package var user: User
    package var state: MembershipState
    package var role: Role
    package var joinedAt: Timestamp?
    package var lastRead: Timestamp?
    package var deliveredAt: Timestamp?
    package var hidden = HiddenState.unhidden
    package var traits = MemberTraits()

    /// Whether unread messages of the channel count in the user's total.
    var isCounted: Bool { hidden == .unhidden && traits.countPreference != .off }
}

/// A channel with the data of a view.
package struct ChannelState: Equatable, Sendable {
    package var record: ChannelRecord
    /// The joined and invited users, in the order of their entries.
    package var members: [MemberRecord]
    /// The newest message for a list of channels.
    package var lastMessage: Message?
    package var unreadCount: Int
    package var mentionCount: Int
}

/// A channel in a user's list, with the data for filters and order.
package struct ChannelListing: Equatable, Sendable {
    package var record: ChannelRecord
    /// The user's state; `.none` for a former member.
    package var state: MembershipState
    package var hidden: HiddenState
    /// The time of the newest message behind the user's offset.
    package var lastMessageAt: Timestamp?
    /// The number of the last change that the user can see.
    package var changeSequence: Int64
    package var changedAt: Timestamp
}

package struct Appended: Equatable, Sendable {
    package var message: Message
    /// The live message before it, without a filter.
    package var previousID: MessageID?
    /// Whether the request was stored before, so that no event is due.
    package var isRepeat: Bool
    /// Whether a repeated request's message was deleted; then the content is that of the repeat.
    package var isDeleted: Bool
    /// The parent of a reply, with its thread after the reply.
    package var parent: Message?
}

/// The change of the joined members' read marks by an import.
package struct ImportMarks: Equatable, Sendable {
    /// Whether marks before the last imported message move to it, so that all of them are read.
    package var raises: Bool
    /// Whether marks behind the import move back before it, so that all of it is unread; with
    /// `raises` they move to the last imported message.
    package var rewinds: Bool

    package init(raises: Bool = false, rewinds: Bool = false) {
        self.raises = raises
        self.rewinds = rewinds
    }

    /// Returns the mark of a member after the import of messages from one time through another.
    func mark(_ mark: Timestamp, from first: Timestamp, through last: Timestamp) -> Timestamp {
        let start = rewinds ? min(mark, first.advanced(by: -1)) : mark
        return raises ? max(start, last) : start
    }
}

package enum ImportOutcome: Equatable, Sendable {
    case imported([Appended])
    /// Nothing changed: the log ends at this time, not before the first message.
    case tooOld(Timestamp)
    /// Nothing changed: there is no such channel.
    case notFound
}

package enum EditOutcome: Equatable, Sendable {
    case edited(Message, oldMention: Mention)
    case notFound
}

package enum DeleteOutcome: Equatable, Sendable {
    /// The deleted message, and its parent with its thread afterwards; nil without a live parent.
    case deleted(Message, parent: Message?)
    case notFound
}

/// A range of positions in a channel's log, without its ends.
package struct PositionRange: Equatable, Sendable {
    package var after: Position
    package var before: Position

    package init(after: Position = .distantPast, before: Position = .distantFuture) {
        self.after = after
        self.before = before
    }

    /// Makes the range from one moment to another, both included.
    package init(from start: Timestamp, through end: Timestamp) {
        after = Position(createdAt: start, messageID: MessageID(.min))
        before = Position(createdAt: end, messageID: MessageID(.max))
    }

    /// Returns the part of the range behind a moment.
    package func hiding(through moment: Timestamp?) -> PositionRange {
        guard let moment else { return self }
        var range = self
        range.after = max(after, Position(createdAt: moment, messageID: MessageID(.max)))
        return range
    }

    func contains(_ position: Position) -> Bool { after < position && position < before }
}

/// The start of a page of a change log.
package enum ChangePoint: Equatable, Sendable {
    case sequence(Int64)
    /// All changes at this moment or later; may repeat changes, but never misses one.
    case time(Timestamp)
}

package struct MessageChangePage: Equatable, Sendable {
    package enum Change: Equatable, Sendable {
        case current(Message)
        case deleted(MessageID, at: Timestamp)
    }

    package var changes: [Change]
    package var hasMore: Bool
    /// The number of the last change in the page.
    package var end: Int64
}

package struct LogEntry: Equatable, Sendable {
    /// The message in its present state; without content if deleted.
    package var message: Message
    package var deletedAt: Timestamp?
}

// MARK: - Rules that every storage keeps

extension Message {
    /// Whether the message counts as unread and can be a channel's last message; silent messages
    /// and replies within a thread do not.
    var isCounted: Bool { !isSilent && (parentID == nil || isReplyToChannel) }

    func mentions(_ user: UserID) -> Bool {
        mention.calls(user)
    }

    /// The rest of a deleted message: its place, its IDs and its sender.
    var tombstone: Message {
        Message(
            delivery: delivery, channelURL: channelURL, createdAt: createdAt, sender: sender,
            content: .user(text: ""))
    }

    /// Adds a stored reply to the thread.
    mutating func note(reply: Message) {
        var thread = details.threadInfo ?? ThreadInfo(replyCount: 0)
        thread.replyCount += 1
        thread.add(reply.sender?.user)
        thread.lastRepliedAt = reply.createdAt
        thread.updatedAt = nextThreadTime(at: reply.createdAt)
        details.threadInfo = thread
    }

    /// Sets the thread to its replies.
    ///
    /// - Parameters:
    ///   - count: The number of the replies.
    ///   - last: The time of the last one.
    ///   - users: The users who replied, in the order of their first replies, up to
    ///     `ThreadInfo.mostRepliers`.
    ///   - now: The time of the change.
    mutating func setReplies(
        _ count: Int, lastAt last: Timestamp?, by users: [User], now: Timestamp
    ) {
        var thread = ThreadInfo(replyCount: count)
        for user in users { thread.add(user) }
        thread.lastRepliedAt = last
        thread.updatedAt = nextThreadTime(at: now)
        details.threadInfo = thread
    }

    /// Returns the time of the next state of the thread; clients keep the newer of two states, so
    /// no two have one time.
    private func nextThreadTime(at now: Timestamp) -> Timestamp {
        guard let last = details.threadInfo?.updatedAt else { return now }
        return max(now, last.advanced(by: 1))
    }

    /// Applies an edit; unnamed properties stay (`docs/protocol` 2.6).
    mutating func apply(_ edit: EditCommand, mentioned: [User], at now: Timestamp) {
        if let text = edit.text { content.setText(text) }
        data = edit.data ?? data
        customType = edit.customType ?? customType
        if edit.mentionKind != nil || edit.mentionedUserIDs != nil {
            setMention(edit.mentionKind ?? mention.kind, users: mentioned)
        }
        if let template = edit.mentionTemplate {
            // A new message has the template among the fields that travel unchanged.
            unknownFields = unknownFields.removing(UnknownFields.mentionTemplateName)
            details.mentionTemplate = template
        }
        if let change = edit.metaArrays { apply(change) }
        // Clients keep the later of two edits, so no two have one time.
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
    /// The users among whom the summary of a thread finds five that have room in it.
    static let mostRepliers = 20

    /// Adds a user who replied, unless there are five users or no room for another.
    fileprivate mutating func add(_ user: User?) {
        guard let user, mostReplies.count < 5, !mostReplies.contains(where: { $0.id == user.id })
        else { return }
        let weight = mostReplies.reduce(user.weight) { $0 + $1.weight }
        // The other fields of the summary are smaller than this reserve.
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
    /// Applies an entry: a ban ends, a mute and hidden history stay.
    mutating func admit(as state: MembershipState, by inviter: UserID?, now: Timestamp) {
        ban = nil
        guard state == .invited else { return }
        self.inviter = inviter
        invitedAt = now
    }
}
