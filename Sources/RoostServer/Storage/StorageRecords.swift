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

    /// The record without its heavy parts: picture, data, metadata, counters and pins.
    ///
    /// A user may have thousands of channels, each of which weighs up to 256 KiB. So lists read
    /// brief records.
    package var brief: ChannelRecord {
        var record = self
        (record.coverURL, record.data) = ("", "")
        record.traits = traits.brief
        return record
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
    /// The user who makes the call; nil for the platform.
    ///
    /// A distinct channel that bans the caller stays as it is.
    package var caller: UserID?
    /// The members whom the inviter may not invite; all of them must be in the channel already.
    package var barred: Set<UserID> = []
    /// The most channels that one user may have created, those included that were deleted within
    /// `StorageRules.deletionPeriod`.
    package var creatorLimit = Int.max

    package init(record: ChannelRecord, members: [UserID], operators: [UserID] = []) {
        self.record = record
        self.members = members
        self.operators = operators
    }

    /// The members in their order, as runs of one state.
    package var runs: [(state: MembershipState, members: [UserID])] {
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
    package var distinctKey: String? {
        guard record.isDistinct else { return nil }
        return JSONValue.array(members.sorted().map { .string($0.rawValue) }).text
    }
}

package enum CreateOutcome: Equatable, Sendable {
    case done(CreatedChannel)
    /// Nothing changed: the inviter may not invite one of the users.
    case barred
    /// Nothing changed: the distinct channel of these members bans the caller.
    case banned
    /// Nothing changed: the creator has as many channels as one user may have.
    case tooMany
    /// Nothing changed: another channel has the URL.
    case taken
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

    package init(
        record: ChannelRecord, state: MembershipState, role: Role, traits: MemberTraits
    ) {
        self.record = record
        self.state = state
        self.role = role
        self.traits = traits
    }
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
    package var isCounted: Bool { hidden == .unhidden && traits.countPreference != .off }

    package init(
        user: User, state: MembershipState, role: Role, joinedAt: Timestamp? = nil,
        lastRead: Timestamp? = nil, deliveredAt: Timestamp? = nil,
        hidden: HiddenState = .unhidden, traits: MemberTraits = MemberTraits()
    ) {
        self.user = user
        self.state = state
        self.role = role
        self.joinedAt = joinedAt
        self.lastRead = lastRead
        self.deliveredAt = deliveredAt
        self.hidden = hidden
        self.traits = traits
    }
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
    /// The number up to which all changes had ended when the listing was read.
    ///
    /// Behind it, a change may become visible after one of a higher number. It is no lower than in
    /// any listing read before, so a token beyond it is of another storage.
    package var settledSequence = Int64.max
    /// The name of a time in which the storage gives no number twice; empty if that is all of its life.
    ///
    /// A database that crashes or fails over may give numbers again that changed nothing.
    package var era = ""

    package init(
        record: ChannelRecord, state: MembershipState, hidden: HiddenState,
        lastMessageAt: Timestamp?, changeSequence: Int64, changedAt: Timestamp,
        settledSequence: Int64 = .max
    ) {
        self.record = record
        self.state = state
        self.hidden = hidden
        self.lastMessageAt = lastMessageAt
        self.changeSequence = changeSequence
        self.changedAt = changedAt
        self.settledSequence = settledSequence
    }
}

/// The newest message of a user's channel.
package struct NewestPlace: Equatable, Sendable {
    package let url: ChannelURL
    package let position: Position
    /// The user's settings there, such as the part of the history that the user sees.
    package let traits: MemberTraits

    package init(url: ChannelURL, position: Position, traits: MemberTraits) {
        self.url = url
        self.position = position
        self.traits = traits
    }
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

    package init(
        message: Message, previousID: MessageID?, isRepeat: Bool, isDeleted: Bool,
        parent: Message? = nil
    ) {
        self.message = message
        self.previousID = previousID
        self.isRepeat = isRepeat
        self.isDeleted = isDeleted
        self.parent = parent
    }
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
    /// The edit was made before; the message in its present state.
    case repeated(Message)
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
    /// Whether the page begins behind every number that the storage has given.
    ///
    /// The number is of another storage then, such as of the original of a copy.
    package var isAhead: Bool
    /// The name of a time in which the storage gives no number twice; empty if that is all of its life.
    ///
    /// A database that fails over or is restored may give the numbers of lost changes again.
    package var era: String

    package init(
        changes: [Change], hasMore: Bool, end: Int64, isAhead: Bool = false, era: String = ""
    ) {
        self.changes = changes
        self.hasMore = hasMore
        self.end = end
        self.isAhead = isAhead
        self.era = era
    }
}

package struct LogEntry: Equatable, Sendable {
    /// The message in its present state; without content if deleted.
    package var message: Message
    package var deletedAt: Timestamp?

    package init(message: Message, deletedAt: Timestamp? = nil) {
        self.message = message
        self.deletedAt = deletedAt
    }
}
